//! Passes of folded functions against the functions one by one, at every level.

use super::fused::fused_at;
use crate::kernel::chain::{Chain, Instruction, NEAR, Op, Slot, Summed, folds};
use crate::kernel::map::Pointwise;
use crate::kernel::simd::{Level, Native};
use crate::kernel::task::ChainTask;
use crate::kernel::{Binary, Comparison, Elementary, Unary};

/// Numbers that nobody would call random, but tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn element<E: Elementary>(&mut self) -> E {
        let special =
            [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -1e-310];
        match self.below(24) {
            at if at < special.len() => E::from_f64(special[at]),
            _ => E::from_f64((self.below(4001) as f64 - 2000.0) / 250.0),
        }
    }
}

fn functions() -> Vec<Pointwise> {
    use Unary::{Erf, Exp, ExpM1, Ln, Ln1p, Neg, Relu, Sigmoid, Sqrt, Tanh};
    let unary = [Neg, Exp, ExpM1, Ln, Ln1p, Sqrt, Tanh, Sigmoid, Erf, Relu].map(Pointwise::Unary);
    use Binary::{Absorb, AbsorbDiv, Add, Div, Maximum, Mul, Sub};
    let plain = [Add, Sub, Mul, Div, Absorb, AbsorbDiv, Maximum].into_iter();
    let binary = plain.chain(Comparison::ALL.map(Binary::Compare)).map(Pointwise::Binary);
    unary.into_iter().chain(binary).chain([Pointwise::Select]).collect()
}

/// A program, and how many operands, outputs and registers it has; registers are written more than once.
struct Program {
    instructions: Vec<Instruction>,
    sizes: [u32; 3],
}

fn program(numbers: &mut Numbers) -> Program {
    let functions = functions();
    let [operands, outputs, registers] = [1 + numbers.below(4), 1 + numbers.below(3), 5];
    let length = outputs + 1 + numbers.below(12);
    let (first, mut written) = (operands + outputs, Vec::new());
    let mut instructions: Vec<Instruction> = Vec::new();
    for i in 0..length {
        let function = functions[numbers.below(functions.len())];
        let readable: Vec<usize> = (0..operands).chain(written.iter().copied()).collect();
        // What comes just before is read more often than the rest.
        let mut argument = || match instructions.last() {
            Some(last) if numbers.below(2) == 0 => last.to,
            _ => readable[numbers.below(readable.len())] as u32,
        };
        let arguments = [argument(), argument(), argument()];
        let read = &arguments[..function.arity()];
        let to = match length - i {
            left if left <= outputs => operands + left - 1,
            _ => (first..first + registers)
                .cycle()
                .skip(numbers.below(registers))
                .find(|slot| !read.contains(&(*slot as u32)))
                .expect("fewer arguments than registers"),
        };
        if !written.contains(&to) {
            written.push(to);
        }
        instructions.push(Instruction { function, arguments, to: to as u32 });
    }
    Program { instructions, sizes: [operands, outputs, registers].map(|size| size as u32) }
}

/// All slots after the instructions, element by element.
fn one_by_one<E: Elementary>(program: &Program, operands: &[Vec<E>], count: usize) -> Vec<Vec<E>> {
    let slots = program.sizes.iter().fold(0, |sum, size| sum + size) as usize;
    let mut all = vec![vec![E::zero(); count]; slots];
    for at in 0..count {
        for (slot, operand) in all.iter_mut().zip(operands) {
            slot[at] = operand[at % operand.len()].clone();
        }
        for of in &program.instructions {
            let x = |number: usize| all[of.arguments[number] as usize][at].clone();
            let y = match of.function {
                Pointwise::Unary(op) => op.apply(&x(0)),
                Pointwise::Binary(op) => op.apply(&x(0), &x(1)),
                Pointwise::Select => {
                    if x(0).is_zero() {
                        x(2)
                    } else {
                        x(1)
                    }
                }
            };
            all[of.to as usize][at] = y;
        }
    }
    all
}

fn agrees<E: Native>(seed: u64, count: usize) {
    let mut numbers = Numbers(seed);
    let program = program(&mut numbers);
    let [operands, outputs, registers] = program.sizes.map(|size| size as usize);
    let values: Vec<Vec<E>> = (0..operands)
        .map(|_| {
            let splat = numbers.below(3) == 0;
            (0..if splat { 1 } else { count }).map(|_| numbers.element()).collect()
        })
        .collect();
    let expected = one_by_one(&program, &values, count);
    let strides = |values: &Vec<E>| if values.len() == count { [1] } else { [0] };
    let strides: Vec<[usize; 1]> = values.iter().map(strides).collect();
    let layouts: Vec<(&[usize], usize)> = strides.iter().map(|strides| (&strides[..], 0)).collect();
    let sum = Summed { from: program.instructions[0].to, output: 0 };
    let sums: &[Summed] = if seed.is_multiple_of(3) { &[sum] } else { &[] };
    let sizes = [outputs, registers];
    let chain = Chain::new::<E>(&[count], &layouts, sizes, &program.instructions, sums);
    assert!(chain.ops.iter().all(|op| matches!(op, Op::Folded(..))), "{:?}", program.instructions);
    for level in Level::all() {
        let mut written = vec![vec![E::from_f64(7.0); count]; outputs + chain.registers];
        let mut near = vec![vec![E::from_f64(9.0); NEAR / size_of::<E>()]; chain.near];
        let read = values.iter().map(|operand| Slot::Read(operand));
        let wrote = written.iter_mut().map(|slot| Slot::Write(slot));
        let mut slots: Vec<_> =
            read.chain(wrote).chain(near.iter_mut().map(|slot| Slot::Near(slot))).collect();
        fused_at(level, &mut ChainTask { count, ops: &chain.ops, slots: &mut slots });
        drop(slots);
        let mut pairs: Vec<_> = written[..outputs].iter().zip(&expected[operands..]).collect();
        if let [sum] = &chain.sums[..] {
            // The register is written again where the program does so: the last value counts.
            pairs.push((
                &written[sum.from as usize - operands],
                &expected[program.instructions[0].to as usize],
            ));
        }
        for (found, expected) in pairs {
            for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
                let bytes = |element: &E| {
                    let mut bytes = Vec::new();
                    element.write_bytes(&mut bytes);
                    bytes
                };
                let same = bytes(found) == bytes(expected) || found.is_nan() && expected.is_nan();
                assert!(
                    same,
                    "element {at} of {count}, seed {seed}, {level:?}: {found:?} is not {expected:?}\n{:?}\n{:?}",
                    program.instructions, chain.ops
                );
            }
        }
    }
}

#[test]
fn passes_have_the_bits_of_their_functions_one_by_one() {
    // Round the ends of registers, of groups, and of both.
    let counts = [2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 193, 200, 257];
    for seed in 0..600 {
        let count = counts[seed as usize % counts.len()];
        agrees::<f32>(seed, count);
        agrees::<f64>(seed, count);
    }
}

#[test]
fn what_only_the_next_function_reads_is_never_written() {
    use Binary::{Add, Mul, Sub};
    let of =
        |op, a, b, to| Instruction { function: Pointwise::Binary(op), arguments: [a, b, 0], to };
    // (x y + x)^2 - x, where slot 2 is the output.
    let instructions = [of(Mul, 0, 1, 3), of(Add, 3, 0, 4), of(Mul, 4, 4, 3), of(Sub, 3, 0, 2)];
    let slice: (&[usize], usize) = (&[1], 0);
    let chain = Chain::new::<f32>(&[40], &[slice, slice], [1, 2], &instructions, &[]);
    let stored: Vec<u32> = chain.ops.iter().filter_map(Op::writes).collect();
    assert_eq!((stored, chain.registers, chain.near), (vec![2], 0, 0));
    // Summed, the product is kept in a tile; read twice in one pass, near.
    let sum = Summed { from: 4, output: 0 };
    let chain = Chain::new::<f32>(&[40], &[slice, slice], [1, 2], &instructions, &[sum]);
    assert_eq!((chain.registers, chain.near, chain.sums[0].from), (1, 0, 3));
    let twice = [of(Mul, 0, 1, 3), of(Add, 3, 0, 4), of(Sub, 4, 3, 2)];
    let chain = Chain::new::<f32>(&[40], &[slice, slice], [1, 2], &twice, &[]);
    assert_eq!((chain.registers, chain.near), (0, 1));
    // A loop of its own reads a tile.
    let sine = Instruction { function: Pointwise::Unary(Unary::Sin), arguments: [4, 0, 0], to: 2 };
    assert!(!folds(sine.function));
    let apart = [of(Mul, 0, 1, 3), of(Add, 3, 0, 4), sine];
    let chain = Chain::new::<f32>(&[40], &[slice, slice], [1, 2], &apart, &[]);
    assert_eq!((chain.registers, chain.near), (1, 0));
}

#[test]
fn more_values_than_stay_near_have_tiles() {
    // As many sums, all of which are read again from the last to the first.
    for (count, near) in [(60, 59), (80, 0)] {
        let of = |a: u32, b: u32, to: u32| Instruction {
            function: Pointwise::Binary(Binary::Add),
            arguments: [a, b, 0],
            to,
        };
        let first = 2;
        let mut instructions = vec![of(0, 0, first)];
        instructions.extend((1..count).map(|i| of(first + i - 1, 0, first + i)));
        let last = first + count;
        instructions.push(of(last - 1, last - 2, last));
        instructions.extend((3..count).map(|i| of(last + (i + 1) % 2, last - i, last + i % 2)));
        instructions.push(of(last + (count - 1) % 2, first, 1));
        let slice: (&[usize], usize) = (&[1], 0);
        let sizes = [1, count as usize + 2];
        let chain = Chain::new::<f32>(&[5], &[slice], sizes, &instructions, &[]);
        assert_eq!(chain.near, near, "{count}");
        let program = Program { instructions, sizes: [1, 1, count + 2] };
        let x = vec![vec![0.5_f32, -1.0, 3.0, 0.0, 2.0]];
        let expected = one_by_one(&program, &x, 5);
        let mut written = vec![vec![7.0_f32; 5]; 1 + chain.registers];
        let mut rooms = vec![vec![9.0_f32; NEAR / 4]; chain.near];
        let read = x.iter().map(|operand| Slot::Read(operand));
        let wrote = written.iter_mut().map(|slot| Slot::Write(slot));
        let rooms = rooms.iter_mut().map(|slot| Slot::Near(slot));
        let mut slots: Vec<_> = read.chain(wrote).chain(rooms).collect();
        fused_at(Level::best(), &mut ChainTask { count: 5, ops: &chain.ops, slots: &mut slots });
        drop(slots);
        assert_eq!(written[0], expected[1]);
    }
}
