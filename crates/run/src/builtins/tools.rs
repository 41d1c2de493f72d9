//! What the tools of the top level need: the source of clauses, wrapped predicates for the tracer, changed files.

use crate::cell::*;
use crate::code::{Op, word_imm};
use crate::database::{Kind, PredId};
use crate::errors::PErr;
use crate::libraries::LIBRARIES;
use crate::machine::{Machine, Res};
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
        let name = m.atom_text(file).to_owned();
        match m.host.edit(&name, line) {
            Ok(()) => Ok(true),
            Err(_) => {
                let editor = m.atom_cell("an editor named by VISUAL or EDITOR (edit/1)");
                let refused = m.atoms.intern("not_supported");
                let formal = m.new_term(refused, &[editor]);
                Err(m.iso_error(formal))
            }
        }
    });
    // '$library_exports'(List): Library-Name/Arity for all libraries, `system` among them
    m.register("$library_exports", 1, library_exports);
    // '$inference_limit'(Count, Depth), '$inference_limit_over'(Depth)
    m.register("$inference_limit", 2, inference_limit);
    m.register("$inference_limit_over", 1, |m| {
        let depth = m.int_arg(0)?.max(0) as usize;
        m.inference_limits.truncate(depth);
        Ok(true)
    });
}

impl Machine {
    pub(super) fn named_pred(&mut self, index: usize) -> Result<Option<PredId>, PErr> {
        let (module, name, arity) = self.indicator_of(self.x[index])?;
        Ok(self.db.find(module, name, arity))
    }

    /// The text of a file or library.
    fn source_text(&mut self, file: &str) -> Option<String> {
        if let Some(name) = file.strip_prefix("library:") {
            let found = LIBRARIES.iter().find(|(library, _)| *library == name);
            return found.map(|(_, text)| (*text).to_owned());
        }
        String::from_utf8(self.host.read_file(file).ok()?).ok()
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
    let pred = m.db.pred(id);
    let Some(file) = pred.file else {
        return Ok(false);
    };
    let lines: Vec<Cell> = pred
        .clauses
        .iter()
        .filter_map(|&(_, number)| m.db.clause(number))
        .filter(|clause| clause.died == u64::MAX)
        .map(|clause| Cell::small(i64::from(clause.line)))
        .collect();
    let lines = m.new_proper_list(&lines)?;
    Ok(m.unify(m.x[1], Cell::atom(file)) && m.unify(m.x[2], lines))
}

fn source_clause(m: &mut Machine) -> Res {
    let file = m.atom_arg(0)?;
    let line = m.int_arg(1)?;
    let name = m.atom_text(file).to_owned();
    let Some(text) = m.source_text(&name) else {
        return Ok(false);
    };
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let Some(at) = starts.nth((line - 1).max(0) as usize) else {
        return Ok(false);
    };
    let Ok(Some(clause)) = m.read_text(&text, at).0 else {
        return Ok(false);
    };
    m.need(clause.terms.len() * 8)?;
    let term = m.term_from_ast(&clause)?;
    let mut names = Vec::new();
    for (name, cell, _) in &term.variables {
        if name != "_" {
            let name = m.atom_cell(name);
            names.push(m.new_term(atom::EQUALS, &[name, *cell]));
        }
    }
    let names = m.new_proper_list(&names)?;
    Ok(m.unify(m.x[2], term.term) && m.unify(m.x[3], names))
}

/// Makes a predicate go through `'$trace'(Goal, Implementation)`; no if it does already or has no clauses.
fn wrap(m: &mut Machine) -> Res {
    let Some(id) = m.named_pred(0)? else {
        return Ok(false);
    };
    let pred = m.db.pred(id);
    let traceable =
        matches!(pred.kind, Kind::Static | Kind::Dynamic) && pred.module != atom::SYSTEM;
    if !traceable || m.traced.contains_key(&id) {
        return Ok(false);
    }
    let (module, name, arity, before) = (pred.module, pred.name, pred.arity, pred.checked);
    let text = m.atom_text(name).to_owned();
    let plain = m.atoms.intern(&format!("$untraced {text}"));
    let alias = m.plain_alias(id, plain);
    if let Some(checked) = before {
        let word = [word_imm(Op::Execute, 0, 0, checked)];
        let address = m.alloc_code(&word)?;
        m.set_entry(alias, address);
    }
    let wrapper = m.atoms.intern(&format!("$traced {text}"));
    let wrapper = define_wrapper(m, module, (wrapper, name, plain), arity)?;
    m.set_checked_entry(id, Some(wrapper));
    m.traced.insert(id, before);
    Ok(true)
}

fn define_wrapper(
    m: &mut Machine,
    module: Atom,
    (wrapper, name, plain): (Atom, Atom, Atom),
    arity: usize,
) -> Result<PredId, PErr> {
    let id = m.pred_id(module, wrapper, arity);
    if m.db.is_defined(id) {
        return Ok(id);
    }
    m.need(arity * 6 + 32)?;
    let args: Vec<Cell> = (0..arity).map(|_| m.new_var()).collect();
    let head = m.new_term(wrapper, &args);
    let qualified = |m: &mut Machine, name: Atom| {
        let goal = m.new_term(name, &args);
        m.new_term(atom::COLON, &[Cell::atom(module), goal])
    };
    let (goal, implementation) = (qualified(m, name), qualified(m, plain));
    let trace = m.atoms.intern("$trace");
    let body = m.new_term(trace, &[goal, implementation]);
    let body = m.new_term(atom::COLON, &[Cell::atom(atom::SYSTEM), body]);
    let clause = m.compile_clause(module, id, head, body)?;
    m.add_clause(clause, true);
    Ok(id)
}

fn unwrap(m: &mut Machine) -> Res {
    let Some(id) = m.named_pred(0)? else {
        return Ok(false);
    };
    match m.traced.remove(&id) {
        Some(before) => {
            m.set_checked_entry(id, before);
            Ok(true)
        }
        None => Ok(false),
    }
}

fn changed_files(m: &mut Machine) -> Res {
    let mut files: Vec<(Atom, u64)> = m.load.digests.iter().map(|(f, d)| (*f, *d)).collect();
    files.sort_unstable();
    let mut changed = Vec::new();
    for (file, before) in files {
        let name = m.atom_text(file).to_owned();
        let now = m.source_text(&name).map(|text| digest(&text));
        if now.is_some_and(|now| now != before) {
            changed.push(Cell::atom(file));
        }
    }
    let list = m.new_proper_list(&changed)?;
    m.unify_result(m.x[0], list)
}

fn library_exports(m: &mut Machine) -> Res {
    let mut all: Vec<(u64, Atom)> = m.load.library_index.iter().map(|(k, l)| (*k, *l)).collect();
    let builtins =
        m.db.preds
            .iter()
            .filter(|pred| pred.module == atom::SYSTEM && pred.core);
    let public = builtins.filter(|pred| !m.atom_text(pred.name).starts_with('$'));
    all.extend(public.map(|pred| (Cell::functor(pred.name, pred.arity).0, atom::SYSTEM)));
    all.sort_unstable();
    m.need(all.len() * 10)?;
    let mut items = Vec::with_capacity(all.len());
    for (key, library) in all {
        let (name, arity) = (Cell(key).name(), Cell(key).arity());
        let indicator = m.indicator(atom::USER, name, arity);
        items.push(m.new_term(atom::MINUS, &[Cell::atom(library), indicator]));
    }
    let list = m.new_proper_list(&items)?;
    m.unify_result(m.x[0], list)
}

fn inference_limit(m: &mut Machine) -> Res {
    let count = m.int_arg(0)?.max(0) as u64;
    let depth = m.inference_limits.len();
    let now = m.stats().inferences;
    m.inference_limits.push(now.saturating_add(count));
    // The next call looks at the limits.
    m.stats.inferences = now;
    m.fuel = 0;
    m.fuel_given = 0;
    m.unify_result(m.x[1], Cell::small(depth as i64))
}
