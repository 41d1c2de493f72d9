//! The in-process procedure with scopes, assumptions and cores.
//!
//! ```text
//!            assert / push / pop
//!               ┌────────┐
//!               ▼        │           check = Sat    ──► model()
//!   new ──► [ asserting ]┴─ check ──► check = Unsat  ──► core()
//!               ▲                    check = Unknown ──► ask again with more, or give up
//!               └──────── any of assert / push / pop / check ◄┘
//! ```
//!
//! Each scope has a selector bit; an assertion in a scope is guarded by it, a check assumes the selectors of
//! the open scopes, and closing a scope makes its selector false for good. Assertions are translated when
//! the next check needs them, under its budget.

use crate::gates::Lit;
use crate::procedure::{Found, Keeping, Procedure};
use crate::query::{IDENTITY, Outcome, verified};
use crate::{Answer, Limits, Reason, Statistics};
use std::sync::Arc;
use stet_base::FastMap;
use stet_term::{Model, Term, Terms};

/// Variables a closed scope may leave behind, besides as many as were there before it.
const REBUILD_ABOVE: usize = 2000;

struct Scope {
    selector: Lit,
    assertions: Vec<Term>,
    /// How many of the assertions are in the log.
    written: usize,
    /// Variables of the SAT solver when the scope was opened.
    variables: usize,
}

/// An incremental solver for quantifier-free bit-vectors and arrays.
pub struct BitSolver {
    terms: Arc<Terms>,
    procedure: Procedure,
    /// The first scope is always open and has the selector true.
    scopes: Vec<Scope>,
    model: Option<Model>,
    core: Vec<Term>,
    statistics: Statistics,
    verify_models: bool,
}

impl BitSolver {
    /// A solver without assertions. Debug builds verify every model by evaluation.
    pub fn new(terms: Arc<Terms>) -> Self {
        BitSolver {
            terms,
            procedure: Procedure::new(),
            scopes: vec![Scope {
                selector: Lit::TRUE,
                assertions: Vec::new(),
                written: 0,
                variables: 0,
            }],
            model: None,
            core: Vec::new(),
            statistics: Statistics::default(),
            verify_models: cfg!(debug_assertions),
        }
    }

    /// Verifies every model by evaluation; a wrong one becomes [`Reason::Failed`].
    pub fn verify_models(mut self) -> Self {
        self.verify_models = true;
        self
    }

    /// Hands a check to the second SAT solver after this many conflicts.
    pub fn easy_conflicts(mut self, conflicts: u64) -> Self {
        self.procedure.set_easy_conflicts(conflicts);
        self
    }

    /// Starts the SAT solvers again with the open scopes only: closed ones would still be searched.
    fn rebuild(&mut self) {
        self.procedure.start_afresh();
        for scope in &mut self.scopes {
            scope.written = 0;
            scope.variables = 0;
        }
    }

    fn forget_results(&mut self) {
        self.model = None;
        self.core.clear();
    }

    fn write_assertions(&mut self, limits: &Limits) -> Result<(), Reason> {
        for scope in &mut self.scopes {
            debug_assert!(
                scope.written <= scope.assertions.len(),
                "assertions are only added"
            );
            let guard = (scope.selector != Lit::TRUE).then_some(scope.selector);
            while let Some(&term) = scope.assertions.get(scope.written) {
                self.procedure
                    .assert(&self.terms, term, guard, &limits.budget)?;
                scope.written += 1;
            }
        }
        Ok(())
    }

    fn decide(&mut self, assumptions: &[Term], limits: &Limits) -> Result<Answer, Reason> {
        self.write_assertions(limits)?;
        let mut lits: Vec<Lit> = self
            .scopes
            .iter()
            .map(|scope| scope.selector)
            .filter(|&selector| selector != Lit::TRUE)
            .collect();
        debug_assert_eq!(
            lits.len() + 1,
            self.scopes.len(),
            "all scopes but the first have a selector"
        );
        let mut meaning: FastMap<Lit, Term> = FastMap::default();
        for &term in assumptions {
            let lit = self
                .procedure
                .blaster
                .literal(&self.terms, term, &limits.budget)?;
            if lit != Lit::TRUE {
                meaning.entry(lit).or_insert(term);
                lits.push(lit);
            }
        }
        let assertions = self.scopes.iter().flat_map(|scope| &scope.assertions);
        let roots: Vec<Term> = assertions.chain(assumptions).copied().collect();
        let found = self
            .procedure
            .solve(&self.terms, &lits, &roots, Keeping::Scopes, limits);
        Ok(match found {
            Found::Unknown(reason) => Answer::Unknown(reason),
            Found::Unsat(core) => {
                self.core = core
                    .iter()
                    .filter_map(|lit| meaning.get(lit))
                    .copied()
                    .collect();
                Answer::Unsat
            }
            Found::Sat(model) => {
                let outcome = match self.verify_models {
                    true => verified(&self.terms, &roots, model),
                    false => Outcome::Sat(model),
                };
                let answer = outcome.answer();
                if let Outcome::Sat(model) = outcome {
                    self.model = Some(model);
                }
                answer
            }
        })
    }
}

impl BitSolver {
    /// Name, version and options that influence answers.
    pub fn identity(&self) -> String {
        IDENTITY.to_owned()
    }

    /// Adds a Boolean term to the current scope.
    pub fn assert(&mut self, term: Term) {
        self.forget_results();
        if let Some(scope) = self.scopes.last_mut() {
            scope.assertions.push(term);
        }
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.forget_results();
        let selector = self.procedure.blaster.gates.input(0);
        self.scopes.push(Scope {
            selector,
            assertions: Vec::new(),
            written: 0,
            variables: self.procedure.variables(),
        });
    }

    /// Closes the innermost scope with its assertions; nothing if none is open.
    pub fn pop(&mut self) {
        self.forget_results();
        if self.scopes.len() > 1
            && let Some(scope) = self.scopes.pop()
        {
            self.procedure.log.push(&[!scope.selector]);
            let left_over = self.procedure.variables().saturating_sub(scope.variables);
            if left_over > scope.variables + REBUILD_ABOVE {
                self.rebuild();
            }
        }
    }

    /// Whether the assertions and assumptions (Boolean terms) have a model.
    pub fn check(&mut self, assumptions: &[Term], limits: &Limits) -> Answer {
        self.forget_results();
        let answer = match self.decide(assumptions, limits) {
            Ok(answer) => answer,
            Err(reason) => Answer::Unknown(reason),
        };
        debug_assert_eq!(
            self.model.is_some(),
            answer.is_sat(),
            "a model comes with `Sat` only"
        );
        debug_assert!(
            answer.is_unsat() || self.core.is_empty(),
            "a core comes with `Unsat` only"
        );
        self.statistics.count(&answer);
        answer
    }

    /// The model, right after `Sat`.
    pub fn model(&mut self) -> Option<Model> {
        self.model.clone()
    }

    /// Some of the assumptions that cannot hold together with the assertions, right after `Unsat`.
    pub fn core(&mut self) -> Vec<Term> {
        debug_assert!(
            self.model.is_none() || self.core.is_empty(),
            "an answer has one kind of evidence"
        );
        self.core.clone()
    }

    /// What was done so far.
    pub fn statistics(&self) -> Statistics {
        let counters = self.procedure.counters;
        Statistics {
            conflicts: counters.conflicts,
            fallbacks: counters.fallbacks,
            lemmas: counters.lemmas,
            ..self.statistics
        }
    }
}
