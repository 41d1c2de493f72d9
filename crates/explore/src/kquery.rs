//! Terms in KLEE's query language, and what is recorded of a path when it ends.
//!
//! Terms that other terms share are labelled where they occur first (`N0:(…)`) and named afterwards, so that the text is
//! as small as the shared term. Symbolic bytes `x[2]` are reads of an array `x`. Terms over tables and arrays have no
//! short form there: they are left to SMT-LIB, and a query with one says so.

use crate::exec::Executor;
use crate::report::Recorded;
use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use stet_base::FastMap;
use stet_term::{Op, Term, Terms};

impl Executor<'_> {
    /// What is recorded of a path, as far as it was asked for.
    pub(crate) fn recorded(&self, state: &State) -> Recorded {
        let wanted = self.settings.recording;
        let mut recorded = Recorded::default();
        if wanted.branches {
            recorded.branches = state.branches.in_order().into_iter().copied().collect();
        }
        if wanted.lines {
            recorded.lines = self.new_lines(state).into_iter().collect();
        }
        if wanted.kquery || wanted.smt2 {
            let constraints: Vec<Term> = state.constraints.iter().collect();
            let terms = &self.ctx.terms;
            if wanted.smt2 {
                recorded.smt2 = Some(stet_term::Printer::new(terms).script(&constraints));
            }
            if wanted.kquery {
                let objects = state.symbolics.in_order();
                let arrays = objects
                    .iter()
                    .map(|object| (object.name.to_string(), object.bytes.len()));
                recorded.kquery = Some(query(terms, &constraints, arrays.collect()));
            }
        }
        recorded
    }

    fn new_lines(&self, state: &State) -> BTreeSet<(String, u32)> {
        let mut lines = BTreeSet::new();
        for &(function, block) in state.new_blocks.newest_first() {
            let Some(code) = self.program.code(&self.ctx, function) else {
                continue;
            };
            let Some(start) = crate::profile::block_start(&code, block) else {
                continue;
            };
            let size = code.block_sizes.get(block as usize).copied().unwrap_or(0);
            for pc in start..start + size {
                let place = self.location(&code, pc);
                if place.line > 0 {
                    lines.insert((place.file, place.line));
                }
            }
        }
        lines
    }
}

/// A whole query: arrays, constraints, and `false`, so that a model is an input of the path.
fn query(terms: &Terms, constraints: &[Term], arrays: Vec<(String, usize)>) -> String {
    let mut text = String::new();
    let mut printer = Printer::new(terms, constraints);
    let mut body: Vec<String> = Vec::new();
    for &constraint in constraints {
        body.push(printer.text(constraint));
    }
    for (name, size) in &arrays {
        let _ = writeln!(text, "array {name}[{size}] : w32 -> w8 = symbolic");
    }
    for (name, size) in &printer.others {
        let _ = writeln!(text, "array {name}[{size}] : w32 -> w8 = symbolic");
    }
    if printer.inexpressible {
        text.push_str("# a constraint over an array is written as SMT-LIB\n");
    }
    let _ = writeln!(text, "(query [{}]\n       false)", body.join("\n        "));
    text
}

/// One term, without declarations.
pub(crate) fn expression(terms: &Terms, term: Term) -> String {
    Printer::new(terms, &[term]).text(term)
}

struct Printer<'a> {
    terms: &'a Terms,
    /// Terms with more than one use, and their labels once they were written.
    shared: FastMap<Term, Option<u32>>,
    labels: u32,
    /// Symbols that are not bytes of a symbolic object: name and bytes.
    others: BTreeMap<String, u32>,
    inexpressible: bool,
}

enum Item {
    Term(Term),
    Text(String),
}

impl<'a> Printer<'a> {
    fn new(terms: &'a Terms, roots: &[Term]) -> Self {
        let mut uses: FastMap<Term, u32> = FastMap::default();
        terms.post_order(roots, |term| {
            for &arg in terms.args(term) {
                *uses.entry(arg).or_default() += 1;
            }
        });
        let shared = uses
            .into_iter()
            .filter(|&(term, count)| count > 1 && !terms.args(term).is_empty())
            .map(|(term, _)| (term, None));
        Printer {
            terms,
            shared: shared.collect(),
            labels: 0,
            others: BTreeMap::new(),
            inexpressible: false,
        }
    }

    fn text(&mut self, root: Term) -> String {
        let mut out = String::new();
        let mut pending = vec![Item::Term(root)];
        while let Some(item) = pending.pop() {
            match item {
                Item::Text(text) => out.push_str(&text),
                Item::Term(term) => {
                    if let Some(label) = self.shared.get_mut(&term) {
                        if let Some(number) = label {
                            let _ = write!(out, "N{number}");
                            continue;
                        }
                        *label = Some(self.labels);
                        let _ = write!(out, "N{}:", self.labels);
                        self.labels += 1;
                    }
                    self.open(term, &mut out, &mut pending);
                }
            }
        }
        out
    }

    /// Writes a term's head; its arguments are put where they are written next.
    fn open(&mut self, term: Term, out: &mut String, pending: &mut Vec<Item>) {
        let terms = self.terms;
        let args: Vec<Term> = terms.args(term).to_vec();
        let width = || terms.width(term);
        let simple = match terms.op(term) {
            Op::True => return out.push_str("true"),
            Op::False => return out.push_str("false"),
            Op::Bv(value) => return out.push_str(&value.to_string()),
            Op::BigBv(id) => return out.push_str(&terms.big(id).to_string()),
            Op::Symbol(_) => return self.symbol(term, out),
            Op::Not => "Not".to_owned(),
            Op::And => "And".to_owned(),
            Op::Or => "Or".to_owned(),
            Op::Eq => "Eq".to_owned(),
            Op::Ite => format!("Select w{}", width()),
            Op::BvNot => format!("Not w{}", width()),
            Op::BvNeg => format!("Sub w{} 0", width()),
            Op::BvAnd => format!("And w{}", width()),
            Op::BvOr => format!("Or w{}", width()),
            Op::BvXor => format!("Xor w{}", width()),
            Op::BvAdd => format!("Add w{}", width()),
            Op::BvMul => format!("Mul w{}", width()),
            Op::BvUdiv => format!("UDiv w{}", width()),
            Op::BvUrem => format!("URem w{}", width()),
            Op::BvSdiv => format!("SDiv w{}", width()),
            Op::BvSrem => format!("SRem w{}", width()),
            Op::BvShl => format!("Shl w{}", width()),
            Op::BvLshr => format!("LShr w{}", width()),
            Op::BvAshr => format!("AShr w{}", width()),
            Op::BvUlt => "Ult".to_owned(),
            Op::BvSlt => "Slt".to_owned(),
            Op::Concat => format!("Concat w{}", width()),
            Op::Extract { low, .. } => format!("Extract w{} {low}", width()),
            Op::ZeroExtend => format!("ZExt w{}", width()),
            Op::SignExtend => format!("SExt w{}", width()),
            _ => {
                self.inexpressible = true;
                out.push_str(&stet_term::Printer::new(terms).term(term));
                return;
            }
        };
        // operations of two arguments stand for those of more
        let nested = args.len().saturating_sub(2);
        let is_chain = matches!(
            terms.op(term),
            Op::And
                | Op::Or
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::Concat
        );
        let depth = if is_chain { nested } else { 0 };
        let _ = write!(out, "({simple}");
        pending.push(Item::Text(")".repeat(depth + 1)));
        for (k, &arg) in args.iter().enumerate().rev() {
            pending.push(Item::Term(arg));
            let opens = is_chain && k > 0 && k + 1 < args.len();
            pending.push(Item::Text(match opens {
                true => format!(" ({simple} "),
                false => " ".to_owned(),
            }));
        }
    }

    fn symbol(&mut self, term: Term, out: &mut String) {
        let Op::Symbol(symbol) = self.terms.op(term) else {
            return;
        };
        let text = self.terms.symbol_info(symbol).name.to_string();
        let indexed = text
            .strip_suffix(']')
            .and_then(|text| text.rsplit_once('['))
            .filter(|(_, index)| index.bytes().all(|byte| byte.is_ascii_digit()));
        let _ = match indexed {
            Some((name, index)) => write!(out, "(Read w8 {index} {name})"),
            None => {
                let bytes = self.terms.width(term).div_ceil(8);
                let name = text.replace(['.', '!'], "_");
                self.others.insert(name.clone(), bytes);
                write!(out, "(ReadLSB w{} 0 {name})", self.terms.width(term))
            }
        };
    }
}
