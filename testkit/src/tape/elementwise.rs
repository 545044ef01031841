//! Element-wise operations and composites of random tapes.

use super::Builder;
use poorgrad::{Tensorial, Value};

impl<'n, P: Tensorial> Builder<'n, '_, '_, P> {
    /// In smooth tapes: the operand brought between 1/2 and 3/2 without a kink.
    pub(super) fn tame(&mut self, value: Value<'n, P>) -> Value<'n, P> {
        if !self.smooth() {
            return value;
        }
        value.sigmoid() + value.literal(0.5)
    }

    pub(super) fn unary(&mut self) {
        let x = self.pick();
        let choice = self.decisions.below(if self.smooth() { 13 } else { 16 });
        // Where the function is steep or ends, smooth tapes stay away from it.
        let x = if matches!(choice, 1..=4 | 12) { self.tame(x) } else { x };
        let y = match choice {
            0 => -x,
            1 => x.exp(),
            2 => x.ln(),
            3 => x.sqrt(),
            4 => x.exp_m1(),
            5 => x.tanh(),
            6 => x.sigmoid(),
            7 => x.sin(),
            8 => x.cos(),
            9 => x.erf(),
            10 => x.softplus(),
            11 => self.tame(x).ln_1p(),
            12 => x.powi(self.exponent()),
            13 => x.relu(),
            14 => x.abs(),
            _ => {
                let threshold = self.number();
                x.step(threshold)
            }
        };
        self.push(y);
    }

    fn exponent(&mut self) -> i32 {
        const MILD: [i32; 5] = [2, 3, -1, 1, -2];
        const ANY: [i32; 12] = [2, 3, -1, 1, 0, -2, 5, -3, 17, 64, i32::MAX, i32::MIN];
        if self.smooth() {
            MILD[self.decisions.below(MILD.len())]
        } else {
            ANY[self.decisions.below(ANY.len())]
        }
    }

    pub(super) fn binary(&mut self) {
        let a = self.pick();
        if self.decisions.one_in(4) {
            self.with_literal(a);
            return;
        }
        let b = if self.decisions.one_in(8) { a } else { self.partner(a) };
        let choice = self.decisions.below(if self.smooth() { 7 } else { 17 });
        let y = match choice {
            0 => a + b,
            1 => a * b,
            2 => a - b,
            3 => {
                let b = self.tame(b);
                a / b
            }
            4 => {
                let (a, b) = (self.tame(a), self.tame(b));
                a.powf(b)
            }
            5 => a.absorb(b),
            6 => {
                let b = self.tame(b);
                a.absorb_div(b)
            }
            7 => a.maximum(b),
            8 => a.minimum(b),
            9 => a.lt(b),
            10 => a.le(b),
            11 => a.gt(b),
            12 => a.ge(b),
            13 => a.eq(b),
            14 => a.ne(b),
            _ => {
                let condition = if self.decisions.one_in(2) { a } else { a.gt(b) };
                let other = self.partner(a);
                condition.select(b, other)
            }
        };
        self.push(y);
    }

    /// A literal on either side.
    fn with_literal(&mut self, a: Value<'n, P>) {
        let number = self.number();
        let literal = a.literal(number);
        let y = match self.decisions.below(6) {
            0 => a * literal,
            1 => literal + a,
            2 => literal - a,
            3 => a / literal,
            4 => {
                let a = self.tame(a);
                literal / a
            }
            _ => {
                let a = self.tame(a);
                a.powf(literal)
            }
        };
        self.push(y);
    }

    pub(super) fn composite(&mut self) {
        let x = self.pick();
        let y = match self.decisions.below(if self.smooth() { 6 } else { 8 }) {
            0 => x.silu(),
            1 => x.gelu(),
            2 => x.gelu_tanh(),
            3 => x.log_sigmoid(),
            4 => x.softplus(),
            5 => (x * x + x.literal(1.0)).sqrt(),
            6 => {
                let (low, high) = (self.number(), self.number());
                x.clamp(low, high)
            }
            _ => {
                let (low, high) = (self.number(), self.number());
                let inside = x.gt(x.literal(low)) * x.lt(x.literal(high));
                inside.select(x, x.literal(high))
            }
        };
        self.push(y);
    }
}
