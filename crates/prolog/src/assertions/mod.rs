//! The assertion language of Ciao: directives in, normalised conditions and diagnostics out.
//!
//! [`parse_assertion`] reads one directive such as `:- pred p(X,Y) : (int(X), var(Y)) => int(Y) + det.` into an
//! [`Assertion`]: the head with one variable per argument, and each part in disjunctive normal form over
//! property literals ([RTC §2]). Star form, modes and arity form (`p/2`) are gone after this step. [`regtypes`]
//! turns definitions of regular types into tree automata.
//!
//! **Invariant:** all literals live in the assertion's own [`Terms`]; nothing refers to the text but places.

mod formula;
mod modes;
mod operators;
pub mod regtypes;

#[cfg(test)]
mod tests;

use crate::ast::{Clause, Node, Place, SyntaxError, TermId, Terms};
use crate::atoms::{Atom, AtomTable, atom};

pub use modes::Modes;
pub use operators::{add_assertion_operators, remove_assertion_operators};

/// What an assertion says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssertionKind {
    /// Calls, success and computation together.
    Pred,
    /// The admissible calls.
    Calls,
    /// What holds on success.
    Success,
    /// A property of the whole computation.
    Comp,
    /// The calls from outside the module.
    Entry,
    /// What holds on exit to outside the module.
    Exit,
    /// A property that may be used in assertions.
    Prop,
    /// A property that is a regular type.
    Regtype,
    /// A test case: precondition, goal, postcondition.
    Test,
    /// A call to be tried: a test without a postcondition.
    Texec,
    /// Documents a declaration; says nothing about a predicate.
    Decl,
}

/// How far an assertion is to be believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// To be checked (the default).
    Check,
    /// To be believed.
    Trust,
    True,
    Checked,
    /// Known to be violated.
    False,
}

/// A disjunction of conjunctions of literals; `vec![vec![]]` is true.
pub type Dnf = Vec<Vec<TermId>>;

/// One normalised assertion.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// What it says.
    pub kind: AssertionKind,
    /// How far it is believed.
    pub status: Status,
    /// The predicate's name.
    pub name: Atom,
    /// The variable standing for each argument; they are distinct.
    pub head: Vec<u32>,
    /// Compatibility (`::`).
    pub compat: Dnf,
    /// Precondition (`:`).
    pub calls: Dnf,
    /// Postcondition (`=>`).
    pub success: Dnf,
    /// Computational properties (`+`).
    pub comp: Vec<TermId>,
    /// The comment (`#`).
    pub text: Option<String>,
    pub terms: Terms,
    /// Names of the variables; empty for invented ones.
    pub variables: Vec<String>,
    /// Where the directive stands.
    pub place: Place,
}

/// The condition that always holds.
pub fn truth() -> Dnf {
    vec![Vec::new()]
}

/// Whether a condition holds whatever the arguments are.
pub fn is_trivial(condition: &Dnf) -> bool {
    condition.iter().any(Vec::is_empty)
}

/// Reads the directive `clause`. `None`: it is no assertion. A mode definition goes into `modes`.
pub fn parse_assertion(
    clause: &Clause,
    atoms: &mut AtomTable,
    modes: &mut Modes,
) -> Option<Result<Vec<Assertion>, SyntaxError>> {
    let body = directive(clause)?;
    let (status, kind, rest) = keyword(clause, body, atoms)?;
    let parts = Parts::split(&clause.terms, rest, atoms);
    if kind == Keyword::Modedef {
        return Some(modes.define(clause, &parts, atoms).map(|()| Vec::new()));
    }
    let Keyword::Assertion(kind) = kind else {
        return None;
    };
    let mut found = Vec::new();
    // `:- regtype a/1, b/1.` declares both.
    for head in comma_list(&clause.terms, parts.head) {
        let one = Parts {
            head,
            ..parts.clone()
        };
        match Builder::new(clause, kind, status, atoms, modes).build(&one) {
            Ok(assertion) => found.push(assertion),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(found))
}

/// The parts of an assertion as written.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) head: TermId,
    pub(crate) compat: Option<TermId>,
    pub(crate) calls: Option<TermId>,
    pub(crate) success: Option<TermId>,
    pub(crate) comp: Option<TermId>,
    pub(crate) text: Option<TermId>,
    /// A part that occurs twice.
    pub(crate) repeated: Option<TermId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Assertion(AssertionKind),
    Modedef,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Compat,
    Calls,
    Success,
    Comp,
    Text,
}

impl Parts {
    /// Splits at `::`, `:`, `=>`, `+`, `#` in the order written, however the operators' priorities nest them.
    fn split(terms: &Terms, root: TermId, atoms: &AtomTable) -> Parts {
        let mut sequence: Vec<(Option<Mark>, TermId)> = Vec::new();
        let mut stack = vec![(None, root)];
        while let Some((mark, id)) = stack.pop() {
            match infix_mark(terms, id, atoms) {
                Some((inner, left, right)) => {
                    stack.push((Some(inner), right));
                    stack.push((mark, left));
                }
                None => sequence.push((mark, id)),
            }
        }
        let mut parts = Parts {
            head: sequence[0].1,
            compat: None,
            calls: None,
            success: None,
            comp: None,
            text: None,
            repeated: None,
        };
        for &(mark, id) in &sequence[1..] {
            let slot = match mark {
                Some(Mark::Compat) => &mut parts.compat,
                Some(Mark::Calls) => &mut parts.calls,
                Some(Mark::Success) => &mut parts.success,
                Some(Mark::Comp) => &mut parts.comp,
                _ => &mut parts.text,
            };
            if slot.replace(id).is_some() {
                parts.repeated = Some(id);
            }
        }
        parts
    }
}

fn infix_mark(terms: &Terms, id: TermId, atoms: &AtomTable) -> Option<(Mark, TermId, TermId)> {
    let (name, 2) = terms.functor(id)? else {
        return None;
    };
    let mark = match atoms.text(name) {
        "::" => Mark::Compat,
        ":" => Mark::Calls,
        "=>" => Mark::Success,
        "+" => Mark::Comp,
        "#" => Mark::Text,
        _ => return None,
    };
    let args = terms.args(id);
    Some((mark, args[0], args[1]))
}

fn directive(clause: &Clause) -> Option<TermId> {
    match clause.terms.functor(clause.root)? {
        (atom::NECK, 1) => Some(clause.terms.args(clause.root)[0]),
        _ => None,
    }
}

/// `pred P`, `check pred P` (infix) or `pred(P)`.
fn keyword(clause: &Clause, body: TermId, atoms: &AtomTable) -> Option<(Status, Keyword, TermId)> {
    let (name, arity) = clause.terms.functor(body)?;
    let kind = match atoms.text(name) {
        "pred" => Keyword::Assertion(AssertionKind::Pred),
        "calls" => Keyword::Assertion(AssertionKind::Calls),
        "success" => Keyword::Assertion(AssertionKind::Success),
        "comp" => Keyword::Assertion(AssertionKind::Comp),
        "entry" => Keyword::Assertion(AssertionKind::Entry),
        "exit" => Keyword::Assertion(AssertionKind::Exit),
        "prop" => Keyword::Assertion(AssertionKind::Prop),
        "regtype" => Keyword::Assertion(AssertionKind::Regtype),
        "test" => Keyword::Assertion(AssertionKind::Test),
        "texec" => Keyword::Assertion(AssertionKind::Texec),
        "decl" => Keyword::Assertion(AssertionKind::Decl),
        "modedef" => Keyword::Modedef,
        _ => return None,
    };
    let args = clause.terms.args(body);
    match arity {
        1 => Some((Status::Check, kind, args[0])),
        2 => {
            let (status, 0) = clause.terms.functor(args[0])? else {
                return None;
            };
            let status = match atoms.text(status) {
                "check" => Status::Check,
                "trust" => Status::Trust,
                "true" => Status::True,
                "checked" => Status::Checked,
                "false" => Status::False,
                _ => return None,
            };
            Some((status, kind, args[1]))
        }
        _ => None,
    }
}

/// The elements of `A, B, C` or `[A, B, C]`, or the term itself.
fn comma_list(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match terms.functor(id) {
            Some((atom::COMMA | atom::DOT, 2)) => {
                stack.push(terms.args(id)[1]);
                stack.push(terms.args(id)[0]);
            }
            Some((atom::NIL, 0)) => {}
            _ => found.push(id),
        }
    }
    found
}

/// Builds one assertion.
pub(crate) struct Builder<'a> {
    pub(crate) atoms: &'a mut AtomTable,
    modes: &'a Modes,
    pub(crate) out: Assertion,
}

impl<'a> Builder<'a> {
    fn new(
        clause: &Clause,
        kind: AssertionKind,
        status: Status,
        atoms: &'a mut AtomTable,
        modes: &'a Modes,
    ) -> Self {
        let out = Assertion {
            kind,
            status,
            name: atom::NIL,
            head: Vec::new(),
            compat: truth(),
            calls: truth(),
            success: truth(),
            comp: Vec::new(),
            text: None,
            terms: clause.terms.clone(),
            variables: clause.variables.iter().map(|v| v.name.clone()).collect(),
            place: clause.place,
        };
        Builder { atoms, modes, out }
    }

    fn build(mut self, parts: &Parts) -> Result<Assertion, SyntaxError> {
        if let Some(id) = parts.repeated {
            return Err(self.error(id, "this part of the assertion is given twice"));
        }
        let mode_parts = self.head(parts.head)?;
        if let Some(id) = parts.compat {
            self.out.compat = self.condition(id)?;
        }
        if let Some(id) = parts.calls {
            self.out.calls = self.condition(id)?;
        }
        if let Some(id) = parts.success {
            self.out.success = self.condition(id)?;
        }
        for part in mode_parts {
            formula::conjoin(&mut self.out.compat, &part.compat);
            formula::conjoin(&mut self.out.calls, &part.calls);
            formula::conjoin(&mut self.out.success, &part.success);
            self.out.comp.extend(part.comp);
        }
        if let Some(id) = parts.comp {
            self.comp(id)?;
        }
        if let Some(id) = parts.text {
            self.out.text = Some(self.text(id)?);
        }
        Ok(self.out)
    }

    /// The head: `p(X,Y)`, modes in it, or `p/2`.
    fn head(&mut self, id: TermId) -> Result<Vec<modes::ModeParts>, SyntaxError> {
        let Some((name, arity)) = self.out.terms.functor(id) else {
            return Err(self.error(id, "the head of an assertion is an atom or a compound term"));
        };
        if name == atom::SLASH && arity == 2 {
            return self.arity_head(id).map(|()| Vec::new());
        }
        self.out.name = name;
        let args: Vec<TermId> = self.out.terms.args(id).to_vec();
        let mut parts = Vec::new();
        for arg in args {
            let place = self.out.terms.place(arg);
            if let Node::Var(var) = *self.out.terms.node(arg)
                && !self.out.head.contains(&var)
            {
                self.out.head.push(var);
                continue;
            }
            let modes = self.modes;
            let (var, part) = modes.apply(self, arg, place)?;
            self.out.head.push(var);
            parts.push(part);
        }
        Ok(parts)
    }

    fn arity_head(&mut self, id: TermId) -> Result<(), SyntaxError> {
        let args = self.out.terms.args(id).to_vec();
        let (Some((name, 0)), Node::Int(arity @ 0..=255)) = (
            self.out.terms.functor(args[0]),
            self.out.terms.node(args[1]).clone(),
        ) else {
            return Err(self.error(id, "expected a predicate indicator Name/Arity"));
        };
        self.out.name = name;
        for _ in 0..arity {
            let var = self.fresh();
            self.out.head.push(var);
        }
        Ok(())
    }

    fn comp(&mut self, id: TermId) -> Result<(), SyntaxError> {
        for item in comma_list(&self.out.terms, id) {
            if self.out.terms.functor(item).is_none() {
                return Err(self.error(
                    item,
                    "a computational property is an atom or a compound term",
                ));
            }
            self.out.comp.push(item);
        }
        Ok(())
    }

    fn text(&mut self, id: TermId) -> Result<String, SyntaxError> {
        match self.out.terms.node(id) {
            Node::Str(text) => Ok(text.to_string()),
            Node::Atom(name) if *name != atom::NIL => Ok(self.atoms.text(*name).to_string()),
            _ => {
                // A code list, or a formatted comment such as `# ["text ", X]`: keep what is text.
                let mut text = String::new();
                for item in comma_list(&self.out.terms, id) {
                    if let Node::Int(code) = self.out.terms.node(item)
                        && let Some(c) = u32::try_from(*code).ok().and_then(char::from_u32)
                    {
                        text.push(c);
                    }
                }
                Ok(text)
            }
        }
    }

    /// A new variable without a name.
    pub(crate) fn fresh(&mut self) -> u32 {
        self.out.variables.push(String::new());
        self.out.variables.len() as u32 - 1
    }

    pub(crate) fn error(&self, id: TermId, message: &str) -> SyntaxError {
        SyntaxError {
            message: message.to_string(),
            place: self.out.terms.place(id),
        }
    }
}
