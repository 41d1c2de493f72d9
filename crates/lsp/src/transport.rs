//! Framing of messages: `Content-Length` headers and JSON bodies.
//!
//! A body that is not a message is reported to the event loop, which answers with a parse error and goes on; only the end of
//! the stream, or a header that cannot be made sense of, ends the conversation.

use lsp_server::Message;
use std::io::{BufRead, Read, Write};

/// The longest message that is read; longer ones are skipped and answered with an error.
const LIMIT: usize = 256 << 20;

/// What comes from the editor.
pub type Incoming = Box<dyn BufRead + Send>;
/// What goes to the editor.
pub type Outgoing = Box<dyn Write + Send>;

#[derive(Debug)]
pub(crate) enum Frame {
    Message(Message),
    /// A body that is not one, and why.
    Malformed(String),
    Closed,
}

/// Reads the next frame.
pub(crate) fn read(input: &mut dyn BufRead) -> Frame {
    let Some(length) = read_header(input) else {
        return Frame::Closed;
    };
    if length > LIMIT {
        let skipped = std::io::copy(&mut input.take(length as u64), &mut std::io::sink());
        return match skipped {
            Ok(count) if count == length as u64 => {
                Frame::Malformed(format!("a message of {length} bytes is too long"))
            }
            _ => Frame::Closed,
        };
    }
    let mut body = vec![0; length];
    if input.read_exact(&mut body).is_err() {
        return Frame::Closed;
    }
    match serde_json::from_slice(&body) {
        Ok(message) => Frame::Message(message),
        Err(error) => Frame::Malformed(error.to_string()),
    }
}

/// The length in the header of the next frame; `None` at the end of the stream or without a length.
fn read_header(input: &mut dyn BufRead) -> Option<usize> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let mut limited = input.take(1 << 16);
        if limited.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(length) => return Some(length),
                None => continue, // blank lines between frames
            }
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse().ok()?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let mut found = Vec::new();
        loop {
            match read(&mut input) {
                Frame::Message(Message::Notification(n)) => found.push(n.method),
                Frame::Message(_) => found.push("other".to_owned()),
                Frame::Malformed(_) => found.push("malformed".to_owned()),
                Frame::Closed => return found,
            }
        }
    }

    #[test]
    fn malformed_bodies_do_not_end_the_conversation() {
        let good = r#"{"jsonrpc":"2.0","method":"a","params":{}}"#;
        let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let text = [frame("{nonsense"), frame(good), frame("[]"), frame(good)].concat();
        assert_eq!(frames(&text), ["malformed", "a", "malformed", "a"]);
        assert_eq!(frames("Content-Length: many\r\n\r\n"), [""; 0]);
        assert_eq!(frames("Content-Length: 10\r\n\r\n{}"), [""; 0]);
    }
}
