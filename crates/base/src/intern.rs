//! Strings as four-byte symbols: equal strings have equal symbols within one [`Interner`].
//!
//! Symbols are numbered by first occurrence, so they may be compared and used as dense indices inside a
//! run; they must never enter a key, because the numbering differs from run to run.

use crate::{FastMap, IdVec};
use std::sync::Arc;

crate::define_id!(
    /// An interned string.
    pub struct Symbol;
);

/// The table of interned strings.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    symbols: FastMap<Arc<str>, Symbol>,
    texts: IdVec<Symbol, Arc<str>>,
}

impl Interner {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `text`, made on first use.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let text: Arc<str> = text.into();
        let symbol = self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol]
    }

    /// How many strings are interned.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether nothing is interned yet.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_equal_symbols() {
        let mut names = Interner::new();
        let a = names.intern("a");
        assert_ne!(a, names.intern("b"));
        assert_eq!(a, names.intern("a"));
        assert_eq!(names.text(a), "a");
        assert_eq!(names.lookup("c"), None);
        assert_eq!(names.len(), 2);
    }
}
