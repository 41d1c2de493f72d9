//! Runs of `stet explore` in processes of their own: whole programs, runs that share a store, and counts of the processor's instructions.

use super::programs::Program;
use super::{Mode, Model, Run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// One exploration by the command line.
pub struct Job<'a> {
    /// The program, for its options and arguments.
    pub program: &'a Program,
    pub file: &'a Path,
    /// How queries are cached.
    pub mode: Mode,
    /// How pointers to several objects are followed.
    pub model: Model,
    /// Instructions after which it stops.
    pub limit: Option<u64>,
    /// Seconds after which it stops, so that no run is endless.
    pub seconds: u64,
    /// Whether hits are solved again.
    pub validate: bool,
    /// The store of earlier runs, if one is used.
    pub store: Option<&'a Path>,
}

/// The `stet` beside this program, or the one in `STET_BIN`.
pub fn stet() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("STET_BIN") {
        return Ok(path.into());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = own.with_file_name("stet");
    match beside.is_file() {
        true => Ok(beside),
        false => Err(format!(
            "{} is not there; build it, or name one in STET_BIN",
            beside.display()
        )),
    }
}

impl Job<'_> {
    /// The words after `stet`.
    fn words(&self) -> Vec<String> {
        let cache = match self.mode {
            Mode::Off => "off",
            Mode::Base => "base",
            Mode::Aware | Mode::Renamed => "address-aware",
        };
        let rename = match self.mode {
            Mode::Renamed => "on",
            _ => "off",
        };
        let seconds = self.seconds.to_string();
        let mut words: Vec<String> = [
            "explore",
            "--format",
            "json",
            "--allocator",
            "bump",
            "--query-cache",
            cache,
            "--rename-symbols",
            rename,
            "--memory-model",
            self.model.name(),
            "--time-limit",
            &seconds,
        ]
        .map(str::to_owned)
        .into();
        if self.model == Model::Segmented && self.mode == Mode::Base {
            words.push("--segment-reuse".to_owned());
        }
        if self.validate {
            words.push("--validate-cache".to_owned());
        }
        if let Some(limit) = self.limit {
            words.extend(["--max-instructions".to_owned(), limit.to_string()]);
        }
        match self.store {
            Some(store) => words.extend(["--store".to_owned(), store.display().to_string()]),
            None => words.extend(["--cache", "off"].map(str::to_owned)),
        }
        let (options, arguments) = self.program.command();
        words.extend(options);
        words.push(self.file.display().to_string());
        words.push("--".to_owned());
        words.extend(arguments);
        words
    }

    /// Starts it; [`finished`] waits for it.
    pub fn start(&self) -> Result<std::process::Child, String> {
        // GNU time measures memory and the processor's time
        let timer = Path::new("/usr/bin/time");
        let mut command = match timer.is_file() {
            true => {
                let mut command = Command::new(timer);
                command.args(["-f", "\ntime=%U %S %M"]).arg(stet()?);
                command
            }
            false => Command::new(stet()?),
        };
        command.args(self.words());
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| error.to_string())
    }

    /// Runs it to its end.
    pub fn run(&self) -> Result<Run, String> {
        finished(self.start()?, self.mode)
    }

    /// How many instructions of the processor it takes, counted by valgrind.
    pub fn processor_instructions(&self) -> Result<u64, String> {
        let output = Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=no"])
            .arg("--cachegrind-out-file=/dev/null")
            .arg(stet()?)
            .args(self.words())
            .output()
            .map_err(|error| format!("valgrind: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        counted(&text).ok_or_else(|| {
            let last = text.lines().last().unwrap_or_default();
            format!("valgrind counted nothing: {last}")
        })
    }
}

/// The number in valgrind's line `I refs: 1,234`.
fn counted(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains("refs:"))?;
    let (_, number) = line.split_once("refs:")?;
    number.trim().replace(',', "").parse().ok()
}

/// What a run that ends by itself measured.
pub fn finished(child: std::process::Child, mode: Mode) -> Result<Run, String> {
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let value: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("stet explore: {error}: {}", errors.trim()))?;
    from_json(&value, mode, &errors)
        .ok_or_else(|| format!("stet explore: {}", value["diagnostics"][0]["message"]))
}

fn from_json(value: &Value, mode: Mode, errors: &str) -> Option<Run> {
    let (result, statistics) = (value.get("result")?, value.get("statistics")?);
    let queries = statistics.get("queries")?;
    let count = |name: &str| queries.get(name).and_then(Value::as_u64).unwrap_or(0);
    let ended = result.get("ended")?.as_str()?;
    let timed = errors.lines().find_map(|line| line.strip_prefix("time="));
    let mut timed = timed.unwrap_or_default().split(' ');
    let mut next = || timed.next().and_then(|word| word.parse::<f64>().ok());
    let processor = next().zip(next()).map(|(user, system)| user + system);
    let wall = statistics.get("seconds")?.as_f64()?;
    let aware = count("aware-entries");
    Some(Run {
        paths: statistics.get("paths")?.as_u64()?,
        errors: result["paths"]["in_errors"].as_u64()?,
        instructions: statistics.get("instructions")?.as_u64()?,
        covered: statistics["blocks"]["covered"].as_u64()?,
        total: count("queries"),
        c1: count("c1"),
        c2: count("c2"),
        c3: count("c3"),
        solver: count("solver-queries"),
        store_hits: count("store-hits"),
        cache: match mode {
            Mode::Aware | Mode::Renamed if aware > 0 => aware,
            _ => count("base-entries"),
        },
        layout_dependent: count("layout-dependent"),
        uncertified: count("uncertified"),
        validated: count("validated"),
        mismatches: count("mismatches"),
        complete: ["all paths were explored", "something was left out"].contains(&ended),
        timed_out: ended.contains("time limit"),
        time: Duration::from_secs_f64(processor.unwrap_or(wall)),
        solver_time: Duration::from_secs_f64(
            statistics["query_seconds"]["solver"]
                .as_f64()
                .unwrap_or(0.0),
        ),
        memory: next().map_or(0, |kilobytes| kilobytes as u64 * 1024),
        states: statistics["peak_states"].as_u64().unwrap_or(0),
        ..Run::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valgrind_counts_are_read() {
        let text = "==7== Cachegrind\n==7== \n==7== I refs:        1,234,567\n";
        assert_eq!(counted(text), Some(1_234_567));
        assert_eq!(counted("nothing"), None);
    }

    #[test]
    fn a_run_is_read_from_json() {
        let value = serde_json::json!({
            "result": {"ended": "the limit on instructions was reached", "paths": {"in_errors": 2}},
            "statistics": {"paths": 7, "instructions": 500, "seconds": 1.5, "blocks": {"covered": 40}, "peak_states": 3,
                "queries": {"solver-queries": 5, "store-hits": 6, "base-entries": 8}},
        });
        let run = from_json(&value, Mode::Base, "\ntime=0.5 0.25 100").expect("it is read");
        assert_eq!(
            (run.paths, run.errors, run.solver, run.store_hits),
            (7, 2, 5, 6)
        );
        assert_eq!((run.cache, run.memory, run.complete), (8, 102_400, false));
        assert_eq!(run.time, Duration::from_millis(750));
        assert_eq!(from_json(&Value::Null, Mode::Base, ""), None);
    }
}
