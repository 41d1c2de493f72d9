//! Selection of the library functions that a program needs, from their texts, before they are parsed.
//!
//! A C library as IR has thousands of functions, of which a program uses a few dozen. [`needed`] follows names from the
//! program through the texts and returns, for each library, the text of the definitions that were reached, with the
//! metadata that these mention. Texts are taken apart by lines, as LLVM prints them: a definition starts in the first column,
//! and a function ends at a line `}`.
//!
//! The rules are those of a linker with archives: libraries are asked in order, the first that defines a name wins, and what
//! the program defines itself is never taken from a library.

use crate::lexer::unquote;
use crate::link::library_function;
use crate::module::{Linkage, Module};
use std::ops::Range;
use stet_base::{FastMap, FastSet};

/// A library as text.
#[derive(Clone, Copy, Debug)]
pub struct LibraryText<'a> {
    pub text: &'a str,
    /// What is taken of it.
    pub grain: Grain,
}

/// How much of a library comes with one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// The definition alone, and what it mentions.
    Definition,
    /// The whole text with its constructors, as for a member of an archive.
    Whole,
}

/// The text of each library that a program needs, starting at what its modules leave undefined and at `roots`; `None`
/// where nothing is needed.
pub fn needed(
    program: &[Module],
    roots: &[&str],
    libraries: &[LibraryText<'_>],
) -> Vec<Option<String>> {
    let own = own_names(program);
    let mut search = Search {
        own: &own.defined,
        libraries: libraries
            .iter()
            .map(|library| Index::new(library.text))
            .collect(),
        grains: libraries.iter().map(|library| library.grain).collect(),
        taken: vec![FastSet::default(); libraries.len()],
        pending: Vec::new(),
    };
    for root in roots {
        search.want((*root).to_owned());
    }
    for name in own.wanted {
        search.want(name);
    }
    search.run();
    let texts = search.libraries.iter().zip(&search.taken);
    texts
        .zip(libraries)
        .map(
            |((index, taken), library)| match (taken.is_empty(), library.grain) {
                (true, _) => None,
                (false, Grain::Whole) => Some(library.text.to_owned()),
                (false, Grain::Definition) => Some(index.select(taken)),
            },
        )
        .collect()
}

/// What a program's modules define for others, and what they only declare.
struct OwnNames {
    defined: FastSet<String>,
    wanted: Vec<String>,
}

fn own_names(program: &[Module]) -> OwnNames {
    let mut own = OwnNames {
        defined: FastSet::default(),
        wanted: Vec::new(),
    };
    for module in program {
        let functions = module
            .functions
            .iter()
            .map(|(_, f)| (f.name, f.linkage, f.body.is_some()));
        let globals = module
            .globals
            .iter()
            .map(|(_, g)| (g.name, g.linkage, g.init.is_some()));
        let aliases = module.aliases.iter().map(|a| (a.name, a.linkage, true));
        for (name, linkage, is_defined) in functions.chain(globals).chain(aliases) {
            let name = module.name(name).to_owned();
            match (linkage, is_defined) {
                (Linkage::Internal | Linkage::Appending, _) => {}
                (Linkage::AvailableExternally | Linkage::ExternWeak, _) | (_, false) => {
                    own.wanted.push(name);
                }
                (_, true) => {
                    own.defined.insert(name);
                }
            }
        }
    }
    own
}

/// A definition or declaration of a library.
struct Entity {
    range: Range<usize>,
    /// Other modules do not see it.
    is_local: bool,
    /// It is more than a declaration.
    is_defined: bool,
}

/// The parts of a library's text.
struct Index<'a> {
    text: &'a str,
    entities: Vec<Entity>,
    by_name: FastMap<String, u32>,
    /// Types, attributes, the target: kept whatever is taken.
    always: Vec<Range<usize>>,
    /// Where each numbered metadata node is; empty if there is none.
    nodes: Vec<Range<usize>>,
}

/// The largest number of a metadata node that is followed.
const MOST_NODES: usize = 1 << 24;

impl<'a> Index<'a> {
    fn new(text: &'a str) -> Self {
        let mut index = Index {
            text,
            entities: Vec::new(),
            by_name: FastMap::default(),
            always: Vec::new(),
            nodes: Vec::new(),
        };
        let mut at = 0;
        while at < text.len() {
            let start = at;
            at = line_end(text, start);
            let line = &text[start..at];
            match line.as_bytes()[0] {
                b'@' => index.global(line, start..at),
                b'!' => index.node(line, start..at),
                b'\n' | b';' | b'\r' => {}
                _ if line.starts_with("define ") => {
                    at = function_end(text, at);
                    index.function(line, start..at, true);
                }
                _ if line.starts_with("declare ") => index.function(line, start..at, false),
                _ if line.starts_with("uselistorder") => {}
                _ => index.always.push(start..at),
            }
        }
        index
    }

    fn add(&mut self, name: String, entity: Entity) {
        let number = self.entities.len() as u32;
        self.entities.push(entity);
        self.by_name.entry(name).or_insert(number);
    }

    fn global(&mut self, line: &str, range: Range<usize>) {
        let Some((name, rest)) = name_at(line) else {
            return self.always.push(range);
        };
        let words = line[rest..].split_whitespace();
        let mut words =
            words.take_while(|word| !matches!(*word, "global" | "constant" | "alias" | "ifunc"));
        let (mut is_local, mut is_defined) = (false, true);
        for word in words.by_ref() {
            is_local |= matches!(word, "private" | "internal");
            is_defined &= !matches!(word, "external" | "extern_weak" | "available_externally");
        }
        self.add(
            name,
            Entity {
                range,
                is_local,
                is_defined,
            },
        );
    }

    fn function(&mut self, line: &str, range: Range<usize>, has_body: bool) {
        let Some(sigil) = outside_strings(line.as_bytes(), b'@') else {
            return self.always.push(range);
        };
        let Some((name, _)) = name_at(&line[sigil..]) else {
            return self.always.push(range);
        };
        let mut words = line[..sigil].split_whitespace();
        let is_local = words.any(|word| matches!(word, "private" | "internal"));
        let is_copy = line[..sigil].contains("available_externally");
        self.add(
            name,
            Entity {
                range,
                is_local,
                is_defined: has_body && !is_copy,
            },
        );
    }

    fn node(&mut self, line: &str, range: Range<usize>) {
        let number = number_after(line.as_bytes(), 0);
        if let Some((number, _)) = number.filter(|&(number, _)| number < MOST_NODES) {
            if self.nodes.len() <= number {
                self.nodes.resize(number + 1, 0..0);
            }
            self.nodes[number] = range;
        }
    }

    /// The definition others see under a name.
    fn exported(&self, name: &str) -> Option<u32> {
        let number = *self.by_name.get(name)?;
        let entity = &self.entities[number as usize];
        (entity.is_defined && !entity.is_local).then_some(number)
    }

    /// The text of what was taken, in its order, with the metadata it mentions.
    fn select(&self, taken: &FastSet<u32>) -> String {
        let mut ranges: Vec<Range<usize>> = self.always.clone();
        let mut pending = Vec::new();
        for (number, entity) in self.entities.iter().enumerate() {
            if taken.contains(&(number as u32)) {
                ranges.push(entity.range.clone());
                mentioned_nodes(&self.text[entity.range.clone()], &mut pending);
            }
        }
        let mut seen = vec![false; self.nodes.len()];
        while let Some(number) = pending.pop() {
            if number >= seen.len() || std::mem::replace(&mut seen[number], true) {
                continue;
            }
            let range = self.nodes[number].clone();
            mentioned_nodes(&self.text[range.clone()], &mut pending);
            ranges.push(range);
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let size = ranges.iter().map(|range| range.len() + 1).sum();
        let mut text = String::with_capacity(size);
        for range in ranges {
            text.push_str(&self.text[range]);
        }
        text
    }
}

/// Names on their way from the program into the libraries.
struct Search<'a> {
    own: &'a FastSet<String>,
    libraries: Vec<Index<'a>>,
    grains: Vec<Grain>,
    /// For each library the definitions and declarations that are needed.
    taken: Vec<FastSet<u32>>,
    pending: Vec<(usize, u32)>,
}

impl Search<'_> {
    /// Takes the definition of a name that any module may see.
    fn want(&mut self, name: String) {
        let name = library_function(&name).unwrap_or(name);
        if self.own.contains(&name) {
            return;
        }
        let mut libraries = self.libraries.iter().enumerate();
        let found = libraries.find_map(|(k, library)| Some((k, library.exported(&name)?)));
        if let Some((library, number)) = found {
            self.take(library, number);
        }
    }

    fn take(&mut self, library: usize, number: u32) {
        let is_first = self.taken[library].is_empty();
        if is_first && self.grains[library] == Grain::Whole {
            let all = 0..self.libraries[library].entities.len() as u32;
            self.pending.extend(all.clone().map(|each| (library, each)));
            self.taken[library].extend(all);
        } else if self.taken[library].insert(number) {
            self.pending.push((library, number));
        }
    }

    fn run(&mut self) {
        while let Some((library, number)) = self.pending.pop() {
            let index = &self.libraries[library];
            let entity = &index.entities[number as usize];
            let names = mentioned_names(&index.text[entity.range.clone()]);
            for name in names {
                let here = self.libraries[library].by_name.get(&name).copied();
                let is_local = here.is_some_and(|number| {
                    self.libraries[library].entities[number as usize].is_local
                });
                if let Some(number) = here {
                    // a definition that another takes the place of is kept as a declaration would be
                    let is_kept =
                        is_local || !self.libraries[library].entities[number as usize].is_defined;
                    if is_kept {
                        self.take(library, number);
                    }
                }
                if !is_local {
                    self.want(name);
                }
            }
        }
    }
}

fn line_end(text: &str, start: usize) -> usize {
    match text[start..].find('\n') {
        Some(length) => start + length + 1,
        None => text.len(),
    }
}

/// The end of a function whose first line ends at `at`.
fn function_end(text: &str, mut at: usize) -> usize {
    while at < text.len() {
        let end = line_end(text, at);
        let is_last = text[at..end].trim_end() == "}";
        at = end;
        if is_last {
            break;
        }
    }
    at
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

/// The name behind the sigil that a text starts with, and where it ends.
fn name_at(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'"') {
        let length = bytes[2..].iter().position(|&byte| byte == b'"')?;
        let end = length + 3;
        let name = unquote(&bytes[1..end]);
        return Some((String::from_utf8_lossy(&name).into_owned(), end));
    }
    let length = bytes[1..]
        .iter()
        .position(|&byte| !is_name_byte(byte))
        .unwrap_or(bytes.len() - 1);
    (length > 0).then(|| (text[1..=length].to_owned(), length + 1))
}

/// Where a byte is outside of quoted strings.
fn outside_strings(bytes: &[u8], wanted: u8) -> Option<usize> {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte == wanted => return Some(at),
            b'"' => at = string_end(bytes, at),
            _ => at += 1,
        }
    }
    None
}

/// Behind the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at + 1..).unwrap_or(&[]);
    match rest.iter().position(|&byte| byte == b'"') {
        Some(length) => at + length + 2,
        None => bytes.len(),
    }
}

fn mentioned_names(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut names = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'@' => match name_at(&text[at..]) {
                Some((name, length)) => {
                    names.push(name);
                    at += length;
                }
                None => at += 1,
            },
            b'"' => at = string_end(bytes, at),
            _ => at += 1,
        }
    }
    names
}

/// The number behind the `!` at a position, and where it ends.
fn number_after(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let digits = bytes.get(at + 1..)?;
    let length = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let text = std::str::from_utf8(&digits[..length]).ok()?;
    Some((text.parse().ok()?, at + 1 + length))
}

fn mentioned_nodes(text: &str, nodes: &mut Vec<usize>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'!' => match number_after(bytes, at) {
                Some((number, end)) => {
                    nodes.push(number);
                    at = end;
                }
                None => at += 1,
            },
            b'"' => at = string_end(bytes, at),
            _ => at += 1,
        }
    }
}
