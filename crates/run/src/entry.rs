//! The one way through the engine: files, goals, settings and a store in; answers, diagnostics and statistics out.
//!
//! [`run`] loads files, runs goals, and then stops, runs the main goal, opens a top level or runs the test assertions
//! ([`After`]). Answers, failed goals, exceptions and test results are handed to a callback as they come. The budget in
//! [`Config`] cancels everything. Everything that was found comes back as one [`Outcome`], whose diagnostics have their
//! places in its own source map.
//!
//! The machine runs on a thread of its own, because the compiler recurses over control constructs and needs a large
//! stack.

mod diagnostics;
mod shares;

use crate::checks::{
    AssertionStatus, CheckSettings, CheckStats, LoadProblem, PredicateStats, TestResult, Violation,
};
use crate::host::Host;
use crate::machine::{Config, Machine, Stats};
use crate::query::Answer;
use std::sync::Arc;
use stet_base::SourceMap;
use stet_diag::Diagnostic;
use stet_store::Store;

/// The stack of the thread that runs a machine.
const STACK: usize = 256 << 20;

/// What a run is asked for.
pub struct Request<'a> {
    /// Files to load, in order.
    pub files: &'a [String],
    /// Goals to run once each, in order; the first that is not true ends the run.
    pub goals: &'a [String],
    /// How many answers of each goal are written out; 0: goals are run for their effect only.
    pub answers: usize,
    /// What follows the goals.
    pub after: After<'a>,
    /// Limits, deadline and cancellation, arguments of the program.
    pub config: Config,
    /// Run-time checks and static analysis.
    pub checks: CheckSettings,
    /// Where verdicts of the static analysis are kept.
    pub store: Option<Arc<Store>>,
    /// What is counted while the program runs.
    pub tools: Tools,
}

/// What is counted while the program runs.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tools {
    /// Calls and time by predicate.
    pub profile: bool,
    /// Which clauses were used.
    pub coverage: bool,
}

impl Request<'_> {
    /// Files that are loaded with the standard settings, and nothing else.
    pub fn load(files: &[String]) -> Request<'_> {
        Request {
            files,
            goals: &[],
            answers: 0,
            after: After::Stop,
            config: Config::standard(),
            checks: CheckSettings::STANDARD,
            store: None,
            tools: Tools::default(),
        }
    }
}

/// A conversation with the machine; returns an exit code.
pub type Interaction<'a> = &'a mut (dyn FnMut(&mut Machine) -> u8 + Send);

/// What follows the goals of a [`Request`].
pub enum After<'a> {
    Stop,
    /// The goal of `initialization(main, main)`, if a file declared one.
    Main,
    /// One more goal, whose result is the run's.
    Goal(&'a str),
    /// The main goal, or without one a top level.
    TopLevel(Interaction<'a>),
    /// The test assertions of the files.
    Tests {
        /// Only tests whose predicate, comment or file contains this text.
        pattern: Option<String>,
        /// How many machines share the tests.
        jobs: usize,
    },
}

/// What a run tells while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// An answer of a goal, with its bindings if [`Request::answers`] asks for them.
    Answer { goal: &'a str, answer: &'a Answer },
    /// A test assertion was run.
    Test(&'a TestResult),
}

/// How goals ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All were true.
    True,
    False,
    /// One raised an exception.
    Exception,
    /// `halt/1` was called with this code.
    Halt(u8),
}

impl Ending {
    /// Prolog's exit code.
    pub fn code(self) -> u8 {
        match self {
            Ending::True => 0,
            Ending::False => 1,
            Ending::Exception => 2,
            Ending::Halt(code) => code,
        }
    }
}

/// Test assertions that were run.
#[derive(Clone, Debug, Default)]
pub struct TestRun {
    /// The results, in the order of the files.
    pub results: Vec<TestResult>,
    /// How many violations there were before the first test.
    pub violations_before: usize,
}

/// Everything a run found.
#[derive(Debug)]
pub struct Outcome {
    /// How the goals, the top level or the main goal ended.
    pub ending: Ending,
    /// What went wrong: violations, problems of assertions, messages of the loader, failed goals, exceptions.
    pub diagnostics: Vec<Diagnostic>,
    /// The files the diagnostics point into.
    pub sources: SourceMap,
    /// Violated conditions, and how many more there were than are kept.
    pub violations: Vec<Violation>,
    /// Violations beyond those kept.
    pub more_violations: u64,
    /// What is wrong with the assertions of the files.
    pub problems: Vec<LoadProblem>,
    /// Errors met while loading, syntax errors included.
    pub load_errors: u32,
    /// The status of every assertion, if the static analysis ran.
    pub statuses: Vec<AssertionStatus>,
    /// Units of the analysis that were computed.
    pub analysed: Vec<String>,
    /// Units of the analysis taken from the store.
    pub reused: Vec<String>,
    /// Why static verdicts were taken back, if they were.
    pub withdrawn: Option<&'static str>,
    /// Test assertions, if they were asked for.
    pub tests: Option<TestRun>,
    /// Counters of checks.
    pub check_stats: CheckStats,
    /// Counters by predicate.
    pub predicates: Vec<PredicateStats>,
    /// Bytes the cache of property checks holds.
    pub cache_bytes: usize,
    /// The largest size of the heap when something was checked, in bytes.
    pub peak_heap_bytes: usize,
    /// Bytes of heap in use at the end.
    pub heap_bytes: usize,
    /// Counters of the machine.
    pub stats: Stats,
    /// The transformed program, if [`CheckSettings::print`] asked for it.
    pub transformed: String,
    /// The profile for people and in Callgrind's format, if it was asked for.
    pub profile: Option<(String, String)>,
    /// The coverage of clauses in the format of lcov, if it was asked for.
    pub coverage: Option<String>,
}

/// Makes a machine's view of the world; called once for each machine, on its thread.
pub type World<'a> = &'a (dyn Fn() -> Box<dyn Host> + Sync);

/// Why a run could not be carried out.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The system gives no thread with the stack a machine needs: the environment's fault.
    NoThread(std::io::Error),
    /// The machine panicked: a fault of Stet.
    Panicked,
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::NoThread(error) => write!(f, "no thread for the machine: {error}"),
            RunError::Panicked => write!(f, "the machine panicked"),
        }
    }
}

impl std::error::Error for RunError {}

/// Carries out a request.
///
/// # Errors
/// Without a thread for the machine, or if it panics.
pub fn run(
    request: Request<'_>,
    world: World<'_>,
    watch: &mut (dyn FnMut(Event<'_>) + Send),
) -> Result<Outcome, RunError> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("machine".to_owned())
            .stack_size(STACK);
        let handle = worker
            .spawn_scoped(scope, move || {
                let mut run = Run::new(&request, world, watch);
                let runs_to_its_end = !matches!(request.after, After::Stop);
                let ending = run.carry_out(request);
                if runs_to_its_end && run.machine.halted().is_none() {
                    // `halt/1` runs them itself.
                    run.machine.perform("'$run_at_halt'");
                }
                run.outcome(ending)
            })
            .map_err(RunError::NoThread)?;
        handle.join().map_err(|_| RunError::Panicked)
    })
}

/// A run under way.
struct Run<'a> {
    machine: Machine,
    tools: Tools,
    world: World<'a>,
    watch: &'a mut (dyn FnMut(Event<'_>) + Send),
    /// Goals that failed or raised an exception.
    failed: Vec<FailedGoal>,
    tests: Option<TestRun>,
    /// Wrong cached answers that other machines found.
    mismatches: u64,
}

/// A goal that was not true.
struct FailedGoal {
    goal: String,
    /// The message of its exception; without one it failed.
    exception: Option<String>,
}

/// The machine that [`run`] would use, before it loads files: for a conversation of several goals about one machine. It runs
/// on the caller's thread, whose stack limits how deep control constructs may be nested.
pub fn open(request: &Request<'_>, host: Box<dyn Host>) -> Machine {
    let mut machine = machine(&request.config, &request.checks, host);
    if let Some(store) = &request.store {
        machine.set_analysis_store(store.clone());
    }
    if request.tools.profile {
        machine.start_profile();
    }
    if request.tools.coverage {
        machine.start_coverage();
    }
    machine
}

fn machine(config: &Config, checks: &CheckSettings, host: Box<dyn Host>) -> Machine {
    let mut machine = Machine::new(config.clone(), host);
    machine.set_checks(checks);
    machine
}

/// Loads a file; how that ended.
fn consult(machine: &mut Machine, file: &str) -> Answer {
    let path = machine.quote(file);
    machine.perform(&format!("consult({path})"))
}

impl<'a> Run<'a> {
    fn new(
        request: &Request<'_>,
        world: World<'a>,
        watch: &'a mut (dyn FnMut(Event<'_>) + Send),
    ) -> Run<'a> {
        Run {
            machine: open(request, world()),
            tools: request.tools,
            world,
            watch,
            failed: Vec::new(),
            tests: None,
            mismatches: 0,
        }
    }

    fn carry_out(&mut self, request: Request<'_>) -> Ending {
        for file in request.files {
            let answer = consult(&mut self.machine, file);
            let goal = format!("consult({file})");
            match self.ended(&goal, answer) {
                Ending::True => {}
                other => return other,
            }
        }
        for goal in request.goals {
            match self.goal(goal, request.answers) {
                Ending::True => {}
                other => return other,
            }
        }
        match request.after {
            After::Stop => Ending::True,
            After::Main => self.main_goal().unwrap_or(Ending::True),
            After::Goal(goal) => self.goal(goal, 0),
            After::TopLevel(interaction) => match self.main_goal() {
                Some(ending) => ending,
                None => Ending::Halt(interaction(&mut self.machine)),
            },
            After::Tests { pattern, jobs } => {
                let violations_before = self.machine.violations().len();
                let shares = shares::Shares {
                    files: request.files,
                    pattern,
                    config: &request.config,
                    checks: &request.checks,
                    world: self.world,
                    jobs,
                };
                let (results, mismatches) = shares.run(&mut self.machine);
                self.mismatches += mismatches;
                for result in &results {
                    (self.watch)(Event::Test(result));
                }
                self.tests = Some(TestRun {
                    results,
                    violations_before,
                });
                Ending::True
            }
        }
    }

    /// Runs a goal; with `answers` their bindings are written out, else it is run once for its effect.
    fn goal(&mut self, goal: &str, answers: usize) -> Ending {
        if answers == 0 {
            let answer = self.machine.perform(goal);
            return self.ended(goal, answer);
        }
        let mut query = match self.machine.query(goal) {
            Ok(query) => query,
            Err(_) => {
                // The same again, for the exception that a syntax error is.
                let answer = self.machine.perform(goal);
                return self.ended(goal, answer);
            }
        };
        let mut found = 0;
        loop {
            let answer = self.machine.next_answer(&mut query);
            let more = matches!(&answer, Answer::True(solution) if solution.more);
            let is_true = matches!(answer, Answer::True(_));
            if !is_true && found > 0 && matches!(answer, Answer::False) {
                return Ending::True;
            }
            let ending = self.ended(goal, answer);
            found += 1;
            if is_true && more && found < answers {
                continue;
            }
            if is_true {
                self.machine.finish(&query);
            }
            return ending;
        }
    }

    /// The goal of `initialization(main, main)`, if a file declared one.
    fn main_goal(&mut self) -> Option<Ending> {
        match self.machine.perform("nb_current('$main_goal', _)") {
            Answer::True(_) => {
                let answer = self.machine.perform("nb_getval('$main_goal', G), call(G)");
                Some(self.ended("main", answer))
            }
            _ => None,
        }
    }

    /// Tells how a goal ended, and keeps it if it was not true.
    fn ended(&mut self, goal: &str, answer: Answer) -> Ending {
        (self.watch)(Event::Answer {
            goal,
            answer: &answer,
        });
        match answer {
            Answer::True(_) => Ending::True,
            Answer::Halt(code) => Ending::Halt(code as u8),
            Answer::False => {
                self.failed.push(FailedGoal {
                    goal: goal.to_owned(),
                    exception: None,
                });
                Ending::False
            }
            Answer::Exception { message, .. } => {
                self.failed.push(FailedGoal {
                    goal: goal.to_owned(),
                    exception: Some(message),
                });
                Ending::Exception
            }
        }
    }

    fn outcome(mut self, ending: Ending) -> Outcome {
        let mut sources = SourceMap::new();
        let diagnostics = self.diagnostics(&mut sources);
        let machine = &mut self.machine;
        let mut check_stats = machine.check_stats();
        check_stats.mismatches += self.mismatches;
        let (analysed, reused) = machine.analysed_units();
        let Tools { profile, coverage } = self.tools;
        Outcome {
            ending,
            diagnostics,
            sources,
            violations: machine.violations().to_vec(),
            more_violations: machine.more_violations(),
            problems: machine.load_problems().to_vec(),
            load_errors: machine.load_errors(),
            statuses: machine.assertion_statuses().to_vec(),
            analysed: analysed.to_vec(),
            reused: reused.to_vec(),
            withdrawn: machine.proofs_withdrawn(),
            tests: self.tests,
            check_stats,
            predicates: machine.predicate_stats(),
            cache_bytes: machine.check_cache_bytes(),
            peak_heap_bytes: machine.peak_heap_bytes(),
            heap_bytes: machine.heap_used() * 8,
            stats: machine.stats(),
            transformed: machine.transformed_program().to_owned(),
            profile: profile.then(|| (machine.profile_table(), machine.profile_callgrind())),
            coverage: coverage.then(|| machine.coverage_report()),
        }
    }
}
