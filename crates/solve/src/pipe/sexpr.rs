//! S-expressions: what provers answer. The reader is incremental (bytes in, complete expressions out) and
//! uses no recursion, so that deep or endless answers cannot exhaust the stack.

/// A symbol, number or string, or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexpr {
    /// A symbol (without its bars), number, keyword or string (with its quotes).
    Atom(String),
    /// A parenthesised list.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// Reads one expression; `None` if the text is not exactly one.
    pub fn parse(text: &str) -> Option<Sexpr> {
        let mut splitter = Splitter::default();
        let mut found = splitter.feed(text.as_bytes());
        found.extend(splitter.finish());
        let [one] = &found[..] else { return None };
        read(one)
    }

    /// The elements of a list; nothing for an atom.
    pub fn items(&self) -> &[Sexpr] {
        match self {
            Sexpr::List(items) => items,
            Sexpr::Atom(_) => &[],
        }
    }

    /// The text of an atom.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text) => Some(text),
            Sexpr::List(_) => None,
        }
    }

    /// An integer, in any of the forms `5`, `-5`, `(- 5)`.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Sexpr::Atom(text) => text.parse().ok(),
            Sexpr::List(items) => match &items[..] {
                [Sexpr::Atom(minus), value] if minus == "-" => value.integer().map(|v| -v),
                _ => None,
            },
        }
    }
}

impl std::fmt::Display for Sexpr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        enum Step<'a> {
            Show(&'a Sexpr, bool),
            Close,
        }
        let mut stack = vec![Step::Show(self, true)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Close => f.write_str(")")?,
                Step::Show(expr, first) => {
                    if !first {
                        f.write_str(" ")?;
                    }
                    match expr {
                        Sexpr::Atom(text) => f.write_str(text)?,
                        Sexpr::List(items) => {
                            f.write_str("(")?;
                            stack.push(Step::Close);
                            let steps = items.iter().enumerate().rev();
                            stack.extend(steps.map(|(i, item)| Step::Show(item, i == 0)));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Splits a stream of bytes into complete expressions.
#[derive(Default)]
pub(super) struct Splitter {
    current: Vec<u8>,
    depth: usize,
    quote: Option<u8>,
    comment: bool,
}

impl Splitter {
    /// Takes more bytes and returns the expressions completed by them.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for &byte in bytes {
            self.step(byte, &mut found);
        }
        found
    }

    /// The unfinished rest, if any.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.take()
    }

    fn step(&mut self, byte: u8, found: &mut Vec<String>) {
        if self.comment {
            self.comment = byte != b'\n';
            return;
        }
        if let Some(quote) = self.quote {
            self.current.push(byte);
            if byte == quote {
                self.quote = None;
            }
            return;
        }
        match byte {
            b'"' | b'|' => {
                self.quote = Some(byte);
                self.current.push(byte);
            }
            b';' => self.comment = true,
            b'(' => {
                if self.depth == 0 {
                    found.extend(self.take());
                }
                self.depth += 1;
                self.current.push(byte);
            }
            b')' => {
                self.current.push(byte);
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    found.extend(self.take());
                }
            }
            _ if byte.is_ascii_whitespace() && self.depth == 0 => found.extend(self.take()),
            _ => self.current.push(byte),
        }
    }

    fn take(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.current);
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// Reads the text of one complete expression.
pub(super) fn read(text: &str) -> Option<Sexpr> {
    let bytes = text.as_bytes();
    let mut open: Vec<Vec<Sexpr>> = Vec::new();
    let mut at = 0;
    let mut result = None;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let finished = match byte {
            b'(' => {
                open.push(Vec::new());
                at += 1;
                None
            }
            b')' => {
                at += 1;
                Some(Sexpr::List(open.pop()?))
            }
            _ => {
                let end = atom_end(bytes, at);
                let atom = text.get(at..end)?;
                at = end;
                Some(Sexpr::Atom(unbarred(atom)))
            }
        };
        if let Some(expr) = finished {
            match open.last_mut() {
                Some(list) => list.push(expr),
                None if result.is_none() => result = Some(expr),
                None => return None,
            }
        }
    }
    if open.is_empty() { result } else { None }
}

fn unbarred(atom: &str) -> String {
    atom.strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'))
        .unwrap_or(atom)
        .to_owned()
}

fn atom_end(bytes: &[u8], start: usize) -> usize {
    let quote = match bytes[start] {
        quote @ (b'"' | b'|') => quote,
        _ => {
            let stop = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b'"' | b'|');
            let length = bytes[start..].iter().position(stop);
            return length.map_or(bytes.len(), |n| start + n.max(1));
        }
    };
    let mut at = start + 1;
    while at < bytes.len() {
        if bytes[at] == quote {
            // A doubled quote is one quote inside a string.
            if quote == b'"' && bytes.get(at + 1) == Some(&quote) {
                at += 2;
                continue;
            }
            return at + 1;
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_expressions_come_out_of_pieces() {
        let mut splitter = Splitter::default();
        assert_eq!(splitter.feed(b"sat\n(a \"x)"), ["sat"]);
        assert_eq!(splitter.feed(b"y\" |p q|) unk"), ["(a \"x)y\" |p q|)"]);
        assert_eq!(splitter.feed(b"nown\n"), ["unknown"]);
    }

    #[test]
    fn reading_and_printing() {
        let text = "(((ControlFlow 0 1) (- 7)) ((f |a b|) \"s \"\"t\"\"\"))";
        let expr = Sexpr::parse(text).unwrap();
        assert_eq!(expr.items()[0].items()[1].integer(), Some(-7));
        assert_eq!(expr.to_string(), text.replace('|', ""));
        assert_eq!(Sexpr::parse("(a"), None);
        assert_eq!(Sexpr::parse("a b"), None);
        assert_eq!(Sexpr::parse(")"), None);
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let deep = "(".repeat(200_000) + &")".repeat(200_000);
        let mut expr = Sexpr::parse(&deep).unwrap();
        // Taken apart by hand: dropping a deep tree recursively would be the test's own fault.
        while let Sexpr::List(mut items) = expr {
            let Some(inner) = items.pop() else { break };
            expr = inner;
        }
    }
}
