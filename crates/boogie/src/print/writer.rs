//! The text being written, and groups that are broken into lines when they are too long.
//!
//! `push` opens a group, `separate` marks where it may be broken, `pop` closes it: if its pieces together are longer than
//! a line, each piece goes on a line of its own, indented once more than what surrounds it.

const LINE: usize = 80;
const INDENT: usize = 2;

pub(super) struct Writer {
    out: String,
    pretty: bool,
    groups: Vec<Group>,
    level: usize,
}

struct Group {
    kind: Option<&'static str>,
    pieces: Vec<String>,
}

impl Writer {
    pub(super) fn new(pretty: bool) -> Self {
        Writer {
            out: String::new(),
            pretty,
            groups: Vec::new(),
            level: 0,
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    fn target(&mut self) -> &mut String {
        match self.groups.last_mut().and_then(|g| g.pieces.last_mut()) {
            Some(piece) => piece,
            None => &mut self.out,
        }
    }

    pub(super) fn write(&mut self, text: &str) {
        self.target().push_str(text);
    }

    pub(super) fn indent(&mut self, level: usize) {
        self.level = level;
        let target = self.target();
        target.extend(std::iter::repeat_n(' ', level * INDENT));
    }

    /// The rest of a line.
    pub(super) fn line(&mut self, text: &str) {
        let target = self.target();
        target.push_str(text);
        target.push('\n');
    }

    /// A whole line.
    pub(super) fn line_at(&mut self, level: usize, text: &str) {
        self.indent(level);
        self.line(text);
    }

    /// Opens a group; inside a group of the same kind only a separator. The result goes to [`pop`](Self::pop).
    pub(super) fn push(&mut self, kind: Option<&'static str>) -> bool {
        if !self.pretty {
            return false;
        }
        let same = kind.is_some() && self.groups.last().is_some_and(|g| g.kind == kind);
        if !same {
            self.groups.push(Group {
                kind,
                pieces: Vec::new(),
            });
        }
        self.separate();
        !same
    }

    pub(super) fn separate(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            group.pieces.push(String::new());
        }
    }

    pub(super) fn pop(&mut self, opened: bool) {
        if !self.pretty || !opened {
            return;
        }
        let Some(group) = self.groups.pop() else {
            return;
        };
        let pieces: Vec<&str> = group
            .pieces
            .iter()
            .flat_map(|p| p.split('\n'))
            .filter(|p| !p.is_empty())
            .collect();
        let length: usize = pieces.iter().map(|p| p.chars().count()).sum();
        let indent = match self.groups.is_empty() {
            true => INDENT * self.level + INDENT,
            false => INDENT,
        };
        let joined = if length > LINE {
            pieces.join(&format!("\n{}", " ".repeat(indent)))
        } else {
            pieces.concat()
        };
        self.write(&joined);
    }
}
