//! `bench-lsp STET CORPUS`: how long an editor waits, on real Dafny programs.
//!
//! The server is the real binary in its own process, kept warm. For every program that it can verify: the time from a key press to the
//! diagnostics of that version, from a one-line edit to the last verdict, and from opening the program in a new process with
//! the store of the last one. With `--peer dafny` the same edited texts go through Dafny's command line.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]
#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use clap::Parser;
use serde_json::{Value, json};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

#[derive(Parser)]
struct Options {
    /// The `stet` to measure; it is started as a language server.
    stet: PathBuf,
    /// A directory with Dafny programs.
    corpus: PathBuf,
    /// At most this many programs.
    #[arg(long, default_value_t = 40)]
    programs: usize,
    /// Dafny's command line, for comparison.
    #[arg(long)]
    peer: Option<PathBuf>,
    /// Edits per program.
    #[arg(long, default_value_t = 4)]
    edits: usize,
    /// Programs whose first verification takes longer than so many seconds are left out, and counted.
    #[arg(long, default_value_t = 30)]
    patience: u64,
}

/// A server and the messages it sends.
struct Server {
    child: Child,
    to: ChildStdin,
    messages: Receiver<(Instant, Value)>,
}

impl Server {
    fn start(stet: &Path, store: &Path) -> Server {
        let mut child = Command::new(stet)
            .args(["lsp", "--pause", "0", "--store"])
            .arg(store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let to = child.stdin.take().unwrap();
        let mut from = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = stet_testkit::read_message(&mut from) {
                if sender.send((Instant::now(), message)).is_err() {
                    return;
                }
            }
        });
        let mut server = Server {
            child,
            to,
            messages,
        };
        server.send(json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
        server.wait(Duration::from_secs(60), |m| m["id"] == 1);
        server.send(json!({ "method": "initialized", "params": {} }));
        server
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        stet_testkit::write_message(&mut self.to, &message).unwrap();
    }

    /// The first message of a kind, and when it came.
    fn wait(&self, time: Duration, wanted: impl Fn(&Value) -> bool) -> Option<(Instant, Value)> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok((at, message)) if wanted(&message) => return Some((at, message)),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "dafny", "version": 1, "text": text });
        self.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": item } }));
    }

    fn change(&mut self, uri: &str, version: usize, change: &Value) {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.send(json!({ "method": "textDocument/didChange", "params": params }));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was measured, in milliseconds.
#[derive(Default)]
struct Times {
    first: Vec<f64>,
    keys: Vec<f64>,
    edits: Vec<f64>,
    reopen: Vec<f64>,
    peer: Vec<f64>,
    /// The median of the edits of each program.
    medians: Vec<f64>,
    /// Key presses in one document of a thousand lines.
    large: Vec<f64>,
    /// The programs that were measured.
    texts: Vec<String>,
}

/// A document of so many lines is made of the programs.
const LINES: usize = 1000;

fn main() {
    let options = Options::parse();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&options.corpus)
        .expect("the corpus is a directory")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "dfy"))
        .collect();
    files.sort();
    // Every n-th program, so that the first letters of the names decide nothing.
    let step = (files.len() / options.programs.max(1)).max(1);
    let work = tempfile::tempdir().unwrap();
    let store = work.path().join("store.db");
    let mut times = Times::default();
    let mut left_out = 0;
    for file in files.iter().step_by(step).take(options.programs) {
        match measure(&options, file, &store, work.path(), &mut times) {
            Some(()) => {}
            None => left_out += 1,
        }
    }
    let lines = measure_large(&options, &store, work.path(), &mut times);
    let large = format!("key press to diagnostics, {lines} lines");
    println!(
        "{} programs, {left_out} left out (not supported, or no verdict in time)",
        times.first.len()
    );
    for (name, values) in [
        ("first verification", &times.first),
        ("key press to diagnostics", &times.keys),
        (&*large, &times.large),
        ("edit to all verdicts", &times.edits),
        ("edit to all verdicts, median of a program", &times.medians),
        ("reopened from the store", &times.reopen),
        ("the same edits, Dafny's command line", &times.peer),
    ] {
        if !values.is_empty() {
            let (p50, p95) = (share(values, 0.5), share(values, 0.95));
            println!(
                "{name:<44} p50 {p50:>8.1} ms   p95 {p95:>8.1} ms   {:>4} samples",
                values.len()
            );
        }
    }
}

fn share(values: &[f64], part: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 - 1.0) * part).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

fn since(start: Instant, at: Instant) -> f64 {
    at.saturating_duration_since(start).as_secs_f64() * 1e3
}

fn measure(
    options: &Options,
    file: &Path,
    store: &Path,
    work: &Path,
    times: &mut Times,
) -> Option<()> {
    let text = std::fs::read_to_string(file).ok()?.replace("\r\n", "\n");
    let uri = format!("file://{}/{}.dfy", work.display(), times.first.len());
    let patience = Duration::from_secs(options.patience);
    let mut server = Server::start(&options.stet, store);
    let start = Instant::now();
    server.open(&uri, &text);
    let (at, status) = server.wait(patience, |m| {
        let phase = &m["params"]["phase"];
        m["method"] == "stet/status" && (phase == "done" || phase == "idle")
    })?;
    if status["params"]["phase"] != "done" {
        return None;
    }
    times.first.push(since(start, at));
    let mut version = 1;
    let mut own = Vec::new();
    // A line in a body: the last line that ends a statement, so that something is asked again.
    let lines: Vec<&str> = text.lines().collect();
    let places: Vec<usize> = (0..lines.len())
        .filter(|&n| lines[n].trim_end().ends_with(";") && lines[n].contains(":="))
        .collect();
    for round in 0..options.edits {
        // A key press: a letter in a comment at the end of the text.
        version += 1;
        let end = json!({ "line": lines.len() + 10, "character": 0 });
        let typed = if round == 0 { "\n// x" } else { "x" };
        let start = Instant::now();
        server.change(
            &uri,
            version,
            &json!({ "range": { "start": end, "end": end }, "text": typed }),
        );
        let (at, _) = server.wait(patience, |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["version"] == version
        })?;
        times.keys.push(since(start, at));
        server.wait(patience, |m| {
            m["method"] == "stet/summary" && m["params"]["version"] == version
        })?;
        let Some(&line) = places.get(round * places.len() / options.edits.max(1)) else {
            continue;
        };
        version += 1;
        let place = json!({ "line": line + 1, "character": 0 });
        let inserted = format!("    assert {round} + 1 == {};\n", round + 1);
        let start = Instant::now();
        server.change(
            &uri,
            version,
            &json!({ "range": { "start": place, "end": place }, "text": inserted }),
        );
        let told = server.wait(patience, |m| {
            m["params"]["version"] == version
                && (m["method"] == "stet/summary"
                    || m["method"] == "stet/status" && m["params"]["phase"] == "idle")
        });
        if let Some((at, message)) = told
            && message["method"] == "stet/summary"
        {
            own.push(since(start, at));
            if let Some(peer) = &options.peer {
                let mut edited: Vec<&str> = lines.clone();
                edited.insert(line + 1, &inserted);
                times
                    .peer
                    .extend(peer_time(peer, &edited.join("\n"), work, patience));
            }
        }
        version += 1;
        let after = json!({ "line": line + 2, "character": 0 });
        server.change(
            &uri,
            version,
            &json!({ "range": { "start": place, "end": after }, "text": "" }),
        );
        server.wait(patience, |m| {
            m["method"] == "stet/summary" && m["params"]["version"] == version
        })?;
    }
    times.texts.push(text.clone());
    if !own.is_empty() {
        times.medians.push(share(&own, 0.5));
        times.edits.extend(own);
    }
    drop(server);
    let mut again = Server::start(&options.stet, store);
    let start = Instant::now();
    again.open(&uri, &text);
    let (at, summary) = again.wait(patience, |m| m["method"] == "stet/summary")?;
    if summary["params"]["solved"] == 0 {
        times.reopen.push(since(start, at));
    }
    Some(())
}

/// Key presses in a document of a thousand lines: the programs, each in a module of its own. How many lines it has.
fn measure_large(options: &Options, store: &Path, work: &Path, times: &mut Times) -> usize {
    let mut text = String::new();
    for (number, program) in times.texts.iter().cycle().take(10_000).enumerate() {
        if times.texts.is_empty() || text.lines().count() >= LINES {
            break;
        }
        if !program.contains("include ") {
            text += &format!("module Program{number} {{\n{program}\n}}\n");
        }
    }
    let lines = text.lines().count();
    let uri = format!("file://{}/large.dfy", work.display());
    let mut server = Server::start(&options.stet, store);
    let pause = json!({ "settings": { "stet": { "verifyOn": "never" } } });
    server.send(json!({ "method": "workspace/didChangeConfiguration", "params": pause }));
    server.open(&uri, &text);
    let patience = Duration::from_secs(60);
    // Letters of a comment in the middle of the text.
    for press in 0..40 {
        let version = press + 2;
        let line = lines / 2;
        let place = json!({ "line": line, "character": 0 });
        let typed = if press == 0 { "// \n" } else { "//" };
        let start = Instant::now();
        server.change(
            &uri,
            version,
            &json!({ "range": { "start": place, "end": place }, "text": typed }),
        );
        let told = server.wait(patience, |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["version"] == version
        });
        let Some((at, message)) = told else {
            return lines;
        };
        let errors = message["params"]["diagnostics"]
            .as_array()
            .map_or(0, Vec::len);
        if press == 0 && errors > 0 {
            println!("the large document has {errors} diagnostics");
        }
        times.large.push(since(start, at));
    }
    lines
}

/// How long Dafny's command line takes for a text it accepts.
fn peer_time(peer: &Path, text: &str, work: &Path, patience: Duration) -> Option<f64> {
    let file = work.join("peer.dfy");
    std::fs::write(&file, text).ok()?;
    let start = Instant::now();
    let mut child = Command::new(peer)
        .args(["/compile:0", "/nologo"])
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut out = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        let _ = out.read_to_string(&mut said);
        said
    });
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let time = since(start, Instant::now());
    let said = reader.join().ok()?;
    said.contains("verifier finished").then_some(time)
}
