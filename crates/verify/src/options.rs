//! Options of a verification run.

use std::time::Duration;
use stet_base::Span;
use stet_key::Encoder;
use stet_solve::pipe::ProverConfig;

/// How much is reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Caching {
    Off,
    /// Verdicts of unaffected implementations [FGC §3].
    Basic,
    /// Verdicts of unaffected checks too [FGC §4].
    Fine,
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Errors reported per implementation; 0 for all.
    pub error_limit: usize,
    /// Time per implementation.
    pub time_limit: Option<Duration>,
    /// Z3 resources per implementation; 0 for no limit.
    pub resource_limit: u64,
    /// Z3 resources for what an edit left open in an implementation; if they do not suffice, everything in it is asked,
    /// because one check on its own can be harder than all together. 0 for no limit.
    pub edit_effort: u64,
    /// Whether later commands rely on checks: 0 never, 1 not on quantified ones, 2 always.
    pub subsumption: u8,
    /// Cut the checks of an implementation into this many questions.
    pub max_splits: usize,
    /// One question per check.
    pub split_on_every_assert: bool,
    /// Look for unreachable code in what was verified.
    pub smoke: bool,
    /// Infer intervals of integer variables at loop heads.
    pub infer_intervals: bool,
    /// Unroll loops this often instead of cutting them.
    pub loop_unroll: Option<u32>,
    /// With [`loop_unroll`](Self::loop_unroll): check that no further iteration is possible.
    pub sound_unrolling: bool,
    /// Report implementations with irreducible flow graphs, as Boogie does, instead of verifying them.
    pub refuse_irreducible: bool,
    /// Merge chains of blocks.
    pub coalesce_blocks: bool,
    /// Inline calls of procedures with `{:inline n}`.
    pub inline_calls: bool,
    /// Formulas list the branches of a block in the order of the program, as Boogie's `/vc:block` does; this decides which
    /// of several errors is found first.
    pub branches_in_order: bool,
    /// Maps as SMT arrays.
    pub arrays: bool,
    /// In programs with polymorphism, values do not carry their types: proves wrong things, as Boogie's
    /// `/typeEncoding:n` does.
    pub erase_types: bool,
    /// Verify only procedures whose names match one of these patterns (`*` matches anything); empty for all.
    pub procedures: Vec<String>,
    /// Verify only the implementations of this part, of so many, counted from 1; `None` for all.
    pub shard: Option<(u32, u32)>,
    pub jobs: usize,
    /// Places that somebody looks at: among equally urgent implementations those come first.
    pub visible: Vec<Span>,
    /// Count the resources of the prover, which costs it one more question each.
    pub count_resources: bool,
    /// How much is reused.
    pub caching: Caching,
    /// Recompute every reused verdict and compare (law 6).
    pub check_cache: bool,
    /// Report every failing path of a check, not one.
    pub every_path: bool,
    /// Keep a model with every error; errors are then never reused.
    pub want_models: bool,
    /// How to start the prover.
    pub prover: ProverConfig,
    /// Options for the prover besides the usual ones.
    pub prover_options: Vec<(String, String)>,
}

impl Options {
    /// The usual options for a prover.
    pub fn new(prover: ProverConfig) -> Self {
        Options {
            error_limit: 5,
            time_limit: None,
            resource_limit: 0,
            edit_effort: 3_000_000,
            subsumption: 2,
            max_splits: 1,
            split_on_every_assert: false,
            smoke: false,
            infer_intervals: true,
            loop_unroll: None,
            sound_unrolling: false,
            refuse_irreducible: false,
            coalesce_blocks: true,
            inline_calls: true,
            branches_in_order: false,
            arrays: false,
            erase_types: false,
            procedures: Vec::new(),
            shard: None,
            jobs: 1,
            visible: Vec::new(),
            count_resources: false,
            caching: Caching::Fine,
            check_cache: false,
            every_path: false,
            want_models: false,
            prover,
            prover_options: Vec::new(),
        }
    }

    /// Every option that may change a verdict or how it is told. The pattern has no `..`: a new option must be put on one
    /// side or the other.
    pub(crate) fn encode(&self, e: &mut Encoder) {
        let Options {
            error_limit,
            subsumption,
            max_splits,
            split_on_every_assert,
            infer_intervals,
            loop_unroll,
            sound_unrolling,
            refuse_irreducible,
            coalesce_blocks,
            inline_calls,
            branches_in_order,
            arrays,
            erase_types,
            procedures,
            shard,
            every_path,
            prover_options,
            // such runs keep nothing
            smoke: _,
            want_models: _,
            caching: _,
            check_cache: _,
            resource_limit,
            // only verdicts that more time cannot change are kept
            time_limit: _,
            // how the work is done
            edit_effort: _,
            jobs: _,
            visible: _,
            count_resources: _,
            prover: _,
        } = self;
        // with a limit the prover is asked differently
        e.bool(*resource_limit != 0);
        e.u64(*error_limit as u64);
        e.u8(*subsumption);
        e.u64(*max_splits as u64);
        e.bool(*split_on_every_assert);
        e.bool(*infer_intervals);
        e.option(*loop_unroll, Encoder::u32);
        e.bool(*sound_unrolling);
        e.bool(*refuse_irreducible);
        e.bool(*coalesce_blocks);
        e.bool(*inline_calls);
        e.bool(*branches_in_order);
        e.bool(*arrays);
        e.bool(*erase_types);
        e.bool(*every_path);
        e.sequence(procedures, |e, pattern| e.str(pattern));
        e.option(*shard, |e, (part, parts)| {
            e.u32(part);
            e.u32(parts);
        });
        e.sequence(prover_options, |e, (name, value)| {
            e.str(name);
            e.str(value);
        });
    }

    /// The first pattern of `procedures` that none of these names match.
    pub fn unmatched<'a>(&'a self, names: &[&str]) -> Option<&'a str> {
        let is_unmatched =
            |pattern: &&String| !names.iter().any(|name| matches_pattern(pattern, name));
        let found = self.procedures.iter().find(is_unmatched);
        found.map(String::as_str)
    }

    /// Whether a procedure is selected.
    pub(crate) fn selects(&self, name: &str) -> bool {
        let matches = |pattern: &String| matches_pattern(pattern, name);
        let is_meant = self.procedures.is_empty() || self.procedures.iter().any(matches);
        is_meant && self.shard.is_none_or(|shard| is_in_shard(name, shard))
    }
}

/// Whether a name belongs to a part: by its digest alone, so that an edit elsewhere moves nothing.
fn is_in_shard(name: &str, (part, parts): (u32, u32)) -> bool {
    let digest = stet_key::Digest::of_bytes(name.as_bytes());
    let number = digest
        .0
        .iter()
        .take(8)
        .fold(0, |n, &byte| n << 8 | u64::from(byte));
    number % u64::from(parts.max(1)) + 1 == u64::from(part)
}

/// Whether a name matches a pattern in which `*` stands for any text.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn stars_match_anything() {
        for (pattern, name, expected) in [
            ("foo", "foo", true),
            ("foo", "fooBar", false),
            ("ab*d", "abccd", true),
            ("ab*d", "Aabd", false),
            ("*ab*d*", "xabcdy", true),
            ("*Bar", "FooBar", true),
            ("*Bar", "Bars", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
    }
}
