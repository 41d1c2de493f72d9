//! Provers that work, crash, hang and babble.

use super::*;
use std::time::{Duration, Instant};
use stet_base::Budget;

/// A prover that is a shell script; it ignores the arguments given to Z3.
fn fake(script: &str) -> Prover {
    let directory = std::env::temp_dir();
    let name = format!(
        "stet-fake-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    );
    let path = directory.join(name.replace(['(', ')'], "_"));
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("temporary directory");
    make_executable(&path);
    let config = ProverConfig::new(ProverKind::Z3, path.clone());
    let prover = Prover::start(&config).expect("a script starts");
    std::thread::sleep(Duration::from_millis(100));
    let _ = std::fs::remove_file(path);
    prover
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("own file");
}

/// A limit of work in milliseconds.
fn within(milliseconds: u64) -> Budget {
    Budget::unlimited().limited_to_work(Duration::from_millis(milliseconds))
}

fn z3() -> Option<Prover> {
    let path = locate(ProverKind::Z3, None).ok()?;
    Some(Prover::start(&ProverConfig::new(ProverKind::Z3, path)).expect("z3 starts"))
}

#[test]
fn a_crash_is_unknown() {
    let mut prover = fake("read line; exit 3");
    let budget = Budget::unlimited();
    let answer = prover.check_sat(0, &budget);
    assert!(
        matches!(&answer, CheckAnswer::Unknown(UnknownReason::Crashed(why)) if why.contains('3')),
        "{answer:?}"
    );
    assert!(prover.is_dead());
    let again = prover.check_sat(0, &budget);
    assert!(matches!(
        again,
        CheckAnswer::Unknown(UnknownReason::Crashed(_))
    ));
}

#[test]
fn garbage_is_unknown() {
    let mut prover = fake("read line; echo '(error \"no\")'; cat >/dev/null");
    let answer = prover.check_sat(0, &Budget::unlimited());
    assert_eq!(
        answer,
        CheckAnswer::Unknown(UnknownReason::Garbage("(error \"no\")".to_owned()))
    );
    assert!(
        prover.is_dead(),
        "later answers would belong to earlier questions"
    );
}

#[test]
fn a_hanging_prover_is_killed_even_if_it_does_not_read() {
    let mut prover = fake("exec sleep 1000");
    prover.send(&"; filler\n".repeat(200_000));
    let start = Instant::now();
    let answer = prover.check_sat(0, &within(50));
    assert_eq!(answer, CheckAnswer::Unknown(UnknownReason::TimeOut));
    // The limit, the grace of a few milliseconds, and room for a busy machine.
    let late = start.elapsed().saturating_sub(Duration::from_millis(50));
    assert!(late < Duration::from_millis(900), "{late:?} late");
    assert!(prover.is_dead());
    assert!(!is_alive(prover.process_id()), "killed and waited for");
}

/// Whether a process of this number exists, be it a zombie.
#[cfg(target_os = "linux")]
fn is_alive(process: u32) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(not(target_os = "linux"))]
fn is_alive(_process: u32) -> bool {
    false
}

/// A prover that neither answers nor obeys its soft limit is killed, and its owner starts another one.
#[test]
fn a_stopped_z3_is_killed_and_another_one_works() {
    let Some(mut prover) = z3() else { return };
    let budget = Budget::unlimited();
    assert_eq!(prover.check_sat(0, &budget), CheckAnswer::Sat);
    let process = prover.process_id();
    // the shell's own `kill`: a bare system has no such program
    let stopped = std::process::Command::new("sh")
        .args(["-c", &format!("kill -STOP {process}")])
        .status();
    assert!(stopped.is_ok_and(|status| status.success()));
    let start = Instant::now();
    let answer = prover.check_sat(0, &within(100));
    assert_eq!(answer, CheckAnswer::Unknown(UnknownReason::TimeOut));
    let late = start.elapsed().saturating_sub(Duration::from_millis(100));
    assert!(late < Duration::from_millis(900), "{late:?} late");
    assert!(!is_alive(process), "no orphan");
    let mut second = z3().expect("there was one before");
    assert_eq!(second.check_sat(0, &budget), CheckAnswer::Sat);
}

#[test]
fn another_thread_interrupts_a_check() {
    let Some(mut prover) = z3() else { return };
    prover.send("(declare-const x Int)(declare-const y Int)(declare-const z Int)");
    prover.send("(assert (= (+ (* x x x) (* y y y) (* z z z)) 114))(assert (> x 1000))");
    let budget = Budget::unlimited();
    let other = budget.clone();
    let (answer, late) = std::thread::scope(|scope| {
        let cancelled = scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            other.cancel();
            Instant::now()
        });
        let answer = prover.check_sat(0, &budget);
        let end = Instant::now();
        let cancelled = cancelled.join().expect("it only sleeps");
        (answer, end.saturating_duration_since(cancelled))
    });
    assert_eq!(answer, CheckAnswer::Unknown(UnknownReason::Cancelled));
    assert!(late < Duration::from_millis(900), "{late:?} late");
    assert!(!is_alive(prover.process_id()), "no orphan");
}

#[test]
fn cancelling_stops_a_wait() {
    let mut prover = fake("exec sleep 1000");
    let budget = Budget::unlimited();
    budget.cancel();
    let answer = prover.check_sat(0, &budget);
    assert_eq!(answer, CheckAnswer::Unknown(UnknownReason::Cancelled));
}

#[test]
fn z3_answers_with_values_and_cores() {
    let Some(mut prover) = z3() else { return };
    let budget = Budget::unlimited();
    prover.send("(set-option :produce-unsat-cores true)");
    prover.send("(declare-fun ControlFlow (Int Int) Int)(assert (= (ControlFlow 0 1) (- 5)))");
    assert_eq!(prover.check_sat(0, &budget), CheckAnswer::Sat);
    let values = prover
        .values(&["(ControlFlow 0 1)".to_owned()], &budget)
        .expect("a model");
    assert_eq!(values[0].integer(), Some(-5));
    prover.send(
        "(push 1)(declare-const x Int)(assert (! (> x 5) :named a))(assert (! (< x 3) :named b))",
    );
    assert_eq!(prover.check_sat(0, &budget), CheckAnswer::Unsat);
    let mut core = prover.unsat_core(&budget).expect("a core");
    core.sort();
    assert_eq!(core, ["a", "b"]);
    prover.send("(pop 1)");
    assert_eq!(prover.check_sat(0, &budget), CheckAnswer::Sat);
}

/// What else the machine does must not decide what is proved: with many more busy processes than processors the prover still
/// works for about as long as the limit says.
#[test]
#[cfg(target_os = "linux")]
fn a_limit_does_not_count_waiting_for_a_processor() {
    let Some(mut prover) = z3() else { return };
    prover.send("(declare-const x Int)(declare-const y Int)(declare-const z Int)");
    prover.send("(assert (= (+ (* x x x) (* y y y) (* z z z)) 114))(assert (> x 1000))");
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let busy = std::sync::atomic::AtomicBool::new(true);
    let (answer, worked) = std::thread::scope(|scope| {
        for _ in 0..4 * processors {
            scope.spawn(|| {
                while busy.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let answer = prover.check_sat(0, &within(300));
        busy.store(false, std::sync::atomic::Ordering::Relaxed);
        (answer, prover.processor_time())
    });
    assert_eq!(answer, CheckAnswer::Unknown(UnknownReason::TimeOut));
    assert!(worked >= Duration::from_millis(200), "only {worked:?}");
}

#[test]
fn z3_stops_at_its_time_limit() {
    let Some(mut prover) = z3() else { return };
    prover.send("(declare-const x Int)(declare-const y Int)(declare-const z Int)");
    prover.send("(assert (= (+ (* x x x) (* y y y) (* z z z)) 114))(assert (> x 1000))");
    let answer = prover.check_sat(0, &within(100));
    assert_eq!(answer, CheckAnswer::Unknown(UnknownReason::TimeOut));
    assert!(prover.is_dead());
}

#[test]
fn a_limit_does_not_outlive_a_reset() {
    let Some(mut prover) = z3() else { return };
    let budget = Budget::unlimited();
    let question =
        "(declare-const x Int)(declare-const y Int)(assert (and (> (* x x y) 100) (< (* y x) 17)))";
    prover.send(question);
    let limited = prover.check_sat(100, &budget);
    assert!(matches!(limited, CheckAnswer::Unknown(_)), "{limited:?}");
    prover.send("(reset)");
    prover.limits_were_reset();
    prover.send(question);
    assert_eq!(prover.check_sat(0, &budget), CheckAnswer::Sat);
}

/// In a scope Z3 keeps the limit that was set when the first assertion was made.
#[test]
fn a_limit_set_before_the_assertions_replaces_the_last_one() {
    let Some(mut prover) = z3() else { return };
    let budget = Budget::unlimited();
    let question =
        "(declare-const x Int)(declare-const y Int)(assert (and (> (* x x y) 100) (< (* y x) 17)))";
    for (resources, decided) in [(100, false), (50_000_000, true), (100, false), (0, true)] {
        prover.send("(reset)");
        prover.limits_were_reset();
        prover.send("(set-option :tactic.default_tactic smt)");
        prover.set_resources(resources);
        prover.send("(push 1)");
        prover.send(question);
        let answer = prover.check_sat(resources, &budget);
        assert_eq!(
            answer == CheckAnswer::Sat,
            decided,
            "{resources}: {answer:?}"
        );
    }
}

#[test]
fn identities_have_numbers() {
    let identity = |version: &str| ProverIdentity {
        kind: ProverKind::Z3,
        version: version.to_owned(),
        executable: stet_key::Digest::of_bytes(b""),
    };
    assert_eq!(identity("Z3 version 4.8.12 - 64 bit").numbers(), [4, 8, 12]);
    assert_eq!(identity("This is cvc5 version 1.0.3").numbers(), [1, 0, 3]);
    assert!(identity("none").numbers().is_empty());
}

#[test]
fn a_missing_prover_is_named() {
    let error = locate(ProverKind::Z3, Some(std::path::Path::new("nowhere/z3"))).unwrap_err();
    assert!(error.to_string().contains("nowhere/z3"), "{error}");
}
