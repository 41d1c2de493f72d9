//! Operators on numbers, bit-vectors, characters, sets, multisets, sequences and maps; conversions; ranks.

use crate::cx::{Cx, Env, Work};
use crate::decl::{Decl, Role};
use crate::prelude::Chunk;
use crate::tree::*;
use num_bigint::BigInt;
use stet_base::Span;
use stet_dafny::tree::{BinaryOp as Op, ExprId, Ty, TyKind, TypeDeclKind};

impl Cx<'_> {
    /// An operator other than the logical ones, equality and membership.
    pub(crate) fn operator(&mut self, op: Op, rep: Ty, x: B, y: B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Int | TyKind::Nat => self.arithmetic(op, x, y, false, span),
            TyKind::Real => self.arithmetic(op, x, y, true, span),
            TyKind::Bv(width) => self.bv_operator(op, *width, x, y, span),
            TyKind::Char => {
                let code = |c: B| app("$char.code", vec![c]);
                self.need(Chunk::Char);
                let value = self.arithmetic(op, code(x), code(y), false, span);
                if matches!(op, Op::Add | Op::Sub) {
                    app("$char.of", vec![value])
                } else {
                    value
                }
            }
            TyKind::Ordinal => self.ordinal_operator(op, x, y, span),
            TyKind::Seq(elem) => {
                let elem = self.sort_name(*elem);
                self.sort(rep);
                self.seq_operator(op, &elem, x, y, span)
            }
            TyKind::Set { elem, finite } => {
                self.sort(rep);
                let elem = self.sort_name(*elem);
                let head = if *finite { "$Set" } else { "$ISet" };
                self.set_operator(op, head, &elem, x, y, span)
            }
            TyKind::Multiset(elem) => {
                self.sort(rep);
                let elem = self.sort_name(*elem);
                self.set_operator(op, "$MultiSet", &elem, x, y, span)
            }
            TyKind::Map { .. } => match op {
                Op::MapMerge | Op::Union => self.map_app("merge", rep, vec![x, y]),
                Op::MapSubtract | Op::Difference => self.map_app("minus", rep, vec![x, y]),
                _ => self.no_operator(op, span),
            },
            _ => self.no_operator(op, span),
        }
    }

    pub(crate) fn no_operator(&mut self, op: Op, span: Span) -> B {
        self.unsupported(span, format!("operator {op:?} on this type"));
        int(0)
    }

    fn arithmetic(&mut self, op: Op, x: B, y: B, is_real: bool, span: Span) -> B {
        let op = match op {
            Op::Lt => BinaryOp::Lt,
            Op::Le => BinaryOp::Le,
            Op::Gt => BinaryOp::Gt,
            Op::Ge => BinaryOp::Ge,
            Op::Add => BinaryOp::Add,
            Op::Sub => BinaryOp::Sub,
            Op::Mul => BinaryOp::Mul,
            Op::Div if is_real => BinaryOp::RealDiv,
            Op::Div => BinaryOp::Div,
            Op::Mod if !is_real => BinaryOp::Mod,
            _ => return self.no_operator(op, span),
        };
        if is_real {
            bin(op, x, y)
        } else {
            self.integer_arithmetic(op, x, y)
        }
    }

    /// Products, quotients and remainders are applications of functions, for the sake of congruence; numerals are computed and
    /// stand before other factors.
    fn integer_arithmetic(&mut self, op: BinaryOp, x: B, y: B) -> B {
        if let (Some(a), Some(b)) = (numeral(&x), numeral(&y)) {
            let value = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                _ => return bin(op, x, y),
            };
            return if value.sign() == num_bigint::Sign::Minus {
                neg(int(-value))
            } else {
                int(value)
            };
        }
        let (chunk, name) = match op {
            BinaryOp::Mul => (Chunk::Product, "$Mul"),
            BinaryOp::Div => (Chunk::Quotient, "$Div"),
            BinaryOp::Mod => (Chunk::Remainder, "$Mod"),
            _ => return bin(op, x, y),
        };
        self.need(chunk);
        let (x, y) = if op == BinaryOp::Mul && numeral(&y).is_some() {
            (y, x)
        } else {
            (x, y)
        };
        app(name, vec![x, y])
    }

    fn seq_operator(&mut self, op: Op, elem: &str, x: B, y: B, span: Span) -> B {
        let len = |s: &B| app(&format!("$Seq.len${elem}"), vec![s.clone()]);
        match op {
            Op::Concat | Op::Add => app(&format!("$Seq.app${elem}"), vec![x, y]),
            Op::Prefix | Op::ProperPrefix | Op::Le | Op::Lt => {
                let short = if matches!(op, Op::Prefix | Op::Le) {
                    le(len(&x), len(&y))
                } else {
                    lt(len(&x), len(&y))
                };
                let n = len(&x);
                and(short, app(&format!("$Seq.prefix${elem}"), vec![x, y, n]))
            }
            _ => self.no_operator(op, span),
        }
    }

    fn set_operator(&mut self, op: Op, head: &str, elem: &str, x: B, y: B, span: Span) -> B {
        let f = |name: &str, a: B, b: B| app(&format!("{head}.{name}${elem}"), vec![a, b]);
        match op {
            Op::Union | Op::Add => f("union", x, y),
            Op::Intersection | Op::Mul => f("inter", x, y),
            Op::Difference | Op::Sub => f("diff", x, y),
            Op::Disjoint => f("disjoint", x, y),
            Op::Subset | Op::Le => f("subset", x, y),
            Op::Superset | Op::Ge => f("subset", y, x),
            Op::ProperSubset | Op::Lt => {
                and(f("subset", x.clone(), y.clone()), not(f("subset", y, x)))
            }
            Op::ProperSuperset | Op::Gt => {
                and(f("subset", y.clone(), x.clone()), not(f("subset", x, y)))
            }
            _ => self.no_operator(op, span),
        }
    }

    /// A function of the prover on bit-vectors of one width.
    pub(crate) fn bv_app(&mut self, builtin: &str, width: u32, args: Vec<B>) -> B {
        let out = match builtin {
            "bvult" | "bvule" | "bvugt" | "bvuge" => Sort::named("bool"),
            _ => Sort::named(&format!("bv{width}")),
        };
        let name: Name = format!("$bv.{builtin}{width}").into();
        if self.made.insert(name.clone()) {
            let sort = Sort::named(&format!("bv{width}"));
            let ins = (0..args.len()).map(|i| (format!("x{i}").into(), sort.clone()));
            self.decls.push(Decl::Function {
                name: name.clone(),
                ins: ins.collect(),
                out,
                role: Role::Bv(builtin.into()),
            });
        }
        app(&name, args)
    }

    fn bv_operator(&mut self, op: Op, width: u32, x: B, y: B, span: Span) -> B {
        let builtin = match op {
            Op::Add => "bvadd",
            Op::Sub => "bvsub",
            Op::Mul => "bvmul",
            Op::Div => "bvudiv",
            Op::Mod => "bvurem",
            Op::BitAnd => "bvand",
            Op::BitOr => "bvor",
            Op::BitXor => "bvxor",
            Op::Lt => "bvult",
            Op::Le => "bvule",
            Op::Gt => "bvugt",
            Op::Ge => "bvuge",
            Op::Shl => "bvshl",
            Op::Shr => "bvlshr",
            _ => return self.no_operator(op, span),
        };
        self.bv_app(builtin, width, vec![x, y])
    }

    /// `w.RotateLeft(n)` and `w.RotateRight(n)`: two shifts.
    pub(crate) fn rotate(
        &mut self,
        of: ExprId,
        by: ExprId,
        left: bool,
        env: &Env,
        span: Span,
    ) -> B {
        let rep = self.rep_of(of, env);
        let TyKind::Bv(width) = *self.p.types.kind(rep) else {
            return self.no_operator(Op::Shl, span);
        };
        let rep_by = self.rep_of(by, env);
        let (value, amount) = (self.expr(of, env), self.expr(by, env));
        let amount = self.shift_amount(width, rep_by, amount, span);
        let all = bv(width.into(), width);
        let rest = self.bv_app("bvsub", width, vec![all, amount.clone()]);
        let (there, back) = if left {
            ("bvshl", "bvlshr")
        } else {
            ("bvlshr", "bvshl")
        };
        let a = self.bv_app(there, width, vec![value.clone(), amount]);
        let b = self.bv_app(back, width, vec![value, rest]);
        self.bv_app("bvor", width, vec![a, b])
    }

    /// The shift amount as a bit-vector of the width of what is shifted.
    pub(crate) fn shift_amount(&mut self, width: u32, rep: Ty, amount: B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Bv(w) if *w == width => amount,
            TyKind::Bv(w) => {
                // It was checked to be at most the width, which fits.
                self.bv_resize(*w, width, amount)
            }
            TyKind::Int | TyKind::Nat => self.int_to_bv(width, amount),
            _ => {
                self.unsupported(span, "shifting by a bit-vector of another width");
                amount
            }
        }
    }

    fn int_to_bv(&mut self, width: u32, value: B) -> B {
        if let Node::Int(n) = &*value
            && n.sign() != num_bigint::Sign::Minus
            && n.bits() <= u64::from(width)
        {
            return bv(n.clone(), width);
        }
        let name: Name = format!("$bv.of_int{width}").into();
        if self.made.insert(name.clone()) {
            self.decls.push(Decl::Function {
                name: name.clone(),
                ins: vec![("x".into(), Sort::named("int"))],
                out: Sort::named(&format!("bv{width}")),
                role: Role::Bv(format!("(_ int2bv {width})").into()),
            });
        }
        app(&name, vec![value])
    }

    fn bv_to_int(&mut self, width: u32, value: B) -> B {
        let name: Name = format!("$bv.to_int{width}").into();
        if self.made.insert(name.clone()) {
            self.decls.push(Decl::Function {
                name: name.clone(),
                ins: vec![("x".into(), Sort::named(&format!("bv{width}")))],
                out: Sort::named("int"),
                role: Role::Bv("bv2nat".into()),
            });
        }
        app(&name, vec![value])
    }

    /// A bit-vector of another width with the same low bits: no detour over integers, which the prover's theory of bit-vectors
    /// knows little about.
    fn bv_resize(&mut self, from: u32, to: u32, value: B) -> B {
        // Type bv0 was refused, and the program is not used.
        if from == to || from == 0 || to == 0 {
            return value;
        }
        let builtin = match from < to {
            true => format!("(_ zero_extend {})", to - from),
            false => format!("(_ extract {} 0)", to - 1),
        };
        let name: Name = format!("$bv.resize{from}.{to}").into();
        if self.made.insert(name.clone()) {
            self.decls.push(Decl::Function {
                name: name.clone(),
                ins: vec![("x".into(), Sort::named(&format!("bv{from}")))],
                out: Sort::named(&format!("bv{to}")),
                role: Role::Bv(builtin.into()),
            });
        }
        app(&name, vec![value])
    }

    pub(crate) fn real_of(&mut self, value: B) -> B {
        self.need(Chunk::Real);
        app("$real.of", vec![value])
    }

    /// The greatest integer that is not above a real.
    pub(crate) fn floor(&mut self, value: B) -> B {
        self.need(Chunk::Real);
        app("$real.floor", vec![value])
    }

    /// `e as T`.
    pub(crate) fn convert(&mut self, e: ExprId, ty: Ty, env: &Env, span: Span) -> B {
        let from = self.rep_of(e, env);
        let to = self.subst(&env.subst, ty);
        let to = self.rep(to);
        let value = self.expr(e, env);
        self.convert_value(from, to, value, span)
    }

    pub(crate) fn convert_value(&mut self, from: Ty, to: Ty, value: B, span: Span) -> B {
        if from == to {
            return value;
        }
        let (a, b) = (self.p.types.kind(from), self.p.types.kind(to));
        match (&*a, &*b) {
            (TyKind::Int, TyKind::Real) => self.real_of(value),
            (TyKind::Real, TyKind::Int) => self.floor(value),
            (TyKind::Int, TyKind::Char) => {
                self.need(Chunk::Char);
                app("$char.of", vec![value])
            }
            (TyKind::Char, TyKind::Int) => app("$char.code", vec![value]),
            (TyKind::Char, TyKind::Real) => self.real_of(app("$char.code", vec![value])),
            (TyKind::Bv(w), TyKind::Int) => self.bv_to_int(*w, value),
            (TyKind::Bv(w), TyKind::Real) => {
                let value = self.bv_to_int(*w, value);
                self.real_of(value)
            }
            (TyKind::Int, TyKind::Bv(w)) => match &*value {
                Node::Int(n) if *n >= 0.into() && *n < Self::bv_limit(*w) => bv(n.clone(), *w),
                _ => self.int_to_bv(*w, value),
            },
            (TyKind::Bv(v), TyKind::Bv(w)) => self.bv_resize(*v, *w, value),
            (TyKind::Int, TyKind::Ordinal) => {
                self.need(Chunk::Ordinal);
                app("$Ord.nat", vec![value])
            }
            (TyKind::Ordinal, TyKind::Int) => app("$Ord.offset", vec![value]),
            _ if self.p.is_reference(from) && self.p.is_reference(to) => value,
            _ => {
                let (x, y) = (self.sort_name(from), self.sort_name(to));
                if x == y {
                    return value;
                }
                self.unsupported(span, "this conversion");
                value
            }
        }
    }

    /// The rank of a value: what structural recursion decreases.
    pub(crate) fn rank(&mut self, rep: Ty, value: &B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        let supported = match &*kind {
            TyKind::Named { decl, .. } => {
                matches!(
                    self.p.decls[*decl].kind,
                    TypeDeclKind::Datatype { co: false, .. }
                )
            }
            TyKind::Seq(_) | TyKind::Set { finite: true, .. } | TyKind::Tuple(..) => true,
            TyKind::Map { finite: true, .. } | TyKind::Multiset(_) => true,
            // Nothing is known of the rank of a value whose type is not known.
            TyKind::Param(_) => true,
            _ => false,
        };
        if !supported {
            self.unsupported(span, "comparing values of this type by their structure");
        }
        self.request(Work::Rank(rep));
        let sort = self.sort_name(rep);
        app(&format!("$rank${sort}"), vec![value.clone()])
    }

    /// The largest value of a bit-vector plus one.
    pub(crate) fn bv_limit(width: u32) -> BigInt {
        BigInt::from(1) << width
    }
}

/// The value of a numeral.
fn numeral(e: &B) -> Option<BigInt> {
    match &**e {
        Node::Int(n) => Some(n.clone()),
        Node::Neg(inner) => numeral(inner).map(|n| -n),
        _ => None,
    }
}
