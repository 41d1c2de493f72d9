//! Damages Dafny programs and resolves them: a diagnostic is fine, a panic or a hang is not.
//!
//! `fuzz-dafny-mutants CORPUS [COUNT] [SEED]` takes the programs below CORPUS in turn and exchanges, doubles, drops and nests their words;
//! each mutant has ten seconds. Some mutants are nested deeply or have huge numbers. It prints the mutants that panicked or took too
//! long, the slowest one and the memory used; the exit code is 1 if there was any of the former.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use stet_base::SourceMap;
use stet_dafny::{NoIncludes, check};
use stet_fuzz::dafny::subject::dafny_files;
use stet_testkit::Random;

/// How long a mutant may take.
const LIMIT: Duration = Duration::from_secs(10);

fn words(text: &str) -> Vec<String> {
    let breaks = [
        ' ', '\n', '(', ')', '{', '}', '[', ']', ';', ',', ':', '.', '<', '>',
    ];
    text.split_inclusive(breaks).map(str::to_owned).collect()
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut list = words(text);
    let foreign = words(other);
    for _ in 0..=random.below(6) {
        if list.is_empty() || foreign.is_empty() {
            break;
        }
        let at = random.below(list.len() as u64) as usize;
        match random.below(8) {
            0 => {
                list.remove(at);
            }
            1 => {
                let word = list[at].clone();
                list.insert(at, word);
            }
            2 => {
                let to = random.below(list.len() as u64) as usize;
                list.swap(at, to);
            }
            3 => list[at] = random.pick(&foreign).clone(),
            4 => {
                let deep = 1 + random.below(3000) as usize;
                let (open, close) =
                    random.pick(&[("(", ")"), ("[", "]"), ("{", "}"), ("!", ""), ("-", "")]);
                list[at] = format!("{}{}{}", open.repeat(deep), list[at], close.repeat(deep));
            }
            5 => list[at] = "9".repeat(1 + random.below(5000) as usize),
            6 => list.truncate(at),
            _ => {
                let end = (at + random.below(40) as usize).min(list.len());
                let part: Vec<String> = list[at..end].to_vec();
                let to = random.below(list.len() as u64) as usize;
                list.splice(to..to, part);
            }
        }
    }
    list.concat()
}

fn try_one(text: &str) -> Result<Duration, &'static str> {
    let (send, receive) = mpsc::channel();
    let text = text.to_owned();
    let start = Instant::now();
    let thread = std::thread::spawn(move || {
        let mut sources = SourceMap::new();
        if let Some(file) = sources.add("mutant.dfy", text) {
            check(&mut sources, &[file], &mut NoIncludes);
        }
        let _ = send.send(());
    });
    match receive.recv_timeout(LIMIT) {
        Ok(()) => Ok(start.elapsed()),
        Err(mpsc::RecvTimeoutError::Timeout) => Err("took more than ten seconds"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let _ = thread.join();
            Err("panicked")
        }
    }
}

/// The most memory this process ever used, in megabytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = PathBuf::from(args.first().map_or(".", String::as_str));
    let count: usize = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(5000);
    let seed: u64 = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(1);
    let files = dafny_files(&root);
    let texts: Vec<String> = files
        .iter()
        .filter_map(|f| std::fs::read_to_string(f).ok())
        .collect();
    if texts.is_empty() {
        println!("no Dafny programs below {}", root.display());
        return ExitCode::FAILURE;
    }
    let mut random = Random::new(seed);
    let (mut slowest, mut bad) = (Duration::ZERO, 0);
    for i in 0..count {
        let mutant = mutate(
            &texts[i % texts.len()],
            random.pick(&texts).as_str(),
            &mut random,
        );
        match try_one(&mutant) {
            Ok(time) => slowest = slowest.max(time),
            Err(what) => {
                bad += 1;
                let path = std::env::temp_dir().join(format!("dafny-mutant-{seed}-{i}.dfy"));
                let _ = std::fs::write(&path, &mutant);
                println!("mutant {i} {what}: {}", path.display());
            }
        }
    }
    println!(
        "{count} mutants, {bad} bad; slowest {:.2} s; peak memory {} MB",
        slowest.as_secs_f64(),
        peak_memory().map_or_else(|| "?".to_owned(), |m| m.to_string())
    );
    if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
