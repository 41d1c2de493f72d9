//! `stet klee-zesti`: a concrete run of a program becomes the seed of its exploration.
//!
//! Arguments become symbolic arguments of their length, those that name files become symbolic files A, B, … of the size of the largest, and
//! standard input, unless it is a terminal, becomes symbolic standard input. The seed has what was given.

use super::flags::Request;
use crate::commands::explore::Libc;
use std::io::{IsTerminal, Read};
use std::path::Path;
use stet_explore::TestObject;

/// The most bytes of standard input that are read.
const LARGEST: u64 = 1 << 20;
/// Symbolic files have one letter as their name.
const MOST_FILES: usize = 26;

/// Replaces the program's input by symbolic input with this seed.
pub(super) fn seed(request: &mut Request) -> Result<(), String> {
    let mut objects = Vec::new();
    let mut files: Vec<Vec<u8>> = Vec::new();
    let mut options = Vec::new();
    let mut number = 0;
    for argument in std::mem::take(&mut request.options.args) {
        if Path::new(&argument).is_file() {
            let bytes = std::fs::read(&argument);
            files.push(bytes.map_err(|error| format!("cannot read `{argument}`: {error}"))?);
            options.push(letter(files.len())?.to_string());
            continue;
        }
        options.extend(["--sym-arg".to_owned(), argument.len().to_string()]);
        let mut bytes = argument.into_bytes();
        bytes.push(0);
        objects.push(TestObject {
            name: format!("arg{number:02}"),
            bytes,
        });
        number += 1;
    }
    let size = files.iter().map(Vec::len).max().unwrap_or(0);
    if size > 0 {
        options.push("--sym-files".to_owned());
        options.extend([files.len().to_string(), size.to_string()]);
    }
    for (file, bytes) in (1..).zip(files) {
        let name = format!("{}-data", letter(file)?);
        objects.push(TestObject { name, bytes });
    }
    let input = standard_input()?;
    if !input.is_empty() {
        options.extend(["--sym-stdin".to_owned(), input.len().to_string()]);
        objects.push(TestObject {
            name: "stdin".to_owned(),
            bytes: input,
        });
    }
    request.options.args = options;
    request.options.libc = Some(Libc::Musl);
    request.posix = true;
    request.seeds.inputs.push(objects);
    request.seeds.by_name = true;
    request.seeds.extend = true;
    Ok(())
}

fn letter(number: usize) -> Result<char, String> {
    match number {
        1..=MOST_FILES => Ok(char::from(b'A' + (number - 1) as u8)),
        _ => Err(format!("more than {MOST_FILES} files among the arguments")),
    }
}

fn standard_input() -> Result<Vec<u8>, String> {
    let input = std::io::stdin();
    let mut bytes = Vec::new();
    if !input.is_terminal() {
        let read = input.lock().take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("cannot read the standard input: {error}"))?;
    }
    match bytes.len() as u64 > LARGEST {
        true => Err(format!("more than {LARGEST} bytes of standard input")),
        false => Ok(bytes),
    }
}
