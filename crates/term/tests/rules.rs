//! Every rewrite rule: where it applies, where it does not, and a proof at small widths.
//!
//! A case builds one term in two pools, one that builds terms as given and one that rewrites. The rule must
//! fire (or must not), and Z3 must find no difference between the two terms. Constants `k` and `l` run
//! through all values at the smallest widths.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use stet_term::*;

/// Ingredients of cases.
struct With<'a> {
    t: &'a Terms,
    w: u32,
    k: u64,
    l: u64,
}

impl With<'_> {
    fn x(&self) -> Term {
        self.t.symbol("x", Sort::bv(self.w))
    }
    fn y(&self) -> Term {
        self.t.symbol("y", Sort::bv(self.w))
    }
    fn z(&self) -> Term {
        self.t.symbol("z", Sort::bv(self.w))
    }
    /// Twice as wide.
    fn wide(&self) -> Term {
        self.t.symbol("wide", Sort::bv(2 * self.w))
    }
    fn p(&self) -> Term {
        self.t.symbol("p", Sort::BOOL)
    }
    fn q(&self) -> Term {
        self.t.symbol("q", Sort::BOOL)
    }
    fn k(&self) -> Term {
        self.t.bv(self.w, self.k)
    }
    fn l(&self) -> Term {
        self.t.bv(self.w, self.l)
    }
    /// A constant of twice the width.
    fn kl(&self) -> Term {
        self.t.bv(2 * self.w, self.k << self.w | self.l)
    }
    fn c(&self, value: u64) -> Term {
        self.t.bv(self.w, value)
    }
    fn ones(&self) -> Term {
        self.c(u64::MAX)
    }
    fn array_sort(&self) -> Sort {
        self.t.array_sort(Sort::bv(self.w), Sort::bv(self.w))
    }
    fn array(&self) -> Term {
        self.t.symbol("a", self.array_sort())
    }
    fn table(&self) -> Term {
        let content: Vec<u64> = (0..5)
            .map(|i| (i * 7 + self.l) & ((1 << self.w) - 1))
            .collect();
        self.t
            .table(self.array_sort(), Table::Words(content.into()))
    }
    fn int(&self, name: &str) -> Term {
        self.t.symbol(name, Sort::INT)
    }
    fn list(&self) -> Sort {
        let list = self.t.datatype_sort("list");
        let constructors = vec![
            Constructor {
                name: "empty".into(),
                fields: vec![],
            },
            Constructor {
                name: "cons".into(),
                fields: vec![("first".into(), Sort::INT), ("rest".into(), list)],
            },
        ];
        assert!(self.t.define_datatype(list, constructors));
        list
    }
    fn pair(&self) -> Term {
        let list = self.list();
        let rest = self.t.symbol("rest0", list);
        self.t.construct(list, 1, &[self.int("i"), rest])
    }
    fn zx(&self, a: Term) -> Term {
        self.t.zero_extend(a, 2 * self.w)
    }
    fn sx(&self, a: Term) -> Term {
        self.t.sign_extend(a, 2 * self.w)
    }
    fn high(&self) -> Term {
        self.t.extract(2 * self.w - 1, self.w, self.wide())
    }
    fn low(&self) -> Term {
        self.t.extract(self.w - 1, 0, self.wide())
    }
}

type Case = fn(&With<'_>) -> Term;

/// Cases in which a rule fires for some width and constants.
fn applies(rule: Rule) -> Vec<Case> {
    match rule {
        Rule::Fold => vec![
            |c| c.t.bv_add(c.k(), c.l()),
            |c| c.t.bv_mul(c.k(), c.l()),
            |c| c.t.bv_udiv(c.k(), c.l()),
            |c| c.t.bv_urem(c.k(), c.l()),
            |c| c.t.bv_sdiv(c.k(), c.l()),
            |c| c.t.bv_srem(c.k(), c.l()),
            |c| c.t.bv_and(c.k(), c.l()),
            |c| c.t.bv_or(c.k(), c.l()),
            |c| c.t.bv_xor(c.k(), c.l()),
            |c| c.t.bv_shl(c.k(), c.l()),
            |c| c.t.bv_lshr(c.k(), c.l()),
            |c| c.t.bv_ashr(c.k(), c.l()),
            |c| c.t.bv_ult(c.k(), c.l()),
            |c| c.t.bv_slt(c.k(), c.l()),
            |c| c.t.bv_not(c.k()),
            |c| c.t.bv_neg(c.k()),
            |c| c.t.concat(c.k(), c.l()),
            |c| c.zx(c.k()),
            |c| c.sx(c.k()),
            |c| c.t.extract(c.w, c.w / 2, c.kl()),
            |c| c.t.not(Term::TRUE),
            |c| c.t.add(&[c.t.int(c.k), c.int("i"), c.t.int(c.l)]),
            |c| {
                c.t.int_div(c.t.int(c.k as i64 - 3), c.t.int(c.l as i64 - 3))
            },
            |c| {
                c.t.int_mod(c.t.int(c.k as i64 - 3), c.t.int(c.l as i64 - 3))
            },
            |c| c.t.le(c.t.int(c.k), c.t.int(c.l)),
            |c| c.t.neg(c.t.int(c.k)),
            |c| c.t.to_real(c.t.int(c.k)),
            |c| {
                let half = Rational::new(1.into(), 2.into());
                c.t.real_div(c.t.real(&half), c.t.real(&Rational::from(num(c.k + 1))))
            },
        ],
        Rule::NotNot => vec![|c| c.t.not(c.t.not(c.p()))],
        Rule::AndUnit => vec![|c| c.t.and(&[c.p(), Term::TRUE, c.q()]), |c| {
            c.t.and(&[c.p(), Term::FALSE])
        }],
        Rule::AndDuplicate => vec![|c| c.t.and(&[c.p(), c.q(), c.p()])],
        Rule::AndComplement => vec![|c| c.t.and(&[c.p(), c.q(), c.t.not(c.p())])],
        Rule::OrUnit => vec![|c| c.t.or(&[c.p(), Term::FALSE, c.q()]), |c| {
            c.t.or(&[c.p(), Term::TRUE])
        }],
        Rule::OrDuplicate => vec![|c| c.t.or(&[c.p(), c.q(), c.p()])],
        Rule::OrComplement => vec![|c| c.t.or(&[c.p(), c.q(), c.t.not(c.p())])],
        Rule::ImpliesConst => vec![
            |c| c.t.implies(Term::TRUE, c.p()),
            |c| c.t.implies(Term::FALSE, c.p()),
            |c| c.t.implies(c.p(), Term::TRUE),
            |c| c.t.implies(c.p(), Term::FALSE),
            |c| c.t.implies(c.p(), c.p()),
        ],
        Rule::EqSame => vec![|c| c.t.eq(c.x(), c.x()), |c| c.t.eq(c.p(), c.p())],
        Rule::EqBool => vec![|c| c.t.eq(Term::TRUE, c.p()), |c| {
            c.t.eq(c.p(), Term::FALSE)
        }],
        Rule::EqBoolNot => vec![|c| c.t.eq(c.p(), c.t.not(c.p())), |c| {
            c.t.eq(c.t.not(c.p()), c.t.not(c.q()))
        }],
        Rule::EqConstants => vec![|c| c.t.eq(c.k(), c.l())],
        Rule::DistinctPair => vec![|c| c.t.distinct(&[c.x(), c.y()])],
        Rule::IteConst => vec![|c| c.t.ite(Term::TRUE, c.x(), c.y()), |c| {
            c.t.ite(Term::FALSE, c.x(), c.y())
        }],
        Rule::IteSame => vec![|c| c.t.ite(c.p(), c.x(), c.x())],
        Rule::IteNot => vec![|c| c.t.ite(c.t.not(c.p()), c.x(), c.y())],
        Rule::IteBool => vec![
            |c| c.t.ite(c.p(), Term::TRUE, Term::FALSE),
            |c| c.t.ite(c.p(), Term::FALSE, Term::TRUE),
            |c| c.t.ite(c.p(), Term::TRUE, c.q()),
            |c| c.t.ite(c.p(), Term::FALSE, c.q()),
            |c| c.t.ite(c.p(), c.q(), Term::TRUE),
            |c| c.t.ite(c.p(), c.q(), Term::FALSE),
        ],
        Rule::IteNested => vec![
            |c| c.t.ite(c.p(), c.t.ite(c.p(), c.x(), c.y()), c.z()),
            |c| c.t.ite(c.p(), c.z(), c.t.ite(c.p(), c.x(), c.y())),
        ],
        Rule::AddZero => vec![|c| c.t.bv_add(c.c(0), c.x())],
        Rule::AddConstants => vec![|c| c.t.bv_add(c.t.bv_add(c.x(), c.k()), c.l())],
        Rule::AddNegation => vec![|c| c.t.bv_sub(c.x(), c.x()), |c| {
            c.t.bv_add(c.t.bv_neg(c.x()), c.x())
        }],
        Rule::AddFloat => vec![
            |c| c.t.bv_add(c.t.bv_add(c.x(), c.k()), c.y()),
            |c| c.t.bv_add(c.y(), c.t.bv_add(c.x(), c.k())),
            |c| {
                c.t.bv_add(c.t.bv_add(c.y(), c.l()), c.t.bv_add(c.x(), c.k()))
            },
        ],
        Rule::MulZero => vec![|c| c.t.bv_mul(c.x(), c.c(0))],
        Rule::MulOne => vec![|c| c.t.bv_mul(c.c(1), c.x()), |c| {
            c.t.bv_mul(c.x(), c.ones())
        }],
        Rule::MulConstants => vec![|c| c.t.bv_mul(c.t.bv_mul(c.x(), c.k()), c.l())],
        Rule::MulPower => vec![|c| c.t.bv_mul(c.x(), c.k())],
        Rule::NegNeg => vec![|c| c.t.bv_neg(c.t.bv_neg(c.x()))],
        Rule::NegAdd => vec![|c| c.t.bv_neg(c.t.bv_add(c.x(), c.k()))],
        Rule::DivOne => vec![
            |c| c.t.bv_udiv(c.x(), c.c(1)),
            |c| c.t.bv_urem(c.x(), c.c(1)),
            |c| c.t.bv_sdiv(c.x(), c.c(1)),
            |c| c.t.bv_srem(c.x(), c.c(1)),
        ],
        Rule::DivZero => vec![|c| c.t.bv_udiv(c.x(), c.c(0)), |c| {
            c.t.bv_urem(c.x(), c.c(0))
        }],
        Rule::DivPower => vec![|c| c.t.bv_udiv(c.x(), c.k()), |c| c.t.bv_urem(c.x(), c.k())],
        Rule::BitNotNot => vec![|c| c.t.bv_not(c.t.bv_not(c.x()))],
        Rule::BitAndUnit => vec![|c| c.t.bv_and(c.x(), c.c(0)), |c| {
            c.t.bv_and(c.ones(), c.x())
        }],
        Rule::BitOrUnit => vec![|c| c.t.bv_or(c.x(), c.c(0)), |c| c.t.bv_or(c.ones(), c.x())],
        Rule::BitXorUnit => vec![|c| c.t.bv_xor(c.x(), c.c(0)), |c| {
            c.t.bv_xor(c.ones(), c.x())
        }],
        Rule::BitSame => vec![
            |c| c.t.bv_and(c.x(), c.x()),
            |c| c.t.bv_or(c.x(), c.x()),
            |c| c.t.bv_xor(c.x(), c.x()),
        ],
        Rule::BitComplement => vec![
            |c| c.t.bv_and(c.x(), c.t.bv_not(c.x())),
            |c| c.t.bv_or(c.t.bv_not(c.x()), c.x()),
            |c| c.t.bv_xor(c.x(), c.t.bv_not(c.x())),
        ],
        Rule::BitConstants => vec![
            |c| c.t.bv_and(c.t.bv_and(c.x(), c.k()), c.l()),
            |c| c.t.bv_or(c.t.bv_or(c.x(), c.k()), c.l()),
            |c| c.t.bv_xor(c.t.bv_xor(c.x(), c.k()), c.l()),
        ],
        Rule::BitAndMask => vec![|c| c.t.bv_and(c.x(), c.k())],
        Rule::ShiftZero => vec![
            |c| c.t.bv_shl(c.x(), c.c(0)),
            |c| c.t.bv_lshr(c.c(0), c.x()),
            |c| c.t.bv_ashr(c.x(), c.c(0)),
        ],
        Rule::ShiftOut => vec![
            |c| c.t.bv_shl(c.x(), c.ones()),
            |c| c.t.bv_lshr(c.x(), c.ones()),
            |c| c.t.bv_ashr(c.x(), c.ones()),
        ],
        Rule::ShiftConst => vec![
            |c| c.t.bv_shl(c.x(), c.k()),
            |c| c.t.bv_lshr(c.x(), c.k()),
            |c| c.t.bv_ashr(c.x(), c.k()),
        ],
        Rule::UltTrivial => vec![
            |c| c.t.bv_ult(c.x(), c.x()),
            |c| c.t.bv_ult(c.x(), c.c(0)),
            |c| c.t.bv_ult(c.ones(), c.x()),
        ],
        Rule::UltOne => vec![|c| c.t.bv_ult(c.x(), c.c(1))],
        Rule::UltZero => vec![|c| c.t.bv_ult(c.c(0), c.x())],
        Rule::UltMax => vec![|c| c.t.bv_ult(c.x(), c.ones()), |c| {
            c.t.bv_ult(c.c(u64::MAX - 1), c.x())
        }],
        Rule::UltExtend => vec![
            |c| c.t.bv_ult(c.zx(c.x()), c.zx(c.y())),
            |c| c.t.bv_ult(c.zx(c.x()), c.kl()),
            |c| c.t.bv_ult(c.kl(), c.zx(c.x())),
            |c| {
                let longer = c.t.symbol("longer", Sort::bv(c.w + 1));
                c.t.bv_ult(
                    c.t.zero_extend(longer, 2 * c.w + 1),
                    c.t.zero_extend(c.x(), 2 * c.w + 1),
                )
            },
        ],
        Rule::UltConcat => vec![|c| {
            c.t.bv_ult(c.t.concat(c.x(), c.y()), c.t.concat(c.x(), c.z()))
        }],
        Rule::SltTrivial => vec![
            |c| c.t.bv_slt(c.x(), c.x()),
            |c| c.t.bv_slt(c.x(), c.c(1 << (c.w - 1))),
            |c| c.t.bv_slt(c.c((1 << (c.w - 1)) - 1), c.x()),
        ],
        Rule::SltExtend => vec![
            |c| c.t.bv_slt(c.zx(c.x()), c.zx(c.y())),
            |c| c.t.bv_slt(c.zx(c.x()), c.kl()),
            |c| c.t.bv_slt(c.kl(), c.zx(c.x())),
            |c| c.t.bv_slt(c.sx(c.x()), c.sx(c.y())),
            |c| c.t.bv_slt(c.sx(c.x()), c.kl()),
            |c| c.t.bv_slt(c.kl(), c.sx(c.x())),
        ],
        Rule::EqExtend => vec![
            |c| c.t.eq(c.zx(c.x()), c.zx(c.y())),
            |c| c.t.eq(c.sx(c.x()), c.sx(c.y())),
            |c| c.t.eq(c.zx(c.x()), c.kl()),
            |c| c.t.eq(c.kl(), c.sx(c.x())),
        ],
        Rule::EqConcat => vec![
            |c| c.t.eq(c.t.concat(c.x(), c.y()), c.kl()),
            |c| c.t.eq(c.t.concat(c.x(), c.y()), c.t.concat(c.z(), c.x())),
            |c| c.t.eq(c.t.concat(c.k(), c.y()), c.kl()),
        ],
        Rule::EqAddConst => vec![|c| c.t.eq(c.t.bv_add(c.x(), c.k()), c.l())],
        Rule::EqAddSame => vec![
            |c| c.t.eq(c.t.bv_add(c.x(), c.y()), c.t.bv_add(c.x(), c.z())),
            |c| c.t.eq(c.t.bv_add(c.x(), c.y()), c.t.bv_add(c.z(), c.x())),
            |c| c.t.eq(c.t.bv_add(c.x(), c.y()), c.x()),
            |c| c.t.eq(c.y(), c.t.bv_add(c.x(), c.y())),
            |c| c.t.eq(c.x(), c.t.bv_add(c.x(), c.k())),
            |c| {
                let (x, y, z) = (c.x(), c.y(), c.z());
                let left = c.t.bv_add(c.t.bv_add(x, y), c.t.bv_add(z, x));
                c.t.eq(left, c.t.bv_add(c.t.bv_add(x, z), c.k()))
            },
            |c| {
                let (x, y, z) = (c.x(), c.y(), c.z());
                let left = c.t.bv_add(c.t.bv_add(x, y), z);
                c.t.eq(left, c.t.bv_add(c.t.bv_add(z, y), x))
            },
        ],
        Rule::EqNotConst => vec![
            |c| c.t.eq(c.t.bv_not(c.x()), c.k()),
            |c| c.t.eq(c.t.bv_neg(c.x()), c.k()),
            |c| c.t.eq(c.t.bv_xor(c.x(), c.l()), c.k()),
        ],
        Rule::EqIteConst => vec![|c| c.t.eq(c.t.ite(c.p(), c.k(), c.l()), c.c(1))],
        Rule::ExtractAll => vec![|c| c.t.extract(c.w - 1, 0, c.x())],
        Rule::ExtractExtract => {
            vec![|c| {
                c.t.extract(
                    c.w - 1,
                    c.w / 2,
                    c.t.extract(2 * c.w - 1, c.w / 2, c.wide()),
                )
            }]
        }
        Rule::ExtractConcat => vec![
            |c| c.t.extract(c.w - 1, 0, c.t.concat(c.x(), c.y())),
            |c| c.t.extract(2 * c.w - 1, c.w, c.t.concat(c.x(), c.y())),
            |c| c.t.extract(c.w, c.w - 1, c.t.concat(c.x(), c.y())),
        ],
        Rule::ExtractExtend => vec![
            |c| c.t.extract(c.w / 2, 0, c.zx(c.x())),
            |c| c.t.extract(c.w, c.w - 1, c.zx(c.x())),
            |c| c.t.extract(2 * c.w - 1, c.w, c.zx(c.x())),
            |c| c.t.extract(c.w / 2, 0, c.sx(c.x())),
            |c| c.t.extract(c.w, c.w - 1, c.sx(c.x())),
            |c| c.t.extract(2 * c.w - 1, c.w, c.sx(c.x())),
        ],
        Rule::ExtractIte => vec![|c| c.t.extract(0, 0, c.t.ite(c.p(), c.k(), c.l()))],
        Rule::ExtractLow => vec![
            |c| {
                c.t.extract(c.w - 1, 0, c.t.bv_add(c.zx(c.x()), c.zx(c.y())))
            },
            |c| {
                c.t.extract(c.w - 1, 0, c.t.bv_mul(c.zx(c.x()), c.sx(c.y())))
            },
            |c| {
                c.t.extract(c.w, c.w - 1, c.t.bv_xor(c.zx(c.x()), c.sx(c.y())))
            },
            |c| c.t.extract(c.w, c.w - 1, c.t.bv_or(c.zx(c.x()), c.kl())),
        ],
        Rule::ConcatConstants => vec![|c| c.t.concat(c.k(), c.t.concat(c.l(), c.x()))],
        Rule::ConcatNest => vec![|c| c.t.concat(c.t.concat(c.x(), c.y()), c.z())],
        Rule::ConcatExtracts => vec![|c| c.t.concat(c.high(), c.low()), |c| {
            c.t.concat(c.high(), c.t.concat(c.low(), c.x()))
        }],
        Rule::ConcatZero => vec![|c| c.t.concat(c.k(), c.x())],
        Rule::ExtendSame => vec![|c| c.t.zero_extend(c.x(), c.w), |c| {
            c.t.sign_extend(c.x(), c.w)
        }],
        Rule::ExtendExtend => vec![
            |c| c.t.zero_extend(c.zx(c.x()), 3 * c.w),
            |c| c.t.sign_extend(c.sx(c.x()), 3 * c.w),
            |c| c.t.sign_extend(c.zx(c.x()), 3 * c.w),
        ],
        Rule::SelectStore => vec![
            |c| c.t.select(c.t.store(c.array(), c.x(), c.y()), c.x()),
            |c| c.t.select(c.t.store(c.array(), c.k(), c.y()), c.l()),
            |c| {
                let stored = c.t.store(c.array(), c.t.bv_add(c.x(), c.k()), c.y());
                c.t.select(stored, c.t.bv_add(c.x(), c.l()))
            },
        ],
        Rule::SelectFill => vec![|c| c.t.select(c.t.fill(c.array_sort(), c.x()), c.y())],
        Rule::SelectTable => vec![|c| c.t.select(c.table(), c.k())],
        Rule::StoreStore => {
            vec![|c| c.t.store(c.t.store(c.array(), c.x(), c.y()), c.x(), c.z())]
        }
        Rule::StoreSelect => {
            vec![|c| c.t.store(c.array(), c.x(), c.t.select(c.array(), c.x()))]
        }
        Rule::ArithUnit => vec![
            |c| c.t.add(&[c.int("i"), c.t.int(0)]),
            |c| c.t.mul(&[c.t.int(1), c.int("i"), c.int("j")]),
            |c| c.t.mul(&[c.t.int(0), c.int("i")]),
            |c| c.t.neg(c.t.neg(c.int("i"))),
        ],
        Rule::CompareSame => vec![|c| c.t.le(c.int("i"), c.int("i")), |c| {
            c.t.lt(c.int("i"), c.int("i"))
        }],
        Rule::SelectConstruct => vec![
            |c| c.t.selector(1, 0, c.pair()),
            |c| c.t.tester(0, c.pair()),
            |c| c.t.tester(1, c.pair()),
        ],
    }
}

/// Near misses: cases in which a rule must not fire, whatever the width and constants.
fn does_not_apply(rule: Rule) -> Vec<Case> {
    match rule {
        Rule::Fold => vec![|c| c.t.bv_mul(c.x(), c.y()), |c| {
            c.t.int_div(c.t.int(1), c.t.int(0))
        }],
        Rule::NotNot => vec![|c| c.t.not(c.p())],
        Rule::AndUnit | Rule::AndDuplicate | Rule::AndComplement => {
            vec![|c| c.t.and(&[c.p(), c.t.not(c.q())])]
        }
        Rule::OrUnit | Rule::OrDuplicate | Rule::OrComplement => {
            vec![|c| c.t.or(&[c.p(), c.t.not(c.q())])]
        }
        Rule::ImpliesConst => vec![|c| c.t.implies(c.p(), c.q())],
        Rule::EqSame | Rule::EqConstants => vec![|c| c.t.eq(c.x(), c.y())],
        Rule::EqBool | Rule::EqBoolNot => vec![|c| c.t.eq(c.p(), c.t.not(c.q()))],
        Rule::DistinctPair => vec![|c| c.t.distinct(&[c.x(), c.y(), c.z()])],
        Rule::IteConst | Rule::IteSame | Rule::IteNot | Rule::IteNested => {
            vec![|c| c.t.ite(c.p(), c.t.ite(c.q(), c.x(), c.y()), c.z())]
        }
        Rule::IteBool => vec![|c| c.t.ite(c.p(), c.q(), c.t.eq(c.x(), c.y()))],
        Rule::AddZero | Rule::AddConstants | Rule::AddNegation | Rule::AddFloat => {
            vec![|c| c.t.bv_add(c.x(), c.c(1)), |c| {
                c.t.bv_add(c.x(), c.t.bv_neg(c.y()))
            }]
        }
        // At width 2, three is all ones and hence minus one.
        Rule::MulOne => vec![|c| c.t.bv_mul(c.x(), c.y())],
        Rule::MulZero | Rule::MulConstants | Rule::MulPower => {
            vec![|c| c.t.bv_mul(c.x(), c.y()), |c| {
                c.t.bv_mul(c.wide(), c.t.bv(2 * c.w, 3))
            }]
        }
        Rule::NegNeg | Rule::NegAdd => vec![|c| c.t.bv_neg(c.t.bv_add(c.x(), c.y()))],
        Rule::DivOne | Rule::DivZero | Rule::DivPower => {
            vec![|c| c.t.bv_udiv(c.x(), c.y()), |c| c.t.bv_srem(c.x(), c.y())]
        }
        Rule::BitNotNot => vec![|c| c.t.bv_not(c.t.bv_neg(c.x()))],
        Rule::BitAndUnit
        | Rule::BitOrUnit
        | Rule::BitXorUnit
        | Rule::BitSame
        | Rule::BitComplement
        | Rule::BitConstants
        | Rule::BitAndMask => vec![
            |c| c.t.bv_and(c.x(), c.t.bv_not(c.y())),
            |c| c.t.bv_or(c.x(), c.y()),
            |c| c.t.bv_xor(c.t.bv_and(c.x(), c.y()), c.z()),
            |c| c.t.bv_and(c.wide(), c.t.bv(2 * c.w, 1 << (2 * c.w - 1))),
        ],
        Rule::ShiftZero | Rule::ShiftOut | Rule::ShiftConst => {
            vec![|c| c.t.bv_shl(c.x(), c.y()), |c| c.t.bv_ashr(c.c(1), c.y())]
        }
        Rule::UltTrivial
        | Rule::UltOne
        | Rule::UltZero
        | Rule::UltMax
        | Rule::UltExtend
        | Rule::UltConcat => vec![
            |c| c.t.bv_ult(c.x(), c.y()),
            |c| c.t.bv_ult(c.zx(c.x()), c.wide()),
            |c| {
                c.t.bv_ult(c.t.concat(c.x(), c.y()), c.t.concat(c.y(), c.x()))
            },
        ],
        Rule::SltTrivial | Rule::SltExtend => vec![|c| c.t.bv_slt(c.x(), c.y()), |c| {
            c.t.bv_slt(c.zx(c.x()), c.sx(c.y()))
        }],
        Rule::EqExtend | Rule::EqConcat => vec![|c| c.t.eq(c.zx(c.x()), c.sx(c.y())), |c| {
            c.t.eq(c.wide(), c.t.concat(c.x(), c.y()))
        }],
        Rule::EqAddConst | Rule::EqAddSame | Rule::EqNotConst | Rule::EqIteConst => vec![
            |c| c.t.eq(c.t.bv_add(c.x(), c.y()), c.k()),
            |c| c.t.eq(c.t.bv_add(c.x(), c.y()), c.z()),
            |c| c.t.eq(c.t.bv_xor(c.x(), c.y()), c.k()),
            |c| c.t.eq(c.t.ite(c.p(), c.x(), c.k()), c.l()),
        ],
        Rule::ExtractAll => vec![|c| c.t.extract(c.w - 1, 0, c.wide())],
        Rule::ExtractExtract
        | Rule::ExtractConcat
        | Rule::ExtractExtend
        | Rule::ExtractIte
        | Rule::ExtractLow => vec![
            |c| c.t.extract(c.w - 1, 0, c.wide()),
            |c| c.t.extract(c.w - 1, 0, c.t.bv_mul(c.wide(), c.wide())),
            |c| {
                c.t.extract(2 * c.w - 1, c.w, c.t.bv_add(c.zx(c.x()), c.zx(c.y())))
            },
        ],
        Rule::ConcatConstants | Rule::ConcatNest | Rule::ConcatExtracts | Rule::ConcatZero => vec![
            |c| c.t.concat(c.x(), c.t.concat(c.y(), c.z())),
            |c| c.t.concat(c.low(), c.high()),
            |c| c.t.concat(c.ones(), c.x()),
        ],
        Rule::ExtendSame => vec![|c| c.zx(c.x()), |c| c.sx(c.x())],
        Rule::ExtendExtend => vec![|c| c.t.zero_extend(c.sx(c.x()), 3 * c.w)],
        Rule::SelectStore => vec![|c| c.t.select(c.t.store(c.array(), c.x(), c.y()), c.z())],
        Rule::SelectFill | Rule::SelectTable => {
            vec![|c| c.t.select(c.array(), c.k()), |c| {
                c.t.select(c.table(), c.x())
            }]
        }
        Rule::StoreStore => vec![|c| c.t.store(c.t.store(c.array(), c.x(), c.y()), c.y(), c.z())],
        Rule::StoreSelect => {
            vec![|c| c.t.store(c.array(), c.x(), c.t.select(c.array(), c.y()))]
        }
        Rule::ArithUnit => vec![|c| c.t.add(&[c.int("i"), c.t.int(1)])],
        Rule::CompareSame => vec![|c| c.t.le(c.int("i"), c.int("j"))],
        Rule::SelectConstruct => vec![|c| {
            let list = c.list();
            c.t.tester(0, c.t.symbol("l", list))
        }],
    }
}

fn num(value: u64) -> num_bigint::BigInt {
    value.into()
}

/// Widths and constants: all constants up to three bits, a few above.
fn instances() -> Vec<(u32, u64, u64)> {
    let mut all = Vec::new();
    for w in 1..=3 {
        for k in 0..1 << w {
            all.extend((0..1 << w).map(|l| (w, k, l)));
        }
    }
    for k in [0, 1, 2, 3, 4, 7, 8, 14, 15] {
        all.extend([(4, k, 5), (4, k, 12)]);
    }
    all.extend([(8, 0x80, 3), (8, 0x7f, 0xff), (8, 16, 5), (8, 0xf, 0)]);
    all
}

fn fired(terms: &Terms, rule: Rule) -> bool {
    terms.applications(rule) > 0
}

#[test]
fn rules_fire_where_they_should_and_only_there() {
    for &rule in Rule::ALL {
        for (number, case) in applies(rule).iter().enumerate() {
            let some = instances().iter().any(|&(w, k, l)| {
                let terms = Terms::new();
                case(&With { t: &terms, w, k, l });
                fired(&terms, rule)
            });
            assert!(some, "{rule:?}: case {number} never fires");
        }
        for (number, case) in does_not_apply(rule).iter().enumerate() {
            for (w, k, l) in instances() {
                let terms = Terms::new();
                case(&With { t: &terms, w, k, l });
                assert!(!fired(&terms, rule), "{rule:?}: near miss {number} fires");
            }
        }
    }
}

#[test]
fn rules_respect_their_level() {
    for &rule in Rule::ALL {
        for case in applies(rule) {
            for (w, k, l) in instances() {
                for level in [Level::Plain, Level::Cheap] {
                    let terms = Terms::with_level(level);
                    case(&With { t: &terms, w, k, l });
                    assert!(rule.level() <= level || !fired(&terms, rule), "{rule:?}");
                }
            }
        }
    }
}

#[test]
fn every_rule_is_proved() {
    let mut script = String::new();
    let mut labels = Vec::new();
    let mut seen = BTreeSet::new();
    for &rule in Rule::ALL {
        let cases = applies(rule).into_iter().chain(does_not_apply(rule));
        for (number, case) in cases.enumerate() {
            for (w, k, l) in instances() {
                let (plain, full) = (Terms::with_level(Level::Plain), Terms::new());
                let lhs = case(&With { t: &plain, w, k, l });
                let rhs = case(&With { t: &full, w, k, l });
                let mut text = String::new();
                let mut printer = Printer::new(&plain);
                printer.declare(&[lhs], &mut text);
                let lhs = printer.term(lhs);
                let rhs = Printer::new(&full).term(rhs);
                if lhs == rhs {
                    continue;
                }
                let _ = writeln!(text, "(assert (distinct {lhs} {rhs}))");
                if seen.insert(text.clone()) {
                    let _ = write!(script, "(push 1)\n{text}(check-sat)\n(pop 1)\n");
                    labels.push(format!("{rule:?} case {number} at {w} {k} {l}:\n{text}"));
                }
            }
        }
    }
    let Some(answers) = z3(script) else {
        stet_testkit::skip("z3");
        return;
    };
    assert_eq!(answers.len(), labels.len());
    for (answer, label) in answers.iter().zip(&labels) {
        assert_eq!(answer, "unsat", "{label}");
    }
    println!(
        "{} instances of {} rules proved",
        labels.len(),
        Rule::ALL.len()
    );
}

fn z3(script: String) -> Option<Vec<String>> {
    let mut child = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}
