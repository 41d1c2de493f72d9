//! The operator table: for each atom, its definitions as prefix, infix and postfix operator.

use crate::atoms::{Atom, AtomTable, atom};
use stet_base::FastMap;

/// How an operator takes its arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpType {
    /// Infix, both arguments lower.
    Xfx,
    /// Infix, right argument may be equal.
    Xfy,
    /// Infix, left argument may be equal.
    Yfx,
    /// Prefix, argument may be equal.
    Fy,
    /// Prefix, argument lower.
    Fx,
    /// Postfix, argument lower.
    Xf,
    /// Postfix, argument may be equal.
    Yf,
}

/// Where an operator stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpClass {
    /// Before its argument.
    Prefix,
    /// Between its arguments.
    Infix,
    /// After its argument.
    Postfix,
}

impl OpType {
    /// The class of this type.
    pub fn class(self) -> OpClass {
        match self {
            OpType::Xfx | OpType::Xfy | OpType::Yfx => OpClass::Infix,
            OpType::Fy | OpType::Fx => OpClass::Prefix,
            OpType::Xf | OpType::Yf => OpClass::Postfix,
        }
    }

    /// The atom naming this type.
    pub fn atom(self) -> Atom {
        match self {
            OpType::Xfx => atom::XFX,
            OpType::Xfy => atom::XFY,
            OpType::Yfx => atom::YFX,
            OpType::Fy => atom::FY,
            OpType::Fx => atom::FX,
            OpType::Xf => atom::XF,
            OpType::Yf => atom::YF,
        }
    }

    /// The type an atom names.
    pub fn from_atom(name: Atom) -> Option<OpType> {
        ALL_TYPES.into_iter().find(|kind| kind.atom() == name)
    }
}

const ALL_TYPES: [OpType; 7] = [
    OpType::Xfx,
    OpType::Xfy,
    OpType::Yfx,
    OpType::Fy,
    OpType::Fx,
    OpType::Xf,
    OpType::Yf,
];

/// A definition: priority 1..=1200 and type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpDef {
    pub priority: u16,
    pub kind: OpType,
}

impl OpDef {
    /// The highest priority of the left argument.
    pub fn left_max(self) -> u16 {
        match self.kind {
            OpType::Yfx | OpType::Yf => self.priority,
            _ => self.priority - 1,
        }
    }

    /// The highest priority of the right (or only) argument.
    pub fn right_max(self) -> u16 {
        match self.kind {
            OpType::Xfy | OpType::Fy => self.priority,
            _ => self.priority - 1,
        }
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    prefix: Option<OpDef>,
    infix: Option<OpDef>,
    postfix: Option<OpDef>,
}

/// The operators in force.
#[derive(Clone, Debug, Default)]
pub struct Ops {
    entries: FastMap<Atom, Entry>,
}

impl Ops {
    /// No operators at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The operators every program starts with: ISO's, and those library code takes for granted.
    pub fn standard(atoms: &mut AtomTable) -> Self {
        use OpType::*;
        const TABLE: &[(u16, OpType, &str)] = &[
            (1200, Xfx, ":- --> =>"),
            (1200, Fx, ":- ?-"),
            (1100, Xfy, "; |"),
            (1050, Xfy, "-> *->"),
            (1000, Xfy, ","),
            (990, Xfx, ":="),
            (900, Fy, "\\+"),
            (
                700,
                Xfx,
                "= \\= == \\== @< @> @=< @>= =.. is =:= =\\= < > =< >= =@= \\=@= as >:< :<",
            ),
            (600, Xfy, ":"),
            (500, Yfx, "+ - /\\ \\/ xor"),
            (400, Yfx, "* / // rem mod div << >> divmod rdiv"),
            (200, Xfx, "**"),
            (200, Xfy, "^"),
            (200, Fy, "- + \\"),
            (1, Fx, "$"),
            (
                1150,
                Fx,
                "dynamic discontiguous initialization meta_predicate module_transparent multifile public \
                 thread_initialization thread_local table volatile",
            ),
        ];
        let mut ops = Ops::default();
        for &(priority, kind, names) in TABLE {
            for name in names.split_whitespace() {
                ops.add(atoms.intern(name), OpDef { priority, kind });
            }
        }
        ops
    }

    /// Adds or replaces a definition; priority 0 removes it.
    pub fn add(&mut self, name: Atom, definition: OpDef) {
        if definition.priority == 0 {
            return self.remove(name, definition.kind.class());
        }
        let entry = self.entries.entry(name).or_default();
        *slot(entry, definition.kind.class()) = Some(definition);
    }

    /// Removes a definition.
    pub fn remove(&mut self, name: Atom, class: OpClass) {
        if let Some(entry) = self.entries.get_mut(&name) {
            *slot(entry, class) = None;
        }
    }

    /// The prefix definition.
    pub fn prefix(&self, name: Atom) -> Option<OpDef> {
        self.entries.get(&name)?.prefix
    }

    /// The infix definition.
    pub fn infix(&self, name: Atom) -> Option<OpDef> {
        self.entries.get(&name)?.infix
    }

    /// The postfix definition.
    pub fn postfix(&self, name: Atom) -> Option<OpDef> {
        self.entries.get(&name)?.postfix
    }

    /// Whether the atom is an operator of any class.
    pub fn is_op(&self, name: Atom) -> bool {
        self.entries.get(&name).is_some_and(|entry| {
            entry.prefix.is_some() || entry.infix.is_some() || entry.postfix.is_some()
        })
    }

    /// All definitions, ordered by atom.
    pub fn all(&self) -> Vec<(Atom, OpDef)> {
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut found: Vec<(Atom, OpDef)> = self
            .entries
            .iter()
            .flat_map(|(&name, entry)| {
                [entry.prefix, entry.infix, entry.postfix]
                    .into_iter()
                    .flatten()
                    .map(move |definition| (name, definition))
            })
            .collect();
        found.sort_by_key(|(name, definition)| (*name, definition.kind));
        found
    }
}

fn slot(entry: &mut Entry, class: OpClass) -> &mut Option<OpDef> {
    match class {
        OpClass::Prefix => &mut entry.prefix,
        OpClass::Infix => &mut entry.infix,
        OpClass::Postfix => &mut entry.postfix,
    }
}
