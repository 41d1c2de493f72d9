//! Running Prolog programs on `stet` and its peers and reading their own CPU time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The `stet` executable and the benchmark sources.
pub struct Bench {
    pub stet: PathBuf,
    /// The directory `bench/run`.
    pub sources: PathBuf,
}

/// What one run of a checked program gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// CPU time of one repetition, in milliseconds.
    pub ms: f64,
    /// The deepest check.
    pub max_depth: u64,
}

impl Bench {
    /// Looks for `stet` beside this executable.
    pub fn find() -> Result<Bench, String> {
        let exe = std::env::current_exe().map_err(|e| e.to_string())?;
        let stet = exe
            .parent()
            .map(|dir| dir.join("stet"))
            .filter(|path| path.is_file())
            .ok_or("build `stet` in the same profile first")?;
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("run");
        Ok(Bench { stet, sources })
    }

    /// Measures `bench(N)` of a checked program with these options of `stet run`: the least of so many blocks of
    /// runs, each of so many seconds.
    pub fn checked(
        &self,
        program: &str,
        n: u32,
        options: &[&str],
        (blocks, seconds): (u32, f64),
    ) -> Result<Measured, String> {
        let file = self.sources.join("checked").join(format!("{program}.pl"));
        self.measured(&file, program, n, options, (blocks, seconds))
    }

    /// The same for the program without its assertions.
    pub fn without_assertions(
        &self,
        program: &str,
        n: u32,
        how: (u32, f64),
    ) -> Result<Measured, String> {
        let source = read(&self.sources.join("checked").join(format!("{program}.pl")))?;
        let directory = std::env::temp_dir().join(format!("stet-bare-{}", std::process::id()));
        std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
        let file = directory.join(format!("{program}.pl"));
        std::fs::write(&file, bare(&source)).map_err(|e| e.to_string())?;
        let result = self.measured(&file, program, n, &[], how);
        std::fs::remove_dir_all(&directory).map_err(|e| e.to_string())?;
        result
    }

    fn measured(
        &self,
        file: &Path,
        program: &str,
        n: u32,
        options: &[&str],
        (blocks, seconds): (u32, f64),
    ) -> Result<Measured, String> {
        let goal = format!("measure({program}:bench({n}),{seconds},{blocks})");
        let (text, errors) = self.run_checked(file, &goal, options)?;
        let ms = milliseconds(&text)
            .ok_or_else(|| format!("{program}({n}) {options:?}: {text}{errors}"))?;
        Ok(Measured { ms, max_depth: 0 })
    }

    /// The deepest check of one run of `bench(N)`; the term itself is at depth 0, as in [RTC Table 1].
    pub fn deepest(&self, program: &str, n: u32, options: &[&str]) -> Result<u64, String> {
        let options = [options, &["--stats"]].concat();
        let goal = format!("{program}:bench({n})");
        let file = self.sources.join("checked").join(format!("{program}.pl"));
        let (text, errors) = self.run_checked(&file, &goal, &options)?;
        counter(&errors, "max_depth")
            .map(|depth| depth.saturating_sub(1))
            .ok_or_else(|| format!("{program}({n}) {options:?}: {text}{errors}"))
    }

    fn run_checked(
        &self,
        file: &Path,
        goal: &str,
        options: &[&str],
    ) -> Result<(String, String), String> {
        let output = Command::new(&self.stet)
            .arg("run")
            .args(options)
            .arg(self.sources.join("timing.pl"))
            .arg(file)
            .args(["-g", goal, "-t", "halt"])
            .stdin(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&output.stdout), text(&output.stderr)))
    }

    /// The CPU time of an engine benchmark on one system, in milliseconds.
    pub fn engine(&self, system: System, program: &str) -> Result<f64, String> {
        self.timed(system, "engine", program)
    }

    /// The CPU time of `main/0` of a program in a directory of the sources, in milliseconds.
    pub fn timed(&self, system: System, group: &str, program: &str) -> Result<f64, String> {
        let driver = read(&self.sources.join("driver.pl"))?;
        let source = read(&self.sources.join(group).join(format!("{program}.pl")))?;
        let directory = std::env::temp_dir().join(format!("stet-bench-{}", std::process::id()));
        std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
        let result = system.run(self, &directory, program, &format!("{driver}\n{source}"));
        std::fs::remove_dir_all(&directory).map_err(|e| e.to_string())?;
        result
    }
}

/// The names of the programs in a directory of the sources, in order.
pub fn programs(sources: &Path, group: &str) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(sources.join(group)).map_err(|e| e.to_string())?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".pl").map(str::to_owned))
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// A Prolog system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    Stet,
    /// SWI-Prolog with `-O`.
    Swi,
    /// GNU Prolog, compiled to native code.
    Gnu,
}

impl System {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            System::Stet => "stet",
            System::Swi => "swipl -O",
            System::Gnu => "gplc",
        }
    }

    fn run(self, bench: &Bench, dir: &Path, name: &str, text: &str) -> Result<f64, String> {
        let file = dir.join(format!("{name}.pl"));
        let text = match self {
            System::Gnu => format!(":- initialization((run_timed,halt)).\n{text}"),
            _ => text.to_string(),
        };
        std::fs::write(&file, text).map_err(|e| e.to_string())?;
        let mut command = match self {
            System::Stet => {
                let mut command = Command::new(&bench.stet);
                command
                    .arg("run")
                    .arg(&file)
                    .args(["-g", "run_timed", "-t", "halt"]);
                command
            }
            System::Swi => {
                let mut command = Command::new("swipl");
                command
                    .args(["-O", "-q", "-g", "run_timed", "-t", "halt"])
                    .arg(&file);
                command
            }
            System::Gnu => {
                let program = dir.join("program");
                let built = Command::new("gplc")
                    .arg("--no-top-level")
                    .arg("-o")
                    .arg(&program)
                    .arg(&file)
                    .output()
                    .map_err(|e| e.to_string())?;
                if !built.status.success() {
                    return Err(String::from_utf8_lossy(&built.stderr).into_owned());
                }
                let mut command = Command::new(program);
                // In KiB. It asks for all of it at once and stops with "Memory allocation fault" if it is too much.
                let areas = [
                    ("GLOBALSZ", "262144"),
                    ("LOCALSZ", "131072"),
                    ("TRAILSZ", "131072"),
                    ("CSTRSZ", "65536"),
                ];
                command.envs(areas);
                command
            }
        };
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("failed") {
            return Err(format!("{name} fails on {}", self.name()));
        }
        milliseconds(&text).ok_or_else(|| {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            format!("{name} on {}: {text}{errors}", self.name())
        })
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// A program without its assertion directives and packages.
fn bare(source: &str) -> String {
    let mut text = String::new();
    let mut skipping = false;
    for line in source.lines() {
        skipping |= [":- pred ", ":- regtype ", ":- prop "]
            .iter()
            .any(|start| line.starts_with(start));
        if !skipping {
            text.push_str(&line.replace("[assertions, regtypes]", "[]"));
        }
        text.push('\n');
        skipping &= !line.trim_end().ends_with('.');
    }
    text
}

/// The number in `ms(N)`.
fn milliseconds(text: &str) -> Option<f64> {
    let at = text.rfind("ms(")? + 3;
    let number = &text[at..];
    number[..number.find(')')?].parse().ok()
}

/// A counter in the statistics: its name followed by blanks or punctuation and a number.
fn counter(text: &str, name: &str) -> Option<u64> {
    let at = text.find(name)? + name.len();
    let digits: String = text[at..]
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

/// The geometric mean.
pub fn geometric_mean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (sum / values.len().max(1) as f64).exp()
}

/// The CPU seconds a process reports are read from its own clock, so nothing here measures wall time.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_and_counters() {
        assert_eq!(milliseconds("x\nms(12)\n"), Some(12.0));
        assert_eq!(milliseconds("ms(0.125)"), Some(0.125));
        assert_eq!(milliseconds("no"), None);
        let source =
            ":- module(m, [], [assertions, regtypes]).\n:- pred p(X)\n   : int(X).\np(_).\n";
        assert_eq!(bare(source), ":- module(m, [], []).\n\n\np(_).\n");
        assert_eq!(counter("max_depth   17\n", "max_depth"), Some(17));
        assert_eq!(counter("\"max_depth\":3,", "max_depth"), Some(3));
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-9);
    }
}
