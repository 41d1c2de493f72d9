//! The exploration: picks states, runs them, keeps the limits, and counts.

mod giving_up;
mod seeded;

use crate::address::{AddressTable, Allocator};
use crate::exec::{Executor, Overshift, Settings, Stop};
use crate::left_out::{LeftOut, LeftOutList};
use crate::memory::SharedCursors;
use crate::merge::Waiting;
use crate::object::{Kind, Object};
use crate::part::{DIVERGED, Part, PartEnd, Taker, Trail};
use crate::program::{Program, ProgramError};
use crate::query::{AddressView, Config as QueryConfig, Mismatch, QueryChain};
use crate::report::{Coverage, ErrorKind, Halt, Progress, Sink};
use crate::search::{Pool, Search};
use crate::state::{Pending, State};
use crate::value::{Ctx, Value};
use std::rc::Rc;
use std::sync::Arc;
use stet_base::{Budget, Exhausted, FastMap, FastSet, Index};
use stet_llvm::Module;
use stet_solve::Solver;
use stet_store::Store;
use stet_term::Terms;

/// How far an exploration may go. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Instructions in all.
    pub instructions: Option<u64>,
    /// Forks in all.
    pub forks: Option<u64>,
    /// Forks on one path.
    pub depth: Option<u32>,
    pub states: Option<usize>,
    /// Bytes of memory, by estimate.
    pub memory: Option<u64>,
    /// Paths that end.
    pub paths: Option<u64>,
}

/// Which errors end the exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StopAt {
    Nothing,
    /// The first, of any kind.
    AnyError,
    /// The first of these kinds.
    Kinds(Vec<ErrorKind>),
}

/// Choices of KLEE's command line about what its interface means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KleeRules {
    /// `klee_assume` of something impossible ends the path without an error.
    pub silent_assume: bool,
    /// A `switch` forks once for each case, not once for each target.
    pub simple_switch: bool,
    /// External functions are said to be disallowed, not undefined.
    pub no_external_calls: bool,
    /// Warnings of the program name its function, as KLEE's do.
    pub klee_words: bool,
    /// States are merged where the program asks for it.
    pub use_merge: bool,
    /// Merging is told.
    pub log_merge: bool,
}

/// Shares of all forks that one place may have; beyond, a condition is fixed instead of forking (KLEE's `--max-static-*`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StaticLimits {
    /// Forks of one instruction.
    pub forks: f64,
    /// Forks under one stack of calls.
    pub call_path_forks: f64,
    /// Forks before the limits count.
    pub delay: u64,
}

impl StaticLimits {
    pub fn none() -> Self {
        StaticLimits {
            forks: 1.0,
            call_path_forks: 1.0,
            delay: 1000,
        }
    }
}

/// What is explored, and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// The function to start at.
    pub entry: String,
    /// The program's arguments, its name first.
    pub args: Vec<String>,
    /// The program's environment, as `NAME=VALUE`.
    pub environment: Vec<String>,
    /// Where the program finds its concrete files.
    pub root: Option<Arc<dyn crate::builtins::Root>>,
    /// Orders of exploration, interleaved.
    pub search: Vec<Search>,
    /// Seed for randomised searches.
    pub seed: u64,
    /// How addresses are chosen.
    pub allocator: Allocator,
    /// What happens where a pointer may mean several objects.
    pub memory: crate::segment::MemoryModel,
    /// Which objects are split where they are accessed at a symbolic offset.
    pub split: Option<crate::object::parts::Split>,
    /// How far to go.
    pub limits: Limits,
    /// The query chain.
    pub query: QueryConfig,
    /// Where shifts by the width or more are errors.
    pub overshift: Overshift,
    /// Whether the program's output is kept.
    pub capture_output: bool,
    /// The largest allocation that succeeds.
    pub max_allocation: u64,
    pub max_frames: u32,
    /// Which errors end the exploration.
    pub stop_at: StopAt,
    /// The test whose values symbolic objects take, instead of symbolic ones.
    pub replay: Option<Arc<[crate::report::TestObject]>>,
    /// The branches that the one path to follow takes.
    pub replay_path: Option<Arc<[bool]>>,
    /// Inputs whose paths are explored first.
    pub seeds: Option<Arc<crate::seeds::Seeds>>,
    /// What is recorded of paths.
    pub recording: crate::report::Recording,
    /// Functions, by name or pattern, and those that take their place.
    pub function_aliases: Vec<(String, String)>,
    /// Limits on the forks of single places.
    pub static_limits: StaticLimits,
    /// Whether every instruction is told before it is executed.
    pub trace: bool,
    /// What KLEE's programs may rely on.
    pub klee: KleeRules,
    /// Functions that are defined nowhere.
    pub external: crate::external::ExternalConfig,
    /// The memory of this process in bytes, for the limit on memory; without it states and terms are estimated.
    pub memory_used: Option<fn() -> u64>,
}

impl Config {
    /// Explores `main` depth first without limits, with everything on.
    pub fn standard() -> Self {
        Config {
            entry: "main".into(),
            args: vec!["program".into()],
            environment: Vec::new(),
            root: None,
            search: vec![Search::Dfs],
            seed: 1,
            allocator: Allocator::PerState,
            memory: crate::segment::MemoryModel::Forking,
            split: None,
            limits: Limits::default(),
            query: QueryConfig::full(),
            overshift: Overshift::Unoptimized,
            capture_output: true,
            max_allocation: 1 << 30,
            max_frames: 100_000,
            stop_at: StopAt::Nothing,
            replay: None,
            replay_path: None,
            seeds: None,
            recording: crate::report::Recording::default(),
            function_aliases: Vec::new(),
            static_limits: StaticLimits::none(),
            trace: false,
            klee: KleeRules::default(),
            external: crate::external::ExternalConfig::default(),
            memory_used: None,
        }
    }
}

/// What came of an exploration.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Why it ended.
    pub halt: Halt,
    pub progress: Progress,
    /// Cached answers that were wrong, if they were checked.
    pub mismatches: Vec<Mismatch>,
    /// Everything that was fixed, refused, assumed, undecided or given up.
    pub left_out: Vec<LeftOut>,
    /// Which blocks were entered.
    pub coverage: Coverage,
}

impl Summary {
    /// Whether every path of the program was explored, for all its inputs and without assumptions about them.
    pub fn is_complete(&self) -> bool {
        self.halt == Halt::Complete && self.left_out.is_empty()
    }
}

/// Instructions between two looks at the clock.
const TURN: u64 = 50_000;
/// Turns between two progress reports.
const REPORT: u64 = 1 << 17;

/// Explores a part of a program's tree of paths, as far as the part says; see [`Part`].
#[allow(clippy::too_many_arguments, reason = "a request in its parts")]
pub(crate) fn explore_part(
    modules: Arc<Vec<Module>>,
    library: &[bool],
    config: &Config,
    solver: Box<dyn Solver>,
    store: Option<Arc<Store>>,
    budget: &Budget,
    sink: &mut dyn Sink,
    part: &mut Part<'_>,
) -> Result<Summary, ProgramError> {
    let aliases = crate::aliases::resolve(&modules, &config.function_aliases);
    let (aliases, told) = aliases.map_err(ProgramError::Alias)?;
    for (is_warning, text) in told {
        match is_warning {
            true => sink.warning(&text),
            false => sink.message(&format!("KLEE: {text}")),
        }
    }
    let mut program = Program::new(modules, library)?;
    program.aliases.extend(aliases);
    if part.prefix.is_empty() {
        for (notice, place) in crate::declared::declared_otherwise(&program) {
            sink.notice(&notice, &place);
        }
    }
    let ctx = Ctx {
        terms: Rc::new(Terms::new()),
        addresses: Rc::new(AddressTable::new()),
    };
    let view: Rc<dyn AddressView> = ctx.addresses.clone();
    let mut chain = QueryChain::new(
        ctx.terms.clone(),
        view,
        solver,
        config.query.clone(),
        budget.clone(),
    );
    if let Some(store) = store {
        chain = chain.with_store(store);
    }
    let memory = program.initial_memory(&ctx, config.max_allocation, budget)?;
    let mut executor = Executor {
        settings: Settings {
            allocator: config.allocator,
            memory: config.memory,
            split: config.split,
            max_frames: config.max_frames,
            max_allocation: config.max_allocation,
            overshift: config.overshift,
            capture_output: config.capture_output,
            root: config.root.clone(),
            stop_at: config.stop_at.clone(),
            replay: config.replay.clone(),
            replay_path: config.replay_path.clone(),
            seeds: config.seeds.clone(),
            recording: config.recording,
            klee: config.klee,
            external: config.external.clone(),
            static_limits: config.static_limits,
            trace: config.trace,
            max_forks: config.limits.forks,
            max_depth: config.limits.depth,
        },
        shared: SharedCursors::new(memory.cursors),
        first_memory: memory.clone(),
        program: Rc::new(program),
        chain,
        sink,
        spawned: Vec::new(),
        is_replaying: false,
        builtins: FastMap::default(),
        callee: 0,
        warned: FastSet::default(),
        left_out: LeftOutList::default(),
        next_id: 1,
        instructions: 0,
        forks: 0,
        dropped: 0,
        stopping_errors: 0,
        forks_at: FastMap::default(),
        paths: 0,
        objects: 0,
        merged: 0,
        allocated: 0,
        native_start: None,
        ctx,
    };
    let state = initial_state(&mut executor, memory, config)?;
    let mut engine = Engine {
        executor,
        pool: Pool::new(config.seed),
        waiting: Waiting::default(),
        config,
        budget,
        turns: 0,
        last_report: 0,
        peak: 1,
        told: (0, 0, 0),
        trail: Trail::default(),
    };
    let start = part.taker.map(|_| state.clone());
    let prefix = part.prefix.clone();
    if part.ended.is_some() && !prefix.is_empty() {
        // what the start of the program left out is told with the first part
        engine.executor.left_out = LeftOutList::default();
    }
    let mut halt = engine.explore_below(state, &prefix, part);
    engine.account(&halt, part);
    while let (Halt::Complete, Some(taker), Some(start)) = (&halt, part.taker, &start) {
        // the program, its terms and what is known of queries are kept from part to part
        let Some(prefix) = taker.next_part(budget) else {
            break;
        };
        halt = engine.explore_below(start.clone(), &prefix, part);
        engine.account(&halt, part);
    }
    let progress = engine.progress();
    engine.executor.sink.progress(&progress);
    Ok(Summary {
        halt,
        progress,
        mismatches: engine.executor.chain.mismatches().to_vec(),
        left_out: engine.executor.left_out.entries().to_vec(),
        coverage: engine.coverage_and_profile(),
    })
}

fn initial_state(
    executor: &mut Executor<'_>,
    mut memory: crate::memory::Memory,
    config: &Config,
) -> Result<State, ProgramError> {
    let ctx = executor.ctx.clone();
    let program = executor.program.clone();
    let Some(entry) = program.exported_function(&ctx, &config.entry) else {
        return Err(ProgramError::NoEntry(config.entry.clone()));
    };
    let start = match config.entry.as_str() {
        "main" => ["sx_posix_start", "sx_start"]
            .iter()
            .find_map(|start| program.exported_function(&ctx, start))
            .unwrap_or(entry),
        _ => entry,
    };
    let args = arguments(executor, &mut memory, &config.args, &config.environment);
    let mut pending = Some(Rc::new(Pending {
        function: start,
        args,
        next: None,
    }));
    let mut first: Vec<u32> = program.constructors(&ctx);
    if config.entry != "main" {
        // the library and the streams, which the start of `main` would have set up
        let prepare = program.exported_function(&ctx, "sx_prepare");
        first.splice(0..0, prepare);
    }
    for function in first.into_iter().rev() {
        pending = Some(Rc::new(Pending {
            function,
            args: Vec::new(),
            next: pending,
        }));
    }
    let first = pending.ok_or_else(|| ProgramError::NoEntry(config.entry.clone()))?;
    let no_code = || ProgramError::NoEntry(config.entry.clone());
    let code = program.code(&ctx, first.function).ok_or_else(no_code)?;
    let mut state = State::first(code, memory);
    state.pending = first.next.clone();
    state.seeds = crate::seeds::all(config.seeds.as_deref());
    match executor.start(&mut state, first.function, &first.args) {
        Ok(()) => Ok(state),
        Err(_) => Err(no_code()),
    }
}

/// `argc`, `argv` and the environment.
fn arguments(
    executor: &mut Executor<'_>,
    memory: &mut crate::memory::Memory,
    args: &[String],
    environment: &[String],
) -> Vec<Value> {
    let ctx = executor.ctx.clone();
    let policy = (executor.settings.allocator, &executor.shared);
    let mut strings = Vec::new();
    for arg in args.iter().chain(environment) {
        let mut bytes = arg.as_bytes().to_vec();
        bytes.push(0);
        let object = Object::with_bytes(Kind::Global, bytes.into());
        strings.push(memory.allocate(&ctx, policy, object, 16, crate::memory::Region::Stack));
    }
    let places = (strings.len() as u64 + 2) * 8;
    let mut table = Object::zeroed(Kind::Global, places);
    for (k, &string) in strings.iter().enumerate() {
        // a null pointer ends the arguments
        let place = k + usize::from(k >= args.len());
        table.write(&ctx, place * 8, 64, &Value::Ptr(string, 0));
    }
    let table = memory.allocate(&ctx, policy, table, 16, crate::memory::Region::Stack);
    let environment = (args.len() as u64 + 1) * 8;
    vec![
        Value::Int(args.len() as u64),
        Value::Ptr(table, 0),
        Value::Ptr(table, environment),
    ]
}

fn choices(state: &State) -> Vec<u32> {
    state.choices.in_order().into_iter().copied().collect()
}

/// Notes at a fork which state took which way.
fn number_choices(state: &mut State, spawned: &mut [State]) {
    if spawned.is_empty() {
        return;
    }
    state.choices.push(0);
    for (number, copy) in (1..).zip(spawned) {
        copy.choices.push(number);
    }
}

struct Engine<'a, 's> {
    executor: Executor<'s>,
    pool: Pool,
    /// States at the end of a region whose paths are merged.
    waiting: Waiting,
    config: &'a Config,
    budget: &'a Budget,
    turns: usize,
    last_report: u64,
    peak: usize,
    /// Instructions, forks and solver queries of the parts that were accounted for.
    told: (u64, u64, u64),
    trail: Trail,
}

impl Engine<'_, '_> {
    /// Explores what lies below these choices.
    fn explore_below(&mut self, start: State, prefix: &[u32], part: &Part<'_>) -> Halt {
        self.pool = Pool::new(self.config.seed);
        match self.go_to(start, prefix) {
            Some(state) => self.run(state, part),
            None => Halt::Limit(DIVERGED.to_owned()),
        }
    }

    /// Tells what a part added, if each is accounted for; another may be carried out by another process after this one failed.
    fn account(&mut self, halt: &Halt, part: &Part<'_>) {
        let Some(ended) = part.ended else {
            return;
        };
        let failure = match halt {
            Halt::Limit(why) => Some(why.clone()),
            Halt::Interrupted => Some("it was interrupted".to_owned()),
            _ => None,
        };
        let end = self.stretch(Vec::new());
        // each part is told as if it was the only one
        self.executor.warned.clear();
        ended(PartEnd {
            failure: failure.or(end.failure),
            ..end
        });
    }

    /// What was added to the counts since the last time.
    fn stretch(&mut self, left: Vec<Vec<u32>>) -> PartEnd {
        let executor = &mut self.executor;
        let solved = executor.chain.statistics().solver_queries();
        let sums = (executor.instructions, executor.forks, solved);
        let told = std::mem::replace(&mut self.told, sums);
        let wrong = executor.chain.mismatches().first();
        PartEnd {
            left,
            instructions: sums.0 - told.0,
            forks: sums.1 - told.1,
            solved: sums.2 - told.2,
            left_out: std::mem::take(&mut executor.left_out).entries().to_vec(),
            failure: wrong.map(|mismatch| format!("the {} cache was wrong", mismatch.layer)),
        }
    }

    /// Gives states away and hands in what was found, as far as that is wanted; false if the part is another's now.
    fn share(&mut self, taker: &dyn Taker, current: Option<&(Box<State>, usize)>) -> bool {
        self.give_away(taker);
        if !taker.is_due() {
            return true;
        }
        let mut left: Vec<Vec<u32>> = current
            .map(|(state, _)| choices(state))
            .into_iter()
            .collect();
        left.extend(self.pool.states().map(choices));
        left.sort();
        let end = self.stretch(left);
        taker.hand_in(end)
    }

    fn run(&mut self, state: State, part: &Part<'_>) -> Halt {
        let root = self.pool.root();
        let mut current = Some((Box::new(state), root));
        // choices lead to forks: a state further on would be brought back, and its instructions counted twice
        let mut is_at_fork = true;
        loop {
            if let (Some(taker), true) = (part.taker, is_at_fork)
                && !self.share(taker, current.as_ref())
            {
                return Halt::Complete;
            }
            let halt = self.limit_reached();
            if let Some(halt) = halt.or_else(|| self.seeds_are_done(current.as_ref())) {
                let left = self.pool.len() + self.waiting.len() + usize::from(current.is_some());
                self.drop_all(current, &halt);
                return match (left, halt) {
                    (0, _) => Halt::Complete,
                    (_, halt) => halt,
                };
            }
            let (mut state, leaf) = match current.take() {
                Some(chosen) => chosen,
                None => {
                    let search = self.search();
                    match self.pool.take(search) {
                        Some(chosen) => chosen,
                        None => return Halt::Complete,
                    }
                }
            };
            let left = self.config.limits.instructions.map_or(TURN, |limit| {
                limit
                    .saturating_sub(self.executor.instructions)
                    .clamp(1, TURN)
            });
            let outcome = self.executor.run(&mut state, left, true);
            let mut spawned = std::mem::take(&mut self.executor.spawned);
            number_choices(&mut state, &mut spawned);
            is_at_fork = !spawned.is_empty() || outcome.is_err();
            self.report();
            let is_left_out = self.leave_out_unseeded(&state, outcome.is_ok(), &mut spawned);
            match outcome {
                Ok(()) if is_left_out => self.replace(leaf, spawned),
                Ok(()) => match state.closing.take() {
                    Some(group) => {
                        let merged = self.waiting.close(&mut self.executor, &group, state, leaf);
                        merged.into_iter().for_each(|leaf| self.pool.prune(leaf));
                    }
                    None => current = self.keep(state, leaf, spawned),
                },
                Err(Stop(outcome)) => {
                    self.executor.finish(&state, *outcome);
                    drop(state);
                    self.replace(leaf, spawned);
                }
            }
            self.let_waiting_go(current.is_some());
            self.peak = self
                .peak
                .max(self.pool.len() + usize::from(current.is_some()));
            self.shed();
        }
    }

    /// Puts the states that were forked into the place of one that ended.
    fn replace(&mut self, leaf: usize, spawned: Vec<State>) {
        if spawned.is_empty() {
            return self.pool.prune(leaf);
        }
        let leaves = self.pool.split(leaf, spawned.len());
        for (other, leaf) in spawned.into_iter().zip(leaves) {
            self.pool.add(Box::new(other), leaf);
        }
    }

    /// Gives states away that others want: those that wait longest, which have most below them.
    fn give_away(&mut self, taker: &dyn Taker) {
        for _ in 0..taker.wants(self.pool.len()) {
            let Some((state, leaf)) = self.pool.take(Search::Bfs) else {
                return;
            };
            taker.take(choices(&state));
            self.pool.prune(leaf);
        }
    }

    /// Lets states go on that no other state can be merged into any more.
    fn let_waiting_go(&mut self, others_run: bool) {
        if self.waiting.is_empty() {
            return;
        }
        for (state, leaf) in self.waiting.ready() {
            self.pool.add(state, leaf);
        }
        if !others_run && self.pool.is_empty() {
            for (state, leaf) in self.waiting.take() {
                self.pool.add(state, leaf);
            }
        }
    }

    /// Runs to the state that these choices lead to, without telling anything of the way; `None` if the program
    /// does not come to all of them, which would be a defect.
    fn go_to(&mut self, mut state: State, prefix: &[u32]) -> Option<State> {
        if prefix.is_empty() {
            return Some(state);
        }
        let executor = &mut self.executor;
        executor.is_replaying = true;
        let counts = (executor.instructions, executor.forks, executor.dropped);
        let errors = executor.stopping_errors;
        let left_out = std::mem::take(&mut executor.left_out);
        if let Some(known) = self.trail.back_to(prefix) {
            state = known;
        }
        let mut choices = prefix[self.trail.choices.len()..].iter();
        let mut next = choices.next();
        while let Some(&choice) = next {
            if self.budget.check().is_err() {
                return None;
            }
            let outcome = self.executor.run(&mut state, TURN, true);
            let mut spawned = std::mem::take(&mut self.executor.spawned);
            if spawned.is_empty() && outcome.is_ok() {
                continue;
            }
            number_choices(&mut state, &mut spawned);
            state = match choice {
                0 if outcome.is_ok() => state,
                0 => return None,
                copy => {
                    let index = copy as usize - 1;
                    (index < spawned.len()).then(|| spawned.swap_remove(index))?
                }
            };
            self.trail.step(choice, &state);
            next = choices.next();
        }
        let executor = &mut self.executor;
        executor.is_replaying = false;
        (executor.instructions, executor.forks, executor.dropped) = counts;
        executor.stopping_errors = errors;
        executor.left_out = left_out;
        Some(state)
    }

    /// Puts the states after a turn where they belong; depth first goes on with the same state.
    fn keep(
        &mut self,
        state: Box<State>,
        leaf: usize,
        spawned: Vec<State>,
    ) -> Option<(Box<State>, usize)> {
        let only_dfs = self.config.search == [Search::Dfs];
        let seeded = |state: &State| !state.seeds.is_empty();
        let seeds_wait = self.pool.has_seeded() || spawned.iter().any(seeded);
        let only_dfs = only_dfs && (seeded(&state) || !seeds_wait);
        if spawned.is_empty() {
            if only_dfs || self.pool.is_empty() || seeded(&state) {
                return Some((state, leaf));
            }
            self.pool.add(state, leaf);
            return None;
        }
        let leaves = self.pool.split(leaf, spawned.len() + 1);
        let mut leaves = leaves.into_iter();
        let own = leaves.next().unwrap_or(leaf);
        for (other, leaf) in spawned.into_iter().zip(leaves) {
            self.pool.add(Box::new(other), leaf);
        }
        if only_dfs && !self.config.klee.klee_words {
            return Some((state, own));
        }
        // KLEE goes on with the state forked last
        self.pool.add(state, own);
        None
    }

    /// The searcher whose turn it is.
    fn search(&mut self) -> Search {
        self.turns += 1;
        let searches = &self.config.search;
        match searches.len() {
            0 => Search::Dfs,
            count => searches[self.turns % count],
        }
    }

    fn limit_reached(&self) -> Option<Halt> {
        let limits = &self.config.limits;
        let over = |value: u64, limit: Option<u64>| limit.is_some_and(|limit| value >= limit);
        if over(self.executor.instructions, limits.instructions) {
            return Some(Halt::Limit("the limit on instructions was reached".into()));
        }
        if over(self.executor.paths, limits.paths) {
            return Some(Halt::Limit("the limit on paths was reached".into()));
        }
        if self.pool.len() <= 1 && self.memory_exceeded() {
            return Some(Halt::Limit("the limit on memory was reached".into()));
        }
        if self.executor.stopping_errors > 0 {
            return Some(Halt::Limit("an error was found".into()));
        }
        match self.budget.check() {
            Ok(()) => None,
            Err(Exhausted::Deadline) => Some(Halt::Limit("the time limit was reached".into())),
            Err(Exhausted::Cancelled) => Some(Halt::Interrupted),
        }
    }

    fn report(&mut self) {
        if self.executor.instructions - self.last_report >= REPORT {
            self.last_report = self.executor.instructions;
            let progress = self.progress();
            self.executor.sink.progress(&progress);
        }
    }

    fn coverage(&self) -> Coverage {
        let program = &self.executor.program;
        let functions = program.functions.borrow();
        let mut coverage = Coverage::default();
        for code in program.known_codes() {
            if let Some((module, function)) = functions[code.function as usize].definition {
                let entered = code.entered.borrow();
                let entered = entered.iter().map(|&count| count > 0);
                let blocks = entered.zip(code.block_sizes.iter().copied());
                coverage.add((module, function.index() as u32), blocks.collect());
            }
        }
        coverage
    }

    fn coverage_and_profile(&self) -> Coverage {
        let mut coverage = self.coverage();
        if self.executor.settings.recording.profile {
            coverage.profile = self.executor.profile();
        }
        coverage
    }

    fn progress(&self) -> Progress {
        let executor = &self.executor;
        let (covered, covered_instructions) = self.coverage().counts();
        Progress {
            instructions: executor.instructions,
            states: self.pool.len(),
            paths: executor.paths,
            forks: executor.forks,
            covered,
            covered_instructions,
            dropped: executor.dropped,
            peak_states: self.peak,
            objects: executor.objects,
            queries: executor.chain.statistics(),
        }
    }
}
