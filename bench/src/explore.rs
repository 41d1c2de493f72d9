//! The evaluation of address-aware query caching [AAQC §VI]: what is run, and Tables II–V and Figure 4 as text,
//! CSV and SVG.

pub mod command;
pub mod hard;
mod musts;
mod plot;
pub mod programs;
pub mod reuse;
mod table;

pub use musts::{Runner, SPEED, STATES, hash_table, live_states, overhead, speed};
pub use plot::charts;
pub use table::{averages, csv, reductions, text, validation};

use std::time::Duration;

/// How queries are cached in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// No query cache (the counter-example cache stays on).
    Off,
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

/// What happens where a pointer may mean several objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// The paper's FMM.
    Forking,
    /// The paper's DSMM.
    Segmented,
}

impl Model {
    /// Both models, in the order of tables.
    pub const ALL: [Model; 2] = [Model::Forking, Model::Segmented];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Model::Forking => "forking",
            Model::Segmented => "segmented",
        }
    }
}

/// What one run of one program measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// Paths that ended.
    pub paths: u64,
    pub errors: u64,
    pub instructions: u64,
    /// Basic blocks entered.
    pub covered: u64,
    pub total: u64,
    /// Queries passed to the cache.
    pub c1: u64,
    /// Those the program asks.
    pub c2: u64,
    /// Those of them that mention an address.
    pub c3: u64,
    /// Queries that reached the solver.
    pub solver: u64,
    /// Queries that a store of earlier runs answered.
    pub store_hits: u64,
    /// Entries of the query cache.
    pub cache: u64,
    /// Unsatisfiable queries kept for their layout.
    pub layout_dependent: u64,
    /// Hits whose witness did not hold.
    pub uncertified: u64,
    /// Hits that were solved again.
    pub validated: u64,
    /// Wrong hits, when validating.
    pub mismatches: u64,
    /// Whether all paths were explored.
    pub complete: bool,
    /// Whether it was stopped for the time it took: its counts mean nothing.
    pub timed_out: bool,
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
    pub program: String,
    /// How pointers to several objects were followed in all these runs.
    pub model: Model,
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

    /// Whether all runs that can be compared explored the same paths.
    pub fn agrees(&self) -> bool {
        let same =
            |a: &Run, b: &Run| (a.paths, a.errors, a.covered) == (b.paths, b.errors, b.covered);
        let runs = self.runs.iter().map(|(_, run)| run);
        let pairs = runs.clone().flat_map(|a| runs.clone().map(move |b| (a, b)));
        pairs
            .filter(|(a, b)| a.compares_with(b))
            .all(|(a, b)| same(a, b))
    }
}

impl Run {
    /// Whether two runs went equally far: both to the end, or both to the same number of instructions.
    pub fn compares_with(&self, other: &Run) -> bool {
        match (self.complete, other.complete) {
            (true, true) => true,
            (false, false) => self.instructions == other.instructions,
            _ => false,
        }
    }
}

/// What the paper reports for a program in a memory model, with the base cache and with the address-aware one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paper {
    /// Total, C1, C2, C3 [AAQC Table II], the same for both models.
    pub classes: [u64; 4],
    /// Queries that reached the solver [Table III].
    pub solver: (u64, u64),
    /// Seconds [Table IV].
    pub seconds: (u64, u64),
    /// Entries in the query cache [Table V].
    pub cache: (u64, u64),
}

/// The paper's figures for a program.
pub fn paper(program: &str, model: Model) -> Option<Paper> {
    type Pairs = [(u64, u64); 3];
    let (classes, forking, segmented): ([u64; 4], Pairs, Pairs) = match program {
        "m4" => (
            [14_022, 9_589, 9_127, 6_394],
            [(10_792, 4_265), (796, 299), (11_780, 3_493)],
            [(1_600, 1_289), (1_157, 895), (1_631, 1_341)],
        ),
        "make" => (
            [2_565_399, 2_477_145, 90_027, 69_535],
            [(347_324, 45_471), (24_404, 9_051), (348_210, 41_927)],
            [(50_558, 9_753), (14_202, 6_443), (51_064, 12_404)],
        ),
        "sqlite" => (
            [26_990, 18_407, 15_589, 13_783],
            [(5_622, 4_681), (1_040, 864), (6_898, 5_354)],
            [(14_563, 12_993), (14_417, 11_542), (10_680, 9_071)],
        ),
        "apr" => (
            [15_013, 8_960, 8_960, 8_448],
            [(445, 300), (3_453, 2_345), (496, 279)],
            [(126, 86), (1_220, 819), (130, 81)],
        ),
        "libxml2" => (
            [708_101, 410_789, 347_420, 347_420],
            [(124_782, 6_118), (9_213, 1_029), (136_165, 5_517)],
            [(124_782, 6_118), (8_855, 1_032), (136_165, 5_517)],
        ),
        "expat" => (
            [1_797_033, 945_192, 102_903, 102_903],
            [(89_740, 31_747), (1_562, 1_399), (92_383, 34_226)],
            [(89_736, 31_761), (1_513, 1_386), (92_382, 34_226)],
        ),
        "bash" => (
            [54_078, 19_051, 10_840, 7_860],
            [(8_538, 4_479), (9_468, 5_010), (8_774, 4_453)],
            [(7_542, 4_098), (9_544, 4_458), (7_712, 4_308)],
        ),
        "json-c" => (
            [28_476, 17_484, 17_263, 14_311],
            [(15_364, 5_246), (1_896, 800), (15_998, 3_634)],
            [(2_757, 1_523), (485, 259), (2_906, 1_336)],
        ),
        _ => return None,
    };
    let [solver, seconds, cache] = match model {
        Model::Forking => forking,
        Model::Segmented => segmented,
    };
    Some(Paper {
        classes,
        solver,
        seconds,
        cache,
    })
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
        ("store_hits", run.store_hits),
        ("cache", run.cache),
        ("layout_dependent", run.layout_dependent),
        ("uncertified", run.uncertified),
        ("validated", run.validated),
        ("mismatches", run.mismatches),
        ("complete", u64::from(run.complete)),
        ("timed_out", u64::from(run.timed_out)),
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
            "store_hits" => run.store_hits = value,
            "cache" => run.cache = value,
            "layout_dependent" => run.layout_dependent = value,
            "uncertified" => run.uncertified = value,
            "validated" => run.validated = value,
            "mismatches" => run.mismatches = value,
            "complete" => run.complete = value == 1,
            "timed_out" => run.timed_out = value == 1,
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
            model: Model::Forking,
            runs,
        };
        assert!(measured(vec![(Mode::Off, run(3, true)), (Mode::Base, run(3, true))]).agrees());
        assert!(!measured(vec![(Mode::Off, run(3, true)), (Mode::Base, run(4, true))]).agrees());
        assert!(measured(vec![(Mode::Off, run(3, true)), (Mode::Base, run(4, false))]).agrees());
        // stopped after the same number of instructions
        assert!(
            !measured(vec![
                (Mode::Off, run(3, false)),
                (Mode::Base, run(4, false))
            ])
            .agrees()
        );
    }
}
