//! The text of a module round its body.

use super::arguments::{ModuleArgument, ModuleResult};
use super::literal;
use super::types::Value;
use crate::graph::node::Node;
use crate::graph::tape::Tape;
use crate::payload::{Shape, Tensorial};
use std::fmt::Write;

/// The manifest as comments, then the module: `donated` says which result may take an argument's
/// buffer.
pub(super) fn module<P: Tensorial>(
    tape: &Tape<P>,
    arguments: &[ModuleArgument<P>],
    donated: &[Option<usize>],
    values: &[Value],
    results: &[ModuleResult],
    body: &str,
) -> String {
    let mut text = String::new();
    for (number, argument) in arguments.iter().enumerate() {
        let _ = writeln!(text, "// argument {number} {argument}");
    }
    for (number, result) in results.iter().enumerate() {
        let _ = writeln!(text, "// result {number} {result}");
    }
    let typed = |kind: &str, shape: &Shape| {
        let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
        format!("tensor<{extents}{kind}>")
    };
    let arguments = arguments.iter().zip(donated).map(|(argument, donated)| {
        let place = location(tape.node(argument.node));
        let of = typed(argument.element, &argument.shape);
        let given = donated.map(|result| format!(" {{tf.aliasing_output = {result} : i32}}"));
        format!("\n    %{}: {of}{} {place}", argument.name, given.unwrap_or_default())
    });
    let arguments = arguments.collect::<Vec<_>>().join(",");
    let outcomes = results.iter().map(|result| {
        let name = literal::quoted(&result.name);
        let of = typed(result.element, &result.shape);
        format!("\n    {of} {{jax.result_info = {name}}}")
    });
    let outcomes = outcomes.collect::<Vec<_>>().join(",");
    let names: Vec<String> = values.iter().map(Value::to_string).collect();
    let types: Vec<String> = values.iter().map(|value| value.of.to_string()).collect();
    let (names, types) = (names.join(", "), types.join(", "));
    let returned = if values.is_empty() { String::new() } else { format!(" {names} : {types}") };
    let _ = write!(
        text,
        "module @poorgrad {{\n  func.func public @main({arguments}) -> ({outcomes}) {{\n{body}    \
         return{returned}\n  }}\n}}\n"
    );
    text
}

/// Where a node was recorded, and its label.
pub(super) fn location<P>(node: &Node<P>) -> String {
    let (file, line, column) = node.location.parts();
    let place = format!("{}:{line}:{column}", literal::quoted(file));
    match node.label() {
        Some(label) => format!("loc({}({place}))", literal::quoted(&label)),
        None => format!("loc({place})"),
    }
}
