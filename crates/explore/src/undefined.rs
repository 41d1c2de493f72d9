//! Values that LLVM leaves undefined (`undef`, `poison`): what a local variable is that is read before it is written.
//!
//! Such a scalar is one marked symbol per width, so that it may be moved, stored, and computed with wherever its value does not
//! matter: compilers do that. Where it decides something (a branch, an address, a size) it is taken as zero, and the place is recorded as
//! left out, because another value could have led elsewhere. Constraints of paths mention
//! nothing undefined: they are rewritten first. Numbers that the environment decides (`sx_assumed`: times of files, owners) are such values
//! with a number of their own instead of zero. Bytes of memory that were never written are symbols of their own (`unwritten`), which
//! say where the memory was made. Undefined vectors and aggregates are zero, they are placeholders that parts are inserted into.

use crate::exec::Executor;
use crate::left_out::LeftOutKind;
use crate::query::SymbolValue;
use crate::state::State;
use crate::unwritten::{Source, UNWRITTEN_MARK};
use crate::value::{Ctx, Value};
use stet_llvm::BinaryOp;
use stet_term::{Op, Sort, Substitution, Sym, Term};

/// The mark of undefined values; base addresses have another one.
const UNDEFINED_MARK: u8 = 2;

/// The marks of everything that has no value.
const MARKS: u8 = UNDEFINED_MARK | UNWRITTEN_MARK;

/// What the names of symbols start with that stand for how much a number of the environment is another one elsewhere.
const ASSUMED: &str = "assumed.";

/// What such a symbol's name says.
fn assumption(name: &str) -> Option<&str> {
    let (_, what) = name.strip_prefix(ASSUMED)?.split_once('.')?;
    Some(what)
}

/// Values tried for what is undefined, rotated by the number of the symbol.
const GUESSES: [u64; 6] = [
    u64::MAX,
    0x5555_5555_5555_5555,
    0x9e37_79b9_7f4a_7c15,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x8000_8000_8080_8080,
];

/// Where a value comes from that is in no memory.
const IN_CODE: &str = "of a variable that was not initialised, or `undef` or `poison` in the code";

impl Ctx {
    /// Any value of so many bits.
    pub(crate) fn undefined(&self, width: u32) -> Value {
        let sort = match width {
            1 => Sort::BOOL,
            _ => Sort::bv(width),
        };
        let name = format!("undefined.{width}");
        Value::Sym(self.terms.marked_symbol(&name, sort, UNDEFINED_MARK))
    }

    /// A 64-bit number of the environment: `value` where it decides something, which is then recorded as `what`.
    pub(crate) fn assumed(&self, value: &Value, key: u64, what: &str) -> Value {
        let name = format!("{ASSUMED}{key}.{what}");
        let other = self
            .terms
            .marked_symbol(&name, Sort::bv(64), UNWRITTEN_MARK);
        Value::Sym(self.terms.bv_xor(self.term(value, 64), other))
    }

    /// So many bits that nobody set: zero where they decide something, which is then recorded as `what`.
    pub(crate) fn unset(&self, width: u32, key: u64, what: &str) -> Value {
        let name = format!("{ASSUMED}{key}-{width}.{what}");
        let sort = match width {
            1 => Sort::BOOL,
            _ => Sort::bv(width),
        };
        Value::Sym(self.terms.marked_symbol(&name, sort, UNWRITTEN_MARK))
    }

    fn is_undefined(&self, value: &Value) -> bool {
        matches!(value, Value::Sym(term)
            if self.terms.marks(*term) == UNDEFINED_MARK && matches!(self.terms.op(*term), Op::Symbol(_)))
    }

    /// The result of arithmetic that is undefined because an operand is: one-to-one operations on it reach every value.
    pub(crate) fn undefined_result(&self, op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
        let one_to_one = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor);
        match one_to_one {
            true if self.is_undefined(a) => Some(a.clone()),
            true if self.is_undefined(b) => Some(b.clone()),
            _ => None,
        }
    }

    /// The second of two equal values if something in them is undefined in the code, which may differ each time it is used.
    pub(crate) fn used_again(&self, a: &Value, b: &Value) -> Option<Value> {
        let terms = &self.terms;
        let term = match (a, b) {
            (Value::Sym(x), Value::Sym(y)) if x == y => *x,
            _ => return None,
        };
        if terms.marks(term) & UNDEFINED_MARK == 0 {
            return None;
        }
        let free = terms.free_symbols(term);
        let symbols = free
            .iter()
            .map(|&symbol| (symbol, terms.symbol_info(symbol)));
        let undefined = symbols.filter(|(_, info)| info.mark == UNDEFINED_MARK);
        let pairs = undefined.map(|(symbol, info)| {
            let name = format!("{}.again", info.name);
            let other = terms.marked_symbol(&name, info.sort, UNDEFINED_MARK);
            (terms.symbol_term(symbol), other)
        });
        let other = Substitution::new(terms, pairs).apply(term);
        (other != term).then_some(Value::Sym(other))
    }

    /// A term with zero for everything undefined in it; `None` if nothing is.
    fn with_zeros(&self, term: Term) -> Option<Term> {
        let terms = &self.terms;
        if terms.marks(term) & MARKS == 0 {
            return None;
        }
        let free = terms.free_symbols(term);
        let undefined = free
            .iter()
            .filter(|&&symbol| terms.symbol_info(symbol).mark & MARKS != 0);
        let pairs = undefined.map(|&symbol| {
            let value = terms.symbol_term(symbol);
            let zero = match terms.width(value) {
                0 => Term::FALSE,
                width => self.words_term(&[0; 16], width),
            };
            (value, zero)
        });
        Some(Substitution::new(terms, pairs).apply(term))
    }
}

impl Executor<'_> {
    /// A term that decides something; undefined values in it are zero, which is recorded. Whether the term depends on them is a question
    /// to the solver, so that the bits of a word that were written are known.
    #[inline]
    pub(crate) fn defined(&mut self, state: &State, term: Term) -> Term {
        match self.ctx.with_zeros(term) {
            None => term,
            Some(defined) => {
                let differs = self.ctx.terms.not(self.ctx.terms.eq(term, defined));
                self.decides(state, term, differs);
                defined
            }
        }
    }

    /// As [`defined`](Self::defined), for a condition.
    #[inline]
    pub(crate) fn defined_condition(&mut self, state: &State, condition: Term) -> Term {
        match self.ctx.with_zeros(condition) {
            None => condition,
            Some(defined) => {
                let differs = self.ctx.terms.xor(condition, defined);
                self.decides(state, condition, differs);
                defined
            }
        }
    }

    /// Records that an undefined value in a term decides something, if it can make a difference.
    fn decides(&mut self, state: &State, term: Term, differs: Term) {
        let purpose = crate::query::Purpose::Program;
        let differs = match differs {
            Term::FALSE => Some(false),
            Term::TRUE => Some(true),
            _ if self.some_value_differs(state, differs) => Some(true),
            _ => self.chain.may_be_true(&state.constraints, differs, purpose),
        };
        if differs == Some(false) {
            return;
        }
        let terms = self.ctx.terms.clone();
        let mut free = terms.free_symbols(term).to_vec();
        free.retain(|&symbol| terms.symbol_info(symbol).mark & MARKS != 0);
        let all = free.len();
        free.retain(|&symbol| {
            let info = terms.symbol_info(symbol);
            let what = assumption(&info.name);
            if let Some(what) = what {
                self.leave_out(state, LeftOutKind::Assumed, what);
            }
            what.is_none()
        });
        if free.is_empty() && all > 0 {
            return;
        }
        let source = |&symbol: &Sym| Source::of_name(&terms.symbol_info(symbol).name);
        let from = match free.iter().find_map(source) {
            Some(source) => self.never_written(source),
            None => IN_CODE.to_owned(),
        };
        let what = format!("an undefined value ({from}) decides what happens; it was taken as 0");
        self.leave_out(state, LeftOutKind::Fixed, &what);
    }

    /// Whether one of a few guesses for everything undefined makes a difference on the path's own witness. A program that mixes such
    /// values (a hash of a buffer that is not full) gives terms that take a solver long, and nearly every guess makes one.
    fn some_value_differs(&mut self, state: &State, differs: Term) -> bool {
        let terms = self.ctx.terms.clone();
        let free = terms.free_symbols(differs);
        let undefined = free.iter().copied().filter(|&symbol| {
            let info = terms.symbol_info(symbol);
            let width = terms.width(terms.symbol_term(symbol));
            info.mark & MARKS != 0 && width <= 64
        });
        let undefined: Vec<Sym> = undefined.collect();
        GUESSES.iter().any(|guess| {
            let value = |(k, &symbol): (usize, &Sym)| {
                let width = terms.width(terms.symbol_term(symbol)).max(1);
                let word = guess.rotate_left(k as u32) & crate::value::mask(width);
                (symbol, SymbolValue::Word(word))
            };
            let values = undefined.iter().enumerate().map(value).collect();
            self.chain.holds_with(&state.constraints, differs, values)
        })
    }

    /// Memory that a value was read from before it was written, in words.
    fn never_written(&self, source: Source) -> String {
        let what = match source.is_heap {
            true => "heap",
            false => "stack",
        };
        let size = self.ctx.addresses.size_of(source.object);
        let made = self.made_at(source.origin).unwrap_or_default();
        format!("of a {what} object of {size} bytes{made}, read before it was written")
    }

    /// As [`defined`](Self::defined), for what was asked about before.
    #[inline]
    pub(crate) fn defined_again(&self, term: Term) -> Term {
        self.ctx.with_zeros(term).unwrap_or(term)
    }

    /// The number that a byte is if undefined values are zero.
    pub(crate) fn known_but_undefined(&self, term: Term) -> Option<u8> {
        let number = self.ctx.terms.as_u64(self.ctx.with_zeros(term)?);
        number.map(|number| number as u8)
    }

    /// As [`defined`](Self::defined), for a value of so many bits.
    pub(crate) fn defined_value(&mut self, state: &State, value: &Value, width: u32) -> Value {
        match value {
            Value::Sym(term) => {
                let defined = self.defined(state, *term);
                self.ctx.value(defined, width)
            }
            other => other.clone(),
        }
    }
}
