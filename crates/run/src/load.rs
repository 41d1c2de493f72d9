//! Terms as read to terms on the heap, and the state of files being loaded.

use crate::builtins::operators::ModuleOps;
use crate::cell::*;
use crate::database::PredId;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::machine::Machine;
use std::sync::Arc;
use stet_base::{FastMap, FastSet};
use stet_prolog::{
    Atom, Clause, Node, Ops, ReadContext, ReadFlags, SyntaxError, atom, read_clause,
};

/// A file being loaded.
pub(crate) struct LoadFrame {
    pub(crate) file: Atom,
    pub(crate) text: Arc<str>,
    pub(crate) at: usize,
    pub(crate) module: Atom,
    /// Predicates this load has defined.
    pub(crate) defined: FastSet<PredId>,
    pub(crate) last: Option<PredId>,
    pub(crate) initialization: Vec<Flat>,
    /// Flags to put back at the end of the file.
    pub(crate) outer_flags: ReadFlags,
    /// Operators to put back, and how many of `user` there were; `None` for an included file.
    pub(crate) outer_ops: Option<(Ops, usize)>,
    pub(crate) line: u32,
    /// The branches of conditional compilation that are open: `true` if it is taken, `false` if none was taken yet,
    /// any other atom if one was or the whole construct is left out.
    pub(crate) conditions: Vec<Atom>,
    /// Predicates whose clauses are known not to be together.
    pub(crate) warned: FastSet<PredId>,
    /// Whether the file's assertions have become checks.
    pub(crate) assertions_closed: bool,
    /// The byte up to which lines are counted.
    pub(crate) counted: usize,
    /// Names of predicates of the system that the file may define for itself.
    pub(crate) shadowing: FastSet<Atom>,
    /// It names no encoding and is not UTF-8.
    pub(crate) guessed: bool,
}

/// Something the loader had to say about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadMessage {
    /// The stable code.
    pub(crate) code: &'static str,
    /// An error, not a warning.
    pub(crate) error: bool,
    pub(crate) text: String,
    /// File, line, and the column if it is known.
    pub(crate) place: Option<(String, u32, Option<u32>)>,
}

/// Messages kept for the host; more are only counted.
pub(crate) const KEPT_MESSAGES: usize = 10_000;

/// What is loaded and being loaded.
pub(crate) struct LoadState {
    pub(crate) frames: Vec<LoadFrame>,
    /// The module directives and goals without a file run in.
    pub(crate) module: Atom,
    /// Modules by the files that define them (`user` for plain files).
    pub(crate) loaded: FastMap<Atom, Atom>,
    /// For every exported predicate of a library, the library.
    pub(crate) library_index: FastMap<u64, Atom>,
    /// The names files were loaded under, by their names in the file system.
    pub(crate) real_paths: FastMap<String, String>,
    /// Digests of the texts of loaded files.
    pub(crate) digests: FastMap<Atom, u64>,
    pub(crate) errors: u32,
    pub(crate) warnings: u32,
    /// What was said about files, for the host.
    pub(crate) messages: Vec<LoadMessage>,
}

impl Default for LoadState {
    fn default() -> Self {
        LoadState {
            frames: Vec::new(),
            module: atom::USER,
            loaded: FastMap::default(),
            library_index: FastMap::default(),
            real_paths: FastMap::default(),
            digests: FastMap::default(),
            errors: 0,
            warnings: 0,
            messages: Vec::new(),
        }
    }
}

/// How texts are read, and which have been.
pub(crate) struct Loader {
    pub(crate) ops: Ops,
    pub(crate) module_ops: ModuleOps,
    pub(crate) read_flags: ReadFlags,
    pub(crate) flags: Vec<(Atom, Flat)>,
    pub(crate) occurs_check: bool,
    pub(crate) files: LoadState,
}

impl Loader {
    pub(crate) fn new(ops: Ops) -> Loader {
        Loader {
            ops,
            module_ops: ModuleOps::default(),
            read_flags: ReadFlags::STANDARD,
            flags: Vec::new(),
            occurs_check: false,
            files: LoadState::default(),
        }
    }
}

/// A term on the heap with its variables by name.
pub(crate) struct HeapTerm {
    pub(crate) term: Cell,
    /// Name, cell and number of occurrences.
    pub(crate) variables: Vec<(String, Cell, u32)>,
}

impl Loader {
    /// The module goals are run in and clauses are added to.
    pub(crate) fn source_module(&self) -> Atom {
        self.files
            .frames
            .last()
            .map_or(self.files.module, |frame| frame.module)
    }
}

impl Machine {
    /// Puts a term as read on the heap. Arguments come before their terms in the arena, so one pass will do.
    pub(crate) fn term_from_ast(&mut self, clause: &Clause) -> Result<HeapTerm, PErr> {
        let variables: Vec<(String, Cell, u32)> = clause
            .variables
            .iter()
            .map(|variable| {
                let cell = self.mem.new_var();
                (variable.name.clone(), cell, variable.occurrences)
            })
            .collect();
        let mut cells: Vec<Cell> = Vec::with_capacity(clause.terms.len());
        for i in 0..clause.terms.len() {
            let id = stet_prolog::TermId(i as u32);
            let cell = match clause.terms.node(id) {
                Node::Var(index) => variables[*index as usize].1,
                Node::Atom(name) => Cell::atom(*name),
                Node::Int(value) => self.mem.new_int(*value),
                Node::Big(value) => self.mem.new_big(value)?,
                Node::Ratio(parts) => {
                    self.number_cell(&crate::ratio::make(parts.0.clone(), parts.1.clone()))?
                }
                Node::Float(value) => self.mem.new_float(*value),
                Node::Str(text) => self.new_string(text)?,
                Node::Compound { name, .. } => {
                    let args: Vec<Cell> = clause
                        .terms
                        .args(id)
                        .iter()
                        .map(|arg| cells[arg.0 as usize])
                        .collect();
                    if args.len() > MAX_SIZE {
                        return Err(self.mem.representation_error(atom::MAX_ARITY));
                    }
                    self.mem.need(args.len() + 1)?;
                    self.mem.new_term(*name, &args)
                }
            };
            cells.push(cell);
        }
        Ok(HeapTerm {
            term: cells[clause.root.0 as usize],
            variables,
        })
    }

    /// Reads a term from a text; the rest is where to go on.
    pub(crate) fn read_text(
        &mut self,
        text: &str,
        at: usize,
    ) -> (Result<Option<Clause>, SyntaxError>, usize) {
        let mut context = ReadContext {
            atoms: &mut self.mem.atoms,
            ops: &self.loader.ops,
            flags: self.loader.read_flags,
        };
        read_clause(&mut context, text, at)
    }

    /// Reads a whole text as one term (a full stop is added), with its variables.
    pub fn parse_term(&mut self, text: &str) -> Result<ParsedTerm, String> {
        self.parse_with(text, |_, error| error.message.clone())
    }

    /// The same, with the place in the message.
    pub(crate) fn parse_query(&mut self, text: &str) -> Result<ParsedTerm, String> {
        self.parse_with(text, shown_at)
    }

    fn parse_with(
        &mut self,
        text: &str,
        describe: fn(&str, &SyntaxError) -> String,
    ) -> Result<ParsedTerm, String> {
        // On a line of its own: the text may end in a comment, or in `0'`.
        let text = format!("{text}\n.");
        let (result, next) = self.read_text(&text, 0);
        match result {
            Ok(Some(clause)) => {
                if !text[next..].trim().is_empty() && text[next..].trim() != "." {
                    return Err("more than one term".to_owned());
                }
                match self.term_from_ast(&clause) {
                    Ok(found) => Ok(ParsedTerm {
                        term: found.term,
                        variables: found
                            .variables
                            .into_iter()
                            .map(|(name, cell, _)| (name, cell))
                            .collect(),
                    }),
                    Err(_) => Err("the term does not fit into memory".to_owned()),
                }
            }
            Ok(None) => Err("no term".to_owned()),
            Err(error) => Err(describe(&text, &error)),
        }
    }
}

/// The names that stand where a clause may start: at the start of a line or after a full stop.
///
/// A file may define a predicate of the system for itself further down than it calls it; such calls must not be
/// bound to the system's predicate. A name too many costs a little time, nothing else.
pub(crate) fn names_at_clause_starts(text: &str) -> FastSet<&str> {
    let bytes = text.as_bytes();
    let mut found = FastSet::default();
    let mut at = 0;
    while at < bytes.len() {
        let starts = at == 0
            || bytes[at - 1] == b'\n'
            || at > 1 && bytes[at - 2] == b'.' && bytes[at - 1].is_ascii_whitespace();
        if starts && bytes[at].is_ascii_lowercase() {
            let name = &text[at..];
            let end = name
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(name.len());
            found.insert(&name[..end]);
        }
        at += 1;
    }
    found
}

/// Text of a program for a message: control characters do not reach the terminal.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The message with line and column, and the line with a mark below.
fn shown_at(text: &str, error: &SyntaxError) -> String {
    let mut at = (error.place.start as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    // The full stop on the last line is not the user's: what is missing is missing before it.
    let at = at.min(text.trim_end_matches(['\n', '.']).trim_end().len());
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    let line = text[..start].matches('\n').count() + 1;
    let column = text[start..at].chars().count();
    let shown: String = text[start..end].chars().take(200).collect();
    let mark = if column < 200 {
        format!("\n  {}^", " ".repeat(column))
    } else {
        String::new()
    };
    format!(
        "{line}:{}: {}\n  {}{mark}",
        column + 1,
        harmless(&error.message),
        harmless(shown.trim_end())
    )
}

/// A term read from text.
pub struct ParsedTerm {
    pub(crate) term: Cell,
    pub(crate) variables: Vec<(String, Cell)>,
}
