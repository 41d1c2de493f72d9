//! What must not end the server or make it say something wrong: bad messages, huge documents, provers that die, files that
//! vanish, and ten thousand edits.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod client;
mod edits;

use client::{Client, Files, watched_prover};
use serde_json::{Value, json};
use stet_store::Store;

const FAILS: &str = "procedure P(x: int) returns (r: int)\n  ensures r > 0;\n{\n  r := x;\n}\nprocedure Q() { assert 1 + 1 == 2; }\n";

#[test]
fn malformed_messages_are_answered_without_an_id() {
    let Some(mut client) = Client::new() else {
        return;
    };
    for body in [
        "{ this is not JSON",
        "[1, 2, 3]",
        "null",
        "{}",
        "\u{0}",
        r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
        r#"{"jsonrpc":"2.0","method":5}"#,
    ] {
        client.raw(body);
    }
    let answer = client.wait_for(|message| message["error"]["code"] == -32700);
    assert_eq!(answer["id"], Value::Null, "{answer}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    client.raw(&deep);
    client.raw_frame("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}");
    assert_eq!(client.ask_for_error("no/such", Value::Null)["code"], -32601);
    for method in [
        "textDocument/hover",
        "textDocument/rename",
        "textDocument/inlayHint",
    ] {
        assert_eq!(client.ask_for_error(method, json!([]))["code"], -32602);
    }
    let unknown = json!({ "textDocument": { "uri": "file:///none.bpl" }, "position": { "line": 0, "character": 0 } });
    for method in [
        "textDocument/hover",
        "dafny/counterExample",
        "dafny/textDocument/verifySymbol",
    ] {
        let error = client.ask_for_error(method, unknown.clone());
        assert_eq!(error["code"], -32602, "{method}: {error}");
    }
    client.open("file:///a.bpl", "boogie", FAILS);
    assert_eq!(client.wait("stet/summary")["errors"], 1);
    client.end();
}

#[test]
fn positions_outside_the_text_are_taken_for_its_end() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.bpl";
    client.open(uri, "boogie", "procedure P() { assert false; }");
    client.edit(
        uri,
        2,
        (7, 900),
        (u32::MAX, u32::MAX),
        "\nprocedure Q() { }",
    );
    client.edit(uri, 3, (0, 900), (0, 3), " // é𝛌\n");
    let shown = client.settled(uri, 3);
    let mut fresh = Client::new().unwrap();
    let text = "procedure P() { assert false; } // é𝛌\n\nprocedure Q() { }";
    fresh.open(uri, "boogie", text);
    assert_eq!(shown, fresh.settled(uri, 1));
    client.end();
    fresh.end();
}

#[test]
fn a_huge_document_is_read() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.bpl";
    let line =
        "// a comment that says nothing, as long as a line of a program usually is ...........\n";
    let mut text = line.repeat((8 << 20) / line.len());
    text += "procedure P() { assert 1 < 2; }\n";
    client.open(uri, "boogie", &text);
    client.quiet(uri, 1);
    let deep = format!(
        "procedure P() {{ assert {}true{}; }}",
        "(".repeat(200_000),
        ")".repeat(200_000)
    );
    client.open("file:///b.bpl", "boogie", &deep);
    client.quiet("file:///b.bpl", 1);
    client.open(
        "file:///c.dfy",
        "dafny",
        &deep.replace("procedure", "method"),
    );
    client.quiet("file:///c.dfy", 1);
    let many: String = (0..3000)
        .map(|n| format!("procedure P{n}() {{ }}\n"))
        .collect();
    client.open("file:///d.bpl", "boogie", &many);
    let status = client.quiet("file:///d.bpl", 1);
    assert_eq!(status["declarations"].as_array().unwrap().len(), 3000);
    client.end();
}

#[test]
fn a_prover_that_dies_leaves_no_verdict_and_the_next_edit_asks_again() {
    let directory = tempfile::tempdir().unwrap();
    let Some(prover) = watched_prover(directory.path()) else {
        return;
    };
    std::fs::write(directory.path().join("die"), "").unwrap();
    let mut client = Client::start(Store::in_memory(), prover, Files::default(), json!({}));
    let uri = "file:///a.bpl";
    client.open(uri, "boogie", FAILS);
    let summary = client.wait("stet/summary");
    assert_eq!(
        (&summary["errors"], &summary["verified"]),
        (&json!(0), &json!(0)),
        "{summary}"
    );
    let status = client.quiet(uri, 1);
    let states: Vec<&Value> = status["declarations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["status"])
        .collect();
    assert_eq!(states, [4, 4], "nothing is shown as verified: {status}");
    std::fs::remove_file(directory.path().join("die")).unwrap();
    client.edit(uri, 2, (5, 0), (5, 0), " ");
    let summary = client.wait("stet/summary");
    assert_eq!(
        (&summary["errors"], &summary["verified"]),
        (&json!(1), &json!(1)),
        "{summary}"
    );
    client.end();
}

#[test]
fn a_machine_without_a_prover_says_so() {
    use stet_solve::pipe::{ProverConfig, ProverKind};
    let prover = ProverConfig::new(ProverKind::Z3, "/nonexistent/z3".into());
    let mut client = Client::start(Store::in_memory(), prover, Files::default(), json!({}));
    client.open("file:///a.bpl", "boogie", FAILS);
    client.wait("stet/summary");
    let shown = client.diagnostics("file:///a.bpl");
    assert_eq!(shown[0]["code"], "verify/no-prover", "{shown}");
    let status = client.quiet("file:///a.bpl", 1);
    assert!(
        !status["lines"].as_array().unwrap().contains(&json!(200)),
        "{status}"
    );
    client.end();
}

#[test]
fn a_question_that_takes_for_ever_is_cancelled_by_an_edit() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.bpl";
    let hard = "procedure P(a: int, b: int, c: int, n: int) { assume n > 2 && a > 0 && b > 0 && c > 0; assert a*a*a*n + b*b*b*n != c*c*c*n; }\n";
    client.open(uri, "boogie", hard);
    client.wait_for(|message| message["params"]["phase"] == "running");
    client.edit(
        uri,
        2,
        (0, 0),
        (0, hard.len() as u32),
        "procedure P() { assert true; }",
    );
    let summary = client.wait("stet/summary");
    assert_eq!(
        (&summary["version"], &summary["verified"]),
        (&json!(2), &json!(1))
    );
    client.end();
}

#[test]
fn included_files_come_from_the_editor_and_may_vanish() {
    let files = Files::default();
    let put = |text: &str| {
        files
            .0
            .lock()
            .unwrap()
            .insert("/p/b.dfy".to_owned(), text.to_owned())
    };
    put("function F(): int { 1 }\n");
    if stet_solve::pipe::locate(stet_solve::pipe::ProverKind::Z3, None).is_err() {
        return stet_testkit::skip("Z3");
    }
    let prover = stet_solve::pipe::ProverConfig::located(stet_solve::pipe::ProverKind::Z3, None);
    let offered =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut client = Client::start(Store::in_memory(), prover, files.clone(), offered);
    client.wait_for(|message| message["method"] == "client/registerCapability");
    let main = "file:///p/a.dfy";
    client.open(
        main,
        "dafny",
        "include \"b.dfy\"\nmethod M() { assert F() == 1; }\n",
    );
    assert_eq!(client.wait("stet/summary")["errors"], 0);
    // The text in the editor counts before it is saved.
    client.open("file:///p/b.dfy", "dafny", "function F(): int { 2 }\n");
    let of_main =
        |message: &Value| message["method"] == "stet/summary" && message["params"]["uri"] == main;
    assert_eq!(client.wait_for(of_main)["params"]["errors"], 1);
    // An error in it is shown at the directive, with its own place beside.
    client.edit("file:///p/b.dfy", 2, (0, 20), (0, 21), "true");
    let shown = client.diagnostics(main);
    assert_eq!(shown[0]["range"]["start"]["line"], 0, "{shown}");
    let place = &shown[0]["relatedInformation"][0]["location"];
    assert_eq!(place["uri"], "file:///p/b.dfy", "{shown}");
    // Closed, the file on disk counts again; then it vanishes, and comes back.
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": "file:///p/b.dfy" } }),
    );
    assert_eq!(client.wait_for(of_main)["params"]["errors"], 0);
    files.0.lock().unwrap().clear();
    let changed = |kind: u8| json!({ "changes": [{ "uri": "file:///p/b.dfy", "type": kind }] });
    client.notify("workspace/didChangeWatchedFiles", changed(3));
    let shown = client.diagnostics(main);
    assert!(shown.to_string().contains("b.dfy"), "{shown}");
    put("function F(): int { 1 }\n");
    client.notify("workspace/didChangeWatchedFiles", changed(1));
    assert_eq!(client.wait_for(of_main)["params"]["errors"], 0);
    assert_eq!(client.diagnostics(main), json!([]));
    client.end();
}

/// The state after many random edits is that of a fresh start with the final texts. `STET_LSP_EDITS` makes it a campaign.
#[test]
fn random_edits_end_in_the_state_of_a_fresh_run() {
    let wanted = std::env::var("STET_LSP_EDITS").ok();
    let count = wanted.and_then(|n| n.parse().ok()).unwrap_or(120);
    let seed = std::env::var("STET_LSP_SEED").ok();
    let seed = seed.and_then(|n| n.parse().ok()).unwrap_or(1);
    edits::campaign(count, seed);
}
