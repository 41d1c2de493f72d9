//! Editors and people at a terminal: the server with the Dafny extension's messages, `stet watch`, pages of `--report`.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use stet_tests::Sandbox;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// The public Dafny extension, as far as its messages go.
struct Extension {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: i64,
}

impl Drop for Extension {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Extension {
    /// Starts the server as the extension does.
    fn new(sandbox: &Sandbox, arguments: &[&str]) -> Extension {
        let mut command = sandbox.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = stet_testkit::read_message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut extension = Extension {
            input: child.stdin.take().unwrap(),
            child,
            messages,
            requests: 0,
        };
        let hello = extension.ask(
            "initialize",
            json!({ "capabilities": {}, "workspaceFolders": [] }),
        );
        assert_eq!(hello["serverInfo"]["name"], "stet");
        extension.notify("initialized", json!({}));
        extension
    }

    fn send(&mut self, message: &Value) {
        stet_testkit::write_message(&mut self.input, message).unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.wait(|m| m["id"] == id && m.get("method").is_none());
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            if wanted(&message) {
                return message;
            }
        }
    }

    /// The parameters of the next notification of a kind that is as wanted.
    fn told(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.wait(|m| m["method"] == method && wanted(&m["params"]))["params"].clone()
    }

    fn statuses(&mut self, wanted: &[u8]) {
        let expected = json!(wanted);
        self.told("dafny/textDocument/symbolStatus", |p| {
            let all = p["namedVerifiables"].as_array().unwrap().iter();
            json!(all.map(|v| v["status"].clone()).collect::<Vec<_>>()) == expected
        });
    }
}

const PROGRAM: &str = "method Increment(x: int) returns (r: int)\n  ensures r > x\n{\n  r := x;\n}\n\nmethod Fine(n: nat)\n{\n  ghost var m := n + 1;\n  assert m > 0;\n}\n";

fn open(extension: &mut Extension, uri: &str, text: &str) {
    let item = json!({ "uri": uri, "languageId": "dafny", "version": 1, "text": text });
    extension.notify("textDocument/didOpen", json!({ "textDocument": item }));
}

#[test]
fn the_dafny_extension_is_served() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    // The extension starts `CLIPATH server …`.
    let mut e = Extension::new(
        &sandbox,
        &[
            "server",
            "--verify-on:Change",
            "--verification-time-limit:20",
            "--cache-verification=0",
            "--cores:2",
            "--notify-ghostness:true",
            "--notify-line-verification-status:true",
        ],
    );
    let uri = "file:///p/a.dfy";
    open(&mut e, uri, PROGRAM);
    let compiled = e.told("dafny/compilation/status", |p| {
        p["status"] != "ResolutionStarted"
    });
    assert_eq!(compiled["status"], "ResolutionSucceeded", "{compiled}");
    let ghosts = e.told("dafny/ghost/diagnostics", |_| true)["diagnostics"].clone();
    let lines: Vec<&Value> = ghosts
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["range"]["start"]["line"])
        .collect();
    assert_eq!(lines, [8, 9], "{ghosts}");
    e.statuses(&[1, 1]);
    e.statuses(&[2, 2]);
    let gutter = e.told("dafny/verification/status/gutter", |p| {
        p["perLineStatus"][2] == 400
    });
    assert_eq!(gutter["perLineStatus"][0], 300, "{gutter}");
    e.statuses(&[4, 5]);
    let found = e.ask(
        "dafny/counterExample",
        json!({ "textDocument": { "uri": uri } }),
    );
    // Which values a model names is the prover's choice.
    assert!(!found.as_array().unwrap().is_empty(), "{found}");
    for value in found.as_array().unwrap() {
        assert!(value["variables"].is_object(), "{found}");
        assert!(value["assumption"].is_string(), "{found}");
    }
    // A resolution error, then a program that verifies.
    let change = |version: i64, text: &str| json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }] });
    e.notify(
        "textDocument/didChange",
        change(2, &PROGRAM.replace("r := x;", "r := y;")),
    );
    let compiled = e.told("dafny/compilation/status", |p| {
        p["version"] == 2 && p["status"] != "ResolutionStarted"
    });
    assert_eq!(compiled["status"], "ResolutionFailed", "{compiled}");
    e.told("dafny/verification/status/gutter", |p| {
        p["perLineStatus"][3] == 500
    });
    e.notify("textDocument/didChange", change(3, "method"));
    let compiled = e.told("dafny/compilation/status", |p| {
        p["version"] == 3 && p["status"] != "ResolutionStarted"
    });
    assert_eq!(compiled["status"], "ParsingFailed", "{compiled}");
    e.notify(
        "textDocument/didChange",
        change(4, &PROGRAM.replace("r := x;", "r := x + 1;")),
    );
    e.statuses(&[5, 5]);
    let empty = e.ask(
        "dafny/counterExample",
        json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(empty, json!([]));
    e.ask("shutdown", Value::Null);
    e.notify("exit", Value::Null);
    assert_eq!(e.child.wait().unwrap().code(), Some(0));
}

/// Every number of the gutter: scheduled, verifying, verified, error context, verified in it, failed; then the same, obsolete
/// and being verified again.
#[test]
fn the_gutter_counts_as_the_dafny_extension_does() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    let mut e = Extension::new(
        &sandbox,
        &[
            "server",
            "--notify-line-verification-status:true",
            "--cores:1",
        ],
    );
    let uri = "file:///p/a.dfy";
    let text = "method A(x: int) {\n  assert x == x;\n  assert x > 0;\n}\n\nmethod B() {\n  assert 1 < 2;\n}\n//";
    open(&mut e, uri, text);
    let mut gutter = |version: i64, wanted: [u16; 8]| {
        let expected = json!(wanted);
        e.told("dafny/verification/status/gutter", |p| {
            let lines = p["perLineStatus"].as_array().unwrap();
            p["version"] == version && json!(lines[..8]) == expected
        });
    };
    gutter(1, [1, 1, 1, 1, 0, 1, 1, 1]);
    gutter(1, [2, 2, 2, 2, 0, 2, 2, 2]);
    let known = [300, 350, 400, 300, 0, 200, 200, 200];
    gutter(1, known);
    let end = json!({ "line": 8, "character": 2 });
    let change = json!({ "range": { "start": end, "end": end }, "text": " more" });
    let change =
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [change] });
    e.notify("textDocument/didChange", change);
    let mut gutter = |wanted: [u16; 8]| {
        let expected = json!(wanted);
        e.told("dafny/verification/status/gutter", |p| {
            let lines = p["perLineStatus"].as_array().unwrap();
            p["version"] == 2 && json!(lines[..8]) == expected
        });
    };
    let older = |by: u16| known.map(|n| if n == 0 { 0 } else { n + by });
    gutter(older(1));
    gutter(older(2));
    gutter(known);
    e.ask("shutdown", Value::Null);
}

/// A verification that takes for ever is started by its symbol and ended by it.
#[test]
fn the_dafny_extension_cancels_a_symbol() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    let mut e = Extension::new(&sandbox, &["dafny", "server", "--verify-on", "Never"]);
    let uri = "file:///p/a.dfy";
    let hard = "method Hard(a: int, b: int, c: int, n: int) {\n  assume n > 2 && a > 0 && b > 0 && c > 0;\n  assert a*a*a*n + b*b*b*n != c*c*c*n;\n}\n";
    open(&mut e, uri, hard);
    e.statuses(&[0]);
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 8 } });
    let started = e.ask("dafny/textDocument/verifySymbol", at.clone());
    assert_eq!(started, json!(true));
    let cancel = json!({ "jsonrpc": "2.0", "id": "cancel", "method": "dafny/textDocument/cancelVerifySymbol", "params": at });
    e.send(&cancel);
    e.statuses(&[0]);
    let cancelled = e.wait(|m| m["id"] == "cancel");
    assert_eq!(cancelled["result"], json!(true), "{cancelled}");
    e.ask("shutdown", Value::Null);
}

/// A document is checked with the other files of its project: their names are known, they are not verified with it, the
/// text in the editor counts, and a file or project file that changes on disk is noticed.
#[test]
fn documents_of_a_project_see_its_other_files() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = std::fs::canonicalize(sandbox.path("")).unwrap();
    std::fs::create_dir_all(folder.join("p/old")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    put("p/dfyconfig.toml", "excludes = [\"old/**\"]\n");
    put(
        "p/b.dfy",
        "function F(): int { 1 }\nmethod Wrong() { assert false; }\n",
    );
    put("p/old/c.dfy", "function F(): int { 3 }\n");
    let user = "method M() { assert F() == 1; }\n";
    put("p/a.dfy", user);
    let uri = |name: &str| format!("file://{}", folder.join(name).display());
    let mut e = Extension::new(&sandbox, &["dafny", "server"]);
    open(&mut e, &uri("p/a.dfy"), user);
    e.statuses(&[5]);
    // The editor's text of another file, before it is saved.
    open(&mut e, &uri("p/b.dfy"), "function F(): int { 2 }\n");
    e.statuses(&[4]);
    // The project no longer has it.
    put("p/dfyconfig.toml", "excludes = [\"old/**\", \"b.dfy\"]\n");
    let changes = json!({ "changes": [{ "uri": uri("p/dfyconfig.toml"), "type": 2 }] });
    e.notify("workspace/didChangeWatchedFiles", changes);
    let name = uri("p/a.dfy");
    e.told("dafny/compilation/status", |p| {
        p["uri"] == name && p["status"] == "ResolutionFailed"
    });
    // A project file that cannot be read is an error of the document.
    put("p/dfyconfig.toml", "excludes = 1\n");
    let changes = json!({ "changes": [{ "uri": uri("p/dfyconfig.toml"), "type": 2 }] });
    e.notify("workspace/didChangeWatchedFiles", changes);
    e.told("textDocument/publishDiagnostics", |p| {
        p["uri"] == name && p.to_string().contains("list of file patterns")
    });
}

/// `[options]` of a project file hold in the editor as on the command line, and an option that is not understood is an error of the
/// document.
#[test]
fn documents_of_a_project_have_its_options() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = std::fs::canonicalize(sandbox.path("")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let uri = |name: &str| format!("file://{}", folder.join(name).display());
    // Without the option a variable must be assigned before it is read.
    put(
        "dfyconfig.toml",
        "[options]\nrelax-definite-assignment = true\n",
    );
    let text = "method M() returns (r: int) { var x: int; r := x; assert r == x; }\n";
    put("a.dfy", text);
    let mut e = Extension::new(&sandbox, &["dafny", "server"]);
    open(&mut e, &uri("a.dfy"), text);
    e.statuses(&[5]);
    let changed = |e: &mut Extension, text: &str| {
        put("dfyconfig.toml", text);
        let changes = json!({ "changes": [{ "uri": uri("dfyconfig.toml"), "type": 2 }] });
        e.notify("workspace/didChangeWatchedFiles", changes);
    };
    changed(&mut e, "");
    e.statuses(&[4]);
    changed(&mut e, "[options]\nno-such-option = 1\n");
    let name = uri("a.dfy");
    e.told("textDocument/publishDiagnostics", |p| {
        p["uri"] == name && p.to_string().contains("no-such-option")
    });
    e.ask("shutdown", Value::Null);
}

/// Symbols of files that no document shows are found in the folders of the editor.
#[test]
fn symbols_of_unopened_files_are_found() {
    let sandbox = Sandbox::new();
    let folder = std::fs::canonicalize(sandbox.path("")).unwrap();
    std::fs::create_dir_all(folder.join("inner/.hidden")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    put(
        "inner/a.dfy",
        "module Far { function Wanted(): int { 1 } }\n",
    );
    put("inner/b.bpl", "procedure WantedToo();\n");
    put("inner/.hidden/c.dfy", "function WantedNot(): int { 1 }\n");
    let mut e = Extension::new(&sandbox, &["lsp"]);
    let ask = |e: &mut Extension| {
        let found = e.ask("workspace/symbol", json!({ "query": "wanted" }));
        let all = found.as_array().unwrap().iter();
        let mut names: Vec<String> = all
            .map(|s| s["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert!(ask(&mut e).is_empty(), "no folder is open");
    let added = json!([{ "uri": format!("file://{}", folder.display()), "name": "w" }]);
    let event = json!({ "event": { "added": added, "removed": [] } });
    e.notify("workspace/didChangeWorkspaceFolders", event);
    assert_eq!(ask(&mut e), ["Wanted", "WantedToo"]);
    e.ask("shutdown", Value::Null);
}

#[test]
fn the_dafny_extension_verifies_one_symbol_at_a_time() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    let mut e = Extension::new(&sandbox, &["dafny", "server", "--verify-on", "Never"]);
    let uri = "file:///p/a.dfy";
    open(&mut e, uri, PROGRAM);
    e.statuses(&[0, 0]);
    let at = |line: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": 8 } });
    assert_eq!(e.ask("dafny/textDocument/verifySymbol", at(6)), json!(true));
    e.statuses(&[0, 5]);
    assert_eq!(e.ask("dafny/textDocument/verifySymbol", at(0)), json!(true));
    e.statuses(&[4, 5]);
    // Nothing is under way once the end was told.
    e.told("stet/summary", |_| true);
    assert_eq!(
        e.ask("dafny/textDocument/cancelVerifySymbol", at(0)),
        json!(false)
    );
    e.ask("shutdown", Value::Null);
}

#[test]
fn a_file_is_watched() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("a.bpl", "procedure P() { assert 1 < 2; }\n");
    let once = sandbox.run(&["watch", "--results", "1", "a.bpl"]);
    assert!(
        once.stdout.contains("1 verified, 0 errors"),
        "{}",
        once.stdout
    );
    sandbox.write(
        "a.pl",
        ":- module(a, [p/1], [assertions, regtypes]).\n:- pred p(X) => int(X).\np(1).\n",
    );
    let once = sandbox.run(&["watch", "--results", "1", "a.pl"]);
    assert!(once.stdout.contains("1 assertions"), "{}", once.stdout);
    assert_eq!(sandbox.run(&["watch", "a.txt"]).code, Some(2));
    // A save is followed.
    let mut command = sandbox.command(&["watch", "--results", "2", "a.bpl"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut expect = |text: &str| {
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return,
                Ok(_) => {}
                Err(_) => {
                    let _ = child.kill();
                    panic!("never printed: {text}");
                }
            }
        }
    };
    expect("1 verified, 0 errors");
    sandbox.write("a.bpl", "procedure P() { assert 1 < 2; assert 2 < 1; }\n");
    expect("0 verified, 1 error");
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn reports_are_pages_of_their_own() {
    if is_missing("z3") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("a.dfy", PROGRAM);
    assert_eq!(
        sandbox.run(&["verify", "--report", "r/v", "a.dfy"]).code,
        Some(1)
    );
    let page = std::fs::read_to_string(sandbox.path("r/v/index.html")).unwrap();
    assert!(
        page.contains("a postcondition could not be proved"),
        "{page}"
    );
    assert!(page.contains("class=\"bad\"") && page.contains("Increment"));
    // values of a failing path, at the lines they belong to
    assert!(page.contains("on a failing path: x = "), "{page}");
    sandbox.write(
        "a.pl",
        ":- module(a, [main/0], [assertions, regtypes, rtchecks]).\n:- pred p(X) => int(X).\np(a).\nmain :- catch(p(_), _, true).\n",
    );
    sandbox.run(&["run", "--report", "r/r", "a.pl", "-g", "main"]);
    let page = std::fs::read_to_string(sandbox.path("r/r/index.html")).unwrap();
    assert!(page.contains("Violated assertions"), "{page}");
    sandbox.write(
        "a.ll",
        "declare void @klee_make_symbolic(ptr, i64, ptr)\n@n = constant [2 x i8] c\"n\\00\"\ndefine i32 @main() {\n  %p = alloca i32\n  call void @klee_make_symbolic(ptr %p, i64 4, ptr @n)\n  %v = load i32, ptr %p\n  %c = icmp sgt i32 %v, 5\n  br i1 %c, label %a, label %b\na:\n  %d = udiv i32 7, 0\n  ret i32 %d\nb:\n  ret i32 0\n}\n",
    );
    sandbox.run(&["explore", "--report", "r/e", "a.ll"]);
    let page = std::fs::read_to_string(sandbox.path("r/e/index.html")).unwrap();
    assert!(
        page.contains("Tree of paths") && page.contains("Queries by layer"),
        "{page}"
    );
    assert!(sandbox.path("r/e/tree.svg").exists() && sandbox.path("r/e/coverage.info").exists());
    let profile = std::fs::read_to_string(sandbox.path("r/e/profile.callgrind")).unwrap();
    assert!(profile.contains("fn=main\n"), "{profile}");
    // A place that cannot be written is an error.
    sandbox.write("file", "");
    assert_eq!(
        sandbox.run(&["verify", "--report", "file/x", "a.dfy"]).code,
        Some(2)
    );
}

/// A function of a C file is explored from any editor: a lens, its command, and what was found in the text.
#[test]
fn a_function_is_explored_from_its_lens() {
    if is_missing("clang-19") {
        return;
    }
    let sandbox = Sandbox::new();
    let text = "void klee_make_symbolic(void *, unsigned long, const char *);\nint f(void) {\n  int x;\n  klee_make_symbolic(&x, sizeof x, \"x\");\n  return 10 / x;\n}\nint g(int y) { return y; }\n";
    sandbox.write("a.c", text);
    let uri = format!("file://{}", sandbox.path("a.c").display());
    let mut extension = Extension::new(&sandbox, &["lsp"]);
    let item = json!({ "uri": uri, "languageId": "c", "version": 1, "text": text });
    extension.notify("textDocument/didOpen", json!({ "textDocument": item }));
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = extension.ask("textDocument/codeLens", document);
    let lenses = lenses.as_array().unwrap();
    assert_eq!(lenses.len(), 1, "{lenses:?}");
    extension.ask("workspace/executeCommand", lenses[0]["command"].clone());
    let found = extension.told("textDocument/publishDiagnostics", |p| {
        !p["diagnostics"].as_array().unwrap().is_empty()
    });
    let found = &found["diagnostics"][0];
    assert_eq!(found["code"], "explore/division-by-zero", "{found}");
    assert_eq!(found["range"]["start"]["line"], 4, "{found}");
}

fn is_missing(tool: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|directory| directory.join(tool).exists());
    if !found {
        stet_testkit::skip(tool);
    }
    !found
}
