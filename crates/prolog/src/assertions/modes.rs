//! Modes in heads: `p(+X, -int, ?list(int), @Y)`, bare ones as in `p(-, ?)`, and those that `:- modedef` defines.
//!
//! | mode | meaning | with a property `T` |
//! |---|---|---|
//! | `+` | `: nonvar(X)` | `: T(X)` |
//! | `-` | `: var(X)` | `: var(X) => T(X)` |
//! | `?`, `*` | nothing | `:: T(X) => T(X)` |
//! | `@` | `+ not_further_inst(X)` | `: T(X) => T(X) + not_further_inst(X)` |
//! | `in` | `: gnd(X) => gnd(X)` | `: T(X) => T(X)` |
//! | `out` | `: var(X) => gnd(X)` | `: var(X) => T(X)` |
//! | `go` | `=> gnd(X)` | `=> T(X)` |
//!
//! After the package `basicmodes` (and no `isomodes` behind it) a property is about compatibility, and the mode says the
//! rest: `+T` is `:: T(X) : nonvar(X)`, `-T` is `:: T(X) : var(X)`, `in(T)` is `:: T(X) : gnd(X) => gnd(X)`.

use super::{Builder, Dnf, Parts, formula};
use crate::ast::{Clause, Node, Place, SyntaxError, TermId, Terms};
use crate::atoms::{Atom, AtomTable};
use stet_base::FastMap;

/// The modes in force: the built-in ones and those defined so far.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    defined: FastMap<(Atom, usize), Definition>,
    /// Properties in modes are those of the package `basicmodes`.
    basic: bool,
}

/// What a mode says about one argument.
#[derive(Debug)]
pub(crate) struct ModeParts {
    pub(crate) compat: Dnf,
    pub(crate) calls: Dnf,
    pub(crate) success: Dnf,
    pub(crate) comp: Vec<TermId>,
}

/// A `:- modedef m(A) :: C : P => S + K.`
#[derive(Clone, Debug)]
struct Definition {
    terms: Terms,
    argument: u32,
    property: Option<u32>,
    parts: Parts,
}

const BUILT_IN: &[&str] = &["+", "-", "?", "*", "@", "in", "out", "go"];

impl Modes {
    /// The built-in modes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file uses a package of modes.
    pub fn use_package(&mut self, name: &str) {
        match name {
            "basicmodes" => self.basic = true,
            "isomodes" => self.basic = false,
            _ => {}
        }
    }

    pub(crate) fn define(
        &mut self,
        clause: &Clause,
        parts: &Parts,
        atoms: &AtomTable,
    ) -> Result<(), SyntaxError> {
        let error = |id: TermId, message: &str| SyntaxError {
            message: message.to_string(),
            place: clause.terms.place(id),
        };
        let Some((name, arity @ 1..=2)) = clause.terms.functor(parts.head) else {
            return Err(error(parts.head, "a mode has one or two arguments"));
        };
        let mut vars = Vec::new();
        for &arg in clause.terms.args(parts.head) {
            match *clause.terms.node(arg) {
                Node::Var(var) => vars.push(var),
                _ => return Err(error(arg, "the arguments of a mode are variables")),
            }
        }
        debug_assert!(!atoms.text(name).is_empty() || arity > 0);
        let definition = Definition {
            terms: clause.terms.clone(),
            argument: vars[0],
            property: vars.get(1).copied(),
            parts: parts.clone(),
        };
        self.defined.insert((name, arity), definition);
        Ok(())
    }

    /// The variable and the meaning of the head's argument `arg`, which is no plain new variable.
    pub(crate) fn apply(
        &self,
        builder: &mut Builder<'_>,
        arg: TermId,
        place: Place,
    ) -> Result<(u32, ModeParts), SyntaxError> {
        let refuse = "an argument of the head is a distinct variable or a mode";
        let Some((name, arity @ 0..=2)) = builder.out.terms.functor(arg) else {
            return Err(SyntaxError {
                message: refuse.to_string(),
                place,
            });
        };
        let args = builder.out.terms.args(arg).to_vec();
        let (var, property) = mode_arguments(builder, &args);
        let with_property = usize::from(property.is_some());
        if let Some(definition) = self.defined.get(&(name, 1 + with_property)) {
            let parts = instantiate(builder, definition, var, property)?;
            return Ok((var, parts));
        }
        let text = builder.atoms.text(name).to_string();
        if !BUILT_IN.contains(&text.as_str()) || arity > 2 {
            let message = format!("`{text}` is no mode; {refuse}");
            return Err(SyntaxError { message, place });
        }
        // What `*` means is in neither package's hands.
        if let Some(property) = property.filter(|_| self.basic && text != "*") {
            let compat = builder.apply_property(property, var)?;
            let mut parts = built_in(builder, &text, var, None)?;
            parts.compat = vec![vec![compat]];
            return Ok((var, parts));
        }
        let parts = built_in(builder, &text, var, property)?;
        Ok((var, parts))
    }
}

/// `+X`, `+T`, `+(X,T)` and `+(T,X)`: the variable (invented if there is none) and the property.
fn mode_arguments(builder: &mut Builder<'_>, args: &[TermId]) -> (u32, Option<TermId>) {
    let mut var = None;
    let mut property = None;
    for &arg in args {
        match *builder.out.terms.node(arg) {
            Node::Var(index) if var.is_none() && !builder.out.head.contains(&index) => {
                var = Some(index);
            }
            _ => property = Some(arg),
        }
    }
    (var.unwrap_or_else(|| builder.fresh()), property)
}

fn built_in(
    builder: &mut Builder<'_>,
    mode: &str,
    var: u32,
    property: Option<TermId>,
) -> Result<ModeParts, SyntaxError> {
    let mut parts = ModeParts {
        compat: super::truth(),
        calls: super::truth(),
        success: super::truth(),
        comp: Vec::new(),
    };
    let typed = match property {
        Some(property) => Some(builder.apply_property(property, var)?),
        None => None,
    };
    match (mode, typed) {
        ("+", None) => parts.calls = simple(builder, "nonvar", var),
        ("+", Some(t)) => parts.calls = vec![vec![t]],
        ("-", None) => parts.calls = simple(builder, "var", var),
        ("-" | "out", Some(t)) => {
            parts.calls = simple(builder, "var", var);
            parts.success = vec![vec![t]];
        }
        ("?" | "*", Some(t)) => {
            parts.compat = vec![vec![t]];
            parts.success = vec![vec![t]];
        }
        ("@" | "in", Some(t)) => {
            parts.calls = vec![vec![t]];
            parts.success = vec![vec![t]];
        }
        ("in", None) => {
            parts.calls = simple(builder, "gnd", var);
            parts.success = simple(builder, "gnd", var);
        }
        ("out", None) => {
            parts.calls = simple(builder, "var", var);
            parts.success = simple(builder, "gnd", var);
        }
        ("go", None) => parts.success = simple(builder, "gnd", var),
        ("go", Some(t)) => parts.success = vec![vec![t]],
        _ => {}
    }
    if mode == "@" {
        let literal = simple(builder, "not_further_inst", var);
        parts.comp = literal[0].clone();
    }
    Ok(parts)
}

fn simple(builder: &mut Builder<'_>, name: &str, var: u32) -> Dnf {
    let name = builder.atoms.intern(name);
    let place = Place::default();
    let argument = builder.out.terms.add(Node::Var(var), place);
    vec![vec![builder.out.terms.compound(name, &[argument], place)]]
}

fn instantiate(
    builder: &mut Builder<'_>,
    definition: &Definition,
    var: u32,
    property: Option<TermId>,
) -> Result<ModeParts, SyntaxError> {
    let mut parts = ModeParts {
        compat: super::truth(),
        calls: super::truth(),
        success: super::truth(),
        comp: Vec::new(),
    };
    let slots = [
        (definition.parts.compat, 0),
        (definition.parts.calls, 1),
        (definition.parts.success, 2),
    ];
    for (part, slot) in slots {
        let Some(id) = part else { continue };
        let copied = copy(builder, definition, id, var, property)?;
        let condition = builder.condition(copied)?;
        let target = match slot {
            0 => &mut parts.compat,
            1 => &mut parts.calls,
            _ => &mut parts.success,
        };
        formula::conjoin(target, &condition);
    }
    if let Some(id) = definition.parts.comp {
        let copied = copy(builder, definition, id, var, property)?;
        parts.comp = super::comma_list(&builder.out.terms, copied);
    }
    Ok(parts)
}

/// Copies a term of the definition into the assertion; `call(X, A)` with the mode's property `X` is applied.
fn copy(
    builder: &mut Builder<'_>,
    definition: &Definition,
    id: TermId,
    var: u32,
    property: Option<TermId>,
) -> Result<TermId, SyntaxError> {
    let place = definition.terms.place(id);
    let node = definition.terms.node(id).clone();
    match node {
        Node::Var(index) if index == definition.argument => {
            Ok(builder.out.terms.add(Node::Var(var), place))
        }
        Node::Var(index) if Some(index) == definition.property => {
            Ok(property.expect("definitions with a property are used with one"))
        }
        Node::Var(_) => {
            let fresh = builder.fresh();
            Ok(builder.out.terms.add(Node::Var(fresh), place))
        }
        Node::Compound { name, .. } => {
            let args = definition.terms.args(id).to_vec();
            let applied = builder.atoms.text(name) == "call"
                && matches!(definition.terms.node(args[0]), Node::Var(v) if Some(*v) == definition.property);
            if applied && args.len() == 2 {
                let property = property.expect("definitions with a property are used with one");
                return builder.apply_property(property, var);
            }
            let mut copied = Vec::with_capacity(args.len());
            for arg in args {
                copied.push(copy(builder, definition, arg, var, property)?);
            }
            Ok(builder.out.terms.compound(name, &copied, place))
        }
        other => Ok(builder.out.terms.add(other, place)),
    }
}
