//! Reading input files: whatever is wrong with one, the user gets one clear diagnostic with a position.

use std::io::ErrorKind;
use std::path::Path;
use stet_diag::Diagnostic;
use stet_explore::KTest;

/// The text of a file, or why it cannot be used. `-` is the standard input. A byte order mark is not part of the text.
pub(crate) fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let mut bytes = read_bytes(path)?;
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| Box::new(not_utf8(path, &error)))
}

/// The bytes of a file, or why it cannot be read. `-` is the standard input.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes).map(|_| bytes)
    } else if path.is_dir() {
        Err(ErrorKind::IsADirectory.into())
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| Box::new(unreadable(path, &error)))
}

/// The test case in a file.
pub(crate) fn read_test(path: &Path) -> Result<KTest, Box<Diagnostic>> {
    let bytes = read_bytes(path)?;
    KTest::decode(&bytes).ok_or_else(|| {
        let message = format!("`{}` is not a test case", path.display());
        Box::new(Diagnostic::error("input/unreadable", message))
    })
}

/// Whether something can be read as a file: also a pipe or a device, which are no regular files.
pub(crate) fn is_readable(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

/// Why a file that is to be read by somebody else cannot be used.
pub(crate) fn unusable(path: &Path) -> Diagnostic {
    match read_bytes(path) {
        Err(diagnostic) => *diagnostic,
        Ok(_) => unreadable(path, &ErrorKind::InvalidInput.into()),
    }
}

/// A file that does not exist.
pub(crate) fn not_found(path: &Path) -> Diagnostic {
    unreadable(path, &ErrorKind::NotFound.into())
}

/// A file whose text does not fit the places of diagnostics.
pub(crate) fn too_large(name: &str) -> Diagnostic {
    let message = format!("cannot read `{name}`: it is larger than 4 GiB");
    Diagnostic::error("input/too-large", message)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let name = path.display();
    let (code, what) = match error.kind() {
        ErrorKind::NotFound => ("input/not-found", "there is no such file".to_owned()),
        ErrorKind::IsADirectory => ("input/directory", "it is a directory".to_owned()),
        ErrorKind::PermissionDenied => ("input/permission", "permission denied".to_owned()),
        _ => ("input/unreadable", error.to_string()),
    };
    Diagnostic::error(code, format!("cannot read `{name}`: {what}"))
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Diagnostic {
    let valid = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let before = &bytes[..valid];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let line_start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[line_start..])
        .chars()
        .count()
        + 1;
    let name = path.display();
    Diagnostic::error(
        "input/not-utf8",
        format!("cannot read `{name}`: it is not UTF-8 text"),
    )
    .with_note(format!(
        "byte 0x{:02x} at {name}:{line}:{column} (offset {valid}) does not belong to a character",
        bytes[valid]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_byte_is_located() {
        let error = String::from_utf8(b"ab\n\xc3\xa9x\xff".to_vec()).unwrap_err();
        let diagnostic = not_utf8(Path::new("f.bpl"), &error);
        assert_eq!(
            diagnostic.notes,
            ["byte 0xff at f.bpl:2:3 (offset 6) does not belong to a character"]
        );
    }
}
