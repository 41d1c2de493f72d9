//! Terms to text that reads back as the same term.
//!
//! The writer sees terms through [`TermView`], so that one writer serves terms as read and terms of the
//! machine. It works off an explicit stack; cyclic terms end at [`WriteOptions::max_depth`].

use crate::ast::{Node, TermId, Terms, Variable};
use crate::atoms::{Atom, AtomTable, atom};
use crate::lexer::{is_alnum, is_symbol_char, starts_atom};
use crate::ops::{OpDef, Ops};
use num_bigint::BigInt;

/// What the writer sees of a term.
pub enum View<T> {
    /// A variable with its printed name.
    Var(String),
    Atom(Atom),
    Int(i64),
    /// A big integer.
    Big(BigInt),
    /// A rational number, as text.
    Ratio(String),
    Float(f64),
    /// A string object.
    Str(String),
    /// A compound term: name and arity; arguments by [`TermView::arg`].
    Compound(Atom, usize),
    /// Something printed as it is: a stream handle, a blob.
    Verbatim(String),
    /// Unused; keeps `T` in the type.
    Never(std::marker::PhantomData<T>),
}

/// A source of terms.
pub trait TermView {
    /// A reference to a term.
    type Term: Copy;
    /// The outermost layer.
    fn view(&self, term: Self::Term) -> View<Self::Term>;
    /// The argument with this index, from zero, of a compound term.
    fn arg(&self, term: Self::Term, index: usize) -> Self::Term;
    /// Asked now and then with the length of the text so far; the writer stops when this is false.
    fn may_continue(&self, _length: usize) -> bool {
        true
    }
}

/// How to write.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Quote atoms where reading needs it.
    pub quoted: bool,
    /// Write operators in functional notation.
    pub ignore_ops: bool,
    /// Write `{}(X)` as `{X}`, also when operators are ignored.
    pub brace_terms: bool,
    /// Write lists as terms of `.`.
    pub dotlists: bool,
    /// Write `'$VAR'(N)` as a variable name.
    pub numbervars: bool,
    /// The deepest nesting to write; 0 is no limit.
    pub max_depth: u32,
    /// The context's priority.
    pub priority: u16,
    /// Spaces after commas of arguments and lists, as the top level writes.
    pub spacing: bool,
}

impl WriteOptions {
    /// As `write/1`.
    pub const WRITE: WriteOptions = WriteOptions {
        quoted: false,
        ignore_ops: false,
        brace_terms: true,
        dotlists: false,
        numbervars: true,
        max_depth: 0,
        priority: 1200,
        spacing: false,
    };
    /// As `writeq/1`.
    pub const WRITEQ: WriteOptions = WriteOptions {
        quoted: true,
        ..Self::WRITE
    };
    /// As `write_canonical/1`.
    pub const CANONICAL: WriteOptions = WriteOptions {
        quoted: true,
        ignore_ops: true,
        brace_terms: false,
        numbervars: false,
        ..Self::WRITE
    };
}

/// Steps of the writer between two questions whether it may go on.
const STRIDE: u32 = 1 << 12;

/// Writes a term.
pub fn write_term<V: TermView>(
    view: &V,
    term: V::Term,
    atoms: &AtomTable,
    ops: &Ops,
    options: &WriteOptions,
) -> String {
    let mut writer = Writer {
        view,
        atoms,
        ops,
        options,
        out: String::new(),
        last: Last::Start,
        stack: vec![Work::Term(term, options.priority, 1)],
    };
    writer.run();
    writer.out
}

/// What `writeq/1` prints for an atom.
pub fn quote_atom(text: &str) -> String {
    if needs_no_quotes(text) {
        text.to_owned()
    } else {
        quote(text, '\'')
    }
}

/// A float as Prolog reads it back: the shortest digits that denote it.
pub fn format_float(value: f64) -> String {
    if value.is_nan() {
        return "1.5NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "1.0Inf" } else { "-1.0Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        return format!("{value:?}");
    }
    let dot = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{dot}e{exponent}")
}

/// Whether an atom reads back without quotes.
pub fn needs_no_quotes(text: &str) -> bool {
    match text {
        "[]" | "!" | ";" | "{}" => return true,
        "" | "." | "," | "|" => return false,
        _ => {}
    }
    let first = text.chars().next().unwrap_or(' ');
    if starts_atom(first) {
        return text.chars().all(is_alnum);
    }
    text.chars().all(is_symbol_char) && !text.starts_with("/*")
}

fn quote(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            '\0' => out.push_str("\\0\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push_str(&format!("\\x{:x}\\", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// What the last written character belongs to, to know where a space is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Start,
    Alnum,
    Symbol,
    /// Punctuation: nothing ever merges with it, but `,` wants care before `(`.
    Punct,
    /// A prefix operator: an opening bracket must not follow directly.
    PrefixOp(bool),
}

enum Work<T> {
    Term(T, u16, u32),
    /// The same as operand of an operator.
    Operand(T, u16, u32),
    /// Rest of an argument list: term, next index, arity, depth.
    Args(T, usize, usize, u32),
    /// The tail of a list: term, elements so far, depth.
    Tail(T, u32, u32),
    Punct(&'static str),
    Infix(Atom),
    Postfix(Atom),
    Close,
}

struct Writer<'a, V: TermView> {
    view: &'a V,
    atoms: &'a AtomTable,
    ops: &'a Ops,
    options: &'a WriteOptions,
    out: String,
    last: Last,
    stack: Vec<Work<V::Term>>,
}

impl<V: TermView> Writer<'_, V> {
    fn run(&mut self) {
        let mut steps = 0u32;
        while let Some(work) = self.stack.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STRIDE) && !self.view.may_continue(self.out.len()) {
                return;
            }
            match work {
                Work::Term(term, priority, depth) => self.term(term, priority, depth),
                Work::Operand(term, priority, depth) => self.operand(term, priority, depth),
                Work::Args(term, index, arity, depth) => self.next_arg(term, index, arity, depth),
                Work::Tail(term, count, depth) => self.tail(term, count, depth),
                Work::Punct(text) => self.punct(text),
                Work::Infix(name) => self.infix_op(name),
                Work::Postfix(name) => {
                    let text = self.atom_text(name);
                    self.token(&text);
                }
                Work::Close => self.punct(")"),
            }
        }
    }

    fn punct(&mut self, text: &str) {
        if text == "(" && matches!(self.last, Last::PrefixOp(_)) {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.last = Last::Punct;
    }

    /// Writes an atom, number or variable, with a space where it would merge with what is before it.
    fn token(&mut self, text: &str) {
        let first = text.chars().next().unwrap_or('\'');
        let class = class_of(first);
        let merges = match self.last {
            Last::Start | Last::Punct => false,
            Last::Alnum => class == Last::Alnum || first == '\'',
            Last::Symbol => class == Last::Symbol,
            Last::PrefixOp(alnum) => {
                if alnum {
                    class == Last::Alnum || matches!(first, '\'' | '(' | '[' | '{' | '"' | '`')
                } else {
                    class == Last::Symbol || first == '(' || first.is_ascii_digit()
                }
            }
        };
        if merges {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.last = class_of(text.chars().next_back().unwrap_or('\''));
    }

    fn atom_text(&self, name: Atom) -> String {
        let text = self.atoms.text(name);
        if self.options.quoted {
            quote_atom(text)
        } else {
            text.to_owned()
        }
    }

    fn term(&mut self, term: V::Term, priority: u16, depth: u32) {
        if self.options.max_depth > 0 && depth > self.options.max_depth {
            return self.token("...");
        }
        match self.view.view(term) {
            View::Var(name) | View::Verbatim(name) => self.token(&name),
            View::Int(value) => self.token(&value.to_string()),
            View::Big(value) => self.token(&value.to_string()),
            View::Ratio(text) => self.token(&text),
            View::Float(value) => self.token(&format_float(value)),
            View::Str(text) if self.options.quoted => self.token(&quote(&text, '"')),
            View::Str(text) => self.token(&text),
            View::Atom(name) => self.atom(name, priority),
            View::Compound(name, arity) => self.compound(term, name, arity, priority, depth),
            View::Never(_) => {}
        }
    }

    /// An operator as an operand is bracketed, as the standard says.
    fn operand(&mut self, term: V::Term, priority: u16, depth: u32) {
        // So is a full stop, which would end the term for most readers.
        if matches!(self.view.view(term), View::Atom(atom::DOT)) {
            self.open_paren();
            let text = self.atom_text(atom::DOT);
            self.token(&text);
            return self.punct(")");
        }
        let priority = match self.view.view(term) {
            View::Atom(name) if self.ops.is_op(name) => 0,
            _ => priority,
        };
        self.term(term, priority, depth);
    }

    fn atom(&mut self, name: Atom, priority: u16) {
        let text = self.atom_text(name);
        if priority < 999 && self.op_priority(name) > priority {
            self.open_paren();
            self.token(&text);
            self.punct(")");
        } else {
            self.token(&text);
        }
    }

    fn op_priority(&self, name: Atom) -> u16 {
        [
            self.ops.prefix(name),
            self.ops.infix(name),
            self.ops.postfix(name),
        ]
        .into_iter()
        .flatten()
        .map(|op| op.priority)
        .max()
        .unwrap_or(0)
    }

    fn open_paren(&mut self) {
        if matches!(self.last, Last::PrefixOp(_)) {
            self.out.push(' ');
        }
        self.out.push('(');
        self.last = Last::Punct;
    }

    fn compound(&mut self, term: V::Term, name: Atom, arity: usize, priority: u16, depth: u32) {
        if self.options.numbervars
            && name == atom::DVAR
            && arity == 1
            && let View::Atom(name) = self.view.view(self.view.arg(term, 0))
            && self.atoms.text(name) == "_"
        {
            return self.token("_");
        }
        if self.options.numbervars
            && name == atom::DVAR
            && arity == 1
            && let View::Int(number) = self.view.view(self.view.arg(term, 0))
            && number >= 0
        {
            return self.token(&variable_name(number));
        }
        if name == atom::DOT && arity == 2 && !self.options.dotlists {
            self.punct_open("[");
            self.stack
                .push(Work::Tail(self.view.arg(term, 1), 1, depth));
            let first = self.view.arg(term, 0);
            return self.stack.push(Work::Term(first, 999, depth + 1));
        }
        if name == atom::CURLY && arity == 1 && self.options.brace_terms {
            self.punct_open("{");
            self.stack.push(Work::Punct("}"));
            let inner = self.view.arg(term, 0);
            return self.stack.push(Work::Term(inner, 1200, depth + 1));
        }
        if !self.options.ignore_ops && self.operator_term(term, name, arity, priority, depth) {
            return;
        }
        let text = match name {
            atom::DOT if self.options.dotlists => ".".to_owned(),
            _ => self.atom_text(name),
        };
        self.token(&text);
        self.out.push('(');
        self.last = Last::Punct;
        self.stack.push(Work::Args(term, 0, arity, depth));
    }

    fn punct_open(&mut self, text: &str) {
        if self.last == Last::PrefixOp(true) {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.last = Last::Punct;
    }

    fn operator_term(
        &mut self,
        term: V::Term,
        name: Atom,
        arity: usize,
        priority: u16,
        depth: u32,
    ) -> bool {
        match arity {
            1 => {
                if let Some(op) = self.ops.prefix(name) {
                    self.prefix_term(term, name, op, priority, depth);
                    return true;
                }
                if let Some(op) = self.ops.postfix(name) {
                    self.postfix_term(term, name, op, priority, depth);
                    return true;
                }
                false
            }
            2 => match self.ops.infix(name) {
                Some(op) => {
                    self.infix_term(term, name, op, priority, depth);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    fn bracketed(&mut self, op: OpDef, priority: u16) {
        if op.priority > priority {
            self.open_paren();
            self.stack.push(Work::Close);
        }
    }

    fn prefix_term(&mut self, term: V::Term, name: Atom, op: OpDef, priority: u16, depth: u32) {
        self.bracketed(op, priority);
        let text = self.atom_text(name);
        self.token(&text);
        self.last = Last::PrefixOp(self.last == Last::Alnum);
        let argument = self.view.arg(term, 0);
        // `- 1` must not read back as the number, nor `- (a)` as functional notation.
        let is_number = matches!(
            self.view.view(argument),
            View::Int(_) | View::Big(_) | View::Float(_) | View::Ratio(_)
        );
        let is_operator = match self.view.view(argument) {
            View::Atom(inner) => self.ops.is_op(inner),
            _ => false,
        };
        if (is_number && (name == atom::MINUS || name == atom::PLUS)) || is_operator {
            self.out.push(' ');
            self.last = Last::Start;
        }
        self.stack
            .push(Work::Operand(argument, op.right_max(), depth + 1));
    }

    fn postfix_term(&mut self, term: V::Term, name: Atom, op: OpDef, priority: u16, depth: u32) {
        self.bracketed(op, priority);
        self.stack.push(Work::Postfix(name));
        let argument = self.view.arg(term, 0);
        let max = self.left_max(argument, op);
        self.stack.push(Work::Operand(argument, max, depth + 1));
    }

    fn infix_term(&mut self, term: V::Term, name: Atom, op: OpDef, priority: u16, depth: u32) {
        self.bracketed(op, priority);
        let (left, right) = (self.view.arg(term, 0), self.view.arg(term, 1));
        self.stack
            .push(Work::Operand(right, op.right_max(), depth + 1));
        self.stack.push(Work::Infix(name));
        let max = self.left_max(left, op);
        self.stack.push(Work::Operand(left, max, depth + 1));
    }

    /// The priority a left operand may have without brackets. Of an operand that ends in an argument of its own with
    /// the same priority the reader would take the operator into that argument.
    fn left_max(&self, operand: V::Term, op: OpDef) -> u16 {
        let max = op.left_max();
        let open = match self.view.view(operand) {
            View::Compound(name, 1) if name != atom::CURLY => self.ops.prefix(name),
            View::Compound(name, 2) if name != atom::DOT => self.ops.infix(name),
            _ => None,
        };
        match open {
            Some(inner) if inner.priority == max && inner.right_max() == max => max - 1,
            _ => max,
        }
    }

    fn infix_op(&mut self, name: Atom) {
        if name == atom::COMMA {
            self.out.push(',');
            if self.options.spacing {
                self.out.push(' ');
            }
            self.last = Last::Punct;
            return;
        }
        let text = match name {
            atom::BAR => "|".to_owned(),
            _ => self.atom_text(name),
        };
        let tight = !text.chars().all(is_alnum);
        // Behind an atom of symbol characters it needs a space before it, and gets one on the other side, as in SWI-Prolog.
        let apart = self.last == Last::Symbol && text.starts_with(is_symbol_char);
        if tight && !apart {
            self.token(&text);
        } else {
            self.out.push(' ');
            self.out.push_str(&text);
            self.out.push(' ');
            self.last = Last::Start;
        }
    }

    fn next_arg(&mut self, term: V::Term, index: usize, arity: usize, depth: u32) {
        if index == arity {
            return self.punct(")");
        }
        if index > 0 {
            self.out
                .push_str(if self.options.spacing { ", " } else { "," });
            self.last = Last::Punct;
        }
        self.stack.push(Work::Args(term, index + 1, arity, depth));
        self.stack
            .push(Work::Term(self.view.arg(term, index), 999, depth + 1));
    }

    fn tail(&mut self, term: V::Term, count: u32, depth: u32) {
        match self.view.view(term) {
            View::Atom(atom::NIL) => self.punct("]"),
            View::Compound(atom::DOT, 2) => {
                if self.options.max_depth > 0 && count >= self.options.max_depth {
                    self.out.push_str("|...]");
                    self.last = Last::Punct;
                    return;
                }
                self.out
                    .push_str(if self.options.spacing { ", " } else { "," });
                self.last = Last::Punct;
                self.stack
                    .push(Work::Tail(self.view.arg(term, 1), count + 1, depth));
                self.stack
                    .push(Work::Term(self.view.arg(term, 0), 999, depth + 1));
            }
            _ => {
                self.out.push('|');
                self.last = Last::Punct;
                self.stack.push(Work::Punct("]"));
                self.stack.push(Work::Term(term, 999, depth + 1));
            }
        }
    }
}

fn class_of(c: char) -> Last {
    if is_alnum(c) {
        Last::Alnum
    } else if is_symbol_char(c) {
        Last::Symbol
    } else {
        Last::Punct
    }
}

/// The name `'$VAR'(number)` stands for.
pub fn variable_name(number: i64) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        rest => format!("{letter}{rest}"),
    }
}

/// Terms as read, for the writer; variables print under their names.
pub struct AstView<'a> {
    pub terms: &'a Terms,
    pub variables: &'a [Variable],
}

impl TermView for AstView<'_> {
    type Term = TermId;

    fn view(&self, term: TermId) -> View<TermId> {
        match self.terms.node(term) {
            Node::Var(index) => {
                let variable = &self.variables[*index as usize];
                View::Var(match variable.name.as_str() {
                    "_" => format!("_{index}"),
                    name => name.to_owned(),
                })
            }
            Node::Atom(name) => View::Atom(*name),
            Node::Int(value) => View::Int(*value),
            Node::Big(value) => View::Big((**value).clone()),
            Node::Ratio(parts) => View::Ratio(format!("{}r{}", parts.0, parts.1)),
            Node::Float(value) => View::Float(*value),
            Node::Str(text) => View::Str(text.to_string()),
            Node::Compound { name, arity, .. } => View::Compound(*name, *arity as usize),
        }
    }

    fn arg(&self, term: TermId, index: usize) -> TermId {
        self.terms.args(term)[index]
    }
}
