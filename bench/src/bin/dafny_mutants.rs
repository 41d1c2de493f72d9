//! Damages Dafny programs and resolves them: a diagnostic is fine, a panic or a hang is not.
//!
//! `dafny-mutants CORPUS [COUNT] [SEED]` takes the programs below CORPUS in turn and exchanges, doubles, drops and nests their words;
//! each mutant has ten seconds. Some mutants are nested deeply or have huge numbers. It prints the mutants that panicked or took too
//! long, the slowest one and the memory used; the exit code is 1 if there was any of the former.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use stet_base::SourceMap;
use stet_dafny::{NoIncludes, check};

/// Random numbers, the same for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// How long a mutant may take.
const LIMIT: Duration = Duration::from_secs(10);

fn dafny_files(root: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(root) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            dafny_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "dfy") {
            out.push(path);
        }
    }
}

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
                    *random.pick(&[("(", ")"), ("[", "]"), ("{", "}"), ("!", ""), ("-", "")]);
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
    let mut files = Vec::new();
    dafny_files(&root, &mut files);
    let texts: Vec<String> = files
        .iter()
        .filter_map(|f| std::fs::read_to_string(f).ok())
        .collect();
    if texts.is_empty() {
        println!("no Dafny programs below {}", root.display());
        return ExitCode::FAILURE;
    }
    let mut random = Random(seed);
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
