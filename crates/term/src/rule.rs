//! The rewrite rules, by name.
//!
//! Rules run inside the constructors of [`Terms`](crate::Terms). Each has a level: [`Level::Plain`] pools
//! build terms as given; [`Level::Cheap`] looks at the arguments only; [`Level::Full`] may look one or two
//! operators deeper or walk a chain of stores. Every application is counted, and the tests prove each rule
//! with an external solver at small widths.

/// How much is simplified at construction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Nothing: terms are built as given (derived operators are still expanded).
    Plain,
    /// Constant folding, units, idempotence and the like.
    Cheap,
    Full,
}

macro_rules! rules {
    ($($name:ident $level:ident $meaning:literal,)*) => {
        /// A rewrite rule.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule {
            $(#[doc = $meaning] $name,)*
        }

        impl Rule {
            pub const ALL: &[Rule] = &[$(Rule::$name,)*];

            /// The level at which the rule runs.
            pub fn level(self) -> Level {
                match self {
                    $(Rule::$name => Level::$level,)*
                }
            }

            /// What the rule does, as an equation.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Rule::$name => $meaning,)*
                }
            }
        }
    };
}

rules! {
    Fold Cheap "an operator on constants is a constant",
    NotNot Cheap "not (not a) = a",
    AndUnit Cheap "true in a conjunction goes; false makes it false",
    AndDuplicate Cheap "a and a = a",
    AndComplement Cheap "a and not a = false",
    OrUnit Cheap "false in a disjunction goes; true makes it true",
    OrDuplicate Cheap "a or a = a",
    OrComplement Cheap "a or not a = true",
    ImpliesConst Cheap "implication with a constant side, or equal sides",
    EqSame Cheap "a = a is true",
    EqBool Cheap "a = true is a, a = false is not a",
    EqBoolNot Cheap "(a = not a) is false; not a = not b is a = b",
    EqConstants Cheap "distinct constants are not equal",
    DistinctPair Cheap "distinct a b = not (a = b)",
    IteConst Cheap "ite with a constant condition",
    IteSame Cheap "ite c a a = a",
    IteNot Cheap "ite (not c) a b = ite c b a",
    IteBool Cheap "ite c true false = c, and the other boolean cases with a constant branch",
    IteNested Full "ite c (ite c a b) d = ite c a d, likewise in the other branch",
    AddZero Cheap "a + 0 = a",
    AddConstants Cheap "(a + c) + d = a + (c + d)",
    AddNegation Cheap "a + -a = 0",
    AddFloat Full "(a + c) + b = (a + b) + c",
    MulZero Cheap "a * 0 = 0",
    MulOne Cheap "a * 1 = a, a * -1 = -a",
    MulConstants Cheap "(a * c) * d = a * (c * d)",
    MulPower Full "a * 2^k = a << k",
    NegNeg Cheap "-(-a) = a",
    NegAdd Full "-(a + c) = -a + -c for a constant c",
    DivOne Cheap "a / 1 = a, a % 1 = 0, for all four divisions",
    DivZero Cheap "unsigned division by the constant zero",
    DivPower Full "a udiv 2^k = a >> k, a urem 2^k = the low k bits",
    BitNotNot Cheap "~(~a) = a",
    BitAndUnit Cheap "a & 0 = 0, a & ones = a",
    BitOrUnit Cheap "a | 0 = a, a | ones = ones",
    BitXorUnit Cheap "a ^ 0 = a, a ^ ones = ~a",
    BitSame Cheap "a & a = a, a | a = a, a ^ a = 0",
    BitComplement Cheap "a & ~a = 0, a | ~a = ones, a ^ ~a = ones",
    BitConstants Cheap "(a op c) op d = a op (c op d) for &, | and ^",
    BitAndMask Full "a & (2^k - 1) = zero-extended low k bits",
    ShiftZero Cheap "a shifted by 0, 0 shifted by a",
    ShiftOut Cheap "shifts by at least the width",
    ShiftConst Full "shifts by a constant are extract, concat and extension",
    UltTrivial Cheap "a < a, a < 0, ones < a are false",
    UltOne Cheap "a < 1 is a = 0",
    UltZero Cheap "0 < a is not (a = 0)",
    UltMax Cheap "a < ones is not (a = ones), ones - 1 < a is a = ones",
    UltExtend Full "comparison of zero-extensions, or of one with a constant, is narrower",
    UltConcat Full "comparison of concatenations with equal high parts is that of the low parts",
    SltTrivial Cheap "a <s a, a <s min, max <s a are false",
    SltExtend Full "signed comparison of extensions is narrower",
    EqExtend Full "equality of extensions, or of one with a constant, is narrower",
    EqConcat Full "equality of concatenations, or of one with a constant, by parts",
    EqAddConst Full "a + c = d is a = d - c",
    EqAddSame Full "summands of both sides cancel: a + b = a + c is b = c; a + b = a is b = 0",
    EqNotConst Full "~a = c is a = ~c, -a = c is a = -c, a ^ c = d is a = c ^ d",
    EqIteConst Full "ite c k l = m for constants k, l, m",
    ExtractAll Cheap "the whole of a is a",
    ExtractExtract Cheap "extract of extract is one extract",
    ExtractConcat Full "extract of concat is of the parts it covers",
    ExtractExtend Full "extract of an extension is of the inside, zeros or sign",
    ExtractIte Full "extract of ite with constant branches",
    ExtractLow Full "the low bits of a sum, product or bitwise operator need only low bits",
    ConcatConstants Cheap "(a . c) . d = a . (c . d)",
    ConcatNest Cheap "(a . b) . c = a . (b . c)",
    ConcatExtracts Cheap "adjacent extracts of one term are one extract",
    ConcatZero Full "0 . a is a zero-extended",
    ExtendSame Cheap "extension to the same width",
    ExtendExtend Cheap "extension of an extension is one extension",
    SelectStore Full "a read skips writes to other indices and finds the one to its own",
    SelectFill Cheap "a read of a filled array",
    SelectTable Cheap "a read of a table at a constant index",
    StoreStore Full "a write hides an earlier one to the same index",
    StoreSelect Full "writing back what is there changes nothing",
    ArithUnit Cheap "a + 0, a * 1, a * 0, -(-a) for integers and reals",
    CompareSame Cheap "a <= a is true, a < a is false",
    SelectConstruct Cheap "a selector or tester applied to a constructor",
}
