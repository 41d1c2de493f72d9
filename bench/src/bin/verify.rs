//! `bench-verify`: verification beside Boogie, a second process, and edit sessions [FGC §5].
//!
//! Inputs are Boogie programs under `$STET_CORPUS/boogie/dafny` (or `../shared/corpus` beside the workspace) and the
//! programs of `bench/verify` with their edits. CPU times include child processes.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use stet_base::{Budget, SourceMap};
use stet_bench::plot::{Chart, Series, page};
use stet_bench::verify_bookkeeping::{Bench, children};
use stet_bench::verify_series::{Session, project, recorded, scripted};
use stet_fuzz::verify::edits::{Choices, Subject, Verifier};
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::{Config, Mode, Store};
use stet_verify::{
    Boogie, Caching, Conclusion, FrontEnd, ImplementationResult, Obligation, Options, Origin,
    Priority,
};

/// Scripted sessions are made of all generated programs with at least this many implementations, of which Boogie
/// verifies the whole in at most [`SESSION_TIME`] according to `results.tsv`: an edit touches one of them, so programs of
/// two or three say nothing about reuse; and there is a limit to what a benchmark may take without caching.
const SESSION_IMPLEMENTATIONS: usize = 6;
/// CPU seconds.
const SESSION_TIME: f64 = 20.0;
/// How long an implementation may take in an edit session, as in [FGC §5].
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Sessions are also made of projects of that many programs: those of [FGC §5] have several hundred lines, these programs
/// are shorter. Each begins half as many further on in the table, and the table begins again after its end.
const PROJECT: usize = 4;
/// What their names begin with.
const PROJECT_NAME: &str = "project-";

/// Verification beside Boogie, a second process, and edit sessions; without a choice, everything.
#[derive(Parser)]
#[command(name = "bench-verify")]
struct Arguments {
    /// Programs generated from Dafny, beside Boogie.
    #[arg(long)]
    peers: bool,
    /// Small files, beside Boogie.
    #[arg(long)]
    small: bool,
    /// What the cache's bookkeeping costs.
    #[arg(long)]
    bookkeeping: bool,
    /// Edit sessions with no, basic and fine-grained caching.
    #[arg(long)]
    sessions: bool,
    /// Also tell for every snapshot what it cost in each configuration.
    #[arg(long)]
    detail: bool,
    /// Append everything the provers of the sessions are told to a file.
    #[arg(long, value_name = "FILE")]
    prover_log: Option<PathBuf>,
    /// Snapshots of a scripted session.
    #[arg(long, value_name = "N", default_value_t = 24)]
    snapshots: usize,
    /// Only what has this in its name.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Write the figures of the sessions there.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the snapshots of the sessions into files there, and do not verify them.
    #[arg(long, value_name = "DIRECTORY")]
    write: Option<PathBuf>,
}

fn main() -> std::process::ExitCode {
    let options = Arguments::parse();
    let chosen = [
        options.peers,
        options.small,
        options.bookkeeping,
        options.sessions,
    ];
    let all = !chosen.contains(&true);
    let corpus = corpus();
    if corpus.is_none() {
        println!("no corpus: set STET_CORPUS to a directory with boogie/dafny/*.bpl");
    }
    let only = options.only.as_deref();
    if all || options.small {
        peers("small files", &small_files());
    }
    if let Some(corpus) = &corpus
        && (all || options.peers)
    {
        peers("programs generated from Dafny", &generated(corpus, only));
    }
    if let Some(corpus) = &corpus
        && (all || options.bookkeeping)
    {
        let mut files = small_files();
        files.retain(|file| only.is_none_or(|name| file.to_string_lossy().contains(name)));
        files.extend(generated(corpus, only));
        bookkeeping(&files);
    }
    if all || options.sessions {
        let sessions = all_sessions(corpus.as_deref(), options.snapshots, only);
        if let Some(directory) = &options.write {
            return write_snapshots(&sessions, directory);
        }
        if !play_all(&sessions, &options) {
            return std::process::ExitCode::from(1);
        }
    }
    std::process::ExitCode::SUCCESS
}

/// The generated programs in order, or the one whose name contains `only`.
fn generated(corpus: &Path, only: Option<&str>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "bpl"))
        .filter(|path| only.is_none_or(|name| path.to_string_lossy().contains(name)))
        .collect();
    files.sort();
    files
}

/// Small programs: our own, and one made up.
fn small_files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ["verify/arrays.bpl", "verify/queue.bpl"]
        .iter()
        .map(|name| directory.join(name))
        .collect();
    let examples = directory.join("../examples/verify");
    files.extend(["gcd.v2.bpl", "flag.v3.bpl"].map(|name| examples.join(name)));
    let made_up = std::env::temp_dir().join("stet-bench-small.bpl");
    let texts = (3..100).map(|seed| Subject::new(&mut Choices::new(seed)).text());
    // Boogie knows little about datatypes in programs with an order.
    let is_plain =
        |text: &str| !text.contains("is#") && !text.contains("i#") && !text.contains("<:");
    if let Some(text) = texts
        .into_iter()
        .find(|text| is_plain(text) && is_program(text))
        && std::fs::write(&made_up, text).is_ok()
    {
        files.push(made_up);
    }
    files
}

fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("STET_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let further = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let places = given.into_iter().chain([beside, further]);
    places
        .map(|place| place.join("boogie/dafny"))
        .find(|place| place.is_dir())
}

/// CPU seconds of a command with its children, and the last line it prints.
fn cpu(command: &str) -> Option<(f64, String)> {
    let script = format!("TIMEFORMAT='cpu %U %S'; time {{ {command}; }} 2>/dev/null");
    let output = Command::new("bash").args(["-c", &script]).output().ok()?;
    let times = String::from_utf8_lossy(&output.stderr).into_owned();
    let times = times.lines().rev().find_map(|l| l.strip_prefix("cpu "))?;
    let seconds = times.split(' ').filter_map(|t| t.parse::<f64>().ok()).sum();
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().rev().find(|line| !line.is_empty())?;
    Some((seconds, last.to_owned()))
}

/// As [`cpu`], the mean of several runs.
fn mean_cpu(times: usize, command: &str) -> Option<(f64, String)> {
    let list: Vec<String> = (0..times).map(|i| i.to_string()).collect();
    let (seconds, last) = cpu(&format!("for i in {}; do {command}; done", list.join(" ")))?;
    Some((seconds / times as f64, last))
}

fn stet() -> Option<PathBuf> {
    let exe = std::env::current_exe().ok()?;
    let stet = exe.parent()?.join("stet");
    stet.exists().then_some(stet)
}

/// The counts in the last line of either program.
fn counts(line: &str) -> Vec<u64> {
    let line = line.split('(').next().unwrap_or(line);
    let words = line.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).collect()
}

fn peers(what: &str, files: &[PathBuf]) {
    let Some(stet) = stet() else {
        println!("no `stet` beside this program");
        return;
    };
    let stet = stet.display();
    println!("\nCPU seconds on {what}, one worker: boogie, without cache, in a second process");
    println!(
        "{:44} {:>8} {:>8} {:>6} {:>8} {:>7}  counts",
        "program", "boogie", "cold", "ratio", "second", "ratio"
    );
    let Ok(directory) = tempfile::tempdir() else {
        println!("no temporary directory");
        return;
    };
    let (mut sums, mut count) = ([0.0; 3], 0);
    for file in files {
        let path = file.display();
        let store = directory.path().join(format!("{count}.db"));
        let store = store.display();
        let limits = "--jobs 1 --procedure-time-limit 300";
        // Short runs vary much: the mean of several, of both.
        let is_short = std::fs::metadata(file).is_ok_and(|data| data.len() < 1 << 16);
        let times = if is_short { 5 } else { 1 };
        let boogie = mean_cpu(
            times,
            &format!("boogie /nologo /timeLimit:300 '{path}' | tail -1"),
        );
        let cold = mean_cpu(
            times,
            &format!("{stet} verify --cache off {limits} '{path}'"),
        );
        let verify = format!("{stet} verify --store '{store}' {limits} '{path}'");
        let _ = cpu(&verify);
        let warm = mean_cpu(10, &verify);
        let (Some(b), Some(c), Some(w)) = (boogie, cold, warm) else {
            println!("{path}: not run");
            continue;
        };
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let same = counts(&b.1).get(..2) == counts(&c.1).get(..2) && counts(&c.1) == counts(&w.1);
        println!(
            "{name:44} {:8.2} {:8.2} {:6.3} {:8.3} {:7.4}  {}",
            b.0,
            c.0,
            c.0 / b.0,
            w.0,
            w.0 / b.0,
            if same {
                "same".to_owned()
            } else {
                format!("DIFFER: {} / {} / {}", b.1, c.1, w.1)
            }
        );
        for (sum, value) in sums.iter_mut().zip([b.0, c.0, w.0]) {
            *sum += value;
        }
        count += 1;
    }
    let [b, c, w] = sums;
    println!(
        "{:44} {b:8.2} {c:8.2} {:6.3} {w:8.3} {:7.4}",
        "together",
        c / b,
        w / b
    );
}

/// What keeping verdicts costs a cold run.
fn bookkeeping(files: &[PathBuf]) {
    let (Some(config), Ok(directory)) = (prover(), tempfile::tempdir()) else {
        println!("no prover, or no temporary directory");
        return;
    };
    println!(
        "\nCPU milliseconds of a cold run without cache, prover included; how much more it takes with a new store and with one \
         that exists, in percent; questions to the prover without cache and with"
    );
    println!(
        "{:44} {:>9} {:>7} {:>7} {:>7} {:>7}  questions",
        "program", "off", "new", "%", "exists", "%"
    );
    let bench = Bench {
        config,
        directory: directory.path(),
    };
    let (mut sums, mut logarithms, mut counted) = ([0.0; 3], [0.0; 2], 0);
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let Some(costs) = bench.measure(&text) else {
            println!("{name:44} cannot be verified");
            continue;
        };
        let percent = costs.more.map(|more| 100.0 * more / costs.off);
        println!(
            "{name:44} {:9.1} {:7.1} {:7.2} {:7.1} {:7.2}  {} {}",
            costs.off,
            costs.more[0],
            percent[0],
            costs.more[1],
            percent[1],
            costs.questions[0],
            costs.questions[1]
        );
        let values = [costs.off, costs.more[0], costs.more[1]];
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
        for (sum, percent) in logarithms.iter_mut().zip(percent) {
            *sum += (1.0 + percent / 100.0).ln();
        }
        counted += 1;
    }
    let [off, new, existing] = sums;
    println!(
        "{:44} {off:9.1} {new:7.1} {:7.2} {existing:7.1} {:7.2}",
        "together",
        100.0 * new / off,
        100.0 * existing / off
    );
    let mean = logarithms.map(|sum: f64| 100.0 * ((sum / f64::from(counted)).exp() - 1.0));
    println!(
        "{:44} {:9} {:7} {:7.2} {:7} {:7.2}",
        "geometric mean", "", "", mean[0], "", mean[1]
    );
}

/// The prover of what runs in this process.
fn prover() -> Option<ProverConfig> {
    let path = locate(ProverKind::Z3, None).ok()?;
    let config = ProverConfig::new(ProverKind::Z3, path);
    Some(config)
}

/// The programs sessions are made of, by the rule above; in the order of the table.
fn session_programs(corpus: &Path) -> Vec<String> {
    let table = match std::fs::read_to_string(corpus.join("results.tsv")) {
        Ok(table) => table,
        Err(error) => {
            println!("results.tsv: {error}");
            return Vec::new();
        }
    };
    let mut lines = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let column = |name: &str| header.iter().position(|column| *column == name);
    let (Some(program), Some(implementations), Some(time)) =
        (column("program"), column("impls"), column("boogie_cpu_s"))
    else {
        println!("results.tsv: no columns program, impls, boogie_cpu_s");
        return Vec::new();
    };
    let fits = |row: &Vec<&str>| {
        let number = |column: usize| row.get(column).and_then(|field| field.parse::<f64>().ok());
        number(implementations).is_some_and(|n| n >= SESSION_IMPLEMENTATIONS as f64)
            && number(time).is_some_and(|t| t <= SESSION_TIME)
    };
    lines
        .filter(fits)
        .filter_map(|row| Some((*row.get(program)?).to_owned()))
        .collect()
}

fn all_sessions(corpus: Option<&Path>, snapshots: usize, only: Option<&str>) -> Vec<Session> {
    let mut found = recorded();
    let programs = corpus.map(generated_programs).unwrap_or_default();
    for (number, (name, text)) in programs.into_iter().enumerate() {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let fits = |text: &str| is_program(text);
        let seed = number as u64 + 1;
        let Some(judge) = Judge::new() else {
            println!("no prover found");
            break;
        };
        if judge.gives_up(&text) {
            println!("{name}: left out, because not all of it is decided in time");
            continue;
        }
        let complaints = |text: &str| judge.complaints(text);
        let session = scripted(&name, &text, snapshots, seed, &fits, &complaints);
        found.push(session);
    }
    found.retain(|session| only.is_none_or(|only| session.name.contains(only)));
    found
}

/// The texts sessions are made of, with their names: single programs, and projects of [`PROJECT`] of them.
fn generated_programs(corpus: &Path) -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for name in session_programs(corpus) {
        match std::fs::read_to_string(corpus.join(format!("{name}.bpl"))) {
            Ok(text) => programs.push((name, text)),
            Err(error) => println!("{name}: {error}"),
        }
    }
    let single = programs.len();
    if single < PROJECT {
        return programs;
    }
    for first in (0..single).step_by(PROJECT / 2) {
        let parts: Vec<String> = (first..first + PROJECT)
            .map(|i| programs[i % single].1.clone())
            .collect();
        let name = format!("{PROJECT_NAME}{}", first / (PROJECT / 2) + 1);
        programs.push((name, project(&parts)));
    }
    programs
}

/// Writes all snapshots to files, to be looked at one by one.
fn write_snapshots(sessions: &[Session], directory: &Path) -> std::process::ExitCode {
    for session in sessions {
        for (number, text) in session.texts.iter().enumerate() {
            let path = directory.join(format!("{}.v{number}.bpl", session.name));
            if let Err(error) = std::fs::write(&path, text) {
                println!("{}: {error}", path.display());
                return std::process::ExitCode::from(2);
            }
        }
    }
    std::process::ExitCode::SUCCESS
}

/// CPU seconds of this process and of its children that ended.
fn cpu_so_far() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or("").split(' ');
    let ticks: f64 = fields
        .skip(11)
        .take(4)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

/// CPU milliseconds of this process and of the provers that run now.
fn cpu_now() -> (f64, f64) {
    let own = cpu_time::ProcessTime::now().as_duration();
    (own.as_secs_f64() * 1000.0, children())
}

/// Whether a text is a Boogie program.
fn is_program(text: &str) -> bool {
    let mut sources = SourceMap::new();
    let file = sources.add("session.bpl", text);
    file.is_some_and(|file| {
        let read = || Boogie.read(&sources, &[file]).program.is_some();
        stet_base::deep_stack(read)
    })
}

/// What was found about one implementation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Verdict {
    is_verified: bool,
    /// Whether nothing was left open.
    is_complete: bool,
    errors: usize,
}

/// Whether all was decided in time.
fn is_complete(result: &ImplementationResult) -> bool {
    let is_open = |o: &Obligation| o.verdict == stet_verify::Verdict::Unknown;
    matches!(result.conclusion, Conclusion::Verified | Conclusion::Errors)
        && !result.obligations.iter().any(is_open)
}

/// Who says in a scripted session what does not verify.
struct Judge {
    verifier: Verifier,
    options: Options,
    store: Arc<Store>,
}

impl Judge {
    fn new() -> Option<Judge> {
        let mut options = Options::new(prover()?);
        options.caching = Caching::Fine;
        options.time_limit = Some(TIME_LIMIT);
        Some(Judge {
            verifier: Verifier::new(&Budget::unlimited()),
            options,
            store: Store::in_memory(),
        })
    }

    fn results(&self, text: &str) -> Vec<ImplementationResult> {
        snapshot(&self.verifier, text, &self.options, &self.store).unwrap_or_default()
    }

    /// Whether something is not decided in time. In a session that would be asked about again after every edit.
    fn gives_up(&self, text: &str) -> bool {
        !self.results(text).iter().all(is_complete)
    }

    fn complaints(&self, text: &str) -> usize {
        let results = self.results(text);
        let of = |r: &ImplementationResult| r.errors.len() + usize::from(!is_complete(r));
        results.iter().map(of).sum()
    }
}

/// What one configuration did with one session.
#[derive(Default)]
struct Account {
    seconds: f64,
    /// Per snapshot: CPU milliseconds of this process and of the prover.
    costs: Vec<(f64, f64)>,
    time_outs: usize,
    verdicts: Vec<Vec<Verdict>>,
    /// Per snapshot: implementations by priority, highest first.
    priorities: Vec<[usize; 4]>,
    /// Per snapshot: checks solved, cached, partially cached, recycled.
    origins: Vec<[usize; 4]>,
}

/// Verifies all snapshots in one process with one prover. The first one, from scratch in every configuration, is the
/// state the session starts from and is not counted.
fn play(texts: &[String], options: &Options) -> Option<Account> {
    let store = Store::open(match options.caching {
        Caching::Off => Config::memory(Mode::Off),
        _ => Config::memory(Mode::ReadWrite),
    });
    let verifier = Verifier::new(&Budget::unlimited());
    let mut account = Account::default();
    let mut start = cpu_so_far();
    for (number, text) in texts.iter().enumerate() {
        let before = cpu_now();
        account.take(&snapshot(&verifier, text, options, &store)?);
        let after = cpu_now();
        account.costs.push((after.0 - before.0, after.1 - before.1));
        if number == 0 {
            // Provers are counted when they end: one for the first snapshot, one for the edits.
            verifier.stop();
            start = cpu_so_far();
        }
    }
    verifier.stop();
    account.seconds = cpu_so_far() - start;
    Some(account)
}

/// Verifies one snapshot as `stet verify` does.
fn snapshot(
    verifier: &Verifier,
    text: &str,
    options: &Options,
    store: &Store,
) -> Option<Vec<ImplementationResult>> {
    let checked = verifier.check(text, options, store)?;
    Some(checked.outcome.verdicts)
}

impl Account {
    fn take(&mut self, results: &[ImplementationResult]) {
        let verdicts = results.iter().map(|r| Verdict {
            is_verified: r.conclusion == Conclusion::Verified,
            is_complete: is_complete(r),
            errors: r.errors.len(),
        });
        self.verdicts.push(verdicts.collect());
        self.time_outs += results.iter().filter(|r| !is_complete(r)).count();
        let priorities = [
            Priority::Highest,
            Priority::High,
            Priority::Medium,
            Priority::Low,
        ];
        self.priorities
            .push(priorities.map(|p| results.iter().filter(|r| r.priority == p).count()));
        let origins = [
            Origin::Solved,
            Origin::Cached,
            Origin::Partial,
            Origin::Recycled,
        ];
        self.origins
            .push(origins.map(|o| results.iter().map(|r| r.count(o)).sum()));
    }
}

/// Snapshots with an implementation about which two accounts disagree. Caching is there to avoid time-outs, so what only one
/// of them decided is no disagreement.
fn disagreements(one: &Account, other: &Account) -> Vec<usize> {
    let disagree = |i: &usize| {
        let pairs = one.verdicts[*i].iter().zip(&other.verdicts[*i]);
        one.verdicts[*i].len() != other.verdicts[*i].len()
            || pairs
                .filter(|(a, b)| a.is_complete && b.is_complete)
                .any(|(a, b)| a != b)
    };
    (0..one.verdicts.len()).filter(disagree).collect()
}

fn play_all(sessions: &[Session], options: &Arguments) -> bool {
    let Some(mut config) = prover() else {
        println!("no prover found, or it does not say its version");
        return false;
    };
    config.log = options.prover_log.clone();
    println!(
        "\nEdit sessions, CPU seconds and time-outs: no caching, basic, fine-grained [FGC Fig. 6]"
    );
    println!(
        "{:40} {:>9} {:>8} {:>8} {:>8} {:>7} {:>7}  time-outs",
        "session", "snapshots", "NC", "BC", "FGC", "BC/NC", "FGC/BC"
    );
    let mut times: Vec<[f64; 3]> = Vec::new();
    let mut are_projects: Vec<bool> = Vec::new();
    let mut same = true;
    let mut shown: Option<(&str, Account)> = None;
    for session in sessions {
        let mut accounts = Vec::new();
        for caching in [Caching::Off, Caching::Basic, Caching::Fine] {
            let mut options = Options::new(config.clone());
            options.caching = caching;
            options.time_limit = Some(TIME_LIMIT);
            // Programs of front ends nest deeply, and a prover belongs to the thread that started it.
            match play(&session.texts, &options) {
                Some(account) => accounts.push(account),
                None => println!("{}: an edit does not type-check", session.name),
            }
        }
        let [nc, bc, fgc] = &accounts[..] else {
            same = false;
            continue;
        };
        for account in [bc, fgc] {
            for i in disagreements(nc, account) {
                same = false;
                println!(
                    "{}: VERDICTS DIFFER in snapshot {i}: {:?} {:?}",
                    session.name, nc.verdicts[i], account.verdicts[i]
                );
            }
        }
        println!(
            "{:40} {:9} {:8.2} {:8.2} {:8.2} {:7.3} {:7.3}  {} {} {}",
            session.name,
            session.texts.len(),
            nc.seconds,
            bc.seconds,
            fgc.seconds,
            bc.seconds / nc.seconds,
            fgc.seconds / bc.seconds,
            nc.time_outs,
            bc.time_outs,
            fgc.time_outs,
        );
        if options.detail {
            each_snapshot([nc, bc, fgc]);
        }
        times.push([nc.seconds, bc.seconds, fgc.seconds]);
        are_projects.push(session.name.starts_with(PROJECT_NAME));
        if let Some(account) = accounts.pop()
            && shown
                .as_ref()
                .is_none_or(|(_, a)| a.priorities.len() <= account.priorities.len())
        {
            shown = Some((&session.name, account));
        }
    }
    summary("together", &times);
    for (what, wanted) in [("single programs", false), ("projects", true)] {
        let rows = times.iter().zip(&are_projects);
        let rows = rows.filter(|(_, is_project)| **is_project == wanted);
        summary(what, &rows.map(|(row, _)| *row).collect::<Vec<_>>());
    }
    if let Some((name, account)) = shown {
        details(name, &account);
        if let Some(path) = &options.svg {
            draw(name, &account, &times, path);
        }
    }
    same
}

/// Sums over sessions with their ratios, and the geometric means of the sessions' ratios.
fn summary(what: &str, times: &[[f64; 3]]) {
    if times.is_empty() {
        return;
    }
    let sum = |column: usize| times.iter().map(|row| row[column]).sum::<f64>();
    let (nc, bc, fgc) = (sum(0), sum(1), sum(2));
    let mean = |over: usize, under: usize| {
        let logarithms = times.iter().map(|row| (row[over] / row[under]).ln());
        (logarithms.sum::<f64>() / times.len() as f64).exp()
    };
    println!(
        "{what:40} {:9} {nc:8.2} {bc:8.2} {fgc:8.2} {:7.3} {:7.3}",
        times.len(),
        bc / nc,
        fgc / bc
    );
    println!(
        "{:40} {:36} {:7.3} {:7.3}",
        "  geometric mean of the ratios",
        "",
        mean(1, 0),
        mean(2, 1)
    );
}

/// What every snapshot cost.
fn each_snapshot(accounts: [&Account; 3]) {
    println!(
        "  {:>8} {:>16} {:>16} {:>16}  verified, errors; checks solved (CPU milliseconds: own + prover)",
        "snapshot", "NC", "BC", "FGC"
    );
    for i in 0..accounts[0].costs.len() {
        let cost = |account: &Account| {
            let (own, prover) = account.costs[i];
            format!("{own:.1} + {prover:.1}")
        };
        let [nc, bc, fgc] = accounts.map(cost);
        let verdicts = accounts[0].verdicts[i].iter();
        let verified = verdicts.clone().filter(|v| v.is_verified).count();
        let errors: usize = verdicts.map(|v| v.errors).sum();
        let solved = accounts.map(|account| account.origins[i][0]);
        println!(
            "  {i:8} {nc:>16} {bc:>16} {fgc:>16}  {verified} {errors}; {} {} {}",
            solved[0], solved[1], solved[2]
        );
    }
}

/// [FGC Fig. 7 and 8] for one session.
fn details(name: &str, account: &Account) {
    println!(
        "\nSession {name}: implementations by priority [FGC Fig. 7], checks by origin [FGC Fig. 8]"
    );
    println!(
        "{:>8} {:>8} {:>5} {:>7} {:>4} {:>8} {:>7} {:>8} {:>9}",
        "snapshot", "highest", "high", "medium", "low", "solved", "cached", "partial", "recycled"
    );
    for (i, (p, o)) in account.priorities.iter().zip(&account.origins).enumerate() {
        println!(
            "{i:8} {:8} {:5} {:7} {:4} {:8} {:7} {:8} {:9}",
            p[0], p[1], p[2], p[3], o[0], o[1], o[2], o[3]
        );
    }
}

/// The figures as plots: [FGC Fig. 6] of all sessions, [FGC Fig. 7 and 8] of one.
fn draw(name: &str, account: &Account, times: &[[f64; 3]], path: &Path) {
    let counts = |rows: &[[usize; 4]]| -> Vec<[f64; 4]> {
        rows.iter().map(|row| row.map(|n| n as f64)).collect()
    };
    let mut sessions = chart(
        "CPU seconds by session (Fig. 6)",
        series(["no caching", "basic", "fine-grained"], 1, times),
    );
    sessions.x_label = "session".to_owned();
    sessions.y_label = "seconds".to_owned();
    sessions.log_y = true;
    let charts = [
        sessions,
        chart(
            &format!("Implementations by priority, {name} (Fig. 7)"),
            series(
                ["highest", "high", "medium", "low"],
                0,
                &counts(&account.priorities),
            ),
        ),
        chart(
            &format!("Checks by origin, {name} (Fig. 8)"),
            series(
                ["solved", "cached", "partially cached", "recycled"],
                0,
                &counts(&account.origins),
            ),
        ),
    ];
    match std::fs::write(path, page(&charts)) {
        Ok(()) => println!("plots written to {}", path.display()),
        Err(error) => println!("{}: {error}", path.display()),
    }
}

/// One line per column of a table; the first row is at `first`.
fn series<const N: usize>(names: [&str; N], first: usize, rows: &[[f64; N]]) -> Vec<Series> {
    let line = |(k, name): (usize, &&str)| Series {
        name: (*name).to_owned(),
        points: rows
            .iter()
            .enumerate()
            .map(|(i, row)| ((i + first) as f64, row[k]))
            .collect(),
    };
    names.iter().enumerate().map(line).collect()
}

fn chart(title: &str, series: Vec<Series>) -> Chart {
    Chart {
        title: title.to_owned(),
        x_label: "snapshot".to_owned(),
        y_label: "number".to_owned(),
        log_y: false,
        series,
    }
}
