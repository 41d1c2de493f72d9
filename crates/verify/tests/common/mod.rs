//! Verifying snapshots of a program one after the other, with one store.

pub mod report;

use std::sync::Arc;
use stet_base::{Budget, SourceMap};
use stet_boogie::Program;
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::Store;
use stet_verify::{
    Boogie, Caching, CheckKind, Engine, FrontEnd, ImplementationResult, Options, Origin, Outcome,
    Request, Tree, Verdict,
};

/// A session of edits.
pub struct Series {
    pub options: Options,
    pub store: Arc<Store>,
    engine: Engine,
    /// Whether verdicts are looked for by text too.
    pub by_text: bool,
}

/// One result with its source, for questions about lines.
pub struct Checked {
    pub run: Outcome,
    pub sources: SourceMap,
}

impl Series {
    /// A new session; `None`, with a line that says so, without a prover.
    pub fn new(caching: Caching) -> Option<Series> {
        let Ok(path) = locate(ProverKind::Z3, None) else {
            stet_testkit::skip("Z3");
            return None;
        };
        let mut options = Options::new(ProverConfig::new(ProverKind::Z3, path));
        options.caching = caching;
        Some(Series {
            options,
            store: Store::in_memory(),
            engine: Engine::new(),
            by_text: false,
        })
    }

    /// Verifies the next snapshot.
    pub fn next(&self, text: &str) -> Checked {
        let checked = self.next_unchecked(text);
        assert_eq!(checked.run.mismatches, Vec::<String>::new());
        checked
    }

    /// Verifies the next snapshot; reused verdicts may have been found wrong.
    pub fn next_unchecked(&self, text: &str) -> Checked {
        let mut sources = SourceMap::new();
        let program = read(&mut sources, text);
        let files: Vec<_> = sources.iter().map(|(id, _)| id).collect();
        let mut tree = Tree::new(program);
        let front: &mut dyn FrontEnd = if self.by_text { &mut Boogie } else { &mut tree };
        let request = Request {
            subject: "test.bpl",
            sources: &sources,
            files: &files,
            front,
            options: &self.options,
            store: &self.store,
            budget: &Budget::unlimited(),
        };
        let run = self.engine.check(request, &mut |_| {});
        assert!(run.is_usable, "{:?}", run.diagnostics);
        Checked { run, sources }
    }
}

/// A typed program; panics with the messages otherwise.
pub fn read(sources: &mut SourceMap, text: &str) -> Program {
    let file = sources.add("test.bpl", text).expect("a short text");
    let mut program = Program::default();
    let messages = stet_boogie::parse(&mut program, sources, file, &[]);
    assert!(messages.is_empty(), "{messages:?}");
    let (resolved, messages) = stet_boogie::resolve(&mut program);
    assert!(messages.is_empty(), "{messages:?}");
    let messages = stet_boogie::typecheck(&mut program, resolved);
    assert!(messages.is_empty(), "{messages:?}");
    program
}

impl Checked {
    /// The result of an implementation.
    pub fn result(&self, name: &str) -> &ImplementationResult {
        let found = self.run.verdicts.iter().find(|r| r.name == name);
        found.expect("an implementation of this name")
    }

    /// Every obligation as `line kind verdict origin`, sorted.
    pub fn obligations(&self) -> String {
        let mut lines: Vec<(String, u32, String)> = Vec::new();
        for result in &self.run.verdicts {
            for o in &result.obligations {
                let line = self.sources.start_of(o.span).line;
                let kind = match o.kind {
                    CheckKind::Assert => "assert",
                    CheckKind::Requires => "requires",
                    CheckKind::Ensures => "ensures",
                    CheckKind::InvariantEntry => "entry",
                    CheckKind::InvariantMaintained => "maintained",
                };
                let verdict = match o.verdict {
                    Verdict::Verified => "ok",
                    Verdict::Failed => "FAILS",
                    Verdict::Unknown => "?",
                };
                let text = format!(
                    "{} {line:>2} {kind} {verdict} {}",
                    result.name,
                    o.origin.name()
                );
                lines.push((result.name.clone(), line, text));
            }
        }
        lines.sort();
        lines.into_iter().map(|(_, _, text)| text + "\n").collect()
    }

    /// How many obligations were obtained in each way: solved, cached, partially cached, recycled.
    pub fn counts(&self) -> [usize; 4] {
        [
            Origin::Solved,
            Origin::Cached,
            Origin::Partial,
            Origin::Recycled,
        ]
        .map(|origin| self.run.verdicts.iter().map(|r| r.count(origin)).sum())
    }

    /// Verdicts only, for comparison with a fresh run.
    pub fn verdicts(&self) -> Vec<(String, u32, CheckKind, Verdict)> {
        let mut found: Vec<_> = self
            .run
            .verdicts
            .iter()
            .flat_map(|r| {
                r.obligations.iter().map(|o| {
                    (
                        r.name.clone(),
                        self.sources.start_of(o.span).line,
                        o.kind,
                        o.verdict,
                    )
                })
            })
            .collect();
        found.sort_by_key(|(name, line, kind, verdict)| {
            (name.clone(), *line, *kind as u8, *verdict as u8)
        });
        found
    }
}
