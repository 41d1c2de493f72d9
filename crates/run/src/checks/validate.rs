//! Validation of the assertions of a file, once it has been loaded.
//!
//! * an assertion on a predicate that does not exist;
//! * a property that is neither a type nor a predicate, also as the parameter of a type;
//! * a computational property that does not exist (an error) or that is not checked (a warning);
//! * a package that does not exist.
//!
//! Files may refer to each other in circles, so this waits for the end of the outermost load. An assertion with an
//! error is not checked: the error says so, and loading does not count as successful.

use super::comp::{self, Comp};
use super::runtime::{FileAssertions, SourceRange};
use crate::cell::Cell;
use crate::machine::Machine;
use crate::memory::Memory;
use std::sync::Arc;
use stet_prolog::assertions::{Assertion, AssertionKind, Status};
use stet_prolog::{Atom, Node, TermId, atom};

/// Something a loaded file got wrong, or that is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadProblem {
    /// The stable code.
    pub code: &'static str,
    /// Whether loading failed because of it; otherwise it is a warning.
    pub error: bool,
    /// What is wrong; one line.
    pub message: String,
    pub file: String,
    /// Where in it.
    pub place: Option<SourceRange>,
}

/// A file whose checks are installed and whose names are still to be looked up.
pub(crate) struct PendingFile {
    pub(crate) module: Atom,
    pub(crate) path: Arc<str>,
    pub(crate) text: Arc<str>,
    pub(crate) file: FileAssertions,
}

impl Memory {
    fn comp_problems(
        &self,
        assertion: &Assertion,
        shown: &str,
    ) -> Vec<(&'static str, bool, String)> {
        let test = matches!(assertion.kind, AssertionKind::Test | AssertionKind::Texec);
        let mut found = Vec::new();
        for &property in &assertion.comp {
            let Some((name, arity)) = assertion.terms.functor(property) else {
                continue;
            };
            let name = self.atoms.text(name);
            if let Some(wanted) = comp::wrong_argument(&self.atoms, assertion, property) {
                found.push((
                    "run/wrong-property",
                    true,
                    format!(
                        "computational property {name}/{arity} of {shown} needs {wanted}; the assertion is not checked"
                    ),
                ));
                continue;
            }
            match comp::known(name, arity) {
                Some(Comp::Checked | Comp::Trivial) => {}
                Some(Comp::TestOption) if test => {}
                Some(Comp::TestOption | Comp::Unchecked) => found.push((
                    "run/unchecked-property",
                    false,
                    format!("computational property {name}/{arity} of {shown} is not checked"),
                )),
                None => found.push((
                    "run/unknown-property",
                    true,
                    format!(
                        "computational property {name}/{arity} of {shown} does not exist; the assertion is not checked"
                    ),
                )),
            }
        }
        found
    }
}

impl Machine {
    /// What was wrong with the assertions of the files loaded so far.
    pub fn load_problems(&self) -> &[LoadProblem] {
        &self.checks.problems
    }

    /// How many errors loading has met, syntax errors included.
    pub fn load_errors(&self) -> u32 {
        self.loader.files.errors
    }

    /// Reports a problem, once.
    pub(crate) fn load_problem(&mut self, problem: LoadProblem) {
        if self.checks.problems.contains(&problem) {
            return;
        }
        let kind = if problem.error {
            self.loader.files.errors += 1;
            "ERROR"
        } else {
            self.loader.files.warnings += 1;
            "Warning"
        };
        if !self.checks.quiet {
            let line = problem
                .place
                .map_or(String::new(), |place| format!(":{}", place.lines.0));
            let text = format!("{kind}: {}{line}: {}\n", problem.file, problem.message);
            self.io.host.write_error(&text);
        }
        self.checks.problems.push(problem);
    }

    /// Looks up the names in the assertions of all files loaded since the outermost load began.
    pub(crate) fn validate_assertions(&mut self) {
        for mut pending in std::mem::take(&mut self.checks.pending) {
            let mut wrong: Vec<(Atom, usize)> = Vec::new();
            let mut kept = Vec::new();
            for assertion in std::mem::take(&mut pending.file.assertions) {
                if self.validate(&pending, &assertion) {
                    kept.push(assertion);
                } else {
                    wrong.push((assertion.name, assertion.head.len()));
                }
            }
            pending.file.assertions = kept;
            wrong.sort_unstable();
            wrong.dedup();
            wrong.retain(|_| !pending.file.unchecked);
            for key in wrong {
                self.retire_plan(pending.module, key);
                self.install(
                    pending.module,
                    key,
                    &pending.file,
                    &pending.path,
                    &pending.text,
                );
            }
        }
        self.apply_check_level();
    }

    /// Whether the assertion is fit to be checked.
    fn validate(&mut self, pending: &PendingFile, assertion: &Assertion) -> bool {
        let shown = format!(
            "{}/{}",
            self.mem.atoms.text(assertion.name),
            assertion.head.len()
        );
        let place = Some(super::install::range_of(&pending.text, assertion.place));
        let mut valid = true;
        let mut found: Vec<(&'static str, bool, String)> = Vec::new();
        let exempt = assertion.kind == AssertionKind::Decl || assertion.status == Status::Trust;
        if !exempt && !self.is_known(pending.module, assertion.name, assertion.head.len()) {
            let module = self.mem.atoms.text(pending.module);
            found.push((
                "run/unknown-predicate",
                true,
                format!("assertion on {shown}, which is not defined in module {module}"),
            ));
        }
        for dnf in [&assertion.compat, &assertion.calls, &assertion.success] {
            for &literal in dnf.iter().flatten() {
                if let Some(name) = self.unknown_property(pending.module, assertion, literal) {
                    found.push((
                        "run/unknown-property",
                        true,
                        format!(
                            "property {name} in the assertion on {shown} is not defined; the assertion is not checked"
                        ),
                    ));
                }
            }
        }
        found.extend(self.mem.comp_problems(assertion, &shown));
        for (code, error, message) in found {
            valid &= !error;
            self.load_problem(LoadProblem {
                code,
                error,
                message,
                file: pending.path.to_string(),
                place,
            });
        }
        valid
    }

    /// The indicator of a property in a literal that is neither a type nor a predicate.
    fn unknown_property(
        &self,
        module: Atom,
        assertion: &Assertion,
        literal: TermId,
    ) -> Option<String> {
        let terms = &assertion.terms;
        let (mut module, mut at) = (module, literal);
        while let Some((atom::COLON, 2)) = terms.functor(at) {
            let args = terms.args(at);
            module = terms
                .functor(args[0])
                .filter(|f| f.1 == 0)
                .map_or(module, |f| f.0);
            at = args[1];
        }
        let (name, arity) = terms.functor(at)?;
        if !self.is_property(module, name, arity) {
            return Some(format!("{}/{arity}", self.mem.atoms.text(name)));
        }
        if !self.is_parametric(module, name, arity) {
            return None;
        }
        terms
            .args(at)
            .iter()
            .find_map(|&argument| self.unknown_parameter(module, assertion, argument))
    }

    /// A parameter of a type that names no property: `itn` in `list(itn)`.
    fn unknown_parameter(
        &self,
        module: Atom,
        assertion: &Assertion,
        parameter: TermId,
    ) -> Option<String> {
        let terms = &assertion.terms;
        match terms.node(parameter) {
            Node::Atom(atom::NIL) => None,
            Node::Atom(_) | Node::Compound { .. } => {
                let (name, arity) = terms.functor(parameter)?;
                if name == atom::DOT || name == atom::COLON {
                    return None;
                }
                if !self.is_property(module, name, arity + 1) {
                    return Some(format!("{}/{}", self.mem.atoms.text(name), arity + 1));
                }
                terms
                    .args(parameter)
                    .iter()
                    .find_map(|&inner| self.unknown_parameter(module, assertion, inner))
            }
            _ => None,
        }
    }

    fn is_property(&self, module: Atom, name: Atom, arity: usize) -> bool {
        let is_type = match self.checks.modules.get(&module) {
            Some(types) => types.automata.is_type(&self.mem.atoms, name, arity),
            None => false,
        };
        is_type || self.is_known(module, name, arity)
    }

    /// Whether the arguments but the checked one are types.
    fn is_parametric(&self, module: Atom, name: Atom, arity: usize) -> bool {
        arity > 1
            && self
                .checks
                .modules
                .get(&module)
                .is_some_and(|types| types.automata.is_parametric(&self.mem.atoms, name, arity))
    }

    /// Whether a call of `name/arity` from `module` reaches a predicate, from a library that is not loaded yet too.
    pub(crate) fn is_known(&self, module: Atom, name: Atom, arity: usize) -> bool {
        let declared = |id| {
            let pred = self.program.db.pred(id);
            pred.multifile || pred.discontiguous
        };
        self.program.resolve(module, name, arity).is_some()
            || self
                .program
                .db
                .find(module, name, arity)
                .is_some_and(declared)
            || self
                .loader
                .files
                .library_index
                .contains_key(&Cell::functor(name, arity).0)
    }
}
