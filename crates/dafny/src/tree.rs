//! The resolved, typed tree: what the resolver hands to the translator.
//!
//! Everything lives in arenas of one [`Program`] and is named by four-byte ids. The tree is *not* the syntax: names are
//! resolved to ids, calls carry their type arguments, default arguments are filled in, failure operators (`:-`) are
//! unfolded, inherited members of refined modules are copied into the refining module, parentheses are gone.
//!
//! | file | holds |
//! |---|---|
//! | `ids` | the id types |
//! | `types` | hash-consed types and the table that owns them |
//! | `decl` | modules, type declarations, constructors, members, formals |
//! | `spec` | specification clauses, frames, measures, attributes |
//! | `expr` | expressions |
//! | `pattern`, `coverage` | resolved patterns of `match` and `var`; what they cover |
//! | `stmt` | statements |
//! | `source` | expressions as program text |
//! | `program` | the arenas and the queries over them |
//!
//! # What the resolver guarantees, when it reports no error
//!
//! * Every `Ty` reachable from the tree is closed: no inference variable and no `Error` type. `Synonym`s are expanded
//!   in [`Expr::ty`] and variable types; subset types and newtypes are kept.
//! * `Expr::ty` is a type the value is known to be in. A position (assignment, argument, element of a display,
//!   branch, result) may expect a narrower type: when `ty` is not a subtype of the expected type
//!   ([`Program::is_subtype`]), **the translator must check the constraint there** (subset type, newtype, non-null,
//!   partial arrow to total arrow, trait to class).
//! * Arguments are complete and positional; the receiver of an instance member is explicit (`This` if implicit).
//! * Ghost rules hold: what is marked ghost does not influence what is not.
//! * `decreases` clauses are filled in: the inferred measure is there when the user gave none (`inferred` says so).
//! * `scc` numbers callables by the strongly connected components of the call graph: two callables are mutually
//!   recursive iff their `scc` is equal. Components are numbered bottom-up: a callee outside has a smaller number.
//! * Recursive definitions are consistent (`resolve/recursion.rs`): no unapplied recursive function, no cyclic constant,
//!   extreme predicates monotone, every datatype inhabited, no recursion through stored functions (`resolve/knots.rs`).
//! * Patterns are resolved; every case body only sees the variables of its own pattern. Cases are tried in order;
//!   **the translator must check that one matches**.
//! * Binary operators are resolved by operand type (`Union` instead of `+` on sets and so on).
//! * Labels and loops are resolved: `Break` names the loop or the labelled statement it leaves.
//!
//! When there is an error anywhere, the tree may contain `ExprKind::Error` and `Ty` of kind `Error` and must not be
//! translated.

mod coverage;
mod decl;
mod expr;
mod ids;
mod loop_frame;
mod pattern;
mod program;
pub mod source;
mod spec;
mod stmt;
mod subtype;
mod trigger;
mod types;
mod walk;

pub use decl::*;
pub use expr::*;
pub use ids::*;
pub use pattern::*;
pub use program::*;
pub use spec::*;
pub use stmt::*;
pub use types::*;
pub use walk::Part;
