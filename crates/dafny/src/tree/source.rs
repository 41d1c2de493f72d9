//! Expressions as a program would write them, for messages.
//!
//! [`Program::source`] gives the text of a resolved expression, with texts in place of some variables and of `this`: the
//! arguments of a call, the names of values that are remembered. Parentheses are written where the text would mean something
//! else without them.
//!
//! A [`Text`] knows how strongly it binds. Binders and conditionals extend as far to the right as possible, so they need
//! parentheses unless nothing follows.

use super::{
    BinaryOp, CtorId, ExprId, ExprKind, Frame, FunctionCall, LabelId, Pattern, PatternKind,
    Program, Property, StmtKind, Ty, TyKind, UnaryOp, VarId,
};
use stet_base::FastMap;

/// How strongly operators bind; those of one level with other numbers do not mix without parentheses.
pub mod strength {
    /// Binders, conditionals and statement expressions.
    pub const OPEN: u8 = 0;
    /// `decreases to`
    pub const MEASURE: u8 = 0x07;
    pub(super) const IFF: u8 = 0x08;
    pub(super) const IMP: u8 = 0x10;
    /// `&&`
    pub const AND: u8 = 0x20;
    /// `||`
    pub const OR: u8 = 0x21;
    /// Comparisons and memberships.
    pub const RELATION: u8 = 0x30;
    pub(super) const SHIFT: u8 = 0x38;
    pub(super) const ADD: u8 = 0x40;
    pub(super) const MUL: u8 = 0x50;
    pub(super) const BIT_AND: u8 = 0x60;
    pub(super) const BIT_OR: u8 = 0x61;
    pub(super) const BIT_XOR: u8 = 0x62;
    /// `as` and `is`
    pub const CONVERSION: u8 = 0x70;
    pub(super) const UNARY: u8 = 0x80;
    /// Selections, calls, and what is closed on both sides.
    pub const SUFFIX: u8 = 0x90;
}

/// A piece of program text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub text: String,
    /// How strongly its operator binds, of [`strength`].
    pub strength: u8,
    /// Whether it ends with a binder or conditional.
    open: bool,
}

impl Text {
    /// A text whose operator binds with a strength.
    pub fn new(text: impl Into<String>, strength: u8) -> Text {
        let open = strength == strength::OPEN;
        Text {
            text: text.into(),
            strength,
            open,
        }
    }

    /// A name, a literal, a call: what needs no parentheses anywhere.
    pub fn closed(text: impl Into<String>) -> Text {
        Text::new(text, strength::SUFFIX)
    }

    /// The text as an operand of an operator; `fragile` if an equal operator needs parentheses there, `last` if nothing follows.
    pub fn operand(&self, of: u8, fragile: bool, last: bool) -> String {
        let (group, around) = (self.strength & 0xF8, of & 0xF8);
        let is_weaker = if self.strength == strength::OPEN {
            of > strength::OPEN && !last
        } else {
            group < around || (group == around && (self.strength != of || fragile))
        };
        if is_weaker || (self.open && !last) {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    /// Two operands of an operator.
    pub fn binary(left: &Text, word: &str, right: &Text, of: u8, fragile: (bool, bool)) -> Text {
        let right_text = right.operand(of, fragile.1, true);
        let open = right.open && !right_text.starts_with('(');
        Text {
            text: format!("{} {word} {right_text}", left.operand(of, fragile.0, false)),
            strength: of,
            open,
        }
    }

    /// A comparison or membership.
    pub fn relation(left: &Text, word: &str, right: &Text) -> Text {
        Text::binary(left, word, right, strength::RELATION, (true, true))
    }

    /// All of several conditions, or any of them; nothing if there are none.
    pub fn joined(parts: Vec<Text>, word: &str, of: u8) -> Option<Text> {
        let (last, before) = parts.split_last()?;
        let mut texts: Vec<String> = Vec::new();
        if before.is_empty() {
            return Some(last.clone());
        }
        texts.extend(before.iter().map(|part| part.operand(of, false, false)));
        let end = last.operand(of, false, true);
        let open = last.open && !end.starts_with('(');
        texts.push(end);
        Some(Text {
            text: texts.join(&format!(" {word} ")),
            strength: of,
            open,
        })
    }
}

/// What is written in place of variables and of `this`.
#[derive(Clone, Default, Debug)]
pub struct Given {
    pub vars: FastMap<VarId, Text>,
    pub this: Option<Text>,
}

impl Program {
    /// An expression as a program would write it.
    pub fn source(&self, e: ExprId, given: &Given) -> Text {
        Writer { p: self, given }.expr(e, 0)
    }
}

/// How deeply expressions are written out.
const MAX_DEPTH: u32 = 200;

struct Writer<'a> {
    p: &'a Program,
    given: &'a Given,
}

impl Writer<'_> {
    fn expr(&self, e: ExprId, depth: u32) -> Text {
        if depth > MAX_DEPTH {
            return Text::closed("…");
        }
        let depth = depth + 1;
        match &self.p.exprs[e].kind {
            ExprKind::Var(v) => self.var(*v),
            ExprKind::This => match &self.given.this {
                Some(text) => text.clone(),
                None => Text::closed("this"),
            },
            ExprKind::Binary(op, x, y) => self.binary(*op, *x, *y, depth),
            ExprKind::Unary(op, x) => self.unary(*op, *x, depth),
            ExprKind::Convert(x, ty) => self.conversion(*x, "as", self.type_name(e, *ty), depth),
            ExprKind::TypeTest(x, ty) => self.conversion(*x, "is", self.p.show_type(*ty), depth),
            ExprKind::Ite(..)
            | ExprKind::Match { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetSuchThat { .. }
            | ExprKind::Quantifier(_)
            | ExprKind::SetComprehension { .. }
            | ExprKind::MapComprehension { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::StmtExpr(..) => Text::new(self.open(e, depth), strength::OPEN),
            ExprKind::DecreasesTo {
                old,
                new,
                allow_equal,
            } => {
                let old = old.iter().map(|&e| self.expr(e, depth)).collect();
                let new = new.iter().map(|&e| self.expr(e, depth)).collect();
                measure(old, new, *allow_equal)
            }
            _ => Text::closed(self.closed(e, depth)),
        }
    }

    fn var(&self, v: VarId) -> Text {
        match self.given.vars.get(&v) {
            Some(text) => text.clone(),
            None => Text::closed(self.p.text(self.p.vars[v].name)),
        }
    }

    fn type_name(&self, e: ExprId, ty: Ty) -> String {
        match self.p.written.get(&e) {
            Some(&name) => self.p.text(name).to_owned(),
            None => self.p.show_type(ty),
        }
    }

    fn conversion(&self, x: ExprId, word: &str, ty: String, depth: u32) -> Text {
        let of = strength::CONVERSION;
        let operand = self.expr(x, depth).operand(of, false, false);
        Text::new(format!("{operand} {word} {ty}"), of)
    }

    fn unary(&self, op: UnaryOp, x: ExprId, depth: u32) -> Text {
        let inner = self.expr(x, depth);
        let word = match op {
            UnaryOp::Cardinality => return Text::closed(format!("|{}|", inner.text)),
            UnaryOp::Not | UnaryOp::BitNot => "!",
            UnaryOp::Neg => "-",
        };
        let operand = inner.operand(strength::UNARY, false, false);
        Text::new(format!("{word}{operand}"), strength::UNARY)
    }

    fn binary(&self, op: BinaryOp, x: ExprId, y: ExprId, depth: u32) -> Text {
        if let (BinaryOp::And, Some(text)) = (op, self.chain(x, y, depth)) {
            return text;
        }
        let (word, of, fragile) = operator(op);
        if let BinaryOp::And | BinaryOp::Or = op {
            let mut operands = Vec::new();
            self.operands(op, x, depth, &mut operands);
            operands.push(self.expr(y, depth));
            if let Some(text) = Text::joined(operands, word, of) {
                return text;
            }
        }
        let (left, right) = (self.expr(x, depth), self.expr(y, depth));
        Text::binary(&left, word, &right, of, fragile)
    }

    /// What `&&` or `||` connects, from the left.
    fn operands(&self, op: BinaryOp, e: ExprId, depth: u32, found: &mut Vec<Text>) {
        match self.p.exprs[e].kind {
            ExprKind::Binary(same, x, y)
                if same == op && depth < MAX_DEPTH && self.chain(x, y, depth).is_none() =>
            {
                self.operands(op, x, depth + 1, found);
                found.push(self.expr(y, depth + 1));
            }
            _ => found.push(self.expr(e, depth + 1)),
        }
    }

    /// `a < b <= c`: a conjunction whose parts share an operand.
    fn chain(&self, x: ExprId, y: ExprId, depth: u32) -> Option<Text> {
        let ExprKind::Binary(op, shared, last) = self.p.exprs[y].kind else {
            return None;
        };
        let (word, of, _) = operator(op);
        if of != strength::RELATION || self.last_operand(x)? != shared {
            return None;
        }
        let first = self.expr(x, depth).text;
        let last = self.expr(last, depth).operand(of, true, false);
        Some(Text::new(format!("{first} {word} {last}"), of))
    }

    fn last_operand(&self, e: ExprId) -> Option<ExprId> {
        match self.p.exprs[e].kind {
            ExprKind::Binary(BinaryOp::And, x, y) => {
                let ExprKind::Binary(op, shared, last) = self.p.exprs[y].kind else {
                    return None;
                };
                let is_chain = operator(op).1 == strength::RELATION;
                (is_chain && self.last_operand(x)? == shared).then_some(last)
            }
            ExprKind::Binary(op, _, y) => (operator(op).1 == strength::RELATION).then_some(y),
            _ => None,
        }
    }

    fn list(&self, items: &[ExprId], depth: u32) -> String {
        let texts: Vec<String> = items.iter().map(|&e| self.expr(e, depth).text).collect();
        texts.join(", ")
    }

    /// What selections and calls follow.
    fn head(&self, e: ExprId, depth: u32) -> String {
        self.expr(e, depth).operand(strength::SUFFIX, false, false)
    }

    /// The receiver of a selection with its dot; nothing where the program leaves `this` out.
    fn receiver(&self, object: ExprId, member: ExprId, depth: u32) -> String {
        let exprs = &self.p.exprs;
        let is_left_out = matches!(exprs[object].kind, ExprKind::This)
            && exprs[object].span.start == exprs[member].tok.start
            && self.given.this.is_none();
        if is_left_out {
            return String::new();
        }
        self.head(object, depth) + "."
    }

    fn closed(&self, e: ExprId, depth: u32) -> String {
        let p = self.p;
        match &p.exprs[e].kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Real(value) => decimal(value),
            ExprKind::Char(code) => format!("'{}'", escaped(&[*code])),
            ExprKind::Str(codes) => format!("\"{}\"", escaped(codes)),
            ExprKind::Null => "null".into(),
            ExprKind::Field { object, field, .. } => {
                self.receiver(*object, e, depth) + p.text(p.members[*field].name)
            }
            ExprKind::StaticConst { member, .. } => p.text(p.members[*member].name).into(),
            ExprKind::Destructor { value, ctors } => {
                self.receiver(*value, e, depth) + &self.destructor(ctors)
            }
            ExprKind::TupleSelect(of, at) => format!("{}.{at}", self.head(*of, depth)),
            ExprKind::Discriminator(of, ctor) => {
                format!("{}.{}?", self.head(*of, depth), self.ctor(*ctor))
            }
            ExprKind::Property(property, of) => {
                let name = self.property_name(*property, *of);
                format!("{}.{name}", self.head(*of, depth))
            }
            ExprKind::Call(call) => self.call(call, e, depth),
            ExprKind::FunctionValue {
                function, receiver, ..
            } => {
                let before = receiver.map(|r| self.receiver(r, e, depth));
                before.unwrap_or_default() + p.text(p.members[*function].name)
            }
            ExprKind::Apply(f, args) => {
                format!("{}({})", self.head(*f, depth), self.list(args, depth))
            }
            ExprKind::FnRequires(f, args) => {
                format!(
                    "{}.requires({})",
                    self.head(*f, depth),
                    self.list(args, depth)
                )
            }
            ExprKind::FnReads(f, args) => {
                format!("{}.reads({})", self.head(*f, depth), self.list(args, depth))
            }
            ExprKind::FnProperty(f, is_requires) => {
                let word = if *is_requires { "requires" } else { "reads" };
                format!("{}.{word}", self.head(*f, depth))
            }
            ExprKind::Ctor { ctor, args, .. } if args.is_empty() => self.ctor(*ctor),
            ExprKind::Ctor { ctor, args, .. } => {
                format!("{}({})", self.ctor(*ctor), self.list(args, depth))
            }
            ExprKind::Tuple(items) => format!("({})", self.list(items, depth)),
            _ => self.collection(e, depth),
        }
    }

    fn ctor(&self, ctor: CtorId) -> String {
        self.p.text(self.p.ctors[ctor].name).to_owned()
    }

    fn destructor(&self, ctors: &[(CtorId, u32)]) -> String {
        let formal = |&(ctor, at): &(CtorId, u32)| {
            let formals = &self.p.ctors[ctor].formals;
            formals.get(at as usize).copied()
        };
        let name = ctors.first().and_then(formal);
        name.map_or_else(String::new, |v| self.p.text(self.p.vars[v].name).to_owned())
    }

    fn call(&self, call: &FunctionCall, e: ExprId, depth: u32) -> String {
        let before = call.receiver.map(|r| self.receiver(r, e, depth));
        let name = self.p.text(self.p.members[call.function].name);
        let prefix = call
            .prefix
            .map(|k| format!("#[{}]", self.expr(k, depth).text));
        format!(
            "{}{name}{}{}({})",
            before.unwrap_or_default(),
            prefix.unwrap_or_default(),
            self.at(call.at),
            self.list(&call.args, depth)
        )
    }

    fn at(&self, label: Option<LabelId>) -> String {
        let name = |label| format!("@{}", self.p.text(self.p.labels[label].name));
        label.map(name).unwrap_or_default()
    }

    fn collection(&self, e: ExprId, depth: u32) -> String {
        let p = self.p;
        let text = |e: ExprId| self.expr(e, depth).text;
        match &p.exprs[e].kind {
            ExprKind::Index(of, at) => format!("{}[{}]", self.head(*of, depth), text(*at)),
            ExprKind::ArrayIndex(of, at) => {
                format!("{}[{}]", self.head(*of, depth), self.list(at, depth))
            }
            ExprKind::Slice(of, lo, hi) => {
                let (lo, hi) = (lo.map(text), hi.map(text));
                let (lo, hi) = (lo.unwrap_or_default(), hi.unwrap_or_default());
                format!("{}[{lo}..{hi}]", self.head(*of, depth))
            }
            ExprKind::Update(of, at, value) => {
                format!(
                    "{}[{} := {}]",
                    self.head(*of, depth),
                    text(*at),
                    text(*value)
                )
            }
            ExprKind::DatatypeUpdate { value, updates, .. } => {
                let update = |(name, value): &(stet_base::Symbol, ExprId)| {
                    format!("{} := {}", p.text(*name), text(*value))
                };
                let updates: Vec<String> = updates.iter().map(update).collect();
                format!("{}.({})", self.head(*value, depth), updates.join(", "))
            }
            ExprKind::SetDisplay(items) => {
                let word = if self.is_infinite(e) { "iset" } else { "" };
                format!("{word}{{{}}}", self.list(items, depth))
            }
            ExprKind::MultisetDisplay(items) => format!("multiset{{{}}}", self.list(items, depth)),
            ExprKind::SeqDisplay(items) => format!("[{}]", self.list(items, depth)),
            ExprKind::MapDisplay(items) => {
                let word = if self.is_infinite(e) { "imap" } else { "map" };
                let item = |(k, v): &(ExprId, ExprId)| format!("{} := {}", text(*k), text(*v));
                let items: Vec<String> = items.iter().map(item).collect();
                format!("{word}[{}]", items.join(", "))
            }
            ExprKind::MultisetOf(of) => format!("multiset({})", text(*of)),
            ExprKind::SeqConstruct(n, f) => format!("seq({}, {})", text(*n), text(*f)),
            ExprKind::Old(of, label) => format!("old{}({})", self.at(*label), text(*of)),
            ExprKind::Fresh(of, label) => format!("fresh{}({})", self.at(*label), text(*of)),
            ExprKind::Allocated(of) => format!("allocated({})", text(*of)),
            ExprKind::Unchanged(frame, label) => {
                format!("unchanged{}({})", self.at(*label), self.frame(frame, depth))
            }
            ExprKind::Rotate(of, by, left) => {
                let word = if *left { "RotateLeft" } else { "RotateRight" };
                format!("{}.{word}({})", self.head(*of, depth), text(*by))
            }
            ExprKind::PrefixEq {
                k,
                left,
                right,
                negated,
            } => {
                let word = if *negated { "!=" } else { "==" };
                format!("{} {word}#[{}] {}", text(*left), text(*k), text(*right))
            }
            _ => "…".into(),
        }
    }

    fn property_name(&self, property: Property, of: ExprId) -> String {
        let word = match property {
            Property::ArrayLength(d) => {
                let base = self.p.base_type(self.p.exprs[of].ty);
                let is_flat = matches!(&*self.p.types.kind(base), TyKind::Array { dims: 1, .. });
                return match is_flat {
                    true => "Length".into(),
                    false => format!("Length{d}"),
                };
            }
            Property::Floor => "Floor",
            Property::Keys => "Keys",
            Property::Values => "Values",
            Property::Items => "Items",
            Property::IsLimit => "IsLimit",
            Property::IsSucc => "IsSucc",
            Property::Offset => "Offset",
            Property::IsNat => "IsNat",
        };
        word.into()
    }

    fn is_infinite(&self, e: ExprId) -> bool {
        let base = self.p.base_type(self.p.exprs[e].ty);
        matches!(
            &*self.p.types.kind(base),
            TyKind::Set { finite: false, .. } | TyKind::Map { finite: false, .. }
        )
    }

    fn frame(&self, frame: &Frame, depth: u32) -> String {
        let mut texts: Vec<String> = Vec::new();
        if frame.star {
            texts.push("*".into());
        }
        for item in &frame.items {
            let object = self.expr(item.expr, depth);
            texts.push(match item.field {
                Some(field) => {
                    let name = self.p.text(self.p.members[field].name);
                    format!("{}`{name}", object.operand(strength::SUFFIX, false, false))
                }
                None => object.text,
            });
        }
        texts.join(", ")
    }

    fn bound(&self, vars: &[VarId]) -> String {
        let one = |&v: &VarId| {
            let declared = &self.p.vars[v];
            let ty = self.p.show_type(declared.ty);
            format!("{}: {ty}", self.p.text(declared.name))
        };
        let all: Vec<String> = vars.iter().map(one).collect();
        all.join(", ")
    }

    fn is_true(&self, e: ExprId) -> bool {
        matches!(self.p.exprs[e].kind, ExprKind::Bool(true))
    }

    /// Binders, conditionals, statements in expressions.
    fn open(&self, e: ExprId, depth: u32) -> String {
        let text = |e: ExprId| self.expr(e, depth).text;
        match &self.p.exprs[e].kind {
            ExprKind::Ite(c, x, y) => {
                format!("if {} then {} else {}", text(*c), text(*x), text(*y))
            }
            ExprKind::Match { scrutinee, cases } => {
                let case = |case: &super::Case<ExprId>| {
                    let pattern = self.pattern(&case.pattern, depth);
                    format!(" case {pattern} => {}", text(case.body))
                };
                let cases: String = cases.iter().map(case).collect();
                format!("match {} {{{cases} }}", text(*scrutinee))
            }
            ExprKind::Let {
                patterns,
                values,
                body,
                ghost,
                ..
            } => {
                let ghost = if *ghost { "ghost " } else { "" };
                let patterns: Vec<String> = patterns
                    .iter()
                    .map(|pattern| match pattern.kind {
                        PatternKind::Var(v) => self.bound(&[v]),
                        _ => self.pattern(pattern, depth),
                    })
                    .collect();
                let values = self.list(values, depth);
                format!(
                    "{ghost}var {} := {values}; {}",
                    patterns.join(", "),
                    text(*body)
                )
            }
            ExprKind::LetSuchThat {
                vars,
                condition,
                body,
                ghost,
                ..
            } => {
                let ghost = if *ghost { "ghost " } else { "" };
                let vars = self.bound(vars);
                format!("{ghost}var {vars} :| {}; {}", text(*condition), text(*body))
            }
            ExprKind::StmtExpr(stmt, body) => {
                let body = text(*body);
                match &self.p.stmts[*stmt].kind {
                    StmtKind::Assert { expr, .. } => format!("assert {}; {body}", text(*expr)),
                    StmtKind::Assume(expr) => format!("assume {}; {body}", text(*expr)),
                    _ => body,
                }
            }
            _ => self.binder(e, depth),
        }
    }

    fn binder(&self, e: ExprId, depth: u32) -> String {
        let text = |e: ExprId| self.expr(e, depth).text;
        let range = |range: ExprId| match self.is_true(range) {
            true => String::new(),
            false => format!(" | {}", text(range)),
        };
        match &self.p.exprs[e].kind {
            ExprKind::Quantifier(q) => {
                let word = if q.forall { "forall" } else { "exists" };
                let range = q.range.map(range).unwrap_or_default();
                let triggers = self.triggers(&q.triggers, depth);
                let vars = self.bound(&q.vars);
                format!("{word} {vars}{triggers}{range} :: {}", text(q.body))
            }
            ExprKind::SetComprehension {
                vars,
                range: of,
                term,
                ..
            } => {
                let word = if self.is_infinite(e) { "iset" } else { "set" };
                let triggers = self.triggers(&[], depth);
                let head = format!("{word} {}{triggers}{}", self.bound(vars), range(*of));
                match (&vars[..], &self.p.exprs[*term].kind) {
                    ([only], ExprKind::Var(v)) if v == only => head,
                    _ => format!("{head} :: {}", text(*term)),
                }
            }
            ExprKind::MapComprehension {
                vars,
                range: of,
                key,
                value,
                ..
            } => {
                let word = if self.is_infinite(e) { "imap" } else { "map" };
                let key = key.map(|k| text(k) + " := ").unwrap_or_default();
                let (vars, value) = (self.bound(vars), text(*value));
                format!("{word} {vars}{} :: {key}{value}", range(*of))
            }
            ExprKind::Lambda {
                vars,
                requires,
                reads,
                body,
                ..
            } => {
                let requires = requires.map(|e| format!(" requires {}", text(e)));
                let reads = match reads.items.is_empty() && !reads.star {
                    true => String::new(),
                    false => format!(" reads {}", self.frame(reads, depth)),
                };
                let requires = requires.unwrap_or_default();
                format!("({}){requires}{reads} => {}", self.bound(vars), text(*body))
            }
            _ => "…".into(),
        }
    }

    fn triggers(&self, triggers: &[Vec<ExprId>], depth: u32) -> String {
        let one = |terms: &Vec<ExprId>| format!(" {{:trigger {}}}", self.list(terms, depth));
        triggers.iter().map(one).collect()
    }

    fn pattern(&self, pattern: &Pattern, depth: u32) -> String {
        let list = |parts: &[Pattern]| {
            let parts: Vec<String> = parts.iter().map(|p| self.pattern(p, depth)).collect();
            parts.join(", ")
        };
        match &pattern.kind {
            PatternKind::Wild => "_".into(),
            PatternKind::Var(v) => self.p.text(self.p.vars[*v].name).to_owned(),
            PatternKind::Value(e) => self.expr(*e, depth).text,
            PatternKind::Ctor(ctor, parts) if parts.is_empty() => self.ctor(*ctor),
            PatternKind::Ctor(ctor, parts) => format!("{}({})", self.ctor(*ctor), list(parts)),
            PatternKind::Tuple(parts) => format!("({})", list(parts)),
            PatternKind::Or(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.pattern(p, depth)).collect();
                parts.join(" | ")
            }
        }
    }
}

/// `decreases old to new`; several values need parentheses around all.
pub fn measure(old: Vec<Text>, new: Vec<Text>, allow_equal: bool) -> Text {
    let word = if allow_equal {
        "nonincreases"
    } else {
        "decreases"
    };
    let several = old.len() != 1 || new.len() != 1;
    let list = |items: Vec<Text>| {
        let texts: Vec<String> = items.into_iter().map(|t| t.text).collect();
        texts.join(", ")
    };
    let text = format!("{} {word} to {}", list(old), list(new));
    match several {
        true => Text::closed(format!("({text})")),
        false => Text::new(text, strength::MEASURE),
    }
}

fn decimal(value: &super::Decimal) -> String {
    let digits = value.digits.to_string();
    if value.exponent >= 0 {
        return format!("{digits}{}.0", "0".repeat(value.exponent as usize));
    }
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest.to_owned()),
        None => ("", digits),
    };
    let places = value.exponent.unsigned_abs() as usize;
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

fn escaped(codes: &[u32]) -> String {
    let one = |&code: &u32| match char::from_u32(code) {
        Some('\'') => "\\'".into(),
        Some('"') => "\\\"".into(),
        Some('\\') => "\\\\".into(),
        Some('\0') => "\\0".into(),
        Some('\n') => "\\n".into(),
        Some('\r') => "\\r".into(),
        Some('\t') => "\\t".into(),
        Some(c) => c.to_string(),
        None => format!("\\u{code:04x}"),
    };
    codes.iter().map(one).collect()
}

/// The word of an operator, how strongly it binds, and on which sides an equal operator needs parentheses.
fn operator(op: BinaryOp) -> (&'static str, u8, (bool, bool)) {
    use BinaryOp::*;
    use strength::*;
    const NONE: (bool, bool) = (false, false);
    const RIGHT: (bool, bool) = (false, true);
    const BOTH: (bool, bool) = (true, true);
    match op {
        Iff => ("<==>", IFF, NONE),
        Imp => ("==>", IMP, (true, false)),
        And => ("&&", AND, NONE),
        Or => ("||", OR, NONE),
        Eq => ("==", RELATION, BOTH),
        Neq => ("!=", RELATION, BOTH),
        Lt | ProperPrefix | ProperSubset | RankLt => ("<", RELATION, BOTH),
        Le | Prefix | Subset => ("<=", RELATION, BOTH),
        Ge | Superset => (">=", RELATION, BOTH),
        Gt | ProperSuperset | RankGt => (">", RELATION, BOTH),
        In => ("in", RELATION, BOTH),
        NotIn => ("!in", RELATION, BOTH),
        Disjoint => ("!!", RELATION, BOTH),
        Shl => ("<<", SHIFT, RIGHT),
        Shr => (">>", SHIFT, RIGHT),
        Add | Concat | Union | MapMerge => ("+", ADD, NONE),
        Sub | Difference | MapSubtract => ("-", ADD, RIGHT),
        Mul | Intersection => ("*", MUL, NONE),
        Div => ("/", MUL, RIGHT),
        Mod => ("%", MUL, RIGHT),
        BitAnd => ("&", BIT_AND, NONE),
        BitOr => ("|", BIT_OR, NONE),
        BitXor => ("^", BIT_XOR, NONE),
    }
}
