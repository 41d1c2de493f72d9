//! The tools of `stet mcp`: what they take, and how a call is carried out.

use crate::again;
use crate::options::CacheMode;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What calls have in common.
pub(super) struct Tools {
    pub(super) store: Option<PathBuf>,
    pub(super) cache: CacheMode,
    /// Seconds per call.
    pub(super) time_limit: f64,
    /// Below this directory calls may name files.
    pub(super) root: Option<PathBuf>,
    /// The store of the team, and more options about it.
    pub(super) shared: Vec<String>,
}

/// Whether a call was taken back.
pub(super) type Cancelled = AtomicBool;

/// The tools as `tools/list` tells them.
pub(super) fn descriptions() -> Vec<Value> {
    let program = |what: &str, languages: &[&str], more: Value| {
        let mut properties = json!({
            "text": { "type": "string", "description": "The program." },
            "path": { "type": "string", "description": "Or a file below the server's root." },
            "name": { "type": "string", "description": "What the program is called from call to call, so that edits are compared with the version before." },
            "language": { "enum": languages },
            "time_limit": { "type": "number", "description": "Seconds." },
            "memory_limit": { "type": "string", "description": "How much memory the call may take, e.g. `2G`." },
        });
        if let (Some(properties), Some(more)) = (properties.as_object_mut(), more.as_object()) {
            properties.extend(more.clone());
        }
        json!({ "description": what, "inputSchema": { "type": "object", "properties": properties } })
    };
    let named = |name: &str, mut tool: Value| {
        tool["name"] = json!(name);
        tool
    };
    vec![
        named(
            "verify",
            program(
                "Verify a Boogie or Dafny program; only what an edit can have changed is proved again.",
                &["boogie", "dafny"],
                json!({}),
            ),
        ),
        named(
            "explore",
            program(
                "Explore all paths of a program by symbolic execution; errors come with an input that triggers them.",
                &["c", "cpp", "llvm"],
                json!({ "arguments": { "type": "array", "items": { "type": "string" }, "description": "More options of `stet explore`." } }),
            ),
        ),
        named(
            "run",
            program(
                "Run a goal of a Prolog program with its assertions checked.",
                &["prolog"],
                json!({ "goal": { "type": "string" } }),
            ),
        ),
        json!({
            "name": "explain",
            "description": "What a diagnostic code means.",
            "inputSchema": { "type": "object", "properties": { "code": { "type": "string" } }, "required": ["code"] },
        }),
        json!({
            "name": "why",
            "description": "Why something was checked again: the part of its key that differed.",
            "inputSchema": { "type": "object", "properties": { "subject": { "type": "string" } }, "required": ["subject"] },
        }),
    ]
}

impl Tools {
    /// Carries out a call; an error is about the call itself, findings are a result.
    pub(super) fn call(
        &self,
        name: &str,
        arguments: &Value,
        cancelled: &Cancelled,
    ) -> Result<Value, String> {
        let text = |field: &str| arguments[field].as_str();
        match name {
            "explain" => {
                let code = text("code").ok_or("`code` is missing")?;
                let words = ["explain", "--", code];
                self.stet(Path::new("."), &words, arguments, cancelled)
            }
            "why" => {
                let subject = text("subject").ok_or("`subject` is missing")?;
                let words = ["cache", "why", "--", subject];
                self.stet(Path::new("."), &words, arguments, cancelled)
            }
            "verify" | "explore" | "run" => self.check(name, arguments, cancelled),
            _ => Err(format!("there is no tool `{name}`")),
        }
    }

    fn check(&self, tool: &str, arguments: &Value, cancelled: &Cancelled) -> Result<Value, String> {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (folder, file) = self.program(tool, arguments, scratch.path())?;
        let mut words = vec![tool.to_owned()];
        match tool {
            "run" => {
                let goal = arguments["goal"].as_str().unwrap_or("main");
                words.extend([file, "-g".to_owned(), goal.to_owned()]);
            }
            "explore" => {
                let more = arguments["arguments"].as_array().into_iter().flatten();
                words.extend(more.filter_map(Value::as_str).map(str::to_owned));
                words.push(file);
            }
            _ => words.push(file),
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.stet(&folder, &words, arguments, cancelled)
    }

    /// The folder and the name of the program's file. A text gets the file name of its `name`, so that the engine
    /// recognises the next version of it.
    fn program(
        &self,
        tool: &str,
        arguments: &Value,
        scratch: &Path,
    ) -> Result<(PathBuf, String), String> {
        if let Some(path) = arguments["path"].as_str() {
            let root = self
                .root
                .as_deref()
                .ok_or("files need `stet mcp --root DIRECTORY`")?;
            let root = root.canonicalize().map_err(|error| error.to_string())?;
            let file = root.join(path).canonicalize();
            let file = file.map_err(|error| format!("`{path}`: {error}"))?;
            let below = file
                .strip_prefix(&root)
                .map_err(|_| format!("`{path}` is outside of the root"))?;
            return Ok((root.clone(), below.display().to_string()));
        }
        let text = arguments["text"]
            .as_str()
            .ok_or("`text` or `path` is needed")?;
        let ending = match (tool, arguments["language"].as_str()) {
            ("verify", Some("dafny")) => "dfy",
            ("verify", _) => "bpl",
            ("run", _) => "pl",
            (_, Some("cpp")) => "cpp",
            (_, Some("rust")) => "rs",
            (_, Some("llvm")) => "ll",
            _ => "c",
        };
        let name = arguments["name"].as_str().unwrap_or("program");
        let plain: String = name
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c))
            .collect();
        let file = format!(
            "{}.{ending}",
            if plain.is_empty() { "program" } else { &plain }
        );
        std::fs::write(scratch.join(&file), text).map_err(|error| error.to_string())?;
        Ok((scratch.to_owned(), file))
    }

    /// Runs this binary and wraps its report.
    fn stet(
        &self,
        folder: &Path,
        words: &[&str],
        arguments: &Value,
        cancelled: &Cancelled,
    ) -> Result<Value, String> {
        let wanted = arguments["time_limit"]
            .as_f64()
            .filter(|seconds| *seconds > 0.0);
        let limit = wanted.map_or(self.time_limit, |seconds| seconds.min(self.time_limit));
        let mut command = again::stet().map_err(|error| error.to_string())?;
        command.current_dir(folder).args(&self.shared);
        command.args(["--format", "json", "--time-limit", &limit.to_string()]);
        if let Some(mode) = self.cache.to_possible_value() {
            command.args(["--cache", mode.get_name()]);
        }
        if let Some(store) = &self.store {
            command.arg("--store").arg(store);
        }
        if let Some(memory) = arguments["memory_limit"].as_str() {
            command.arg(format!("--memory-limit={memory}"));
        }
        command.args(words);
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        let ran = again::run(command, &is_cancelled).map_err(|error| error.to_string())?;
        let ran = ran.ok_or("the call was taken back")?;
        let (report, printed) = (ran.output, ran.errors);
        let mut content = vec![json!({ "type": "text", "text": report })];
        if !printed.trim().is_empty() {
            content.push(json!({ "type": "text", "text": printed }));
        }
        let code = ran.status.code();
        let mut result = json!({ "content": content });
        let document = serde_json::from_str(&report).ok().filter(Value::is_object);
        // Findings are a result; without a report the call itself went wrong, e.g. by an option that does not exist.
        result["isError"] = json!(document.is_none() || !matches!(code, Some(0..=3)));
        if let Some(document) = document {
            result["structuredContent"] = document;
        }
        Ok(result)
    }
}
