//! Text in any form: atoms, strings, numbers, lists of codes or characters.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_prolog::{Node, atom, format_float};

impl Memory {
    /// The text of an atomic term or a code or character list; `None` for anything else.
    pub(crate) fn text_of(&self, cell: Cell) -> Option<String> {
        let cell = self.deref(cell);
        match cell.tag() {
            CON if cell.is_atom(atom::NIL) => Some("[]".to_owned()),
            CON => cell.as_atom().map(|name| self.atom_text(name).to_owned()),
            INT => Some(cell.small_value().to_string()),
            BOX => match self.heap.cell(cell.index()).kind() {
                KIND_STRING => Some(self.string_value(cell)),
                KIND_FLOAT => Some(format_float(self.float_value(cell))),
                KIND_RATIO => Some(self.ratio_value(cell).to_string()),
                _ => Some(self.big_value(cell).to_string()),
            },
            LST => self.list_text(cell),
            _ => None,
        }
    }

    /// The text of a list of codes or characters; `[]` is empty text here.
    pub(crate) fn list_text(&self, cell: Cell) -> Option<String> {
        let mut text = String::new();
        let mut cell = self.deref(cell);
        let mut count = 0u64;
        while cell.tag() == LST {
            let item = self.at(cell.index());
            let c = match item.tag() {
                INT => char::from_u32(u32::try_from(item.small_value()).ok()?)?,
                CON => {
                    let mut chars = self.atom_text(item.as_atom()?).chars();
                    match (chars.next(), chars.next()) {
                        (Some(c), None) => c,
                        _ => return None,
                    }
                }
                _ => return None,
            };
            text.push(c);
            cell = self.at(cell.index() + 1);
            count += 1;
            if count == 10_000 && self.list_end(cell).is_none() {
                return None; // cyclic
            }
        }
        cell.is_atom(atom::NIL).then_some(text)
    }
}

impl Machine {
    /// Text of an argument where `[]` means empty text, as for `atom_length` of code lists.
    pub(crate) fn text_arg(&mut self, index: usize) -> Result<String, PErr> {
        let cell = self.arg(index);
        self.need_text(cell)
    }

    pub(crate) fn need_text(&mut self, cell: Cell) -> Result<String, PErr> {
        let cell = self.mem.deref(cell);
        if cell.is_var() {
            return Err(self.mem.instantiation_error());
        }
        if self.mem.box_kind(cell) == Some(KIND_BIG) {
            return self.decimal(cell);
        }
        match self.mem.text_of(cell) {
            Some(text) => {
                self.charge(text.len());
                Ok(text)
            }
            None if cell.tag() == LST && !self.mem.is_ground(cell) => {
                Err(self.mem.instantiation_error())
            }
            None => Err(self.mem.type_error(atom::ATOMIC, cell)),
        }
    }

    /// Appends the text of an argument; what is common takes no memory of its own.
    pub(crate) fn append_text(&mut self, cell: Cell, text: &mut String) -> Result<(), PErr> {
        let cell = self.mem.deref(cell);
        match cell.as_atom() {
            Some(name) => {
                let own = self.mem.atoms.text(name);
                text.push_str(own);
                let length = own.len();
                self.charge(length);
            }
            None if cell.is_small() => {
                use std::fmt::Write as _;
                // Writing to a string does not fail.
                let _ = write!(text, "{}", cell.small_value());
            }
            None => text.push_str(&self.need_text(cell)?),
        }
        Ok(())
    }

    /// A list of codes.
    pub(crate) fn codes(&mut self, text: &str) -> Result<Cell, PErr> {
        self.text_list(text, |_, c| Cell::small(i64::from(u32::from(c))))
    }

    /// A list of characters.
    pub(crate) fn chars(&mut self, text: &str) -> Result<Cell, PErr> {
        self.text_list(text, |m, c| Cell::atom(m.mem.atoms.char_atom(c)))
    }

    fn text_list(
        &mut self,
        text: &str,
        item: impl Fn(&mut Machine, char) -> Cell,
    ) -> Result<Cell, PErr> {
        if text.is_empty() {
            return Ok(Cell::atom(atom::NIL));
        }
        // A character takes two cells and at least one byte.
        self.mem.need(text.len() * 2)?;
        self.charge(text.len());
        let start = self.mem.h;
        for c in text.chars() {
            let cell = item(self, c);
            self.mem.push(cell);
            let next = self.mem.h + 1;
            self.mem.push(Cell::pointer(LST, next));
        }
        let end = self.mem.h - 1;
        self.mem.heap.put(end, Cell::atom(atom::NIL));
        Ok(Cell::pointer(LST, start))
    }

    /// The number a text denotes, as the reader reads it; layout may come first.
    pub(crate) fn parse_number(&mut self, text: &str) -> Result<Option<Cell>, PErr> {
        let trimmed = text.trim_start();
        if trimmed.is_empty() || trimmed.ends_with(char::is_whitespace) {
            return Ok(None);
        }
        let (sign, digits) = match trimmed.strip_prefix(['-', '+']) {
            Some(rest) => (&trimmed[..1], rest),
            None => ("", trimmed),
        };
        if !digits.starts_with(|c: char| c.is_ascii_digit())
            && !digits.starts_with("inf")
            && !digits.starts_with("nan")
        {
            return Ok(None);
        }
        let special = match digits {
            "inf" => Some(f64::INFINITY),
            "nan" => Some(f64::NAN),
            _ => None,
        };
        if let Some(value) = special {
            let value = if sign == "-" { -value } else { value };
            return Ok(Some(self.mem.new_float(value)));
        }
        // Nearly all are decimal and short.
        if digits.len() < 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let value = digits
                .bytes()
                .fold(0, |n, byte| n * 10 + i64::from(byte - b'0'));
            return Ok(Some(self.mem.new_int(if sign == "-" {
                -value
            } else {
                value
            })));
        }
        // In parentheses nothing but the number fits: no full stop of its own, no character that is missing after `0'`.
        if digits.contains("/*") {
            return Ok(None);
        }
        let clause = match self.read_text(&format!("({digits}) ."), 0).0 {
            Ok(Some(clause)) => clause,
            _ => return Ok(None),
        };
        let negative = sign == "-";
        Ok(Some(match clause.terms.node(clause.root) {
            Node::Int(value) if negative => match value.checked_neg() {
                Some(value) => self.mem.new_int(value),
                None => self.mem.new_big(&-num_bigint::BigInt::from(*value))?,
            },
            Node::Int(value) => self.mem.new_int(*value),
            Node::Big(value) if negative => self.mem.new_big(&-(**value).clone())?,
            Node::Big(value) => self.mem.new_big(value)?,
            Node::Ratio(parts) if negative => {
                self.number_cell(&crate::ratio::make(-&parts.0, parts.1.clone()))?
            }
            Node::Ratio(parts) => {
                self.number_cell(&crate::ratio::make(parts.0.clone(), parts.1.clone()))?
            }
            Node::Float(value) => self.mem.new_float(if negative { -value } else { *value }),
            _ => return Ok(None),
        }))
    }
}
