//! What Stet has no translation for, at least in some programs: a value that a program speaks of as `sx(…)`.
//!
//! Nothing may be said on the strength of such a thing. So whatever is said about a program with one must be said about the
//! same program with an unknown function `sx` in its place, too.

use super::Choices;

/// What `sx(…)` stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strange {
    /// An unknown function, nothing strange.
    Nothing,
    /// An operation on maps that is declared for something else.
    NotAMap,
    /// An operation on maps, which is supported unless something in the program is polymorphic.
    Map,
    /// The order of floating-point numbers, which is not `<`.
    Order,
    /// A datatype with a constructor for some type arguments only.
    Datatype,
    /// A text with an escape.
    Text,
}

impl Strange {
    /// Any of them.
    pub(super) fn any(random: &mut Choices) -> Strange {
        use Strange::{Datatype, Map, NotAMap, Nothing, Order, Text};
        [Nothing, NotAMap, Map, Map, Order, Datatype, Text][random.below(7)]
    }

    /// Whether it may mean something, so that more can be proved with it than with an unknown function.
    pub(super) fn may_mean_something(self) -> bool {
        self == Strange::Map
    }

    /// A program that speaks of it, on as many lines whatever it is.
    pub(super) fn put_into(self, text: &str) -> String {
        let mut made = format!("{}\nprocedure {{:yields}} N();\n", self.declarations());
        let mut rest = text;
        while let Some(at) = rest.find("sx(") {
            made.push_str(&rest[..at]);
            let (argument, after) = rest[at + 3..].split_once(')').unwrap_or_default();
            made.push_str(&self.term(argument));
            rest = after;
        }
        made + rest
    }

    fn declarations(self) -> &'static str {
        match self {
            Strange::Nothing => "function sx(z: int): int;",
            Strange::NotAMap => "function {:builtin \"MapConst\"} sx(z: int): int;",
            Strange::Map => "function {:builtin \"MapConst\"} mx(z: int): [int]int;",
            Strange::Order => "const fl: float24e8; const fn: float24e8;",
            Strange::Datatype => {
                "type {:datatype} X a; function {:constructor} D(n: int): X int; const tx: X int;"
            }
            Strange::Text => "function tx(z: string): int;",
        }
    }

    fn term(self, argument: &str) -> String {
        match self {
            Strange::Nothing | Strange::NotAMap => format!("sx({argument})"),
            Strange::Map => format!("mx({argument})[{argument}]"),
            Strange::Order => format!("(if fl <: fn then {argument} else 0)"),
            Strange::Datatype => "n#D(tx)".to_owned(),
            Strange::Text => "tx(\"\\\"\")".to_owned(),
        }
    }
}

/// An axiom about it: alone, with a symbol, or woken by one. What is said about two of them could be read as something, if one
/// forgot that it means nothing. All are true of [`Strange::Map`]: with axioms that contradict each other a verdict hangs on
/// whether the prover meets the terms that wake them.
pub(super) fn axiom(random: &mut Choices) -> String {
    let text = random.pick(&[
        "sx(1) > 0",
        "sx(1) != sx(2)",
        "c > 0 && sx(1) != sx(c)",
        "(forall z: int :: {u(z)} sx(z) != sx(z + 1))",
        "c > sx(2)",
        "d == sx(4)",
        "(forall z: int :: {u(z)} u(z) >= sx(z))",
        "(forall z: int :: {f(z)} f(z) >= sx(z))",
        "(forall z: int :: {p(z)} sx(z) >= z)",
        "(forall z: int :: {sx(z)} sx(z) >= z)",
    ]);
    text.to_owned()
}
