//! `format/1,2,3`: directives with column stops. Goals (`~p` through hooks, `~@`) are not called from here;
//! `~@` is expanded in Prolog before.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::number::Num;
use num_bigint::BigInt;
use stet_prolog::{WriteOptions, atom};

pub(super) fn register(m: &mut Machine) {
    m.register("format", 1, |m| {
        let nil = Cell::atom(atom::NIL);
        let format = m.x[0];
        let id = m.streams.output;
        format_to(m, id, format, nil)
    });
    m.register("format", 2, |m| {
        let (format, args) = (m.x[0], m.x[1]);
        let id = m.streams.output;
        format_to(m, id, format, args)
    });
    // '$format'(Stream, Format, Args)
    m.register("$format", 3, |m| {
        let cell = m.arg(0);
        let id = m.output_stream(cell)?;
        let (format, args) = (m.x[1], m.x[2]);
        format_to(m, id, format, args)
    });
    // '$format_text'(Format, Args, String)
    m.register("$format_text", 3, |m| {
        let (format, args) = (m.x[0], m.x[1]);
        let text = format_text(m, format, args, 0)?;
        let string = m.new_string(&text)?;
        m.unify_result(m.x[2], string)
    });
}

fn format_to(m: &mut Machine, id: usize, format: Cell, args: Cell) -> Res {
    let column = m.streams.get(id).map_or(0, |stream| stream.column);
    let text = format_text(m, format, args, column)?;
    m.emit_to(id, &text)
}

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
    fn position(&self) -> usize {
        match self.out.rfind('\n') {
            Some(at) => self.out[at + 1..].chars().count(),
            None => self.start_column + self.out.chars().count(),
        }
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
                // The last fill points get what does not divide evenly.
                let share = missing / count + usize::from(i >= count - missing % count);
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

fn format_text(m: &mut Machine, format: Cell, args: Cell, column: usize) -> Result<String, PErr> {
    let format_cell = m.deref(format);
    let template = if format_cell.is_atom(atom::NIL) {
        String::new()
    } else {
        m.need_text(format_cell)?
    };
    let args_cell = m.deref(args);
    let items =
        if args_cell.is_atom(atom::NIL) || args_cell.tag() == LST && m.is_proper_list(args_cell) {
            m.list_items(args_cell)?
        } else {
            vec![args_cell]
        };
    let mut rest = items.into_iter();
    let mut line = Line {
        out: String::new(),
        segment: 0,
        column,
        fills: Vec::new(),
        start_column: column,
    };
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
                numeric = Some(m.int_of(cell)?.max(0) as usize);
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
        run_directive(m, &mut line, directive, numeric, &mut rest)?;
    }
    if rest.next().is_some() {
        return Err(format_error(m, "too many arguments"));
    }
    Ok(line.out)
}

fn format_error(m: &mut Machine, message: &str) -> PErr {
    let text = m.atom_cell(message);
    let name = m.atoms.intern("format");
    let formal = m.new_term(name, &[text]);
    m.iso_error(formal)
}

fn take(m: &mut Machine, rest: &mut std::vec::IntoIter<Cell>) -> Result<Cell, PErr> {
    match rest.next() {
        Some(cell) => Ok(m.deref(cell)),
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
        'w' => {
            let cell = take(m, rest)?;
            line.out
                .push_str(&m.format_term(cell, &WriteOptions::WRITE));
        }
        'p' => {
            let cell = take(m, rest)?;
            line.out
                .push_str(&m.format_term(cell, &WriteOptions::WRITEQ));
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
            if cell.is_var() {
                return Err(m.instantiation_error());
            }
            let text = m.need_text(cell)?;
            line.out.push_str(&text);
        }
        's' => {
            let cell = take(m, rest)?;
            let text = if cell.is_atom(atom::NIL) {
                String::new()
            } else {
                m.need_text(cell)?
            };
            line.out.push_str(&text);
        }
        'd' | 'D' => {
            let cell = take(m, rest)?;
            let text = integer_directive(m, cell, numeric.unwrap_or(0), directive == 'D')?;
            line.out.push_str(&text);
        }
        'f' | 'e' | 'g' => {
            let cell = take(m, rest)?;
            let text = float_directive(m, cell, numeric.unwrap_or(6), directive)?;
            line.out.push_str(&text);
        }
        'c' => {
            let cell = take(m, rest)?;
            let code = m.int_of(cell)?;
            let c = u32::try_from(code).ok().and_then(char::from_u32);
            let Some(c) = c else {
                return Err(m.representation_error(atom::CHARACTER_CODE));
            };
            line.out
                .extend(std::iter::repeat_n(c, numeric.unwrap_or(1)));
        }
        'r' | 'R' => {
            let cell = take(m, rest)?;
            if !m.is_integer(cell) {
                return Err(m.type_error(atom::INTEGER, cell));
            }
            let value = m
                .number(cell)
                .and_then(|number| number.to_big())
                .unwrap_or_default();
            let text = value.to_str_radix(numeric.unwrap_or(8).clamp(2, 36) as u32);
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
            let text = format!("unknown directive ~{other}");
            return Err(format_error(m, &text));
        }
    }
    Ok(())
}

fn integer_directive(
    m: &mut Machine,
    cell: Cell,
    digits: usize,
    group: bool,
) -> Result<String, PErr> {
    if cell.is_var() {
        return Err(m.instantiation_error());
    }
    if !m.is_integer(cell) {
        return Err(m.type_error(atom::INTEGER, cell));
    }
    let text = m.need_text(cell)?;
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
    Ok(format!("{sign}{body}{fraction}"))
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
                exponent(float, digits.saturating_sub(1))
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
