//! SMT-LIB 2 text with shared subterms.
//!
//! [`Printer::declare`] writes the declarations a term needs and that were not written before;
//! [`Printer::term`] writes a term, naming every subterm that occurs more than once by a `let` as far out as
//! its bound variables allow; [`Printer::script`] writes assertions whose common subterms are `define-fun`s.
//!
//! Names: what is no simple SMT-LIB symbol is quoted; `%`, `|` and `\` are escaped and theory names get a
//! `%` at the end, so that different symbols stay different and the printer's own names (`%1`) are free.

mod declare;
mod names;
mod scope;

pub use declare::Declared;
pub use names::{is_simple_symbol, quoted};

use crate::{Op, Sort, SortKind, Sym, Term, Terms};
use num_bigint::{BigInt, Sign};
use std::fmt::Write;
use stet_base::{FastMap, FastSet};

/// What is left to write.
enum Item {
    Text(&'static str),
    Name(u32),
    /// A term, by its name if it has one.
    Term(Term),
    /// A term by its operator, even if it has a name.
    Open(Term),
    /// The root of a scope: its shared subterms are named first.
    Scope(Term),
    /// The end of a scope that named these terms; one parenthesis per `let`.
    Leave(Vec<Term>, usize),
    Quoted(Sym),
    Sort(Sort),
    Attribute(&'static str, String),
}

/// Writes terms of one pool, remembering what was declared and defined.
pub struct Printer<'a> {
    terms: &'a Terms,
    names: FastMap<Term, u32>,
    next_name: u32,
    declared: FastSet<Sym>,
    declared_order: Vec<Sym>,
    declared_sorts: FastSet<Sort>,
    declared_sort_order: Vec<Sort>,
}

impl<'a> Printer<'a> {
    /// A printer that has written nothing.
    pub fn new(terms: &'a Terms) -> Self {
        Printer {
            terms,
            names: FastMap::default(),
            next_name: 0,
            declared: FastSet::default(),
            declared_order: Vec::new(),
            declared_sorts: FastSet::default(),
            declared_sort_order: Vec::new(),
        }
    }

    /// A term; symbols are not declared.
    pub fn term(&mut self, term: Term) -> String {
        let mut out = String::new();
        self.write_term(term, &mut out);
        out
    }

    /// Appends a term.
    pub fn write_term(&mut self, term: Term, out: &mut String) {
        self.run(vec![Item::Scope(term)], out);
    }

    /// Declarations, definitions of subterms shared between assertions, and the assertions.
    pub fn script(&mut self, assertions: &[Term]) -> String {
        let mut out = String::new();
        self.declare(assertions, &mut out);
        for term in self.shared_between(assertions) {
            let _ = write!(out, "(define-fun %{} () ", self.next_name);
            out.push_str(&self.terms.sort_text(self.terms.sort(term)));
            out.push(' ');
            self.run(vec![Item::Open(term)], &mut out);
            out.push_str(")\n");
            self.names.insert(term, self.next_name);
            self.next_name += 1;
        }
        for &assertion in assertions {
            out.push_str("(assert ");
            self.write_term(assertion, &mut out);
            out.push_str(")\n");
        }
        out
    }

    fn run(&mut self, mut items: Vec<Item>, out: &mut String) {
        let terms = self.terms;
        while let Some(item) = items.pop() {
            match item {
                Item::Text(text) => out.push_str(text),
                Item::Name(name) => {
                    let _ = write!(out, "%{name}");
                }
                Item::Quoted(symbol) => out.push_str(&quoted(&terms.symbol_info(symbol).name)),
                Item::Sort(sort) => out.push_str(&terms.sort_text(sort)),
                Item::Attribute(key, value) => {
                    out.push_str(key);
                    out.push_str(&value);
                }
                Item::Term(term) => match self.names.get(&term) {
                    Some(name) => {
                        let _ = write!(out, "%{name}");
                    }
                    None => self.open(term, &mut items, out),
                },
                Item::Open(term) => self.open(term, &mut items, out),
                Item::Scope(root) => self.enter(root, &mut items),
                Item::Leave(named, lets) => {
                    for term in named {
                        self.names.remove(&term);
                    }
                    (0..lets).for_each(|_| out.push(')'));
                }
            }
        }
    }

    fn open(&mut self, term: Term, items: &mut Vec<Item>, out: &mut String) {
        let terms = self.terms;
        let node = terms.node(term);
        if node.op.is_quantifier() {
            self.open_quantifier(term, items);
            return;
        }
        if let Op::Table(id) = node.op {
            self.table(node.sort, id, out);
            return;
        }
        let args = node.args();
        if args.is_empty() {
            self.leaf(term, out);
            return;
        }
        out.push('(');
        self.head(term, out);
        items.push(Item::Text(")"));
        for &arg in args.iter().rev() {
            items.push(Item::Term(arg));
            items.push(Item::Text(" "));
        }
    }

    fn leaf(&self, term: Term, out: &mut String) {
        let terms = self.terms;
        match terms.op(term) {
            Op::True => out.push_str("true"),
            Op::False => out.push_str("false"),
            Op::Symbol(symbol) => out.push_str(&quoted(&terms.symbol_info(symbol).name)),
            Op::Bv(_) | Op::BigBv(_) => {
                if let Some(bits) = terms.as_bits(term) {
                    let _ = write!(out, "{bits}");
                }
            }
            Op::Int(id) => number(terms.big(id), "", out),
            Op::Real(p, q) => {
                let (p, q) = (terms.big(p), terms.big(q));
                if *q == BigInt::from(1) {
                    number(p, ".0", out);
                } else {
                    out.push_str("(/ ");
                    number(p, ".0", out);
                    out.push(' ');
                    number(q, ".0", out);
                    out.push(')');
                }
            }
            Op::Literal(name) | Op::Builtin(name) => out.push_str(terms.name(name)),
            Op::Construct(index) => {
                let constructor = terms.constructors(terms.sort(term)).get(index as usize);
                out.push_str(&quoted(constructor.map_or("", |c| &c.name)));
            }
            op => out.push_str(plain_head(op).unwrap_or("")),
        }
    }

    /// What stands after the opening parenthesis.
    fn head(&self, term: Term, out: &mut String) {
        let terms = self.terms;
        let node = terms.node(term);
        let inner = node.args()[0];
        let growth = || terms.width(term) - terms.width(inner);
        let constructor = |sort: Sort, index: u32| terms.constructors(sort).get(index as usize);
        let _ = match node.op {
            Op::Apply(symbol) => write!(out, "{}", quoted(&terms.symbol_info(symbol).name)),
            Op::Builtin(name) => write!(out, "{}", terms.name(name)),
            Op::Extract { high, low } => write!(out, "(_ extract {high} {low})"),
            Op::ZeroExtend => write!(out, "(_ zero_extend {})", growth()),
            Op::SignExtend => write!(out, "(_ sign_extend {})", growth()),
            Op::Fill => write!(out, "(as const {})", terms.sort_text(node.sort)),
            Op::Construct(index) => {
                let name = constructor(node.sort, index).map_or("", |c| &c.name);
                write!(out, "{}", quoted(name))
            }
            Op::Tester(index) => {
                let name = constructor(terms.sort(inner), index).map_or("", |c| &c.name);
                write!(out, "(_ is {})", quoted(name))
            }
            Op::Selector {
                constructor: index,
                field,
            } => {
                let made = constructor(terms.sort(inner), index);
                let field = made.and_then(|c| c.fields.get(field as usize));
                write!(out, "{}", quoted(field.map_or("", |f| &f.0)))
            }
            op => write!(out, "{}", plain_head(op).unwrap_or("")),
        };
    }

    fn open_quantifier(&mut self, term: Term, items: &mut Vec<Item>) {
        let Some((bound, body, info)) = self.terms.quantifier(term) else {
            return;
        };
        let head = match self.terms.op(term) {
            Op::Forall(_) => "(forall (",
            _ => "(exists (",
        };
        let mut parts = vec![Item::Text(head)];
        for &variable in bound {
            if let Op::Symbol(symbol) = self.terms.op(variable) {
                parts.push(Item::Text("("));
                parts.push(Item::Quoted(symbol));
                parts.push(Item::Text(" "));
                parts.push(Item::Sort(self.terms.sort(variable)));
                parts.push(Item::Text(")"));
            }
        }
        parts.push(Item::Text(") "));
        let annotated = info != crate::Quantifier::default();
        if annotated {
            parts.push(Item::Text("(! "));
        }
        parts.push(Item::Scope(body));
        for pattern in &info.patterns {
            parts.push(Item::Text(" :pattern ("));
            for (i, &term) in pattern.iter().enumerate() {
                parts.push(Item::Text(if i > 0 { " " } else { "" }));
                parts.push(Item::Term(term));
            }
            parts.push(Item::Text(")"));
        }
        for &term in &info.no_patterns {
            parts.push(Item::Text(" :no-pattern "));
            parts.push(Item::Term(term));
        }
        if let Some(weight) = info.weight {
            parts.push(Item::Attribute(" :weight ", weight.to_string()));
        }
        if let Some(qid) = &info.qid {
            parts.push(Item::Attribute(" :qid ", quoted(qid).into_owned()));
        }
        if let Some(skolem) = &info.skolem_id {
            parts.push(Item::Attribute(" :skolemid ", quoted(skolem).into_owned()));
        }
        if annotated {
            parts.push(Item::Text(")"));
        }
        parts.push(Item::Text(")"));
        items.extend(parts.into_iter().rev());
    }

    /// A constant table as stores over zeros.
    fn table(&self, sort: Sort, id: crate::TableId, out: &mut String) {
        let SortKind::Array { index, element } = self.terms.sort_kind(sort) else {
            return;
        };
        let (Some(index), Some(element)) = (index.bv_width(), element.bv_width()) else {
            return;
        };
        let table = self.terms.table_content(id);
        let last = if index < 63 { 1u64 << index } else { u64::MAX };
        let used: Vec<u64> = (0..(table.len() as u64).min(last))
            .filter(|&i| table.get(i) != 0)
            .collect();
        used.iter().for_each(|_| out.push_str("(store "));
        let zero = crate::Bits::new(element, 0);
        let _ = write!(out, "((as const {}) {zero})", self.terms.sort_text(sort));
        for i in used {
            let (at, value) = (
                crate::Bits::new(index, i),
                crate::Bits::new(element, table.get(i)),
            );
            let _ = write!(out, " {at} {value})");
        }
    }
}

fn number(value: &BigInt, suffix: &str, out: &mut String) {
    let _ = match value.sign() {
        Sign::Minus => write!(out, "(- {}{suffix})", value.magnitude()),
        _ => write!(out, "{value}{suffix}"),
    };
}

/// The SMT-LIB name of an operator that needs no parameters.
fn plain_head(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Implies => "=>",
        Op::Eq => "=",
        Op::Distinct => "distinct",
        Op::Ite => "ite",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUlt => "bvult",
        Op::BvSlt => "bvslt",
        Op::Concat => "concat",
        Op::Select => "select",
        Op::Store => "store",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Neg => "-",
        Op::IntDiv => "div",
        Op::IntMod => "mod",
        Op::RealDiv => "/",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::ToReal => "to_real",
        Op::ToInt => "to_int",
        Op::IsInt => "is_int",
        _ => return None,
    })
}

impl Terms {
    /// A sort as SMT-LIB text.
    pub fn sort_text(&self, sort: Sort) -> String {
        match self.sort_kind(sort) {
            SortKind::Bool => "Bool".to_owned(),
            SortKind::Int => "Int".to_owned(),
            SortKind::Real => "Real".to_owned(),
            SortKind::BitVec(width) => format!("(_ BitVec {width})"),
            SortKind::Array { index, element } => {
                format!(
                    "(Array {} {})",
                    self.sort_text(index),
                    self.sort_text(element)
                )
            }
            SortKind::Uninterpreted { name, args } if !args.is_empty() => {
                let args: Vec<String> = args.iter().map(|&arg| self.sort_text(arg)).collect();
                format!("({} {})", quoted(name), args.join(" "))
            }
            SortKind::Uninterpreted { name, .. } | SortKind::Datatype { name } => {
                quoted(name).into_owned()
            }
            SortKind::Builtin(text) => text.to_owned(),
        }
    }

    /// A term as SMT-LIB text; symbols are not declared.
    pub fn text(&self, term: Term) -> String {
        Printer::new(self).term(term)
    }
}
