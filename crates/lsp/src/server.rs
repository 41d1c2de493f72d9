//! The event loop: messages from the editor, results from workers, pauses after edits.

mod notify;
mod requests;

use crate::document::{Document, Snapshot};
use crate::language::Language;
use crate::position::Encoding;
use crate::status::{Phase, Status};
use crate::transport::{self, Frame, Incoming, Outgoing};
use crate::work::{Word, Workshop};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::Uri;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use stet_dafny::Includes;
use stet_diag::Catalog;
use stet_store::Store;
use stet_verify::{Engine, Options};

/// Which protocol the editor expects beside the standard one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Stet's own notifications.
    Stet,
    /// Those of the Dafny extension, too.
    Dafny,
}

/// What the server works with.
pub struct Config {
    /// Where verdicts are kept.
    pub store: Arc<Store>,
    /// How programs are verified.
    pub options: Options,
    /// How long after an edit verification starts.
    pub pause: Duration,
    /// What the codes of diagnostics mean.
    pub catalog: Catalog,
    /// The version of Stet.
    pub version: &'static str,
    /// What the editor understands.
    pub dialect: Dialect,
    /// Where files that a document includes come from.
    pub includes: Box<dyn Includes + Send>,
}

/// What the loop waits for.
pub(crate) enum Event {
    Frame(Frame),
    Word(Word),
}

impl From<Word> for Event {
    fn from(word: Word) -> Event {
        Event::Word(word)
    }
}

/// Talks to an editor until it says `exit` or goes away. Returns whether it said `shutdown` first, as it should.
pub fn serve(config: Config, mut input: Incoming, output: Outgoing) -> bool {
    let (sender, receiver) = channel();
    let frames = sender.clone();
    let reader = std::thread::Builder::new().name("reader".to_owned());
    let started = reader.spawn(move || {
        loop {
            let frame = transport::read(&mut *input);
            let closed = matches!(frame, Frame::Closed);
            if frames.send(Event::Frame(frame)).is_err() || closed {
                return;
            }
        }
    });
    if started.is_err() {
        return false;
    }
    let mut server = Server::new(config, output, sender);
    server.run(&receiver);
    server.is_shut_down
}

/// The state of the conversation.
pub(crate) struct Server {
    output: Outgoing,
    events: Sender<Event>,
    workshop: Workshop,
    pause: Duration,
    catalog: Catalog,
    version: &'static str,
    dialect: Dialect,
    includes: Box<dyn Includes + Send>,
    encoding: Encoding,
    documents: BTreeMap<String, Document>,
    is_initialized: bool,
    is_shut_down: bool,
    has_ended: bool,
    shows_progress: bool,
}

impl Server {
    fn new(config: Config, output: Outgoing, events: Sender<Event>) -> Server {
        Server {
            output,
            events,
            workshop: Workshop {
                engine: Arc::new(Engine::new()),
                store: config.store,
                options: config.options,
            },
            pause: config.pause,
            catalog: config.catalog,
            version: config.version,
            dialect: config.dialect,
            includes: config.includes,
            encoding: Encoding::Utf16,
            documents: BTreeMap::new(),
            is_initialized: false,
            is_shut_down: false,
            has_ended: false,
            shows_progress: false,
        }
    }

    fn run(&mut self, events: &Receiver<Event>) {
        while !self.has_ended {
            let event = match self.next_start() {
                Some(at) => {
                    let wait = at.saturating_duration_since(Instant::now());
                    match events.recv_timeout(wait) {
                        Ok(event) => event,
                        Err(RecvTimeoutError::Timeout) => {
                            self.start_due();
                            continue;
                        }
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
                None => match events.recv() {
                    Ok(event) => event,
                    Err(_) => return,
                },
            };
            self.handle(event);
        }
        for document in self.documents.values_mut() {
            document.cancel();
        }
    }

    /// When the next verification is due.
    fn next_start(&self) -> Option<Instant> {
        self.documents.values().filter_map(|d| d.due).min()
    }

    /// Starts every verification whose pause is over.
    fn start_due(&mut self) {
        let now = Instant::now();
        let is_due = |d: &Document| d.due.is_some_and(|at| at <= now);
        let due: Vec<String> = self
            .documents
            .iter()
            .filter(|(_, document)| is_due(document))
            .map(|(uri, _)| uri.clone())
            .collect();
        for uri in due {
            self.verify(&uri, None);
        }
    }

    /// Starts to verify a document, or one declaration of it.
    fn verify(&mut self, uri: &str, only: Option<String>) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        document.due = None;
        document.cancel();
        let snapshot = document.snapshot.clone();
        if !snapshot.analysis.is_program() {
            return;
        }
        document.running = self
            .workshop
            .start(snapshot.clone(), only, self.events.clone());
        if document.running.is_some() {
            document.status.phase = Phase::Running;
            self.tell_progress(&snapshot, true, "verifying");
        }
        self.tell_status(uri);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Frame(Frame::Closed) => self.has_ended = true,
            Event::Frame(Frame::Malformed(why)) => {
                let id = RequestId::from(0);
                self.send(Response::new_err(id, ErrorCode::ParseError as i32, why).into());
            }
            Event::Frame(Frame::Message(Message::Request(request))) => self.request(request),
            Event::Frame(Frame::Message(Message::Notification(notification))) => {
                self.notification(notification);
            }
            Event::Frame(Frame::Message(Message::Response(_))) => {}
            Event::Word(word) => self.word(word),
        }
    }

    /// Takes what a worker says, unless a newer version has made it obsolete.
    fn word(&mut self, word: Word) {
        let (Word::Result { snapshot, .. } | Word::Done { snapshot, .. }) = &word;
        let uri = snapshot.uri.as_str().to_owned();
        let Some(document) = self.documents.get_mut(&uri) else {
            return;
        };
        if !Arc::ptr_eq(&document.snapshot, snapshot) {
            return;
        }
        match word {
            Word::Result {
                result,
                diagnostics,
                ..
            } => {
                document.status.take(&result, &diagnostics);
                self.tell_diagnostics(&uri);
                self.tell_status(&uri);
            }
            Word::Done {
                snapshot,
                statistics,
                diagnostics,
            } => {
                document.running = None;
                document.status.finish();
                let text = match diagnostics.first() {
                    Some(problem) => problem.message.clone(),
                    None => format!(
                        "{} verified, {} errors ({} solved, {} cached)",
                        statistics.verified,
                        statistics.errors,
                        statistics.solved,
                        statistics.cached + statistics.partial + statistics.recycled
                    ),
                };
                self.tell_diagnostics(&uri);
                self.tell_status(&uri);
                self.tell_progress(&snapshot, false, &text);
                self.tell_summary(&snapshot, &statistics, &text);
            }
        }
    }

    /// Opens a document or a new version of it.
    fn open(&mut self, uri: Uri, language: Language, version: i32, text: String, status: Status) {
        let snapshot = Snapshot::new(
            uri.clone(),
            language,
            version,
            text,
            self.encoding,
            &mut *self.includes,
        );
        let verifies = snapshot.analysis.is_program() && language.is_verified();
        let due = verifies.then(|| Instant::now() + self.pause);
        let phase = if verifies { Phase::Queued } else { Phase::Idle };
        let mut document = Document::new(snapshot, status, due);
        document.status.phase = phase;
        let key = uri.as_str().to_owned();
        if let Some(mut old) = self.documents.insert(key.clone(), document) {
            old.cancel();
        }
        self.tell_diagnostics(&key);
        self.tell_status(&key);
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let response = match self.answer(request) {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.send(response.into());
    }

    fn send(&mut self, message: Message) {
        // A reader that went away shows as the end of its input.
        let _ = message.write(&mut self.output);
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(Notification::new(method.to_owned(), parameters).into());
    }
}

/// The parameters of a message, or why they are not what its method takes.
fn parameters<T: DeserializeOwned>(value: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(value).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}
