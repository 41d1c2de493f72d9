//! One exploration by several processes that meet at a Redis server: the report is that of one process, whatever
//! happens to the workers.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "shared/servers.rs"]
mod servers;

use std::process::{Child, Stdio};
use std::time::Duration;
use stet_tests::{Outcome, Sandbox};

/// A program in IR with a few hundred paths, some of which end in errors.
const PROGRAM: &str = r#"
declare void @klee_make_symbolic(ptr, i64, ptr)
declare void @abort()
@name = private constant [2 x i8] c"x\00"

define i32 @main() {
entry:
  %x = alloca [8 x i8]
  call void @klee_make_symbolic(ptr %x, i64 8, ptr @name)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %step ]
  %sum = phi i32 [ 0, %entry ], [ %more, %step ]
  %p = getelementptr [8 x i8], ptr %x, i64 0, i64 %i
  %b = load i8, ptr %p
  %big = icmp ugt i8 %b, 100
  br i1 %big, label %yes, label %no
yes:
  br label %step
no:
  br label %step
step:
  %add = phi i32 [ 1, %yes ], [ 0, %no ]
  %more = add i32 %sum, %add
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, 8
  br i1 %end, label %out, label %loop
out:
  %bad = icmp eq i32 %more, 5
  br i1 %bad, label %fail, label %ok
fail:
  call void @abort()
  unreachable
ok:
  ret i32 %more
}
"#;

/// The same with four times as many paths for every two bytes.
fn larger_program() -> String {
    let larger = PROGRAM
        .replace("[8 x", "[11 x")
        .replace("i64 8,", "i64 11,");
    larger.replace("%next, 8", "%next, 11")
}

fn worker(sandbox: &Sandbox, url: &str) -> Child {
    let mut command = sandbox.command(&["worker", url, "--once", "--lease", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The report without what depends on the machine's speed and on who asked the solver.
fn essence(outcome: &Outcome) -> String {
    let mut report = outcome.json();
    let report = report.as_object_mut().unwrap();
    report.remove("statistics");
    serde_json::to_string_pretty(report).unwrap()
}

/// A machine on which both sides sign with one key and trust it.
fn machine(file: &str, text: impl AsRef<str>) -> Sandbox {
    let sandbox = Sandbox::new().file(file, text.as_ref());
    new_key(&sandbox, "me");
    sandbox
}

/// Makes a signing key; its public half.
fn new_key(sandbox: &Sandbox, name: &str) -> String {
    let made = sandbox.run(&["cache", "keys", "new", name, "--format", "json"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    made.json()["result"]["key"].as_str().unwrap().to_owned()
}

fn explore(sandbox: &Sandbox, extra: &[&str]) -> Outcome {
    let mut arguments = vec!["explore", "p.ll", "--format", "json", "--cache", "off"];
    arguments.extend(extra);
    sandbox.run(&arguments)
}

#[test]
fn four_workers_give_the_report_of_one_process() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = machine("p.ll", PROGRAM);
    let alone = explore(&sandbox, &[]);
    assert_eq!(alone.code, Some(1), "{alone:?}");
    let workers: Vec<Child> = (0..4).map(|_| worker(&sandbox, &server.url)).collect();
    let together = explore(&sandbox, &["--workers", &server.url]);
    assert_eq!(essence(&together), essence(&alone));
    let paths = |outcome: &Outcome| outcome.json()["statistics"]["paths"].clone();
    assert_eq!(paths(&together), paths(&alone));
    dismiss(workers);
}

/// A worker that waits for a part when the run ends goes on to the next run.
#[test]
fn workers_outlive_a_run() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = machine("p.ll", PROGRAM);
    let idle = |_| {
        let mut command = sandbox.command(&["worker", &server.url, "--idle", "1"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let workers: Vec<Child> = (0..3).map(idle).collect();
    for _ in 0..2 {
        let run = explore(&sandbox, &["--workers", &server.url]);
        assert_eq!(run.code, Some(1), "{run:?}");
    }
    for worker in workers {
        let ended = worker.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    }
}

#[test]
fn workers_meet_behind_tls() {
    let Some(server) = servers::redis_with_tls() else {
        return;
    };
    let (name, value) = server.variables[0].clone();
    let sandbox = machine("p.ll", PROGRAM).variable(name, &value);
    let alone = explore(&sandbox, &[]);
    let workers: Vec<Child> = (0..2).map(|_| worker(&sandbox, &server.url)).collect();
    let together = explore(&sandbox, &["--workers", &server.url]);
    assert_eq!(essence(&together), essence(&alone));
    dismiss(workers);
}

/// A worker that came when all was done would wait for the next run.
fn dismiss(workers: Vec<Child>) {
    for mut worker in workers {
        let _ = worker.kill();
        let _ = worker.wait();
    }
}

#[test]
fn a_worker_without_work_ends_when_asked_to() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = Sandbox::new();
    let arguments = ["worker", &server.url, "--once", "--idle", "0.3"];
    let outcome = sandbox.run(&arguments);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stdout.contains("no signing key"), "{outcome:?}");
    new_key(&sandbox, "me");
    let outcome = sandbox.run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

/// Results are believed by their signature: those of a worker that is not trusted are not.
#[test]
fn a_worker_that_is_not_trusted_is_not_believed() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = Sandbox::new().file("p.ll", PROGRAM);
    let refused = explore(&sandbox, &["--workers", &server.url]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stdout.contains("no key is trusted"), "{refused:?}");
    new_key(&sandbox, "me");
    let stranger = Sandbox::new();
    let key = new_key(&stranger, "stranger");
    let workers = vec![worker(&stranger, &server.url)];
    let refused = explore(&sandbox, &["--workers", &server.url]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stdout.contains(&key), "{refused:?}");
    assert!(refused.stdout.contains("not trusted"), "{refused:?}");
    dismiss(workers);
    let trusted = sandbox.run(&["cache", "keys", "trust", "stranger", &key]);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let workers = vec![worker(&stranger, &server.url)];
    let believed = explore(&sandbox, &["--workers", &server.url]);
    assert_eq!(essence(&believed), essence(&explore(&sandbox, &[])));
    dismiss(workers);
}

/// Somebody who can write to the server says that everything was explored, or hands in results that nobody signed.
#[test]
fn forged_results_are_not_believed() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = machine("p.ll", PROGRAM);
    let port = server.url.rsplit(':').next().unwrap().to_owned();
    let redis = |arguments: &[&str]| {
        let mut command = std::process::Command::new("redis-cli");
        let told = command.args(["-p", &port]).args(arguments).output();
        String::from_utf8(told.unwrap().stdout).unwrap()
    };
    for (forgery, why) in [
        (None, "lost 1 parts"),
        (Some("made up"), "damaged"),
        (Some("SJ1\nmade up"), "damaged"),
    ] {
        let outcome = std::thread::scope(|scope| {
            let run = scope.spawn(|| explore(&sandbox, &["--workers", &server.url]));
            let id = loop {
                let id = redis(&["SRANDMEMBER", "stet:runs"]).trim().to_owned();
                if !id.is_empty() {
                    break id;
                }
                std::thread::sleep(Duration::from_millis(10));
            };
            if let Some(result) = forgery {
                redis(&["XADD", &format!("stet:run:{id}:done"), "*", "r", result]);
            }
            redis(&["SET", &format!("stet:run:{id}:open"), "0"]);
            run.join().unwrap()
        });
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stdout.contains(why), "{why}: {outcome:?}");
    }
}

#[test]
fn the_work_of_killed_workers_is_taken_over() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = machine("p.ll", larger_program());
    let alone = explore(&sandbox, &[]);
    let url = server.url.clone();
    let mut workers: Vec<Child> = (0..3).map(|_| worker(&sandbox, &url)).collect();
    let together = std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            for victim in workers.iter_mut().take(2) {
                std::thread::sleep(Duration::from_millis(150));
                let _ = victim.kill();
                let _ = victim.wait();
            }
            workers.push(worker(&sandbox, &url));
        });
        let together = explore(&sandbox, &["--workers", &url]);
        killer.join().unwrap();
        together
    });
    assert_eq!(essence(&together), essence(&alone));
    dismiss(workers);
}

#[test]
fn what_several_processes_cannot_keep_is_refused() {
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let sandbox = machine("p.ll", PROGRAM);
    let outcome = explore(&sandbox, &["--workers", &server.url, "--max-forks", "3"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stdout.contains("a limit on forks"), "{outcome:?}");
    let outcome = explore(&sandbox, &["--workers", "s3://bucket"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
}

/// A verdict needs no prover here when workers found it out.
#[test]
fn workers_verify_the_implementations_of_a_program() {
    if !servers::has("z3", "--version") {
        return;
    }
    let Some(server) = servers::redis(&[]) else {
        return;
    };
    let claim = |n: usize| {
        if n == 3 {
            "false"
        } else {
            "x * x >= 0 || x < 0"
        }
    };
    let procedure = |n| format!("procedure P{n}(x: int) {{ assert {}; }}\n", claim(n));
    let program: String = (0..12).map(procedure).collect();
    let sandbox = machine("p.bpl", &program);
    let clean = Sandbox::new().file("p.bpl", &program);
    let workers: Vec<Child> = (0..2).map(|_| worker(&sandbox, &server.url)).collect();
    let verify = |sandbox: &Sandbox, extra: &[&str]| {
        let mut arguments = vec!["verify", "p.bpl", "--format", "json"];
        arguments.extend(extra);
        sandbox.run(&arguments)
    };
    let alone = verify(&clean, &[]);
    let together = verify(&sandbox, &["--workers", &server.url]);
    assert_eq!(together.code, Some(1), "{together:?}");
    let verdicts = |outcome: &Outcome| {
        let report = outcome.json();
        let list = report["result"]["implementations"]
            .as_array()
            .unwrap()
            .clone();
        let pick = |item: &serde_json::Value| format!("{} {}", item["name"], item["outcome"]);
        list.iter().map(pick).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&together), verdicts(&alone));
    let solved = |outcome: &Outcome| outcome.json()["statistics"]["checks"]["solved"].as_u64();
    assert_eq!(solved(&alone), Some(12));
    assert_eq!(solved(&together), Some(0), "{together:?}");
    dismiss(workers);
    // A stranger's verdicts are not taken: what it did is done again here.
    let stranger = Sandbox::new();
    new_key(&stranger, "stranger");
    let careful = machine("p.bpl", &program);
    let workers: Vec<Child> = (0..2).map(|_| worker(&stranger, &server.url)).collect();
    let alone = verify(&careful, &["--workers", &server.url]);
    assert_eq!(alone.code, Some(1), "{alone:?}");
    assert_eq!(verdicts(&alone), verdicts(&together));
    assert_eq!(solved(&alone), Some(12), "{alone:?}");
    assert!(
        alone.stderr.contains("not trusted") || alone.stdout.contains("not trusted"),
        "{alone:?}"
    );
    dismiss(workers);
}
