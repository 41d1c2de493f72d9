//! `/xml`: the results as XML, in the shape Boogie's tools read.

use stet_base::Span;
use stet_verify::{Conclusion, ImplementationResult, VerificationError};

/// Collects results and writes them at the end.
pub(super) struct Sink {
    path: String,
    body: String,
}

/// Where a span is: file, line, column.
type Locate<'a> = &'a dyn Fn(Span) -> (String, u32, u32);

impl Sink {
    pub(super) fn new(path: String) -> Self {
        Sink {
            path,
            body: String::new(),
        }
    }

    /// Begins the results of a file.
    pub(super) fn file(&mut self, name: &str) {
        self.body
            .push_str(&format!("  <file name=\"{}\">\n", escape(name)));
    }

    /// Ends the results of a file.
    pub(super) fn end_file(&mut self) {
        self.body.push_str("  </file>\n");
    }

    /// Adds the result of an implementation.
    pub(super) fn method(&mut self, result: &ImplementationResult, locate: Locate) {
        let name = escape(&result.name);
        self.body
            .push_str(&format!("    <method name=\"{name}\">\n"));
        for error in &result.errors {
            self.error(error, locate);
        }
        let outcome = match result.conclusion {
            Conclusion::Verified => "correct",
            Conclusion::Errors => "errors",
            Conclusion::TimedOut => "timed out",
            Conclusion::OutOfMemory => "out of memory",
            Conclusion::OutOfResource => "out of resource",
            _ => "inconclusive",
        };
        self.body.push_str(&format!(
            "      <conclusion outcome=\"{outcome}\" />\n    </method>\n"
        ));
    }

    fn error(&mut self, error: &VerificationError, locate: Locate) {
        let attributes = |span: Span| {
            let (file, line, column) = locate(span);
            format!(
                "file=\"{}\" line=\"{line}\" column=\"{column}\"",
                escape(&file)
            )
        };
        let (_, text, _) = super::engine::words(error.kind);
        let text = escape(error.message.as_deref().unwrap_or(text));
        let at = attributes(error.span);
        self.body
            .push_str(&format!("      <error message=\"{text}\" {at}>\n"));
        if let Some(related) = error.related {
            let at = attributes(related);
            self.body.push_str(&format!("        <related {at} />\n"));
        }
        self.body.push_str("        <trace>\n");
        for step in &error.trace {
            if let Some(span) = step.span.filter(|&s| !stet_boogie::is_nowhere(s)) {
                let (at, label) = (attributes(span), escape(&step.label));
                self.body
                    .push_str(&format!("          <traceNode {at} label=\"{label}\" />\n"));
            }
        }
        self.body.push_str("        </trace>\n      </error>\n");
    }

    /// Writes the file.
    pub(super) fn write(&self, command_line: &str) -> std::io::Result<()> {
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<boogie version=\"{}\" commandLine=\"{}\">\n{}</boogie>\n",
            escape(super::VERSION),
            escape(command_line),
            self.body
        );
        std::fs::write(&self.path, text)
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
