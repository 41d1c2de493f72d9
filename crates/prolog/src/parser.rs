//! Tokens to terms: operator precedence parsing with an explicit stack.
//!
//! A stack of [`Frame`]s holds what is open: brackets, and operators waiting for their right argument. The
//! parser alternates between two states, *operand expected* and *operand complete*; nothing recurses, so
//! nesting is limited by memory alone.
//!
//! Where the standard is stricter than programs are, the reader follows the programs: an operator may stand
//! as an atom, and arguments may have any priority.

use crate::ast::{Clause, Node, Place, Quotes, ReadFlags, SyntaxError, TermId, Terms, Variable};
use crate::atoms::{Atom, AtomTable, atom};
use crate::lexer::{Kind, Lexer, Token};
use crate::ops::{OpDef, Ops};
use stet_base::FastMap;

/// What reading needs besides the text.
pub struct ReadContext<'a> {
    /// Where atoms are made.
    pub atoms: &'a mut AtomTable,
    /// The operators in force.
    pub ops: &'a Ops,
    /// The flags in force.
    pub flags: ReadFlags,
}

/// Reads the next term from `text` at byte `at`. Returns the clause, if any is left, and where to go on;
/// after an error that is behind the next full stop.
pub fn read_clause(
    context: &mut ReadContext<'_>,
    text: &str,
    at: usize,
) -> (Result<Option<Clause>, SyntaxError>, usize) {
    let lexer = Lexer {
        text,
        iso: context.flags.iso,
    };
    let mut parser = Parser {
        lexer,
        context,
        at,
        terms: Terms::new(),
        variables: Vec::new(),
        names: FastMap::default(),
        frames: Vec::new(),
        items: Vec::new(),
        brackets: Vec::new(),
    };
    match parser.clause() {
        Ok(found) => {
            let at = parser.at;
            (Ok(found), at)
        }
        Err(error) => {
            let next = recover(lexer, parser.at.max(at), at);
            (Err(error), next)
        }
    }
}

/// Whether `text` from `at` on holds a complete term (up to a full stop). Used to read from terminals.
pub fn has_full_stop(text: &str, at: usize) -> bool {
    let lexer = Lexer { text, iso: false };
    let mut at = at;
    loop {
        match lexer.token(at) {
            Ok(Token {
                kind: Kind::End, ..
            }) => return true,
            Ok(Token {
                kind: Kind::Eof, ..
            }) => return false,
            Ok(token) => at = token.place.end as usize,
            Err(error)
                if (error.place.end as usize) < text.len() && error.place.end as usize > at =>
            {
                // An unclosed quote or comment needs more text; anything else is reported by the parser.
                if error.message.ends_with("without end") {
                    return false;
                }
                at = error.place.end as usize;
            }
            Err(_) => return false,
        }
    }
}

/// The place behind the next full stop at or after `at`.
fn recover(lexer: Lexer<'_>, at: usize, floor: usize) -> usize {
    let mut at = at.max(floor);
    while at < lexer.text.len() {
        match lexer.token(at) {
            Ok(token) => {
                at = token.place.end as usize;
                if matches!(token.kind, Kind::End | Kind::Eof) {
                    return at;
                }
            }
            Err(error) => {
                // Step over the offending character: an unclosed quote must not swallow the whole file.
                let mut next = (error.place.start as usize + 1).max(at + 1);
                while !lexer.text.is_char_boundary(next) {
                    next += 1;
                }
                at = next;
            }
        }
    }
    lexer.text.len()
}

enum Frame {
    /// `(`.
    Paren,
    /// `{`.
    Curly { start: u32 },
    /// `name(`; arguments so far are `items[first..]`.
    Args {
        name: Atom,
        start: u32,
        first: usize,
    },
    /// `[`; elements so far are `items[first..]`.
    List { start: u32, first: usize },
    /// `[ … |`.
    Tail { start: u32, first: usize },
    /// A prefix operator waiting for its argument.
    Prefix {
        name: Atom,
        start: u32,
        priority: u16,
        max: u16,
    },
    /// An infix operator waiting for its right argument.
    Infix { name: Atom, left: TermId, op: OpDef },
}

/// A complete operand: term and priority.
type Operand = (TermId, u16);

struct Parser<'a, 'c, 'x> {
    lexer: Lexer<'a>,
    context: &'c mut ReadContext<'x>,
    at: usize,
    terms: Terms,
    variables: Vec<Variable>,
    names: FastMap<&'a str, u32>,
    frames: Vec<Frame>,
    items: Vec<TermId>,
    /// The kinds of the open brackets.
    brackets: Vec<Bracket>,
}

/// What commas and bars mean inside a bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Args,
    List,
    Other,
}

impl<'a> Parser<'a, '_, '_> {
    fn next(&mut self) -> Result<Token<'a>, SyntaxError> {
        let token = self.lexer.token(self.at)?;
        self.at = token.place.end as usize;
        Ok(token)
    }

    fn peek(&self) -> Result<Token<'a>, SyntaxError> {
        self.lexer.token(self.at)
    }

    fn fail<T>(&self, message: impl Into<String>, place: Place) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            message: message.into(),
            place,
        })
    }

    fn clause(&mut self) -> Result<Option<Clause>, SyntaxError> {
        let first = self.peek()?;
        if first.kind == Kind::Eof {
            self.at = first.place.end as usize;
            return Ok(None);
        }
        let mut operand = None;
        loop {
            operand = match operand {
                None => self.operand()?,
                Some(operand) => match self.operator(operand)? {
                    Step::Operand(next) => next,
                    Step::Done(root) => {
                        let place = Place {
                            start: first.place.start,
                            end: self.at as u32,
                        };
                        return Ok(Some(Clause {
                            terms: std::mem::take(&mut self.terms),
                            root,
                            variables: std::mem::take(&mut self.variables),
                            place,
                        }));
                    }
                },
            };
        }
    }

    /// The highest priority the term being read may have.
    fn max(&self) -> u16 {
        match self.frames.last() {
            None | Some(Frame::Paren | Frame::Curly { .. }) => 1200,
            // Arguments are 999 in the standard; programs write `f(a :- b)`, and commas separate anyway.
            Some(Frame::Args { .. } | Frame::List { .. } | Frame::Tail { .. }) => 1200,
            Some(Frame::Prefix { max, .. }) => *max,
            Some(Frame::Infix { op, .. }) => op.right_max(),
        }
    }

    /// State *operand expected*: reads a primary or opens something.
    fn operand(&mut self) -> Result<Option<Operand>, SyntaxError> {
        let token = self.next()?;
        let place = token.place;
        let node = match token.kind {
            Kind::Int(value) => Node::Int(value),
            Kind::Big(value) => Node::Big(Box::new(value)),
            Kind::Ratio(numerator, denominator) => Node::Ratio(Box::new((numerator, denominator))),
            Kind::Float(value) => Node::Float(value),
            Kind::Var(name) => {
                let node = self.variable(name, place);
                if token.functional {
                    return self.variable_functor(node, place);
                }
                node
            }
            Kind::Double(text) => {
                let id = self.text(&text, self.context.flags.double_quotes, place);
                return Ok(Some((id, 0)));
            }
            Kind::Back(text) => {
                let id = self.text(&text, self.context.flags.back_quotes, place);
                return Ok(Some((id, 0)));
            }
            Kind::Punct('(') => {
                self.brackets.push(Bracket::Other);
                self.frames.push(Frame::Paren);
                return Ok(None);
            }
            Kind::Punct('[') => return self.open_pair(place, ']', atom::NIL),
            Kind::Punct('{') => return self.open_pair(place, '}', atom::CURLY),
            Kind::Name(text) => {
                let name = self.context.atoms.intern(text);
                return self.name(name, text == "-" || text == "+", &token);
            }
            Kind::Quoted(ref text) => {
                let name = self.context.atoms.intern(text);
                return self.name(name, false, &token);
            }
            Kind::Punct('|') if token.functional => {
                return self.name(atom::BAR, false, &token);
            }
            Kind::Punct(c) => return self.fail(format!("unexpected `{c}`"), place),
            Kind::End => {
                self.at = place.end as usize - 1;
                return self.fail("unexpected end of clause", place);
            }
            Kind::Eof => return self.fail("unexpected end of file", place),
        };
        Ok(Some((self.terms.add(node, place), 0)))
    }

    /// `T(X)` reads as `call(T, X)`, as the types of the assertion language use it; elsewhere it is an error.
    fn variable_functor(
        &mut self,
        node: Node,
        place: Place,
    ) -> Result<Option<Operand>, SyntaxError> {
        if self.context.ops.prefix(atom::REGTYPE).is_none() {
            return self.fail("a variable cannot be a functor", place);
        }
        let functor = self.terms.add(node, place);
        let first = self.items.len();
        self.items.push(functor);
        self.at += 1;
        self.frames.push(Frame::Args {
            name: atom::CALL,
            start: place.start,
            first,
        });
        Ok(None)
    }

    fn open_pair(
        &mut self,
        place: Place,
        close: char,
        empty: Atom,
    ) -> Result<Option<Operand>, SyntaxError> {
        let next = self.peek()?;
        if next.kind == Kind::Punct(close) {
            self.at = next.place.end as usize;
            let token = Token {
                kind: Kind::Quoted("".into()),
                place: Place {
                    start: place.start,
                    end: next.place.end,
                },
                functional: next.functional,
            };
            return self.name(empty, false, &token);
        }
        self.brackets.push(if close == ']' {
            Bracket::List
        } else {
            Bracket::Other
        });
        self.frames.push(match close {
            ']' => Frame::List {
                start: place.start,
                first: self.items.len(),
            },
            _ => Frame::Curly { start: place.start },
        });
        Ok(None)
    }

    /// An atom: a functor, a sign, a prefix operator, or itself.
    fn name(
        &mut self,
        name: Atom,
        sign: bool,
        token: &Token<'_>,
    ) -> Result<Option<Operand>, SyntaxError> {
        let start = token.place.start;
        if token.functional {
            self.at += 1;
            let next = self.peek()?;
            if next.kind == Kind::Punct(')') {
                return self.fail("a compound term needs an argument", next.place);
            }
            self.brackets.push(Bracket::Args);
            self.frames.push(Frame::Args {
                name,
                start,
                first: self.items.len(),
            });
            return Ok(None);
        }
        if sign
            && self
                .lexer
                .text
                .as_bytes()
                .get(self.at)
                .is_some_and(u8::is_ascii_digit)
            && let Some(node) = self.signed_number(name == atom::MINUS)?
        {
            let place = Place {
                start,
                end: self.at as u32,
            };
            return Ok(Some((self.terms.add(node, place), 0)));
        }
        if let Some(op) = self.context.ops.prefix(name)
            && self.takes_argument()?
        {
            if op.priority > self.max() {
                return self.fail("operator priority clash", token.place);
            }
            self.frames.push(Frame::Prefix {
                name,
                start,
                priority: op.priority,
                max: op.right_max(),
            });
            return Ok(None);
        }
        // An operator is an operand of its own priority where an infix operator follows: `:- = x` is refused.
        let priority = self.context.ops.prefix(name).map_or(0, |op| op.priority);
        let node = self.terms.add(Node::Atom(name), token.place);
        Ok(Some((node, priority)))
    }

    fn signed_number(&mut self, negative: bool) -> Result<Option<Node>, SyntaxError> {
        if !negative {
            return Ok(None); // `+ 1` stays a term, as in ISO
        }
        let token = self.next()?;
        Ok(Some(match token.kind {
            Kind::Int(value) => match value.checked_neg() {
                Some(value) => Node::Int(value),
                None => Node::Big(Box::new(-num_bigint::BigInt::from(value))),
            },
            Kind::Big(value) => {
                let value = -value;
                match i64::try_from(&value) {
                    Ok(small) => Node::Int(small),
                    Err(_) => Node::Big(Box::new(value)),
                }
            }
            Kind::Float(value) => Node::Float(-value),
            Kind::Ratio(numerator, denominator) => Node::Ratio(Box::new((-numerator, denominator))),
            _ => return self.fail("number expected", token.place),
        }))
    }

    /// After a prefix operator: whether an argument follows (else the operator is an atom).
    fn takes_argument(&self) -> Result<bool, SyntaxError> {
        let next = self.peek()?;
        Ok(match &next.kind {
            Kind::End | Kind::Eof => false,
            Kind::Punct(c) => matches!(c, '(' | '[' | '{'),
            Kind::Name(text) => self.starts_argument(text, &next)?,
            Kind::Quoted(text) => self.starts_argument(text, &next)?,
            _ => true,
        })
    }

    fn starts_argument(&self, text: &str, next: &Token<'_>) -> Result<bool, SyntaxError> {
        if next.functional {
            return Ok(true);
        }
        let Some(name) = self.context.atoms.lookup(text) else {
            return Ok(true);
        };
        let ops = self.context.ops;
        if ops.infix(name).is_none() && ops.postfix(name).is_none() {
            return Ok(true);
        }
        // An infix operator follows: `- = x` has the atom `-` on the left, `- - x` nested minus, and `- =` or
        // `- -` before a bracket or stop has an atom as argument.
        let after = self.lexer.token(next.place.end as usize)?;
        let starts_term = match &after.kind {
            Kind::End | Kind::Eof => false,
            Kind::Punct(c) => matches!(c, '(' | '[' | '{'),
            _ => true,
        };
        Ok(ops.prefix(name).is_some() || !starts_term)
    }

    fn variable(&mut self, name: &'a str, place: Place) -> Node {
        if name != "_" {
            if let Some(&index) = self.names.get(name) {
                self.variables[index as usize].occurrences += 1;
                return Node::Var(index);
            }
            self.names.insert(name, self.variables.len() as u32);
        }
        self.variables.push(Variable {
            name: name.to_owned(),
            occurrences: 1,
            place,
        });
        Node::Var(self.variables.len() as u32 - 1)
    }

    fn text(&mut self, text: &str, quotes: Quotes, place: Place) -> TermId {
        match quotes {
            Quotes::Atom => {
                let name = self.context.atoms.intern(text);
                self.terms.add(Node::Atom(name), place)
            }
            Quotes::String => self.terms.add(Node::Str(text.into()), place),
            Quotes::Codes | Quotes::Chars => {
                let items: Vec<TermId> = text
                    .chars()
                    .map(|c| {
                        let node = if quotes == Quotes::Codes {
                            Node::Int(i64::from(u32::from(c)))
                        } else {
                            Node::Atom(self.context.atoms.char_atom(c))
                        };
                        self.terms.add(node, place)
                    })
                    .collect();
                let nil = self.terms.add(Node::Atom(atom::NIL), place);
                self.terms.list(&items, nil, place)
            }
        }
    }

    /// State *operand complete*: an infix or postfix operator, a separator, or the end of something.
    fn operator(&mut self, operand: Operand) -> Result<Step, SyntaxError> {
        let token = self.peek()?;
        let name = match &token.kind {
            Kind::Name(".") if self.context.ops.infix(atom::DOT).is_none() => {
                let message = "functional notation on dicts (`Dict.key`) is not supported";
                return self.fail(message, token.place);
            }
            Kind::Name(text) => match self.context.atoms.lookup(text) {
                None => return self.fail("operator expected", token.place),
                known => known,
            },
            Kind::Quoted(text) => match self.context.atoms.lookup(text) {
                None => return self.fail("operator expected", token.place),
                known => known,
            },
            Kind::Punct(',') => Some(atom::COMMA),
            Kind::Punct('|') => Some(atom::BAR),
            Kind::Punct(')' | ']' | '}') | Kind::End => None,
            Kind::Eof => return self.fail("unexpected end of file", token.place),
            Kind::Punct('{') if token.place.start as usize == self.at => {
                return self.fail("dicts (`Tag{...}`) are not supported", token.place);
            }
            _ => return self.fail("operator expected", token.place),
        };
        match name {
            Some(name) => {
                if let Some(op) = self.context.ops.infix(name) {
                    if let Some(step) = self.infix(operand, name, op, &token)? {
                        return Ok(step);
                    }
                } else if let Some(op) = self.context.ops.postfix(name) {
                    return self.postfix(operand, name, op, &token);
                }
                if matches!(token.kind, Kind::Punct(_)) {
                    return self.close(operand, &token);
                }
                self.fail("operator expected", token.place)
            }
            None => self.close(operand, &token),
        }
    }

    /// An infix operator; `None` where it is a separator of the enclosing bracket instead.
    fn infix(
        &mut self,
        operand: Operand,
        name: Atom,
        op: OpDef,
        token: &Token<'_>,
    ) -> Result<Option<Step>, SyntaxError> {
        let mut left = operand;
        let separates = matches!(
            (&token.kind, self.brackets.last()),
            (Kind::Punct(','), Some(Bracket::Args | Bracket::List))
                | (Kind::Punct('|'), Some(Bracket::List))
        );
        if separates {
            return Ok(Some(self.close(left, token)?));
        }
        while op.priority > self.max() || left.1 > op.left_max() {
            match self.reduce(left) {
                Some(reduced) => left = reduced,
                None if matches!(token.kind, Kind::Punct(_)) => {
                    return Ok(Some(self.close(left, token)?));
                }
                None => return self.fail("operator priority clash", token.place),
            }
        }
        self.at = token.place.end as usize;
        self.frames.push(Frame::Infix {
            name,
            left: left.0,
            op,
        });
        Ok(Some(Step::Operand(None)))
    }

    fn postfix(
        &mut self,
        operand: Operand,
        name: Atom,
        op: OpDef,
        token: &Token<'_>,
    ) -> Result<Step, SyntaxError> {
        let mut left = operand;
        while op.priority > self.max() || left.1 > op.left_max() {
            match self.reduce(left) {
                Some(reduced) => left = reduced,
                None => return self.fail("operator priority clash", token.place),
            }
        }
        self.at = token.place.end as usize;
        let place = Place {
            start: self.terms.place(left.0).start,
            end: token.place.end,
        };
        let id = self.terms.compound(name, &[left.0], place);
        Ok(Step::Operand(Some((id, op.priority))))
    }

    /// Completes the innermost operator; `None` if a bracket (or nothing) is innermost.
    fn reduce(&mut self, (operand, _): Operand) -> Option<Operand> {
        let end = self.terms.place(operand).end;
        match self.frames.pop()? {
            Frame::Prefix {
                name,
                start,
                priority,
                ..
            } => {
                let id = self.terms.compound(name, &[operand], Place { start, end });
                Some((id, priority))
            }
            Frame::Infix { name, left, op } => {
                let start = self.terms.place(left).start;
                let id = self
                    .terms
                    .compound(name, &[left, operand], Place { start, end });
                Some((id, op.priority))
            }
            bracket => {
                self.frames.push(bracket);
                None
            }
        }
    }

    /// A token that ends what is open.
    fn close(&mut self, operand: Operand, token: &Token<'_>) -> Result<Step, SyntaxError> {
        let mut operand = operand;
        while let Some(reduced) = self.reduce(operand) {
            operand = reduced;
        }
        let id = operand.0;
        let end = token.place.end;
        let Some(frame) = self.frames.pop() else {
            if token.kind == Kind::End {
                self.at = end as usize;
                return Ok(Step::Done(id));
            }
            return self.fail("unbalanced or misplaced punctuation", token.place);
        };
        if token.kind == Kind::End {
            return self.fail(
                format!("unclosed `{}` before end of clause", opening(&frame)),
                token.place,
            );
        }
        self.at = end as usize;
        let Kind::Punct(c) = token.kind else {
            return self.fail("operator expected", token.place);
        };
        match (frame, c) {
            (Frame::Paren, ')') => {
                self.brackets.pop();
                Ok(Step::Operand(Some((id, 0))))
            }
            (Frame::Curly { start }, '}') => {
                self.brackets.pop();
                let id = self
                    .terms
                    .compound(atom::CURLY, &[id], Place { start, end });
                Ok(Step::Operand(Some((id, 0))))
            }
            (frame @ (Frame::Args { .. } | Frame::List { .. }), ',') => {
                self.items.push(id);
                self.frames.push(frame);
                Ok(Step::Operand(None))
            }
            (Frame::Args { name, start, first }, ')') => {
                self.brackets.pop();
                self.items.push(id);
                let id = self
                    .terms
                    .compound(name, &self.items[first..], Place { start, end });
                self.items.truncate(first);
                Ok(Step::Operand(Some((id, 0))))
            }
            (Frame::List { start, first }, '|') => {
                self.items.push(id);
                self.frames.push(Frame::Tail { start, first });
                Ok(Step::Operand(None))
            }
            (Frame::List { start, first }, ']') => {
                self.items.push(id);
                let place = Place { start, end };
                let nil = self.terms.add(Node::Atom(atom::NIL), place);
                Ok(self.finish_list(first, nil, place))
            }
            (Frame::Tail { start, first }, ']') => {
                Ok(self.finish_list(first, id, Place { start, end }))
            }
            (frame, _) => self.fail(
                format!("`{c}` does not fit the open `{}`", opening(&frame)),
                token.place,
            ),
        }
    }

    fn finish_list(&mut self, first: usize, tail: TermId, place: Place) -> Step {
        self.brackets.pop();
        let id = self.terms.list(&self.items[first..], tail, place);
        self.items.truncate(first);
        Step::Operand(Some((id, 0)))
    }
}

fn opening(frame: &Frame) -> char {
    match frame {
        Frame::Curly { .. } => '{',
        Frame::List { .. } | Frame::Tail { .. } => '[',
        _ => '(',
    }
}

/// What follows a complete operand.
enum Step {
    /// Go on: with an operand, or expecting one.
    Operand(Option<Operand>),
    /// The whole term.
    Done(TermId),
}
