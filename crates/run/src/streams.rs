//! Streams: input texts with a position, output with a column, the standard streams and their aliases.

use crate::host::{Host, HostError};
use stet_base::FastMap;
use stet_prolog::{Atom, atom};

/// Where an input stream's text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// Standard input: more text may come.
    Standard,
    /// Everything is there.
    Text,
}

/// Where output goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sink {
    Standard,
    Error,
    File(u32),
    Memory,
}

/// What happens when reading past the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EofAction {
    Error,
    EofCode,
    Reset,
}

pub(crate) enum Direction {
    Input {
        text: String,
        at: usize,
        source: Source,
        past_end: bool,
    },
    Output {
        sink: Sink,
        buffer: String,
    },
}

pub(crate) struct Stream {
    pub(crate) direction: Direction,
    pub(crate) alias: Option<Atom>,
    pub(crate) file: Option<Atom>,
    pub(crate) mode: Atom,
    pub(crate) binary: bool,
    pub(crate) eof_action: EofAction,
    pub(crate) column: usize,
    pub(crate) line: usize,
}

/// The machine's way to the outside: the host, and the streams open there.
pub(crate) struct Io {
    pub(crate) host: Box<dyn Host>,
    pub(crate) streams: Streams,
    /// The state of the random numbers.
    pub(crate) random: u64,
    /// A term was not written to its end because of a limit.
    pub(crate) write_stopped: std::cell::Cell<bool>,
}

impl Io {
    pub(crate) fn new(host: Box<dyn Host>) -> Io {
        Io {
            host,
            streams: Streams::new(),
            random: 0x9E37_79B9_7F4A_7C15,
            write_stopped: std::cell::Cell::new(false),
        }
    }
}

pub(crate) struct Streams {
    pub(crate) table: Vec<Option<Stream>>,
    pub(crate) aliases: FastMap<Atom, usize>,
    pub(crate) input: usize,
    pub(crate) output: usize,
    /// Copies of what goes to a standard stream: stream, how many want it, text.
    copies: Vec<(usize, usize, String)>,
}

pub(crate) const USER_INPUT: usize = 0;
pub(crate) const USER_OUTPUT: usize = 1;
pub(crate) const USER_ERROR: usize = 2;

impl Stream {
    /// Whether this reads a text of the program itself.
    pub(crate) fn is_text(&self) -> bool {
        let source = match &self.direction {
            Direction::Input { source, .. } => *source,
            _ => return false,
        };
        source == Source::Text && self.file.is_none()
    }

    pub(crate) fn input(text: String, source: Source) -> Stream {
        Stream::new(
            Direction::Input {
                text,
                at: 0,
                source,
                past_end: false,
            },
            atom::READ,
        )
    }

    pub(crate) fn output(sink: Sink, mode: Atom) -> Stream {
        Stream::new(
            Direction::Output {
                sink,
                buffer: String::new(),
            },
            mode,
        )
    }

    fn new(direction: Direction, mode: Atom) -> Stream {
        Stream {
            direction,
            alias: None,
            file: None,
            mode,
            binary: false,
            eof_action: EofAction::Error,
            column: 0,
            line: 1,
        }
    }

    pub(crate) fn is_input(&self) -> bool {
        matches!(self.direction, Direction::Input { .. })
    }
}

impl Streams {
    pub(crate) fn new() -> Streams {
        let mut streams = Streams {
            table: Vec::new(),
            aliases: FastMap::default(),
            input: USER_INPUT,
            output: USER_OUTPUT,
            copies: Vec::new(),
        };
        let mut standard = [
            Stream::input(String::new(), Source::Standard),
            Stream::output(Sink::Standard, atom::APPEND),
            Stream::output(Sink::Error, atom::APPEND),
        ];
        standard[0].eof_action = EofAction::Reset;
        let names = [atom::USER_INPUT, atom::USER_OUTPUT, atom::USER_ERROR];
        for (mut stream, name) in standard.into_iter().zip(names) {
            stream.alias = Some(name);
            let id = streams.add(stream);
            streams.aliases.insert(name, id);
        }
        streams
    }

    pub(crate) fn add(&mut self, stream: Stream) -> usize {
        // Numbers are not reused, so that a stale handle never names another stream.
        self.table.push(Some(stream));
        self.table.len() - 1
    }

    pub(crate) fn get(&self, id: usize) -> Option<&Stream> {
        self.table.get(id)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: usize) -> Option<&mut Stream> {
        self.table.get_mut(id)?.as_mut()
    }

    /// Writes text to an output stream.
    pub(crate) fn write(
        &mut self,
        host: &mut dyn Host,
        id: usize,
        text: &str,
    ) -> Result<(), HostError> {
        let Some(stream) = self.get_mut(id) else {
            return Ok(());
        };
        stream.column = column_after(stream.column, text);
        stream.line += text.matches('\n').count();
        if let Some(copy) = self.copies.iter_mut().find(|copy| copy.0 == id) {
            copy.2.push_str(text);
        }
        let Some(stream) = self.get_mut(id) else {
            return Ok(());
        };
        let binary = stream.binary;
        if let Direction::Output { sink, buffer } = &mut stream.direction {
            match sink {
                Sink::Standard => host.write_output(text)?,
                Sink::Error => host.write_error(text),
                Sink::File(file) if binary => {
                    let bytes: Vec<u8> = text.chars().map(|c| u32::from(c) as u8).collect();
                    host.write_file(*file, &bytes)?;
                }
                Sink::File(file) => host.write_file(*file, text.as_bytes())?,
                Sink::Memory => buffer.push_str(text),
            }
        }
        Ok(())
    }

    /// Keeps a copy of what is written to a stream from now on; returns where it begins.
    pub(crate) fn begin_copy(&mut self, id: usize) -> usize {
        match self.copies.iter_mut().find(|copy| copy.0 == id) {
            Some(copy) => {
                copy.1 += 1;
                copy.2.len()
            }
            None => {
                self.copies.push((id, 1, String::new()));
                0
            }
        }
    }

    /// What was written since a copy began.
    pub(crate) fn end_copy(&mut self, id: usize, begin: usize) -> String {
        let Some(at) = self.copies.iter().position(|copy| copy.0 == id) else {
            return String::new();
        };
        let copy = &mut self.copies[at];
        let text = copy.2.get(begin..).unwrap_or_default().to_owned();
        copy.1 -= 1;
        if copy.1 == 0 {
            self.copies.remove(at);
        }
        text
    }

    /// Gets more text for standard input; false at its end.
    pub(crate) fn refill(&mut self, host: &mut dyn Host, id: usize) -> bool {
        let Some(Stream {
            direction: Direction::Input {
                text, source, at, ..
            },
            ..
        }) = self.get_mut(id)
        else {
            return false;
        };
        if *source != Source::Standard {
            return false;
        }
        match host.read_input() {
            Some(more) => {
                if *at > 0 && *at == text.len() {
                    text.clear();
                    *at = 0;
                }
                text.push_str(&more);
                true
            }
            None => false,
        }
    }

    /// The next character without taking it; `None` at the end.
    pub(crate) fn peek(&mut self, host: &mut dyn Host, id: usize) -> Option<char> {
        loop {
            if let Some(Stream {
                direction: Direction::Input { text, at, .. },
                ..
            }) = self.get(id)
            {
                if let Some(c) = text.get(*at..)?.chars().next() {
                    return Some(c);
                }
            }
            if !self.refill(host, id) {
                return None;
            }
        }
    }

    /// The next characters, up to `count`, which stay there.
    pub(crate) fn peek_text(&mut self, host: &mut dyn Host, id: usize, count: usize) -> String {
        loop {
            let found: String = match self.get(id) {
                Some(Stream {
                    direction: Direction::Input { text, at, .. },
                    ..
                }) => text
                    .get(*at..)
                    .unwrap_or_default()
                    .chars()
                    .take(count)
                    .collect(),
                _ => return String::new(),
            };
            if found.chars().count() == count || !self.refill(host, id) {
                return found;
            }
        }
    }

    /// Takes the next character.
    pub(crate) fn take(&mut self, host: &mut dyn Host, id: usize) -> Option<char> {
        let c = self.peek(host, id);
        if let Some(Stream {
            direction: Direction::Input { at, past_end, .. },
            line,
            column,
            ..
        }) = self.get_mut(id)
        {
            match c {
                Some('\n') => {
                    *at += 1;
                    *line += 1;
                    *column = 0;
                }
                Some(c) => {
                    *at += c.len_utf8();
                    *column = next_column(*column, c);
                }
                None => *past_end = true,
            }
        }
        c
    }
}

/// The column after a text that starts in some column: tab stops are eight apart.
pub(crate) fn column_after(column: usize, text: &str) -> usize {
    let (start, line) = match text.rfind('\n') {
        Some(at) => (0, &text[at + 1..]),
        None => (column, text),
    };
    line.chars().fold(start, next_column)
}

fn next_column(column: usize, c: char) -> usize {
    match c {
        '\r' => 0,
        '\t' => (column | 7) + 1,
        '\u{8}' => column.saturating_sub(1),
        _ => column + 1,
    }
}
