//! The line editor: history across sessions, completion of names of predicates.

use rustyline::completion::{Completer, extract_word};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use std::path::PathBuf;

/// How many queries are remembered.
const REMEMBERED: usize = 2000;

/// Reads lines on a terminal.
pub(super) struct LineEditor {
    editor: Editor<Names, DefaultHistory>,
    history: Option<PathBuf>,
}

impl LineEditor {
    /// An editor with the history of earlier sessions; `None` if the terminal cannot be edited on.
    pub(super) fn new() -> Option<LineEditor> {
        let config = rustyline::Config::builder()
            .max_history_size(REMEMBERED)
            .ok()?
            .completion_type(rustyline::CompletionType::List)
            .build();
        let mut editor = Editor::with_config(config).ok()?;
        editor.set_helper(Some(Names::default()));
        let history = history_file();
        if let Some(path) = &history {
            // The first session has none.
            let _ = editor.load_history(path);
        }
        Some(LineEditor { editor, history })
    }

    /// Reads a line.
    pub(super) fn readline(&mut self, prompt: &str) -> Result<String, ReadlineError> {
        self.editor.readline(prompt)
    }

    /// Adds a query to the history, in the file too: a session may end in any way.
    pub(super) fn remember(&mut self, query: &str) {
        let _ = self.editor.add_history_entry(query);
        if let Some(path) = &self.history {
            if let Some(directory) = path.parent() {
                let _ = std::fs::create_dir_all(directory);
            }
            let _ = self.editor.append_history(path);
        }
    }

    /// The names completion knows, sorted.
    pub(super) fn set_words(&mut self, words: Vec<String>) {
        if let Some(names) = self.editor.helper_mut() {
            names.0 = words;
        }
    }
}

/// `stet/prolog-history` in the user's directory of state.
fn history_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = match set("XDG_STATE_HOME") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(set("HOME")?).join(".local/state"),
    };
    Some(state.join("stet").join("prolog-history"))
}

/// Completes the name before the cursor.
#[derive(Default)]
struct Names(Vec<String>);

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> Result<(usize, Vec<String>), ReadlineError> {
        let ends_word = |c: char| !c.is_alphanumeric() && c != '_' && c != '$';
        let (start, word) = extract_word(line, position, None, ends_word);
        if word.is_empty() {
            return Ok((start, Vec::new()));
        }
        let from = self.0.partition_point(|name| name.as_str() < word);
        let found = self.0[from..]
            .iter()
            .take_while(|name| name.starts_with(word));
        Ok((start, found.cloned().collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}
impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
