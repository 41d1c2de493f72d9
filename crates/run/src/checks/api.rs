//! The interface to run-time checks: settings, statistics, violations, the transformed program, tests.

use super::cache::CacheConfig;
use super::runtime::{CheckLevel, Installed, SourceRange, Violation, ViolationAction};
use super::stats::Stats;
use crate::cell::Cell;
use crate::machine::Machine;

/// The settings of run-time checks.
#[derive(Clone, Copy, Debug)]
pub struct CheckSettings {
    /// Which predicates are checked.
    pub level: CheckLevel,
    /// What a violation does.
    pub action: ViolationAction,
    pub cache: CacheConfig,
    /// Recompute every answer and compare.
    pub verify: bool,
    /// Do not write messages; the host takes [`Machine::violations`].
    pub quiet: bool,
    /// Count visits and hits per assertion, which takes a little longer.
    pub detailed: bool,
    /// Keep the text of the transformed program.
    pub print: bool,
    /// Prove conditions when files are loaded, and leave proved ones out.
    pub analyse: bool,
    /// Do not run initialization goals: the files are only looked at.
    pub load_only: bool,
}

impl CheckSettings {
    /// All checks, reported, with the standard cache.
    pub const STANDARD: CheckSettings = CheckSettings {
        level: CheckLevel::All,
        action: ViolationAction::Report,
        cache: CacheConfig::STANDARD,
        verify: false,
        quiet: false,
        detailed: false,
        print: false,
        analyse: false,
        load_only: false,
    };
}

/// The counters of one predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateStats {
    /// `module:name/arity`.
    pub predicate: String,
    /// Calls checked on entry.
    pub entries: u64,
    pub exits: u64,
    pub violations: u64,
    /// The counters by assertion, in the order of the file.
    pub assertions: Vec<AssertionStats>,
}

/// The counters of one assertion. A property that several assertions share is evaluated once and counts for each;
/// all but violations only with [`CheckSettings::detailed`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionStats {
    pub file: String,
    /// Where it is.
    pub place: SourceRange,
    pub checks: u64,
    /// Compound terms looked at.
    pub visits: u64,
    /// Of these, known from before.
    pub hits: u64,
    /// The deepest term looked at.
    pub max_depth: u64,
    pub violations: u64,
}

impl Machine {
    /// Changes the settings; predicates are switched at once.
    pub fn set_checks(&mut self, settings: &CheckSettings) {
        self.checks.level = settings.level;
        self.checks.action = settings.action;
        self.checks.verify = settings.verify;
        self.checks.quiet = settings.quiet;
        self.checks.detailed = settings.detailed;
        self.checks.print = settings.print.then(String::new);
        self.checks.analyse = settings.analyse;
        self.checks.load_only = settings.load_only;
        self.checks.cache.configure(settings.cache);
        self.apply_check_level();
    }

    /// The counters of all checks.
    pub fn check_stats(&self) -> Stats {
        self.checks.cache.stats
    }

    /// Bytes the cache holds.
    pub fn check_cache_bytes(&self) -> usize {
        self.checks.cache.bytes()
    }

    /// The counters by predicate, in the order of their definition.
    pub fn predicate_stats(&self) -> Vec<PredicateStats> {
        self.checks
            .plans
            .iter()
            .enumerate()
            .filter(|(_, installed)| installed.variant_of.is_none() && !installed.retired)
            .map(|(index, installed)| {
                let mut stats = PredicateStats {
                    predicate: format!(
                        "{}:{}/{}",
                        self.mem.atoms.text(installed.module),
                        installed.plan.name,
                        installed.plan.arity
                    ),
                    entries: installed.counters.entries,
                    exits: installed.counters.exits,
                    violations: installed.counters.violations,
                    assertions: assertion_stats(installed),
                };
                let variants = self.checks.plans.iter();
                for part in variants.filter(|plan| plan.variant_of == Some(index)) {
                    stats.entries += part.counters.entries;
                    stats.exits += part.counters.exits;
                    stats.violations += part.counters.violations;
                    for (total, more) in stats.assertions.iter_mut().zip(&part.violations) {
                        total.violations += more;
                    }
                }
                stats
            })
            .collect()
    }

    /// The largest size the heap had when something was checked, in bytes.
    pub fn peak_heap_bytes(&self) -> usize {
        self.checks.peak.max(self.mem.h) * 8
    }

    /// How many violations were counted beyond those of [`Machine::violations`].
    pub fn more_violations(&self) -> u64 {
        self.checks.more_violations
    }

    /// The violations reported so far; there is an end to how many are kept.
    pub fn violations(&self) -> &[Violation] {
        &self.checks.violations
    }

    /// The transformed text of the files loaded since [`CheckSettings::print`] was set.
    pub fn transformed_program(&self) -> &str {
        self.checks.print.as_deref().unwrap_or_default()
    }

    /// Whether the term is in the type a literal names, for tests of the types themselves.
    pub fn in_type(&mut self, module: &str, literal: Cell) -> Option<bool> {
        let module = self.mem.atoms.intern(module);
        let (subject, state) = self.literal_state(module, literal)?;
        Some(self.term_in_type(subject, state))
    }
}

fn assertion_stats(installed: &Installed) -> Vec<AssertionStats> {
    let mut found = Vec::new();
    for (index, mentioned) in installed.plan.mentioned.iter().enumerate() {
        let mut stats = AssertionStats {
            file: installed.files[index].to_string(),
            place: installed.places[index],
            checks: 0,
            visits: 0,
            hits: 0,
            max_depth: 0,
            violations: installed.violations[index],
        };
        for (formula, counters) in mentioned.iter().zip(&installed.prop_counters) {
            let mut props: Vec<usize> = formula.iter().flatten().copied().collect();
            props.sort_unstable();
            props.dedup();
            for prop in props {
                let counted = &counters[prop];
                stats.checks += counted.checks;
                stats.visits += counted.visits;
                stats.hits += counted.hits;
                stats.max_depth = stats.max_depth.max(counted.max_depth);
            }
        }
        found.push(stats);
    }
    found
}
