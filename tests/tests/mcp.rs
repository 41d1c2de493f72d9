//! A language model's conversation: tools are listed, called, and reuse verdicts from call to call.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use stet_tests::Sandbox;

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i64,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    fn new(sandbox: &Sandbox) -> Client {
        let mut command = sandbox.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut client = Client {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            requests: 0,
            child,
        };
        let hello = client.ask("initialize", json!({ "protocolVersion": "2025-03-26" }));
        assert_eq!(hello["result"]["protocolVersion"], "2025-03-26");
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        client
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        self.send(&request.to_string());
        self.read()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        answer["result"]["structuredContent"].clone()
    }
}

#[test]
fn tools_are_listed_and_bad_requests_answered() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["verify", "explore", "run", "explain", "why"]);
    client.send("nonsense");
    assert_eq!(client.read()["error"]["code"], -32700);
    for no_message in ["null", "5", "\"x\"", "[]", "[7]"] {
        client.send(no_message);
        let answer = client.read();
        let answer = answer.get(0).unwrap_or(&answer);
        assert_eq!(answer["error"]["code"], -32600, "{no_message}: {answer}");
    }
    client.send(r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"}]"#);
    assert_eq!(client.read()[0]["id"], "a");
    let option = client.ask(
        "tools/call",
        json!({ "name": "explore", "arguments": { "text": "", "language": "llvm", "arguments": ["--no-such"] } }),
    );
    assert_eq!(option["result"]["isError"], true, "{option}");
    assert_eq!(client.ask("no/such", json!({}))["error"]["code"], -32601);
    let file = client.ask(
        "tools/call",
        json!({ "name": "verify", "arguments": { "path": "/etc/passwd" } }),
    );
    assert_eq!(file["error"]["code"], -32602, "{file}");
}

#[test]
fn an_edit_is_verified_where_it_matters() {
    if std::process::Command::new("z3")
        .arg("--version")
        .output()
        .is_err()
    {
        return stet_testkit::skip("z3");
    }
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let program = |second: &str| {
        format!(
            "procedure P(x: int) {{ assert x == x; }}\nprocedure Q(x: int) {{ assert x {second} x; }}\n"
        )
    };
    let mut verify = |second: &str| {
        client.call(
            "verify",
            json!({ "name": "edit", "text": program(second), "language": "boogie" }),
        )
    };
    let first = verify("<");
    assert_eq!(first["exit_code"], 1, "{first}");
    let second = verify("<=");
    assert_eq!(second["exit_code"], 0, "{second}");
    assert_eq!(second["statistics"]["checks"]["solved"], 1, "{second}");
    let explained = client.call("explain", json!({ "code": "verify/assertion" }));
    assert_eq!(explained["result"]["codes"][0]["code"], "verify/assertion");
}

/// A call that takes long holds nobody up, and can be taken back.
#[test]
fn calls_run_beside_each_other_and_can_be_taken_back() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let call = json!({
        "jsonrpc": "2.0", "id": "slow", "method": "tools/call",
        "params": { "name": "run", "arguments": { "text": "main :- repeat, fail.", "goal": "main", "memory_limit": "1G" } },
    });
    client.send(&call.to_string());
    let answer = client.ask("ping", json!({}));
    assert_eq!(answer["result"], json!({}), "{answer}");
    let back = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "slow" } });
    client.send(&back.to_string());
    // the next answer is that of the next request, not that of the call
    let explained = client.call("explain", json!({ "code": "verify/assertion" }));
    assert_eq!(explained["exit_code"], 0, "{explained}");
}
