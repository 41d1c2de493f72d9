//! `stet mcp`: a Model Context Protocol server on standard input and output.
//!
//! A language model that edits a program in a loop is the user who repeats the most. Each tool call runs this
//! same binary with `--format json` in a process of its own, with its own limits, on the store of this session: a call
//! that fails or is stopped harms nothing, and what it decided is reused by the next. Messages are JSON-RPC, one per line.

mod tools;

use crate::exit::ExitStatus;
use crate::session::Session;
use crate::version;
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::PathBuf;
use tools::Tools;

/// Revisions of the protocol this server speaks, newest first.
const REVISIONS: &[&str] = &["2025-06-18", "2025-03-26", "2024-11-05"];

/// The longest message that is read.
const LIMIT: u64 = 64 << 20;

/// Options of `stet mcp`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Seconds a call may take unless it asks for less.
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    call_time_limit: f64,
    /// Let calls read files below this directory; without it they bring their programs as text.
    #[arg(long, value_name = "DIRECTORY")]
    root: Option<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let tools = Tools {
        store: session.store_path(),
        cache: session.options.cache,
        time_limit: options.call_time_limit.clamp(0.1, 86_400.0),
        root: options.root.clone(),
    };
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match std::io::Read::take(&mut input, LIMIT).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return ExitStatus::Clean,
            Ok(_) => {}
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match serde_json::from_slice::<Value>(&line) {
            Ok(Value::Array(batch)) => respond_to_all(&tools, &batch),
            Ok(message) => respond(&tools, &message),
            Err(why) => Some(error(&Value::Null, -32700, &format!("not JSON: {why}"))),
        };
        if let Some(answer) = answer {
            session.output.line(&answer.to_string());
        }
        if session.budget().check().is_err() {
            return ExitStatus::Inconclusive;
        }
    }
}

/// The answers to a batch of messages, which older revisions of the protocol have.
fn respond_to_all(tools: &Tools, batch: &[Value]) -> Option<Value> {
    if batch.is_empty() {
        return Some(error(&Value::Null, -32600, "a batch has messages"));
    }
    let answers: Vec<Value> = batch.iter().filter_map(|m| respond(tools, m)).collect();
    (!answers.is_empty()).then(|| json!(answers))
}

/// The answer to a message; notifications have none.
fn respond(tools: &Tools, message: &Value) -> Option<Value> {
    if !message.is_object() {
        return Some(error(&Value::Null, -32600, "a message is an object"));
    }
    let id = message.get("id")?;
    let Some(method) = message["method"].as_str() else {
        return Some(error(id, -32600, "a request has a method"));
    };
    let parameters = &message["params"];
    let result = match method {
        "initialize" => initialize(parameters),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": tools::descriptions() }),
        "tools/call" => {
            let name = parameters["name"].as_str().unwrap_or_default();
            match tools.call(name, &parameters["arguments"]) {
                Ok(result) => result,
                Err(why) => return Some(error(id, -32602, &why)),
            }
        }
        _ => return Some(error(id, -32601, &format!("there is no method `{method}`"))),
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn initialize(parameters: &Value) -> Value {
    let wanted = parameters["protocolVersion"].as_str().unwrap_or_default();
    let revision = REVISIONS
        .iter()
        .find(|r| **r == wanted)
        .unwrap_or(&REVISIONS[0]);
    json!({
        "protocolVersion": revision,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "stet", "version": version::NUMBER },
        "instructions": "Checks programs and reuses every verdict that still stands: call the tools after every edit.",
    })
}

fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
