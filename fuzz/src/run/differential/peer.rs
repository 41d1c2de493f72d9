//! SWI-Prolog as the other side: one process that forks for every program, so that a program costs milliseconds and
//! sees nothing of the ones before it.

use super::generate::Program;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Seconds a program has; what it wrote until then does not count.
const SECONDS: u64 = 5;

/// Reads directories, forks, and loads `main.pl` there. The standard's `[]` and lists: traditional mode.
const DRIVER: &str = "\
:- use_module(library(unix), []).
:- use_module(library(lists), []).
:- use_module(library(apply), []).
:- use_module(library(aggregate), []).
:- use_module(library(yall), []).
:- use_module(library(error), []).
:- use_module(library(assoc), []).
:- use_module(library(dcg/basics), []).
:- use_module(library(time), []).
:- set_prolog_gc_thread(false).
main :- read_term(user_input, D, []), ( D == end_of_file -> true ; one(D), main ).
one(D) :- unix:fork(P), ( P == child -> child(D) ; unix:wait(P, S), format(\"~q~n\", [S]), flush_output ).
child(D) :-
    working_directory(_, D),
    open('swipl.out', write, O), unix:dup(O, user_output),
    open('/dev/null', read, I), unix:dup(I, user_input),
    get_time(T0),
    ( catch(time:call_with_time_limit(SECONDS, user:load_files('main.pl', [])), _, true) -> true ; true ),
    flush_output(user_output),
    get_time(T1), ( T1 - T0 >= SECONDS -> halt(9) ; halt(0) ).
:- initialization((main, halt)).
";

/// A running SWI-Prolog.
pub struct Peer {
    process: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    /// Starts it; `directory` is where the driver is written.
    ///
    /// # Errors
    /// If there is no `swipl`, or no file can be written.
    pub fn start(directory: &Path) -> std::io::Result<Peer> {
        let driver = directory.join("driver.pl");
        std::fs::write(&driver, DRIVER.replace("SECONDS", &SECONDS.to_string()))?;
        let mut process = Command::new("swipl")
            .args(["--traditional", "-q", "--stack-limit=512m"])
            .arg(&driver)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(std::io::Error::other("no pipes to swipl"));
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Peer {
            process,
            input,
            answers,
        })
    }

    /// What the program prints; `None` if it did not come to an end.
    ///
    /// # Errors
    /// If files cannot be written or read.
    pub fn run(&mut self, program: &Program, directory: &Path) -> std::io::Result<Option<String>> {
        for (name, text) in &program.files {
            std::fs::write(directory.join(name), text)?;
        }
        let output = directory.join("swipl.out");
        let _ = std::fs::remove_file(&output);
        writeln!(self.input, "'{}'.", directory.display())?;
        self.input.flush()?;
        match self.answers.recv_timeout(Duration::from_secs(4 * SECONDS)) {
            // Any other code: the limit ended the program, or a directive caught the exception of the limit.
            Ok(status) if status == "exited(0)" => {
                let bytes = std::fs::read(&output)?;
                Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
            }
            Ok(_) => Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                // The child hangs where no signal reaches it: start over.
                let other = Peer::start(directory)?;
                let mut old = std::mem::replace(self, other);
                old.stop();
                Ok(None)
            }
            Err(RecvTimeoutError::Disconnected) => Err(std::io::Error::other(
                "swipl ended: is library(unix) there?",
            )),
        }
    }

    fn stop(&mut self) {
        // The whole group: a forked child may hang.
        let group = format!("-{}", self.process.id());
        let _ = Command::new("kill").args(["-9", "--", &group]).status();
        let _ = self.process.wait();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stop();
    }
}
