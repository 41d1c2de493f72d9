//! Support for the tools of the top level: the source of clauses, wrapped predicates for the tracer, changed files.

use crate::cell::*;
use crate::code::{Op, word_imm};
use crate::database::{Kind, PredId};
use crate::errors::PErr;
use crate::libraries::LIBRARIES;
use crate::machine::{Machine, Res};
use crate::streams::Io;
use std::hash::{Hash, Hasher};
use stet_prolog::{Atom, atom};

pub(super) fn register(m: &mut Machine) {
    // '$pred_place'(M:Name/Arity, File, Lines): where a predicate's clauses are
    m.register("$pred_place", 3, pred_place);
    // '$source_clause'(File, Line, Term, Names): the term that starts on a line of a file
    m.register("$source_clause", 4, source_clause);
    // '$wrap'(M:Name/Arity): calls go through '$trace'/2
    m.register("$wrap", 1, wrap);
    m.register("$unwrap", 1, unwrap);
    // '$changed_files'(Files): loaded files whose text is another now
    m.register("$changed_files", 1, changed_files);
    // '$edit'(File, Line)
    m.register("$edit", 2, |m| {
        let file = m.atom_arg(0)?;
        let line = m.int_arg(1)?.clamp(1, i64::from(u32::MAX)) as u32;
        let name = m.mem.atom_text(file).to_owned();
        match m.io.host.edit(&name, line) {
            Ok(()) => Ok(true),
            Err(_) => {
                let editor = m
                    .mem
                    .atom_cell("an editor named by VISUAL or EDITOR (edit/1)");
                let refused = m.mem.atoms.intern("not_supported");
                let formal = m.mem.new_term(refused, &[editor]);
                Err(m.mem.iso_error(formal))
            }
        }
    });
    // '$library_exports'(List): Library-Name/Arity for all libraries, `system` among them
    m.register("$library_exports", 1, library_exports);
    // Limits are numbered from the outermost, 0. '$inference_depth'(Number): the next one's number.
    m.register("$inference_depth", 1, |m| {
        let depth = Cell::small(m.control.inference_limits.len() as i64);
        m.unify_result(m.control.x[0], depth)
    });
    // '$inference_limit'(Count, Number): so many calls from here on.
    m.register("$inference_limit", 2, |m| {
        let count = m.int_arg(0)?.max(0) as u64;
        let number = m.int_arg(1)?.max(0) as usize;
        let now = m.count_calls();
        m.control.inference_limits.truncate(number);
        m.control.inference_limits.push(now.saturating_add(count));
        Ok(true)
    });
    // '$inference_limit_over'(Number): this limit and those inside it do not count any more.
    m.register("$inference_limit_over", 1, |m| {
        let number = m.int_arg(0)?.max(0) as usize;
        m.control.inference_limits.truncate(number);
        m.count_calls();
        Ok(true)
    });
}

impl Io {
    /// The text of a file or library.
    fn source_text(&mut self, file: &str) -> Option<String> {
        if let Some(name) = file.strip_prefix("library:") {
            let found = LIBRARIES.iter().find(|(library, _)| *library == name);
            return found.map(|(_, text)| (*text).to_owned());
        }
        String::from_utf8(self.host.read_file(file).ok()?).ok()
    }
}

impl Machine {
    pub(super) fn named_pred(&mut self, index: usize) -> Result<Option<PredId>, PErr> {
        let (module, name, arity) = self.mem.indicator_of(self.control.x[index])?;
        Ok(self.program.db.find(module, name, arity))
    }
}

/// A digest of a text, to see whether it changed.
pub(crate) fn digest(text: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish() ^ text.len() as u64
}

fn pred_place(m: &mut Machine) -> Res {
    let Some(id) = m.named_pred(0)? else {
        return Ok(false);
    };
    let pred = m.program.db.pred(id);
    let Some(file) = pred.file else {
        return Ok(false);
    };
    let lines: Vec<Cell> = pred
        .clauses
        .iter()
        .filter_map(|&(_, number)| m.program.db.clause(number))
        .filter(|clause| clause.died == u64::MAX)
        .map(|clause| Cell::small(i64::from(clause.line)))
        .collect();
    let lines = m.new_proper_list(&lines)?;
    Ok(m.unify(m.control.x[1], Cell::atom(file)) && m.unify(m.control.x[2], lines))
}

fn source_clause(m: &mut Machine) -> Res {
    let file = m.atom_arg(0)?;
    let line = m.int_arg(1)?;
    let name = m.mem.atom_text(file).to_owned();
    let Some(text) = m.io.source_text(&name) else {
        return Ok(false);
    };
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let Some(at) = starts.nth((line - 1).max(0) as usize) else {
        return Ok(false);
    };
    let Ok(Some(clause)) = m.read_text(&text, at).0 else {
        return Ok(false);
    };
    m.mem.need(clause.terms.len() * 8)?;
    let term = m.term_from_ast(&clause)?;
    let mut names = Vec::new();
    for (name, cell, _) in &term.variables {
        if name != "_" {
            let name = m.mem.atom_cell(name);
            names.push(m.mem.new_term(atom::EQUALS, &[name, *cell]));
        }
    }
    let names = m.new_proper_list(&names)?;
    Ok(m.unify(m.control.x[2], term.term) && m.unify(m.control.x[3], names))
}

/// Makes a predicate go through `'$trace'(Goal, Implementation)`; no if it does already or has no clauses.
fn wrap(m: &mut Machine) -> Res {
    let Some(id) = m.named_pred(0)? else {
        return Ok(false);
    };
    let pred = m.program.db.pred(id);
    let traceable =
        matches!(pred.kind, Kind::Static | Kind::Dynamic) && pred.module != atom::SYSTEM;
    if !traceable || m.watch.traced.contains_key(&id) {
        return Ok(false);
    }
    let (module, name, arity, before) = (pred.module, pred.name, pred.arity, pred.checked);
    let text = m.mem.atom_text(name).to_owned();
    let plain = m.mem.atoms.intern(&format!("$untraced {text}"));
    let alias = m.plain_alias(id, plain);
    if let Some(checked) = before {
        let word = [word_imm(Op::Execute, 0, 0, checked)];
        let address = m.alloc_code(&word)?;
        m.program.set_entry(alias, address);
    }
    let wrapper = m.mem.atoms.intern(&format!("$traced {text}"));
    let wrapper = define_wrapper(m, module, (wrapper, name, plain), arity)?;
    m.set_checked_entry(id, Some(wrapper));
    m.watch.traced.insert(id, before);
    Ok(true)
}

fn define_wrapper(
    m: &mut Machine,
    module: Atom,
    (wrapper, name, plain): (Atom, Atom, Atom),
    arity: usize,
) -> Result<PredId, PErr> {
    let id = m.pred_id(module, wrapper, arity);
    if m.program.db.is_defined(id) {
        return Ok(id);
    }
    m.mem.need(arity * 6 + 32)?;
    let args: Vec<Cell> = (0..arity).map(|_| m.mem.new_var()).collect();
    let head = m.mem.new_term(wrapper, &args);
    let qualified = |m: &mut Machine, name: Atom| {
        let goal = m.mem.new_term(name, &args);
        m.mem.new_term(atom::COLON, &[Cell::atom(module), goal])
    };
    let (goal, implementation) = (qualified(m, name), qualified(m, plain));
    let trace = m.mem.atoms.intern("$trace");
    let body = m.mem.new_term(trace, &[goal, implementation]);
    let body = m
        .mem
        .new_term(atom::COLON, &[Cell::atom(atom::SYSTEM), body]);
    let clause = m.compile_clause(module, id, head, body)?;
    m.add_clause(clause, true);
    Ok(id)
}

fn unwrap(m: &mut Machine) -> Res {
    let Some(id) = m.named_pred(0)? else {
        return Ok(false);
    };
    match m.watch.traced.remove(&id) {
        Some(before) => {
            m.set_checked_entry(id, before);
            Ok(true)
        }
        None => Ok(false),
    }
}

fn changed_files(m: &mut Machine) -> Res {
    let mut files: Vec<(Atom, u64)> = m
        .loader
        .files
        .digests
        .iter()
        .map(|(f, d)| (*f, *d))
        .collect();
    files.sort_unstable();
    let mut changed = Vec::new();
    for (file, before) in files {
        let name = m.mem.atom_text(file).to_owned();
        let now = m.io.source_text(&name).map(|text| digest(&text));
        if now.is_some_and(|now| now != before) {
            changed.push(Cell::atom(file));
        }
    }
    let list = m.new_proper_list(&changed)?;
    m.unify_result(m.control.x[0], list)
}

fn library_exports(m: &mut Machine) -> Res {
    let mut all: Vec<(u64, Atom)> = m
        .loader
        .files
        .library_index
        .iter()
        .map(|(k, l)| (*k, *l))
        .collect();
    let builtins = m
        .program
        .db
        .preds
        .iter()
        .filter(|pred| pred.module == atom::SYSTEM && pred.core);
    let public = builtins.filter(|pred| !m.mem.atom_text(pred.name).starts_with('$'));
    all.extend(public.map(|pred| (Cell::functor(pred.name, pred.arity).0, atom::SYSTEM)));
    all.sort_unstable();
    m.mem.need(all.len() * 10)?;
    let mut items = Vec::with_capacity(all.len());
    for (key, library) in all {
        let (name, arity) = (Cell(key).name(), Cell(key).arity());
        let indicator = m.mem.indicator(atom::USER, name, arity);
        items.push(
            m.mem
                .new_term(atom::MINUS, &[Cell::atom(library), indicator]),
        );
    }
    let list = m.new_proper_list(&items)?;
    m.unify_result(m.control.x[0], list)
}

impl Machine {
    /// The calls so far; the next call looks at the limits.
    fn count_calls(&mut self) -> u64 {
        let now = self.stats().inferences;
        self.watch.stats.inferences = now;
        self.control.fuel = 0;
        self.control.fuel_given = 0;
        now
    }
}
