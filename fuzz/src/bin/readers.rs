//! Mutated inputs through every reader and decoder, in child processes, with panics, aborts and hangs found.
//!
//! `fuzz-readers [--seconds N | --cases N] [--first CASE] [--target NAME] [--limit SECONDS] [--memory MIB]`
//!
//! `--seconds` (20) is for each target, or `--cases` says how many there are; `--limit` (10) is what one case may take, `--memory` (2048)
//! the address space of the process. A failing case is printed with
//! its number and written to `out/fuzz/TARGET-CASE`; `fuzz-readers --target NAME --case N` runs it alone.

use clap::Parser;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use stet_fuzz::readers::{TARGETS, Target, case};

/// Mutated inputs through every reader and decoder, in child processes.
#[derive(Parser)]
#[command(name = "fuzz-readers")]
struct Options {
    /// Seconds for each target.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Cases of each target, instead of a time.
    #[arg(long)]
    cases: Option<u64>,
    /// Mebibytes of address space.
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// The number of the first case.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Seconds one case may take.
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// One target only.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(TARGETS.iter().map(|target| target.name)))]
    target: Option<String>,
    /// Run this case alone.
    #[arg(long)]
    case: Option<u64>,
    #[arg(long, hide = true)]
    child: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let chosen = |target: &&Target| {
        options
            .target
            .as_deref()
            .is_none_or(|name| name == target.name)
    };
    let mut failures = 0;
    for target in TARGETS.iter().filter(chosen) {
        match options.case {
            Some(number) => run_one(target, number),
            None if options.child => run_all(target, options.first, options.cases),
            None => failures += supervise(target, &options),
        }
    }
    match failures {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn run_one(target: &Target, number: u64) {
    (target.run)(&case(target, &(target.seeds)(), number));
    say(&format!("{} case {number}: came back", target.name));
}

/// The child: says the number of each case before it, until nobody listens or all are done.
fn run_all(target: &Target, first: u64, cases: Option<u64>) {
    let seeds = (target.seeds)();
    let mut out = std::io::stdout();
    let mut number = first;
    while writeln!(out, "{number}").and_then(|()| out.flush()).is_ok() {
        if cases.is_some_and(|cases| number >= cases) {
            return;
        }
        (target.run)(&case(target, &seeds, number));
        number += 1;
    }
}

/// How a child ended before its time.
enum End {
    /// It was stopped by us after its time.
    Time,
    /// All cases are done.
    Done,
    Crash(String),
    Hang,
}

/// Runs cases of a target for its time; returns the failures.
fn supervise(target: &Target, options: &Options) -> u64 {
    let seconds = match options.cases {
        Some(cases) => cases.saturating_mul(options.limit).max(1),
        None => options.seconds,
    };
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut first, mut failures) = (options.first, 0);
    while Instant::now() < deadline && failures < 10 {
        let (last, end) = run_child(target, first, deadline, options);
        let what = match end {
            End::Time | End::Done => {
                first = last;
                break;
            }
            End::Crash(why) => why,
            End::Hang => format!("takes more than {} s", options.limit),
        };
        failures += 1;
        say(&format!("{} case {last}: {what}", target.name));
        keep(target, last);
        first = last + 1;
    }
    say(&format!(
        "{:<10} {} cases, {failures} failures",
        target.name,
        first - options.first
    ));
    failures
}

fn run_child(target: &Target, first: u64, deadline: Instant, options: &Options) -> (u64, End) {
    let limit = Duration::from_secs(options.limit);
    let end = options.cases.map(|cases| options.first + cases);
    let Ok(program) = std::env::current_exe() else {
        return (first, End::Crash("this program has no path".to_owned()));
    };
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v $1; shift; exec \"$@\"", "sh"])
        .arg((options.memory * 1024).to_string())
        .arg(program)
        .args(["--child", "--target", target.name])
        .args(["--first", &first.to_string()]);
    if let Some(end) = end {
        command.args(["--cases", &end.to_string()]);
    }
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return (first, End::Crash("it cannot be started".to_owned()));
    };
    let lines = numbers(&mut child);
    let mut last = first;
    let mut since = Instant::now();
    loop {
        let wait = limit
            .saturating_sub(since.elapsed())
            .min(Duration::from_millis(200));
        match lines.recv_timeout(wait.max(Duration::from_millis(1))) {
            Ok(number) => {
                last = number;
                since = Instant::now();
            }
            Err(RecvTimeoutError::Disconnected) if end == Some(last) => {
                stop(&mut child);
                return (last, End::Done);
            }
            Err(RecvTimeoutError::Disconnected) => return (last, End::Crash(reason(&mut child))),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let is_hanging = since.elapsed() >= limit;
        if is_hanging || (Instant::now() >= deadline && since.elapsed() < limit) {
            // At the end of the time a case under way gets its limit, too.
            if !is_hanging && lines.recv_timeout(limit).is_err() {
                stop(&mut child);
                return (last, End::Hang);
            }
            stop(&mut child);
            return (last, if is_hanging { End::Hang } else { End::Time });
        }
    }
}

fn numbers(child: &mut Child) -> Receiver<u64> {
    let (sender, receiver) = channel();
    let output = child.stdout.take();
    std::thread::spawn(move || {
        let Some(output) = output else { return };
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if line
                .parse()
                .is_ok_and(|number| sender.send(number).is_err())
            {
                return;
            }
        }
    });
    receiver
}

fn reason(child: &mut Child) -> String {
    let status = child
        .wait()
        .map_or_else(|error| error.to_string(), |status| status.to_string());
    let mut text = String::new();
    if let Some(mut errors) = child.stderr.take() {
        // Whatever can be read of it helps.
        let _ = errors.read_to_string(&mut text);
    }
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty())
        .take(3)
        .collect();
    format!("{status}: {}", lines.join(" | "))
}

fn stop(child: &mut Child) {
    // A child that has ended already needs no stopping.
    let _ = child.kill();
    let _ = child.wait();
}

fn keep(target: &Target, number: u64) {
    let input = case(target, &(target.seeds)(), number);
    let path = format!("out/fuzz/{}-{number}", target.name);
    // The number is enough to make it again.
    let _ = std::fs::create_dir_all("out/fuzz").and_then(|()| std::fs::write(path, input));
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
