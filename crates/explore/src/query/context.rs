//! Shared state of the layers: terms, addresses, the solver, and facts about single terms and sets that are kept for the whole run.

use super::address::AddressView;
use super::canon::{CanonicalQuery, Canonizer};
use super::chain::Config;
use super::concretize::Concretizer;
use super::form::Parts;
use super::layer::LayerCount;
use super::memos::Memos;
use super::verdict::Verdict;
use super::witness::{Evaluation, Witness};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use stet_base::{Budget, FastMap, Stopwatch};
use stet_solve::{Limits, Outcome, Solver, Values, is_among};
use stet_term::{Op, Sym, Term, Terms};

/// The shared part of a chain.
pub(super) struct Context {
    pub(super) terms: Rc<Terms>,
    pub(super) view: Rc<dyn AddressView>,
    pub(super) solver: Box<dyn Solver>,
    /// Verdicts of this run by sorted set of constraints: the base cache answers from them, and narrowing looks whether what
    /// it left is among them.
    pub(super) verdicts: FastMap<Box<[Term]>, Verdict>,
    /// Queries that reached the solver.
    pub(super) solved: LayerCount,
    /// How the judgement whether queries depend on the layout went.
    pub(super) judged: Judged,
    pub(super) unknown_reason: Option<String>,
    solver_time: Option<Duration>,
    pub(super) budget: Budget,
    concretizer: Concretizer,
    canonizer: Canonizer,
    symbols: FastMap<Term, Arc<[Sym]>>,
    memos: Memos,
    /// What constraints over one small symbol allow.
    allowed: FastMap<Term, Option<(Sym, Values)>>,
}

/// Counts of judgements, see `judge`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Judged {
    /// Unsatisfiable queries found to be the same under every layout.
    pub(super) agnostic: u64,
    /// Unsatisfiable queries found to depend on the layout.
    pub(super) layout_dependent: u64,
    /// Cached witnesses that did not hold under the present layout.
    pub(super) uncertified: u64,
    /// How often the independent part of a layout-dependent query was solved alone, and how often it was unsatisfiable.
    pub(super) looks: u64,
    pub(super) found_closer: u64,
    pub(super) time: Duration,
}

impl Context {
    pub(super) fn new(
        terms: Rc<Terms>,
        view: Rc<dyn AddressView>,
        solver: Box<dyn Solver>,
        config: &Config,
        budget: Budget,
    ) -> Self {
        Context {
            terms,
            view,
            solver,
            verdicts: FastMap::default(),
            solved: LayerCount::default(),
            judged: Judged::default(),
            unknown_reason: None,
            solver_time: config.solver_time,
            budget,
            concretizer: Concretizer::default(),
            canonizer: Canonizer::new(config.naming),
            symbols: FastMap::default(),
            memos: Memos::default(),
            allowed: FastMap::default(),
        }
    }

    /// The symbols of a term that are not base addresses, sorted.
    pub(super) fn program_symbols(&mut self, term: Term) -> Arc<[Sym]> {
        if let Some(symbols) = self.symbols.get(&term) {
            return symbols.clone();
        }
        let all = self.terms.free_symbols(term);
        let own = all.iter().filter(|&&symbol| {
            let mark = self.terms.symbol_info(symbol).mark;
            mark & super::address::ADDRESS_MARK == 0
        });
        let symbols: Arc<[Sym]> = own.copied().collect();
        debug_assert!(
            symbols.windows(2).all(|pair| pair[0] < pair[1]),
            "the symbols of a term are sorted"
        );
        self.symbols.insert(term, symbols.clone());
        symbols
    }

    /// The symbol of a constraint over one small symbol, and its values under which the constraint holds, with the concrete
    /// addresses.
    pub(super) fn allowed_by(&mut self, constraint: Term) -> Option<(Sym, Values)> {
        if let Some(known) = self.allowed.get(&constraint) {
            return *known;
        }
        let symbols = self.program_symbols(constraint);
        let allowed = match symbols[..] {
            [symbol] => {
                let concrete = self
                    .concretizer
                    .concrete(&self.terms, &*self.view, constraint);
                let values = self.solver.allowed(&self.terms, concrete, symbol);
                values.map(|values| (symbol, values))
            }
            _ => None,
        };
        debug_assert!(
            allowed.is_none_or(|(symbol, _)| *symbols == [symbol]),
            "values are those of the constraint's only symbol"
        );
        self.allowed.insert(constraint, allowed);
        allowed
    }

    /// The numbers that a term over one small symbol is for these values of it, with the concrete addresses.
    pub(super) fn few_values(
        &mut self,
        term: Term,
        symbol: Sym,
        values: &Values,
    ) -> Option<Vec<u64>> {
        let concrete = self.concretizer.concrete(&self.terms, &*self.view, term);
        self.solver
            .few_values(&self.terms, concrete, symbol, values, 256)
    }

    /// The canonical key of a query; nothing if it has none.
    pub(super) fn key_of(&mut self, parts: &Parts) -> Option<CanonicalQuery> {
        let (required, domains) = (&parts.required, &parts.domains);
        self.canonizer
            .query(&self.terms, &*self.view, required, domains)
    }

    /// Whether all constraints are true under a witness and the present layout. The newest come first: a witness of an earlier
    /// query satisfies the others more often.
    pub(super) fn holds(&mut self, witness: &Arc<Witness>, set: &[Term]) -> bool {
        let newest_first = set.iter().rev().copied();
        self.evaluated(witness, |evaluation| evaluation.satisfies(newest_first))
    }

    /// The value of an expression under a witness and the present layout.
    pub(super) fn value(&mut self, witness: &Arc<Witness>, expression: Term) -> Option<u128> {
        self.evaluated(witness, |evaluation| evaluation.value(expression))
    }

    /// Evaluates with what is known of the witness already.
    fn evaluated<R>(
        &mut self,
        witness: &Arc<Witness>,
        evaluate: impl FnOnce(&mut Evaluation<'_>) -> R,
    ) -> R {
        let memo = self.memos.take(witness);
        let mut evaluation = Evaluation::resumed(&self.terms, &*self.view, witness, memo);
        let result = evaluate(&mut evaluation);
        let memo = evaluation.into_memo();
        self.memos.put_back(witness, memo);
        result
    }

    /// The constraints that a symbol has one of some values.
    pub(super) fn membership(&self, symbol: Sym, values: &Values) -> Vec<Term> {
        let sort = self.terms.symbol_info(symbol).sort;
        let Some(width) = sort.bv_width() else {
            return Vec::new(); // fewer constraints are satisfiable more often
        };
        debug_assert!(width <= 8, "values are enumerated for bytes only");
        let term = self.terms.intern(Op::Symbol(symbol), &[], sort);
        (0..1u64 << width.min(8))
            .filter(|&value| !is_among(values, value))
            .map(|value| {
                let constant = self.terms.bv(width, value);
                self.terms.not(self.terms.eq(term, constant))
            })
            .collect()
    }

    /// Asks the solver, with concrete addresses.
    pub(super) fn solve(&mut self, set: &[Term]) -> Verdict {
        let watch = Stopwatch::start();
        let verdict = self.solve_uncounted(set);
        let is_decided = !matches!(verdict, Verdict::Unknown);
        self.solved.add(is_decided, watch.elapsed());
        verdict
    }

    /// As [`solve`](Self::solve), for answers that are only compared.
    pub(super) fn solve_uncounted(&mut self, set: &[Term]) -> Verdict {
        let mut concrete: Vec<Term> = set
            .iter()
            .map(|&term| self.concretizer.concrete(&self.terms, &*self.view, term))
            .filter(|&term| term != Term::TRUE)
            .collect();
        concrete.sort_unstable();
        concrete.dedup();
        if concrete.contains(&Term::FALSE) {
            return Verdict::Unsat;
        }
        debug_assert!(
            concrete
                .iter()
                .all(|&term| !super::address::mentions_address(&self.terms, term)),
            "the solver is asked with concrete addresses"
        );
        let limits = match self.solver_time {
            Some(time) => Limits::of_budget(&self.budget.limited_to(time)),
            None => Limits::of_budget(&self.budget),
        };
        match self.solver.check(&self.terms, &concrete, &limits) {
            Outcome::Unsat => Verdict::Unsat,
            Outcome::Sat(model) => match Witness::of_model(&model) {
                Some(witness) => Verdict::Sat(Arc::new(witness)),
                None => self.unknown("the model has values of unknown sorts".to_owned()),
            },
            Outcome::Unknown(reason) => self.unknown(reason.to_string()),
        }
    }

    fn unknown(&mut self, reason: String) -> Verdict {
        self.unknown_reason = Some(reason);
        Verdict::Unknown
    }
}
