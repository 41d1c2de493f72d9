//! Propositional connectives and if-then-else.

use crate::{Level, Op, Rule, Sort, Term, Terms};
use stet_base::FastSet;

impl Terms {
    pub fn not(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::BOOL);
        if self.at(Level::Cheap) {
            match self.op(a) {
                Op::True | Op::False => {
                    self.fire(Rule::Fold);
                    return self.bool(a == Term::FALSE);
                }
                Op::Not => {
                    self.fire(Rule::NotNot);
                    return self.args(a)[0];
                }
                _ => {}
            }
        }
        self.intern(Op::Not, &[a], Sort::BOOL)
    }

    /// Whether one is the negation of the other.
    pub fn complementary(&self, a: Term, b: Term) -> bool {
        (self.op(a) == Op::Not && self.args(a)[0] == b)
            || (self.op(b) == Op::Not && self.args(b)[0] == a)
    }

    /// Conjunction of two.
    pub fn and2(&self, a: Term, b: Term) -> Term {
        self.and(&[a, b])
    }

    /// Disjunction of two.
    pub fn or2(&self, a: Term, b: Term) -> Term {
        self.or(&[a, b])
    }

    /// Conjunction; true if empty.
    pub fn and(&self, args: &[Term]) -> Term {
        self.junction(args, Op::And)
    }

    /// Disjunction; false if empty.
    pub fn or(&self, args: &[Term]) -> Term {
        self.junction(args, Op::Or)
    }

    fn junction(&self, args: &[Term], op: Op) -> Term {
        let (unit, zero, rules) = match op {
            Op::And => (
                Term::TRUE,
                Term::FALSE,
                [Rule::AndUnit, Rule::AndDuplicate, Rule::AndComplement],
            ),
            _ => (
                Term::FALSE,
                Term::TRUE,
                [Rule::OrUnit, Rule::OrDuplicate, Rule::OrComplement],
            ),
        };
        match *args {
            [] => return unit,
            [a] => return a,
            _ if !self.at(Level::Cheap) => return self.intern(op, args, Sort::BOOL),
            _ => {}
        }
        if args.contains(&zero) {
            self.fire(rules[0]);
            return zero;
        }
        let mut kept: Vec<Term> = args.iter().copied().filter(|&arg| arg != unit).collect();
        if kept.len() < args.len() {
            self.fire(rules[0]);
        }
        let before = kept.len();
        if self.at(Level::Full) {
            kept.sort_unstable_by_key(|&arg| (self.node(arg).shape, arg));
            kept.dedup();
        } else {
            let mut seen = FastSet::default();
            kept.retain(|&arg| seen.insert(arg));
        }
        if kept.len() < before {
            self.fire(rules[1]);
        }
        if self.has_complements(&kept) {
            self.fire(rules[2]);
            return zero;
        }
        match *kept {
            [] => unit,
            [a] => a,
            _ => self.intern(op, &kept, Sort::BOOL),
        }
    }

    fn has_complements(&self, args: &[Term]) -> bool {
        let negations = || args.iter().filter(|&&arg| self.op(arg) == Op::Not);
        match args.len() {
            0..8 => negations().any(|&arg| args.contains(&self.args(arg)[0])),
            _ => {
                let all: FastSet<Term> = args.iter().copied().collect();
                negations().any(|&arg| all.contains(&self.args(arg)[0]))
            }
        }
    }

    pub fn implies(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!((self.sort(a), self.sort(b)), (Sort::BOOL, Sort::BOOL));
        if self.at(Level::Cheap) {
            let simpler = match (a, b) {
                (Term::TRUE, _) => Some(b),
                (Term::FALSE, _) | (_, Term::TRUE) => Some(Term::TRUE),
                (_, Term::FALSE) => Some(self.not(a)),
                _ if a == b => Some(Term::TRUE),
                _ => None,
            };
            if let Some(simpler) = simpler {
                self.fire(Rule::ImpliesConst);
                return simpler;
            }
        }
        self.intern(Op::Implies, &[a, b], Sort::BOOL)
    }

    /// Exclusive or of truth values.
    pub fn xor(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    /// If-then-else of any sort.
    pub fn ite(&self, condition: Term, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(condition), Sort::BOOL);
        debug_assert_eq!(self.sort(a), self.sort(b));
        if !self.at(Level::Cheap) {
            return self.intern(Op::Ite, &[condition, a, b], self.sort(a));
        }
        match condition {
            Term::TRUE | Term::FALSE => {
                self.fire(Rule::IteConst);
                return if condition == Term::TRUE { a } else { b };
            }
            _ if a == b => {
                self.fire(Rule::IteSame);
                return a;
            }
            _ => {}
        }
        if self.op(condition) == Op::Not {
            self.fire(Rule::IteNot);
            return self.ite(self.args(condition)[0], b, a);
        }
        if let Some(simpler) = self.ite_bool(condition, a, b) {
            self.fire(Rule::IteBool);
            return simpler;
        }
        if self.at(Level::Full)
            && let Some((a, b)) = self.ite_branches(condition, a, b)
        {
            self.fire(Rule::IteNested);
            return self.ite(condition, a, b);
        }
        self.intern(Op::Ite, &[condition, a, b], self.sort(a))
    }

    fn ite_bool(&self, condition: Term, a: Term, b: Term) -> Option<Term> {
        match (a, b) {
            _ if self.sort(a) != Sort::BOOL => None,
            (Term::TRUE, Term::FALSE) => Some(condition),
            (Term::FALSE, Term::TRUE) => Some(self.not(condition)),
            (Term::TRUE, _) => Some(self.or2(condition, b)),
            (Term::FALSE, _) => Some(self.and2(self.not(condition), b)),
            (_, Term::TRUE) => Some(self.or2(self.not(condition), a)),
            (_, Term::FALSE) => Some(self.and2(condition, a)),
            _ => None,
        }
    }

    /// Branches that ask the same condition again.
    fn ite_branches(&self, condition: Term, a: Term, b: Term) -> Option<(Term, Term)> {
        let inner = |term: Term| {
            (self.op(term) == Op::Ite && self.args(term)[0] == condition).then(|| self.args(term))
        };
        match (inner(a), inner(b)) {
            (None, None) => None,
            (x, y) => Some((x.map_or(a, |args| args[1]), y.map_or(b, |args| args[2]))),
        }
    }
}
