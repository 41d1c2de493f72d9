//! `stet mcp`: a Model Context Protocol server on standard input and output.
//!
//! A language model that edits a program in a loop is the user who repeats the most. Each tool call runs this
//! same binary with `--format json` in a process of its own, with its own limits, on the store of this session: a call
//! that fails or is stopped harms nothing, and what it decided is reused by the next. Messages are JSON-RPC, one per line. Calls run beside each other,
//! and a notification takes one back.

mod tools;

use crate::exit::ExitStatus;
use crate::options::GlobalOptions;
use crate::session::Session;
use crate::version;
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tools::{Cancelled, Tools};

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
        shared: shared_words(&session.options),
    };
    let server = Server {
        tools,
        running: Mutex::default(),
    };
    // At the end of the input, calls that are under way are answered first.
    std::thread::scope(|scope| {
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
            let (server, output) = (&server, &session.output);
            let tell = move |answer: Value| output.line(&answer.to_string());
            match serde_json::from_slice::<Value>(&line) {
                Ok(message) if is_call(&message) => {
                    let cancelled = server.begin(&message);
                    scope.spawn(move || {
                        let answer = server.respond(&message, &cancelled);
                        // The protocol wants no answer to a call that was taken back.
                        let is_wanted = server.end(&message, &cancelled);
                        answer.filter(|_| is_wanted).map(tell)
                    });
                }
                Ok(Value::Array(batch)) => {
                    server.respond_to_all(&batch).map(tell);
                }
                Ok(message) => {
                    server.respond(&message, &Cancelled::default()).map(tell);
                }
                Err(why) => tell(error(&Value::Null, -32700, &format!("not JSON: {why}"))),
            }
            if session.budget().check().is_err() {
                return ExitStatus::Inconclusive;
            }
        }
    })
}

fn is_call(message: &Value) -> bool {
    message["method"] == "tools/call" && message.get("id").is_some()
}

/// The tools, and which calls are under way.
struct Server {
    tools: Tools,
    running: Mutex<Vec<(Value, Arc<Cancelled>)>>,
}

impl Server {
    fn running(&self) -> MutexGuard<'_, Vec<(Value, Arc<Cancelled>)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins: until it ends, a notification can take it back.
    fn begin(&self, message: &Value) -> Arc<Cancelled> {
        let cancelled = Arc::new(Cancelled::default());
        let mut running = self.running();
        running.push((message["id"].clone(), cancelled.clone()));
        cancelled
    }

    /// A call ended; whether its answer is wanted.
    fn end(&self, message: &Value, cancelled: &Arc<Cancelled>) -> bool {
        let id = &message["id"];
        let mut running = self.running();
        running.retain(|(other, flag)| other != id || !Arc::ptr_eq(flag, cancelled));
        !cancelled.load(Ordering::Relaxed)
    }

    fn cancel(&self, id: &Value) {
        for (_, cancelled) in self.running().iter().filter(|(other, _)| other == id) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// The answers to a batch of messages, which older revisions of the protocol have.
    fn respond_to_all(&self, batch: &[Value]) -> Option<Value> {
        if batch.is_empty() {
            return Some(error(&Value::Null, -32600, "a batch has messages"));
        }
        let answers = batch.iter();
        let answers: Vec<Value> = answers
            .filter_map(|message| self.respond(message, &Cancelled::default()))
            .collect();
        (!answers.is_empty()).then(|| json!(answers))
    }

    /// The answer to a message; notifications have none.
    fn respond(&self, message: &Value, cancelled: &Cancelled) -> Option<Value> {
        if !message.is_object() {
            return Some(error(&Value::Null, -32600, "a message is an object"));
        }
        let parameters = &message["params"];
        let Some(id) = message.get("id") else {
            if message["method"] == "notifications/cancelled" {
                self.cancel(&parameters["requestId"]);
            }
            return None;
        };
        let Some(method) = message["method"].as_str() else {
            return Some(error(id, -32600, "a request has a method"));
        };
        let result = match method {
            "initialize" => initialize(parameters),
            "ping" => json!({}),
            "tools/list" => json!({ "tools": tools::descriptions() }),
            "tools/call" => {
                let name = parameters["name"].as_str().unwrap_or_default();
                match self.tools.call(name, &parameters["arguments"], cancelled) {
                    Ok(result) => result,
                    Err(why) => return Some(error(id, -32602, &why)),
                }
            }
            _ => return Some(error(id, -32601, &format!("there is no method `{method}`"))),
        };
        Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }
}

/// The options about the shared store, for the calls.
fn shared_words(options: &GlobalOptions) -> Vec<String> {
    let shared = &options.shared;
    let mut words = Vec::new();
    if let Some(remote) = &shared.remote {
        words.push(format!("--remote={remote}"));
    }
    if let Some(keys) = &shared.keys {
        words.push(format!("--keys={}", keys.display()));
    }
    words
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
