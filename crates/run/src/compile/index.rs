//! Linking the clauses of a static predicate: which argument to look at, and in which order to try.
//!
//! The argument that tells the clauses apart best decides (the first argument wins ties); within a group of
//! clauses with the same key another argument is tried, up to [`LEVELS`] deep; once the first argument is known
//! to be a certain structure, its arguments count too. Groups of several clauses
//! become chains of `Try`/`Retry`/`Trust`; clauses with a guard and a neck cut need no choice point.

use crate::cell::*;
use crate::clause_index::SHORT;
use crate::code::{Op, word_imm};
use crate::database::{ClauseData, ClauseId, INNER, KEYS, PredId};
use crate::errors::PErr;
use crate::machine::{Machine, REGISTERS};
use crate::positions;
use stet_base::FastMap;
use stet_prolog::atom;

/// How many arguments one call may be dispatched on.
const LEVELS: usize = 3;
/// Predicates with so many clauses are dispatched on one argument by code.
const LARGE: usize = 256;
/// The register an argument of the first argument is looked at in.
const SCRATCH: u16 = REGISTERS as u16 - 1;
/// The arguments of the first argument, in a set of arguments.
const WITHIN: usize = ((1 << INNER) - 1) << KEYS;

#[derive(Clone, Copy)]
struct Entry {
    number: ClauseId,
    code: u32,
    shallow: bool,
    /// The keys of the leading arguments, then those of the arguments of the first one.
    keys: [u64; KEYS + INNER],
}

impl Entry {
    fn new(clause: &ClauseData, number: ClauseId) -> Entry {
        let mut keys = [0; KEYS + INNER];
        keys[..KEYS].copy_from_slice(&clause.keys);
        for (i, key) in keys[KEYS..].iter_mut().enumerate() {
            let place = positions::inside(positions::argument(1), i + 1);
            let found = place.and_then(|place| clause.key_at(place));
            // Boxes are told apart by unification.
            *key = found.filter(|&key| Cell(key).tag() != BOX).unwrap_or(0);
        }
        Entry {
            number,
            code: clause.code,
            shallow: clause.shallow,
            keys,
        }
    }
}

struct Linker {
    words: Vec<u64>,
    /// Words with a relative label in the upper half, and words with one in the lower half.
    high: Vec<usize>,
    low: Vec<usize>,
    arity: usize,
    /// The number of the first long list, and their clauses.
    first_chain: u32,
    chains: Vec<Vec<ClauseId>>,
}

/// A place to continue: a clause's code, or a relative position in the linker's words.
#[derive(Clone, Copy)]
enum Target {
    Absolute(u32),
    Relative(u32),
}

impl Machine {
    /// Builds the index of a static predicate and makes it the entry.
    pub(crate) fn link(&mut self, id: PredId) -> Result<u32, PErr> {
        let numbers: Vec<ClauseId> = self
            .program
            .db
            .pred(id)
            .clauses
            .iter()
            .map(|&(_, n)| n)
            .collect();
        let mut entries: Vec<Entry> = Vec::with_capacity(numbers.len());
        for number in numbers {
            if let Some(clause) = self.program.db.clause(number) {
                if clause.died == u64::MAX {
                    entries.push(Entry::new(clause, number));
                }
            }
        }
        let arity = self.program.db.pred(id).arity;
        let mut linker = Linker {
            words: Vec::new(),
            high: Vec::new(),
            low: Vec::new(),
            arity,
            first_chain: self.program.db.chains.len() as u32,
            chains: Vec::new(),
        };
        // Tables for several arguments of a large predicate are made when a call needs them.
        let levels = match entries.len() {
            LARGE.. => 1,
            _ => LEVELS,
        };
        let start = linker.group(&entries, (1 << arity.min(KEYS)) - 1, levels);
        let entry = match start {
            Target::Absolute(address) => address,
            Target::Relative(offset) => {
                let len = linker.words.len();
                let base = u64::from(self.program.next_code(len));
                for &at in &linker.high {
                    linker.words[at] += base << 32;
                }
                for &at in &linker.low {
                    linker.words[at] += base;
                }
                let start = self.alloc_code(&linker.words)?;
                debug_assert_eq!(
                    u64::from(start),
                    base,
                    "code is where its labels were made for"
                );
                self.program.db.pred_mut(id).index_code = Some((start, len as u32));
                start + offset
            }
        };
        self.program.add_chains(id, linker.chains);
        let entry = self.qualified_entry(id, entry)?;
        self.program.set_entry(id, entry);
        Ok(entry)
    }
}

impl Machine {
    /// Calls from the predicate's own module pass goals of that module; others came qualified.
    fn qualified_entry(&mut self, id: PredId, entry: u32) -> Result<u32, PErr> {
        if self.program.db.pred(id).module == atom::SYSTEM || !self.program.has_goal_arguments(id) {
            return Ok(entry);
        }
        self.alloc_code(&[
            word_imm(Op::QualifyMeta, 0, 0, id),
            word_imm(Op::Jump, 0, 0, entry),
        ])
    }
}

impl Linker {
    /// Code that tries these clauses; `free` are the arguments not yet looked at.
    fn group(&mut self, entries: &[Entry], free: usize, levels: usize) -> Target {
        match entries {
            [] => return Target::Absolute(0),
            [only] => return Target::Absolute(only.code),
            _ => {}
        }
        match best_argument(entries, free) {
            Some(argument) if levels > 0 => self.switch(entries, argument, free, levels),
            _ => self.chain(entries),
        }
    }

    fn chain(&mut self, entries: &[Entry]) -> Target {
        let start = self.words.len() as u32;
        if entries.len() >= SHORT {
            let number = self.first_chain + self.chains.len() as u32;
            self.chains
                .push(entries.iter().map(|entry| entry.number).collect());
            self.words.push(word_imm(Op::Chain, 0, 0, number));
        }
        let clauses = entries.iter().map(|entry| (entry.code, entry.shallow));
        chain_code(&mut self.words, self.arity, clauses);
        Target::Relative(start)
    }

    fn switch(&mut self, entries: &[Entry], argument: usize, free: usize, levels: usize) -> Target {
        let rest = free & !(1 << argument);
        let within = match argument {
            0 => rest | WITHIN,
            _ => rest,
        };
        let list = Cell::functor(atom::DOT, 2).0;
        let matching = |wanted: &dyn Fn(u64) -> bool| -> Vec<Entry> {
            entries
                .iter()
                .filter(|entry| entry.keys[argument] == 0 || wanted(entry.keys[argument]))
                .copied()
                .collect()
        };
        let is_constant = |key: u64| matches!(Cell(key).tag(), CON | INT);
        let is_structure = |key: u64| Cell(key).tag() == HDR && key != list;
        let on_var = self.group(entries, rest, levels - 1);
        let on_constant = self.table(entries, argument, (rest, rest), levels, &is_constant);
        let on_list = self.group(&matching(&|key| key == list), within, levels - 1);
        let on_structure = self.table(entries, argument, (rest, within), levels, &is_structure);
        let on_box = self.group(&matching(&|_| false), rest, levels - 1);
        let start = self.words.len() as u32;
        let register = register_of(argument);
        if register == SCRATCH {
            let number = (argument - KEYS) as u32;
            self.words
                .push(word_imm(Op::LoadArgument, 0, register, number));
        }
        self.words.push(word_imm(Op::SwitchTerm, 0, register, 0));
        // In the order of the tags.
        for (low, high) in [
            (on_var, on_list),
            (on_structure, on_constant),
            (on_var, on_box),
            (on_constant, Target::Absolute(0)),
        ] {
            let at = self.words.len();
            self.words.push(0);
            self.label(at, low, false);
            self.label(at, high, true);
        }
        Target::Relative(start)
    }

    fn label(&mut self, at: usize, target: Target, high: bool) {
        let value = match target {
            Target::Absolute(address) => address,
            Target::Relative(offset) => {
                if high {
                    self.high.push(at);
                } else {
                    self.low.push(at);
                }
                offset
            }
        };
        debug_assert_eq!(
            self.words[at] >> if high { 32 } else { 0 } & 0xffff_ffff,
            0,
            "a label is written once"
        );
        self.words[at] |= u64::from(value) << if high { 32 } else { 0 };
    }

    /// Dispatch on the keys of one kind by hash table; `rest` are the arguments still free where no key
    /// matches, and where one does.
    fn table(
        &mut self,
        entries: &[Entry],
        argument: usize,
        rest: (usize, usize),
        levels: usize,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Target {
        let mut keys: Vec<u64> = Vec::new();
        let mut groups: FastMap<u64, Vec<Entry>> = FastMap::default();
        let mut defaults: Vec<Entry> = Vec::new();
        for entry in entries {
            let key = entry.keys[argument];
            if key == 0 {
                for group in &keys {
                    if let Some(members) = groups.get_mut(group) {
                        members.push(*entry);
                    }
                }
                defaults.push(*entry);
            } else if wanted(key) {
                groups
                    .entry(key)
                    .or_insert_with(|| {
                        keys.push(key);
                        defaults.clone()
                    })
                    .push(*entry);
            }
        }
        let default = self.group(&defaults, rest.0, levels - 1);
        if keys.is_empty() {
            return default;
        }
        let targets: Vec<(u64, Target)> = keys
            .iter()
            .map(|key| (*key, self.group(&groups[key], rest.1, levels - 1)))
            .collect();
        if let ([(key, target)], true) = (targets.as_slice(), defaults.is_empty()) {
            if Cell(*key).tag() != HDR {
                return *target; // the clauses themselves tell this constant from others
            }
        }
        let slots = (targets.len() * 2).next_power_of_two();
        debug_assert!(
            slots.is_power_of_two() && slots > targets.len(),
            "a search in the table ends at an empty place"
        );
        let start = self.words.len();
        self.words.push(word_imm(
            Op::SwitchHash,
            0,
            register_of(argument),
            slots as u32,
        ));
        self.words.push(0);
        self.label(start + 1, default, false);
        self.words.resize(start + 2 + 2 * slots, 0);
        for (key, target) in targets {
            debug_assert!(key != 0, "no key is that of an empty place");
            let mut slot = hash_key(key) & (slots - 1);
            while self.words[start + 2 + 2 * slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.words[start + 2 + 2 * slot] = key;
            self.label(start + 3 + 2 * slot, target, false);
        }
        Target::Relative(start as u32)
    }
}

/// Code that tries clauses, given by their code and whether they need no choice point before their neck cut.
pub(crate) fn chain_code(
    words: &mut Vec<u64>,
    arity: usize,
    clauses: impl ExactSizeIterator<Item = (u32, bool)>,
) {
    let count = clauses.len();
    debug_assert!(count > 0, "there is a clause to try");
    let mut pushed = false;
    for (i, (code, shallow)) in clauses.enumerate() {
        let op = match (i + 1 == count, pushed) {
            (true, true) => Op::Trust,
            (true, false) => Op::Jump,
            (false, true) => Op::Retry,
            (false, false) if shallow => Op::TryShallow,
            (false, false) => {
                pushed = true;
                Op::Try
            }
        };
        words.push(word_imm(op, 0, arity as u16, code));
    }
}

/// Where an argument is when it is looked at.
fn register_of(argument: usize) -> u16 {
    if argument < KEYS {
        argument as u16
    } else {
        SCRATCH
    }
}

/// The hash of a key in a `SwitchHash` table.
#[inline(always)]
pub(crate) fn hash_key(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize
}

/// The argument worth looking at: the one whose largest group is smallest.
fn best_argument(entries: &[Entry], free: usize) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    // The first argument is the likeliest to be known, then what is in it.
    for argument in (0..1).chain(KEYS..KEYS + INNER).chain(1..KEYS) {
        if free >> argument & 1 == 0 {
            continue;
        }
        let variables = entries
            .iter()
            .filter(|entry| entry.keys[argument] == 0)
            .count();
        let mut counts: FastMap<u64, usize> = FastMap::default();
        let mut largest = 0;
        for entry in entries {
            let key = entry.keys[argument];
            if key != 0 {
                let count = counts.entry(key).or_default();
                *count += 1;
                largest = largest.max(*count);
            }
        }
        if variables * counts.len() > 50_000 {
            continue; // every group would repeat all clauses with a variable there
        }
        let cost = variables + largest;
        if counts.is_empty() || cost >= entries.len() && variables + 1 >= entries.len() {
            continue;
        }
        if cost < entries.len() || counts.len() > 1 {
            match best {
                Some((_, found)) if found <= cost => {}
                _ => best = Some((argument, cost)),
            }
        }
    }
    // Clauses that a first argument of another kind excludes need no choice point.
    let excludes = || free & 1 == 1 && entries.iter().any(|entry| entry.keys[0] != 0);
    best.map(|(argument, _)| argument)
        .or_else(|| excludes().then_some(0))
}
