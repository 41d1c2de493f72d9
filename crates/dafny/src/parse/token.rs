//! Tokens: their kinds and the words the grammar reserves.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    Eof,
    Ident,
    Int,
    Hex,
    Decimal,
    Char,
    Str,
    VerbatimStr,
    /// What the lexer could not read.
    Bad,
    Kw(Kw),
    P(P),
}

macro_rules! words {
    ($($variant:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Kw { $($variant),* }
        /// The reserved word with this spelling.
        pub(crate) fn keyword(text: &str) -> Option<Kw> {
            Some(match text { $($text => Kw::$variant,)* _ => return None })
        }
    };
}

words! {
    Abstract "abstract", Allocated "allocated", As "as", Assert "assert", Assume "assume", Bool "bool",
    Break "break", By "by", Calc "calc", Case "case", Char "char", Class "class", Codatatype "codatatype",
    Const "const", Constructor "constructor", Continue "continue", Datatype "datatype",
    Decreases "decreases", Else "else", Ensures "ensures", Exists "exists", Expect "expect",
    Export "export", Extends "extends", False "false", For "for", Forall "forall", Fresh "fresh",
    Function "function", Ghost "ghost", If "if", Imap "imap", Import "import", In "in",
    Include "include", IntT "int", Invariant "invariant", Is "is", Iset "iset", Iterator "iterator",
    Label "label", Lemma "lemma", Map "map", Match "match", Method "method", Modifies "modifies",
    Modify "modify", Module "module", Multiset "multiset", Nat "nat", New "new",
    Newtype "newtype", Null "null", Object "object", ObjectQ "object?", Old "old", Opened "opened",
    Ordinal "ORDINAL", Predicate "predicate", Print "print", Provides "provides", Reads "reads",
    RealT "real", Refines "refines", Requires "requires", Return "return", Returns "returns",
    Reveal "reveal", Reveals "reveals", Seq "seq", Set "set", Static "static", StringT "string",
    Then "then", This "this", Trait "trait", True "true", Twostate "twostate", Type "type",
    Unchanged "unchanged", Var "var", While "while", Witness "witness", Yield "yield", Yields "yields",
    // Words of the old syntax.
    Copredicate "copredicate", Inductive "inductive",
}

macro_rules! puncts {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// Punctuation and operators.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(clippy::enum_variant_names, reason = "P marks the mathematical spellings")]
        pub(crate) enum P { $($variant),* }
        /// All of them, longest first within a common prefix.
        pub(crate) const PUNCTS: &[(&str, P)] = &[$(($text, P::$variant)),*];
    };
}

puncts! {
    IffA "<==>", ExpA "<==", LArrow "<-", Le "<=", Shl "<<", Lt "<",
    ImpA "==>", EqEq "==", FatArrow "=>", Assign1 "=",
    NotBangBang "!!", NotEq "!=", Not "!",
    GeP "≥", LeP "≤", NeP "≠", AndP "∧", OrP "∨", NotP "¬", ImpP "⇒", IffP "⇔", ExpP "⇐", AllP "∀", ExP "∃",
    InP "∈", NotInP "∉", DotP "•",
    GeQ ">=", Gt ">",
    AndAnd "&&", And "&", OrOr "||", Bar "|",
    Ellipsis "...", DotDot "..", Dot ".",
    ColonEq ":=", ColonBar ":|", ColonMinus ":-", ColonColon "::", Colon ":",
    LongTilde "~>", LongDash "-->", Arrow "->", Minus "-", Tilde "~",
    Plus "+", Star "*", Slash "/", Percent "%", Caret "^",
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBraceColon "{:", LBrace "{", RBrace "}",
    Comma ",", Semi ";", Hash "#", Backtick "`", At "@",
}

/// A token: its kind and byte range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Tok,
    pub(crate) start: u32,
    pub(crate) end: u32,
}
