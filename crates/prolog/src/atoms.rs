//! Atoms as four-byte numbers and the table of their texts.
//!
//! The reader and the machine share one [`AtomTable`]. Atoms the system itself mentions are constants of
//! [`atom`] with fixed numbers; all others are numbered by first use. [`AtomTable::sweep_temporary`] gives numbers of
//! temporary atoms nobody refers to any more back, so that a program that makes atoms for ever stays bounded.

use crate::text_index::{TextIndex, hash};
use std::sync::Arc;

/// An atom of one [`AtomTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom(pub u32);

macro_rules! known_atoms {
    ($($name:ident $text:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of the constants below")]
        enum Known { $($name),* }
        const KNOWN: &[&str] = &[$($text),*];

        /// The atoms the system itself mentions.
        pub mod atom {
            use super::{Atom, Known};
            $(pub const $name: Atom = Atom(Known::$name as u32);)*
        }
    };
}

known_atoms! {
    NIL "[]" DOT "." CURLY "{}" COMMA "," BAR "|" SEMICOLON ";" ARROW "->" SOFT_ARROW "*->" NECK ":-"
    QUERY "?-" DCG "-->" NOT "\\+" CUT "!" EQUALS "=" NOT_UNIFIABLE "\\=" EQ "==" NE "\\==" LT "@<" LE "@=<"
    GT "@>" GE "@>=" IS "is" ARITH_EQ "=:=" ARITH_NE "=\\=" ARITH_LT "<" ARITH_LE "=<" ARITH_GT ">"
    ARITH_GE ">=" PLUS "+" MINUS "-" STAR "*" SLASH "/" INT_DIV "//" MOD "mod" REM "rem" DIV "div"
    SHIFT_LEFT "<<" SHIFT_RIGHT ">>" AND "/\\" OR "\\/" XOR "xor" COMPLEMENT "\\" POWER "**" CARET "^"
    MIN "min" MAX "max" ABS "abs" SIGN "sign" GCD "gcd" SQRT "sqrt" SIN "sin" COS "cos" TAN "tan"
    ASIN "asin" ACOS "acos" ATAN "atan" ATAN2 "atan2" EXP "exp" LOG "log" LOG2 "log2" FLOAT "float"
    INTEGER "integer" TRUNCATE "truncate" ROUND "round" CEILING "ceiling" FLOOR "floor"
    FLOAT_INTEGER_PART "float_integer_part" FLOAT_FRACTIONAL_PART "float_fractional_part" PI "pi" E "e"
    INF "inf" NAN "nan" EPSILON "epsilon" MAX_TAGGED_INTEGER "max_tagged_integer"
    MIN_TAGGED_INTEGER "min_tagged_integer" MAX_INTEGER "max_integer" MIN_INTEGER "min_integer"
    RANDOM "random" RANDOM_FLOAT "random_float" CPUTIME "cputime" REALTIME "realtime" MSB "msb" SINH "sinh"
    COSH "cosh" TANH "tanh" ASINH "asinh" ACOSH "acosh" ATANH "atanh" SUCC "succ" COPYSIGN "copysign"
    TRUE "true" FALSE "false" FAIL "fail" VAR "var" NONVAR "nonvar" ATOM "atom" ATOMIC "atomic"
    COMPOUND "compound" CALLABLE "callable" NUMBER "number" IS_LIST "is_list" STRING "string" GROUND "ground"
    CALL "call" CATCH "catch" THROW "throw" FINDALL "findall" COLON ":" ERROR "error" TYPE_ERROR "type_error"
    DOMAIN_ERROR "domain_error" EXISTENCE_ERROR "existence_error" PERMISSION_ERROR "permission_error"
    REPRESENTATION_ERROR "representation_error" EVALUATION_ERROR "evaluation_error"
    RESOURCE_ERROR "resource_error" SYNTAX_ERROR "syntax_error" INSTANTIATION_ERROR "instantiation_error"
    SYSTEM_ERROR "system_error" INTEGER_OVERFLOW "int_overflow" ZERO_DIVISOR "zero_divisor"
    UNDEFINED "undefined" FLOAT_OVERFLOW "float_overflow" EVALUABLE "evaluable" CALLABLE_EVAL "evaluable_"
    LIST "list" CHARACTER "character" CHARACTER_CODE "character_code" IN_CHARACTER "in_character"
    IN_CHARACTER_CODE "in_character_code" IN_BYTE "in_byte" BYTE "byte" NOT_LESS_THAN_ZERO "not_less_than_zero"
    PROCEDURE "procedure" SOURCE_SINK "source_sink" STREAM "stream" STREAM_OR_ALIAS "stream_or_alias"
    PREDICATE_INDICATOR "predicate_indicator" MODIFY "modify" ACCESS "access" CREATE "create" INPUT "input"
    OUTPUT "output" STATIC_PROCEDURE "static_procedure" PRIVATE_PROCEDURE "private_procedure"
    OPERATOR "operator" OPERATOR_PRIORITY "operator_priority" OPERATOR_SPECIFIER "operator_specifier"
    FLAG "flag" FLAG_VALUE "flag_value" PROLOG_FLAG "prolog_flag" IO_MODE "io_mode" READ_OPTION "read_option"
    WRITE_OPTION "write_option" STREAM_OPTION "stream_option" CLOSE_OPTION "close_option" ORDER "order"
    PAIR "pair" MAX_ARITY "max_arity" MEMORY "memory" TIME_LIMIT "time_limit" XFX "xfx" XFY "xfy" YFX "yfx"
    FY "fy" FX "fx" XF "xf" YF "yf" USER "user" SYSTEM "system" USER_INPUT "user_input"
    USER_OUTPUT "user_output" USER_ERROR "user_error" END_OF_FILE "end_of_file" READ "read" WRITE "write"
    APPEND "append" UPDATE "update" CODES "codes" CHARS "chars" ON "on" OFF "off" DVAR "$VAR" EMPTY ""
    DYNAMIC "dynamic" DISCONTIGUOUS "discontiguous" INITIALIZATION "initialization" MODULE "module"
    USE_MODULE "use_module" META_PREDICATE "meta_predicate" MULTIFILE "multifile" TABLE "table"
    IGNORE "ignore" ONCE "once" FORALL "forall" UNKNOWN "unknown" WARNING "warning" DOUBLE_QUOTES "double_quotes"
    BACK_QUOTES "back_quotes" OCCURS_CHECK "occurs_check" BOUNDED "bounded" DEBUG "debug" HALT "halt"
    EOF "eof" EOF_CODE "eof_code" RESET "reset" PAST "past" AT "at" NOT_EOF "not" POS "pos" EQUAL_SIGN "=.."
    ATTVAR "$attvar" FREEZE "freeze" LENGTH "length" STREAM_FUNCTOR "$stream" CLAUSE_REF "$clause"
    LT_ORDER "<<<" PUBLIC "public" USER_ABORT "$aborted" UNIFY "unify" TEXT "text" LINE "line"
    PROTECT_STATIC_CODE "protect_static_code" FILE "file" DELETE "delete" SUP "sup" ATT "att"
    CHAR "char" RDIV "rdiv" CMPFLAGS "cmpflags" TRIG "trig" DEPTH_MARK "..." GC "garbage_collect"
    PRED "pred" CHECK "check" REGTYPE "regtype" PROP "prop" HASH "#" DOUBLE_COLON "::" IMPLIES "=>"
    INTERRUPT "interrupt" STACK "stack" HEAP "heap" TRAIL "trail" PRINT_MESSAGE "print_message" CATCHER "$catch"
    TRUNC "trunc" CEIL "ceil" POWM "powm" CMP_EQ "cmp" TIMEOUT "timeout" ALIAS "alias" SPACE " " NEWLINE "\n"
    ANY "any" CONS "cons" SEPARATOR "separator" ESCAPE "character_escapes" GETCHAR "getchar" VARNAMES "variable_names"
    VARIABLES "variables" SINGLETONS "singletons" QUOTED "quoted" IGNORE_OPS "ignore_ops" NUMBERVARS "numbervars"
    MAX_DEPTH "max_depth" PRIORITY "priority" SPACING "spacing" TYPE "type" REPOSITION "reposition"
    EOF_ACTION "eof_action" FORCE "force" BINARY "binary" ENCODING "encoding" NONE "none" CYCLES "cycles"
    PORTRAY "portray" ATTRIBUTES "attributes" FULLSTOP "fullstop" NL_OPTION "nl" DOTLISTS "dotlists" BRACE_TERMS "brace_terms"
    SYNTAX_ERRORS "syntax_errors" TERM_POSITION "term_position" SUBTERM_POSITIONS "subterm_positions" COMMENTS "comments"
    CMPMOD "tdiv" NEXTTOWARD "nexttoward" TRUNC_DIV "divmod" CHARACTER_CODE_LIST "character_code_list" POPCOUNT "popcount"
    GETBIT "getbit" LSB "lsb" COT "cot" ACOT "acot" RATIONAL "rational" RATIONALIZE "rationalize"
    NUMERATOR "numerator" DENOMINATOR "denominator" TZCNT "tzcnt" PORTRAYED "$output" LCM "lcm" NOT_LESS_THAN_ONE "not_less_than_one"
}

/// The texts of atoms.
#[derive(Clone, Debug)]
pub struct AtomTable {
    texts: Vec<Option<Arc<str>>>,
    numbers: TextIndex,
    free: Vec<u32>,
    /// Atoms that may go, each once.
    temporary: Vec<Atom>,
    /// Atoms that stay, by number.
    keep: Vec<bool>,
    since_sweep: usize,
    bytes: usize,
    /// The one-character atoms of ASCII, which stay.
    ascii: [Atom; 128],
}

/// What an atom takes beside its text: two counts, a pointer in either direction, a place in the map.
const ATOM_BYTES: usize = 72;

impl AtomTable {
    /// The table with the atoms of [`atom`].
    pub fn new() -> Self {
        let mut table = AtomTable {
            texts: Vec::new(),
            numbers: TextIndex::new(),
            free: Vec::new(),
            temporary: Vec::new(),
            keep: Vec::new(),
            since_sweep: 0,
            bytes: 0,
            ascii: [atom::EMPTY; 128],
        };
        for text in KNOWN {
            let text: Arc<str> = (*text).into();
            let number = Atom(table.texts.len() as u32);
            table.numbers.insert(hash(&text), number.0);
            table.texts.push(Some(text));
            table.keep.push(true);
        }
        for code in 0..128u8 {
            table.ascii[code as usize] = table.intern(char::from(code).encode_utf8(&mut [0; 4]));
        }
        table
    }

    /// The atom with this text, made on first use.
    pub fn intern(&mut self, text: &str) -> Atom {
        let hash = hash(text);
        if let Some(found) = self.find(hash, text) {
            self.keep[found.0 as usize] = true;
            return found;
        }
        let atom = self.add(hash, text);
        self.keep[atom.0 as usize] = true;
        atom
    }

    /// About how much memory the atoms take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    #[inline]
    fn find(&self, hash: u32, text: &str) -> Option<Atom> {
        let is_it = |number: u32| self.texts[number as usize].as_deref() == Some(text);
        self.numbers.find(hash, is_it).map(Atom)
    }

    fn add(&mut self, hash: u32, text: &str) -> Atom {
        self.bytes += text.len() + ATOM_BYTES;
        let text: Arc<str> = text.into();
        let atom = match self.free.pop() {
            Some(number) => {
                self.texts[number as usize] = Some(text);
                Atom(number)
            }
            None => {
                self.texts.push(Some(text));
                self.keep.push(false);
                Atom(u32::try_from(self.texts.len() - 1).expect("fewer than 2^32 atoms"))
            }
        };
        self.numbers.insert(hash, atom.0);
        atom
    }

    /// The atom with this text if it exists.
    pub fn lookup(&self, text: &str) -> Option<Atom> {
        self.find(hash(text), text)
    }

    /// The text of an atom; empty for a number that is not in use.
    pub fn text(&self, atom: Atom) -> &str {
        self.texts
            .get(atom.0 as usize)
            .and_then(Option::as_deref)
            .unwrap_or("")
    }

    /// The text of an atom, shared.
    pub fn shared_text(&self, atom: Atom) -> Arc<str> {
        self.texts
            .get(atom.0 as usize)
            .and_then(Clone::clone)
            .unwrap_or_else(|| "".into())
    }

    /// The one-character atom.
    pub fn char_atom(&mut self, c: char) -> Atom {
        match self.ascii.get(c as usize) {
            Some(&known) => known,
            None => self.intern(c.encode_utf8(&mut [0; 4])),
        }
    }

    /// One more than the largest number ever used.
    pub fn capacity(&self) -> usize {
        self.texts.len()
    }

    /// How many atoms exist.
    pub fn count(&self) -> usize {
        self.texts.len() - self.free.len()
    }

    /// How many atoms are built in and never removed.
    pub fn fixed_count() -> usize {
        KNOWN.len()
    }

    /// The atom with this text; if it is new it may be swept when nothing refers to it.
    pub fn intern_temporary(&mut self, text: &str) -> Atom {
        if let &[byte] = text.as_bytes() {
            return self.char_atom(char::from(byte));
        }
        let hash = hash(text);
        if let Some(found) = self.find(hash, text) {
            return found;
        }
        let atom = self.add(hash, text);
        self.keep[atom.0 as usize] = false;
        self.temporary.push(atom);
        self.since_sweep += 1;
        atom
    }

    /// How many temporary atoms were made since the last sweep.
    pub fn temporary_since_sweep(&self) -> usize {
        self.since_sweep
    }

    /// Removes every temporary atom for which `live` is false.
    pub fn sweep_temporary(&mut self, live: impl Fn(Atom) -> bool) {
        let candidates = std::mem::take(&mut self.temporary);
        let first_dead = self.free.len();
        for atom in candidates {
            if self.keep[atom.0 as usize] {
                continue;
            }
            if live(atom) {
                self.temporary.push(atom);
                continue;
            }
            self.free.push(atom.0);
        }
        self.forget(first_dead);
        self.since_sweep = 0;
    }
    /// Removes the texts of the numbers freed last.
    fn forget(&mut self, first_dead: usize) {
        let dead = &self.free[first_dead..];
        // Looking each of many up costs more than going through the map once: their texts are not in the cache.
        let texts = &mut self.texts;
        let mut bytes = 0;
        let mut take = |number: u32| {
            let text = texts[number as usize].take();
            bytes += text.as_ref().map_or(0, |text| text.len() + ATOM_BYTES);
            text
        };
        if dead.len() * 4 > self.numbers.len() {
            for &number in dead {
                take(number);
            }
            self.numbers
                .retain(|number| texts[number as usize].is_some());
        } else {
            for &number in dead {
                if let Some(text) = take(number) {
                    self.numbers.remove(hash(&text), number);
                }
            }
        }
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

impl Default for AtomTable {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stable_and_swept_ones_come_back() {
        let mut table = AtomTable::new();
        assert_eq!(table.intern("[]"), atom::NIL);
        assert_eq!(table.text(atom::NECK), ":-");
        let (a, b) = (
            table.intern_temporary("a-new"),
            table.intern_temporary("b-new"),
        );
        let kept = table.intern("kept");
        assert_eq!(table.intern_temporary("kept"), kept);
        table.sweep_temporary(|x| x == b);
        assert_eq!(table.lookup("a-new"), None);
        assert_eq!(table.text(kept), "kept");
        assert_eq!(table.text(b), "b-new");
        assert_eq!(table.intern("c-new"), a);
        assert_eq!(table.text(atom::NIL), "[]");
    }

    #[test]
    fn every_known_text_occurs_once() {
        let mut texts = KNOWN.to_vec();
        texts.sort_unstable();
        let count = texts.len();
        texts.dedup();
        assert_eq!(texts.len(), count);
    }
}
