//! Terms as read: an arena of nodes with places, and the variables by name.
//!
//! A [`Terms`] owns all nodes of one clause; a [`TermId`] is an index into it. Nothing here is recursive, so
//! dropping or walking a list of a million elements needs no stack.

use crate::atoms::{Atom, atom};
use num_bigint::BigInt;

/// A node of a [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// A byte range in the text that was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// A variable, an index into [`Clause::variables`].
    Var(u32),
    Atom(Atom),
    /// An integer that fits.
    Int(i64),
    /// Any other integer.
    Big(Box<BigInt>),
    /// A rational number as written: numerator and denominator, which is not zero.
    Ratio(Box<(BigInt, BigInt)>),
    Float(f64),
    /// A string object.
    Str(Box<str>),
    /// A compound term; lists are `'.'/2`. The arguments are [`Terms::args`].
    Compound {
        name: Atom,
        /// Where the arguments start in the argument table.
        first: u32,
        /// How many arguments there are, at least one.
        arity: u32,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    places: Vec<Place>,
    args: Vec<TermId>,
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    pub fn add(&mut self, node: Node, place: Place) -> TermId {
        let id = TermId(u32::try_from(self.nodes.len()).expect("terms are limited by their text"));
        self.nodes.push(node);
        self.places.push(place);
        id
    }

    /// Adds a compound term.
    pub fn compound(&mut self, name: Atom, args: &[TermId], place: Place) -> TermId {
        let first = self.args.len() as u32;
        self.args.extend_from_slice(args);
        let arity = args.len() as u32;
        self.add(Node::Compound { name, first, arity }, place)
    }

    /// Adds a list of `items` ending in `tail`.
    pub fn list(&mut self, items: &[TermId], tail: TermId, place: Place) -> TermId {
        items.iter().rev().fold(tail, |tail, &item| {
            let start = self.place(item).start.max(place.start);
            let place = Place {
                start,
                end: place.end,
            };
            self.compound(atom::DOT, &[item, tail], place)
        })
    }

    pub fn node(&self, id: TermId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Where the node was read.
    pub fn place(&self, id: TermId) -> Place {
        self.places[id.0 as usize]
    }

    /// The arguments of a compound term; empty for anything else.
    pub fn args(&self, id: TermId) -> &[TermId] {
        match *self.node(id) {
            Node::Compound { first, arity, .. } => {
                &self.args[first as usize..(first + arity) as usize]
            }
            _ => &[],
        }
    }

    /// The name and arity of an atom or compound term.
    pub fn functor(&self, id: TermId) -> Option<(Atom, usize)> {
        match *self.node(id) {
            Node::Atom(name) => Some((name, 0)),
            Node::Compound { name, arity, .. } => Some((name, arity as usize)),
            _ => None,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// A named variable of a clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name; `_` for each anonymous variable.
    pub name: String,
    /// How often it occurs.
    pub occurrences: u32,
    /// The first occurrence.
    pub place: Place,
}

/// A term read up to its full stop.
#[derive(Clone, Debug)]
pub struct Clause {
    pub terms: Terms,
    /// The whole term.
    pub root: TermId,
    /// The variables in order of first occurrence.
    pub variables: Vec<Variable>,
    /// From the first token to the full stop.
    pub place: Place,
}

/// What a quoted text between `"` or backquotes becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quotes {
    /// A list of character codes.
    Codes,
    /// A list of one-character atoms.
    Chars,
    Atom,
    /// A string object.
    String,
}

/// The flags that change reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadFlags {
    /// The meaning of `"…"`.
    pub double_quotes: Quotes,
    /// The meaning of backquoted text.
    pub back_quotes: Quotes,
    /// Refuse what the standard refuses and programs have all the same: `\e` and `\s`, `1E9`, `0''`, line ends
    /// in quoted text.
    pub iso: bool,
}

impl ReadFlags {
    /// `"…"` and backquotes are code lists, as in ISO's default and Ciao.
    pub const STANDARD: ReadFlags = ReadFlags {
        double_quotes: Quotes::Codes,
        back_quotes: Quotes::Codes,
        iso: false,
    };
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What is wrong, in words; one line.
    pub message: String,
    /// Where it was noticed.
    pub place: Place,
}
