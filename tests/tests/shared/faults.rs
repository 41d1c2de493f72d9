//! What a server can do wrong: nothing of it is believed, and none of it delays a run for long.

use super::servers::{self, Fault, Http};
use super::suite::{believed, machine, new_key, trust, verify};
use std::time::{Duration, Instant};

const FAULTS: [Fault; 8] = [
    Fault::Slow,
    Fault::Full,
    Fault::Garbage,
    Fault::Truncated,
    Fault::Replayed,
    Fault::Flipped,
    Fault::Huge,
    Fault::Dropped,
];

#[test]
fn a_misbehaving_server_is_never_believed_and_costs_little() {
    if !servers::has("z3", "--version") {
        return;
    }
    let http = Http::start();
    let ci = machine(&http.url, &[]);
    let key = new_key(&ci, "ci");
    assert_eq!(verify(&ci, &[]).code, Some(1));
    for fault in FAULTS {
        http.misbehave(fault);
        let developer = machine(&http.url, &[]);
        trust(&developer, "ci", &key);
        new_key(&developer, "me");
        let alone = Instant::now();
        assert_eq!(verify(&developer, &["--cache", "off"]).code, Some(1));
        let alone = alone.elapsed();
        let start = Instant::now();
        let run = verify(&developer, &["--remote-wait", "0.1"]);
        let took = start.elapsed();
        assert_eq!(run.code, Some(1), "{fault:?}: {run:?}");
        if fault != Fault::Full {
            assert_eq!(believed(&run), 0, "{fault:?}: {run:?}");
        }
        // Under load of other tests times vary; a second per answer would show.
        assert!(
            took < alone * 3 + Duration::from_secs(2),
            "{fault:?}: {took:?}, alone {alone:?}"
        );
        let warnings = run.stderr.matches("warning[").count();
        assert!(warnings <= 1, "{fault:?}: {run:?}");
        http.misbehave(Fault::None);
    }
}

#[test]
fn a_dead_server_is_told_once_and_then_left_alone() {
    if !servers::has("z3", "--version") {
        return;
    }
    let Some(mut server) = servers::redis(&[]) else {
        return;
    };
    let ci = machine(&server.url, &[]);
    new_key(&ci, "ci");
    assert_eq!(verify(&ci, &[]).code, Some(1));
    server.kill();
    ci.write("ledger.bpl", "procedure P() { assert true; }");
    for text in ["cannot use the shared store", "failed lately"] {
        let run = ci.run(&["verify", "ledger.bpl"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(
            run.stderr.matches("warning[store/remote-failed]").count(),
            1,
            "{run:?}"
        );
        assert!(run.stderr.contains(text), "{run:?}");
    }
}

#[test]
fn a_full_server_loses_nothing() {
    if !servers::has("z3", "--version") {
        return;
    }
    let Some(server) = servers::redis(&["--maxmemory", "1mb", "--maxmemory-policy", "noeviction"])
    else {
        return;
    };
    let ci = machine(&server.url, &[]);
    new_key(&ci, "ci");
    let run = verify(&ci, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let again = verify(&ci, &["--cache", "enforce"]);
    assert_eq!(again.code, Some(1), "the local file has it: {again:?}");
}

/// A trusted signer who lies is named when a sample is recomputed.
#[test]
fn a_lying_signer_is_named() {
    let server = servers::directory();
    let liar = machine(&server.url, &[]);
    let key = new_key(&liar, "liar");
    let lied = liar.run(&["debug", "lie", "5"]);
    assert_eq!(lied.code, Some(0), "{lied:?}");
    let developer = machine(&server.url, &[]);
    trust(&developer, "liar", &key);
    let believed = developer.run(&["debug", "check", "5"]);
    assert_eq!(believed.code, Some(1), "the lie is believed: {believed:?}");
    let checked = developer.run(&["debug", "check", "5", "--check-cache=sample:100%"]);
    assert_eq!(checked.code, Some(101), "{checked:?}");
    assert!(checked.stdout.contains("signed by liar"), "{checked:?}");
}
