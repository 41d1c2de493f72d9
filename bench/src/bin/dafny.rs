//! `bench-dafny`: edit sessions on Dafny programs; what reuse saves, and how long an edit takes.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use clap::Parser;
use std::path::PathBuf;
use std::time::Duration;
use stet_bench::dafny_edits::{Tally, Trio};
use stet_fuzz::dafny::subject::{dafny_files, file_name};

/// Plays edit sessions on programs of a folder, in one process, without reuse, with basic and with fine reuse.
#[derive(Parser)]
#[command(name = "bench-dafny")]
struct Options {
    /// A folder with Dafny programs.
    programs: PathBuf,
    /// How many programs that verify get a session; they are spread over the folder.
    #[arg(long, default_value_t = 40)]
    sessions: usize,
    /// How many programs make a project, each in a module of its own.
    #[arg(long, default_value_t = 1)]
    together: usize,
    /// Edits in a session.
    #[arg(long, default_value_t = 8)]
    edits: usize,
    /// Where the choices start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds for each implementation.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
}

fn main() -> std::process::ExitCode {
    let options = Options::parse();
    // In a debug build, too, only what is asked for is measured.
    stet_store::recheck_share(0.0);
    let Some(mut trio) = Trio::new(Duration::from_secs(options.seconds)) else {
        println!("no prover found");
        return std::process::ExitCode::from(2);
    };
    let files = dafny_files(&options.programs);
    let mut tally = Tally::default();
    // Coprime to most lengths: programs of one origin lie side by side.
    let wanted = options.sessions.max(1) * options.together.max(1);
    let stride = (files.len() / wanted).max(1) | 1;
    let mut project: Vec<String> = Vec::new();
    for number in 0..files.len() {
        if tally.sessions == options.sessions {
            break;
        }
        let path = &files[(number * stride) % files.len()];
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let seed = options.seed + number as u64;
        let before = tally.differences.len();
        let name = file_name(path);
        if options.together <= 1 {
            let _ = trio.play(&name, &text, options.edits, seed, &mut tally);
        } else {
            let inner = format!("module P{} {{\n{text}\n}}\n", project.len());
            if trio.verifies(&name, &inner) {
                project.push(inner);
            }
            if project.len() == options.together {
                let whole = std::mem::take(&mut project).concat();
                let _ = trio.play(&name, &whole, options.edits, seed, &mut tally);
            }
        }
        for difference in &tally.differences[before..] {
            println!("DIFFERENCE {difference}");
        }
    }
    let [none, basic, fine] = tally.seconds;
    let [all, some, few] = tally.asked;
    println!(
        "{} sessions, {} edits, {} not decided by all; verdicts differ in {}",
        tally.sessions,
        tally.edits,
        tally.undecided,
        tally.differences.len()
    );
    println!("checks asked: none {all}, basic {some}, fine {few}");
    println!("CPU time: none {none:.2} s, basic {basic:.2} s, fine {fine:.2} s");
    let [none_failing, basic_failing, fine_failing] = tally.failing;
    println!(
        "  of it after edits that fail: none {none_failing:.2} s, basic {basic_failing:.2} s, fine {fine_failing:.2} s"
    );
    println!(
        "basic/none {:.3} (paper 0.115), fine/basic {:.3} (paper 0.83), fine/none {:.3}",
        basic / none,
        fine / basic,
        fine / none
    );
    println!(
        "from an edit to all verdicts: median {:.1} ms",
        tally.median()
    );
    std::process::ExitCode::from(u8::from(!tally.differences.is_empty()))
}
