//! The evaluation of address-aware query caching [AAQC §VI]: what is run, and Tables II–V and Figure 4 as text,
//! CSV and SVG.

mod musts;
mod plot;
mod table;

pub use musts::{Runner, SPEED, STATES, hash_table, live_states, overhead, speed};
pub use plot::memory_chart;
pub use table::{csv, reductions, text};

use std::time::Duration;

/// How queries are cached in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// No query cache (the counter-example cache stays on).
    Off,
    /// Equal queries.
    Base,
    /// Queries equal up to addresses, as in the paper.
    Aware,
    /// Queries equal up to addresses and names of symbols.
    Renamed,
}

impl Mode {
    /// All modes, in the order of columns.
    pub const ALL: [Mode; 4] = [Mode::Off, Mode::Base, Mode::Aware, Mode::Renamed];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Base => "base",
            Mode::Aware => "aware",
            Mode::Renamed => "renamed",
        }
    }

    /// The mode of a name.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// What one run of one program measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// Paths that ended.
    pub paths: u64,
    /// Errors found.
    pub errors: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Basic blocks entered.
    pub covered: u64,
    /// All queries.
    pub total: u64,
    /// Queries passed to the cache.
    pub c1: u64,
    /// Those the program asks.
    pub c2: u64,
    /// Those of them that mention an address.
    pub c3: u64,
    /// Queries that reached the solver.
    pub solver: u64,
    /// Entries of the query cache.
    pub cache: u64,
    /// Unsatisfiable queries kept for their layout.
    pub layout_dependent: u64,
    /// Hits whose witness did not hold.
    pub uncertified: u64,
    /// Wrong hits, when validating.
    pub mismatches: u64,
    /// Whether all paths were explored.
    pub complete: bool,
    /// Processor time.
    pub time: Duration,
    /// Time in the solver.
    pub solver_time: Duration,
    /// The most memory used, in bytes.
    pub memory: u64,
    /// The most states alive at one time.
    pub states: u64,
    /// Bytes of IR text.
    pub text: u64,
    /// Time reading it.
    pub reading: Duration,
}

/// The runs of one program.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The program.
    pub program: String,
    /// The runs by mode, in the order of [`Mode::ALL`].
    pub runs: Vec<(Mode, Run)>,
}

impl Measured {
    /// The run in a mode.
    pub fn run(&self, mode: Mode) -> Option<&Run> {
        self.runs
            .iter()
            .find(|(known, _)| *known == mode)
            .map(|(_, run)| run)
    }

    /// Whether all complete runs explored the same paths.
    pub fn agrees(&self) -> bool {
        let mut complete = self
            .runs
            .iter()
            .map(|(_, run)| run)
            .filter(|run| run.complete);
        let Some(first) = complete.next() else {
            return true;
        };
        let same = |run: &Run| {
            (run.paths, run.errors, run.covered) == (first.paths, first.errors, first.covered)
        };
        complete.all(same)
    }
}

/// What the paper reports for a program with its forking memory model: queries reaching the solver with the base
/// cache and with the address-aware one [AAQC Table III].
pub fn paper(program: &str) -> Option<(u64, u64)> {
    match program {
        "apr" => Some((445, 300)),
        "json-c" => Some((15_364, 5_246)),
        "expat" => Some((89_740, 31_747)),
        "libxml2" => Some((124_782, 6_118)),
        "sqlite" => Some((5_622, 4_681)),
        _ => None,
    }
}

/// `key=value` lines: how a run in its own process reports.
pub fn to_lines(run: &Run) -> String {
    let fields = [
        ("paths", run.paths),
        ("errors", run.errors),
        ("instructions", run.instructions),
        ("covered", run.covered),
        ("total", run.total),
        ("c1", run.c1),
        ("c2", run.c2),
        ("c3", run.c3),
        ("solver", run.solver),
        ("cache", run.cache),
        ("layout_dependent", run.layout_dependent),
        ("uncertified", run.uncertified),
        ("mismatches", run.mismatches),
        ("complete", u64::from(run.complete)),
        ("time", run.time.as_micros() as u64),
        ("solver_time", run.solver_time.as_micros() as u64),
        ("memory", run.memory),
        ("states", run.states),
        ("text", run.text),
        ("reading", run.reading.as_micros() as u64),
    ];
    let line = |(key, value): &(&str, u64)| format!("{key}={value}\n");
    fields.iter().map(line).collect()
}

/// Reads what [`to_lines`] wrote; unknown keys are ignored.
pub fn from_lines(text: &str) -> Run {
    let mut run = Run::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value: u64 = value.trim().parse().unwrap_or(0);
        match key {
            "paths" => run.paths = value,
            "errors" => run.errors = value,
            "instructions" => run.instructions = value,
            "covered" => run.covered = value,
            "total" => run.total = value,
            "c1" => run.c1 = value,
            "c2" => run.c2 = value,
            "c3" => run.c3 = value,
            "solver" => run.solver = value,
            "cache" => run.cache = value,
            "layout_dependent" => run.layout_dependent = value,
            "uncertified" => run.uncertified = value,
            "mismatches" => run.mismatches = value,
            "complete" => run.complete = value == 1,
            "time" => run.time = Duration::from_micros(value),
            "solver_time" => run.solver_time = Duration::from_micros(value),
            "memory" => run.memory = value,
            "states" => run.states = value,
            "text" => run.text = value,
            "reading" => run.reading = Duration::from_micros(value),
            _ => {}
        }
    }
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip() {
        let run = Run {
            paths: 3,
            total: 9,
            complete: true,
            time: Duration::from_micros(1234),
            memory: 1 << 30,
            ..Run::default()
        };
        assert_eq!(from_lines(&to_lines(&run)), run);
    }

    #[test]
    fn disagreement_is_noticed() {
        let run = |paths, complete| Run {
            paths,
            complete,
            ..Run::default()
        };
        let measured = |runs: Vec<(Mode, Run)>| Measured {
            program: "p".to_owned(),
            runs,
        };
        assert!(measured(vec![(Mode::Off, run(3, true)), (Mode::Base, run(3, true))]).agrees());
        assert!(!measured(vec![(Mode::Off, run(3, true)), (Mode::Base, run(4, true))]).agrees());
        assert!(measured(vec![(Mode::Off, run(3, true)), (Mode::Base, run(4, false))]).agrees());
    }
}
