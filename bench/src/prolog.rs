//! Running Prolog programs on `stet` and its peers and reading their own CPU time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs of a program that may be too quick for the clock are repeated until they take this long.
const LONG_ENOUGH_MS: f64 = 150.0;

/// The `stet` executable and the benchmark sources.
pub struct Bench {
    /// The executable.
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

    /// Runs `bench(N)` of a checked program with these options of `stet run`.
    pub fn checked(&self, program: &str, n: u32, options: &[&str]) -> Result<Measured, String> {
        let mut times = 1_u32;
        loop {
            let (ms, max_depth) = self.checked_once(program, n, times, options)?;
            if ms >= LONG_ENOUGH_MS || times >= 100_000 {
                return Ok(Measured {
                    ms: ms / f64::from(times),
                    max_depth,
                });
            }
            let factor = (LONG_ENOUGH_MS * 1.3 / ms.max(1.0)).clamp(2.0, 50.0);
            times = (f64::from(times) * factor) as u32;
        }
    }

    fn checked_once(
        &self,
        program: &str,
        n: u32,
        times: u32,
        options: &[&str],
    ) -> Result<(f64, u64), String> {
        let goal = format!(
            "statistics(runtime,[T0|_]),(between(1,{times},_),bench({n}),fail;true),\
             statistics(runtime,[T1|_]),T is T1-T0,write(ms(T)),nl"
        );
        let file = self.sources.join("checked").join(format!("{program}.pl"));
        let output = Command::new(&self.stet)
            .arg("run")
            .args(options)
            .arg("--stats")
            .arg(&file)
            .args(["-g", &goal, "-t", "halt"])
            .stdin(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let ms = milliseconds(&text)
            .ok_or_else(|| format!("{program}({n}) {options:?}: {text}{errors}"))?;
        Ok((ms, counter(&errors, "max_depth").unwrap_or(0)))
    }

    /// The CPU time of an engine benchmark on one system, in milliseconds.
    pub fn engine(&self, system: System, program: &str) -> Result<f64, String> {
        let driver = read(&self.sources.join("driver.pl"))?;
        let source = read(&self.sources.join("engine").join(format!("{program}.pl")))?;
        let directory = std::env::temp_dir().join(format!("stet-bench-{}", std::process::id()));
        std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
        let result = system.run(self, &directory, program, &format!("{driver}\n{source}"));
        std::fs::remove_dir_all(&directory).map_err(|e| e.to_string())?;
        result
    }
}

/// A Prolog system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    /// This one.
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
        assert_eq!(milliseconds("no"), None);
        assert_eq!(counter("max_depth   17\n", "max_depth"), Some(17));
        assert_eq!(counter("\"max_depth\":3,", "max_depth"), Some(3));
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-9);
    }
}
