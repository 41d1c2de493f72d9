//! The full text form: message, source excerpts with carets, related places, notes, provenance.
//!
//! The text carries ANSI styles; the command line removes them where they do not belong. Nothing from a
//! source file or a message reaches the terminal unfiltered: control and direction-changing characters
//! are shown as [`REPLACEMENT`], so that a hostile input cannot speak to the terminal.

use crate::concise::{place, severity_name};
use crate::excerpt::excerpt;
use crate::{Diagnostic, Label, Provenance, Severity};
use anstyle::{AnsiColor, Style};
use stet_base::{FileId, SourceMap};

/// Stands for a character that must not reach a terminal.
pub(crate) const REPLACEMENT: char = '\u{fffd}';

const BOLD: Style = Style::new().bold();
const FRAME: Style = AnsiColor::Blue.on_default().bold();
const RELATED: Style = AnsiColor::Cyan.on_default().bold();
const CACHED: Style = AnsiColor::Green.on_default();

/// The full form of one diagnostic, without a final line end.
pub fn full(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let style = style_of(diagnostic.severity);
    let mut out = format!(
        "{style}{}[{}]{style:#}{BOLD}: {}{BOLD:#}",
        severity_name(diagnostic.severity),
        diagnostic.code,
        printable(&diagnostic.message)
    );
    let gutter = gutter_width(sources, diagnostic);
    if let Some(label) = &diagnostic.primary {
        block(&mut out, sources, label, gutter, style, "-->");
    }
    let path = diagnostic.path.iter().map(|step| Label {
        span: step.span,
        message: format!("on the path: {}", step.message),
    });
    let places: Vec<Label> = diagnostic.related.iter().cloned().chain(path).collect();
    for (index, label) in places.iter().enumerate() {
        let earlier = diagnostic.primary.iter().chain(&places[..index]);
        if earlier
            .map(|label| line_of(sources, label))
            .any(|line| line == line_of(sources, label))
        {
            mention(&mut out, sources, label, gutter);
        } else {
            block(&mut out, sources, label, gutter, RELATED, ":::");
        }
    }
    for note in &diagnostic.notes {
        add_note(&mut out, gutter, note);
    }
    if let Provenance::Cached { recorded } = diagnostic.provenance {
        let since = recorded.map_or_else(String::new, |at| format!(" since {}", utc(at)));
        let blank = " ".repeat(gutter);
        out += &format!("\n{blank} {FRAME}={FRAME:#} {CACHED}cached{since}{CACHED:#}");
    }
    out
}

/// How all placed parts of a diagnostic are indented: by the width of the largest line number.
fn gutter_width(sources: &SourceMap, diagnostic: &Diagnostic) -> usize {
    let labels = diagnostic
        .primary
        .iter()
        .chain(&diagnostic.related)
        .chain(&diagnostic.path);
    let last_line = |label: &Label| {
        let file = sources.file(label.span.file);
        file.line_column(label.span.end.max(label.span.start)).line
    };
    let largest = labels.map(last_line).max().unwrap_or(1);
    largest.to_string().len()
}

fn line_of(sources: &SourceMap, label: &Label) -> (FileId, u32) {
    (label.span.file, sources.start_of(label.span).line)
}

/// A related place on a line that was shown already.
fn mention(out: &mut String, sources: &SourceMap, label: &Label, gutter: usize) {
    let blank = " ".repeat(gutter);
    let place = place(sources, label.span);
    let message = printable(&label.message);
    out.push_str(&format!("\n{blank}{FRAME}:::{FRAME:#} {place}"));
    if !message.is_empty() {
        out.push_str(&format!(": {RELATED}{message}{RELATED:#}"));
    }
}

fn block(
    out: &mut String,
    sources: &SourceMap,
    label: &Label,
    gutter: usize,
    style: Style,
    arrow: &str,
) {
    let file = sources.file(label.span.file);
    let start = file.line_column(label.span.start);
    let blank = " ".repeat(gutter);
    out.push_str(&format!(
        "\n{blank}{FRAME}{arrow}{FRAME:#} {}:{}:{}",
        printable(file.name()),
        start.line,
        start.column
    ));
    let bar = format!("{FRAME}|{FRAME:#}");
    out.push_str(&format!("\n{blank} {bar}"));
    let message = printable(&label.message);
    for line in excerpt(file, label.span, &message) {
        let number = line.number.map_or_else(String::new, |n| n.to_string());
        let text = line.text.trim_end();
        let space = if text.is_empty() { "" } else { " " };
        out.push_str(&format!("\n{FRAME}{number:>gutter$} |{FRAME:#}{space}"));
        if line.is_mark {
            let indent = text.len() - text.trim_start().len();
            out.push_str(&text[..indent]);
            out.push_str(&format!("{style}{}{style:#}", &text[indent..]));
        } else {
            out.push_str(text);
        }
    }
}

fn add_note(out: &mut String, gutter: usize, note: &str) {
    let blank = " ".repeat(gutter);
    for (index, line) in note.lines().enumerate() {
        let lead = if index == 0 {
            format!("{FRAME}={FRAME:#} {BOLD}note:{BOLD:#}")
        } else {
            "       ".to_owned()
        };
        out.push_str(&format!("\n{blank} {lead} {}", printable(line)));
    }
}

fn style_of(severity: Severity) -> Style {
    match severity {
        Severity::Note => AnsiColor::Green.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Error => AnsiColor::Red.on_default().bold(),
    }
}

/// The text with everything replaced that could act on a terminal. Line breaks become blanks.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            _ if acts_on_terminal(c) => REPLACEMENT,
            _ => c,
        })
        .collect()
}

/// Control characters, and those that change the direction of what follows.
pub(crate) fn acts_on_terminal(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Seconds since 1970 as date and time, e.g. `2026-11-15 10:44:07 UTC`.
pub fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Civil date from the day number, in eras of 400 years that start on 1 March.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!(
        "{year:04}-{month:02}-{day_of_month:02} {hour:02}:{minute:02}:{:02} UTC",
        second % 60
    )
}
