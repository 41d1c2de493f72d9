//! Writing terms and characters.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use stet_base::FastMap;
use stet_prolog::{WriteOptions, atom};

pub(super) fn register(m: &mut Machine) {
    m.register("nl", 0, |m| m.emit("\n"));
    m.register("nl", 1, |m| {
        let cell = m.arg(0);
        let id = m.output_stream(cell)?;
        m.emit_to(id, "\n")
    });
    m.register("write", 1, |m| write(m, None, 0, &WriteOptions::WRITE));
    m.register("$print", 1, |m| write(m, None, 0, &PRINT));
    m.register("writeln", 1, |m| {
        write(m, None, 0, &WriteOptions::WRITE)?;
        m.emit("\n")
    });
    m.register("writeq", 1, |m| write(m, None, 0, &WriteOptions::WRITEQ));
    m.register("write_canonical", 1, |m| canonical(m, None, 0));
    m.register("write", 2, |m| write(m, Some(0), 1, &WriteOptions::WRITE));
    m.register("$print", 2, |m| write(m, Some(0), 1, &PRINT));
    m.register("writeln", 2, |m| {
        write(m, Some(0), 1, &WriteOptions::WRITE)?;
        let cell = m.arg(0);
        let id = m.output_stream(cell)?;
        m.emit_to(id, "\n")
    });
    m.register("writeq", 2, |m| write(m, Some(0), 1, &WriteOptions::WRITEQ));
    m.register("write_canonical", 2, |m| canonical(m, Some(0), 1));
    m.register("write_term", 2, |m| write_with_options(m, None, 0));
    m.register("write_term", 3, |m| write_with_options(m, Some(0), 1));
    m.register("put_char", 1, |m| put_char(m, None, 0));
    m.register("put_char", 2, |m| put_char(m, Some(0), 1));
    m.register("put_code", 1, |m| put_code(m, None, 0));
    m.register("put_code", 2, |m| put_code(m, Some(0), 1));
    m.register("put_byte", 1, |m| put_byte(m, None, 0));
    m.register("put_byte", 2, |m| put_byte(m, Some(0), 1));
    m.register("tab", 1, |m| tab(m, None, 0));
    m.register("tab", 2, |m| tab(m, Some(0), 1));
    m.register("$variant_key", 2, variant_key);
    m.register("$error_text", 1, |m| {
        let text = m.text_arg(0)?;
        m.io.host.write_error(&text);
        Ok(true)
    });
    m.register("$quoted", 2, |m| {
        let text = m.quoted(m.control.x[0]);
        let cell = m.new_string(&text)?;
        m.unify_result(m.control.x[1], cell)
    });
}

/// The exit code when the reader of the output went away: what a shell shows for a broken pipe.
const CLOSED_PIPE: i32 = 141;

const PRINT: WriteOptions = WriteOptions {
    quoted: true,
    ..WriteOptions::WRITE
};

impl Memory {
    /// Output did not get through. Without a reader there is nothing left to do; anything else is an exception.
    pub(crate) fn output_error(&mut self, error: crate::HostError, id: usize) -> PErr {
        if error == crate::HostError::Closed {
            return PErr::Halt(CLOSED_PIPE);
        }
        let stream = self.stream_cell(id);
        let action = self.atoms.intern("io_error");
        let formal = self.new_term(action, &[Cell::atom(atom::WRITE), stream]);
        self.iso_error(formal)
    }
}

impl Machine {
    /// Writes text to the current output.
    pub(crate) fn emit(&mut self, text: &str) -> Res {
        let id = self.io.streams.output;
        self.emit_to(id, text)
    }

    pub(crate) fn emit_to(&mut self, id: usize, text: &str) -> Res {
        self.check_written()?;
        self.charge(text.len());
        if let Err(error) = self.io.streams.write(self.io.host.as_mut(), id, text) {
            return Err(self.mem.output_error(error, id));
        }
        Ok(true)
    }

    pub(crate) fn output_arg(&mut self, stream: Option<usize>) -> Result<usize, PErr> {
        match stream {
            Some(index) => {
                let cell = self.arg(index);
                self.output_stream(cell)
            }
            None => Ok(self.io.streams.output),
        }
    }
}

fn write(m: &mut Machine, stream: Option<usize>, term: usize, options: &WriteOptions) -> Res {
    let id = m.output_arg(stream)?;
    let text = m.format_term(m.control.x[term], options);
    m.emit_to(id, &text)
}

/// `'$variant_key'(Term, Atom)`: terms have the same key if they are variants of each other.
fn variant_key(m: &mut Machine) -> Res {
    let cell = m.control.x[0];
    let mut names = FastMap::default();
    for (i, var) in m.mem.variables_of(cell).into_iter().enumerate() {
        names.insert(var, format!("_{i}"));
    }
    let text = m.format_named(cell, &WriteOptions::CANONICAL, Some(&names));
    m.check_written()?;
    let key = m.mem.atom_cell(&text);
    m.unify_result(m.control.x[1], key)
}

/// Variables are named `A`, `B`, …; those that occur once `_`.
fn canonical(m: &mut Machine, stream: Option<usize>, term: usize) -> Res {
    let id = m.output_arg(stream)?;
    let cell = m.control.x[term];
    let mut counts: FastMap<Cell, usize> = FastMap::default();
    let mut order = Vec::new();
    m.mem.walk(cell, |found| {
        if found.is_var() {
            let count = counts.entry(found).or_default();
            if *count == 0 {
                order.push(found);
            }
            *count += 1;
        }
        true
    });
    let mut names = FastMap::default();
    let mut number = 0;
    for var in order {
        let name = if counts[&var] == 1 {
            "_".to_owned()
        } else {
            number += 1;
            stet_prolog::variable_name(number - 1)
        };
        names.insert(var, name);
    }
    let text = m.format_named(cell, &WriteOptions::CANONICAL, Some(&names));
    m.emit_to(id, &text)
}

fn bool_option(m: &mut Machine, option: Cell, value: Cell) -> Result<bool, PErr> {
    match value.as_atom() {
        Some(atom::TRUE) => Ok(true),
        Some(atom::FALSE) => Ok(false),
        _ if value.is_var() => Err(m.mem.instantiation_error()),
        _ => Err(m.mem.domain_error(atom::WRITE_OPTION, option)),
    }
}

fn write_with_options(m: &mut Machine, stream: Option<usize>, term: usize) -> Res {
    let id = m.output_arg(stream)?;
    let mut options = WriteOptions {
        numbervars: false,
        ..WriteOptions::WRITE
    };
    let mut names: FastMap<Cell, String> = FastMap::default();
    let (mut fullstop, mut newline) = (false, false);
    let list = m.arg(term + 1);
    for option in m.list_items(list)? {
        if option.is_var() {
            return Err(m.mem.instantiation_error());
        }
        let Some((name, 1, args)) = m.mem.compound(option) else {
            return Err(m.mem.domain_error(atom::WRITE_OPTION, option));
        };
        let value = m.mem.at(args);
        match name {
            atom::QUOTED => options.quoted = bool_option(m, option, value)?,
            atom::IGNORE_OPS => options.ignore_ops = bool_option(m, option, value)?,
            atom::BRACE_TERMS => options.brace_terms = bool_option(m, option, value)?,
            atom::DOTLISTS => options.dotlists = bool_option(m, option, value)?,
            _ if m.mem.atom_text(name) == "no_lists" => {
                options.dotlists = bool_option(m, option, value)?;
            }
            atom::NUMBERVARS => options.numbervars = bool_option(m, option, value)?,
            atom::MAX_DEPTH => options.max_depth = m.mem.int_of(value)?.clamp(0, 1 << 30) as u32,
            atom::PRIORITY => options.priority = m.mem.int_of(value)?.clamp(0, 1200) as u16,
            atom::SPACING => {
                let word = m.mem.atom_of(value)?;
                options.spacing = m.mem.atom_text(word) == "next_argument";
            }
            atom::FULLSTOP => fullstop = bool_option(m, option, value)?,
            atom::NL_OPTION => newline = bool_option(m, option, value)?,
            atom::VARNAMES => {
                for pair in m.list_items(value)? {
                    if let Some(args) = m.mem.structure(pair, atom::EQUALS, 2) {
                        let (name, var) = (m.mem.at(args), m.mem.at(args + 1));
                        if m.mem.is_number(name) {
                            return Err(m.mem.type_error(atom::ATOM, name));
                        }
                        let text = m.need_text(name)?;
                        if !is_variable_name(&text) {
                            let kind = m.mem.atoms.intern("variable_name");
                            return Err(m.mem.domain_error(kind, name));
                        }
                        let name = text;
                        names.entry(var).or_insert(name);
                    }
                }
            }
            _ => {
                let known = [
                    "cycles",
                    "portray",
                    "attributes",
                    "character_escapes",
                    "module",
                    "blobs",
                    "partial",
                    "portray_clause",
                    "portrayed",
                    "variable_names",
                ];
                if !known.contains(&m.mem.atom_text(name)) {
                    return Err(m.mem.domain_error(atom::WRITE_OPTION, option));
                }
            }
        }
    }
    let mut text = m.format_named(m.control.x[term], &options, Some(&names));
    if fullstop {
        text.push('.');
    }
    if newline || fullstop {
        text.push('\n');
    }
    m.emit_to(id, &text)
}

/// Whether the text would be read as a variable.
fn is_variable_name(text: &str) -> bool {
    let starts = |c: char| c == '_' || c.is_uppercase() || is_titlecase(c);
    text.starts_with(starts) && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Letters of the kind of `ǅ`, which begin variables, too.
fn is_titlecase(c: char) -> bool {
    !c.is_lowercase() && !c.is_uppercase() && c.to_lowercase().next() != Some(c)
}

fn put_char(m: &mut Machine, stream: Option<usize>, index: usize) -> Res {
    let id = m.output_arg(stream)?;
    let cell = m.arg(index);
    if cell.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let text = cell.as_atom().map(|name| m.mem.atom_text(name).to_owned());
    match text {
        Some(text) if text.chars().count() == 1 => m.emit_to(id, &text),
        _ => Err(m.mem.type_error(atom::CHARACTER, cell)),
    }
}

fn put_code(m: &mut Machine, stream: Option<usize>, index: usize) -> Res {
    let id = m.output_arg(stream)?;
    let code = m.int_arg(index)?;
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some(c) => m.emit_to(id, c.encode_utf8(&mut [0; 4])),
        None => Err(m.mem.representation_error(atom::CHARACTER_CODE)),
    }
}

fn put_byte(m: &mut Machine, stream: Option<usize>, index: usize) -> Res {
    let id = m.output_arg(stream)?;
    let cell = m.arg(index);
    if cell.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if !m.io.streams.get(id).is_some_and(|stream| stream.binary) {
        let culprit = m.stream_culprit(stream, id);
        let kind = m.mem.atoms.intern("text_stream");
        return Err(m.mem.permission_error(atom::OUTPUT, kind, culprit));
    }
    match u8::try_from(cell.small_value()) {
        Ok(byte) if cell.is_small() => m.emit_to(id, char::from(byte).encode_utf8(&mut [0; 4])),
        _ => Err(m.mem.type_error(atom::BYTE, cell)),
    }
}

fn tab(m: &mut Machine, stream: Option<usize>, index: usize) -> Res {
    let id = m.output_arg(stream)?;
    let cell = m.arg(index);
    let value = m.eval_cell(cell)?;
    let count = m.mem.int_of(value)?.clamp(0, 1 << 20) as usize;
    m.emit_to(id, &" ".repeat(count))
}
