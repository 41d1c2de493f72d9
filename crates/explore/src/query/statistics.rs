//! Statistics of the query chain: the classes of [AAQC Table II], the queries that reached the solver [AAQC Table III],
//! cache sizes [AAQC Table V], and time per layer.

use super::layer::{By, LayerCount};
use std::time::Duration;

/// A count for each layer before the solver.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub(super) base: LayerCount,
    pub(super) narrowing: LayerCount,
    pub(super) aware: LayerCount,
    pub(super) counterexample: LayerCount,
    pub(super) store: LayerCount,
}

impl Counts {
    /// The count of a layer; the solver counts itself.
    pub(super) fn of(&mut self, by: By) -> Option<&mut LayerCount> {
        match by {
            By::Base => Some(&mut self.base),
            By::Narrowing => Some(&mut self.narrowing),
            By::Aware => Some(&mut self.aware),
            By::Counterexample => Some(&mut self.counterexample),
            By::Store => Some(&mut self.store),
            By::Solver => None,
        }
    }
}

/// What the chain counted.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// All queries: branches, values, models.
    pub total: u64,
    /// C1: satisfiability and validity queries, which pass through the query cache.
    pub passed_to_cache: u64,
    /// C2: those of C1 that the program asks.
    pub of_program: u64,
    /// C3: those of C2 that mention a base address.
    pub address_dependent: u64,
    /// Queries for values and models.
    pub model_queries: u64,
    /// Conditions decided without a query: constants and constraints already on the path.
    pub trivial: u64,
    /// Conditions decided by the possible values of one byte.
    pub by_values: u64,
    /// Sides of branches decided by the path's witness.
    pub by_witness: u64,
    /// The base cache.
    pub base: LayerCount,
    /// The address-aware cache.
    pub aware: LayerCount,
    /// The counter-example cache.
    pub counterexample: LayerCount,
    /// Simplification under the possible values of the path's bytes.
    pub narrowed: LayerCount,
    pub store: LayerCount,
    /// The solver: `asked` queries reached it, `answered` is how many it decided.
    pub solver: LayerCount,
    /// Of those, queries over few bytes, decided by enumeration.
    pub enumerated: u64,
    /// Address-aware hits whose witness did not hold under the present layout; they count as misses.
    pub uncertified: u64,
    /// Unsatisfiable queries found to depend on the layout.
    pub layout_dependent: u64,
    /// Unsatisfiable address-dependent queries found to be address-agnostic.
    pub agnostic: u64,
    /// Time deciding whether queries are address-agnostic.
    pub agnostic_time: Duration,
    /// Entries in the base cache.
    pub base_entries: u64,
    /// Entries in the address-aware cache.
    pub aware_entries: u64,
    /// Hits that were solved again, with `--validate-cache`.
    pub validated: u64,
    /// Hits that turned out to be wrong: an internal error.
    pub mismatches: u64,
}

impl Statistics {
    /// Queries that reached the solver [AAQC Table III].
    pub fn solver_queries(&self) -> u64 {
        self.solver.asked
    }

    /// Adds what another chain counted. Entries of caches are added, too: each chain has its own.
    pub fn add(&mut self, other: &Statistics) {
        let numbers = [
            (&mut self.total, other.total),
            (&mut self.passed_to_cache, other.passed_to_cache),
            (&mut self.of_program, other.of_program),
            (&mut self.address_dependent, other.address_dependent),
            (&mut self.model_queries, other.model_queries),
            (&mut self.trivial, other.trivial),
            (&mut self.by_values, other.by_values),
            (&mut self.by_witness, other.by_witness),
            (&mut self.enumerated, other.enumerated),
            (&mut self.uncertified, other.uncertified),
            (&mut self.layout_dependent, other.layout_dependent),
            (&mut self.agnostic, other.agnostic),
            (&mut self.base_entries, other.base_entries),
            (&mut self.aware_entries, other.aware_entries),
            (&mut self.validated, other.validated),
            (&mut self.mismatches, other.mismatches),
        ];
        numbers.into_iter().for_each(|(sum, more)| *sum += more);
        self.agnostic_time += other.agnostic_time;
        let layers = [
            (&mut self.base, other.base),
            (&mut self.aware, other.aware),
            (&mut self.counterexample, other.counterexample),
            (&mut self.narrowed, other.narrowed),
            (&mut self.store, other.store),
            (&mut self.solver, other.solver),
        ];
        layers.into_iter().for_each(|(sum, more)| sum.merge(more));
    }

    /// Names and numbers for tables and JSON, in a fixed order.
    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("queries", self.total),
            ("c1", self.passed_to_cache),
            ("c2", self.of_program),
            ("c3", self.address_dependent),
            ("model-queries", self.model_queries),
            ("trivial", self.trivial),
            ("by-values", self.by_values),
            ("by-witness", self.by_witness),
            ("base-hits", self.base.answered),
            ("aware-hits", self.aware.answered),
            ("cex-hits", self.counterexample.answered),
            ("narrowed", self.narrowed.answered),
            ("store-hits", self.store.answered),
            ("solver-queries", self.solver.asked),
            ("enumerated", self.enumerated),
            ("solver-unknown", self.solver.asked - self.solver.answered),
            ("uncertified", self.uncertified),
            ("layout-dependent", self.layout_dependent),
            ("agnostic", self.agnostic),
            ("base-entries", self.base_entries),
            ("aware-entries", self.aware_entries),
            ("validated", self.validated),
            ("mismatches", self.mismatches),
        ]
    }

    /// Names and times per layer, in a fixed order.
    pub fn times(&self) -> Vec<(&'static str, Duration)> {
        vec![
            ("base", self.base.time),
            ("aware", self.aware.time),
            ("cex", self.counterexample.time),
            ("narrowing", self.narrowed.time),
            ("store", self.store.time),
            ("agnostic", self.agnostic_time),
            ("solver", self.solver.time),
        ]
    }
}
