//! The language server: verdicts while you type.
//!
//! One event loop ([`serve`]) takes messages from the editor and results from worker threads. The server holds no truth of
//! its own: what it shows is what an engine's last outcome for a version of a document says, and what it does not know is
//! shown as stale or queued. Engines run on worker threads and are cancelled through their budget when a newer edit
//! makes their work obsolete; what they decided until then is in the store.
//!
//! | file | what |
//! |---|---|
//! | `transport` | framing of messages; malformed ones are answered, not fatal |
//! | `server` | the event loop, requests and notifications |
//! | `document` | texts, versions, edits |
//! | `position` | UTF-16 and UTF-8 positions |
//! | `language` | what each language offers: reading, keywords, declarations |
//! | `lexical` | tokens, for everything that must work on text in the middle of an edit |
//! | `links` | which names stand for the same thing |
//! | `locals` | what introduces a local name |
//! | `work` | verification on worker threads |
//! | `status` | status per line, symbol and check |
//! | `symbols` | names: outline, definition, references, completion |
//! | `actions` | code actions |
//! | `format` | indentation |
//! | `explore` | functions of C files, explored by what the caller provides |
//! | `overlay` | included files, as the editor has them |
//! | `prolog` | the status of Prolog assertions, from an analysis the caller provides |

mod actions;
mod document;
mod explore;
mod format;
mod language;
mod lexical;
mod links;
mod locals;
mod overlay;
mod position;
mod prolog;
mod server;
mod status;
mod symbols;
mod transport;
mod work;
mod workspace;

pub use explore::{Explored, Explorer, Finding};
pub use prolog::{Assertion, PrologChecker};
pub use server::{Config, Dialect, VerifyOn, serve};
pub use transport::{Incoming, Outgoing};
pub use workspace::Workspace;
