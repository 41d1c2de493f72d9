//! Summaries of builtins: the types of their arguments when they succeed, and whether they bind anything.
//!
//! A builtin that is not here may bind its arguments in any way. Types are what holds *after* success for every
//! implementation detail: an argument that may stay unbound has no type here.

/// The type of an argument on success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing is known.
    Any,
    Integer,
    /// An integer from zero on.
    Natural,
    Number,
    Float,
    Atom,
    Atomic,
    /// An atom or compound term.
    Callable,
    /// A compound term.
    Compound,
    /// Not an unbound variable.
    Nonvar,
    Ground,
    /// A proper list.
    List,
    /// `<`, `=` or `>`.
    Order,
    /// A string object.
    Text,
}

impl Known {
    /// Its number in keys.
    pub(crate) fn code(self) -> u8 {
        match self {
            Known::Any => 0,
            Known::Integer => 1,
            Known::Natural => 2,
            Known::Number => 3,
            Known::Float => 4,
            Known::Atom => 5,
            Known::Atomic => 6,
            Known::Callable => 7,
            Known::Compound => 8,
            Known::Nonvar => 9,
            Known::Ground => 10,
            Known::List => 11,
            Known::Order => 12,
            Known::Text => 13,
        }
    }
}

/// What a builtin does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    /// Whether it may bind variables of its arguments.
    pub binds: bool,
    /// The types of its arguments on success.
    pub args: &'static [Known],
}

use Known::{
    Any, Atom, Atomic, Callable, Compound, Float, Ground, Integer, List, Natural, Nonvar, Number,
    Order, Text,
};

const TESTS: &[(&str, &[Known])] = &[
    ("var", &[Any]),
    ("nonvar", &[Nonvar]),
    ("atom", &[Atom]),
    ("integer", &[Integer]),
    ("float", &[Float]),
    ("number", &[Number]),
    ("atomic", &[Atomic]),
    ("compound", &[Compound]),
    ("callable", &[Callable]),
    ("is_list", &[List]),
    ("string", &[Text]),
    ("ground", &[Ground]),
    ("==", &[Any, Any]),
    ("\\==", &[Any, Any]),
    ("\\=", &[Any, Any]),
    ("@<", &[Any, Any]),
    ("@>", &[Any, Any]),
    ("@=<", &[Any, Any]),
    ("@>=", &[Any, Any]),
    ("=:=", &[Nonvar, Nonvar]),
    ("=\\=", &[Nonvar, Nonvar]),
    ("<", &[Nonvar, Nonvar]),
    (">", &[Nonvar, Nonvar]),
    ("=<", &[Nonvar, Nonvar]),
    (">=", &[Nonvar, Nonvar]),
    ("nl", &[]),
    ("nl", &[Any]),
    ("write", &[Any]),
    ("write", &[Any, Any]),
    ("writeq", &[Any]),
    ("writeq", &[Any, Any]),
    ("print", &[Any]),
    ("writeln", &[Any]),
    ("write_canonical", &[Any]),
    ("tab", &[Any]),
    ("put_char", &[Any]),
    ("garbage_collect", &[]),
    ("repeat", &[]),
    ("flush_output", &[]),
];

const BINDING: &[(&str, &[Known])] = &[
    ("compare", &[Order, Any, Any]),
    ("functor", &[Nonvar, Atomic, Natural]),
    ("arg", &[Natural, Compound, Any]),
    ("=..", &[Nonvar, List]),
    ("copy_term", &[Any, Any]),
    ("length", &[List, Natural]),
    ("atom_length", &[Nonvar, Natural]),
    ("atom_codes", &[Nonvar, List]),
    ("atom_chars", &[Nonvar, List]),
    ("char_code", &[Atom, Natural]),
    ("number_codes", &[Number, List]),
    ("number_chars", &[Number, List]),
    ("atom_number", &[Any, Number]),
    ("between", &[Integer, Any, Integer]),
    ("succ", &[Natural, Natural]),
    ("plus", &[Integer, Integer, Integer]),
    ("msort", &[List, List]),
    ("sort", &[List, List]),
    ("keysort", &[List, List]),
    ("append", &[List, Any, Any]),
    ("reverse", &[List, List]),
    ("member", &[Any, Nonvar]),
    ("memberchk", &[Any, Nonvar]),
    ("nth0", &[Natural, Nonvar, Any]),
    ("nth1", &[Natural, Nonvar, Any]),
    ("last", &[Nonvar, Any]),
    ("sum_list", &[List, Number]),
    ("sumlist", &[List, Number]),
    ("max_list", &[List, Any]),
    ("min_list", &[List, Any]),
    ("numlist", &[Integer, Integer, List]),
];

/// The effect of a builtin, if it is known.
pub(crate) fn effect(name: &str, arity: usize) -> Option<Effect> {
    let find = |table: &'static [(&'static str, &'static [Known])], binds| {
        table
            .iter()
            .find(|(found, args)| *found == name && args.len() == arity)
            .map(|(_, args)| Effect { binds, args })
    };
    find(TESTS, false).or_else(|| find(BINDING, true))
}

/// The result of an arithmetic function is an integer if its arguments are.
pub(crate) fn keeps_integers(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        ("+" | "-" | "*" | "min" | "max", 2) | ("-" | "+" | "abs" | "sign", 1)
    )
}

/// The result of an arithmetic function is an integer whatever its arguments are.
pub(crate) fn gives_integers(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        (
            "//" | "mod" | "rem" | "div" | ">>" | "<<" | "/\\" | "\\/" | "xor" | "gcd",
            2
        ) | (
            "\\" | "msb" | "integer" | "truncate" | "round" | "ceiling" | "floor",
            1
        )
    )
}
