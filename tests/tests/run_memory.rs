//! How much memory a Prolog program takes, and what happens at its limits.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use stet_tests::Sandbox;

const PROGRAM: &str = "
list(0, []) :- !.
list(N, [N|T]) :- M is N-1, list(M, T).
count([], 0).
count([_|T], N) :- count(T, M), N is M+1.
atoms(0) :- !.
atoms(N) :- atom_concat(temporary_, N, A), atom_length(A, _), M is N-1, atoms(M).
wait(X) :- write(ready), nl, flush_output, read(_), write(X), nl.
million :- list(1000000, L), wait(x), L = [_|_].
deep :- list(3000000, L), count(L, N), write(N), nl.
many_atoms :- atoms(2000000), wait(x).
deeper(N) :- M is N+1, deeper(M), M > 0.
caught(G) :- catch(G, error(E, _), (write(E), nl)).
loop :- loop.
";

/// The most memory the process has used when the program says that it is ready, in KiB.
#[cfg(target_os = "linux")]
fn peak(goal: &str) -> u64 {
    let sandbox = Sandbox::new().file("p.pl", PROGRAM);
    let mut child = sandbox
        .command(&["run", "p.pl", "-g", goal, "-t", "halt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let mut line = String::new();
    let output = child.stdout.take().expect("standard output is a pipe");
    BufReader::new(output)
        .read_line(&mut line)
        .expect("a line can be read");
    assert_eq!(line, "ready\n");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()))
        .expect("a running process has a status");
    let mut input = child.stdin.take().expect("standard input is a pipe");
    input.write_all(b"go.\n").expect("the program reads");
    drop(input);
    assert!(child.wait().expect("the program ends").success());
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .expect("the status has a peak")
}

#[cfg(target_os = "linux")]
#[test]
fn a_million_live_list_cells_take_less_than_40_megabytes() {
    let kib = peak("million");
    assert!(kib < 40 * 1024, "{kib} KiB");
}

#[cfg(target_os = "linux")]
#[test]
fn temporary_atoms_take_no_more_the_more_there_are() {
    let kib = peak("many_atoms");
    assert!(kib < 200 * 1024, "{kib} KiB");
}

#[test]
fn deep_recursion_needs_no_system_stack() {
    let sandbox = Sandbox::new().file("p.pl", PROGRAM);
    let outcome = sandbox.run(&["run", "p.pl", "-g", "deep", "-t", "halt"]);
    assert_eq!(outcome.stdout, "3000000\n", "{}", outcome.summary());
}

#[test]
fn limits_raise_resource_errors() {
    let sandbox = Sandbox::new().file("p.pl", PROGRAM);
    for (option, value, goal, expected) in [
        (
            "--memory",
            "64M",
            "caught(deeper(0))",
            "resource_error(memory)\n",
        ),
        (
            "--memory",
            "64M",
            "caught(list(10000000, _))",
            "resource_error(memory)\n",
        ),
        (
            "--time-limit",
            "1",
            "caught(loop)",
            "resource_error(time_limit)\n",
        ),
    ] {
        let outcome = sandbox.run(&["run", option, value, "p.pl", "-g", goal, "-t", "halt"]);
        assert_eq!(outcome.stdout, expected, "{goal}: {}", outcome.summary());
        assert_eq!(outcome.code, Some(0), "{goal}: {}", outcome.summary());
    }
}

/// Engines need areas of their full size; the first one the system has no memory for is an error, not a smaller one.
#[cfg(target_os = "linux")]
#[test]
fn engines_beyond_the_address_space_are_a_resource_error() {
    let program = "make(N) :- forall(between(1, N, _), engine_create(X, member(X, [1]), _)).\n";
    let sandbox = Sandbox::new().file("p.pl", program);
    let goal = "catch(make(100), error(E, _), (write(E), nl))";
    let inner = sandbox.command(&["run", "--memory", "1G", "p.pl", "-g", goal, "-t", "halt"]);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -v 2097152; exec \"$0\" \"$@\""]);
    limited.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            limited.env(name, value);
        }
    }
    if let Some(folder) = inner.get_current_dir() {
        limited.current_dir(folder);
    }
    let output = limited.output().expect("a shell starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "resource_error(memory)\n", "{output:?}");
    assert!(output.status.success(), "{output:?}");
}
