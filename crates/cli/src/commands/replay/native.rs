//! A test with symbolic arguments, files and streams as a native run: what the program is called with, and what it finds.

use super::rights::Rights;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use stet_explore::{KTest, TestObject};

/// The bits of `st_mode` that say what a file is, and their value for terminals.
const FILE_TYPE: u32 = 0o170_000;
const CHARACTER_DEVICE: u32 = 0o020_000;

/// A run of a program on a test.
#[derive(Debug, Default)]
pub(crate) struct NativeRun {
    /// The function marked `#[stet::explore]` that the test is of.
    pub(crate) entry: Option<String>,
    /// Arguments, without the program's name.
    pub(crate) args: Vec<Vec<u8>>,
    /// Standard input, if the test has one.
    pub(crate) input: Option<Vec<u8>>,
    /// Names, contents and permissions of files.
    pub(crate) files: Vec<(String, Vec<u8>, u32)>,
    pub(crate) variables: Vec<(String, Vec<u8>)>,
    /// Operations that fail in the test, which cannot be made to fail natively.
    pub(crate) failures: Vec<String>,
    /// Standard input or output is a terminal in the test.
    pub(crate) needs_terminal: bool,
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) rights: Rights,
    /// What it prints is not shown.
    pub(crate) quiet: bool,
}

/// The text before its terminating zero.
fn text(object: &TestObject) -> Vec<u8> {
    let end = object.bytes.iter().position(|&byte| byte == 0);
    object.bytes[..end.unwrap_or(object.bytes.len())].to_vec()
}

fn number(object: &TestObject) -> u64 {
    let low = object.bytes.iter().take(8).rev();
    low.fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Whether an environment variable chooses the locale.
fn is_of_locale(name: &str) -> bool {
    name.starts_with("LC_") || matches!(name, "LANG" | "LANGUAGE")
}

impl NativeRun {
    /// Reads the options among a test's arguments and the objects they made.
    pub(crate) fn of(test: &KTest) -> Self {
        use crate::commands::explore::environment::values_of;
        let mut run = NativeRun::default();
        let named = |name: &str| test.objects.iter().find(|object| object.name == name);
        let mut arguments = 0;
        let mut ranges = 0;
        let mut add_argument = |run: &mut NativeRun| {
            if let Some(object) = named(&format!("arg{arguments:02}")) {
                run.args.push(text(object));
            }
            arguments += 1;
        };
        let mut rest = test.args.iter().skip(1);
        while let Some(argument) = rest.next() {
            if argument == "--stet-entry" {
                run.entry = rest.next().cloned();
                continue;
            }
            let Some(count) = values_of(argument) else {
                run.args.push(argument.clone().into_bytes());
                continue;
            };
            let values: Vec<&String> = rest.by_ref().take(count).collect();
            match argument.trim_start_matches('-') {
                "sym-arg" => add_argument(&mut run),
                "sym-args" => {
                    let bound = |k: usize| values.get(k).and_then(|value| value.parse().ok());
                    let (least, most): (u64, u64) = (bound(0).unwrap_or(0), bound(1).unwrap_or(0));
                    let name = match ranges {
                        0 => "n_args".to_owned(),
                        number => format!("n_args_{number}"),
                    };
                    let chosen = if least == most {
                        Some(least)
                    } else {
                        named(&name).map(number)
                    };
                    ranges += u32::from(least != most);
                    for _ in 0..chosen.unwrap_or(least).min(most) {
                        add_argument(&mut run);
                    }
                }
                "sym-env" => {
                    let name = values.first().and_then(|value| value.split_once('='));
                    let object =
                        name.and_then(|(name, _)| named(name).map(|object| (name, object)));
                    if let Some((name, object)) = object {
                        run.variables.push((name.to_owned(), text(object)));
                    }
                }
                _ => {}
            }
        }
        run.add_files(test);
        run
    }

    /// Why a native run may well end otherwise than the test's path.
    pub(crate) fn cannot_be_made(&self) -> Option<String> {
        if self.needs_terminal {
            return Some("a stream is a terminal in this test, and is none here".to_owned());
        }
        let name = self.failures.first()?;
        Some(format!(
            "an operation fails in this test ({name}), which does not fail here"
        ))
    }

    fn add_files(&mut self, test: &KTest) {
        let mode = |name: &str| {
            let name = format!("{name}-stat");
            let object = test.objects.iter().find(|object| object.name == name)?;
            let bytes = object.bytes.get(24..28)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let is_terminal =
            |name: &str| mode(name).is_some_and(|mode| mode & FILE_TYPE == CHARACTER_DEVICE);
        self.needs_terminal = is_terminal("stdin") || is_terminal("stdout");
        for object in &test.objects {
            if object.name == "stdin" {
                self.input = Some(object.bytes.clone());
            } else if let Some(name) = object.name.strip_suffix("-data") {
                let mode = mode(&object.name).map_or(0o644, |mode| mode & 0o777);
                self.files
                    .push((name.to_owned(), object.bytes.clone(), mode));
            } else if object.name.contains("_fail") && number(object) != 0 {
                self.failures.push(object.name.clone());
            }
        }
    }

    /// Runs a program in a directory of its own; `None` if it does not end in time.
    pub(crate) fn execute(
        &self,
        program: &Path,
        directory: &Path,
        variables: &[(&str, &Path)],
        limit: Duration,
        how: How,
    ) -> std::io::Result<Option<ExitStatus>> {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::process::CommandExt;
        let How { rights, quiet } = how;
        rights.give(directory)?;
        let copies = tempfile::tempdir()?;
        for (name, bytes, mode) in &self.files {
            let path = directory.join(name.trim_start_matches('/'));
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
                if parent != directory {
                    rights.give(parent)?;
                }
            }
            std::fs::write(&path, bytes)?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(*mode))?;
            rights.give(&path)?;
        }
        let mut command = Command::new(rights.reachable(program, copies.path())?);
        command.arg0(program);
        rights.apply(&mut command);
        let args = self.args.iter().map(|arg| std::ffi::OsStr::from_bytes(arg));
        command.args(args).current_dir(directory);
        // the explored program was in the locale C unless it was given another
        for (name, _) in std::env::vars_os() {
            if is_of_locale(&name.to_string_lossy()) {
                command.env_remove(&name);
            }
        }
        if let Some(entry) = &self.entry {
            command.env("STET_REPLAY_ENTRY", entry);
        }
        for (name, value) in &self.variables {
            command.env(name, std::ffi::OsStr::from_bytes(value));
        }
        for (name, value) in variables {
            command.env(name, rights.reachable(value, copies.path())?);
        }
        command.stdin(match &self.input {
            Some(bytes) => {
                let mut file = tempfile::tempfile()?;
                file.write_all(bytes)?;
                std::io::Seek::rewind(&mut file)?;
                Stdio::from(file)
            }
            None => Stdio::null(),
        });
        if quiet {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let mut child = command.spawn()?;
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if started.elapsed() > limit {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str, bytes: &[u8]) -> TestObject {
        TestObject {
            name: name.into(),
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn arguments_and_files_come_from_the_objects() {
        let args = [
            "p",
            "-n",
            "--sym-args",
            "0",
            "2",
            "3",
            "--sym-arg",
            "1",
            "--sym-stdin",
            "2",
        ];
        let mut status = vec![0; 144];
        status[24..28].copy_from_slice(&(0o100_640u32).to_le_bytes());
        let test = KTest {
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            symbolic_args: (0, 0),
            objects: vec![
                object("n_args", &[1, 0, 0, 0]),
                object("arg00", b"ab\0\0"),
                object("arg01", b"c\0"),
                object("stdin", b"xy"),
                object("A-data", b"file"),
                object("A-data-stat", &status),
            ],
        };
        let run = NativeRun::of(&test);
        assert_eq!(run.args, [b"-n".to_vec(), b"ab".to_vec(), b"c".to_vec()]);
        assert_eq!(run.input.as_deref(), Some(&b"xy"[..]));
        assert_eq!(run.files, [("A".to_owned(), b"file".to_vec(), 0o640)]);
        assert!(!run.needs_terminal);
    }
}
