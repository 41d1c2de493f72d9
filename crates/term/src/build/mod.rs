//! Constructors. They are total: a rewrite rule applies or the node is interned as given.
//!
//! Callers pass arguments of the right sorts (checked in debug builds); front ends have type-checked
//! them. Arguments of commutative operators are ordered (constants last, then by shape), so `a + b` and
//! `b + a` are one term; below [`Level::Full`] the given order is kept but for constants.

mod arrays;
mod bitwise;
mod boolean;
mod bv_arith;
mod compare;
mod data;
mod equality;
mod numbers;
mod quantifiers;
mod slices;

use crate::side::Table;
use crate::{Bits, Level, Op, Rule, Sort, SortKind, Sym, SymbolInfo, Term, Terms};
use num_bigint::{BigInt, BigUint, Sign};

impl Terms {
    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }

    /// The low `width` bits of `value`.
    pub fn bv(&self, width: u32, value: u64) -> Term {
        if width <= 64 {
            self.intern(
                Op::Bv(value & crate::bits::mask(width)),
                &[],
                Sort::bv(width),
            )
        } else {
            self.bits(&Bits::new(width, value))
        }
    }

    /// The low `width` bits of a big number.
    pub fn bv_big(&self, width: u32, value: BigUint) -> Term {
        self.bits(&Bits::from_big(width, value))
    }

    /// A bit-vector constant.
    pub fn bits(&self, value: &Bits) -> Term {
        let sort = Sort::bv(value.width());
        match value.to_u64() {
            Some(small) => self.intern(Op::Bv(small), &[], sort),
            None => {
                let id = self
                    .sides
                    .big(BigInt::from_biguint(Sign::Plus, value.to_big()));
                self.intern(Op::BigBv(id), &[], sort)
            }
        }
    }

    /// A constant (free symbol) of a sort.
    pub fn symbol(&self, name: &str, sort: Sort) -> Term {
        self.marked_symbol(name, sort, 0)
    }

    /// A constant whose `mark` bits are inherited by every term that contains it.
    pub fn marked_symbol(&self, name: &str, sort: Sort, mark: u8) -> Term {
        self.make_symbol(name, &[], sort, mark, false).1
    }

    /// A variable to be bound by a quantifier.
    pub fn bound(&self, name: &str, sort: Sort) -> Term {
        self.make_symbol(name, &[], sort, 0, true).1
    }

    /// An uninterpreted function.
    pub fn function(&self, name: &str, params: &[Sort], sort: Sort) -> Sym {
        self.make_symbol(name, params, sort, 0, false).0
    }

    fn make_symbol(
        &self,
        name: &str,
        params: &[Sort],
        sort: Sort,
        mark: u8,
        bound: bool,
    ) -> (Sym, Term) {
        let symbol = self.intern_symbol(SymbolInfo {
            name: name.into(),
            params: params.into(),
            sort,
            bound,
            mark,
        });
        let term = if params.is_empty() {
            self.symbol_term(symbol)
        } else {
            Term::FALSE
        };
        (symbol, term)
    }

    /// The term of a symbol without arguments.
    pub fn symbol_term(&self, symbol: Sym) -> Term {
        let sort = self.symbol_info(symbol).sort;
        self.intern(Op::Symbol(symbol), &[], sort)
    }

    /// A function applied to arguments; a constant if there are none.
    pub fn apply(&self, function: Sym, args: &[Term]) -> Term {
        let info = self.symbol_info(function);
        debug_assert_eq!(info.params.len(), args.len(), "{}", info.name);
        if args.is_empty() {
            return self.symbol_term(function);
        }
        self.intern(Op::Apply(function), args, info.sort)
    }

    /// A named operator of the solver applied to arguments, e.g. `str.++` or `(_ to_fp 8 24)`.
    pub fn builtin(&self, name: &str, args: &[Term], sort: Sort) -> Term {
        let name = self.sides.name(name);
        self.intern(Op::Builtin(name), args, sort)
    }

    /// A literal of an opaque sort, printed as it is.
    pub fn literal(&self, text: &str, sort: Sort) -> Term {
        let name = self.sides.name(text);
        self.intern(Op::Literal(name), &[], sort)
    }

    /// A constant array of bytes, indexed by bit-vectors of `index_width`; zero past the end.
    pub fn byte_table(&self, index_width: u32, bytes: impl Into<Box<[u8]>>) -> Term {
        let sort = self.array_sort(Sort::bv(index_width), Sort::bv(8));
        self.table(sort, Table::Bytes(bytes.into()))
    }

    /// A constant array. Its sort has bit-vectors as indices and elements of at most 64 bits.
    pub fn table(&self, sort: Sort, content: Table) -> Term {
        let id = self.sides.table(content);
        self.intern(Op::Table(id), &[], sort)
    }

    /// Orders two arguments of a commutative operator: constants second, then (fully rewriting) by shape.
    #[inline]
    pub(crate) fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        if self.level() == Level::Plain || !self.goes_after(a, b) {
            (a, b)
        } else {
            (b, a)
        }
    }

    #[inline]
    fn goes_after(&self, a: Term, b: Term) -> bool {
        if !self.at(Level::Full) {
            return self.is_value(a) && !self.is_value(b);
        }
        let key = |term| (self.is_value(term), self.node(term).shape, term);
        key(a) > key(b)
    }

    /// Whether a term is a constant of a theory (not a symbol), so that unequal ones differ.
    #[inline]
    pub fn is_value(&self, term: Term) -> bool {
        matches!(
            self.op(term),
            Op::True | Op::False | Op::Bv(_) | Op::BigBv(_) | Op::Int(_) | Op::Real(..)
        )
    }

    /// The constructor of an operator, rewriting included: what substitution rebuilds terms with.
    pub fn build(&self, op: Op, args: &[Term], sort: Sort) -> Term {
        match (op, args) {
            (Op::Not, &[a]) => self.not(a),
            (Op::And, _) => self.and(args),
            (Op::Or, _) => self.or(args),
            (Op::Implies, &[a, b]) => self.implies(a, b),
            (Op::Eq, &[a, b]) => self.eq(a, b),
            (Op::Distinct, _) => self.distinct(args),
            (Op::Ite, &[c, a, b]) => self.ite(c, a, b),
            (Op::BvNot, &[a]) => self.bv_not(a),
            (Op::BvNeg, &[a]) => self.bv_neg(a),
            (Op::Extract { high, low }, &[a]) => self.extract(high, low, a),
            (Op::ZeroExtend, &[a]) => self.zero_extend(a, sort.bv_width().unwrap_or(0)),
            (Op::SignExtend, &[a]) => self.sign_extend(a, sort.bv_width().unwrap_or(0)),
            (Op::Fill, &[a]) => self.fill(sort, a),
            (Op::Select, &[a, i]) => self.select(a, i),
            (Op::Store, &[a, i, v]) => self.store(a, i, v),
            (Op::Selector { constructor, field }, &[a]) => self.selector(constructor, field, a),
            (Op::Tester(constructor), &[a]) => self.tester(constructor, a),
            (Op::Add, _) => self.add(args),
            (Op::Mul, _) => self.mul(args),
            (Op::Neg, &[a]) => self.neg(a),
            (Op::IntDiv | Op::IntMod | Op::RealDiv | Op::Lt | Op::Le, &[a, b]) => {
                self.number_binary(op, a, b)
            }
            (Op::ToReal, &[a]) => self.to_real(a),
            (_, &[a, b]) => self.build_bv(op, a, b, sort),
            _ => self.intern(op, args, sort),
        }
    }

    fn build_bv(&self, op: Op, a: Term, b: Term, sort: Sort) -> Term {
        match op {
            Op::BvAnd => self.bv_and(a, b),
            Op::BvOr => self.bv_or(a, b),
            Op::BvXor => self.bv_xor(a, b),
            Op::BvAdd => self.bv_add(a, b),
            Op::BvMul => self.bv_mul(a, b),
            Op::BvUdiv => self.bv_udiv(a, b),
            Op::BvUrem => self.bv_urem(a, b),
            Op::BvSdiv => self.bv_sdiv(a, b),
            Op::BvSrem => self.bv_srem(a, b),
            Op::BvShl => self.bv_shl(a, b),
            Op::BvLshr => self.bv_lshr(a, b),
            Op::BvAshr => self.bv_ashr(a, b),
            Op::BvUlt => self.bv_ult(a, b),
            Op::BvSlt => self.bv_slt(a, b),
            Op::Concat => self.concat(a, b),
            _ => self.intern(op, &[a, b], sort),
        }
    }

    /// The value of an operator on two bit-vector constants, if both are.
    pub(crate) fn fold(
        &self,
        a: Term,
        b: Term,
        compute: impl FnOnce(&Bits, &Bits) -> Bits,
    ) -> Option<Term> {
        if !self.at(Level::Cheap) || !self.is_bv_const(a) || !self.is_bv_const(b) {
            return None;
        }
        let (a, b) = (self.as_bits(a)?, self.as_bits(b)?);
        self.fire(Rule::Fold);
        Some(self.bits(&compute(&a, &b)))
    }

    /// Whether two terms are known to differ in every model: distinct constants, or one base with
    /// distinct constant offsets.
    pub fn surely_differ(&self, a: Term, b: Term) -> bool {
        if a == b {
            return false;
        }
        if self.is_value(a) && self.is_value(b) {
            return true;
        }
        let split = |term: Term| match (self.op(term), self.args(term)) {
            (Op::BvAdd, &[base, offset]) if self.is_bv_const(offset) => (base, Some(offset)),
            _ => (term, None),
        };
        if self.sort(a).bv_width().is_none() {
            return false;
        }
        let ((base_a, offset_a), (base_b, offset_b)) = (split(a), split(b));
        base_a == base_b && offset_a != offset_b
    }

    /// The index and element sorts of an array term.
    pub fn array_parts(&self, array: Term) -> Option<(Sort, Sort)> {
        match self.sort_kind(self.sort(array)) {
            SortKind::Array { index, element } => Some((index, element)),
            _ => None,
        }
    }
}
