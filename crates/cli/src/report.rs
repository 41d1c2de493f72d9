//! `--report DIR`: what an engine found as static pages.
//!
//! A page needs no network, no script and no other file: the style is inside, in light and dark; what is long folds
//! with the browser's own `<details>`. [`Page`] collects the body; `source` shows a text with a mark and
//! messages for every line.

pub(crate) mod coverage;
pub(crate) mod explore;
pub(crate) mod run;
pub(crate) mod verify;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use stet_diag::Diagnostic;

/// A page being written.
#[derive(Debug, Default)]
pub(crate) struct Page {
    body: String,
}

/// What is shown at a line of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// `ok`, `bad`, `warn`, `miss`, or nothing.
    pub(crate) mark: &'static str,
    /// What the mark says.
    pub(crate) title: String,
    /// Messages below the line: a class and a text.
    pub(crate) notes: Vec<(&'static str, String)>,
}

impl Page {
    pub(crate) fn raw(&mut self, html: &str) {
        self.body.push_str(html);
        self.body.push('\n');
    }

    /// Adds a heading.
    pub(crate) fn heading(&mut self, text: &str) {
        let _ = writeln!(self.body, "<h2>{}</h2>", escape(text));
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.body, "<p>{}</p>", escape(text));
    }

    /// Adds figures with their names, as tiles.
    pub(crate) fn tiles(&mut self, figures: &[(&str, String, &str)]) {
        self.raw("<div class=\"tiles\">");
        for (name, value, class) in figures {
            let _ = writeln!(
                self.body,
                "<div class=\"tile {class}\"><b>{}</b><span>{}</span></div>",
                escape(value),
                escape(name)
            );
        }
        self.raw("</div>");
    }

    /// Adds a table; cells are HTML already.
    pub(crate) fn table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        self.raw("<div class=\"wide\"><table><thead><tr>");
        for cell in header {
            let _ = write!(self.body, "<th>{}</th>", escape(cell));
        }
        self.raw("</tr></thead><tbody>");
        for row in rows {
            self.body.push_str("<tr>");
            for cell in row {
                let _ = write!(self.body, "<td>{cell}</td>");
            }
            self.raw("</tr>");
        }
        self.raw("</tbody></table></div>");
    }

    /// Adds a source with its marks; `id` makes links to its lines possible (`#id-LINE`).
    pub(crate) fn source(&mut self, name: &str, id: &str, text: &str, lines: &[Line]) {
        let _ = writeln!(
            self.body,
            "<details open><summary>{}</summary><div class=\"wide\"><table class=\"source\">",
            escape(name)
        );
        for (number, code) in text.lines().enumerate() {
            let none = Line::default();
            let line = lines.get(number).unwrap_or(&none);
            let number = number + 1;
            let _ = writeln!(
                self.body,
                "<tr id=\"{id}-{number}\" class=\"{0}\"><td class=\"number\">{number}</td><td class=\"mark\" title=\"{1}\">{2}</td><td><pre>{3}</pre></td></tr>",
                line.mark,
                escape(&line.title),
                sign(line.mark),
                escape(code)
            );
            for (class, note) in &line.notes {
                let _ = writeln!(
                    self.body,
                    "<tr><td></td><td></td><td><div class=\"note {class}\">{}</div></td></tr>",
                    escape(note)
                );
            }
        }
        self.raw("</table></div></details>");
    }

    /// The whole page.
    pub(crate) fn finish(&self, title: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\"><title>{0}</title>\n<style>{STYLE}</style></head>\n\
             <body><header><h1>{0}</h1><p>Stet {1}</p></header>\n<main>\n{2}</main></body></html>\n",
            escape(title),
            crate::version::NUMBER,
            self.body
        )
    }
}

/// Writes the files of a report into a directory, which is made if it is not there.
pub(crate) fn write(
    directory: &Path,
    files: &[(&str, String)],
) -> Result<PathBuf, Box<Diagnostic>> {
    let failed = |path: &Path, error: std::io::Error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Box::new(Diagnostic::error("output/write-failed", message))
    };
    std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(directory.join("index.html"))
}

/// A mark that is seen without colours, too.
fn sign(mark: &str) -> &'static str {
    match mark {
        "ok" => "✓",
        "bad" => "✗",
        "warn" => "?",
        "miss" => "–",
        _ => "",
    }
}

/// Text in HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() && c != '\t' && c != '\n' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

const STYLE: &str = "
:root{--back:#fff;--text:#1f2328;--soft:#656d76;--line:#d0d7de;--panel:#f6f8fa;--ok:#1a7f37;--okb:#dafbe1;--bad:#cf222e;--badb:#ffebe9;--warn:#9a6700;--warnb:#fff8c5}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#8d96a0;--line:#30363d;--panel:#161b22;--ok:#3fb950;--okb:#12261e;--bad:#f85149;--badb:#2d1416;--warn:#d29922;--warnb:#272115}}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
header,main{max-width:1200px;margin:0 auto;padding:0 1rem}h1{font-size:1.5rem;margin:1.5rem 0 0}header p{color:var(--soft);margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
.tiles{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0}.tile{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.5rem 1rem;min-width:7rem}.tile b{display:block;font-size:1.4rem}.tile span{color:var(--soft)}.tile.ok b{color:var(--ok)}.tile.bad b{color:var(--bad)}.tile.warn b{color:var(--warn)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600}
pre,code{font:13px/1.45 ui-monospace,Menlo,Consolas,monospace;margin:0;white-space:pre}.source td{border:0;padding:0 .5rem;line-height:1.45}.source .number,.source .mark{font-size:13px}.source .number{color:var(--soft);text-align:right;width:3.5rem;user-select:none}.source .mark{width:1.5rem;font-weight:700}
.source tr.ok .mark{color:var(--ok)}.source tr.ok td:last-child{background:var(--okb)}.source tr.bad .mark{color:var(--bad)}.source tr.bad td:last-child{background:var(--badb)}.source tr.warn .mark{color:var(--warn)}.source tr.warn td:last-child{background:var(--warnb)}.source tr.miss .mark{color:var(--bad)}.source tr.miss td:last-child{background:var(--badb)}
.note{border-left:3px solid var(--line);margin:.15rem 0;padding:.1rem .6rem;white-space:pre-wrap}.note.bad{border-color:var(--bad)}.note.warn{border-color:var(--warn)}.ok{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}tr.ok,tr.bad,tr.warn,tr.miss,.note{color:var(--text)}
details{margin:.75rem 0}summary{cursor:pointer;font-weight:600}a{color:inherit}tr:target{outline:2px solid var(--warn)}svg{max-width:100%;height:auto}svg text{fill:var(--text);font:12px system-ui,sans-serif}svg .edge{stroke:var(--soft);fill:none}svg .node{fill:var(--panel);stroke:var(--line)}svg .node.ok{stroke:var(--ok);stroke-width:2}svg .node.bad{stroke:var(--bad);stroke-width:2}svg .node.warn{stroke:var(--warn);stroke-width:2}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_programs_cannot_leave_its_place() {
        let mut page = Page::default();
        let line = Line {
            mark: "bad",
            title: "\"><script>".to_owned(),
            notes: vec![("bad", "</div><script>alert(1)</script>".to_owned())],
        };
        page.source("<b>", "f0", "if (a < b) { \u{1b}[31m }\n", &[line]);
        let text = page.finish("a & b");
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("if (a &lt; b)") && text.contains("a &amp; b"));
        assert!(!text.contains('\u{1b}'));
    }
}
