//! Opening, closing, choosing and describing streams.

use crate::cell::*;
use crate::errors::PErr;
use crate::host::{HostError, OutputMode};
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use crate::streams::{
    Direction, EofAction, Sink, Source, Stream, USER_ERROR, USER_INPUT, USER_OUTPUT,
};
use stet_prolog::{Atom, atom};

/// What `set_stream/2` may be told besides an alias; it has no effect here.
fn is_stream_property(name: &str) -> bool {
    const KNOWN: &[&str] = &[
        "bom",
        "buffer",
        "buffer_size",
        "close_on_abort",
        "close_on_exec",
        "encoding",
        "eof_action",
        "file_name",
        "line_position",
        "locale",
        "newline",
        "record_position",
        "representation_errors",
        "timeout",
        "tty",
        "type",
        "write_errors",
    ];
    KNOWN.contains(&name)
}

pub(super) fn register(m: &mut Machine) {
    m.register("open", 3, |m| open(m, false));
    m.register("open", 4, |m| open(m, true));
    m.register("close", 1, close);
    m.register("close", 2, |m| {
        let options = m.arg(1);
        for option in m.list_items(options)? {
            if option.is_var() {
                return Err(m.mem.instantiation_error());
            }
            if m.mem.structure(option, atom::FORCE, 1).is_none() {
                return Err(m.mem.domain_error(atom::CLOSE_OPTION, option));
            }
        }
        close(m)
    });
    m.register("current_input", 1, |m| {
        let id = m.io.streams.input;
        current(m, id)
    });
    m.register("current_output", 1, |m| {
        let id = m.io.streams.output;
        current(m, id)
    });
    m.register("set_input", 1, |m| {
        let cell = m.arg(0);
        m.io.streams.input = m.input_stream(cell)?;
        Ok(true)
    });
    m.register("set_output", 1, |m| {
        let cell = m.arg(0);
        m.io.streams.output = m.output_stream(cell)?;
        Ok(true)
    });
    m.register("flush_output", 0, |m| flush(m, USER_OUTPUT));
    m.register("flush_output", 1, |m| {
        let cell = m.arg(0);
        let id = m.output_stream(cell)?;
        flush(m, id)
    });
    m.register("ttyflush", 0, |m| flush(m, USER_OUTPUT));
    m.register("set_stream", 2, |m| {
        let cell = m.arg(0);
        let id = m.stream_id(cell)?;
        let property = m.arg(1);
        if let Some(args) = m.mem.structure(property, atom::ALIAS, 1) {
            let alias = m.mem.at(args);
            let alias = m.mem.atom_of(alias)?;
            m.io.streams.aliases.insert(alias, id);
            return Ok(true);
        }
        if property.is_var() {
            return Err(m.mem.instantiation_error());
        }
        let known = m.mem.compound(property).is_some_and(|(name, arity, _)| {
            arity == 1 && is_stream_property(m.mem.atom_text(name))
        });
        if known {
            return Ok(true);
        }
        let kind = m.mem.atoms.intern("stream_attribute");
        Err(m.mem.domain_error(kind, property))
    });
    m.register("$set_position", 3, |m| {
        let cell = m.arg(0);
        let id = m.stream_id(cell)?;
        let (offset, line_number) = (m.int_arg(1)?.max(0) as usize, m.int_arg(2)?.max(1) as usize);
        if let Some(Stream {
            direction:
                Direction::Input {
                    text,
                    at,
                    source: Source::Text,
                    past_end,
                },
            line,
            column,
            ..
        }) = m.io.streams.get_mut(id)
        {
            if text.is_char_boundary(offset) {
                *column = crate::streams::column_after(0, &text[..offset]);
                *at = offset;
                *past_end = false;
                *line = line_number;
                return Ok(true);
            }
        }
        let reposition = m.mem.atoms.intern("reposition");
        Err(m.mem.permission_error(reposition, atom::STREAM, cell))
    });
    m.register("$streams", 1, |m| {
        let ids: Vec<usize> = (0..m.io.streams.table.len())
            .filter(|&id| m.io.streams.get(id).is_some())
            .collect();
        let cells: Vec<Cell> = ids.into_iter().map(|id| m.mem.stream_cell(id)).collect();
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[0], list)
    });
    m.register("$stream_properties", 2, properties);
    m.register("open_string", 2, |m| {
        let text = m.text_arg(0)?;
        // As files that are opened without saying otherwise.
        let mut stream = Stream::input(text, Source::Text);
        stream.eof_action = EofAction::EofCode;
        let id = m.io.streams.add(stream);
        let cell = m.mem.stream_cell(id);
        m.unify_result(m.control.x[1], cell)
    });
    // '$capture_open'(Previous): output goes to memory until '$capture_close'(Previous, Text).
    m.register("$capture_open", 1, |m| {
        let previous = m.io.streams.output;
        let id = m.io.streams.add(Stream::output(Sink::Memory, atom::WRITE));
        m.io.streams.output = id;
        let pair = m.mem.new_term(
            atom::MINUS,
            &[Cell::small(previous as i64), Cell::small(id as i64)],
        );
        m.unify_result(m.control.x[0], pair)
    });
    m.register("$capture_close", 2, |m| {
        let pair = m.arg(0);
        let Some(args) = m.mem.structure(pair, atom::MINUS, 2) else {
            return Ok(false);
        };
        let (previous, id) = (
            m.mem.at(args).small_value() as usize,
            m.mem.at(args + 1).small_value() as usize,
        );
        m.io.streams.output = previous;
        let stream = m.io.streams.table.get_mut(id).and_then(Option::take);
        let text = match stream.map(|stream| stream.direction) {
            Some(Direction::Output { buffer, .. }) => buffer,
            _ => String::new(),
        };
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[1], string)
    });
}

impl Memory {
    /// The term naming a stream.
    pub(crate) fn stream_cell(&mut self, id: usize) -> Cell {
        self.new_term(atom::STREAM_FUNCTOR, &[Cell::small(id as i64)])
    }

    pub(crate) fn host_error(&mut self, error: HostError, path: Cell) -> PErr {
        match error {
            HostError::Missing => self.existence_error(atom::SOURCE_SINK, path),
            _ => {
                let open = self.atoms.intern("open");
                self.permission_error(open, atom::SOURCE_SINK, path)
            }
        }
    }
}

impl Machine {
    /// The stream a term names.
    pub(crate) fn stream_id(&mut self, cell: Cell) -> Result<usize, PErr> {
        let cell = self.mem.deref(cell);
        if cell.is_var() {
            return Err(self.mem.instantiation_error());
        }
        if let Some(name) = cell.as_atom() {
            if let Some(&id) = self.io.streams.aliases.get(&name) {
                return Ok(id);
            }
            return match self.mem.atom_text(name) {
                "current_output" => Ok(self.io.streams.output),
                "current_input" => Ok(self.io.streams.input),
                _ => Err(self.mem.existence_error(atom::STREAM, cell)),
            };
        }
        if let Some(args) = self.mem.structure(cell, atom::STREAM_FUNCTOR, 1) {
            let id = self.mem.at(args).small_value() as usize;
            return match self.io.streams.get(id) {
                Some(_) => Ok(id),
                None => Err(self.mem.existence_error(atom::STREAM, cell)),
            };
        }
        Err(self.mem.domain_error(atom::STREAM_OR_ALIAS, cell))
    }

    pub(crate) fn input_stream(&mut self, cell: Cell) -> Result<usize, PErr> {
        let id = self.stream_id(cell)?;
        if self.io.streams.get(id).is_some_and(Stream::is_input) {
            return Ok(id);
        }
        Err(self.mem.permission_error(atom::INPUT, atom::STREAM, cell))
    }

    pub(crate) fn output_stream(&mut self, cell: Cell) -> Result<usize, PErr> {
        let id = self.stream_id(cell)?;
        if self
            .io
            .streams
            .get(id)
            .is_some_and(|stream| !stream.is_input())
        {
            return Ok(id);
        }
        Err(self.mem.permission_error(atom::OUTPUT, atom::STREAM, cell))
    }

    /// The stream an error names: as the program did, or the current one.
    pub(crate) fn stream_culprit(&mut self, given: Option<usize>, id: usize) -> Cell {
        match given {
            Some(index) => self.arg(index),
            None => self.mem.stream_cell(id),
        }
    }
}

fn flush(m: &mut Machine, id: usize) -> Res {
    match m.io.host.flush_output() {
        Ok(()) => Ok(true),
        Err(error) => Err(m.mem.output_error(error, id)),
    }
}

fn current(m: &mut Machine, id: usize) -> Res {
    let given = m.arg(0);
    if !given.is_var() && m.mem.structure(given, atom::STREAM_FUNCTOR, 1).is_none() {
        return Err(m.mem.domain_error(atom::STREAM, given));
    }
    let cell = m.mem.stream_cell(id);
    m.unify_result(given, cell)
}

struct OpenOptions {
    binary: bool,
    alias: Option<Atom>,
    eof_action: EofAction,
}

fn open_options(m: &mut Machine) -> Result<OpenOptions, PErr> {
    let mut found = OpenOptions {
        binary: false,
        alias: None,
        eof_action: EofAction::EofCode,
    };
    let options = m.arg(3);
    for option in m.list_items(options)? {
        if option.is_var() {
            return Err(m.mem.instantiation_error());
        }
        let Some((name, 1, args)) = m.mem.compound(option) else {
            return Err(m.mem.domain_error(atom::STREAM_OPTION, option));
        };
        let value = m.mem.at(args);
        match name {
            atom::TYPE => {
                found.binary = value.is_atom(atom::BINARY);
                if !found.binary && !value.is_atom(atom::TEXT) {
                    return Err(m.mem.domain_error(atom::STREAM_OPTION, option));
                }
            }
            atom::ALIAS => {
                let alias = m.mem.atom_of(value)?;
                if m.io.streams.aliases.contains_key(&alias) {
                    let open = m.mem.atoms.intern("open");
                    return Err(m.mem.permission_error(open, atom::SOURCE_SINK, option));
                }
                found.alias = Some(alias);
            }
            atom::EOF_ACTION => {
                found.eof_action = match value.as_atom() {
                    Some(atom::ERROR) => EofAction::Error,
                    Some(atom::RESET) => EofAction::Reset,
                    Some(atom::EOF_CODE) => EofAction::EofCode,
                    _ => return Err(m.mem.domain_error(atom::STREAM_OPTION, option)),
                }
            }
            atom::REPOSITION | atom::ENCODING => {}
            _ => {
                let known = [
                    "lock",
                    "buffer",
                    "bom",
                    "newline",
                    "create",
                    "close_on_abort",
                    "locale",
                    "wait",
                ];
                if !known.contains(&m.mem.atom_text(name)) {
                    return Err(m.mem.domain_error(atom::STREAM_OPTION, option));
                }
            }
        }
    }
    Ok(found)
}

fn open(m: &mut Machine, with_options: bool) -> Res {
    let (path, mode) = (m.arg(0), m.arg(1));
    if path.is_var() || mode.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let mode_name = m.mem.atom_of(mode)?;
    let options = if with_options {
        open_options(m)?
    } else {
        OpenOptions {
            binary: false,
            alias: None,
            eof_action: EofAction::EofCode,
        }
    };
    if !m.arg(2).is_var() {
        let cell = m.arg(2);
        let what = m.mem.atoms.intern("uninstantiation_error");
        let formal = m.mem.new_term(what, &[cell]);
        return Err(m.mem.iso_error(formal));
    }
    let Some(text) = m.mem.text_of(path).filter(|_| path.is_atomic()) else {
        return Err(m.mem.domain_error(atom::SOURCE_SINK, path));
    };
    let mut stream = match mode_name {
        atom::READ => match m.io.host.read_file(&text) {
            Ok(bytes) => {
                let text = if options.binary {
                    bytes.iter().map(|&byte| char::from(byte)).collect()
                } else {
                    String::from_utf8_lossy(&bytes).into_owned()
                };
                Stream::input(text, Source::Text)
            }
            Err(error) => return Err(m.mem.host_error(error, path)),
        },
        atom::WRITE | atom::APPEND | atom::UPDATE => {
            let how = match mode_name {
                atom::WRITE => OutputMode::Write,
                atom::APPEND => OutputMode::Append,
                _ => OutputMode::Update,
            };
            match m.io.host.open_output(&text, how) {
                Ok(file) => Stream::output(Sink::File(file), mode_name),
                Err(error) => return Err(m.mem.host_error(error, path)),
            }
        }
        _ => return Err(m.mem.domain_error(atom::IO_MODE, mode)),
    };
    stream.alias = options.alias;
    stream.binary = options.binary;
    stream.eof_action = options.eof_action;
    stream.file = Some(m.mem.atoms.intern(&text));
    let id = m.io.streams.add(stream);
    if let Some(alias) = options.alias {
        m.io.streams.aliases.insert(alias, id);
    }
    let cell = m.mem.stream_cell(id);
    m.unify_result(m.control.x[2], cell)
}

fn close(m: &mut Machine) -> Res {
    let cell = m.arg(0);
    let id = m.stream_id(cell)?;
    if id <= USER_ERROR {
        return Ok(true);
    }
    if let Some(stream) = m.io.streams.table[id].take() {
        if let Direction::Output {
            sink: Sink::File(file),
            ..
        } = stream.direction
        {
            if let Err(error) = m.io.host.close_file(file) {
                return Err(m.mem.output_error(error, id));
            }
        }
    }
    m.io.streams.aliases.retain(|_, found| *found != id);
    if m.io.streams.input == id {
        m.io.streams.input = USER_INPUT;
    }
    if m.io.streams.output == id {
        m.io.streams.output = USER_OUTPUT;
    }
    Ok(true)
}

fn properties(m: &mut Machine) -> Res {
    let cell = m.arg(0);
    let id = m.stream_id(cell)?;
    let Some(stream) = m.io.streams.get(id) else {
        return Ok(false);
    };
    let (input, mode, alias, file) = (stream.is_input(), stream.mode, stream.alias, stream.file);
    let (binary, line) = (stream.binary, stream.line);
    let eof_action = match stream.eof_action {
        EofAction::Error => atom::ERROR,
        EofAction::EofCode => atom::EOF_CODE,
        EofAction::Reset => atom::RESET,
    };
    let offset = match &stream.direction {
        Direction::Input {
            at,
            source: Source::Text,
            ..
        } => Some(*at),
        _ => None,
    };
    let end = match &stream.direction {
        Direction::Input {
            text,
            at,
            past_end,
            source,
            ..
        } => {
            if *past_end {
                Some(atom::PAST)
            } else if *at >= text.len() && *source == Source::Text {
                Some(atom::AT)
            } else {
                Some(atom::NOT_EOF)
            }
        }
        Direction::Output { .. } => None,
    };
    let mut found = vec![Cell::atom(if input { atom::INPUT } else { atom::OUTPUT })];
    let mut add = |m: &mut Machine, name: Atom, value: Cell| {
        let term = m.mem.new_term(name, &[value]);
        found.push(term);
    };
    let mode_name = m.mem.atoms.intern("mode");
    add(m, mode_name, Cell::atom(mode));
    if let Some(alias) = alias {
        add(m, atom::ALIAS, Cell::atom(alias));
    }
    if let Some(file) = file {
        let name = m.mem.atoms.intern("file_name");
        add(m, name, Cell::atom(file));
    }
    add(
        m,
        atom::TYPE,
        Cell::atom(if binary { atom::BINARY } else { atom::TEXT }),
    );
    add(m, atom::EOF_ACTION, Cell::atom(eof_action));
    add(m, atom::REPOSITION, Cell::atom(atom::FALSE));
    if let Some(end) = end {
        let name = m.mem.atoms.intern("end_of_stream");
        add(m, name, Cell::atom(end));
    }
    let name = m.mem.atoms.intern("line_count");
    add(m, name, Cell::small(line as i64));
    if let Some(offset) = offset {
        let position = m.mem.atoms.intern("$stream_position");
        let place = m.mem.new_term(
            position,
            &[Cell::small(offset as i64), Cell::small(line as i64)],
        );
        let name = m.mem.atoms.intern("position");
        add(m, name, place);
    }
    let list = m.new_proper_list(&found)?;
    m.unify_result(m.control.x[1], list)
}
