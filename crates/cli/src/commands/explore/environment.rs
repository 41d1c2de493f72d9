//! The environment of an explored program: which of its input is symbolic, and where its concrete files come from.
//!
//! The model of the system (`runtime/posix`) reads its options among the program's arguments, under KLEE's names. They are
//! checked here; arguments of the program that could be taken for options are passed on behind `--stet-arg`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_explore::{Root, RootFacts};

/// The most symbolic arguments, as in KLEE.
const MOST_ARGUMENTS: u64 = 100;
/// The largest symbolic file or argument.
const LARGEST: u64 = 1 << 20;

/// Options about the environment.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Environment {
    /// A symbolic argument of at most this many characters; may be repeated.
    #[arg(long, value_name = "SIZE", help_heading = "Environment")]
    pub(crate) sym_arg: Vec<u64>,
    /// From MIN to MAX symbolic arguments of at most SIZE characters each; may be repeated.
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "SIZE"], help_heading = "Environment")]
    pub(crate) sym_args: Vec<u64>,
    /// Symbolic files named A, B, … of SIZE bytes each.
    #[arg(long, num_args = 2, value_names = ["COUNT", "SIZE"], help_heading = "Environment")]
    pub(crate) sym_files: Vec<u64>,
    /// A symbolic file under this name; may be repeated.
    #[arg(long, value_name = "NAME=SIZE", help_heading = "Environment")]
    pub(crate) sym_file: Vec<String>,
    /// Symbolic standard input of this many bytes.
    #[arg(long, value_name = "SIZE", help_heading = "Environment")]
    pub(crate) sym_stdin: Option<u64>,
    /// Whether standard output is a terminal is symbolic.
    #[arg(long, help_heading = "Environment")]
    pub(crate) sym_stdout: bool,
    /// An environment variable of at most SIZE symbolic characters; may be repeated.
    #[arg(long, value_name = "NAME=SIZE", help_heading = "Environment")]
    pub(crate) sym_env: Vec<String>,
    /// An environment variable of the program; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Environment")]
    pub(crate) env: Vec<String>,
    /// Up to this many operations on files fail on a path.
    #[arg(long, value_name = "COUNT", help_heading = "Environment")]
    pub(crate) max_fail: Option<u64>,
    /// The directory that the program finds as its root, read-only; without it there are no concrete files.
    #[arg(long, value_name = "DIR", help_heading = "Environment")]
    pub(crate) root: Option<PathBuf>,
}

impl Environment {
    /// The options in KLEE's form, checked.
    pub(crate) fn arguments(&self) -> Result<Vec<String>, String> {
        let mut all = Vec::new();
        let mut add = |name: &str, values: &[u64]| {
            all.push(format!("--{name}"));
            all.extend(values.iter().map(u64::to_string));
        };
        for size in &self.sym_arg {
            add("sym-arg", &[*size]);
        }
        for range in self.sym_args.chunks(3) {
            add("sym-args", range);
        }
        for files in self.sym_files.chunks(2) {
            add("sym-files", files);
        }
        if let Some(size) = self.sym_stdin {
            add("sym-stdin", &[size]);
        }
        if self.sym_stdout {
            add("sym-stdout", &[]);
        }
        if let Some(count) = self.max_fail {
            add("max-fail", &[count]);
        }
        for (name, values) in [("sym-file", &self.sym_file), ("sym-env", &self.sym_env)] {
            for value in values {
                all.extend([format!("--{name}"), value.clone()]);
            }
        }
        check(&all)?;
        Ok(all)
    }
}

/// How many values an option of the model has; `None` for anything else.
pub(crate) fn values_of(text: &str) -> Option<usize> {
    let name = text.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    Some(match name {
        "sym-args" => 3,
        "sym-files" => 2,
        "sym-arg" | "sym-stdin" | "max-fail" | "sym-file" | "sym-env" => 1,
        "sym-stdout" | "fd-fail" | "save-all-writes" => 0,
        _ => return None,
    })
}

/// Checks the options among a program's arguments, in KLEE's words.
pub(crate) fn check(arguments: &[String]) -> Result<(), String> {
    let mut symbolic = 0;
    let mut file_options = 0;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(count) = values_of(argument) else {
            continue;
        };
        let name = argument.trim_start_matches('-');
        let values: Vec<&String> = rest.by_ref().take(count).collect();
        if values.len() < count {
            return Err(format!("--{name} expects {count} arguments"));
        }
        if matches!(name, "sym-file" | "sym-env") {
            let size = values[0].rsplit_once('=');
            let good = size.is_some_and(|(file, size)| {
                !file.is_empty() && size.parse().is_ok_and(|size: u64| size <= LARGEST)
            });
            if !good {
                return Err(format!("--{name} expects NAME=SIZE, not `{}`", values[0]));
            }
            continue;
        }
        let numbers: Result<Vec<u64>, _> = values.iter().map(|value| value.parse()).collect();
        let Ok(numbers) = numbers else {
            return Err(format!("--{name} expects an integer argument"));
        };
        if numbers.iter().any(|&number| number > LARGEST) {
            return Err(format!("--{name}: at most {LARGEST} bytes are possible"));
        }
        match (name, &numbers[..]) {
            ("sym-args", [least, most, _]) => {
                if least > most || *most == 0 {
                    return Err("Invalid range to --sym-args".into());
                }
                symbolic += most;
            }
            ("sym-arg", _) => symbolic += 1,
            ("sym-files", [count, size]) => {
                file_options += 1;
                if file_options > 1 {
                    return Err("Multiple --sym-files are not allowed".into());
                }
                if *count == 0 || *count > 26 {
                    let why = "The first argument to --sym-files (number of files) cannot be 0";
                    return Err(format!("{why} (nor more than 26)"));
                }
                if *size == 0 {
                    let why = "The second argument to --sym-files (file size) cannot be 0";
                    return Err(why.into());
                }
            }
            _ => {}
        }
        if symbolic > MOST_ARGUMENTS {
            return Err(format!(
                "No more than {MOST_ARGUMENTS} symbolic arguments allowed."
            ));
        }
    }
    Ok(())
}

/// Arguments that the model passes on as they are.
pub(crate) fn quoted(arguments: &[String]) -> Vec<String> {
    let quoted = arguments.iter().flat_map(|argument| {
        let mark = argument.starts_with('-').then(|| "--stet-arg".to_owned());
        mark.into_iter().chain([argument.clone()])
    });
    quoted.collect()
}

/// A directory of this machine as the root of explored programs.
#[derive(Debug)]
pub(crate) struct HostRoot(PathBuf);

impl HostRoot {
    /// The directory as a root.
    pub(crate) fn shared(directory: &Path) -> Arc<dyn Root> {
        Arc::new(HostRoot(directory.to_owned()))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }
}

impl Root for HostRoot {
    fn facts(&self, path: &str) -> Option<RootFacts> {
        use std::os::unix::fs::MetadataExt;
        let data = std::fs::symlink_metadata(self.path(path)).ok()?;
        Some(RootFacts {
            mode: data.mode(),
            size: data.len(),
            modified: data.mtime(),
        })
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let path = self.path(path);
        let is_file = std::fs::symlink_metadata(&path).ok()?.is_file();
        is_file.then(|| std::fs::read(path).ok()).flatten()
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(self.path(path)).ok()?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        Some(names)
    }

    fn link(&self, path: &str) -> Option<String> {
        let target = std::fs::read_link(self.path(path)).ok()?;
        target.into_os_string().into_string().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn wrong_symbolic_options_are_refused_in_klees_words() {
        let cases: &[(&[&str], &str)] = &[
            (
                &["--sym-files", "1", "10", "--sym-files", "2", "10"],
                "Multiple --sym-files",
            ),
            (&["--sym-files", "0", "10"], "(number of files) cannot be 0"),
            (&["--sym-files", "2", "0"], "(file size) cannot be 0"),
            (
                &["--sym-args", "3", "2", "10"],
                "Invalid range to --sym-args",
            ),
            (
                &["-sym-args", "0", "0", "10"],
                "Invalid range to --sym-args",
            ),
            (
                &["--sym-arg", "5", "--sym-args", "0", "100", "5"],
                "No more than 100",
            ),
            (&["--sym-arg", "x"], "expects an integer"),
            (&["--sym-args", "1", "2"], "expects 3 arguments"),
            (&["--sym-file", "A"], "expects NAME=SIZE"),
        ];
        for (arguments, expected) in cases {
            let message = check(&strings(arguments)).unwrap_err();
            assert!(message.contains(expected), "{arguments:?}: {message}");
        }
        check(&strings(&[
            "--sym-args",
            "0",
            "2",
            "3",
            "x",
            "--sym-stdout",
        ]))
        .unwrap();
    }

    #[test]
    fn arguments_of_the_program_are_not_taken_for_options() {
        let passed = quoted(&strings(&["--sym-arg", "3", "-n", "x"]));
        let expected = ["--stet-arg", "--sym-arg", "3", "--stet-arg", "-n", "x"];
        assert_eq!(passed, expected);
    }
}
