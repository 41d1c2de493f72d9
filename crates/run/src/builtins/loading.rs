//! The loader's primitives; its logic is in `boot/load.pl`.

use crate::cell::Cell;
use crate::errors::PErr;
use crate::libraries::{BUILTIN_LIBRARIES, LIBRARIES};
use crate::load::{KEPT_MESSAGES, LoadFrame, LoadMessage};
use crate::machine::{Machine, Res};
use std::sync::Arc;
use stet_base::FastSet;
use stet_prolog::{Atom, ReadFlags, atom};

pub(super) fn register(m: &mut Machine) {
    // '$find_file'(Spec, From, Path): an absolute name, library(Name) as is.
    m.register("$find_file", 2, find_file);
    m.register("$load_begin", 1, |m| begin(m, false));
    m.register("$include_begin", 1, |m| begin(m, true));
    m.register("$load_guessed", 0, |m| {
        let frame = m.loader.files.frames.last();
        Ok(frame.is_some_and(|frame| frame.guessed))
    });
    m.register("$condition_top", 1, |m| {
        let conditions = m.loader.files.frames.last().map(|frame| &frame.conditions);
        match conditions.and_then(|found| found.last()) {
            Some(&state) => m.unify_result(m.control.x[0], Cell::atom(state)),
            None => Ok(false),
        }
    });
    m.register("$condition_push", 1, |m| {
        let state = m.atom_arg(0)?;
        if let Some(frame) = m.loader.files.frames.last_mut() {
            frame.conditions.push(state);
        }
        Ok(true)
    });
    m.register("$condition_pop", 0, |m| {
        let frame = m.loader.files.frames.last_mut();
        Ok(frame.is_some_and(|frame| frame.conditions.pop().is_some()))
    });
    m.register("$package_exists", 1, |m| {
        let name = m.text_arg(0)?;
        Ok(crate::libraries::PACKAGES.contains(&name.as_str()))
    });
    m.register("$skipping", 0, |m| Ok(skipping(m)));
    m.register("$load_end", 0, end);
    m.register("$load_read", 3, read_next);
    m.register("$loaded", 2, |m| {
        let path = m.atom_arg(0)?;
        match m.loader.files.loaded.get(&path) {
            Some(&module) => m.unify_result(m.control.x[1], Cell::atom(module)),
            None => Ok(false),
        }
    });
    // '$loaded_files'(List): absolute names of loaded files that are not libraries
    m.register("$loaded_files", 1, |m| {
        let mut files: Vec<_> = m.loader.files.loaded.keys().copied().collect();
        files.retain(|&file| !m.mem.atom_text(file).starts_with("library:"));
        files.sort_by(|&a, &b| m.mem.atom_text(a).cmp(m.mem.atom_text(b)));
        let files: Vec<Cell> = files.into_iter().map(Cell::atom).collect();
        let list = m.new_proper_list(&files)?;
        m.unify_result(m.control.x[0], list)
    });
    // '$module_file'(Module, File): the file a module was loaded from, or the name of its library.
    m.register("$module_file", 2, |m| {
        let module = m.atom_arg(0)?;
        let files = m.loader.files.loaded.iter();
        let of_module = files.filter(|(_, found)| **found == module);
        let file = of_module
            .map(|(&file, _)| file)
            .min_by_key(|&file| m.mem.atom_text(file));
        match file {
            Some(file) => m.unify_result(m.control.x[1], Cell::atom(file)),
            None => Ok(false),
        }
    });
    m.register("$load_position", 2, |m| {
        let Some(frame) = m.loader.files.frames.last() else {
            return Ok(false);
        };
        let (file, line) = (frame.file, frame.line);
        Ok(m.unify(m.control.x[0], Cell::atom(file))
            && m.unify(m.control.x[1], Cell::small(i64::from(line))))
    });
    m.register("$loading", 0, |m| Ok(!m.loader.files.frames.is_empty()));
    m.register("$add_initialization", 1, |m| {
        let flat = m.flatten(m.control.x[0], false);
        if let Some(frame) = m.loader.files.frames.last_mut() {
            frame.initialization.push(flat);
        }
        Ok(true)
    });
    m.register("$take_initialization", 1, |m| {
        close_assertions(m);
        let goals = match m.loader.files.frames.last_mut() {
            Some(_) if m.checks.load_only => Vec::new(),
            Some(frame) => std::mem::take(&mut frame.initialization),
            None => Vec::new(),
        };
        let mut cells = Vec::new();
        for flat in &goals {
            cells.push(m.unflatten(flat)?);
        }
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[0], list)
    });
    m.register("$count_message", 1, |m| {
        if m.arg(0).is_atom(atom::ERROR) {
            m.loader.files.errors += 1;
        } else {
            m.loader.files.warnings += 1;
        }
        Ok(true)
    });
    m.register("$keep_message", 3, keep_message);
    m.register("$library_exists", 1, |m| {
        let name = m.text_arg(0)?;
        Ok(library(&name).is_some())
    });
}

/// `'$keep_message'(Kind, Message, Text)`: keeps what is said about the file being loaded, for the host.
fn keep_message(m: &mut Machine) -> Res {
    if m.loader.files.messages.len() >= KEPT_MESSAGES {
        return Ok(true);
    }
    let error = m.arg(0).is_atom(atom::ERROR);
    let text = m.mem.text_of(m.control.x[2]).unwrap_or_default();
    let message = m.arg(1);
    let mut place = m
        .loader
        .files
        .frames
        .last()
        .map(|frame| (m.mem.atom_text(frame.file).to_owned(), frame.line, None));
    let mut code = "run/load";
    if let Some(args) = m.mem.structure(message, atom::ERROR, 2) {
        let formal = m.mem.at(args);
        code = match m.mem.structure(formal, atom::SYNTAX_ERROR, 1) {
            Some(_) => "run/syntax",
            None => "run/exception",
        };
        if let Some(("place", 4, args)) = m
            .mem
            .compound(m.mem.at(args + 1))
            .map(|(name, arity, args)| (m.mem.atom_text(name), arity, args))
            && let (Some(file), line, column) = (
                m.mem.at(args).as_atom(),
                m.mem.at(args + 1),
                m.mem.at(args + 2),
            )
            && line.is_small()
            && column.is_small()
        {
            let file = m.mem.atom_text(file).to_owned();
            let column = u32::try_from(column.small_value()).ok();
            place = Some((file, line.small_value() as u32, column));
        }
    } else if let Some((name, _, _)) = m.mem.callable(message) {
        code = match m.mem.atom_text(name) {
            "directive_failed" | "init_goal_failed" => "run/goal-failed",
            "discontiguous_clauses"
            | "redefined"
            | "undefined_export"
            | "not_exported"
            | "unknown_flag"
            | "singletons" => "run/load",
            _ => "run/exception",
        };
    }
    m.loader.files.messages.push(LoadMessage {
        code,
        error,
        text,
        place,
    });
    Ok(true)
}

fn library(name: &str) -> Option<&'static str> {
    LIBRARIES
        .iter()
        .find(|(found, _)| *found == name)
        .map(|(_, text)| *text)
}

/// The name of a library spec such as `library(dcg/basics)`.
fn spec_text(m: &mut Machine, cell: Cell) -> Result<String, PErr> {
    let cell = m.mem.deref(cell);
    if let Some(args) = m.mem.structure(cell, atom::SLASH, 2) {
        let (left, right) = (m.mem.at(args), m.mem.at(args + 1));
        return Ok(format!("{}/{}", spec_text(m, left)?, spec_text(m, right)?));
    }
    m.need_text(cell)
}

/// A library that comes with the file being loaded: beside it, or in a directory above it that has the name.
fn beside_loading_file(m: &mut Machine, name: &str) -> Option<String> {
    let file = m.loader.files.frames.last().map(|frame| frame.file)?;
    let file = m.mem.atom_text(file).to_owned();
    if file.starts_with("library:") {
        return None;
    }
    let mut directory = Some(parent_directory(&file)?);
    for _ in 0..3 {
        let here = directory.take()?;
        for extension in [".pl", ".pro", ".prolog"] {
            let candidate = format!("{here}/{name}{extension}");
            if m.io.host.file_exists(&candidate) {
                return Some(candidate);
            }
        }
        directory = match here.as_str() {
            "." => Some("..".to_owned()),
            up if up == ".." || up.ends_with("/..") => Some(format!("{up}/..")),
            _ => parent_directory(&here),
        };
    }
    None
}

/// The directory a file is in: `.` for a name alone; none above the root.
fn parent_directory(path: &str) -> Option<String> {
    match path.rsplit_once('/') {
        Some((directory, _)) => Some(directory.to_owned()),
        None if path.is_empty() => None,
        None => Some(".".to_owned()),
    }
}

/// The name a file was loaded under if it was: `../b/../b/f.pl` is `f.pl`.
fn known_name(m: &mut Machine, path: String) -> String {
    let Some(real) = m.io.host.real_path(&path) else {
        return path;
    };
    let known = m.loader.files.real_paths.get(&real).cloned();
    match known {
        // The current directory may have changed since.
        Some(known) if m.io.host.real_path(&known).as_ref() == Some(&real) => known,
        _ => path,
    }
}

/// The text of a file, and whether its encoding was guessed: files that do not name one are UTF-8, or else ISO Latin-1.
fn decode(bytes: Vec<u8>) -> (String, bool) {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let declared = head.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(":-")?.trim_start();
        let name = rest.strip_prefix("encoding(")?;
        Some(name[..name.find(')')?].trim().to_owned())
    });
    let latin = matches!(
        declared.as_deref(),
        Some("iso_latin_1" | "octet" | "ascii" | "iso-8859-1" | "'iso-8859-1'")
    );
    let each = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect();
    if latin {
        return (each(&bytes), false);
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (each(error.as_bytes()), true),
    }
}

/// Unifies the second argument with the canonical name: `library:name`, `builtin`, or a path.
fn find_file(m: &mut Machine) -> Res {
    let spec = m.arg(0);
    if spec.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if let Some((name, 1, args)) = m.mem.compound(spec) {
        if m.mem.atom_text(name) == "library" {
            let inner = m.mem.at(args);
            let name = spec_text(m, inner)?;
            if library(&name).is_some() {
                let cell = m.mem.atom_cell(&format!("library:{name}"));
                return m.unify_result(m.control.x[1], cell);
            }
            if BUILTIN_LIBRARIES.contains(&name.as_str()) {
                let cell = m.mem.atom_cell("builtin");
                return m.unify_result(m.control.x[1], cell);
            }
            if let Some(path) = beside_loading_file(m, &name) {
                let path = known_name(m, path);
                let cell = m.mem.atom_cell(&path);
                return m.unify_result(m.control.x[1], cell);
            }
            return Err(m.mem.existence_error(atom::SOURCE_SINK, spec));
        }
    }
    let text = spec_text(m, spec)?;
    let base = m.loader.files.frames.last().map(|frame| frame.file);
    let directory = match base {
        Some(file) => match m.mem.atom_text(file).rsplit_once('/') {
            Some((directory, _)) if !directory.starts_with("library:") => format!("{directory}/"),
            _ => String::new(),
        },
        None => String::new(),
    };
    let relative = !text.starts_with('/');
    let mut candidates = Vec::new();
    for stem in [format!("{directory}{text}"), text.clone()] {
        let stem = if relative { stem } else { text.clone() };
        for extension in ["", ".pl", ".pro", ".prolog"] {
            candidates.push(format!("{stem}{extension}"));
        }
    }
    for candidate in candidates {
        if m.io.host.file_exists(&candidate) {
            let path = known_name(m, candidate);
            let cell = m.mem.atom_cell(&path);
            return m.unify_result(m.control.x[1], cell);
        }
    }
    if text == "user" {
        let cell = m.mem.atom_cell("user");
        return m.unify_result(m.control.x[1], cell);
    }
    if library(&text).is_some() {
        let cell = m.mem.atom_cell(&format!("library:{text}"));
        return m.unify_result(m.control.x[1], cell);
    }
    if BUILTIN_LIBRARIES.contains(&text.as_str()) {
        let cell = m.mem.atom_cell("builtin");
        return m.unify_result(m.control.x[1], cell);
    }
    Err(m.mem.existence_error(atom::SOURCE_SINK, spec))
}

/// `'$load_begin'(Path)` and `'$include_begin'(Path)`: open a frame.
fn begin(m: &mut Machine, include: bool) -> Res {
    let path = m.atom_arg(0)?;
    if m.loader.files.frames.len() > 200 {
        return Err(m.mem.resource_error(atom::MEMORY));
    }
    let name = m.mem.atom_text(path).to_owned();
    let mut guessed = false;
    let text: Arc<str> = if let Some(library_name) = name.strip_prefix("library:") {
        library(library_name).unwrap_or("").into()
    } else if name == "user" {
        let mut text = String::new();
        while let Some(c) =
            m.io.streams
                .take(m.io.host.as_mut(), crate::streams::USER_INPUT)
        {
            text.push(c);
        }
        text.into()
    } else {
        match m.io.host.read_file(&name) {
            Ok(bytes) => {
                let (text, other) = decode(bytes);
                guessed = other;
                if let Some(real) = m.io.host.real_path(&name) {
                    let known = &mut m.loader.files.real_paths;
                    known.entry(real).or_insert_with(|| name.clone());
                }
                text.into()
            }
            Err(error) => {
                let cell = Cell::atom(path);
                return Err(m.mem.host_error(error, cell));
            }
        }
    };
    let module = m.loader.source_module();
    if !include {
        m.loader.files.loaded.insert(path, atom::USER);
        if !name.starts_with("library:") && name != "user" {
            m.loader
                .files
                .digests
                .insert(path, super::tools::digest(&text));
        }
    }
    let mut at = 0;
    if text.starts_with("#!") {
        at = text.find('\n').unwrap_or(text.len());
    }
    m.checks.assertions_open(include);
    let shadowing = crate::load::names_at_clause_starts(&text)
        .into_iter()
        .filter_map(|name| m.mem.atoms.lookup(name))
        .collect();
    m.loader.files.frames.push(LoadFrame {
        file: path,
        text,
        at,
        module: if name.starts_with("library:") {
            atom::USER
        } else {
            module
        },
        defined: FastSet::default(),
        last: None,
        initialization: Vec::new(),
        outer_flags: m.loader.read_flags,
        outer_ops: (!include).then(|| (m.loader.ops.clone(), m.loader.module_ops.global.len())),
        conditions: Vec::new(),
        warned: FastSet::default(),
        line: 1,
        counted: 0,
        assertions_closed: false,
        shadowing,
        guessed,
    });
    let is_library = name.starts_with("library:");
    if !include {
        m.loader.ops = m.loader.own_operators(module, is_library);
    }
    if is_library {
        m.loader.read_flags = ReadFlags::STANDARD;
    }
    Ok(true)
}

/// The whole file is read: its assertions become checks.
fn close_assertions(m: &mut Machine) {
    if let Some(frame) = m.loader.files.frames.last_mut()
        && !frame.assertions_closed
    {
        frame.assertions_closed = true;
        let (module, file, text) = (frame.module, frame.file, frame.text.clone());
        let path = m.mem.atom_text(file).to_owned();
        m.assertions_close(module, &path, &text);
    }
}

/// Whether conditional compilation leaves out what is read now.
fn skipping(m: &Machine) -> bool {
    let conditions = m.loader.files.frames.last().map(|frame| &frame.conditions);
    conditions
        .and_then(|found| found.last())
        .is_some_and(|&state| state != atom::TRUE)
}

fn end(m: &mut Machine) -> Res {
    close_assertions(m);
    if let Some(frame) = m.loader.files.frames.pop() {
        let Some((ops, known)) = frame.outer_ops else {
            // An included file is a part of the one that includes it.
            if let Some(outer) = m.loader.files.frames.last_mut() {
                outer.defined.extend(frame.defined);
                outer.initialization.extend(frame.initialization);
            }
            return Ok(true);
        };
        m.loader.read_flags = frame.outer_flags;
        m.loader.ops = ops;
        for &(name, definition) in &m.loader.module_ops.global[known..] {
            m.loader.ops.add(name, definition);
        }
    }
    Ok(true)
}

/// `'$load_read'(Term, VariableNames, Singletons)`: the next term of the file; a syntax error is thrown with
/// its place after the text it covers has been skipped.
fn read_next(m: &mut Machine) -> Res {
    let Some(frame) = m.loader.files.frames.last() else {
        return Ok(false);
    };
    let (text, at) = (frame.text.clone(), frame.at);
    let (result, next) = m.read_text(&text, at);
    let start = match &result {
        Ok(Some(clause)) => clause.place.start as usize,
        Err(error) => error.place.start as usize,
        Ok(None) => next,
    };
    if let Some(frame) = m.loader.files.frames.last_mut() {
        frame.at = next;
        // Lines are counted on from the last term, so that long files stay linear.
        let start = start.clamp(frame.counted, text.len());
        let lines = text.as_bytes()[frame.counted..start].iter();
        frame.line += lines.filter(|&&byte| byte == b'\n').count() as u32;
        frame.counted = start;
    }
    let result = match result {
        Ok(Some(clause)) if skipping(m) => Ok(Some(clause)),
        Ok(Some(clause)) => match m.assertions_clause(&clause) {
            Some(Ok(())) => {
                let skipped = m.mem.atom_cell("$skipped");
                return m.unify_result(m.control.x[0], skipped);
            }
            Some(Err(error)) => Err(error),
            None => Ok(Some(clause)),
        },
        other => other,
    };
    match result {
        Ok(None) => m.unify_result(m.control.x[0], Cell::atom(atom::END_OF_FILE)),
        Ok(Some(clause)) => {
            let found = m.term_from_ast(&clause)?;
            let mut names = Vec::new();
            let mut singles = Vec::new();
            for (name, cell, count) in &found.variables {
                if name == "_" {
                    continue;
                }
                let atom_name = m.mem.atom_cell(name);
                names.push(m.mem.new_term(atom::EQUALS, &[atom_name, *cell]));
                if *count == 1 && !name.starts_with('_') {
                    singles.push(atom_name);
                }
            }
            let names = m.new_proper_list(&names)?;
            let singles = m.new_proper_list(&singles)?;
            Ok(m.unify(m.control.x[0], found.term)
                && m.unify(m.control.x[1], names)
                && m.unify(m.control.x[2], singles))
        }
        Err(error) => {
            let start = error.place.start as usize;
            let line = m.loader.files.frames.last().map_or(0, |frame| frame.line);
            let line_start = text[..start.min(text.len())]
                .rfind('\n')
                .map_or(0, |at| at + 1);
            let line_end = text[line_start..]
                .find('\n')
                .map_or(text.len(), |at| line_start + at);
            let column = text[line_start..start.min(text.len())].chars().count() + 1;
            let message = m.mem.atom_cell(&crate::load::harmless(&error.message));
            let formal = m.mem.new_term(atom::SYNTAX_ERROR, &[message]);
            let file = m
                .loader
                .files
                .frames
                .last()
                .map_or(atom::USER, |frame| frame.file);
            let context_text: String = text[line_start..line_end].chars().take(200).collect();
            let shown = m.new_string(&crate::load::harmless(&context_text))?;
            let place: Atom = m.mem.atoms.intern("place");
            let place = m.mem.new_term(
                place,
                &[
                    Cell::atom(file),
                    Cell::small(i64::from(line)),
                    Cell::small(column as i64),
                    shown,
                ],
            );
            Err(PErr::Throw(m.mem.new_term(atom::ERROR, &[formal, place])))
        }
    }
}
