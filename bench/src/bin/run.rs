//! `bench-run`: the evaluation of `stet run`, in one command.
//!
//! * `engines`: the classic programs on stet, SWI-Prolog and GNU Prolog; ratios and their geometric mean.
//! * `scale`: what programs lean on (indexing, atoms, floats, large integers, coroutines, tabling, …) on stet and SWI-Prolog.
//! * `slowdown`: the seven programs of \[RTC\] with all checks and standard settings, and with what the static analysis
//!   proves left out, against no checks, for N = 1,000 and N = 10,000.
//! * `unchecked`: the same programs with checks off against their sources without any assertion.
//! * `paper [DIRECTORY [quick]]`: [RTC Table 1], Figures 1 to 3 and A1 to A8 as CSV and SVG; `quick` measures each
//!   configuration for 3 ms only.
//!
//! Without arguments: `engines`, `slowdown` and `unchecked`.

use std::io::Write;
use std::path::PathBuf;
use stet_bench::paper::{self, PROGRAMS};
use stet_bench::prolog::{Bench, System, geometric_mean, programs};

const USAGE: &str = "\
usage: bench-run [engines | scale | slowdown | unchecked | paper [DIRECTORY [quick]]]

  engines    the classic programs on stet, SWI-Prolog and GNU Prolog
  scale      indexing, atoms, numbers, coroutines, tabling, facts on stet and SWI-Prolog
  slowdown   the paper's programs with all checks, and with proved ones left out, against no checks
  unchecked  the same with checks off against sources without assertions
  paper      Table 1 and the figures as CSV and SVG; quick measures each configuration for 3 ms only

Without a choice: engines, slowdown and unchecked.";

const ENGINES: &[&str] = &[
    "nrev",
    "nrev_long",
    "tak",
    "queens",
    "queensn_findall",
    "zebra",
    "deriv",
    "crypt",
    "qsort",
    "poly_10",
    "browse",
    "primes",
    "fib",
    "hanoi",
    "ackermann",
    "mu",
    "fast_mu",
    "meta",
    "assertz",
    "chess_knight",
    "boresea",
];

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "bench-run: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let bench = Bench::find()?;
    let mut out = std::io::stdout();
    match arguments.first().map(String::as_str) {
        None => {
            engines(&bench, &mut out)?;
            slowdown(&bench, &mut out)?;
            unchecked(&bench, &mut out)
        }
        Some("engines") => engines(&bench, &mut out),
        Some("scale") => scale(&bench, &mut out),
        Some("slowdown") => slowdown(&bench, &mut out),
        Some("unchecked") => unchecked(&bench, &mut out),
        Some("paper") => {
            let directory = arguments.get(1).map_or("bench-out", String::as_str);
            let how = match arguments.get(2).map(String::as_str) {
                Some("quick") => (1, 0.003),
                Some(other) => return Err(format!("`{other}` is not `quick`")),
                None => (3, 0.02),
            };
            paper::reproduce(&bench, how, &PathBuf::from(directory), &mut out)
        }
        Some("--help" | "-h") => writeln!(out, "{USAGE}").map_err(|error| error.to_string()),
        Some(other) => Err(format!(
            "no benchmark `{other}`: engines, scale, slowdown, unchecked or paper"
        )),
    }
}

fn engines(bench: &Bench, out: &mut dyn Write) -> Result<(), String> {
    let peers = [System::Swi, System::Gnu];
    line(
        out,
        &format!(
            "{:<18}{:>9}{:>10}{:>9}{:>12}{:>12}",
            "program", "stet ms", "swipl ms", "gplc ms", "swipl/stet", "gplc/stet"
        ),
    )?;
    let mut ratios: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for program in ENGINES {
        let own = best_of(3, || bench.engine(System::Stet, program))?;
        let mut row = format!("{program:<18}{own:>9.0}");
        let mut shown = String::new();
        for (index, &peer) in peers.iter().enumerate() {
            let width = if index == 0 { 10 } else { 9 };
            match best_of(3, || bench.engine(peer, program)) {
                Ok(ms) => {
                    let ratio = ms.max(0.5) / own.max(0.5);
                    ratios[index].push(ratio);
                    row.push_str(&format!("{ms:>width$.0}"));
                    shown.push_str(&format!("{ratio:>12.2}"));
                }
                Err(message) => {
                    row.push_str(&format!("{:>width$}", "-"));
                    shown.push_str(&format!("{:>12}", "-"));
                    line(
                        out,
                        &format!("  {}", message.lines().next().unwrap_or_default()),
                    )?;
                }
            }
        }
        line(out, &format!("{row}{shown}"))?;
    }
    line(
        out,
        &format!(
            "geometric mean: {} times SWI-Prolog -O, {} times GNU Prolog compiled",
            mean_or_dash(&ratios[0]),
            mean_or_dash(&ratios[1])
        ),
    )
}

/// What programs lean on beside plain calls, against SWI-Prolog.
fn scale(bench: &Bench, out: &mut dyn Write) -> Result<(), String> {
    line(
        out,
        &format!(
            "{:<22}{:>9}{:>10}{:>12}",
            "program", "stet ms", "swipl ms", "swipl/stet"
        ),
    )?;
    let mut ratios = Vec::new();
    for program in programs(&bench.sources, "scale")? {
        let measured = |system| best_of(3, || bench.timed(system, "scale", &program));
        match (measured(System::Stet), measured(System::Swi)) {
            (Ok(own), Ok(peer)) => {
                let ratio = peer.max(0.5) / own.max(0.5);
                ratios.push(ratio);
                line(
                    out,
                    &format!("{program:<22}{own:>9.0}{peer:>10.0}{ratio:>12.2}"),
                )?;
            }
            (Err(message), _) | (_, Err(message)) => line(out, &message)?,
        }
    }
    line(out, &format!("geometric mean: {}", mean_or_dash(&ratios)))
}

/// The geometric mean, or a dash where nothing was measured.
fn mean_or_dash(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "-".to_owned();
    }
    format!("{:.2}", geometric_mean(ratios))
}

fn slowdown(bench: &Bench, out: &mut dyn Write) -> Result<(), String> {
    line(
        out,
        &format!(
            "{:<10}{:>9}{:>12}{:>10}{:>12}{:>10}{:>12}",
            "program", "N", "off ms", "all", "all/1k", "proved", "proved/1k"
        ),
    )?;
    for program in PROGRAMS {
        let mut first = None;
        for n in [1_000, 10_000] {
            let (mut off, mut all, mut proved) = (f64::MAX, f64::MAX, f64::MAX);
            // In turns, so that other work on the machine meets all of them.
            for _ in 0..3 {
                let measured = |options: &[&str]| bench.checked(program, n, options, (5, 0.05));
                off = off.min(measured(&["--checks", "off"])?.ms);
                all = all.min(measured(&["--checks", "all"])?.ms);
                proved = proved.min(measured(&["--checks", "all", "--analysis", "on"])?.ms);
            }
            let (all, proved) = (all / off, proved / off);
            let (all_before, proved_before) = *first.get_or_insert((all, proved));
            line(
                out,
                &format!(
                    "{program:<10}{n:>9}{off:>12.3}{all:>10.2}{:>12.2}{proved:>10.2}{:>12.2}",
                    all / all_before,
                    proved / proved_before
                ),
            )?;
        }
    }
    Ok(())
}

/// What assertions cost that are not checked.
fn unchecked(bench: &Bench, out: &mut dyn Write) -> Result<(), String> {
    line(
        out,
        &format!(
            "{:<10}{:>12}{:>12}{:>10}",
            "program", "bare ms", "off ms", "ratio"
        ),
    )?;
    let mut ratios = Vec::new();
    for program in PROGRAMS {
        let (mut bare, mut off) = (f64::MAX, f64::MAX);
        for _ in 0..5 {
            bare = bare.min(bench.without_assertions(program, 1_000, (5, 0.05))?.ms);
            off = off.min(
                bench
                    .checked(program, 1_000, &["--checks", "off"], (5, 0.05))?
                    .ms,
            );
        }
        ratios.push(off / bare);
        line(
            out,
            &format!("{program:<10}{bare:>12.3}{off:>12.3}{:>10.2}", off / bare),
        )?;
    }
    line(out, &format!("geometric mean: {}", mean_or_dash(&ratios)))
}

fn best_of(times: u32, mut run: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
    let mut best = f64::MAX;
    for _ in 0..times {
        best = best.min(run()?);
    }
    Ok(best)
}

fn line(out: &mut dyn Write, text: &str) -> Result<(), String> {
    writeln!(out, "{text}").map_err(|e| e.to_string())
}
