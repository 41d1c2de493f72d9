//! An editor for tests: speaks the protocol over pipes with a server on another thread.

#![allow(dead_code, reason = "every test uses a part of it")]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufReader, PipeWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use stet_lsp::{Config, Dialect, VerifyOn, serve};
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::Store;
use stet_verify::Options;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A prover that writes a line to `started` in a directory whenever it is started, and dies in the middle of the first
/// question while there is a file `die`.
pub(crate) fn watched_prover(directory: &Path) -> Option<ProverConfig> {
    let Ok(real) = locate(ProverKind::Z3, None) else {
        stet_testkit::skip("Z3");
        return None;
    };
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *-in*) echo started >>'{0}/started'; [ ! -e '{0}/die' ] || {{ head -c 500 >/dev/null; exit 1; }} ;; esac\nexec '{1}' \"$@\"\n",
        directory.display(),
        real.display()
    );
    let path = directory.join("z3");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    Some(ProverConfig::new(ProverKind::Z3, path))
}

/// Files on a disk of the test's own.
#[derive(Clone, Default)]
pub(crate) struct Files(pub(crate) Arc<Mutex<BTreeMap<String, String>>>);

impl stet_dafny::Includes for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let name = format!("{directory}/{path}");
        let files = self.0.lock().unwrap();
        match files.get(&name) {
            Some(text) => Ok((name, text.as_str().into())),
            None => Err(format!("there is no file `{path}`")),
        }
    }
}

pub(crate) struct Client {
    to_server: Option<PipeWriter>,
    messages: Receiver<Value>,
    server: JoinHandle<bool>,
    store: Arc<Store>,
    last: BTreeMap<String, Value>,
    requests: i64,
}

/// A workspace without files.
struct Nowhere;

impl stet_lsp::Workspace for Nowhere {
    fn files(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }

    fn text(&self, _path: &str) -> Option<String> {
        None
    }

    fn adapt(&self, _path: &str, _options: &mut Options) {}
}

impl Client {
    /// With a store of its own; `None` without a prover.
    pub(crate) fn new() -> Option<Client> {
        Client::with_store(Store::in_memory())
    }

    pub(crate) fn with_store(store: Arc<Store>) -> Option<Client> {
        if locate(ProverKind::Z3, None).is_err() {
            stet_testkit::skip("Z3");
            return None;
        }
        let prover = ProverConfig::located(ProverKind::Z3, None);
        Some(Client::start(store, prover, Files::default(), json!({})))
    }

    /// With a prover and files of the caller's choice.
    pub(crate) fn start(
        store: Arc<Store>,
        prover: ProverConfig,
        files: Files,
        offered: Value,
    ) -> Client {
        let config = Config {
            store: store.clone(),
            options: Options::new(prover),
            pause: Duration::from_millis(20),
            catalog: stet_diag::Catalog(&[stet_verify::codes::CODES]),
            version: "test",
            dialect: Dialect::Dafny,
            includes: Box::new(files),
            workspace: Box::new(Nowhere),
            verify_on: VerifyOn::Change,
            ghosts: true,
            gutter: true,
            prolog: None,
            explorer: None,
        };
        let (server_input, to_server) = std::io::pipe().unwrap();
        let (from_server, server_output) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || {
            serve(
                config,
                Box::new(BufReader::new(server_input)),
                Box::new(server_output),
            )
        });
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut input = BufReader::new(from_server);
            while let Some(message) = stet_testkit::read_message(&mut input) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Client {
            to_server: Some(to_server),
            messages,
            server,
            store,
            last: BTreeMap::new(),
            requests: 0,
        };
        let answer = client.ask("initialize", json!({ "capabilities": offered }));
        assert_eq!(answer["serverInfo"]["name"], "stet");
        client.notify("initialized", json!({}));
        client
    }

    /// Sends a body as it is.
    pub(crate) fn raw(&mut self, body: &str) {
        let pipe = self.to_server.as_mut().unwrap();
        write!(pipe, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.raw(&message.to_string());
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.raw(&message.to_string());
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn ask_for_error(&mut self, method: &str, params: Value) -> Value {
        self.request(method, params)["error"].clone()
    }

    /// The next message; notifications are remembered by method and document.
    fn next(&mut self) -> Value {
        let message = self
            .messages
            .recv_timeout(PATIENCE)
            .expect("the server answers");
        if let Some(method) = message["method"].as_str() {
            let document = message["params"]["uri"].as_str().unwrap_or_default();
            self.last
                .insert(format!("{method} {document}"), message["params"].clone());
            self.last
                .insert(method.to_owned(), message["params"].clone());
        }
        message
    }

    /// Waits for a message.
    pub(crate) fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Forgets what was said about a document: its versions start again.
    pub(crate) fn forget(&mut self, uri: &str) {
        self.ask("workspace/symbol", json!({ "query": "" }));
        self.last.remove(&format!("stet/status {uri}"));
    }

    /// Sends bytes as they are.
    pub(crate) fn raw_frame(&mut self, frame: &str) {
        let pipe = self.to_server.as_mut().unwrap();
        pipe.write_all(frame.as_bytes()).unwrap();
    }

    /// Waits for a notification.
    pub(crate) fn wait(&mut self, method: &str) -> Value {
        loop {
            let message = self.next();
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    pub(crate) fn last(&self, method: &str) -> Option<Value> {
        self.last.get(method).cloned()
    }

    /// The diagnostics published last, after the server has answered everything sent so far.
    pub(crate) fn diagnostics(&mut self, uri: &str) -> Value {
        self.ask("workspace/symbol", json!({ "query": "" }));
        let key = format!("textDocument/publishDiagnostics {uri}");
        self.last[&key]["diagnostics"].clone()
    }

    /// Waits until nothing is under way for a version of a document any more; returns its last status.
    pub(crate) fn quiet(&mut self, uri: &str, version: i64) -> Value {
        let status = format!("stet/status {uri}");
        while !self.last.get(&status).is_some_and(|s| {
            s["version"] == version && (s["phase"] == "done" || s["phase"] == "idle")
        }) {
            self.next();
        }
        self.ask("workspace/symbol", json!({ "query": "" }));
        self.last[&status].clone()
    }

    /// Everything that is shown of a version of a document once nothing is under way any more, without how it was obtained.
    pub(crate) fn settled(&mut self, uri: &str, version: i64) -> Vec<String> {
        let status = self.quiet(uri, version);
        let shown = self.diagnostics(uri);
        let place = |value: &Value| {
            let at = |end: &str| {
                let end = &value[end];
                format!("{}:{}", end["line"], end["character"])
            };
            format!("{}-{}", at("start"), at("end"))
        };
        // A text that is no program keeps what was known about an earlier one, marked as such: that is not compared.
        let is_done = status["phase"] == "done";
        let mut list = Vec::new();
        for d in shown.as_array().unwrap() {
            if d["data"]["stale"] == true {
                assert!(!is_done, "{d}");
                continue;
            }
            let message = d["message"].as_str().unwrap().replace(" (cached)", "");
            list.push(format!("{} {} {message}", place(&d["range"]), d["code"]));
        }
        let checks = status["checks"].as_array().unwrap().iter();
        for c in checks.filter(|c| is_done || c["stale"] == false) {
            let (name, verdict) = (&c["declaration"], &c["verdict"]);
            list.push(format!("{} check of {name} {verdict}", place(&c["range"])));
            assert_eq!(c["stale"], false, "{c}");
        }
        let declarations = status["declarations"].as_array().unwrap().iter();
        for d in declarations.filter(|_| is_done) {
            let at = place(&d["nameRange"]);
            list.push(format!("{at} {} {}", d["name"], d["status"]));
        }
        let lines = status["lines"].as_array().unwrap().iter();
        let lines: Vec<u64> = lines.map(|n| n.as_u64().unwrap()).collect();
        let shown = |n: &u64| if is_done || *n == 500 { *n } else { 0 };
        let lines: Vec<u64> = lines.iter().map(shown).collect();
        list.push(format!("{} lines {lines:?}", status["phase"]));
        list.sort();
        list
    }

    pub(crate) fn open(&mut self, uri: &str, language: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    pub(crate) fn edit(
        &mut self,
        uri: &str,
        version: i64,
        start: (u32, u32),
        end: (u32, u32),
        text: &str,
    ) {
        let position =
            |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let change =
            json!({ "range": { "start": position(start), "end": position(end) }, "text": text });
        let parameters = json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [change] });
        self.notify("textDocument/didChange", parameters);
    }

    /// Ends the conversation as the protocol asks; returns the store.
    pub(crate) fn end(mut self) -> Arc<Store> {
        self.ask("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        drop(self.to_server.take());
        assert!(self.server.join().unwrap());
        self.store
    }
}
