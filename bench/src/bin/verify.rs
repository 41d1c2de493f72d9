//! `bench-verify`: verification beside Boogie, a second process, and edit sessions [FGC §5].
//!
//! `bench-verify [--peers] [--sessions] [--snapshots N] [--svg FILE]`; without a choice, everything. Inputs are
//! Boogie programs under `$STET_CORPUS/boogie/dafny` (or `../shared/corpus` beside the workspace); a session is a
//! series of scripted edits of one of them: checks are added, doubled, weakened, removed and put back, most of
//! the time in the implementation edited last. CPU times include child processes.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use stet_base::{Budget, SourceMap};
use stet_bench::plot::{Chart, Series, page};
use stet_bench::verify_edits::Random;
use stet_boogie::Program;
use stet_solve::pipe::{ProverConfig, ProverKind, identify, locate};
use stet_store::{Config, Mode, Store};
use stet_verify::{Caching, Context, Options, Origin, Outcome, Priority, verify};

/// Programs of the sessions: those whose proofs take well under a second each.
const SESSIONS: [&str; 8] = [
    "VSComp2010_Problem1-SumMax",
    "VSComp2010_Problem3-FindZero",
    "VSI-Benchmarks_b2",
    "dafny1_FindZero",
    "dafny1_MatrixFun",
    "dafny1_TerminationDemos",
    "dafny2_COST-verif-comp-2011-1-MaxArray",
    "vstte2012_Two-Way-Sort",
];

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let value = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let Some(corpus) = corpus() else {
        println!("no corpus: set STET_CORPUS to a directory with boogie/dafny/*.bpl");
        return std::process::ExitCode::from(2);
    };
    let all = !has("--peers") && !has("--sessions");
    if all || has("--peers") {
        peers(&corpus);
    }
    if all || has("--sessions") {
        let snapshots = value("--snapshots")
            .and_then(|n| n.parse().ok())
            .unwrap_or(21);
        let svg = value("--svg").map(PathBuf::from);
        if !sessions(&corpus, snapshots, svg.as_deref()) {
            return std::process::ExitCode::from(1);
        }
    }
    std::process::ExitCode::SUCCESS
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

fn peers(corpus: &Path) {
    let stet = std::env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.parent()?.join("stet")))
        .filter(|path| path.exists());
    let Some(stet) = stet else {
        println!("no `stet` beside this program");
        return;
    };
    let stet = stet.display();
    println!("CPU seconds, one worker; boogie is the installed peer");
    println!(
        "{:44} {:>8} {:>8} {:>6} {:>8} {:>7}",
        "program", "boogie", "stet", "ratio", "second", "ratio"
    );
    let directory = std::env::temp_dir().join(format!("stet-bench-{}", std::process::id()));
    let _ = std::fs::create_dir_all(&directory);
    let small = directory.join("small.bpl");
    let _ = std::fs::write(
        &small,
        stet_bench::verify_edits::Subject::new(&mut Random::new(3)).text(),
    );
    let mut files: Vec<PathBuf> = vec![small];
    files.extend(
        SESSIONS
            .iter()
            .map(|name| corpus.join(format!("{name}.bpl"))),
    );
    let (mut sums, mut count) = ([0.0; 3], 0);
    for file in &files {
        let path = file.display();
        let store = directory.join(format!("{count}.db"));
        let store = store.display();
        let boogie = cpu(&format!("boogie /nologo '{path}' | tail -1"));
        let cold = cpu(&format!("{stet} verify --cache off --jobs 1 '{path}'"));
        let _ = cpu(&format!(
            "{stet} verify --store '{store}' --jobs 1 '{path}'"
        ));
        let warm = cpu(&format!(
            "{stet} verify --store '{store}' --jobs 1 '{path}'"
        ));
        let (Some(b), Some(c), Some(w)) = (boogie, cold, warm) else {
            println!("{path}: not run");
            continue;
        };
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        println!(
            "{name:44} {:8.2} {:8.2} {:6.3} {:8.3} {:7.4}",
            b.0,
            c.0,
            c.0 / b.0,
            w.0,
            w.0 / b.0
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
    let _ = std::fs::remove_dir_all(&directory);
}

/// A session: one text per snapshot.
fn session(text: &str, snapshots: usize, random: &mut Random) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut found = vec![text.to_owned()];
    let mut removed: Vec<(usize, String)> = Vec::new();
    let mut focus = None;
    while found.len() < snapshots {
        let starts: Vec<usize> = (0..lines.len())
            .filter(|&i| lines[i].starts_with("implementation "))
            .collect();
        let start = match focus {
            // Most edits stay where the last one was.
            Some(start) if random.below(5) > 0 => start,
            _ => starts[random.below(starts.len())],
        };
        focus = Some(start);
        let end = (start..lines.len())
            .find(|&i| lines[i] == "}")
            .unwrap_or(start);
        let is_check = |line: &String| {
            let line = line.trim_start();
            line.starts_with("assert ") && line.ends_with(';') && !line.contains("{:")
        };
        let checks: Vec<usize> = (start..end).filter(|&i| is_check(&lines[i])).collect();
        if checks.is_empty() {
            focus = None;
            continue;
        }
        let at = checks[random.below(checks.len())];
        match random.below(5) {
            0 => {
                let condition = lines[at]
                    .trim()
                    .trim_start_matches("assert ")
                    .trim_end_matches(';');
                lines.insert(
                    at + 1,
                    format!("    assert ({condition}) || 0 < {};", found.len()),
                );
            }
            1 => lines.insert(at + 1, format!("    assert 0 <= {};", found.len())),
            2 => lines.insert(at, format!("    assume 0 <= {};", found.len())),
            3 => {
                let line = lines[at].clone();
                removed.push((at, line));
                lines[at] = "    assert true;".to_owned();
            }
            _ => match removed.pop() {
                Some((place, line))
                    if lines.get(place).is_some_and(|l| l == "    assert true;") =>
                {
                    lines[place] = line;
                }
                _ => lines.insert(
                    at,
                    format!("    assert {{:subsumption 0}} 1 <= {};", found.len()),
                ),
            },
        }
        found.push(lines.join("\n") + "\n");
    }
    found
}

fn read(text: &str) -> Option<Program> {
    let mut sources = SourceMap::new();
    let file = sources.add("session.bpl", text)?;
    let mut program = Program::default();
    if !stet_boogie::parse(&mut program, &sources, file, &[]).is_empty() {
        return None;
    }
    let (resolved, _) = stet_boogie::resolve(&mut program);
    if !stet_boogie::typecheck(&mut program, resolved).is_empty() {
        return None;
    }
    Some(program)
}

/// What one configuration did with one session.
#[derive(Default)]
struct Account {
    seconds: f64,
    verdicts: Vec<(usize, usize)>,
    /// Per snapshot: implementations by priority, highest first.
    priorities: Vec<[usize; 4]>,
    /// Per snapshot: checks solved, cached, partially cached, recycled.
    origins: Vec<[usize; 4]>,
}

fn play(texts: &[String], options: &Options) -> Option<Account> {
    let store = Store::open(match options.caching {
        Caching::Off => Config::memory(Mode::Off),
        _ => Config::memory(Mode::ReadWrite),
    });
    let mut account = Account::default();
    for text in texts {
        let start = Instant::now();
        let program = read(text)?;
        let context = Context {
            store: &store,
            subject: "session.bpl",
            budget: &Budget::unlimited(),
        };
        let run = verify(program, options, &context, &mut |_| {});
        account.seconds += start.elapsed().as_secs_f64();
        let verified = run
            .results
            .iter()
            .filter(|r| r.outcome == Outcome::Verified);
        let errors: usize = run.results.iter().map(|r| r.errors.len()).sum();
        account.verdicts.push((verified.count(), errors));
        account.priorities.push(
            [
                Priority::Highest,
                Priority::High,
                Priority::Medium,
                Priority::Low,
            ]
            .map(|p| run.results.iter().filter(|r| r.priority == p).count()),
        );
        account.origins.push(
            [
                Origin::Solved,
                Origin::Cached,
                Origin::Partial,
                Origin::Recycled,
            ]
            .map(|o| run.results.iter().map(|r| r.count(o)).sum()),
        );
    }
    Some(account)
}

fn sessions(corpus: &Path, snapshots: usize, svg: Option<&Path>) -> bool {
    let Ok(path) = locate(ProverKind::Z3, None) else {
        println!("no prover found");
        return false;
    };
    let config = ProverConfig::new(ProverKind::Z3, path);
    let Ok(identity) = identify(&config) else {
        println!("the prover does not say its version");
        return false;
    };
    println!(
        "\nSessions of {snapshots} snapshots, seconds: no caching, basic, fine-grained [FGC Fig. 6]"
    );
    println!(
        "{:44} {:>8} {:>8} {:>8} {:>7} {:>7}",
        "session", "NC", "BC", "FGC", "BC/NC", "FGC/BC"
    );
    let mut totals = [0.0; 3];
    let mut same = true;
    let mut shown: Option<Account> = None;
    for (number, name) in SESSIONS.iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(corpus.join(format!("{name}.bpl"))) else {
            println!("{name}: not in the corpus");
            continue;
        };
        let texts = session(&text, snapshots, &mut Random::new(number as u64 + 1));
        let mut accounts = Vec::new();
        for caching in [Caching::Off, Caching::Basic, Caching::Fine] {
            let mut options = Options::new(config.clone(), identity.clone());
            options.caching = caching;
            match play(&texts, &options) {
                Some(account) => accounts.push(account),
                None => println!("{name}: an edit does not type-check"),
            }
        }
        let [nc, bc, fgc] = &accounts[..] else {
            same = false;
            continue;
        };
        if nc.verdicts != bc.verdicts || nc.verdicts != fgc.verdicts {
            same = false;
            println!("{name}: VERDICTS DIFFER");
        }
        println!(
            "{name:44} {:8.2} {:8.2} {:8.2} {:7.3} {:7.3}",
            nc.seconds,
            bc.seconds,
            fgc.seconds,
            bc.seconds / nc.seconds,
            fgc.seconds / bc.seconds
        );
        for (total, account) in totals.iter_mut().zip(&accounts) {
            *total += account.seconds;
        }
        if number == 4 {
            shown = accounts.pop();
        }
    }
    let [nc, bc, fgc] = totals;
    println!(
        "{:44} {nc:8.2} {bc:8.2} {fgc:8.2} {:7.3} {:7.3}",
        "together",
        bc / nc,
        fgc / bc
    );
    if let Some(account) = shown {
        details(&account, svg);
    }
    same
}

/// [FGC Fig. 7 and 8] for one session.
fn details(account: &Account, svg: Option<&Path>) {
    println!(
        "\nSession {}: implementations by priority [FGC Fig. 7], checks by origin [FGC Fig. 8]",
        SESSIONS[4]
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
    let Some(path) = svg else { return };
    let series = |names: [&str; 4], rows: &[[usize; 4]]| -> Vec<Series> {
        names
            .iter()
            .enumerate()
            .map(|(k, name)| Series {
                name: (*name).to_owned(),
                points: rows
                    .iter()
                    .enumerate()
                    .map(|(i, row)| (i as f64, row[k] as f64))
                    .collect(),
            })
            .collect()
    };
    let charts = [
        chart(
            "Priorities of implementations",
            series(["highest", "high", "medium", "low"], &account.priorities),
        ),
        chart(
            "Checks by origin",
            series(
                ["solved", "cached", "partially cached", "recycled"],
                &account.origins,
            ),
        ),
    ];
    match std::fs::write(path, page(&charts)) {
        Ok(()) => println!("plots written to {}", path.display()),
        Err(error) => println!("{}: {error}", path.display()),
    }
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
