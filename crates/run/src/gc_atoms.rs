//! Atom collection: atoms made while running (by `atom_codes/2` and the like) go when nothing mentions them.
//!
//! Atoms that came from source text or from the system itself stay for ever; so what else holds atoms (types,
//! assertions, operators) need not be searched. The memory areas are searched conservatively: every word
//! that could be an atom cell or a functor header keeps its atom.

use crate::cell::*;
use crate::flat::Flat;
use crate::machine::{Global, Machine};
use stet_prolog::Atom;

struct Live(Vec<u64>);

impl Live {
    fn mark(&mut self, atom: Atom) {
        if let Some(word) = self.0.get_mut(atom.0 as usize / 64) {
            *word |= 1 << (atom.0 % 64);
        }
    }

    fn words(&mut self, words: &[u64]) {
        for &word in words {
            match Cell(word).tag() {
                CON => self.mark(Atom((word >> 3) as u32)),
                HDR => self.mark(Cell(word).name()),
                _ => {}
            }
        }
    }

    fn flat(&mut self, flat: &Flat) {
        self.words(&flat.words);
    }
}

impl Machine {
    /// Removes temporary atoms nothing refers to. Called at the end of a collection.
    pub(crate) fn sweep_atoms(&mut self, arity: usize) {
        debug_assert!(
            !self.control.engines.any(),
            "the memory of engines is not searched"
        );
        let mut live = Live(vec![0; self.mem.atoms.capacity() / 64 + 1]);
        live.words(self.mem.heap.slice(0, self.mem.h));
        live.words(self.mem.env.slice(0, self.env_top() + 64));
        live.words(self.mem.choice.slice(0, self.choice_top()));
        live.words(self.mem.trail.slice(0, self.mem.tr));
        live.words(self.program.code.slice(0, self.program.db.code_top));
        for cell in self.control.x[..arity].iter().chain(&self.mem.handles) {
            live.words(&[cell.0]);
        }
        live.words(&[self.control.pending.0]);
        for global in &self.mem.globals {
            match global {
                Global::Kept(flat) => live.flat(flat),
                Global::Term(cell) => live.words(&[cell.0]),
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "marking has no order")]
        for &name in self.mem.global_names.keys() {
            live.mark(name);
        }
        for flat in self.mem.bags.iter().flatten() {
            live.flat(flat);
        }
        for words in self.program.tables.words() {
            live.words(words);
        }
        for (name, flat) in &self.loader.flags {
            live.mark(*name);
            live.flat(flat);
        }
        for (name, _) in self.loader.ops.all() {
            live.mark(name);
        }
        self.mark_program_atoms(&mut live);
        self.mem
            .atoms
            .sweep_temporary(|atom| live.0[atom.0 as usize / 64] >> (atom.0 % 64) & 1 == 1);
        self.watch.stats.atom_sweeps += 1;
    }

    fn mark_program_atoms(&self, live: &mut Live) {
        for pred in &self.program.db.preds {
            live.mark(pred.module);
            live.mark(pred.name);
            if let Some(file) = pred.file {
                live.mark(file);
            }
            for cell in pred.meta.iter().flatten() {
                live.words(&[cell.0]);
            }
        }
        for clause in self.program.db.clauses.iter().flatten() {
            if let Some(term) = &clause.term {
                live.flat(term);
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "marking has no order")]
        for (&name, module) in &self.program.db.modules {
            live.mark(name);
            for &(export, _) in &module.exports {
                live.mark(export);
            }
            for &parent in &module.parents {
                live.mark(parent);
            }
            if let Some(file) = module.file {
                live.mark(file);
            }
            for &key in module.imports.keys() {
                live.words(&[key]);
            }
        }
        for stream in self.io.streams.table.iter().flatten() {
            for name in [stream.alias, stream.file].into_iter().flatten() {
                live.mark(name);
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "marking has no order")]
        for &alias in self.io.streams.aliases.keys() {
            live.mark(alias);
        }
        #[allow(clippy::iter_over_hash_type, reason = "marking has no order")]
        for (&file, &module) in &self.loader.files.loaded {
            live.mark(file);
            live.mark(module);
        }
        #[allow(clippy::iter_over_hash_type, reason = "marking has no order")]
        for (&key, &library) in &self.loader.files.library_index {
            live.words(&[key]);
            live.mark(library);
        }
        for frame in &self.loader.files.frames {
            live.mark(frame.file);
            live.mark(frame.module);
            for flat in &frame.initialization {
                live.flat(flat);
            }
        }
        live.mark(self.loader.files.module);
    }
}
