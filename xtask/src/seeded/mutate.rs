//! Mutants: small changes that a program makes of code, where a test has to notice each.
//!
//! Left alone is what no run reaches with a choice in it (constants, patterns, types, attributes), what a macro
//! is given, tests, and how values are shown.

use std::ops::Range;

use syn::{
    Attribute, BinOp, Block, Expr, ImplItemFn, Item, ItemFn, ItemImpl, Lit, Pat, ReturnType,
    Signature, Stmt, Type,
    spanned::Spanned,
    visit::{self, Visit},
};

use crate::run::Outcome;

/// A change: the bytes of an expression, or of whole statements, and what is put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub place: Range<usize>,
    pub to: String,
}

/// All mutants of a file, in the order of their places.
pub fn mutants(text: &str) -> Outcome<Vec<Mutant>> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut mutator = Mutator { text, mutants: Vec::new() };
    mutator.visit_file(&file);
    let mut mutants = mutator.mutants;
    mutants.sort_by_key(|mutant| (mutant.place.start, mutant.place.end));
    Ok(mutants)
}

struct Mutator<'a> {
    text: &'a str,
    mutants: Vec<Mutant>,
}

impl Mutator<'_> {
    fn add(&mut self, of: &impl Spanned, to: impl Into<String>) {
        self.mutants.push(Mutant { place: of.span().byte_range(), to: to.into() });
    }

    fn text(&self, of: &impl Spanned) -> &str {
        &self.text[of.span().byte_range()]
    }

    /// What a function returns, said without computing it.
    fn body(&mut self, signature: &Signature, block: &Block) {
        // A single expression that is such a value is a mutant of nothing.
        let defaults: &[&str] = match &signature.output {
            ReturnType::Default => &[""],
            ReturnType::Type(_, of) => match named(of).as_deref() {
                Some("bool") => &["true", "false"],
                Some("usize") => &["0", "1"],
                Some("Option") => &["None"],
                Some("Vec") => &["Vec::new()"],
                _ => &[],
            },
        };
        let braces = block.brace_token.span;
        let place = braces.open().byte_range().end..braces.close().byte_range().start;
        let body = self.text[place.clone()].trim();
        for to in defaults.iter().filter(|to| **to != body) {
            self.mutants.push(Mutant { place: place.clone(), to: (*to).to_owned() });
        }
    }

    fn binary(&mut self, whole: &Expr, left: &Expr, op: &BinOp, right: &Expr) {
        let logical = matches!(op, BinOp::And(_) | BinOp::Or(_));
        if let Some(other) = exchanged(op)
            && !(logical && (binds(left) || binds(right)))
        {
            let (left, right) = (self.text(left), self.text(right));
            let assigns = other.ends_with('=') && !["<=", ">=", "==", "!="].contains(&other);
            let to = match assigns {
                true => format!("{left} {other} {right}"),
                false => format!("({left}) {other} ({right})"),
            };
            self.add(whole, to);
        }
    }
}

impl<'ast> Visit<'ast> for Mutator<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Binary(binary) => {
                self.binary(expression, &binary.left, &binary.op, &binary.right);
            }
            Expr::Lit(literal) => {
                if let Lit::Bool(value) = &literal.lit {
                    self.add(expression, (!value.value).to_string());
                }
            }
            Expr::If(branch) if !binds(&branch.cond) => {
                let to = format!("!({})", self.text(&branch.cond));
                self.add(&*branch.cond, to);
            }
            Expr::Range(range) => {
                // Of a whole, or from nothing on, there is nothing to be off by one from.
                let to = match (&range.start, &range.end) {
                    (Some(start), _) => Some((&**start, format!("({}) + 1", self.text(&**start)))),
                    (None, Some(end)) => Some((&**end, format!("({}) - 1", self.text(&**end)))),
                    (None, None) => None,
                };
                if let Some((of, to)) = to {
                    self.add(of, to);
                }
            }
            // Lengths and what must be known when compiled.
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement
            && matches!(expression, Expr::Call(_) | Expr::MethodCall(_))
        {
            self.add(statement, "");
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(item) if tests_alone(&item.attrs) => {}
            Item::Fn(_) | Item::Impl(_) | Item::Mod(_) | Item::Trait(_) => {
                visit::visit_item(self, item);
            }
            _ => {}
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if item.sig.constness.is_none() && !tests_alone(&item.attrs) {
            self.body(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if item.sig.constness.is_none() && !tests_alone(&item.attrs) {
            self.body(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        let shows = of.is_some_and(|of| of.ident == "Display" || of.ident == "Debug");
        if !shows && !tests_alone(&item.attrs) {
            item.items.iter().for_each(|item| self.visit_impl_item(item));
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_signature(&mut self, _: &'ast Signature) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
}

/// The operator that stands in the place of another.
fn exchanged(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "+",
        BinOp::Div(_) => "*",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "+=",
        BinOp::DivAssign(_) => "*=",
        _ => return None,
    })
}

/// Whether a condition binds names: only as it stands does it.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        Expr::Paren(inner) => binds(&inner.expr),
        _ => false,
    }
}

/// The last name of a type's path.
fn named(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Whether something is there for tests, or one itself.
fn tests_alone(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Vec<String> {
        let mutants = mutants(text).unwrap();
        let shown = |mutant: &Mutant| format!("{} -> {}", &text[mutant.place.clone()], mutant.to);
        mutants.iter().map(shown).collect()
    }

    #[test]
    fn each_kind_has_its_change() {
        let text =
            "fn ö() -> u8 { if a < b && c == 1 { x.push(2); y += 1; } for i in 0..n {} z[..m] }";
        let expected = [
            "a < b -> (a) <= (b)",
            "a < b && c == 1 -> !(a < b && c == 1)",
            "a < b && c == 1 -> (a < b) || (c == 1)",
            "c == 1 -> (c) != (1)",
            "x.push(2); -> ",
            "y += 1 -> y -= 1",
            "0 -> (0) + 1",
            "m -> (m) - 1",
        ];
        let mut found = changes(text);
        found.sort();
        let mut expected = expected.map(str::to_owned).to_vec();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn bodies_say_what_they_return() {
        assert_eq!(changes("fn f() -> bool { g() }"), [" g()  -> true", " g()  -> false"]);
        assert_eq!(changes("impl A { fn f() -> Option<u8> { None } }"), Vec::<String>::new());
        assert_eq!(changes("fn f() { g() }"), [" g()  -> "]);
    }

    #[test]
    fn what_no_run_reaches_is_left_alone() {
        for text in [
            "const A: usize = 1 + 2; static B: bool = true;",
            "const fn f() -> bool { a < b }",
            "#[cfg(test)] mod tests { fn f() -> bool { a < b } }",
            "#[test] fn f() { g(); }",
            "impl fmt::Display for A { fn fmt(&self) -> bool { a < b } }",
            "fn f() -> u8 { assert!(a < b); let x: [u8; 1 + 1] = [0; 2 + 2]; A::<{ 1 + 1 }>(x) }",
            "fn f() -> u8 { match a { 0..5 => 1, _ => 2 } }",
            "fn f() -> u8 { if let Some(x) = a && x {} }",
            "#[a(1 < 2)] fn f() -> u8 { 1 }",
        ] {
            assert_eq!(changes(text), Vec::<String>::new(), "{text}");
        }
        // A part that binds no name.
        assert_eq!(
            changes("fn f() -> u8 { if let Some(x) = a && x < 1 {} }"),
            ["x < 1 -> (x) <= (1)"]
        );
    }
}
