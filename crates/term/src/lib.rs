//! Hash-consed SMT terms: sorts, simplifying constructors, evaluation, substitution, digests, printing.
//!
//! A [`Term`] is four bytes: the position of its node in a [`Terms`] pool, which is used through `&self` by
//! any number of threads. Equal terms have equal ids. All walks use explicit stacks, so terms may be
//! millions of nodes deep.
//!
//! ```
//! use stet_term::{Sort, Terms, Term};
//! let terms = Terms::new();
//! let x = terms.symbol("x", Sort::bv(8));
//! let sum = terms.bv_add(x, terms.bv(8, 0));
//! assert_eq!(sum, x);
//! assert_eq!(terms.eq(x, x), Term::TRUE);
//! ```
//!
//! | file | what |
//! |---|---|
//! | `pool` | the pool: interning, O(1) information per node |
//! | `build/*` | constructors with rewrite rules ([`Rule`]), one file per theory |
//! | `eval`, `model`, `value`, `bits` | evaluation of terms under a [`Model`] |
//! | `float` | IEEE 754 arithmetic as circuits of bit-vector terms |
//! | `substitute`, `free` | memoised substitution, free symbols |
//! | `digest` | a canonical 256-bit digest, independent of ids |
//! | `print` | SMT-LIB 2 with shared subterms |
//!
//! **Marks.** A symbol made with [`Terms::marked_symbol`] carries bits that every term containing it
//! inherits, so "does this term mention a base address?" is one load. The names of marked symbols do not
//! influence the order of commutative arguments.
//!
//! Invariant: rewriting preserves the meaning of terms in every model of SMT-LIB's semantics (division by
//! zero included); the tests prove each rule at small widths.

mod bits;
mod build;
mod chunks;
mod digest;
mod eval;
mod float;
mod free;
mod model;
mod op;
mod pool;
mod print;
mod rule;
mod side;
mod sort;
mod substitute;
mod symbols;
mod value;

pub use bits::Bits;
pub use digest::op_tag;
pub use eval::{EvalError, Evaluator};
pub use float::{FloatFormat, Floats, Rounding, ieee_to_x87, x87_to_ieee};
pub use model::{FunctionValue, Model};
pub use op::{BigId, Features, NameId, Node, Op, QuantId, TableId};
pub use pool::Terms;
pub use print::{Declared, Printer, is_simple_symbol, quoted};
pub use rule::{Level, Rule};
pub use side::{Quantifier, Table};
pub use sort::{Constructor, Sort, SortKind};
pub use substitute::Substitution;
pub use symbols::{Sym, SymbolInfo};
pub use value::{ArrayValue, Rational, Value};

stet_base::define_id!(
    /// A term of some [`Terms`] pool.
    pub struct Term;
);

const _: () = assert!(std::mem::size_of::<Term>() == 4);

impl Term {
    /// The constant false, the same in every pool.
    pub const FALSE: Term = Term(std::num::NonZeroU32::MIN);
    /// The constant true, the same in every pool.
    pub const TRUE: Term = match std::num::NonZeroU32::new(2) {
        Some(two) => Term(two),
        None => unreachable!(),
    };
}
