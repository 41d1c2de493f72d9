//! Open documents: their texts, versions, edits, and what is known about the present version.

use crate::language::{Analysis, Language};
use crate::position::{Encoding, Lines};
use crate::status::{Phase, Status};
use lsp_server::RequestId;
use lsp_types::{Position, TextDocumentContentChangeEvent, Uri};
use std::sync::Arc;
use std::time::Instant;
use stet_base::{Budget, Span};
use stet_dafny::Includes;
use stet_dafny_verify::paths::State;
use stet_diag::Diagnostic;
use stet_verify::Engine;

/// One version of a document, shared with the workers that check it.
pub(crate) struct Snapshot {
    /// The document's address.
    pub(crate) uri: Uri,
    pub(crate) language: Language,
    /// The editor's number of this version.
    pub(crate) version: i32,
    pub(crate) text: String,
    /// Where its lines start.
    pub(crate) lines: Lines,
    /// What reading it gave.
    pub(crate) analysis: Analysis,
}

/// A document as it is now.
pub(crate) struct Document {
    /// The present version.
    pub(crate) snapshot: Arc<Snapshot>,
    /// What verification said so far.
    pub(crate) status: Status,
    /// When verification may start: a little after the last edit.
    pub(crate) due: Option<Instant>,
    /// The verification under way.
    pub(crate) running: Option<Running>,
    /// Verifications of earlier versions: they finish what they had begun, as far as it is still wanted.
    pub(crate) retired: Vec<Running>,
    /// The lines that the editor shows, as far as it told.
    pub(crate) visible: Vec<(u32, u32)>,
    /// The search for counterexamples under way, and what it found for this version.
    pub(crate) models: Models,
}

/// A verification under way.
pub(crate) struct Running {
    /// Words of another run are not listened to.
    pub(crate) number: u64,
    /// Whether it looks at the whole document.
    pub(crate) is_whole: bool,
    pub(crate) budget: Budget,
}

/// Counterexamples of a version: they are looked for when somebody asks.
#[derive(Default)]
pub(crate) struct Models {
    pub(crate) running: Option<Running>,
    /// Values at places of the text.
    pub(crate) found: Option<Vec<State>>,
    /// Requests that wait for them.
    pub(crate) asked: Vec<RequestId>,
}

/// A piece of text that was replaced: `removed` bytes at `start` by `inserted` others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) removed: usize,
    pub(crate) inserted: usize,
}

impl Edit {
    /// Where a range is after the edit; `None` if the edit touches it.
    pub(crate) fn moved(&self, (start, end): (usize, usize)) -> Option<(usize, usize)> {
        if end <= self.start {
            Some((start, end))
        } else if start >= self.start + self.removed {
            let shift = |at: usize| at - self.removed + self.inserted;
            Some((shift(start), shift(end)))
        } else {
            None
        }
    }

    /// Where a range is after the edit, grown or shrunk by what changed inside it.
    pub(crate) fn stretched(&self, (start, end): (usize, usize)) -> (usize, usize) {
        let removed_end = self.start + self.removed;
        let shift = |at: usize| match at {
            _ if at <= self.start => at,
            _ if at >= removed_end => at - self.removed + self.inserted,
            _ => self.start + self.inserted,
        };
        let start = shift(start);
        (start, shift(end).max(start))
    }
}

impl Snapshot {
    /// Reads a text.
    pub(crate) fn new(
        uri: Uri,
        language: Language,
        version: i32,
        text: String,
        encoding: Encoding,
        includes: &mut (dyn Includes + Send),
    ) -> Arc<Snapshot> {
        let lines = Lines::new(&text, encoding);
        let analysis = language.read(&uri, &text, includes);
        Arc::new(Snapshot {
            uri,
            language,
            version,
            text,
            lines,
            analysis,
        })
    }

    /// Where something about another file is shown: the directive that includes it, or the first line.
    pub(crate) fn elsewhere(&self, diagnostic: &Diagnostic) -> (usize, usize) {
        let file = diagnostic.primary.as_ref().map(|label| label.span.file);
        let name = file.map_or("", |file| self.analysis.sources.file(file).name());
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let included = |line: &str| {
            line.trim_start().starts_with("include") && !last.is_empty() && line.contains(last)
        };
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            if included(line) {
                return (start, start + line.trim_end().len());
            }
            start += line.len();
        }
        let first = self.text.lines().next().unwrap_or_default();
        (0, first.len())
    }

    /// Whether the document includes a file, directly or not.
    pub(crate) fn includes(&self, path: &str) -> bool {
        let own = self.analysis.file;
        let mut files = self.analysis.sources.iter();
        files.any(|(id, file)| Some(id) != own && file.name() == path)
            || self.analysis.missing.iter().any(|missing| missing == path)
    }

    /// The text after the editor's changes, and the edits made.
    pub(crate) fn changed(
        &self,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> (String, Vec<Edit>) {
        let mut text = self.text.clone();
        let mut edits = Vec::new();
        for change in changes {
            let Some(range) = change.range else {
                edits.push(Edit {
                    start: 0,
                    removed: text.len(),
                    inserted: change.text.len(),
                });
                text = change.text;
                continue;
            };
            let lines = Lines::new(&text, encoding);
            let start = lines.offset(&text, range.start);
            let end = lines.offset(&text, range.end).max(start);
            text.replace_range(start..end, &change.text);
            edits.push(Edit {
                start,
                removed: end - start,
                inserted: change.text.len(),
            });
        }
        (text, edits)
    }
}

impl Document {
    /// A document that was just opened or edited: it is due for verification unless it cannot be read.
    pub(crate) fn new(snapshot: Arc<Snapshot>, status: Status, due: Option<Instant>) -> Document {
        Document {
            snapshot,
            status,
            due,
            running: None,
            retired: Vec::new(),
            visible: Vec::new(),
            models: Models::default(),
        }
    }

    /// Whether a verification of this version is waiting or under way.
    pub(crate) fn is_under_way(&self) -> bool {
        matches!(self.status.phase, Phase::Queued | Phase::Running)
    }

    /// Stops everything that is under way: nobody wants it any more.
    pub(crate) fn cancel(&mut self) {
        let models = self.models.running.take();
        let running = self.running.take();
        let retired = self.retired.drain(..);
        for running in retired.chain(running).chain(models) {
            running.budget.cancel();
        }
    }

    /// The verification under way begins nothing more: there is a newer version, or another run about this one, which says
    /// what of it is still wanted.
    pub(crate) fn retire(&mut self, engine: &Engine) {
        if let Some(models) = self.models.running.take() {
            models.budget.cancel();
        }
        let Some(running) = self.running.take() else {
            return;
        };
        match self.snapshot.language {
            // An analysis of a whole file has no parts that could be of use.
            Language::Prolog | Language::C => running.budget.cancel(),
            _ => {
                engine.retire(&path_of(&self.snapshot.uri));
                self.retired.push(running);
            }
        }
    }

    /// What the editor shows, as places of the text.
    pub(crate) fn visible_spans(&self) -> Vec<Span> {
        let Some(file) = self.snapshot.analysis.file else {
            return Vec::new();
        };
        let Snapshot { lines, text, .. } = &*self.snapshot;
        let start_of = |line: u32| lines.offset(text, Position::new(line, 0)) as u32;
        let span = |&(first, last): &(u32, u32)| {
            let end = start_of(last.saturating_add(1)).max(start_of(first));
            Span {
                file,
                start: start_of(first),
                end,
            }
        };
        self.visible.iter().map(span).collect()
    }
}

/// The path of a document on this machine, or its address if it has none.
pub(crate) fn path_of(uri: &Uri) -> String {
    let text = uri.as_str();
    let Some(path) = text.strip_prefix("file://") else {
        return text.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = (first == b'%')
            .then(|| std::str::from_utf8(tail.get(..2)?).ok())
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The address of a file on this machine.
pub(crate) fn uri_of(path: &str) -> Option<Uri> {
    let mut text = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => text.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => text.push(byte as char),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_move_with_edits() {
        let edit = Edit {
            start: 10,
            removed: 2,
            inserted: 5,
        };
        assert_eq!(edit.moved((3, 9)), Some((3, 9)));
        assert_eq!(edit.moved((12, 20)), Some((15, 23)));
        assert_eq!(edit.moved((9, 11)), None);
        assert_eq!(edit.stretched((9, 20)), (9, 23));
        assert_eq!(edit.stretched((11, 20)), (15, 23));
        assert_eq!(edit.stretched((3, 10)), (3, 10));
    }

    #[test]
    fn paths_of_addresses() {
        let path = |text: &str| path_of(&text.parse().unwrap());
        assert_eq!(path("file:///a%20b/c.bpl"), "/a b/c.bpl");
        assert_eq!(path("untitled:Untitled-1"), "untitled:Untitled-1");
    }
}
