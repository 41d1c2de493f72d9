//! The event loop: messages from the editor, results from workers, pauses after edits.

mod hints;
mod lenses;
mod names;
mod notify;
mod rename;
mod requests;
mod settings;

use crate::document::{Document, Running, Snapshot, path_of};
use crate::explore::Explorer;
use crate::language::Language;
use crate::overlay::Overlay;
use crate::position::Encoding;
use crate::prolog::PrologChecker;
use crate::status::{Phase, Status};
use crate::transport::{self, Frame, Incoming, Outgoing};
use crate::work::{Job, Kind, Word, Workshop};
use crate::workspace::Workspace;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::Uri;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use stet_dafny::Includes;
use stet_diag::{Catalog, Diagnostic};
use stet_store::Store;
use stet_verify::{Engine, Options, Statistics};

/// Which protocol the editor expects beside the standard one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Stet's own notifications.
    Stet,
    /// Those of the Dafny extension, too.
    Dafny,
}

/// When documents are verified without being asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerifyOn {
    /// A little after every edit.
    Change,
    /// When they are opened and saved.
    Save,
    Never,
}

impl VerifyOn {
    /// By its name, as Dafny and editors' settings write it.
    pub fn named(name: &str) -> Option<VerifyOn> {
        match name.to_ascii_lowercase().as_str() {
            "change" | "onchange" => Some(VerifyOn::Change),
            "save" | "onsave" | "changefile" | "changeproject" => Some(VerifyOn::Save),
            "never" => Some(VerifyOn::Never),
            _ => None,
        }
    }
}

/// What the server works with.
pub struct Config {
    /// Where verdicts are kept.
    pub store: Arc<Store>,
    /// How programs are verified.
    pub options: Options,
    /// How long after an edit verification starts.
    pub pause: Duration,
    /// When verification starts.
    pub verify_on: VerifyOn,
    /// Whether the Dafny dialect reports ghost statements.
    pub ghosts: bool,
    /// Whether the Dafny dialect reports the status of lines.
    pub gutter: bool,
    /// What the codes of diagnostics mean.
    pub catalog: Catalog,
    /// The version of Stet.
    pub version: &'static str,
    /// What the editor understands.
    pub dialect: Dialect,
    /// Where files that a document includes come from.
    pub includes: Box<dyn Includes + Send>,
    /// Files that no document shows.
    pub workspace: Box<dyn Workspace>,
    /// How Prolog documents are analysed, if they are.
    pub prolog: Option<Arc<dyn PrologChecker>>,
    /// How functions of C files are explored, if they are.
    pub explorer: Option<Arc<dyn Explorer>>,
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
    verify_on: VerifyOn,
    ghosts: bool,
    gutter: bool,
    catalog: Catalog,
    version: &'static str,
    dialect: Dialect,
    includes: Box<dyn Includes + Send>,
    workspace: Box<dyn Workspace>,
    /// The folders that the editor has open, by their paths.
    folders: BTreeSet<String>,
    encoding: Encoding,
    documents: BTreeMap<String, Document>,
    /// Documents with results that were not told yet.
    changed: BTreeSet<String>,
    runs: u64,
    /// Requests of the server to the editor.
    requests: i32,
    offers: Offers,
    is_shut_down: bool,
    has_ended: bool,
}

/// What the editor can do.
#[derive(Clone, Copy, Default)]
struct Offers {
    progress: bool,
    /// It can be told which files to watch.
    watching: bool,
    /// It asks for hints again when told to.
    hint_refresh: bool,
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
                prolog: config.prolog,
                explorer: config.explorer,
            },
            pause: config.pause,
            verify_on: config.verify_on,
            ghosts: config.ghosts,
            gutter: config.gutter,
            catalog: config.catalog,
            version: config.version,
            dialect: config.dialect,
            includes: config.includes,
            workspace: config.workspace,
            folders: BTreeSet::new(),
            encoding: Encoding::Utf16,
            documents: BTreeMap::new(),
            changed: BTreeSet::new(),
            runs: 0,
            requests: 0,
            offers: Offers::default(),
            is_shut_down: false,
            has_ended: false,
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
            // What came in the meantime is taken in one go: many results make one message.
            while !self.has_ended
                && let Ok(event) = events.try_recv()
            {
                self.handle(event);
            }
            self.tell_changed();
        }
        for document in self.documents.values_mut() {
            document.cancel();
        }
    }

    /// When the next verification is due.
    fn next_start(&self) -> Option<Instant> {
        self.documents.values().filter_map(|d| d.due).min()
    }

    /// Publishes documents about which something became known.
    fn tell_changed(&mut self) {
        for uri in std::mem::take(&mut self.changed) {
            self.tell_diagnostics(&uri);
            self.tell_status(&uri);
        }
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
            let is_wanted = |d: &Document| d.status.phase == Phase::Queued;
            if self.documents.get(&uri).is_some_and(is_wanted) {
                self.verify(&uri, Vec::new());
            } else {
                self.finish_reading(&uri);
                if let Some(document) = self.documents.get_mut(&uri) {
                    document.due = None;
                }
            }
        }
    }

    /// Starts to verify a document, or some implementations of it. One declaration at a time is looked at beside what
    /// is known about the others.
    fn verify(&mut self, uri: &str, only: Vec<String>) {
        self.finish_reading(uri);
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        document.due = None;
        document.retire(&self.workshop.engine);
        let snapshot = document.snapshot.clone();
        if !snapshot.analysis.is_program() {
            return;
        }
        self.runs += 1;
        let mut options = self.workshop.options.clone();
        self.workspace.adapt(&path_of(&snapshot.uri), &mut options);
        let (number, is_whole) = (self.runs, only.is_empty());
        let job = Job {
            snapshot: snapshot.clone(),
            run: number,
            options,
            only,
            visible: document.visible_spans(),
        };
        let started = self.workshop.start(job, self.events.clone());
        document.running = started.map(|budget| Running {
            number,
            is_whole,
            budget,
        });
        if document.running.is_some() {
            document.status.phase = Phase::Running;
            self.tell_progress(&snapshot, true, "verifying");
        }
        self.tell_status(uri);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Frame(Frame::Closed) => self.has_ended = true,
            Event::Frame(Frame::Malformed(why)) => self.tell_malformed(&why),
            Event::Frame(Frame::Message(Message::Request(request))) => self.request(request),
            Event::Frame(Frame::Message(Message::Notification(notification))) => {
                self.notification(notification);
            }
            Event::Frame(Frame::Message(Message::Response(_))) => {}
            Event::Word(word) => self.word(word),
        }
    }

    /// Takes what a worker says, unless a newer version or run has made it obsolete.
    fn word(&mut self, word: Word) {
        let Word {
            snapshot,
            run,
            kind,
        } = word;
        let uri = snapshot.uri.as_str().to_owned();
        let Some(document) = self.documents.get_mut(&uri) else {
            return;
        };
        if matches!(kind, Kind::Done { .. }) {
            document.retired.retain(|running| running.number != run);
        }
        let is_of = |running: &Option<Running>| running.as_ref().is_some_and(|r| r.number == run);
        match kind {
            Kind::Result {
                result,
                diagnostics,
                after,
            } if is_of(&document.running) => {
                if let Some(file) = snapshot.analysis.file {
                    document.status.take(file, &result, &diagnostics, after);
                }
                self.changed.insert(uri);
            }
            Kind::Done {
                statistics,
                diagnostics,
            } if is_of(&document.running) => self.finish(&snapshot, *statistics, diagnostics),
            Kind::Models(results) if is_of(&document.models.running) => {
                self.take_models(&snapshot, &results);
            }
            Kind::Explored { function, found } => {
                self.take_explored(&snapshot, &function, found);
            }
            Kind::Assertions { found, problems } if is_of(&document.running) => {
                document.status.assertions = found;
                self.finish(&snapshot, Statistics::default(), problems);
            }
            _ => {}
        }
    }

    /// A verification has ended.
    fn finish(
        &mut self,
        snapshot: &Snapshot,
        statistics: Statistics,
        diagnostics: Vec<Diagnostic>,
    ) {
        let uri = snapshot.uri.as_str().to_owned();
        let Some(document) = self.documents.get_mut(&uri) else {
            return;
        };
        self.changed.remove(&uri);
        let running = document.running.take();
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
        if running.is_none_or(|running| running.is_whole) {
            document.status.finish(diagnostics);
        } else {
            document.status.finish_part();
        }
        self.tell_diagnostics(&uri);
        self.tell_status(&uri);
        self.tell_progress(snapshot, false, &text);
        self.tell_summary(snapshot, &statistics, &text);
        self.resume_models(snapshot);
    }

    /// Opens a document or a new version of it. What reading and resolution say is told before anything else is done.
    fn open(&mut self, uri: Uri, language: Language, version: i32, text: String, status: Status) {
        let key = uri.as_str().to_owned();
        let snapshot = self.read(uri, language, version, text);
        let mut document = Document::new(snapshot, status, None);
        let old = self.documents.remove(&key);
        let is_new = old.is_none();
        if let Some(mut old) = old {
            old.retire(&self.workshop.engine);
            document.retired = std::mem::take(&mut old.retired);
            document.visible = std::mem::take(&mut old.visible);
            self.refuse_models(&mut old.models, "the document changed");
        }
        self.documents.insert(key.clone(), document);
        self.tell_diagnostics(&key);
        let Some(document) = self.documents.get_mut(&key) else {
            return;
        };
        let snapshot = document.snapshot.clone();
        let verifies = snapshot.analysis.is_program() && self.workshop.verifies(language);
        let wanted = match self.verify_on {
            // Prolog files are loaded from disk, so edits wait until they are saved.
            VerifyOn::Change if language == Language::Prolog => verifies && is_new,
            VerifyOn::Change => verifies,
            VerifyOn::Save => verifies && is_new,
            VerifyOn::Never => false,
        };
        let is_due = wanted || snapshot.analysis.untranslated.is_some();
        document.due = is_due.then(|| Instant::now() + self.pause);
        document.status.phase = if wanted { Phase::Queued } else { Phase::Idle };
        self.tell_reading(&snapshot);
        self.tell_status(&key);
    }

    /// Does the rest of reading a document, which is left until typing pauses, and tells what else is wrong with it.
    pub(super) fn finish_reading(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        // Nobody else has a snapshot before it is verified.
        let snapshot = Arc::get_mut(&mut document.snapshot);
        if !snapshot.is_some_and(|snapshot| snapshot.analysis.translate()) {
            return;
        }
        document.status.phase = Phase::Idle;
        let snapshot = document.snapshot.clone();
        self.tell_reading(&snapshot);
        self.tell_diagnostics(uri);
        self.tell_status(uri);
    }

    /// Reads a text; what it includes comes from the editor where it is open there.
    fn read(&mut self, uri: Uri, language: Language, version: i32, text: String) -> Arc<Snapshot> {
        let others = self.documents.values().map(|document| &document.snapshot);
        let open = others
            .filter(|other| language == Language::Dafny && other.uri != uri)
            .map(|other| (path_of(&other.uri), Arc::from(other.text.as_str())));
        let mut overlay = Overlay {
            open: open.collect(),
            disk: &mut *self.includes,
        };
        Snapshot::new(uri, language, version, text, self.encoding, &mut overlay)
    }

    /// Reads documents again that include a file, which changed in the editor or on disk.
    fn read_dependents(&mut self, path: &str) {
        self.read_again(|snapshot| snapshot.includes(path));
    }

    /// Reads some documents again: what they include may be another text now.
    fn read_again(&mut self, which: impl Fn(&Snapshot) -> bool) {
        let all = self.documents.values().map(|document| &document.snapshot);
        let chosen: Vec<Arc<Snapshot>> = all.filter(|s| which(s)).cloned().collect();
        for snapshot in chosen {
            let Some(document) = self.documents.get_mut(snapshot.uri.as_str()) else {
                continue;
            };
            let status = std::mem::take(&mut document.status).edited(&[]);
            self.open(
                snapshot.uri.clone(),
                snapshot.language,
                snapshot.version,
                snapshot.text.clone(),
                status,
            );
        }
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        if request.method == "dafny/counterExample" {
            return self.ask_counterexamples(id, &request.params);
        }
        let response = match self.answer(request) {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.send(response.into());
    }

    /// Asks the editor for something whose answer does not matter.
    fn call(&mut self, method: &str, parameters: Value) {
        self.requests += 1;
        let id = RequestId::from(format!("stet/{}", self.requests));
        self.send(Request::new(id, method.to_owned(), parameters).into());
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
