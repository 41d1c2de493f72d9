//! `bench-explore`: the evaluation of [AAQC §VI] on the programs built by `bench/explore/build` and on the
//! examples. Every run is a process of its own, so that memory is measured; see `--help`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use stet_base::{Budget, SourceMap};
use stet_bench::explore::command::Job;
use stet_bench::explore::programs::{self, Program, Source};
use stet_bench::explore::{self, Measured, Mode, Model, Run, reuse};
use stet_explore::query::{CacheMode, Naming, Narrowing};
use stet_explore::{
    Allocator, Config, Engine, Halt, Input, MemoryModel, Outcome, PathEnd, Progress, Request, Sink,
};

const HELP: &str = "\
usage: bench-explore [OPTION]... [PROGRAM]...

Explores PROGRAMs (m4 make sqlite apr libxml2 expat bash json-c, apr-fresh, examples hashtable pointers matrix, the overhead set, or .ll
files) depth first in every cache mode and prints Tables II-V and Figure 4. Without PROGRAM: those of the paper, and the examples.
Programs that are not built are named and left out. Libraries are built by bench/explore/build, whole programs by
scripts/explore-programs and scripts/explore-coreutils; whole programs need the `stet` beside this one, or in STET_BIN.

  --modes LIST         off,base,aware,renamed (default: all)
  --memory-model NAME  forking, segmented or both (default: both). As in the paper, segments of the base mode are laid out alike
                       on all paths (`--segment-reuse`), and those of the other modes are not
  --allocator NAME     bump (as the paper's, default) or per-state
  --time-limit SECONDS stop a run; it then counts for nothing (default: 3600)
  --instructions N     stop a run after N instructions, the same in all modes (default: the program's own limit; 0: run to the end)
  --cex-cache on|off   the counter-example cache (default: on)
  --narrowing NAME     simplification under the possible values of bytes: off, aware (with the address-aware cache, default), all
  --validate           solve every hit again and compare
  --repeat N           run N times and take the fastest
  --out DIR            write tables.txt, runs.csv and memory-MODEL.svg there
  --search dfs|bfs     the order (default: dfs)

Instead of programs: `hash` (the hash table and the matrix under many layouts), `states` (100,000 live states), `speed`
(concrete instructions, reading of IR text), `overhead` (libyaml and libosip, base and address-aware in turn), `cost [PROGRAM]...` (the
overhead set in instructions of the processor, counted by valgrind), `again [PROGRAM]...` (a second run from the store, two runs at
once), `edits [PROGRAM]...` (queries of an edited program answered by the version before: expat, json-c, m4), `hard [NAME]...` (programs
with queries that take solvers long, 60 seconds each; `--peers PYTHON` gives their queries to Z3 and Bitwuzla too).
";

struct Options {
    programs: Vec<String>,
    modes: Vec<Mode>,
    allocator: Allocator,
    models: Vec<Model>,
    limit: Duration,
    instructions: Option<u64>,
    counterexamples: bool,
    validate: bool,
    narrowing: Narrowing,
    repeat: u32,
    out: Option<PathBuf>,
    one: Option<PathBuf>,
    breadth_first: bool,
    peers: Option<PathBuf>,
    here: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = parse(&arguments).and_then(|options| match &options.one {
        Some(file) => one(file, &options),
        None => match options.programs.first().map(String::as_str) {
            Some("hash" | "states" | "speed" | "overhead") => musts(&options, &arguments),
            Some("cost" | "again" | "edits") => beyond(&options),
            Some("hard") => hard(&options),
            _ => all(&options, &arguments),
        },
    });
    match result {
        Ok(code) => code,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "bench-explore: {message}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        programs: Vec::new(),
        modes: Mode::ALL.to_vec(),
        allocator: Allocator::Bump,
        models: Model::ALL.to_vec(),
        limit: Duration::from_secs(3600),
        instructions: None,
        counterexamples: true,
        validate: false,
        narrowing: Narrowing::Aware,
        repeat: 1,
        out: None,
        one: None,
        breadth_first: false,
        peers: None,
        here: false,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--help" | "-h" => return Err(HELP.to_owned()),
            "--modes" => options.modes = modes(value()?)?,
            "--allocator" => {
                options.allocator = match value()?.as_str() {
                    "bump" => Allocator::Bump,
                    "per-state" => Allocator::PerState,
                    other => return Err(format!("no allocator `{other}`")),
                }
            }
            "--memory-model" => {
                options.models = match value()?.as_str() {
                    "forking" => vec![Model::Forking],
                    "segmented" => vec![Model::Segmented],
                    "both" => Model::ALL.to_vec(),
                    other => return Err(format!("no memory model `{other}`")),
                }
            }
            "--time-limit" => options.limit = Duration::from_secs(number(value()?)?),
            "--instructions" => options.instructions = Some(number(value()?)?),
            "--cex-cache" => options.counterexamples = value()? == "on",
            "--narrowing" => {
                options.narrowing = match value()?.as_str() {
                    "off" => Narrowing::Off,
                    "aware" => Narrowing::Aware,
                    "all" => Narrowing::All,
                    other => return Err(format!("no narrowing `{other}`")),
                }
            }
            "--validate" => options.validate = true,
            "--repeat" => options.repeat = number(value()?)? as u32,
            "--out" => options.out = Some(value()?.into()),
            "--search" => options.breadth_first = value()? == "bfs",
            "--peers" => options.peers = Some(value()?.into()),
            "--here" => options.here = true,
            "--one" => options.one = Some(value()?.into()),
            other if other.starts_with('-') => return Err(format!("no option `{other}`\n{HELP}")),
            program => options.programs.push(program.to_owned()),
        }
    }
    if options.programs.is_empty() {
        let all = programs::EXAMPLES.iter().chain(&programs::PAPER);
        options.programs = all.map(|program| program.name.to_owned()).collect();
    }
    Ok(options)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn modes(text: &str) -> Result<Vec<Mode>, String> {
    text.split(',')
        .map(|name| Mode::from_name(name).ok_or(format!("no mode `{name}`")))
        .collect()
}

/// Runs every program in every mode, each in its own process.
fn all(options: &Options, arguments: &[String]) -> Result<ExitCode, String> {
    let (mut measured, mut skipped) = (Vec::new(), String::new());
    for name in &options.programs {
        let program = Program::named(name);
        let file = match program.find() {
            Ok(file) => file,
            Err(missing) => {
                let line = format!("skipped: {name}: {missing}\n");
                let _ = write!(std::io::stderr(), "{line}");
                skipped += &line;
                continue;
            }
        };
        for &model in &options.models {
            let mut runs = Vec::new();
            for &mode in &options.modes {
                let run = measure(&program, &file, (model, mode), options, arguments)?;
                report(name, model, mode, &run);
                if !run.timed_out {
                    runs.push((mode, run));
                }
            }
            measured.push(Measured {
                program: name.clone(),
                model,
                runs,
            });
        }
    }
    tables(options, &measured, &skipped)
}

/// One run in a process of its own: of this program for IR text, of `stet` for a whole program.
fn measure(
    program: &Program,
    file: &Path,
    (model, mode): (Model, Mode),
    options: &Options,
    arguments: &[String],
) -> Result<Run, String> {
    let limit = options.limit_of(program);
    if program.source != Source::Text {
        let job = Job {
            program,
            file,
            mode,
            model,
            limit,
            seconds: options.limit.as_secs(),
            validate: options.validate,
            store: None,
        };
        return job.run();
    }
    let mut with = arguments.to_vec();
    with.extend(["--memory-model", model.name()].map(str::to_owned));
    with.extend(["--instructions".to_owned(), limit.unwrap_or(0).to_string()]);
    fastest(file, mode, options, &with)
}

fn report(program: &str, model: Model, mode: Mode, run: &Run) {
    let _ = writeln!(
        std::io::stderr(),
        "{program} {} {}: {} paths, {} solver queries, {:.2} s{}",
        model.name(),
        mode.name(),
        run.paths,
        run.solver,
        run.time.as_secs_f64(),
        match (run.timed_out, run.complete) {
            (true, _) => " (too slow: left out)",
            (_, true) => "",
            (_, false) => " (stopped)",
        }
    );
}

impl Options {
    /// After how many instructions runs of a program stop.
    fn limit_of(&self, program: &Program) -> Option<u64> {
        match self.instructions {
            Some(0) => None,
            Some(limit) => Some(limit),
            None => program.limit,
        }
    }
}

/// Prints the tables and writes them.
fn tables(options: &Options, measured: &[Measured], skipped: &str) -> Result<ExitCode, String> {
    let mut text = explore::text(measured);
    text += &explore::reductions(measured);
    text += &explore::averages(measured);
    text += &explore::validation(measured);
    text += &fewer_paths(measured);
    text += skipped;
    let _ = write!(std::io::stdout(), "{text}");
    if let Some(out) = &options.out {
        let write = |name: &str, content: &str| {
            std::fs::write(out.join(name), content).map_err(|error| format!("{name}: {error}"))
        };
        std::fs::create_dir_all(out).map_err(|error| error.to_string())?;
        write("tables.txt", &text)?;
        write("runs.csv", &explore::csv(measured))?;
        for &model in &options.models {
            let of_model = measured.iter().filter(|program| program.model == model);
            let own: Vec<Measured> = of_model.cloned().collect();
            for (name, chart) in explore::charts(&own) {
                write(&format!("{name}-{}.svg", model.name()), &chart)?;
            }
        }
    }
    let wrong = |program: &Measured| {
        !program.agrees() || program.runs.iter().any(|(_, run)| run.mismatches > 0)
    };
    Ok(
        match measured.iter().any(wrong) || text.contains("MISSED") {
            true => ExitCode::from(1),
            false => ExitCode::SUCCESS,
        },
    )
}

/// The tables that the paper does not have, and its overhead in instructions.
fn beyond(options: &Options) -> Result<ExitCode, String> {
    let (what, names) = options.programs.split_first().ok_or("nothing to do")?;
    let named: Vec<Program> = names.iter().map(|name| Program::named(name)).collect();
    let list = |all: &[Program]| match named.is_empty() {
        true => all.to_vec(),
        false => named.clone(),
    };
    let mut text = String::new();
    for &model in &options.models {
        let settings = reuse::Settings {
            model,
            instructions: options.instructions,
            seconds: options.limit.as_secs(),
        };
        text += &match what.as_str() {
            "cost" => reuse::cost(&list(&programs::OVERHEAD), settings)?,
            "again" => reuse::again(&list(&programs::PAPER), settings)?,
            _ => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let all = ["expat", "json-c", "m4"];
                let names = if names.is_empty() { &all[..] } else { &names };
                reuse::edited(names, settings)?
            }
        };
    }
    let _ = write!(std::io::stdout(), "{text}");
    if let Some(out) = &options.out {
        std::fs::create_dir_all(out).map_err(|error| error.to_string())?;
        let name = format!("{what}.txt");
        std::fs::write(out.join(&name), &text).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(
        match text.contains("MISSED") || text.contains(" NO") || text.contains(": NO") {
            true => ExitCode::from(1),
            false => ExitCode::SUCCESS,
        },
    )
}

/// Programs with hard queries; with `--here` one of them, in this process.
fn hard(options: &Options) -> Result<ExitCode, String> {
    let names = &options.programs[1..];
    let seconds = match options.limit.as_secs() {
        3600 => 60,
        seconds => seconds,
    };
    let say = |line: &str| {
        let _ = writeln!(std::io::stdout(), "{line}");
    };
    match (options.here, names) {
        (true, [name]) => say(&explore::hard::here(name, seconds, options.out.as_deref())?),
        _ => {
            let settings = explore::hard::Settings {
                names,
                seconds,
                peers: options.peers.as_deref(),
            };
            explore::hard::all(&settings, say)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the segmented model explores no more paths than the forking one and covers the same blocks.
fn fewer_paths(measured: &[Measured]) -> String {
    let mut out = String::new();
    for segmented in measured
        .iter()
        .filter(|program| program.model == Model::Segmented)
    {
        let forking = measured.iter().find(|program| {
            program.model == Model::Forking && program.program == segmented.program
        });
        let runs = forking.and_then(|forking| {
            let last = |program: &Measured| program.runs.last().map(|(_, run)| run.clone());
            Some((last(forking)?, last(segmented)?))
        });
        let Some((forking, segmented_run)) = runs else {
            continue;
        };
        if !forking.complete || !segmented_run.complete {
            continue;
        }
        // the examples must also reach the solver no more often
        let is_example = explore::paper(&segmented.program, Model::Forking).is_none();
        let holds = segmented_run.paths <= forking.paths
            && segmented_run.covered == forking.covered
            && (!is_example || segmented_run.solver <= forking.solver);
        let shown = |run: &Run| {
            format!(
                "{} paths, {} blocks, {} solver queries",
                run.paths, run.covered, run.solver
            )
        };
        out.push_str(&format!(
            "{}: forking {}; segmented {}: {}\n",
            segmented.program,
            shown(&forking),
            shown(&segmented_run),
            if holds { "ok" } else { "MISSED" }
        ));
    }
    out
}

/// The figures that have a bound of their own.
fn musts(options: &Options, arguments: &[String]) -> Result<ExitCode, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let written = |name: &str, text: &str| -> Result<PathBuf, String> {
        let file = scratch.path().join(name);
        std::fs::write(&file, text).map_err(|error| error.to_string())?;
        Ok(file)
    };
    let mut text = String::new();
    for what in &options.programs {
        let mut run = |program: &str, mode: Mode| {
            fastest(&Program::named(program).find()?, mode, options, arguments)
        };
        text += &match what.as_str() {
            "hash" => explore::hash_table(&mut run)?,
            "states" => {
                let file = written("states.ll", explore::STATES)?;
                let mut with = arguments.to_vec();
                with.extend(["--search", "bfs"].map(str::to_owned));
                explore::live_states(&fastest(&file, Mode::Renamed, options, &with)?)
            }
            "speed" => {
                let file = written("speed.ll", explore::SPEED)?;
                let concrete = fastest(&file, Mode::Renamed, options, arguments)?;
                let mut with = arguments.to_vec();
                with.extend(["--instructions", "1"].map(str::to_owned));
                let sqlite = Program::named("sqlite").find().ok();
                let large = sqlite.map(|file| fastest(&file, Mode::Renamed, options, &with));
                explore::speed(&concrete, large.transpose()?.as_ref())
            }
            "overhead" => overhead(options, arguments)?,
            other => {
                return Err(format!(
                    "`{other}` does not go with hash, states, speed, overhead"
                ));
            }
        };
    }
    let _ = write!(std::io::stdout(), "{text}");
    Ok(match text.contains("MISSED") {
        true => ExitCode::from(1),
        false => ExitCode::SUCCESS,
    })
}

/// What the address-aware cache costs programs that have little use for it.
fn overhead(options: &Options, arguments: &[String]) -> Result<String, String> {
    let once = Options {
        repeat: 1,
        programs: Vec::new(),
        modes: Vec::new(),
        out: None,
        one: None,
        peers: None,
        models: Vec::new(),
        ..*options
    };
    let mut run = |program: &str, mode: Mode| {
        let mut with = arguments.to_vec();
        if options.instructions.is_none() {
            // libosip's queries are over twenty bytes: it gets slow early
            let limit = match program {
                "libosip" => "300000",
                _ => "5000000",
            };
            with.extend(["--instructions", limit].map(str::to_owned));
        }
        fastest(&Program::named(program).find()?, mode, &once, &with)
    };
    explore::overhead(&mut run, &["libyaml", "libosip"], options.repeat.max(3))
}

fn fastest(
    file: &Path,
    mode: Mode,
    options: &Options,
    arguments: &[String],
) -> Result<Run, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut best: Option<Run> = None;
    for _ in 0..options.repeat.max(1) {
        let output = Command::new(&program)
            .args(arguments)
            .args(["--modes", mode.name(), "--one"])
            .arg(file)
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        let run = explore::from_lines(&String::from_utf8_lossy(&output.stdout));
        if best.as_ref().is_none_or(|known| run.time < known.time) {
            best = Some(run);
        }
    }
    best.ok_or("no run".to_owned())
}

struct Count {
    errors: u64,
    messages: bool,
}

impl Sink for Count {
    fn path(&mut self, end: PathEnd) {
        if let Outcome::Error(kind, message) = &end.outcome {
            self.errors += 1;
            if self.messages {
                let place = end.stack.first();
                let place = place.map(|at| format!("{}:{} {}", at.file, at.line, at.function));
                let place = place.unwrap_or_default();
                let _ = writeln!(std::io::stderr(), "{kind:?}: {message} at {place}");
            }
        }
    }
    fn warning(&mut self, message: &str) {
        if self.messages {
            let _ = writeln!(std::io::stderr(), "{message}");
        }
    }
    fn message(&mut self, _: &str) {}
    fn progress(&mut self, _: &Progress) {}
}

/// Explores one program in one mode and prints what was measured.
fn one(file: &Path, options: &Options) -> Result<ExitCode, String> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let read = processor_time().unwrap_or_default();
    let input = read_input(&text)?;
    let reading = processor_time().unwrap_or_default().saturating_sub(read);
    let mode = *options.modes.last().ok_or("no mode")?;
    let mut config = Config::standard();
    config.allocator = options.allocator;
    config.memory = match options.models[..] {
        [Model::Segmented] => MemoryModel::Segmented {
            reuse: mode == Mode::Base,
        },
        _ => MemoryModel::Forking,
    };
    if options.breadth_first {
        config.search = vec![stet_explore::Search::Bfs];
    }
    config.limits.instructions = options.instructions.filter(|&limit| limit > 0);
    config.capture_output = false;
    config.query.query_cache = match mode {
        Mode::Off => CacheMode::Off,
        Mode::Base => CacheMode::Base,
        Mode::Aware | Mode::Renamed => CacheMode::AddressAware,
    };
    config.query.naming = match mode {
        Mode::Renamed => Naming::Renamed,
        _ => Naming::Exact,
    };
    config.query.counterexample_cache = options.counterexamples;
    config.query.validate = options.validate;
    config.query.narrowing = options.narrowing;
    let start = Instant::now();
    let mut sink = Count {
        errors: 0,
        messages: std::env::var_os("STET_BENCH_VERBOSE").is_some(),
    };
    let budget = Budget::unlimited().limited_to(options.limit);
    let request = Request {
        input,
        config: &config,
        store: None,
        budget: &budget,
        part: None,
    };
    let explored = Engine::new().explore(request, &mut sink);
    let summary = explored.map_err(|error| error.to_string())?;
    let queries = &summary.progress.queries;
    let run = Run {
        paths: summary.progress.paths,
        errors: sink.errors,
        instructions: summary.progress.instructions,
        covered: summary.progress.covered.0,
        total: queries.total,
        c1: queries.passed_to_cache,
        c2: queries.of_program,
        c3: queries.address_dependent,
        solver: queries.solver_queries(),
        store_hits: 0,
        cache: match mode {
            Mode::Aware | Mode::Renamed if queries.aware_entries > 0 => queries.aware_entries,
            _ => queries.base_entries,
        },
        layout_dependent: queries.layout_dependent,
        uncertified: queries.uncertified,
        validated: queries.validated,
        mismatches: queries.mismatches,
        complete: summary.halt == Halt::Complete,
        timed_out: matches!(&summary.halt, Halt::Limit(what) if what.contains("time")),
        time: processor_time().unwrap_or(start.elapsed()),
        solver_time: queries.solver.time,
        memory: peak_memory().unwrap_or(0),
        states: summary.progress.peak_states as u64,
        text: text.len() as u64,
        reading,
    };
    if sink.messages {
        let counters = queries.counters();
        let _ = writeln!(std::io::stderr(), "{counters:?}\n{:?}", queries.times());
    }
    let _ = write!(std::io::stdout(), "{}", explore::to_lines(&run));
    Ok(ExitCode::SUCCESS)
}

fn read_input(text: &str) -> Result<Input, String> {
    let input = Input::of_text(&mut SourceMap::new(), "program.ll", text);
    input.map_err(|error| error.message.clone())
}

/// Time on the processor, from the kernel's count.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// The most memory this process had.
fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
