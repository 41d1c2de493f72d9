//! Reading characters and terms.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use crate::streams::{Direction, EofAction, Stream};
use stet_prolog::{SyntaxError, atom, has_full_stop};

pub(super) fn register(m: &mut Machine) {
    m.register("get_char", 1, |m| get(m, None, Kind::Char, true));
    m.register("get_char", 2, |m| get(m, Some(0), Kind::Char, true));
    // '$peek_chars'(Stream, Count, String)
    m.register("$peek_chars", 3, |m| {
        let id = input_arg(m, Some(0))?;
        let count = m.int_arg(1)?.max(0) as usize;
        let text = m.io.streams.peek_text(m.io.host.as_mut(), id, count);
        let cell = m.new_string(&text)?;
        m.unify_result(m.control.x[2], cell)
    });
    m.register("peek_char", 1, |m| get(m, None, Kind::Char, false));
    m.register("peek_char", 2, |m| get(m, Some(0), Kind::Char, false));
    m.register("get_code", 1, |m| get(m, None, Kind::Code, true));
    m.register("get_code", 2, |m| get(m, Some(0), Kind::Code, true));
    m.register("peek_code", 1, |m| get(m, None, Kind::Code, false));
    m.register("peek_code", 2, |m| get(m, Some(0), Kind::Code, false));
    m.register("get_byte", 1, |m| get(m, None, Kind::Byte, true));
    m.register("get_byte", 2, |m| get(m, Some(0), Kind::Byte, true));
    m.register("peek_byte", 1, |m| get(m, None, Kind::Byte, false));
    m.register("peek_byte", 2, |m| get(m, Some(0), Kind::Byte, false));
    m.register("at_end_of_stream", 0, |m| {
        let id = m.io.streams.input;
        Ok(m.io.streams.peek(m.io.host.as_mut(), id).is_none())
    });
    m.register("at_end_of_stream", 1, |m| {
        let cell = m.arg(0);
        let id = m.input_stream(cell)?;
        Ok(m.io.streams.peek(m.io.host.as_mut(), id).is_none())
    });
    m.register("read", 1, |m| read(m, None, 0, None));
    m.register("read", 2, |m| read(m, Some(0), 1, None));
    m.register("read_term", 2, |m| read(m, None, 0, Some(1)));
    m.register("read_term", 3, |m| read(m, Some(0), 1, Some(2)));
    m.register("$read_line", 2, read_line);
    m.register("$read_all", 2, |m| {
        let cell = m.arg(0);
        let id = m.input_stream(cell)?;
        let mut text = String::new();
        while let Some(c) = m.io.streams.take(m.io.host.as_mut(), id) {
            text.push(c);
        }
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[1], string)
    });
    m.register("line_count", 2, |m| {
        let cell = m.arg(0);
        let id = m.stream_id(cell)?;
        let line = m.io.streams.get(id).map_or(0, |stream| stream.line);
        m.unify_result(m.control.x[1], Cell::small(line as i64))
    });
    m.register("line_position", 2, |m| {
        let cell = m.arg(0);
        let id = m.stream_id(cell)?;
        let column = m.io.streams.get(id).map_or(0, |stream| stream.column);
        m.unify_result(m.control.x[1], Cell::small(column as i64))
    });
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Char,
    Code,
    Byte,
}

fn input_arg(m: &mut Machine, stream: Option<usize>) -> Result<usize, PErr> {
    match stream {
        Some(index) => {
            let cell = m.arg(index);
            m.input_stream(cell)
        }
        None => Ok(m.io.streams.input),
    }
}

/// Reading past the end may be an error.
fn check_not_past_end(m: &mut Machine, id: usize) -> Result<(), PErr> {
    let past = m.io.streams.get(id).is_some_and(|stream| {
        stream.eof_action == EofAction::Error
            && matches!(stream.direction, Direction::Input { past_end: true, .. })
    });
    if past {
        let culprit = m.mem.stream_cell(id);
        let kind = m.mem.atoms.intern("past_end_of_stream");
        return Err(m.mem.permission_error(atom::INPUT, kind, culprit));
    }
    Ok(())
}

fn get(m: &mut Machine, stream: Option<usize>, kind: Kind, take: bool) -> Res {
    let id = input_arg(m, stream)?;
    let index = usize::from(stream.is_some());
    let binary = m.io.streams.get(id).is_some_and(|stream| stream.binary);
    if binary != (kind == Kind::Byte) {
        let culprit = m.stream_culprit(stream, id);
        let what = m.mem.atoms.intern(if binary {
            "binary_stream"
        } else {
            "text_stream"
        });
        return Err(m.mem.permission_error(atom::INPUT, what, culprit));
    }
    check_target(m, index, kind)?;
    check_not_past_end(m, id)?;
    let c = if take {
        m.io.streams.take(m.io.host.as_mut(), id)
    } else {
        m.io.streams.peek(m.io.host.as_mut(), id)
    };
    let cell = match (kind, c) {
        (Kind::Char, Some(c)) => Cell::atom(m.mem.atoms.char_atom(c)),
        (Kind::Char, None) => Cell::atom(atom::END_OF_FILE),
        (_, Some(c)) => Cell::small(i64::from(u32::from(c))),
        (_, None) => Cell::small(-1),
    };
    m.unify_result(m.control.x[index], cell)
}

fn check_target(m: &mut Machine, index: usize, kind: Kind) -> Result<(), PErr> {
    let cell = m.arg(index);
    if cell.is_var() {
        return Ok(());
    }
    match kind {
        Kind::Char => {
            let ok = cell.as_atom().is_some_and(|name| {
                name == atom::END_OF_FILE || m.mem.atom_text(name).chars().count() == 1
            });
            if !ok {
                return Err(m.mem.type_error(atom::IN_CHARACTER, cell));
            }
        }
        Kind::Code | Kind::Byte => {
            if !m.mem.is_integer(cell) {
                let expected = if kind == Kind::Byte {
                    atom::IN_BYTE
                } else {
                    atom::INTEGER
                };
                return Err(m.mem.type_error(expected, cell));
            }
            let range = if kind == Kind::Byte {
                -1..256
            } else {
                -1..0x110000
            };
            if !range.contains(&cell.small_value()) {
                return Err(if kind == Kind::Byte {
                    m.mem.type_error(atom::IN_BYTE, cell)
                } else {
                    m.mem.representation_error(atom::IN_CHARACTER_CODE)
                });
            }
        }
    }
    Ok(())
}

fn read_line(m: &mut Machine) -> Res {
    let cell = m.arg(0);
    let id = m.input_stream(cell)?;
    if m.io.streams.peek(m.io.host.as_mut(), id).is_none() {
        return m.unify_result(m.control.x[1], Cell::atom(atom::END_OF_FILE));
    }
    let mut line = String::new();
    while let Some(c) = m.io.streams.take(m.io.host.as_mut(), id) {
        if c == '\n' {
            break;
        }
        line.push(c);
    }
    if line.ends_with('\r') {
        line.pop();
    }
    let string = m.new_string(&line)?;
    m.unify_result(m.control.x[1], string)
}

/// What to do about a syntax error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnError {
    Throw,
    Fail,
    /// Tell it and read the next term.
    Skip,
}

/// `read_term`, with the options that say how to read in force meanwhile.
fn read(m: &mut Machine, stream: Option<usize>, target: usize, options: Option<usize>) -> Res {
    let before = m.loader.read_flags;
    let result = match reading_options(m, options) {
        Ok(on_error) => loop {
            match read_once(m, stream, target, options) {
                Ok(Read::Done(unified)) => break Ok(unified),
                Ok(Read::Wrong(error)) => match on_error {
                    OnError::Throw => break Err(m.mem.read_error(&error)),
                    OnError::Fail => break Ok(false),
                    OnError::Skip => {
                        let message = format!("Warning: syntax error: {}\n", error.message);
                        m.io.host.write_error(&message);
                    }
                },
                Err(error) => break Err(error),
            }
        },
        Err(error) => Err(error),
    };
    m.loader.read_flags = before;
    result
}

/// Sets the flags that options set for one term.
fn reading_options(m: &mut Machine, options: Option<usize>) -> Result<OnError, PErr> {
    let mut on_error = OnError::Throw;
    let Some(index) = options else {
        return Ok(on_error);
    };
    let options = m.arg(index);
    for option in m.list_items(options)? {
        let Some((name, 1, args)) = m.mem.compound(option) else {
            continue;
        };
        let Some(value) = m.mem.at(args).as_atom() else {
            continue;
        };
        let wrong = {
            let value = m.mem.atom_text(value);
            match (m.mem.atom_text(name), super::flags::quotes(value), value) {
                ("double_quotes", Some(quotes), _) => {
                    m.loader.read_flags.double_quotes = quotes;
                    false
                }
                ("back_quotes", Some(quotes), _) => {
                    m.loader.read_flags.back_quotes = quotes;
                    false
                }
                ("syntax_errors", _, "error") => false,
                ("syntax_errors", _, "fail" | "quiet") => {
                    on_error = OnError::Fail;
                    false
                }
                ("syntax_errors", _, "dec10") => {
                    on_error = OnError::Skip;
                    false
                }
                ("double_quotes" | "back_quotes" | "syntax_errors", ..) => true,
                _ => false,
            }
        };
        if wrong {
            return Err(m.mem.domain_error(atom::READ_OPTION, option));
        }
    }
    Ok(on_error)
}

/// What reading one term came to.
enum Read {
    Done(bool),
    Wrong(SyntaxError),
}

fn read_once(
    m: &mut Machine,
    stream: Option<usize>,
    target: usize,
    options: Option<usize>,
) -> Result<Read, PErr> {
    let id = input_arg(m, stream)?;
    check_not_past_end(m, id)?;
    // Standard input: fetch text until a full stop is there.
    loop {
        let Some(stream) = m.io.streams.get(id) else {
            return Ok(Read::Done(false));
        };
        let Direction::Input { text, at, .. } = &stream.direction else {
            return Ok(Read::Done(false));
        };
        if has_full_stop(text, *at) || !m.io.streams.refill(m.io.host.as_mut(), id) {
            break;
        }
    }
    let (text, at) = match m.io.streams.get_mut(id).map(|stream| &mut stream.direction) {
        Some(Direction::Input { text, at, .. }) => (std::mem::take(text), *at),
        _ => return Ok(Read::Done(false)),
    };
    let (mut result, mut next) = m.read_text(&text, at);
    // The last term of a text that is no file may end without a full stop.
    let is_text = m.io.streams.get(id).is_some_and(Stream::is_text);
    if is_text && next >= text.len() && result.is_err() {
        let (ended, _) = m.read_text(&format!("{text}\n."), at);
        if matches!(ended, Ok(Some(_))) {
            (result, next) = (ended, text.len());
        }
    }
    let consumed = text[at..next.min(text.len())].to_owned();
    let start = match &result {
        Ok(Some(clause)) => clause.place.start as usize,
        _ => next,
    };
    let above = text.get(at..start).map_or(0, |t| t.matches('\n').count());
    let line = m.io.streams.get(id).map_or(1, |stream| stream.line + above);
    if let Some(stream) = m.io.streams.get_mut(id) {
        stream.line += consumed.matches('\n').count();
        if let Direction::Input {
            text: slot,
            at,
            past_end,
            ..
        } = &mut stream.direction
        {
            *slot = text;
            *at = next;
            if matches!(result, Ok(None)) {
                *past_end = true;
            }
        }
    }
    match result {
        Ok(Some(clause)) => {
            let found = m.term_from_ast(&clause)?;
            if let Some(index) = options
                && !apply_options(m, index, &found, (start, line))?
            {
                return Ok(Read::Done(false));
            }
            let unified = m.unify_result(m.control.x[target], found.term)?;
            Ok(Read::Done(unified))
        }
        Ok(None) => {
            if let Some(index) = options {
                let empty = crate::load::HeapTerm {
                    term: Cell::atom(atom::END_OF_FILE),
                    variables: Vec::new(),
                };
                if !apply_options(m, index, &empty, (start, line))? {
                    return Ok(Read::Done(false));
                }
            }
            let end = Cell::atom(atom::END_OF_FILE);
            let unified = m.unify_result(m.control.x[target], end)?;
            Ok(Read::Done(unified))
        }
        Err(error) => Ok(Read::Wrong(error)),
    }
}

impl Memory {
    pub(crate) fn read_error(&mut self, error: &SyntaxError) -> PErr {
        self.syntax_error(&error.message)
    }
}

/// Unifies the arguments of the options; `place` is where the term starts, as offset and line.
fn apply_options(
    m: &mut Machine,
    index: usize,
    found: &crate::load::HeapTerm,
    place: (usize, usize),
) -> Res {
    let options = m.arg(index);
    for option in m.list_items(options)? {
        if option.is_var() {
            return Err(m.mem.instantiation_error());
        }
        let Some((name, 1, args)) = m.mem.compound(option) else {
            return Err(m.mem.domain_error(atom::READ_OPTION, option));
        };
        let value = m.mem.heap.cell(args);
        let list = match name {
            atom::VARIABLES => {
                let cells: Vec<Cell> = found.variables.iter().map(|(_, cell, _)| *cell).collect();
                Some(cells)
            }
            atom::VARNAMES | atom::SINGLETONS => {
                let mut cells = Vec::new();
                for (variable, cell, count) in &found.variables {
                    let wanted = match name {
                        atom::SINGLETONS => *count == 1 && variable != "_",
                        _ => variable != "_",
                    };
                    if wanted {
                        let variable = m.mem.atom_cell(variable);
                        cells.push(m.mem.new_term(atom::EQUALS, &[variable, *cell]));
                    }
                }
                Some(cells)
            }
            atom::TERM_POSITION => {
                let name = m.mem.atoms.intern("$stream_position");
                let args = [Cell::small(place.0 as i64), Cell::small(place.1 as i64)];
                let position = m.mem.new_term(name, &args);
                if !m.unify(value, position) {
                    return Ok(false);
                }
                None
            }
            atom::COMMENTS | atom::SUBTERM_POSITIONS if m.mem.deref(value).is_var() => {
                let what = format!("option {}(_) of read_term", m.mem.atom_text(name));
                let (what, name) = (m.mem.atom_cell(&what), m.mem.atoms.intern("not_supported"));
                let formal = m.mem.new_term(name, &[what]);
                return Err(m.mem.iso_error(formal));
            }
            _ => None,
        };
        if let Some(cells) = list {
            let list = m.new_proper_list(&cells)?;
            if !m.unify(value, list) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
