//! The top level on a terminal, and Ctrl-C: it stops the goal and not the program.
//!
//! A pseudo terminal is made for each test; `setsid --ctty` makes it the controlling terminal of `stet`, so that the
//! character Ctrl-C becomes the signal as it does for people.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use stet_tests::Sandbox;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Terminal {
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
    child: Child,
}

/// Both ends of a new pseudo terminal; containers may have none.
fn pseudo_terminal() -> std::io::Result<(File, File)> {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let slave = rustix::fs::open(&name, flags, rustix::fs::Mode::empty())?;
    Ok((File::from(master), File::from(slave)))
}

impl Terminal {
    /// `stet run` on a terminal of its own; `None` where that cannot be made.
    fn new(sandbox: &Sandbox) -> Option<Terminal> {
        let setsid = Path::new("/usr/bin/setsid");
        let pair = pseudo_terminal();
        let (true, Ok((master, slave))) = (setsid.is_file(), pair) else {
            stet_testkit::skip(&format!("a pseudo terminal and {}", setsid.display()));
            return None;
        };
        let inner = sandbox.command(&["run"]);
        let mut command = Command::new(setsid);
        command.arg("--ctty").arg(inner.get_program());
        command.args(inner.get_args()).env_clear();
        for (name, value) in inner.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        if let Some(directory) = inner.get_current_dir() {
            command.current_dir(directory);
        }
        let child = command
            .env("TERM", "xterm")
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave)
            .spawn()
            .unwrap();
        drop(command);
        let keys = master;
        let mut output = keys.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Reading fails once the program has gone.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Some(Terminal {
            keys,
            screen,
            seen: String::new(),
            child,
        })
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the text is on the screen, behind what was waited for before.
    fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let Ok(bytes) = self.screen.recv_timeout(PATIENCE) else {
                panic!("no `{text}` came, but {:?}", self.seen);
            };
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
            assert!(
                start.elapsed() < PATIENCE,
                "no `{text}` came, but {:?}",
                self.seen
            );
        }
    }
}

#[test]
fn ctrl_c_stops_the_goal_and_not_the_program() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::new(&sandbox) else {
        return;
    };
    terminal.wait_for("?- ");
    // Loops of calls, of backtracking into a builtin, and in one builtin.
    for goal in [
        "repeat, fail",
        "between(1, inf, _), fail",
        "_ is 7**20000000",
    ] {
        terminal.press(&format!("X is 6*7, write(X), nl, {goal}.\r"));
        terminal.wait_for("42\r\n");
        terminal.press("\x03");
        terminal.wait_for("interrupted");
        terminal.wait_for("?- ");
    }
    // At the prompt it takes back what was typed.
    terminal.press("write(nonsense\x03");
    terminal.wait_for("?- ");
    terminal.press("X is 6*7 + 1.\r");
    terminal.wait_for("X = 43.");
    terminal.wait_for("?- ");
    terminal.press("halt.\r");
    assert_eq!(terminal.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_program_that_catches_everything_is_stopped_too() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::new(&sandbox) else {
        return;
    };
    terminal.wait_for("?- ");
    terminal.press("X is 6*7, write(X), nl, repeat, catch((repeat, fail), _, fail).\r");
    terminal.wait_for("42\r\n");
    terminal.press("\x03");
    terminal.wait_for("interrupted");
    terminal.wait_for("?- ");
    terminal.press("\x04");
    assert_eq!(terminal.child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_signal_stops_the_goal_where_there_is_no_terminal() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    writeln!(input, "X is 6*7, write(X), nl, flush_output, repeat, fail.").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "42");
    // The shell's own `kill`: a bare system has no such program.
    let script = format!("kill -INT {}", child.id());
    let status = Command::new("sh").args(["-c", &script]).status().unwrap();
    assert!(status.success());
    let message = lines.next().unwrap().unwrap();
    assert!(message.contains("interrupted"), "{message}");
    writeln!(input, "X = next.").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "X = next.");
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn one_key_asks_for_the_next_answer_and_answers_stay_on_the_screen() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::new(&sandbox) else {
        return;
    };
    terminal.wait_for("?- ");
    terminal.press("member(X, [first, second, third]).\r");
    terminal.wait_for("X = first ");
    terminal.press(";");
    // Nothing between the answers may move the cursor back or erase.
    terminal.wait_for(";\r\nX = second ");
    terminal.press("\r");
    terminal.wait_for(".\r\n");
    terminal.wait_for("?- ");
    terminal.press("halt.\r");
    assert_eq!(terminal.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_pipe_ends_the_program() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["run", "-g", "repeat, write(x), nl, fail"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "x");
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        let _ = writeln!(std::io::stderr(), "skipped: no /dev/full");
        return;
    };
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["run", "-g", "write(x), nl"]);
    let outcome = command.stdout(full).output().unwrap();
    let message = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot write"), "{message}");
}
