//! The walk over a schedule that writes the module.

use super::arguments::{ModuleArgument, ModuleResult, ModuleSource};
use super::error::EmitError;
use super::literal;
use super::module::EmittedModule;
use super::options::EmitForm;
use super::softmax::Member;
use super::text::{self, location};
use super::types::{Kind, Type, Value};
use super::writer::Writer;
use super::{index, movement, pointwise, product, reduce, softmax, window};
use crate::graph::Symbol;
use crate::graph::error::describe;
use crate::graph::node::Node;
use crate::kernel::call::{Call, Geometry};
use crate::kernel::task::WindowForm;
use crate::kernel::{Elementary, Lowering};
use crate::ops::lower::{Argument, Lowered};
use crate::payload::{Form, Shape, Stored, Tensorial};
use crate::plan::{Definition, Emittable, Id, Item, Schedule, summed_windows};
use std::collections::{BTreeMap, BTreeSet};

/// The module of what a plan computes.
pub(super) fn emit<P: Tensorial>(
    of: Emittable<'_, P>,
    form: EmitForm,
    constants: usize,
    donations: &[(Symbol, Symbol)],
) -> Result<EmittedModule<P>, EmitError> {
    let element = match P::Element::lowering() {
        Lowering::F32 if P::form() != Form::Opaque => Kind::F32,
        Lowering::F64 if P::form() != Form::Opaque => Kind::F64,
        _ => {
            let value =
                of.wanted.first().map(|&at| describe(at as usize, of.tape.node(at as usize)));
            let value = value.unwrap_or_else(|| "nothing".into());
            return Err(EmitError::Element { element: P::Element::NAME, value });
        }
    };
    let schedule = of.schedule(form == EmitForm::Raised);
    let sums = match form {
        EmitForm::Raised => summed_windows(&schedule),
        _ => BTreeMap::new(),
    };
    let walk = Walk {
        writer: Writer::new(element),
        values: vec![None; schedule.items.len()],
        rows: vec![None; schedule.items.len()],
        names: BTreeSet::new(),
        arguments: Vec::new(),
        exact: form == EmitForm::Exact,
        schedule,
        sums,
        constants,
        of,
    };
    walk.run(donations)
}

/// The largest extent: positions are `i32`.
const INDEX: usize = i32::MAX as usize;

struct Walk<'p, P: Tensorial> {
    of: Emittable<'p, P>,
    schedule: Schedule<P>,
    /// Sums over windows of images, raised: what they read, and how.
    sums: BTreeMap<Id, (Id, Geometry)>,
    exact: bool,
    constants: usize,
    writer: Writer,
    /// Each item's numbers, once somebody reads them.
    values: Vec<Option<Value>>,
    /// Each selection's row numbers.
    rows: Vec<Option<Value>>,
    names: BTreeSet<String>,
    arguments: Vec<ModuleArgument<P>>,
}

impl<P: Tensorial> Walk<'_, P> {
    fn run(mut self, donations: &[(Symbol, Symbol)]) -> Result<EmittedModule<P>, EmitError> {
        let needed = self.needed();
        for id in (0..self.schedule.items.len() as Id).filter(|&id| needed[id as usize]) {
            let item = self.schedule.item(id).clone();
            self.writer.at(location(self.node(&item)));
            match &item.definition {
                Definition::Operation(_, lowered) => {
                    let value = self.operation(id, &item, lowered).map_err(|reason| {
                        let value = describe(item.origin as usize, self.node(&item));
                        EmitError::Operation { value, reason }
                    })?;
                    if let Some(value) = value {
                        self.values[id as usize] = Some(self.own(&item, value));
                    }
                }
                _ => self.source(id, &item)?,
            }
        }
        self.finish(donations)
    }

    /// Which items are read, raised as they are: windows whose sums are raised nobody does.
    fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.schedule.items.len()];
        self.schedule.results.iter().for_each(|&id| needed[id as usize] = true);
        for id in (0..needed.len()).rev() {
            if !needed[id] {
                continue;
            }
            match self.sums.get(&(id as Id)) {
                Some((images, _)) => needed[*images as usize] = true,
                None => {
                    let operands = self.schedule.items[id].operands.iter();
                    operands.for_each(|&operand| needed[operand as usize] = true);
                }
            }
        }
        needed
    }

    fn node(&self, item: &Item<P>) -> &Node<P> {
        self.of.tape.node(item.origin as usize)
    }

    /// A name that no other value has: the label, else the number of the node.
    fn name(&mut self, item: &Item<P>) -> String {
        let number = item.origin.to_string();
        let wanted = match self.node(item).label() {
            Some(label) => literal::name(&label),
            None => number.clone(),
        };
        let taken = |name: &str| {
            let temporary = name.strip_prefix(['t', 'c']).is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
            });
            temporary || self.names.contains(name)
        };
        let mut name = wanted;
        if taken(&name) && name.starts_with(|c: char| c.is_ascii_digit()) {
            // Behind a number no point may stand.
            name.insert(0, '_');
        }
        // What is taken may be another's label just so.
        while taken(&name) {
            name = format!("{name}.{number}");
        }
        self.names.insert(name.clone());
        name
    }

    /// A result under its item's name, unless it is an operand as it is.
    fn own(&mut self, item: &Item<P>, value: Value) -> Value {
        // A kernel may leave out extents of 1 that its operation keeps.
        let value = self.writer.reshape(&value, item.shape.extents());
        let same =
            |&id: &Id| self.values[id as usize].as_ref().is_some_and(|x| x.name == value.name);
        if item.operands.iter().any(same) {
            return value;
        }
        let name = self.name(item);
        self.writer.rename(value, &name)
    }

    fn source(&mut self, id: Id, item: &Item<P>) -> Result<(), EmitError> {
        let stored = match &item.definition {
            Definition::Constant(payload) => Some(payload.stored()),
            _ => None,
        };
        let extents = item.shape.extents();
        let element = self.writer.element;
        match stored {
            Some(Stored::Constant(value)) => {
                self.values[id as usize] = Some(self.writer.full(value.to_f64(), extents));
                return Ok(());
            }
            Some(Stored::Selection(columns)) if columns.len() <= self.constants => {
                let rows: Vec<f64> = columns.iter().map(|&column| column as f64).collect();
                let rows = self.writer.constant(Kind::Index, &extents[..extents.len() - 1], &rows);
                let name = self.name(item);
                self.rows[id as usize] = Some(self.writer.rename(rows, &name));
                return Ok(());
            }
            Some(Stored::Dense(_) | Stored::Bfloat16(_)) if item.count() <= self.constants => {
                let Definition::Constant(payload) = &item.definition else { return Ok(()) };
                let mut numbers = Vec::with_capacity(item.count());
                payload.for_each(&mut |element| numbers.push(element.to_f64()));
                let value = self.writer.constant(element, extents, &numbers);
                let name = self.name(item);
                self.values[id as usize] = Some(self.writer.rename(value, &name));
                return Ok(());
            }
            _ => {}
        }
        let (source, selection) = match &item.definition {
            Definition::Parameter(_) => (ModuleSource::Parameter, false),
            Definition::Input(payload) => {
                (ModuleSource::Input(payload.clone()), payload.is_selection())
            }
            Definition::Constant(payload) => {
                (ModuleSource::Constant(payload.clone()), payload.is_selection())
            }
            Definition::Operation(..) => unreachable!("invariant: a source is no operation"),
        };
        let name = self.name(item);
        let (of, slot) = match selection {
            true => (Type::new(Kind::Index, &extents[..extents.len() - 1]), &mut self.rows),
            false => (Type::new(element, extents), &mut self.values),
        };
        let value = self.writer.named(&name, of);
        slot[id as usize] = Some(value.clone());
        self.arguments.push(ModuleArgument {
            name,
            node: item.origin as usize,
            source,
            element: value.of.kind.name(),
            shape: Shape::new(value.extents()),
        });
        Ok(())
    }

    /// The numbers of an item; a selection's are written when they are first read.
    fn value(&mut self, id: Id) -> Value {
        if let Some(value) = &self.values[id as usize] {
            return value.clone();
        }
        let rows = self.rows(id);
        let classes = *self.schedule.item(id).shape.last().expect("invariant: rows have columns");
        let value = index::one_hot(&mut self.writer, &rows, classes);
        self.values[id as usize] = Some(value.clone());
        value
    }

    /// The row numbers of a selection, under its own leading axes.
    fn rows(&mut self, id: Id) -> Value {
        let from = self.schedule.selected(id);
        let rows =
            self.rows[from as usize].clone().expect("invariant: a selection's source is one");
        let shape = self.schedule.item(id).shape.clone();
        self.writer.reshape(&rows, &shape.extents()[..shape.rank() - 1])
    }

    /// What an operation computes; nothing where it is a selection under another shape.
    fn operation(
        &mut self,
        id: Id,
        item: &Item<P>,
        lowered: &Lowered,
    ) -> Result<Option<Value>, String> {
        let extents = item.shape.extents();
        let is_rows = |id: Id| self.node(self.schedule.item(id)).selection;
        if matches!(lowered, Lowered::Reshape) && is_rows(id) {
            return Ok(None);
        }
        let empty = |id: &Id| self.schedule.item(*id).count() == 0;
        if item.count() == 0 {
            return Ok(Some(self.writer.full(0.0, extents)));
        }
        if let Some((images, geometry)) = self.sums.get(&id).cloned() {
            if empty(&images) {
                return Ok(Some(self.writer.full(0.0, extents)));
            }
            let images = self.value(images);
            return Ok(Some(window::pool(&mut self.writer, &geometry, &images, "add", 0.0)));
        }
        if let Lowered::Call(call) = lowered
            && item.operands.iter().any(empty)
        {
            return self.of_nothing(item, call).map(Some);
        }
        if let Some(&far) = extents.iter().chain(self.read_extents(item)).find(|&&n| n > INDEX) {
            return Err(format!("an extent of {far} is more than 32-bit row numbers can name"));
        }
        if let Lowered::Call(Call::FirstMax(axes)) = lowered {
            let along = axes.iter().map(|&axis| extents[axis]);
            let positions = along.fold(1, usize::saturating_mul);
            if positions > INDEX {
                return Err(format!("{positions} positions are more than 32-bit numbers can name"));
            }
        }
        let (operands, selection) = match lowered {
            Lowered::Call(Call::Gather | Call::Scatter { .. } | Call::RowUpdate) => {
                let (last, rest) = item.operands.split_last().expect("invariant: it has operands");
                (rest.to_vec(), Some(*last))
            }
            _ => (item.operands.to_vec(), None),
        };
        let x: Vec<Value> = operands.into_iter().map(|id| self.value(id)).collect();
        let rows = selection.map(|id| self.rows(id));
        let (w, exact) = (&mut self.writer, self.exact);
        Ok(Some(match lowered {
            Lowered::Pointwise(micros) => {
                let mut earlier: Vec<Value> = Vec::with_capacity(micros.len());
                for micro in micros {
                    let read = micro.arguments[..micro.function.arity()].iter();
                    let read: Vec<Value> = read
                        .map(|argument| match *argument {
                            Argument::Operand(position) => x[position].clone(),
                            Argument::Earlier(position) => earlier[position].clone(),
                        })
                        .collect();
                    earlier.push(pointwise::emit(w, micro.function, &read));
                }
                earlier.pop().expect("invariant: there is a function")
            }
            Lowered::View(how) => movement::view(w, how, &x[0], extents),
            Lowered::Reshape => w.reshape(&x[0], extents),
            Lowered::Number(bits) => w.full(f64::from_bits(*bits), extents),
            Lowered::Source => unreachable!("invariant: a source is no operation"),
            Lowered::Call(call) => match call {
                Call::Copy => x[0].clone(),
                Call::Product => product::emit(w, &x[0], &x[1], exact),
                Call::Sum(axes) => reduce::sum(w, &x[0], axes, exact),
                Call::Max(axes) => reduce::max(w, &x[0], axes),
                Call::FirstMax(axes) => reduce::first_max(w, &x[0], axes),
                Call::LogSumExp(axis) => softmax::emit(w, Member::LogSumExp, &x[0], *axis, exact),
                Call::LogSoftmax(axis) => softmax::emit(w, Member::LogSoftmax, &x[0], *axis, exact),
                Call::Softmax(axis) => softmax::emit(w, Member::Softmax, &x[0], *axis, exact),
                Call::Pad { axis, before, after, bits } => {
                    w.pad(&x[0], *axis, [*before, *after, 0], f64::from_bits(*bits))
                }
                Call::Concat(axis) => w.concat(&x, *axis),
                Call::Fold { axis, extent, step, dilation } => {
                    movement::fold(w, &x[0], *axis, [*extent, *step, *dilation])
                }
                Call::Gather | Call::Scatter { .. } | Call::RowUpdate => {
                    let rows = rows.expect("invariant: rows are chosen by a selection");
                    match call {
                        Call::Gather => index::gather(w, &x[0], &rows),
                        Call::Scatter { rows: count, .. } => {
                            index::scatter(w, &x[0], &rows, *count)
                        }
                        _ => index::row_update(w, &x[0], &x[1], &rows),
                    }
                }
                Call::Window { form, geometry } => window::emit(w, *form, geometry, &x),
            },
        }))
    }

    fn read_extents<'s>(&'s self, item: &'s Item<P>) -> impl Iterator<Item = &'s usize> {
        item.operands.iter().flat_map(|&id| self.schedule.item(id).shape.extents())
    }

    /// A result with elements of which an operand has none: what the sum, the maximum and the
    /// neighbours of nothing are.
    fn of_nothing(&mut self, item: &Item<P>, call: &Call) -> Result<Value, String> {
        let extents = item.shape.extents();
        Ok(match call {
            Call::Product | Call::Sum(_) | Call::Fold { .. } | Call::Scatter { .. } => {
                self.writer.full(0.0, extents)
            }
            Call::Window { form: WindowForm::MaxPool, .. } => {
                self.writer.full(f64::NEG_INFINITY, extents)
            }
            Call::Window { .. } => self.writer.full(0.0, extents),
            Call::Pad { bits, .. } => self.writer.full(f64::from_bits(*bits), extents),
            Call::Concat(axis) => {
                let some = |id: &&Id| self.schedule.item(**id).count() > 0;
                let some: Vec<Id> = item.operands.iter().filter(some).copied().collect();
                let parts: Vec<Value> = some.into_iter().map(|id| self.value(id)).collect();
                self.writer.concat(&parts, *axis)
            }
            Call::RowUpdate => self.value(item.operands[0]),
            _ => return Err(format!("`{}` of nothing has no elements", call.name())),
        })
    }

    fn finish(mut self, donations: &[(Symbol, Symbol)]) -> Result<EmittedModule<P>, EmitError> {
        let results = self.schedule.results.clone();
        let values: Vec<Value> = results.into_iter().map(|id| self.value(id)).collect();
        let names = self.of.result_names();
        let results: Vec<ModuleResult> = values
            .iter()
            .zip(&self.of.wanted)
            .zip(names)
            .map(|((value, &node), name)| ModuleResult {
                name,
                node: node as usize,
                element: value.of.kind.name(),
                shape: Shape::new(value.extents()),
            })
            .collect();
        let donated = self.donated(donations, &results)?;
        let body = std::mem::replace(&mut self.writer, Writer::new(Kind::F32)).into_text();
        let Self { of, arguments, .. } = self;
        let text = text::module(of.tape, &arguments, &donated, &values, &results, &body);
        Ok(EmittedModule { text, arguments, results, tape: of.tape.clone(), needed: of.needed })
    }

    /// Of each argument the result that may take its buffer.
    fn donated(
        &self,
        donations: &[(Symbol, Symbol)],
        results: &[ModuleResult],
    ) -> Result<Vec<Option<usize>>, EmitError> {
        let mut donated = vec![None; self.arguments.len()];
        for &(from, into) in donations {
            let position = |symbol| {
                let found = self.of.tape.position(symbol, "emit");
                found.map_err(|error| EmitError::Arguments(Box::new(error.into())))
            };
            let (from, into) = (position(from)?, position(into)?);
            let told = |at: usize| describe(at, self.of.tape.node(at));
            let values = format!("the buffer of {} for {}", told(from), told(into));
            let refused = |reason| Err(EmitError::Donation { values, reason });
            let argument = self.arguments.iter().position(|argument| argument.node == from);
            let result = results.iter().position(|result| result.node == into);
            let (Some(argument), Some(result)) = (argument, result) else {
                return refused("the first is no argument of the module, or the second no result");
            };
            if let ModuleSource::Constant(_) = self.arguments[argument].source {
                return refused("a constant is the same in every run, and cannot be given away");
            }
            if self.arguments[argument].shape != results[result].shape
                || self.arguments[argument].element != results[result].element
            {
                return refused("the two are not of one shape and element");
            }
            if donated[argument].is_some() || donated.contains(&Some(result)) {
                return refused("one of the two is given or taken already");
            }
            donated[argument] = Some(result);
        }
        Ok(donated)
    }
}
