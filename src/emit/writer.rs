//! `Writer`: the body of a module, an operation a line, every one typed and placed.

use super::literal;
use super::types::{Kind, Type, Value, list};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// What is written so far.
pub(super) struct Writer {
    /// The type of the elements.
    pub(super) element: Kind,
    /// The location that lines carry from now on.
    place: String,
    /// Splats, each once, in front of all other lines.
    head: String,
    body: String,
    splats: BTreeMap<(Type, String), Value>,
    /// The truths behind numbers that are 0 or 1.
    truths: BTreeMap<String, Value>,
    temporaries: usize,
    /// Where the last line's operation begins.
    last: usize,
}

impl Writer {
    pub(super) fn new(element: Kind) -> Self {
        Self {
            element,
            place: String::new(),
            head: String::new(),
            body: String::new(),
            splats: BTreeMap::new(),
            truths: BTreeMap::new(),
            temporaries: 0,
            last: 0,
        }
    }

    pub(super) fn at(&mut self, place: String) {
        self.place = place;
    }

    pub(super) fn into_text(self) -> String {
        self.head + &self.body
    }

    /// A value by its name, which somebody else defines.
    pub(super) fn named(&self, name: &str, of: Type) -> Value {
        Value { name: name.into(), of }
    }

    /// Writes an operation with all its text but the location.
    pub(super) fn write(&mut self, of: Type, text: impl Display) -> Value {
        let name = format!("t{}", self.temporaries);
        self.temporaries += 1;
        self.last = self.body.len();
        let _ = writeln!(self.body, "    %{name} = {text} {}", self.place);
        self.named(&name, of)
    }

    /// Gives the value of the last line another name; any other value keeps its own.
    pub(super) fn rename(&mut self, value: Value, name: &str) -> Value {
        let old = format!("    %{} =", value.name);
        if !self.body[self.last..].starts_with(&old) {
            return value;
        }
        self.body.replace_range(self.last..self.last + old.len(), &format!("    %{name} ="));
        let renamed = self.named(name, value.of);
        if let Some(truth) = self.truths.remove(&*value.name) {
            self.truths.insert(name.to_string(), truth);
        }
        renamed
    }

    /// One number everywhere.
    pub(super) fn splat(&mut self, value: f64, kind: Kind, extents: &[usize]) -> Value {
        let of = Type::new(kind, extents);
        let text =
            if of.extents.contains(&0) { String::new() } else { literal::number(value, kind) };
        let key = (of, text);
        if let Some(found) = self.splats.get(&key) {
            return found.clone();
        }
        let (of, text) = key.clone();
        let value = self.named(&format!("c{}", self.splats.len()), of);
        let of = &value.of;
        let _ = writeln!(self.head, "    {value} = stablehlo.constant dense<{text}> : {of}");
        self.splats.insert(key, value.clone());
        value
    }

    /// The same as a line of its own, for whoever must not share it.
    pub(super) fn own_splat(&mut self, value: f64, kind: Kind, extents: &[usize]) -> Value {
        let of = Type::new(kind, extents);
        let text = format!("stablehlo.constant dense<{}> : {of}", literal::number(value, kind));
        self.write(of, text)
    }

    /// One number of the element everywhere.
    pub(super) fn full(&mut self, value: f64, extents: &[usize]) -> Value {
        self.splat(value, self.element, extents)
    }

    /// These numbers.
    pub(super) fn constant(&mut self, kind: Kind, extents: &[usize], numbers: &[f64]) -> Value {
        let of = Type::new(kind, extents);
        let texts: Vec<String> = numbers.iter().map(|&n| literal::number(n, kind)).collect();
        let text = if texts.is_empty() { String::new() } else { literal::nested(extents, &texts) };
        let text = format!("stablehlo.constant dense<{text}> : {of}");
        self.write(of, text)
    }

    pub(super) fn unary(&mut self, op: &str, x: &Value) -> Value {
        let text = format!("stablehlo.{op} {x} : {}", x.of);
        self.write(x.of.clone(), text)
    }

    pub(super) fn binary(&mut self, op: &str, a: &Value, b: &Value) -> Value {
        let text = format!("stablehlo.{op} {a}, {b} : {}", a.of);
        self.write(a.of.clone(), text)
    }

    pub(super) fn add(&mut self, a: &Value, b: &Value) -> Value {
        self.binary("add", a, b)
    }

    /// A sum of one term: never `-0`.
    ///
    /// BITS: chosen, not added. XLA takes a sum with `+0`, a reduction of one term and a product of depth 1
    /// for the term, and keeps its sign.
    pub(super) fn sum_of_one(&mut self, term: &Value) -> Value {
        let zero = self.full(0.0, term.extents());
        let none = self.compare("EQ", term, &zero);
        self.select(&none, &zero, term)
    }

    /// Whether a value is this number everywhere, as a splat says.
    pub(super) fn is_splat(&self, x: &Value, number: f64) -> bool {
        let key = (x.of.clone(), literal::number(number, x.of.kind));
        self.splats.get(&key).is_some_and(|splat| splat.name == x.name)
    }

    /// A truth where the relation `LT LE GT GE EQ NE` holds.
    pub(super) fn compare(&mut self, relation: &str, a: &Value, b: &Value) -> Value {
        let of = Type::new(Kind::Truth, a.extents());
        let order = a.of.kind.order();
        let text = format!(
            "stablehlo.compare {relation}, {a}, {b}, {order} : ({}, {}) -> {of}",
            a.of, b.of
        );
        self.write(of, text)
    }

    pub(super) fn select(&mut self, truth: &Value, on: &Value, off: &Value) -> Value {
        let text = format!("stablehlo.select {truth}, {on}, {off} : {}, {}", truth.of, on.of);
        self.write(on.of.clone(), text)
    }

    pub(super) fn convert(&mut self, x: &Value, kind: Kind) -> Value {
        let of = Type::new(kind, x.extents());
        let text = format!("stablehlo.convert {x} : ({}) -> {of}", x.of);
        self.write(of, text)
    }

    /// A truth as 0 or 1 of the element.
    ///
    /// BITS: chosen, not converted. XLA takes a product with a converted truth for a choice between the
    /// other factor and `+0`, which loses the sign of a zero and the NaN of an infinity times 0.
    pub(super) fn number_of(&mut self, truth: &Value) -> Value {
        let [one, zero] = [1.0, 0.0].map(|value| self.full(value, truth.extents()));
        let number = self.select(truth, &one, &zero);
        self.truths.insert(number.name.to_string(), truth.clone());
        number
    }

    /// Whether elements are not 0: NaN is not.
    pub(super) fn truth_of(&mut self, x: &Value) -> Value {
        if let Some(truth) = self.truths.get(&*x.name) {
            return truth.clone();
        }
        let zero = self.full(0.0, x.extents());
        self.compare("NE", x, &zero)
    }

    pub(super) fn reshape(&mut self, x: &Value, extents: &[usize]) -> Value {
        if x.extents() == extents {
            return x.clone();
        }
        let of = Type::new(x.of.kind, extents);
        let text = format!("stablehlo.reshape {x} : ({}) -> {of}", x.of);
        self.write(of, text)
    }

    pub(super) fn permute(&mut self, x: &Value, axes: &[usize]) -> Value {
        if axes.iter().enumerate().all(|(at, &axis)| at == axis) {
            return x.clone();
        }
        let extents: Vec<usize> = axes.iter().map(|&axis| x.extents()[axis]).collect();
        let of = Type::new(x.of.kind, &extents);
        let text = format!("stablehlo.transpose {x}, dims = [{}] : ({}) -> {of}", list(axes), x.of);
        self.write(of, text)
    }

    /// Some axes backwards.
    pub(super) fn reverse(&mut self, x: &Value, axes: &[usize]) -> Value {
        let text = format!("stablehlo.reverse {x}, dims = [{}] : {}", list(axes), x.of);
        self.write(x.of.clone(), text)
    }

    /// Axis `i` becomes axis `axes[i]` of `extents`.
    pub(super) fn broadcast(&mut self, x: &Value, extents: &[usize], axes: &[usize]) -> Value {
        if x.extents() == extents {
            return x.clone();
        }
        let of = Type::new(x.of.kind, extents);
        let text =
            format!("stablehlo.broadcast_in_dim {x}, dims = [{}] : ({}) -> {of}", list(axes), x.of);
        self.write(of, text)
    }

    /// Positions `start`, `start + stride`, .. below `limit` of one axis.
    pub(super) fn slice(&mut self, x: &Value, axis: usize, range: [usize; 3]) -> Value {
        let [start, limit, stride] = range;
        if [start, limit, stride] == [0, x.extents()[axis], 1] {
            return x.clone();
        }
        let mut extents = x.extents().to_vec();
        extents[axis] = (limit - start).div_ceil(stride);
        let of = Type::new(x.of.kind, &extents);
        let ranges = x.extents().iter().enumerate().map(|(at, &extent)| match at == axis {
            true if stride > 1 => format!("{start}:{limit}:{stride}"),
            true => format!("{start}:{limit}"),
            false => format!("0:{extent}"),
        });
        let ranges = ranges.collect::<Vec<_>>().join(", ");
        let text = format!("stablehlo.slice {x} [{ranges}] : ({}) -> {of}", x.of);
        self.write(of, text)
    }

    /// `low` and `high` positions of `value` round one axis, `interior` between neighbours.
    pub(super) fn pad(&mut self, x: &Value, axis: usize, by: [usize; 3], value: f64) -> Value {
        let [low, high, interior] = by;
        if by == [0; 3] {
            return x.clone();
        }
        let mut extents = x.extents().to_vec();
        extents[axis] += low + high + extents[axis].saturating_sub(1) * interior;
        let of = Type::new(x.of.kind, &extents);
        let filling = self.splat(value, x.of.kind, &[]);
        let along = |number: usize| {
            let mut all = vec![0; x.rank()];
            all[axis] = number;
            list(&all)
        };
        let text = format!(
            "stablehlo.pad {x}, {filling}, low = [{}], high = [{}], interior = [{}] : ({}, {}) -> {of}",
            along(low),
            along(high),
            along(interior),
            x.of,
            filling.of
        );
        self.write(of, text)
    }

    pub(super) fn concat(&mut self, parts: &[Value], axis: usize) -> Value {
        if let [one] = parts {
            return one.clone();
        }
        let mut extents = parts[0].extents().to_vec();
        extents[axis] = parts.iter().fold(0, |sum, part| sum + part.extents()[axis]);
        let of = Type::new(parts[0].of.kind, &extents);
        let names: Vec<String> = parts.iter().map(Value::to_string).collect();
        let types: Vec<String> = parts.iter().map(|part| part.of.to_string()).collect();
        let (names, types) = (names.join(", "), types.join(", "));
        let text = format!("stablehlo.concatenate {names}, dim = {axis} : ({types}) -> {of}");
        self.write(of, text)
    }

    /// The position along one axis.
    pub(super) fn iota(&mut self, kind: Kind, extents: &[usize], axis: usize) -> Value {
        let of = Type::new(kind, extents);
        let text = format!("stablehlo.iota dim = {axis} : {of}");
        self.write(of, text)
    }

    /// A reduction by `op` over `axes`, from `start`.
    pub(super) fn reduce(&mut self, op: &str, x: &Value, axes: &[usize], start: f64) -> Value {
        let kept = x.extents().iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        let extents: Vec<usize> = kept.map(|(_, &extent)| extent).collect();
        let of = Type::new(x.of.kind, &extents);
        let start = self.splat(start, x.of.kind, &[]);
        let text = format!(
            "stablehlo.reduce({x} init: {start}) applies stablehlo.{op} across dimensions = [{}] : ({}, {}) -> {of}",
            list(axes),
            x.of,
            start.of
        );
        self.write(of, text)
    }

    /// The arguments and the result of a region that computes `op` of two elements. `$` stands in no
    /// name outside of regions, which see those.
    pub(super) fn region(&self, op: &str) -> String {
        let of = Type::new(self.element, &[]);
        format!(
            "({{\n    ^bb0(%$a: {of}, %$b: {of}):\n      %$r = stablehlo.{op} %$a, %$b : {of}\n      \
             stablehlo.return %$r : {of}\n    }})"
        )
    }
}
