//! Execution counts of instructions, by function and source line: the contents of `run.istats`.

use crate::code::Code;
use crate::exec::Executor;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What was executed at a source line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Instructions executed, on all paths.
    pub executed: u64,
    /// Instructions executed at least once.
    pub covered: u64,
}

/// Costs by file, function and line; instructions without a place count for line 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    functions: BTreeMap<(String, String), BTreeMap<u32, Cost>>,
}

impl Profile {
    fn add(&mut self, file: &str, function: &str, line: u32, executed: u64, covered: u64) {
        let function = (file.to_owned(), function.to_owned());
        let cost = self.functions.entry(function).or_default();
        let cost = cost.entry(line).or_default();
        cost.executed += executed;
        cost.covered = cost.covered.max(covered);
    }

    /// Adds what another exploration of the same program executed.
    pub(crate) fn merge(&mut self, other: &Profile) {
        for ((file, function), lines) in &other.functions {
            for (&line, cost) in lines {
                self.add(file, function, line, cost.executed, cost.covered);
            }
        }
    }

    /// The functions with the instructions executed in them, the most first.
    pub fn by_function(&self) -> Vec<(&str, u64)> {
        let total = |lines: &BTreeMap<u32, Cost>| lines.values().map(|c| c.executed).sum();
        let mut found: Vec<(&str, u64)> = self
            .functions
            .iter()
            .map(|((_, function), lines)| (function.as_str(), total(lines)))
            .collect();
        found.sort_by_key(|&(name, executed)| (std::cmp::Reverse(executed), name));
        found
    }

    /// The profile in the format of Callgrind, with KLEE's names of events.
    pub fn callgrind(&self, command: &str) -> String {
        let mut text = format!(
            "# callgrind format\nversion: 1\ncreator: stet\ncmd: {command}\n\npositions: line\nevents: Ir Icov\n"
        );
        let all = self.functions.values().flat_map(BTreeMap::values);
        let (executed, covered) =
            all.fold((0, 0), |(e, c), cost| (e + cost.executed, c + cost.covered));
        let _ = writeln!(text, "summary: {executed} {covered}");
        for ((file, function), lines) in &self.functions {
            let file = if file.is_empty() { "???" } else { file };
            let _ = write!(text, "\nfl={file}\nfn={function}\n");
            for (line, cost) in lines {
                let _ = writeln!(text, "{line} {} {}", cost.executed, cost.covered);
            }
        }
        text
    }
}

/// The first instruction of a block that was entered.
pub(crate) fn block_start(code: &Code, block: u32) -> Option<u32> {
    if block == 0 {
        return Some(0);
    }
    let edge = code.edges.iter().find(|edge| edge.block == block);
    edge.map(|edge| edge.target)
}

impl Executor<'_> {
    /// What was executed so far. A block that a path left early counts as a whole.
    pub(crate) fn profile(&self) -> Profile {
        let mut profile = Profile::default();
        for code in self.program.known_codes() {
            let mut lines: BTreeMap<(String, String, u32), Cost> = BTreeMap::new();
            for (block, &count) in code.entered.borrow().iter().enumerate() {
                let Some(start) = block_start(&code, block as u32).filter(|_| count > 0) else {
                    continue;
                };
                let size = code.block_sizes.get(block).copied().unwrap_or(0);
                for pc in start..start + size {
                    let place = self.location(&code, pc);
                    let at = (place.file, place.function, place.line);
                    let cost = lines.entry(at).or_default();
                    cost.executed += count;
                    cost.covered += 1;
                }
            }
            for ((file, function, line), cost) in lines {
                profile.add(&file, &function, line, cost.executed, cost.covered);
            }
        }
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::Profile;

    #[test]
    fn parts_add_up_and_are_written_by_line() {
        let mut one = Profile::default();
        one.add("a.c", "main", 3, 10, 2);
        one.add("", "memcpy", 0, 7, 1);
        let mut both = one.clone();
        both.merge(&one);
        assert_eq!(both.by_function(), [("main", 20), ("memcpy", 14)]);
        let text = both.callgrind("prog -x");
        assert!(text.contains("events: Ir Icov\nsummary: 34 3\n"), "{text}");
        assert!(text.contains("fl=a.c\nfn=main\n3 20 2\n"), "{text}");
        assert!(text.contains("fl=???\nfn=memcpy\n0 14 1\n"), "{text}");
    }
}
