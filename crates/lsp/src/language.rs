//! Languages of the server: how its text is read, its words, and how declarations look.

use crate::document::{Snapshot, path_of};
use crate::lexical::{self, Token};
use crate::links::{Links, Names};
use crate::symbols::{self, Symbol};
use lsp_types::{SymbolKind, Uri};
use std::sync::{Arc, OnceLock};
use stet_base::{FileId, SourceMap};
use stet_dafny::{Includes, Project};
use stet_dafny_translate::Translation;
use stet_dafny_verify::Untranslated;
use stet_diag::Diagnostic;
use stet_verify::{Boogie, FrontEnd};

/// A language of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Boogie,
    Dafny,
    Prolog,
    /// Only as far as its functions can be explored.
    C,
}

/// Passes files on and remembers which could not be had: a document is read again when one of them appears.
struct Recorded<'i> {
    inner: &'i mut (dyn Includes + Send),
    missing: Vec<String>,
}

impl Includes for Recorded<'_> {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        let found = self.inner.load(from, path);
        if found.is_err() {
            self.missing.push(crate::overlay::beside(from, path));
        }
        found
    }

    fn project(&mut self, root: &str) -> Result<Project, String> {
        self.inner.project(root)
    }
}

/// What reading one version of a document gave.
pub(crate) struct Analysis {
    /// The document as the engines read it.
    pub(crate) sources: SourceMap,
    pub(crate) file: Option<FileId>,
    /// A Dafny program without errors that was not translated yet.
    pub(crate) untranslated: Option<Untranslated>,
    /// The translation of a Dafny program without errors.
    pub(crate) dafny: Option<Translation>,
    /// How far a Dafny program got.
    pub(crate) phase: Option<stet_dafny::Phase>,
    /// Statements of a Dafny program that are not compiled.
    pub(crate) ghosts: Vec<(usize, usize)>,
    /// Files that could not be included, by where they were looked for.
    pub(crate) missing: Vec<String>,
    /// What is wrong with the text.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) symbols: Vec<Symbol>,
    /// What the resolver said about names; read when somebody asks.
    pub(crate) names: Names,
    pub(crate) links: OnceLock<Links>,
}

impl Analysis {
    /// The front end that verification reads this program with.
    pub(crate) fn front(&self, language: Language) -> Option<Box<dyn FrontEnd>> {
        match language {
            Language::Boogie => Some(Box::new(Boogie)),
            Language::Dafny => {
                let translation = self.dafny.as_ref()?;
                Some(Box::new(stet_dafny_verify::front(translation.copy())))
            }
            Language::Prolog | Language::C => None,
        }
    }

    /// What the names of the program stand for, as far as it was resolved.
    pub(crate) fn links(&self) -> &Links {
        let read = || Links::read(&self.sources, self.file, &self.tokens, &self.names);
        self.links.get_or_init(read)
    }

    /// Does the rest of reading; whether more is wrong than was known.
    pub(crate) fn translate(&mut self) -> bool {
        let Some(untranslated) = self.untranslated.take() else {
            return false;
        };
        let (translation, problems) = untranslated.translate();
        self.dafny = translation;
        let is_more = !problems.is_empty();
        self.diagnostics.extend(problems);
        is_more
    }

    /// The engine's names of what is verified of a declaration.
    pub(crate) fn implementations(&self, snapshot: &Snapshot, symbol: &Symbol) -> Vec<String> {
        match (snapshot.language, &self.dafny, self.file) {
            (Language::Boogie, _, _) => vec![symbol.name.clone()],
            (Language::Dafny, Some(translation), Some(file)) => {
                let program = &translation.program;
                let is_here = |span: stet_base::Span| {
                    let inner = symbols::enclosing(&self.symbols, span.start as usize);
                    span.file == file && inner.is_some_and(|s| s.place == symbol.place)
                };
                let all = program.impls.iter();
                all.filter(|(_, imp)| is_here(imp.span))
                    .map(|(_, imp)| program.name(imp.name).to_owned())
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the text is a program that can be verified.
    pub(crate) fn is_program(&self) -> bool {
        self.file.is_some() && !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

impl Language {
    /// The language of a document, by the editor's name for it or by its ending.
    pub(crate) fn of(id: &str, uri: &Uri) -> Option<Language> {
        match id {
            "boogie" => return Some(Language::Boogie),
            "dafny" => return Some(Language::Dafny),
            "prolog" | "ciao" => return Some(Language::Prolog),
            "c" => return Some(Language::C),
            _ => {}
        }
        let path = path_of(uri);
        match path.rsplit_once('.')?.1 {
            "bpl" => Some(Language::Boogie),
            "dfy" => Some(Language::Dafny),
            "pl" | "pro" | "plt" => Some(Language::Prolog),
            "c" => Some(Language::C),
            _ => None,
        }
    }

    /// Reads a text.
    pub(crate) fn read(
        self,
        uri: &Uri,
        text: &str,
        includes: &mut (dyn Includes + Send),
    ) -> Analysis {
        let mut sources = SourceMap::new();
        let file = sources.add(path_of(uri), text);
        let (mut untranslated, mut phase, mut ghosts) = (None, None, Vec::new());
        let tokens = lexical::tokens(self, text);
        let mut names = Names::None;
        let mut recorded = Recorded {
            inner: includes,
            missing: Vec::new(),
        };
        let diagnostics = match (self, file) {
            (_, None) => vec![Diagnostic::error(
                "input/too-large",
                "the document is larger than 4 GiB",
            )],
            (Language::Prolog, Some(file)) => prolog::diagnostics(text, file),
            (Language::C, Some(_)) => Vec::new(),
            (Language::Boogie, Some(file)) => {
                let read = stet_base::deep_stack(|| Boogie.read(&sources, &[file]));
                names = read
                    .program
                    .map_or(Names::None, |p| Names::Boogie(Box::new(p)));
                read.diagnostics
            }
            (Language::Dafny, Some(file)) => {
                let options = stet_dafny::Options::DEFAULT;
                let read =
                    stet_dafny_verify::resolve(&mut sources, &[file], &mut recorded, options);
                untranslated = read.untranslated;
                names = Names::Dafny(read.links, read.declared);
                phase = Some(read.phase);
                let own = read.ghosts.into_iter().filter(|span| span.file == file);
                ghosts = own.map(crate::status::place).collect();
                read.diagnostics
            }
        };
        let symbols = symbols::outline(self, text, &tokens);
        Analysis {
            sources,
            file,
            untranslated,
            dafny: None,
            phase,
            ghosts,
            missing: recorded.missing,
            diagnostics,
            tokens,
            symbols,
            names,
            links: OnceLock::new(),
        }
    }

    /// Words that are not names.
    pub(crate) fn keywords(self) -> &'static [&'static str] {
        match self {
            Language::Boogie => BOOGIE,
            Language::Dafny => DAFNY,
            Language::Prolog => &[],
            Language::C => C,
        }
    }

    /// The kind of what a keyword declares.
    pub(crate) fn declares(self, keyword: &str) -> Option<SymbolKind> {
        let kind = match keyword {
            "type" | "newtype" => SymbolKind::CLASS,
            "class" | "trait" | "iterator" => SymbolKind::CLASS,
            "datatype" | "codatatype" => SymbolKind::ENUM,
            "module" => SymbolKind::MODULE,
            "function" | "predicate" | "lemma" | "method" | "colemma" | "copredicate" => {
                SymbolKind::FUNCTION
            }
            "constructor" => SymbolKind::CONSTRUCTOR,
            "procedure" | "implementation" => SymbolKind::METHOD,
            "const" => SymbolKind::CONSTANT,
            "var" => SymbolKind::VARIABLE,
            "axiom" => SymbolKind::PROPERTY,
            _ => return None,
        };
        self.keywords().contains(&keyword).then_some(kind)
    }

    pub(crate) fn line_comment(self) -> &'static str {
        match self {
            Language::Prolog => "%",
            _ => "//",
        }
    }

    pub(crate) fn nests_comments(self) -> bool {
        !matches!(self, Language::Prolog | Language::C)
    }

    pub(crate) fn starts_name(self, c: char) -> bool {
        c.is_alphabetic() || c == '_' || self == Language::Boogie && "$#.~^?`".contains(c)
    }

    pub(crate) fn continues_name(self, c: char) -> bool {
        let more = match self {
            Language::Boogie => "$#.~^?`'",
            Language::Dafny => "'?",
            Language::Prolog | Language::C => "",
        };
        c.is_alphanumeric() || c == '_' || more.contains(c)
    }

    /// Whether an apostrophe here opens a quoted piece: an atom, or a character of Dafny.
    pub(crate) fn quotes_with_apostrophe(self, text: &str, at: usize) -> bool {
        match self {
            Language::Boogie => false,
            Language::C => true,
            Language::Prolog => !text[..at].ends_with('0'),
            Language::Dafny => {
                let mut rest = text[at + 1..].chars();
                match rest.next() {
                    Some('\\') => true,
                    Some(_) => rest.next() == Some('\''),
                    None => false,
                }
            }
        }
    }
}

pub(crate) mod prolog {
    //! Syntax errors of Prolog text, clause by clause.

    use stet_base::{FileId, Span};
    use stet_diag::Diagnostic;
    use stet_prolog::assertions::add_assertion_operators;
    use stet_prolog::{
        AtomTable, Clause, Node, OpDef, OpType, Ops, ReadContext, ReadFlags, TermId, read_clause,
    };

    /// Operators that common libraries declare: a document that imports one must not be full of errors.
    const LIBRARIES: &[(u16, OpType, &[&str])] = &[
        (760, OpType::Yfx, &["#<==>"]),
        (750, OpType::Xfy, &["#==>"]),
        (750, OpType::Yfx, &["#<=="]),
        (740, OpType::Yfx, &["#\\/"]),
        (730, OpType::Yfx, &["#\\"]),
        (720, OpType::Yfx, &["#/\\"]),
        (710, OpType::Fy, &["#\\"]),
        (
            700,
            OpType::Xfx,
            &["#>", "#<", "#>=", "#=<", "#=", "#\\=", "in", "ins"],
        ),
        (450, OpType::Xfx, &[".."]),
        (1150, OpType::Fx, &["table", "attribute", "data", "doc"]),
        (1150, OpType::Xfx, &["doc"]),
        (200, OpType::Xfy, &[">>"]),
        (950, OpType::Fx, &["$"]),
    ];

    fn add_library_operators(ops: &mut Ops, atoms: &mut AtomTable) {
        for (priority, kind, names) in LIBRARIES {
            for name in *names {
                let definition = OpDef {
                    priority: *priority,
                    kind: *kind,
                };
                ops.add(atoms.intern(name), definition);
            }
        }
    }

    /// Takes note of `op/3` wherever a directive has it: alone, in a conjunction or in an export list.
    fn declare_operators(clause: &Clause, ops: &mut Ops, atoms: &mut AtomTable) {
        let terms = &clause.terms;
        let is_directive = terms
            .functor(clause.root)
            .is_some_and(|(name, arity)| arity == 1 && atoms.text(name) == ":-");
        let mut open: Vec<TermId> = if is_directive {
            vec![clause.root]
        } else {
            Vec::new()
        };
        while let Some(id) = open.pop() {
            let args = terms.args(id);
            if terms
                .functor(id)
                .is_some_and(|(name, arity)| arity == 3 && atoms.text(name) == "op")
                && let Node::Int(priority) = terms.node(args[0])
                && let Node::Atom(kind) = terms.node(args[1])
                && let (Ok(priority), Some(kind)) =
                    (u16::try_from(*priority), OpType::from_atom(*kind))
            {
                let definition = OpDef { priority, kind };
                if let Node::Atom(name) = terms.node(args[2]) {
                    ops.add(*name, definition);
                }
            }
            open.extend(args);
        }
    }

    /// Every syntax error; reading goes on after each.
    pub(crate) fn diagnostics(text: &str, file: FileId) -> Vec<Diagnostic> {
        let mut atoms = AtomTable::new();
        let mut ops = Ops::standard(&mut atoms);
        add_assertion_operators(&mut ops, &mut atoms);
        add_library_operators(&mut ops, &mut atoms);
        let mut found = Vec::new();
        let mut at = 0;
        loop {
            let mut context = ReadContext {
                atoms: &mut atoms,
                ops: &ops,
                flags: ReadFlags::STANDARD,
            };
            match read_clause(&mut context, text, at) {
                (Ok(Some(clause)), next) => {
                    declare_operators(&clause, &mut ops, &mut atoms);
                    at = next;
                }
                (Ok(None), _) => return found,
                (Err(error), next) => {
                    let start = error.place.start.min(text.len() as u32);
                    let span = Span {
                        file,
                        start,
                        end: start,
                    };
                    found.push(Diagnostic::error("prolog/syntax", error.message).at(span));
                    if next <= at {
                        return found;
                    }
                    at = next;
                }
            }
        }
    }
}

const BOOGIE: &[&str] = &[
    "assert",
    "assume",
    "async",
    "axiom",
    "bool",
    "break",
    "call",
    "cast",
    "complete",
    "const",
    "else",
    "ensures",
    "exists",
    "extends",
    "false",
    "finite",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "int",
    "invariant",
    "lambda",
    "modifies",
    "old",
    "par",
    "procedure",
    "real",
    "requires",
    "return",
    "returns",
    "then",
    "true",
    "type",
    "unique",
    "var",
    "where",
    "while",
    "yield",
];

const C: &[&str] = &[
    "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
    "while",
];

const DAFNY: &[&str] = &[
    "abstract",
    "allocated",
    "as",
    "assert",
    "assume",
    "bool",
    "break",
    "by",
    "calc",
    "case",
    "char",
    "class",
    "codatatype",
    "colemma",
    "const",
    "constructor",
    "continue",
    "copredicate",
    "datatype",
    "decreases",
    "else",
    "ensures",
    "exists",
    "expect",
    "export",
    "extends",
    "false",
    "for",
    "forall",
    "fresh",
    "function",
    "ghost",
    "greatest",
    "hide",
    "if",
    "imap",
    "import",
    "in",
    "include",
    "inductive",
    "int",
    "invariant",
    "is",
    "iset",
    "iterator",
    "label",
    "least",
    "lemma",
    "map",
    "match",
    "method",
    "modifies",
    "modify",
    "module",
    "multiset",
    "nat",
    "new",
    "newtype",
    "null",
    "object",
    "old",
    "opaque",
    "opened",
    "ORDINAL",
    "predicate",
    "print",
    "protected",
    "provides",
    "reads",
    "real",
    "refines",
    "requires",
    "return",
    "returns",
    "reveal",
    "reveals",
    "seq",
    "set",
    "static",
    "string",
    "then",
    "this",
    "trait",
    "true",
    "twostate",
    "type",
    "unchanged",
    "var",
    "where",
    "while",
    "witness",
    "yield",
    "yields",
];
