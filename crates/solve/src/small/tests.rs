//! Enumeration against the bit-vector procedure and the evaluator, on random conditions.

use super::columns::SYMBOL_BITS;
use super::domains::{Decision, Domains};
use super::{grid, is_among};
use crate::{InProcess, Limits, Outcome, QuerySolver, Solver, check_query};
use stet_base::Budget;
use stet_term::{Bits, Evaluator, Model, Op, Sort, Table, Term, Terms, Value};
use stet_testkit::Random;

struct Generator<'a> {
    terms: &'a Terms,
    rng: &'a mut Random,
    symbols: Vec<Term>,
    tables: Vec<Term>,
}

impl Generator<'_> {
    fn pick(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    fn word(&mut self, width: u32, depth: u32) -> Term {
        let terms = self.terms;
        if depth == 0 || self.pick(8) == 0 {
            let which = self.pick(self.symbols.len() as u64) as usize;
            let symbol = self.symbols[which];
            return match self.pick(3) {
                0 => terms.bv(width, self.rng.bits() & (u64::MAX >> (64 - width))),
                _ => terms.zero_resize(symbol, width),
            };
        }
        let (a, b) = (self.word(width, depth - 1), self.word(width, depth - 1));
        match self.pick(18) {
            0 => terms.bv_add(a, b),
            1 => terms.bv_mul(a, b),
            2 => terms.bv_and(a, b),
            3 => terms.bv_or(a, b),
            4 => terms.bv_xor(a, b),
            5 => terms.bv_udiv(a, b),
            6 => terms.bv_urem(a, b),
            7 => terms.bv_sdiv(a, b),
            8 => terms.bv_srem(a, b),
            9 => terms.bv_shl(a, terms.bv_and(b, terms.bv(width, 15))),
            10 => terms.bv_lshr(a, terms.bv_and(b, terms.bv(width, 15))),
            11 => terms.bv_ashr(a, terms.bv_and(b, terms.bv(width, 15))),
            12 => terms.bv_not(a),
            13 => terms.bv_neg(a),
            14 if width <= 32 => {
                let half = terms.extract(width / 2 - 1, 0, a);
                terms.sign_extend(half, width)
            }
            15 if width <= 16 => {
                let wide = terms.concat(a, b);
                let low = self.pick(u64::from(width)) as u32;
                terms.extract(low + width - 1, low, wide)
            }
            16 => {
                let condition = self.condition(depth - 1);
                terms.ite(condition, a, b)
            }
            _ => {
                let which = self.pick(self.tables.len() as u64) as usize;
                let table = self.tables[which];
                let index = terms.zero_resize(terms.extract(3, 0, a), 32);
                let table = match self.pick(2) {
                    0 => table,
                    _ => {
                        let at = terms.zero_resize(terms.extract(3, 0, b), 32);
                        terms.store(table, at, terms.extract(7, 0, b))
                    }
                };
                terms.zero_resize(terms.select(table, index), width)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        let width = [8, 16, 32][self.pick(3) as usize];
        let (a, b) = (self.word(width, depth), self.word(width, depth));
        match self.pick(5) {
            0 => terms.eq(a, b),
            1 => terms.bv_ult(a, b),
            2 => terms.bv_slt(a, b),
            3 => terms.not(terms.eq(a, b)),
            _ => {
                let first = terms.bv_ult(a, b);
                let second = terms.eq(a, terms.bv(width, 7));
                terms.or(&[first, second])
            }
        }
    }
}

#[test]
fn enumeration_agrees_with_the_bit_vector_procedure() {
    assert_eq!(SYMBOL_BITS, 8);
    let cases = option_env!("STET_DOMAIN_CASES")
        .and_then(|text| text.parse().ok())
        .unwrap_or(400u64);
    let mut rng = Random::new(7);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..cases {
        let terms = Terms::new();
        let symbols: Vec<Term> = (0..1 + rng.below(3))
            .map(|k| terms.symbol(&format!("x{k}"), Sort::bv(8)))
            .collect();
        let sort = terms.array_sort(Sort::bv(32), Sort::bv(8));
        let tables: Vec<Term> = (0..2)
            .map(|_| {
                let words: Box<[u64]> = (0..16).map(|_| rng.below(256)).collect();
                terms.table(sort, Table::Words(words))
            })
            .collect();
        let mut domains = Domains::default();
        let mut generator = Generator {
            terms: &terms,
            rng: &mut rng,
            symbols,
            tables,
        };
        let mut constraints: Vec<Term> = Vec::new();
        for _ in 0..4 {
            constraints.push(generator.condition(2));
            constraints.retain(|&constraint| constraint != Term::TRUE);
            if constraints.contains(&Term::FALSE) {
                break;
            }
            let solved = check_query(&terms, &constraints, &Budget::unlimited());
            match (domains.decide(&terms, &constraints), solved) {
                (Decision::GaveUp, _) | (_, Outcome::Unknown(_)) => {}
                (Decision::Unsat, Outcome::Unsat) => unsat += 1,
                (Decision::Sat(values), Outcome::Sat(_)) => {
                    sat += 1;
                    let mut model = Model::new();
                    for (symbol, value) in values {
                        model.set(symbol, Value::Bv(Bits::new(8, value)));
                    }
                    let mut evaluator = Evaluator::new(&terms, &model);
                    for &constraint in &constraints {
                        assert!(evaluator.holds(constraint), "{}", terms.text(constraint));
                    }
                }
                (enumerated, solved) => {
                    let text: Vec<String> = constraints.iter().map(|&c| terms.text(c)).collect();
                    panic!("{enumerated:?} but {solved:?} for {text:?}");
                }
            }
        }
    }
    assert!(
        sat > 50 && unsat > 10,
        "{sat} and {unsat} cases are too few"
    );
}

impl Generator<'_> {
    /// A condition on values wider than a word of 64, and of 128, bits.
    fn wide_condition(&mut self) -> Term {
        let terms = self.terms;
        let (a, b) = (self.word(32, 2), self.word(32, 2));
        let pair = terms.concat(a, b);
        let wide = match self.pick(3) {
            0 => terms.zero_extend(pair, 100),
            1 => terms.sign_extend(pair, 128),
            _ => terms.concat(terms.concat(pair, b), terms.concat(a, a)),
        };
        let width = terms.width(wide);
        let other = terms.sign_extend(self.word(32, 2), width);
        let few = terms.bv_and(other, terms.bits(&Bits::new(width, 63)));
        let result = match self.pick(10) {
            0 => terms.bv_add(wide, other),
            1 => terms.bv_mul(wide, other),
            2 => terms.bv_udiv(wide, other),
            3 => terms.bv_srem(wide, other),
            4 => terms.bv_shl(wide, few),
            5 => terms.bv_ashr(wide, few),
            6 => terms.bv_lshr(wide, few),
            7 => terms.bv_neg(terms.bv_xor(wide, other)),
            8 => terms.bv_sdiv(wide, other),
            _ => terms.ite(self.condition(1), wide, other),
        };
        let low = self.pick(u64::from(width) - 8) as u32;
        match self.pick(4) {
            0 => terms.bv_ult(result, other),
            1 => terms.bv_slt(wide, result),
            2 => terms.eq(result, other),
            _ => terms.bv_ult(terms.extract(low + 7, low, result), terms.bv(8, 40)),
        }
    }
}

/// What conditions with wide values allow to their one symbol is what evaluation says, value by value.
#[test]
fn columns_go_through_wide_values() {
    let mut rng = Random::new(23);
    let mut known = 0;
    for _ in 0..60 {
        let terms = Terms::new();
        let symbol = terms.symbol("x", Sort::bv(8));
        let sort = terms.array_sort(Sort::bv(32), Sort::bv(8));
        let words: Box<[u64]> = (0..16).map(|_| rng.below(256)).collect();
        let tables = vec![terms.table(sort, Table::Words(words))];
        let mut generator = Generator {
            terms: &terms,
            rng: &mut rng,
            symbols: vec![symbol],
            tables,
        };
        let mut domains = Domains::default();
        for _ in 0..4 {
            let condition = generator.wide_condition();
            let Op::Symbol(name) = terms.op(symbol) else {
                panic!("a symbol");
            };
            let Some(values) = domains.allowed(&terms, condition, name) else {
                continue;
            };
            known += 1;
            for value in 0..256 {
                let mut model = Model::new();
                model.set(name, Value::Bv(Bits::new(8, value)));
                let holds = Evaluator::new(&terms, &model).holds(condition);
                let text = terms.text(condition);
                assert_eq!(is_among(&values, value), holds, "{value} in {text}");
            }
        }
    }
    assert!(known > 150, "{known} conditions are too few");
}

/// Tables over three symbols, the last with few values, against the bit-vector procedure.
#[test]
fn tables_agree_with_the_bit_vector_procedure() {
    let cases = option_env!("STET_DOMAIN_CASES")
        .and_then(|text| text.parse().ok())
        .unwrap_or(60u64);
    let mut rng = Random::new(11);
    let (mut sat, mut unsat, mut spent) = (0, 0, 0);
    for _ in 0..cases {
        let terms = Terms::new();
        let symbols: Vec<Term> = (0..3)
            .map(|k| terms.symbol(&format!("x{k}"), Sort::bv(8)))
            .collect();
        let sort = terms.array_sort(Sort::bv(32), Sort::bv(8));
        let words: Box<[u64]> = (0..16).map(|_| rng.below(256)).collect();
        let tables = vec![terms.table(sort, Table::Words(words))];
        let mut constraints = vec![
            terms.bv_ult(symbols[0], terms.bv(8, 60)),
            terms.bv_ult(symbols[1], terms.bv(8, 40)),
            terms.bv_ult(symbols[2], terms.bv(8, 3)),
        ];
        let mut generator = Generator {
            terms: &terms,
            rng: &mut rng,
            symbols,
            tables,
        };
        for k in 0..3 {
            constraints.push(match k {
                0 => generator.condition(2),
                _ => generator.wide_condition(),
            });
        }
        constraints.retain(|&constraint| constraint != Term::TRUE);
        let limits = Limits {
            budget: Budget::unlimited(),
            resources: Some(3_000),
        };
        let Some(problem) = Domains::default().problem(&terms, &constraints) else {
            continue;
        };
        let solved = QuerySolver::new().check(&terms, &constraints, &limits);
        let decision = grid::decide(&terms, &problem, 1 << 24, &Budget::unlimited());
        // a part of the work is not enough for an answer that the whole does not give
        let part = grid::decide(&terms, &problem, 1 << 14, &Budget::unlimited());
        assert!(part == Decision::GaveUp || part == decision);
        spent += u32::from(part == Decision::GaveUp);
        match (decision, solved) {
            (Decision::GaveUp, _) => panic!("the table was given up"),
            (_, Outcome::Unknown(_)) => {}
            (Decision::Unsat, Outcome::Unsat) => unsat += 1,
            (Decision::Sat(values), Outcome::Sat(_)) => {
                sat += 1;
                let mut model = Model::new();
                for (symbol, value) in values {
                    model.set(symbol, Value::Bv(Bits::new(8, value)));
                }
                let mut evaluator = Evaluator::new(&terms, &model);
                for &constraint in &constraints {
                    assert!(evaluator.holds(constraint), "{}", terms.text(constraint));
                }
            }
            (found, solved) => {
                let text: Vec<String> = constraints.iter().map(|&c| terms.text(c)).collect();
                panic!("{found:?} but {solved:?} for {text:?}");
            }
        }
    }
    assert!(
        sat > 8 && unsat > 8 && spent > 2,
        "{sat}, {unsat} and {spent} cases are too few"
    );
}

/// A product of two small numbers as floating point decides: hard for a SAT solver, a small table.
#[test]
fn in_process_decides_arithmetic_over_few_values_by_a_table() {
    let terms = Terms::new();
    let digits: Vec<Term> = (0..3)
        .map(|k| terms.symbol(&format!("d{k}"), Sort::bv(8)))
        .collect();
    let mut constraints: Vec<Term> = digits
        .iter()
        .map(|&digit| terms.bv_ult(digit, terms.bv(8, 10)))
        .collect();
    let mut value = terms.bv(64, 1);
    for _ in 0..4 {
        for &digit in &digits {
            let wide = terms.zero_extend(digit, 64);
            value = terms.bv_mul(
                terms.bv_add(value, wide),
                terms.bv_add(value, terms.bv(64, 977)),
            );
        }
    }
    constraints.push(terms.eq(
        terms.bv_urem(value, terms.bv(64, 65_521)),
        terms.bv(64, 65_530),
    ));
    let mut solver = InProcess::new();
    let outcome = solver.check(&terms, &constraints, &Limits::none());
    assert_eq!(outcome, Outcome::Unsat);
    assert_eq!(solver.statistics().enumerated, 1);
}
