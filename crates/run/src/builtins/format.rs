//! `format/1,2,3`: directives with column stops. Goals are not called from here: Prolog asks which arguments `~@` and
//! `~p` take (`'$format_calls'/2`), runs them and hands their output over as `'$output'(Text)`.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::number::Num;
use num_bigint::BigInt;
use stet_prolog::{WriteOptions, atom};

pub(super) fn register(m: &mut Machine) {
    m.register("$format_calls", 2, |m| {
        let calls = format_calls(m)?;
        let nil = Cell::atom(atom::NIL);
        let list = calls
            .into_iter()
            .rev()
            .fold(nil, |tail, head| m.mem.new_list(head, tail));
        m.unify_result(m.control.x[1], list)
    });
    // '$format'(Format, Args)
    m.register("$format", 2, |m| {
        let (format, args) = (m.control.x[0], m.control.x[1]);
        let id = m.io.streams.output;
        format_to(m, id, format, args)
    });
    // '$format'(Stream, Format, Args)
    m.register("$format", 3, |m| {
        let cell = m.arg(0);
        let id = m.output_stream(cell)?;
        let (format, args) = (m.control.x[1], m.control.x[2]);
        format_to(m, id, format, args)
    });
    // '$format_text'(Format, Args, String)
    m.register("$format_text", 3, |m| {
        let (format, args) = (m.control.x[0], m.control.x[1]);
        let mut line = Line::new(0);
        format_text(m, format, args, &mut line)?;
        let text = line.out;
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[2], string)
    });
}

fn format_to(m: &mut Machine, id: usize, format: Cell, args: Cell) -> Res {
    let column = m.io.streams.get(id).map_or(0, |stream| stream.column);
    let mut line = Line::new(column);
    let result = format_text(m, format, args, &mut line);
    // What comes before a wrong directive is written, unless it waits for a column stop.
    if result.is_ok() || line.fills.is_empty() {
        m.emit_to(id, &line.out)?;
    }
    result.map(|()| true)
}

/// `Directive-Index` of every argument that `~@` or `~p` takes.
fn format_calls(m: &mut Machine) -> Result<Vec<Cell>, PErr> {
    let format = m.arg(0);
    if format.is_var() || format.is_atom(atom::NIL) {
        return Ok(Vec::new());
    }
    let template = m.need_text(format)?;
    let mut calls = Vec::new();
    if !template.contains(['@', 'p']) {
        return Ok(calls);
    }
    let mut index = 0;
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '~' {
            continue;
        }
        match chars.peek() {
            Some('`') => {
                chars.next();
                chars.next();
            }
            Some('*') => {
                chars.next();
                index += 1;
            }
            _ => while chars.next_if(char::is_ascii_digit).is_some() {},
        }
        match chars.next() {
            Some('~' | 'n' | 'N' | 't' | '|' | '+') | None => {}
            Some(directive @ ('@' | 'p')) => {
                index += 1;
                let name = m.mem.atom_cell(&directive.to_string());
                calls.push(m.mem.new_term(atom::MINUS, &[name, Cell::small(index)]));
            }
            Some(_) => index += 1,
        }
    }
    Ok(calls)
}

/// Digits behind the point of a rational number that `~Nf` computes at most.
const MAX_DIGITS: usize = 100_000;

/// The line being filled, with its pending column segment.
struct Line {
    out: String,
    /// Byte where the current column segment starts.
    segment: usize,
    /// Column at the start of the segment.
    column: usize,
    /// Byte positions of fill points in the segment and their characters.
    fills: Vec<(usize, char)>,
    start_column: usize,
}

impl Line {
    fn new(column: usize) -> Line {
        Line {
            out: String::new(),
            segment: 0,
            // The first `~N+` counts from the start of the line, wherever the output is.
            column: 0,
            fills: Vec::new(),
            start_column: column,
        }
    }

    fn position(&self) -> usize {
        crate::streams::column_after(self.start_column, &self.out)
    }

    /// Ends the segment at `target`, spreading the missing width over the fill points.
    fn column_stop(&mut self, target: usize) {
        let here = self.position();
        let missing = target.saturating_sub(here);
        if missing > 0 {
            if self.fills.is_empty() {
                self.fills.push((self.out.len(), ' '));
            }
            let count = self.fills.len();
            let mut inserted = 0;
            for (i, &(at, c)) in self.fills.iter().enumerate() {
                // Characters that do not divide evenly go to the fill points from the middle on, around the end.
                let order = (i + count - count / 2) % count;
                let share = missing / count + usize::from(order < missing % count);
                let padding: String = std::iter::repeat_n(c, share).collect();
                self.out.insert_str(at + inserted, &padding);
                inserted += padding.len();
            }
        }
        self.segment = self.out.len();
        self.column = target.max(here);
        self.fills.clear();
    }
}

fn format_text(m: &mut Machine, format: Cell, args: Cell, line: &mut Line) -> Result<(), PErr> {
    let format_cell = m.mem.deref(format);
    let template = if format_cell.is_atom(atom::NIL) {
        String::new()
    } else {
        m.need_text(format_cell)?
    };
    let args_cell = m.mem.deref(args);
    let items = if args_cell.is_atom(atom::NIL)
        || args_cell.tag() == LST && m.mem.is_proper_list(args_cell)
    {
        m.list_items(args_cell)?
    } else {
        vec![args_cell]
    };
    let mut rest = items.into_iter();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '~' {
            line.out.push(c);
            continue;
        }
        let mut numeric: Option<usize> = None;
        match chars.peek() {
            Some('`') => {
                chars.next();
                numeric = chars.next().map(|c| u32::from(c) as usize);
            }
            Some('*') => {
                chars.next();
                let cell = take(m, &mut rest)?;
                numeric = match m.mem.int_of(cell) {
                    Ok(count) if count >= 0 => Some(count as usize),
                    _ => return Err(format_error(m, "no or negative integer for `*' argument")),
                };
            }
            _ => {
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                    numeric = Some(numeric.unwrap_or(0).saturating_mul(10) + digit as usize);
                    chars.next();
                }
            }
        }
        let Some(directive) = chars.next() else {
            return Err(format_error(m, "truncated format specification"));
        };
        run_directive(m, line, directive, numeric, &mut rest)?;
    }
    if rest.next().is_some() {
        return Err(format_error(m, "too many arguments"));
    }
    Ok(())
}

/// `error(format_argument_type(Directive, Argument), _)`.
fn argument_error(m: &mut Machine, directive: char, cell: Cell) -> PErr {
    let name = m.mem.atoms.intern("format_argument_type");
    let directive = m.mem.atom_cell(&directive.to_string());
    let formal = m.mem.new_term(name, &[directive, cell]);
    m.mem.iso_error(formal)
}

/// The text of an argument that must be text.
fn text_argument(m: &mut Machine, directive: char, cell: Cell) -> Result<String, PErr> {
    if cell.is_var() {
        return Err(m.mem.instantiation_error());
    }
    match m.mem.text_of(cell) {
        Some(_) => m.need_text(cell),
        None => Err(argument_error(m, directive, cell)),
    }
}

/// The value of an argument that must be an integer.
fn integer_argument(m: &mut Machine, directive: char, cell: Cell) -> Result<BigInt, PErr> {
    match m.eval(cell)?.to_big() {
        Some(value) => Ok(value),
        None => Err(argument_error(m, directive, cell)),
    }
}

fn format_error(m: &mut Machine, message: &str) -> PErr {
    let text = m.mem.atom_cell(message);
    let name = m.mem.atoms.intern("format");
    let formal = m.mem.new_term(name, &[text]);
    m.mem.iso_error(formal)
}

fn take(m: &mut Machine, rest: &mut std::vec::IntoIter<Cell>) -> Result<Cell, PErr> {
    match rest.next() {
        Some(cell) => Ok(m.mem.deref(cell)),
        None => Err(format_error(m, "not enough arguments")),
    }
}

fn run_directive(
    m: &mut Machine,
    line: &mut Line,
    directive: char,
    numeric: Option<usize>,
    rest: &mut std::vec::IntoIter<Cell>,
) -> Result<(), PErr> {
    match directive {
        '~' => line.out.push('~'),
        'n' => line.out.push_str(&"\n".repeat(numeric.unwrap_or(1))),
        // A new line, unless the output is at the beginning of one.
        'N' => {
            if line.position() != 0 {
                line.out.push('\n');
            }
        }
        'w' => {
            let cell = take(m, rest)?;
            line.out
                .push_str(&m.format_term(cell, &WriteOptions::WRITE));
        }
        'p' | '@' => {
            let cell = take(m, rest)?;
            let text = match m.mem.structure(cell, atom::PORTRAYED, 1) {
                Some(args) => m.mem.string_value(m.mem.at(args)),
                None => m.format_term(cell, &WriteOptions::WRITEQ),
            };
            line.out.push_str(&text);
        }
        'q' => {
            let cell = take(m, rest)?;
            line.out
                .push_str(&m.format_term(cell, &WriteOptions::WRITEQ));
        }
        'k' => {
            let cell = take(m, rest)?;
            line.out
                .push_str(&m.format_term(cell, &WriteOptions::CANONICAL));
        }
        'a' => {
            let cell = take(m, rest)?;
            let text = text_argument(m, 'a', cell)?;
            line.out.push_str(&text);
        }
        's' => {
            let cell = take(m, rest)?;
            let text = if cell.is_atom(atom::NIL) {
                String::new()
            } else {
                text_argument(m, 's', cell)?
            };
            line.out.push_str(&text);
        }
        'd' | 'D' => {
            let cell = take(m, rest)?;
            let value = integer_argument(m, directive, cell)?;
            let text = integer_directive(&value, numeric.unwrap_or(0), directive == 'D');
            line.out.push_str(&text);
        }
        'f' | 'e' | 'g' => {
            let cell = take(m, rest)?;
            let text = float_directive(m, cell, numeric.unwrap_or(6), directive)?;
            line.out.push_str(&text);
        }
        'c' => {
            let cell = take(m, rest)?;
            if !cell.is_var() && !m.mem.is_integer(cell) {
                return Err(argument_error(m, 'c', cell));
            }
            let code = m.mem.int_of(cell)?;
            let c = u32::try_from(code).ok().and_then(char::from_u32);
            let Some(c) = c else {
                return Err(m.mem.representation_error(atom::CHARACTER_CODE));
            };
            line.out
                .extend(std::iter::repeat_n(c, numeric.unwrap_or(1)));
        }
        'r' | 'R' => {
            let cell = take(m, rest)?;
            let value = integer_argument(m, directive, cell)?;
            let radix = numeric.unwrap_or(8);
            if !(2..=36).contains(&radix) {
                let domain = m.mem.atoms.intern("radix");
                return Err(m.mem.domain_error(domain, Cell::small(radix as i64)));
            }
            let text = value.to_str_radix(radix as u32);
            line.out.push_str(&if directive == 'R' {
                text.to_uppercase()
            } else {
                text
            });
        }
        'i' => {
            take(m, rest)?;
        }
        '*' => {
            take(m, rest)?;
        }
        't' => {
            let c = numeric
                .and_then(|code| char::from_u32(code as u32))
                .unwrap_or(' ');
            line.fills.push((line.out.len(), c));
        }
        '|' => {
            let target = numeric.unwrap_or_else(|| line.position());
            line.column_stop(target);
        }
        '+' => {
            let target = line.column + numeric.unwrap_or(8);
            line.column_stop(target);
        }
        other => {
            let kind = m.mem.atoms.intern("format_character");
            let culprit = m.mem.atom_cell(&other.to_string());
            return Err(m.mem.existence_error(kind, culprit));
        }
    }
    Ok(())
}

fn integer_directive(value: &BigInt, digits: usize, group: bool) -> String {
    let text = value.to_string();
    let (sign, mut body) = match text.strip_prefix('-') {
        Some(body) => ("-", body.to_owned()),
        None => ("", text),
    };
    let mut fraction = String::new();
    if digits > 0 {
        while body.len() <= digits {
            body.insert(0, '0');
        }
        fraction = format!(".{}", body.split_off(body.len() - digits));
    }
    if group {
        let mut at = body.len();
        while at > 3 {
            at -= 3;
            body.insert(at, ',');
        }
    }
    format!("{sign}{body}{fraction}")
}

fn float_directive(
    m: &mut Machine,
    cell: Cell,
    digits: usize,
    directive: char,
) -> Result<String, PErr> {
    let value = m.eval(cell)?;
    Ok(match (directive, &value) {
        ('f', Num::Int(_) | Num::Big(_)) => {
            let value: BigInt = value.to_big().unwrap_or_default();
            let fraction = if digits > 0 {
                format!(".{}", "0".repeat(digits))
            } else {
                String::new()
            };
            format!("{value}{fraction}")
        }
        ('f', Num::Ratio(ratio)) => ratio.decimal(digits.min(MAX_DIGITS)),
        ('f', _) => format!("{:.*}", digits, value.to_float()),
        ('e', _) => exponent(value.to_float(), digits),
        _ => {
            let float = value.to_float();
            let magnitude = if float == 0.0 {
                0
            } else {
                float.abs().log10().floor() as i32
            };
            if (-4..digits as i32).contains(&magnitude) {
                let places = (digits as i32 - 1 - magnitude).max(0) as usize;
                let text = format!("{float:.places$}");
                if text.contains('.') {
                    text.trim_end_matches('0').trim_end_matches('.').to_owned()
                } else {
                    text
                }
            } else {
                let text = exponent(float, digits.saturating_sub(1));
                match text.split_once('e') {
                    Some((mantissa, power)) if mantissa.contains('.') => {
                        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
                        format!("{mantissa}e{power}")
                    }
                    _ => text,
                }
            }
        }
    })
}

/// As C prints `%e`: at least two digits of exponent, with sign.
fn exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}
