//! Conversations with the server: what it says after edits, what it asks the engine again, and that nothing ends it.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod client;

use client::Client;
use serde_json::{Value, json};

const FAILS: &str = "procedure P(x: int) returns (r: int)\n  ensures r > 0;\n{\n  r := x;\n}\nprocedure Q() { assert 1 + 1 == 2; }\n";

#[test]
fn an_edit_is_answered_with_new_verdicts() {
    let Some(mut client) = Client::new() else {
        return;
    };
    client.open("file:///a.bpl", "boogie", FAILS);
    let summary = client.wait("stet/summary");
    assert_eq!(
        (&summary["errors"], &summary["verified"]),
        (&json!(1), &json!(1))
    );
    let shown = client.diagnostics("file:///a.bpl");
    assert_eq!(shown[0]["code"], "verify/postcondition");
    assert_eq!(shown[0]["range"]["start"]["line"], 4);
    // `x` becomes `1`: P verifies, Q is not asked again.
    client.edit("file:///a.bpl", 2, (3, 7), (3, 8), "1");
    let summary = client.wait("stet/summary");
    assert_eq!(
        (&summary["errors"], &summary["verified"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(summary["cached"], 1, "{summary}");
    assert_eq!(client.diagnostics("file:///a.bpl"), json!([]));
    client.end();
}

#[test]
fn a_syntax_error_is_shown_at_once_and_nothing_is_verified() {
    let Some(mut client) = Client::new() else {
        return;
    };
    client.open("file:///a.bpl", "boogie", "procedure P( { }\n");
    let shown = client.diagnostics("file:///a.bpl");
    assert_eq!(shown[0]["code"], "boogie/syntax");
    let status = client.last("stet/status").unwrap();
    assert_eq!(status["phase"], "idle");
    assert_eq!(status["lines"][0], 500);
    client.end();
}

#[test]
fn results_survive_a_restart_without_a_prover() {
    let Some(mut client) = Client::new() else {
        return;
    };
    client.open("file:///a.bpl", "boogie", FAILS);
    client.wait("stet/summary");
    let store = client.end();
    let mut again = Client::with_store(store).unwrap();
    again.open("file:///a.bpl", "boogie", FAILS);
    let summary = again.wait("stet/summary");
    assert_eq!(summary["solved"], 0, "{summary}");
    assert_eq!(
        again.diagnostics("file:///a.bpl")[0]["code"],
        "verify/postcondition"
    );
    again.end();
}

#[test]
fn names_are_navigated() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let text = "function f(x: int): int;\nprocedure P() { assert f(1) == f(1); }\n";
    client.open("file:///a.bpl", "boogie", text);
    let at = |line: u32, character: u32| json!({ "textDocument": { "uri": "file:///a.bpl" }, "position": { "line": line, "character": character } });
    let place = client.ask("textDocument/definition", at(1, 23));
    assert_eq!(
        place["range"]["start"],
        json!({ "line": 0, "character": 9 })
    );
    let places = client.ask("textDocument/references", at(1, 23));
    assert_eq!(places.as_array().unwrap().len(), 3);
    let outline = client.ask(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": "file:///a.bpl" } }),
    );
    assert_eq!(outline[1]["name"], "P");
    let mut rename = at(0, 9);
    rename["newName"] = json!("g");
    let edits = client.ask("textDocument/rename", rename);
    assert_eq!(
        edits["changes"]["file:///a.bpl"].as_array().unwrap().len(),
        3
    );
    let hover = client.ask("textDocument/hover", at(0, 9));
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("function f(x: int): int;")
    );
    client.end();
}

#[test]
fn bad_messages_are_answered_and_the_server_stays_up() {
    let Some(mut client) = Client::new() else {
        return;
    };
    client.raw("{ this is not JSON");
    client.raw("[1, 2, 3]");
    client.notify("textDocument/didOpen", json!({ "nonsense": true }));
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///no.bpl", "version": 1 }, "contentChanges": [] }),
    );
    let error = client.ask_for_error("no/such/request", Value::Null);
    assert_eq!(error["code"], -32601);
    let error = client.ask_for_error("textDocument/hover", json!({ "position": 1 }));
    assert_eq!(error["code"], -32602);
    client.open("file:///a.bpl", "boogie", FAILS);
    client.wait("stet/summary");
    client.end();
}

#[test]
fn prolog_text_is_checked_for_syntax() {
    let Some(mut client) = Client::new() else {
        return;
    };
    client.open(
        "file:///a.pl",
        "prolog",
        ":- op(700, xfx, ===>).\na ===> b.\np(X :- q.\nr.\n",
    );
    let shown = client.diagnostics("file:///a.pl");
    assert_eq!(shown.as_array().unwrap().len(), 1, "{shown}");
    assert_eq!(shown[0]["range"]["start"]["line"], 2);
    client.end();
}

#[test]
fn dafny_programs_are_verified() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let text = "method M(x: int) returns (r: int)\n  ensures r > x\n{\n  r := x - 1;\n}\n\nmethod N()\n{\n  assert 1 + 1 == 2;\n}\n";
    client.open("file:///a.dfy", "dafny", text);
    let summary = client.wait("stet/summary");
    assert_eq!(summary["errors"], 1, "{summary}");
    let shown = client.diagnostics("file:///a.dfy");
    assert_eq!(shown[0]["code"], "dafny/postcondition", "{shown}");
    client.edit("file:///a.dfy", 2, (3, 9), (3, 10), "+");
    let summary = client.wait("stet/summary");
    assert_eq!(summary["errors"], 0, "{summary}");
    assert_eq!(client.diagnostics("file:///a.dfy"), json!([]));
    let lines = client.last("dafny/verification/status/gutter").unwrap()["perLineStatus"].clone();
    assert_eq!(
        (&lines[0], &lines[6]),
        (&json!(200), &json!(200)),
        "{lines}"
    );
    client.end();
}

/// The new texts that the actions at a line offer, by title.
fn actions(client: &mut Client, uri: &str, line: u32) -> Vec<String> {
    let at = |character: u32| json!({ "line": line, "character": character });
    let asked = json!({ "textDocument": { "uri": uri }, "range": { "start": at(0), "end": at(99) }, "context": { "diagnostics": [] } });
    let offered = client.ask("textDocument/codeAction", asked);
    let one = |action: &Value| {
        let edit = &action["edit"]["changes"][uri][0]["newText"];
        format!(
            "{}: {}",
            action["title"].as_str().unwrap(),
            edit.as_str().unwrap_or("").trim()
        )
    };
    offered.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn actions_state_what_fails_and_complete_loops() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.dfy";
    let text = "method Half(n: int, d: int) returns (r: int)\n  requires n > d && d != 0\n  ensures r <= n\n{\n  r := n + 1;\n}\n\nmethod Use(k: int) {\n  var i := 0;\n  while i < k\n  {\n    i := i + 1;\n  }\n  var h := Half(i + 1, 2);\n}\n";
    client.open(uri, "dafny", text);
    client.quiet(uri, 1);
    let offered = actions(&mut client, uri, 13);
    assert!(
        offered.contains(
            &"Insert the failing precondition as an assertion: assert (i + 1) > 2 && 2 != 0;"
                .to_owned()
        ),
        "{offered:?}"
    );
    let offered = actions(&mut client, uri, 3);
    assert!(
        offered
            .iter()
            .any(|o| o.contains("postcondition as an assertion: assert r <= n;")),
        "{offered:?}"
    );
    let offered = actions(&mut client, uri, 9);
    assert_eq!(
        offered,
        [
            "Add a loop invariant: invariant i <= k",
            "Add a decreases clause: decreases k - i"
        ]
    );
    client.end();
}

#[test]
fn values_on_a_failing_path_are_hints() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.bpl";
    client.open(uri, "boogie", "procedure P(x: int) returns (r: int)\n  requires x == 3;\n  ensures r > 10;\n{\n  r := x + 1;\n  r := r + 1;\n}\n");
    client.quiet(uri, 1);
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let asked = json!({ "textDocument": { "uri": uri }, "range": range });
    // The first request starts the search; the extension's request waits for its end.
    client.ask("textDocument/inlayHint", asked.clone());
    let states = client.ask(
        "dafny/counterExample",
        json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(states[0]["variables"]["x"], "3", "{states}");
    let hints = client.ask("textDocument/inlayHint", asked);
    let shown: Vec<String> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|h| {
            format!(
                "{}: {}",
                h["position"]["line"],
                h["label"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(shown, ["0: // x = 3", "4: // r = 4", "5: // r = 5"]);
    client.end();
}

/// Values at the entry stand at the declaration, those at the error where it is; variables of the translation are not shown.
#[test]
fn values_of_dafny_programs_are_hints() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.dfy";
    client.open(uri, "dafny", "method P(x: int) returns (r: int)\n  requires x == 3\n  ensures r > 10\n{\n  r := x;\n  while r < 7 { r := r + 1; }\n  r := x + 1;\n}\n");
    client.quiet(uri, 1);
    let states = client.ask(
        "dafny/counterExample",
        json!({ "textDocument": { "uri": uri } }),
    );
    let shown: Vec<String> = states
        .as_array()
        .unwrap()
        .iter()
        .map(|state| format!("{} {}", state["position"]["line"], state["variables"]))
        .collect();
    assert_eq!(
        shown,
        [r#"0 {"x":"3"}"#, r#"3 {"r":"4"}"#, r#"5 {"r":"7"}"#],
        "the entry, the error, and what the loop may leave"
    );
    client.end();
}

#[test]
fn ghost_statements_are_told() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let text =
        "method Fine(n: nat)\n{\n  ghost var m := n + 1;\n  assert m > 0;\n  var k := n;\n}\n";
    client.open("file:///a.dfy", "dafny", text);
    client.quiet("file:///a.dfy", 1);
    let told = client.last("dafny/ghost/diagnostics").unwrap();
    let all = told["diagnostics"].as_array().unwrap().iter();
    let lines: Vec<&Value> = all.map(|d| &d["range"]["start"]["line"]).collect();
    assert_eq!(lines, [2, 3], "{told}");
    client.end();
}

/// A name declared in an included file is found there, also before that file is open; renaming reaches both.
#[test]
fn names_of_other_files_are_navigated() {
    if stet_solve::pipe::locate(stet_solve::pipe::ProverKind::Z3, None).is_err() {
        return stet_testkit::skip("Z3");
    }
    let files = client::Files::default();
    let library = "function Twice(n: int): int { n + n }\n";
    let mut disk = files.0.lock().unwrap();
    disk.insert("/p/b.dfy".to_owned(), library.to_owned());
    drop(disk);
    let prover = stet_solve::pipe::ProverConfig::located(stet_solve::pipe::ProverKind::Z3, None);
    let store = stet_store::Store::in_memory();
    let mut client = Client::start(store, prover, files, json!({}));
    let main = "file:///p/a.dfy";
    let text = "include \"b.dfy\"\nmethod M(k: nat) {\n  var t: int := Twice(k);\n  assert t == k + k;\n}\n";
    client.open(main, "dafny", text);
    let at = |line: u32, character: u32| json!({ "textDocument": { "uri": main }, "position": { "line": line, "character": character } });
    let place = client.ask("textDocument/definition", at(2, 18));
    assert_eq!(place["uri"], "file:///p/b.dfy", "{place}");
    assert_eq!(place["range"]["start"]["character"], 9, "{place}");
    let hover = client.ask("textDocument/hover", at(2, 18));
    assert!(hover.to_string().contains("function Twice"), "{hover}");
    let hover = client.ask("textDocument/hover", at(3, 9));
    assert!(hover.to_string().contains("t: int"), "{hover}");
    let hover = client.ask("textDocument/hover", at(3, 14));
    assert!(hover.to_string().contains("k: nat"), "{hover}");
    let help = client.ask("textDocument/signatureHelp", at(2, 22));
    assert!(help.to_string().contains("Twice(n: int)"), "{help}");
    let places = client.ask("textDocument/references", at(2, 18));
    assert_eq!(places.as_array().unwrap().len(), 2, "{places}");
    let shown = client.ask("textDocument/documentHighlight", at(2, 18));
    assert_eq!(shown.as_array().unwrap().len(), 1, "{shown}");
    // a local stays in its method
    let places = client.ask("textDocument/references", at(3, 9));
    assert_eq!(places.as_array().unwrap().len(), 2, "{places}");
    let found = client.ask("workspace/symbol", json!({ "query": "twi" }));
    assert_eq!(found[0]["location"]["uri"], "file:///p/b.dfy", "{found}");
    let mut rename = at(2, 18);
    rename["newName"] = json!("Double");
    let edits = client.ask("textDocument/rename", rename);
    let changes = edits["changes"].as_object().unwrap();
    assert_eq!(changes.len(), 2, "{edits}");
    client.end();
}

#[test]
fn a_conjunction_is_split_into_assertions() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.dfy";
    client.open(
        uri,
        "dafny",
        "method M(a: int, b: int) {\n  assert a > b && b > 0;\n}\n",
    );
    client.quiet(uri, 1);
    let offered = actions(&mut client, uri, 1);
    let split = "Split into assertions: assert a > b;\n  assert b > 0;";
    assert!(offered.contains(&split.to_owned()), "{offered:?}");
    client.end();
}

/// The editor takes a request back: it is answered as cancelled, and the server goes on.
#[test]
fn a_request_is_taken_back() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.bpl";
    client.open(uri, "boogie", FAILS);
    client.quiet(uri, 1);
    let asked = json!({ "jsonrpc": "2.0", "id": "late", "method": "dafny/counterExample", "params": { "textDocument": { "uri": uri } } });
    client.raw(&asked.to_string());
    client.notify("$/cancelRequest", json!({ "id": "late" }));
    client.notify("$/cancelRequest", json!({ "id": 99 }));
    let answer = client.wait_for(|message| message["id"] == "late");
    let code = &answer["error"]["code"];
    assert!(*code == -32800 || answer["result"].is_array(), "{answer}");
    client.end();
}

/// A name is what the resolver says it is: fields, locals and bound variables of one name are different things.
#[test]
fn names_are_those_of_the_resolver() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.dfy";
    let text = "class Box { var w: int }\n\
        datatype Tree = Leaf | Node(left: Tree, right: Tree)\n\
        function Pick(t: Tree): Tree { if t.Leaf? then t else t.left }\n\
        method Twice(n: int) returns (w: int) ensures w == 2 * n { w := n + n; }\n\
        lemma L(s: seq<int>)\n\
        requires forall i :: 0 <= i < |s| ==> s[i] > 0\n\
        requires forall i :: 0 <= i < |s| ==> s[i] < 9 {}\n\
        method Use(b: Box) { var o := b.w; var r := Twice(o); assert r == 2 * o; }\n";
    client.open(uri, "dafny", text);
    let place = |needle: &str, nth: usize| {
        let (at, _) = text.match_indices(needle).nth(nth).unwrap();
        let line = text[..at].matches('\n').count();
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": at - start } })
    };
    let lines = |places: &serde_json::Value| -> Vec<u64> {
        let all = places.as_array().unwrap().iter();
        all.map(|p| p["range"]["start"]["line"].as_u64().unwrap())
            .collect()
    };
    // the out-parameter, not the field
    let found = client.ask("textDocument/references", place("w == 2", 0));
    assert_eq!(lines(&found), [3, 3, 3], "{found}");
    let found = client.ask("textDocument/references", place("w: int }", 0));
    assert_eq!(lines(&found), [0, 7], "{found}");
    let found = client.ask("textDocument/references", place("i ::", 1));
    assert_eq!(lines(&found), [6, 6, 6], "{found}");
    let found = client.ask("textDocument/definition", place("left }", 0));
    assert_eq!(lines(&json!([found])), [1], "{found}");
    // inferred types
    let shown = client.ask("textDocument/hover", place("o); assert", 0));
    assert!(shown.to_string().contains("o: int"), "{shown}");
    // a constructor is renamed where it is tested, too
    let rename = |client: &mut Client, at: serde_json::Value, new: &str| {
        let mut asked = at;
        asked["newName"] = json!(new);
        client.ask("textDocument/rename", asked)["changes"][uri].clone()
    };
    let edits = rename(&mut client, place("Leaf |", 0), "Tip");
    assert_eq!(lines(&edits), [1, 2], "{edits}");
    let ends = edits[1]["range"]["end"]["character"].as_u64();
    let start = edits[1]["range"]["start"]["character"].as_u64();
    assert_eq!(ends.unwrap() - start.unwrap(), 4, "{edits}");
    // what another declaration would capture is refused, and so is what does not resolve
    let mut asked = place("n: int", 0);
    asked["newName"] = json!("w");
    let error = client.ask_for_error("textDocument/rename", asked);
    assert!(error["message"].is_string(), "{error}");
    let mut asked = place("s: seq", 0);
    asked["newName"] = json!("i");
    let error = client.ask_for_error("textDocument/rename", asked);
    assert!(error["message"].is_string(), "{error}");
    let prepared = client.ask("textDocument/prepareRename", place("Twice", 1));
    assert_eq!(prepared["placeholder"], "Twice", "{prepared}");
    client.end();
}

#[test]
fn variables_of_prolog_are_renamed_in_their_clause() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.pl";
    client.open(
        uri,
        "prolog",
        "p(X, Y) :- q(X), r(Y).\np(X, Z) :- q(X), r(Z).\nq(1).\n",
    );
    let at = |line: u32, character: u32, new: &str| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character }, "newName": new });
    let edits = client.ask("textDocument/rename", at(1, 2, "W"));
    let edits = edits["changes"][uri].as_array().unwrap().clone();
    assert_eq!(edits.len(), 2, "{edits:?}");
    assert!(
        edits.iter().all(|e| e["range"]["start"]["line"] == 1),
        "{edits:?}"
    );
    let error = client.ask_for_error("textDocument/rename", at(0, 2, "Y"));
    assert!(error["message"].is_string(), "{error}");
    client.end();
}

/// The checks of a line are told wherever no name stands.
#[test]
fn a_failing_check_is_told_on_its_line() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.dfy";
    client.open(uri, "dafny", "method M(x: int) {\n  assert x > 3;\n}\n");
    client.wait("stet/summary");
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 4 } });
    let shown = client.ask("textDocument/hover", at).to_string();
    assert!(
        shown.contains("check in the body of `M`: **failed**"),
        "{shown}"
    );
    assert!(shown.contains("could not be proved"), "{shown}");
    client.end();
}

#[test]
fn parameters_are_marked_in_signatures() {
    let Some(mut client) = Client::new() else {
        return;
    };
    let uri = "file:///a.dfy";
    let text = "method M(a: map<int, int>,\n  b: int) {}\nmethod N() { M(map[], 1); }\n";
    client.open(uri, "dafny", text);
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 2, "character": 23 } });
    let help = client.ask("textDocument/signatureHelp", at);
    assert_eq!(help["activeParameter"], 1, "{help}");
    let signature = &help["signatures"][0];
    let label = signature["label"].as_str().unwrap();
    let shown = |number: usize| {
        let end = |n: usize| {
            signature["parameters"][number]["label"][n]
                .as_u64()
                .unwrap() as usize
        };
        &label[end(0)..end(1)]
    };
    assert_eq!(
        (shown(0), shown(1)),
        ("a: map<int, int>", "b: int"),
        "{help}"
    );
    client.end();
}
