//! Files and directories by name, the environment, waiting.

use crate::cell::Cell;
use crate::errors::PErr;
use crate::host::HostError;
use crate::machine::{Machine, Res};
use stet_prolog::atom;

/// The longest piece of a wait without a look at limits, in seconds.
const NAP: f64 = 0.05;

pub(super) fn register(m: &mut Machine) {
    m.register("file_base_name", 2, |m| {
        let path = m.text_arg(0)?;
        let trimmed = trim_slashes(&path);
        let name = trimmed.rsplit('/').next().unwrap_or("");
        let name = if name.is_empty() && path.starts_with('/') {
            "/"
        } else {
            name
        };
        result(m, 1, name)
    });
    m.register("file_directory_name", 2, |m| {
        let path = m.text_arg(0)?;
        let directory = directory_of(&path);
        result(m, 1, &directory)
    });
    m.register("file_name_extension", 3, name_extension);
    m.register("directory_files", 2, |m| {
        let path = m.text_arg(0)?;
        let names = m.io.host.list_directory(&path);
        let names = names.map_err(|error| failed(m, error, atom::ACCESS))?;
        let cells: Vec<Cell> = names.iter().map(|name| m.mem.atom_cell(name)).collect();
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[1], list)
    });
    m.register("make_directory", 1, |m| {
        let path = m.text_arg(0)?;
        let done = m.io.host.make_directory(&path);
        done.map_err(|error| failed(m, error, atom::CREATE))?;
        Ok(true)
    });
    m.register("delete_directory", 1, |m| {
        let path = m.text_arg(0)?;
        let done = m.io.host.delete_directory(&path);
        done.map_err(|error| failed(m, error, atom::MODIFY))?;
        Ok(true)
    });
    m.register("rename_file", 2, |m| {
        let (from, to) = (m.text_arg(0)?, m.text_arg(1)?);
        let done = m.io.host.rename(&from, &to);
        done.map_err(|error| failed(m, error, atom::MODIFY))?;
        Ok(true)
    });
    m.register("$change_directory", 1, |m| {
        let path = m.text_arg(0)?;
        let done = m.io.host.change_directory(&path);
        done.map_err(|error| failed(m, error, atom::ACCESS))?;
        Ok(true)
    });
    m.register("size_file", 2, |m| {
        let path = m.text_arg(0)?;
        let found = m.io.host.file_status(&path);
        let (size, _) = found.map_err(|error| failed(m, error, atom::ACCESS))?;
        let cell = m.mem.new_int(size as i64);
        m.unify_result(m.control.x[1], cell)
    });
    m.register("time_file", 2, |m| {
        let path = m.text_arg(0)?;
        let found = m.io.host.file_status(&path);
        let (_, time) = found.map_err(|error| failed(m, error, atom::ACCESS))?;
        let cell = m.mem.new_float(time);
        m.unify_result(m.control.x[1], cell)
    });
    // '$tmp_file'(Stem, Extension, Name)
    m.register("$tmp_file", 3, |m| {
        let (stem, extension) = (m.text_arg(0)?, m.text_arg(1)?);
        let name = m.io.host.temporary_name(&stem, &extension);
        result(m, 2, &name)
    });
    m.register("setenv", 2, |m| {
        let (name, value) = (m.text_arg(0)?, m.text_arg(1)?);
        m.io.host.set_variable(&name, Some(&value));
        Ok(true)
    });
    m.register("unsetenv", 1, |m| {
        let name = m.text_arg(0)?;
        m.io.host.set_variable(&name, None);
        Ok(true)
    });
    m.register("sleep", 1, sleep);
}

fn result(m: &mut Machine, index: usize, text: &str) -> Res {
    let cell = m.mem.atom_cell(text);
    m.unify_result(m.control.x[index], cell)
}

fn failed(m: &mut Machine, error: HostError, action: stet_prolog::Atom) -> PErr {
    let culprit = m.arg(0);
    match error {
        HostError::Missing => m.mem.existence_error(atom::SOURCE_SINK, culprit),
        _ => m.mem.permission_error(action, atom::SOURCE_SINK, culprit),
    }
}

fn trim_slashes(path: &str) -> &str {
    path.trim_end_matches('/')
}

fn directory_of(path: &str) -> String {
    let trimmed = trim_slashes(path);
    if trimmed.len() < path.len() && trimmed.is_empty() {
        return "/".to_owned();
    }
    match trimmed.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => trim_slashes(directory).to_owned(),
        None => ".".to_owned(),
    }
}

/// The dot that separates an extension in the last part of a path.
fn extension_at(path: &str) -> Option<usize> {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    path[start..].rfind('.').map(|at| start + at)
}

/// `file_name_extension(Base, Extension, Name)`.
fn name_extension(m: &mut Machine) -> Res {
    let (base, extension, whole) = (m.arg(0), m.arg(1), m.arg(2));
    if !whole.is_var() {
        let name = m.need_text(whole)?;
        if !extension.is_var() {
            let wanted = m.need_text(extension)?;
            let wanted = wanted.trim_start_matches('.').to_owned();
            let found = extension_at(&name).filter(|&at| name[at + 1..] == wanted);
            if let Some(at) = found {
                return result(m, 0, &name[..at]);
            }
            if base.is_var() {
                return Ok(false);
            }
        } else {
            let (stem, found) = match extension_at(&name) {
                Some(at) => (&name[..at], &name[at + 1..]),
                None => (name.as_str(), ""),
            };
            let (stem, found) = (m.mem.atom_cell(stem), m.mem.atom_cell(found));
            return Ok(m.unify(m.control.x[0], stem) && m.unify(m.control.x[1], found));
        }
    }
    let (stem, wanted) = (m.need_text(base)?, m.need_text(extension)?);
    let wanted = wanted.trim_start_matches('.');
    let has_it = extension_at(&stem).is_some_and(|at| &stem[at + 1..] == wanted);
    let name = if wanted.is_empty() || has_it {
        stem
    } else {
        format!("{stem}.{wanted}")
    };
    result(m, 2, &name)
}

fn sleep(m: &mut Machine) -> Res {
    let cell = m.arg(0);
    let value = m.eval_cell(cell)?;
    let mut left = if m.mem.is_float(value) {
        m.mem.float_value(value)
    } else {
        m.mem.int_of(value)? as f64
    };
    m.io.host.flush_output().ok();
    while left > 0.0 {
        m.look()?;
        m.io.host.sleep(left.min(NAP));
        left -= NAP;
    }
    Ok(true)
}
