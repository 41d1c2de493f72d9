//! The suite that every kind of server passes, and what holds whatever the server.

use super::servers::{self, Http, Server};
use stet_tests::{Outcome, Sandbox};

/// A program with names that must not leave the machine, one procedure that fails and two that hold.
pub(super) const PROGRAM: &str = "\
var secretBalance: int;
procedure TransferConfidential(amountClassified: int) returns (remainderHidden: int)
  requires amountClassified > 0;
  modifies secretBalance;
  ensures secretBalance == old(secretBalance) - amountClassified;
{ secretBalance := secretBalance - amountClassified; remainderHidden := secretBalance; }
procedure AuditPrivate() { assert secretBalance * secretBalance >= 0 - 1 || true; }
procedure WrongUndisclosed() { assert secretBalance == 42; }
";

/// The identifiers of [`PROGRAM`] and what names it.
pub(super) const SECRETS: &[&str] = &[
    "secretBalance",
    "TransferConfidential",
    "amountClassified",
    "remainderHidden",
    "AuditPrivate",
    "WrongUndisclosed",
    "ledger",
    "procedure",
    "assert",
];

/// A machine of its own that uses a server.
pub(super) fn machine(server: &str, variables: &[(&'static str, String)]) -> Sandbox {
    let sandbox = Sandbox::new()
        .file("ledger.bpl", PROGRAM)
        .variable("STET_REMOTE", server)
        .variable("STET_REMOTE_WAIT", "20");
    variables.iter().fold(sandbox, |sandbox, (name, value)| {
        sandbox.variable(name, value)
    })
}

/// Makes a signing key on a machine; its public half.
pub(super) fn new_key(machine: &Sandbox, name: &str) -> String {
    let made = machine.run(&["cache", "keys", "new", name, "--format", "json"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    made.json()["result"]["key"].as_str().unwrap().to_owned()
}

pub(super) fn trust(machine: &Sandbox, name: &str, key: &str) {
    let done = machine.run(&["cache", "keys", "trust", name, key]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

pub(super) fn verify(machine: &Sandbox, extra: &[&str]) -> Outcome {
    let mut arguments = vec!["verify", "ledger.bpl", "--format", "json"];
    arguments.extend(extra);
    machine.run(&arguments)
}

/// Verdicts believed from the shared store.
pub(super) fn believed(outcome: &Outcome) -> u64 {
    outcome.json()["statistics"]["shared_store"]["verdicts"]
        .as_u64()
        .unwrap_or(0)
}

/// How many obligations were reused.
fn is_all_cached(outcome: &Outcome) -> bool {
    let report = outcome.json();
    let diagnostics = report["diagnostics"].as_array().unwrap();
    let findings = diagnostics.iter().filter(|d| d["severity"] == "error");
    findings
        .into_iter()
        .all(|d| d["provenance"]["cached"] == true)
}

fn no_prover() -> bool {
    !servers::has("z3", "--version")
}

/// What every server must do.
fn suite(server: &Server) {
    let ci = machine(&server.url, &server.variables);
    let key = new_key(&ci, "ci");
    let asked = ci.run(&["cache", "remote"]);
    assert_eq!(asked.code, Some(0), "{asked:?}");
    let first = verify(&ci, &[]);
    assert_eq!(first.code, Some(1), "{first:?}");
    assert_eq!(believed(&first), 0);
    let sent = first.json()["statistics"]["shared_store"]["sent"]
        .as_u64()
        .unwrap();
    assert!(sent >= 3, "{first:?}");

    // A second machine that trusts the first needs no prover: there is none on it.
    let developer = machine(&server.url, &server.variables);
    trust(&developer, "ci", &key);
    let second = verify(&developer, &["--cache", "enforce"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(
        believed(&second) > 0 && is_all_cached(&second),
        "{second:?}"
    );

    // A third one trusts nobody: nothing is believed, the verdicts are the same.
    let stranger = machine(&server.url, &server.variables);
    let third = verify(&stranger, &[]);
    assert_eq!(third.code, Some(1), "{third:?}");
    assert_eq!(believed(&third), 0);
    assert!(!is_all_cached(&third));

    // What was fetched is local from then on, and is not believed any more when trust ends.
    let fetched = verify(&developer, &[]);
    assert!(
        believed(&fetched) > 0 && is_all_cached(&fetched),
        "{fetched:?}"
    );
    let kept = verify(
        &developer,
        &["--remote", "file:///nowhere/at/all", "--cache", "enforce"],
    );
    assert_eq!(kept.code, Some(1), "{kept:?}");
    assert!(is_all_cached(&kept), "{kept:?}");
    let ended = developer.run(&["cache", "keys", "untrust", "ci"]);
    assert_eq!(ended.code, Some(0));
    let fresh = verify(&developer, &[]);
    assert_eq!(fresh.code, Some(1));
    assert!(!is_all_cached(&fresh), "{fresh:?}");

    exchange_by_hand(server, &ci, &key);
}

/// Push and pull, then a run without a connection.
fn exchange_by_hand(server: &Server, ci: &Sandbox, key: &str) {
    let pushed = ci.run(&["cache", "push", "--format", "json"]);
    assert_eq!(pushed.code, Some(0), "{pushed:?}");
    assert!(
        pushed.json()["result"]["sent"].as_u64().unwrap() >= 3,
        "{pushed:?}"
    );
    let laptop = machine(&server.url, &server.variables);
    trust(&laptop, "ci", key);
    let pulled = laptop.run(&["cache", "pull", "--format", "json"]);
    assert_eq!(pulled.code, Some(0), "{pulled:?}");
    assert!(pulled.json()["result"]["fetched"].as_u64().unwrap() >= 3);
    let offline = verify(
        &laptop,
        &["--remote", "file:///nowhere/at/all", "--cache", "read-only"],
    );
    assert_eq!(offline.code, Some(1), "{offline:?}");
    assert!(is_all_cached(&offline), "{offline:?}");
}

#[test]
fn a_directory_passes_the_suite() {
    if no_prover() {
        return;
    }
    suite(&servers::directory());
}

#[test]
fn redis_passes_the_suite() {
    if no_prover() {
        return;
    }
    if let Some(server) = servers::redis(&[]) {
        suite(&server);
    }
}

#[test]
fn redis_with_tls_passes_the_suite() {
    if no_prover() {
        return;
    }
    let Some(server) = servers::redis_with_tls() else {
        return;
    };
    suite(&server);
    // A certificate of an unknown authority is refused, and said so.
    let stranger = machine(&server.url, &[]);
    new_key(&stranger, "stranger");
    let run = verify(&stranger, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("certificate"), "{run:?}");
}

#[test]
fn an_s3_server_passes_the_suite() {
    if no_prover() {
        return;
    }
    if let Some(server) = servers::s3() {
        suite(&server);
    }
}

#[test]
fn an_http_server_passes_the_suite() {
    if no_prover() {
        return;
    }
    let http = Http::start();
    let mut server = servers::directory();
    server.url = http.url.clone();
    suite(&server);
}

/// Everything that was sent, from everything that was put on the server.
#[test]
fn nothing_that_is_sent_names_anything_of_the_program() {
    if no_prover() {
        return;
    }
    for share in ["evidence=sealed", "evidence=none"] {
        let http = Http::start();
        let ci = machine(&http.url, &[]).file("ledger.c", "int main(void) { return 0; }");
        new_key(&ci, "ci");
        let run = verify(&ci, &["--share", share]);
        assert_eq!(run.code, Some(1), "{run:?}");
        let pushed = ci.run(&["cache", "push", "--share", share]);
        assert_eq!(pushed.code, Some(0), "{pushed:?}");
        let objects = http.objects.lock().unwrap();
        assert!(objects.len() >= 3, "{} objects", objects.len());
        for (name, bytes) in objects.iter() {
            let lower = [name.as_bytes(), b" ", bytes].concat().to_ascii_lowercase();
            for secret in SECRETS {
                let secret = secret.to_ascii_lowercase();
                let found = lower.windows(secret.len()).any(|w| w == secret.as_bytes());
                assert!(!found, "{secret} was sent ({share})");
            }
        }
    }
}

/// With `evidence=none` a verified procedure is still shared, a whole program with its messages is not.
#[test]
fn without_evidence_what_holds_is_still_shared() {
    if no_prover() {
        return;
    }
    let server = servers::directory();
    let ci = machine(&server.url, &[]);
    let key = new_key(&ci, "ci");
    let first = verify(&ci, &["--share", "evidence=none"]);
    assert_eq!(first.code, Some(1), "{first:?}");
    let developer = machine(&server.url, &[]);
    trust(&developer, "ci", &key);
    let second = verify(&developer, &[]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(believed(&second) >= 2, "{second:?}");
}

#[test]
fn roles_are_kept() {
    if no_prover() {
        return;
    }
    let http = Http::start();
    let ci = machine(&http.url, &[]);
    new_key(&ci, "ci");
    verify(&ci, &["--remote-role", "read-only"]);
    assert!(http.objects.lock().unwrap().is_empty());
    verify(&ci, &["--cache", "off"]);
    assert!(http.objects.lock().unwrap().is_empty());
    let other = machine(&http.url, &[]);
    let key = new_key(&other, "other");
    trust(&ci, "other", &key);
    verify(&other, &["--remote-role", "write-only"]);
    assert!(!http.objects.lock().unwrap().is_empty());
    let clean = machine(&http.url, &[]);
    trust(&clean, "other", &key);
    assert_eq!(
        believed(&verify(&clean, &["--remote-role", "write-only"])),
        0
    );
}

#[test]
fn mistakes_about_the_shared_store_are_usage_errors() {
    let sandbox = Sandbox::new().file("p.bpl", "");
    for (wrong, why) in [
        ("ftp://x/y", "`ftp://` is not known"),
        ("s3://bucket", "AWS_ACCESS_KEY_ID"),
        ("rediss://host/#insecure", "insecure"),
        ("file://relative", "absolute"),
    ] {
        let outcome = sandbox.run(&["--store", wrong, "verify", "p.bpl"]);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stdout.contains(why), "{outcome:?}");
    }
    let outcome = sandbox.run(&["cache", "push"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    let outcome = sandbox.run(&["cache", "keys", "trust", "x", "nonsense"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
}
