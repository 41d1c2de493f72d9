//! The report of `stet explore`: covered source (also `coverage.info` for lcov), the tree of paths, errors with inputs and how to
//! replay them, queries by layer, instructions by function (also `profile.callgrind`).

use super::coverage::{self, Lines};
use super::{Line, Page, escape};
use crate::commands::explore::collect::Totals;
use crate::commands::explore::inputs::described;
use crate::session::Session;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stet_diag::Diagnostic;
use stet_explore::{Halt, Outcome, PathEnd, Profile, Summary};

/// Paths that are kept for the tree; the others are counted.
const MAX_PATHS: usize = 5_000;
/// Errors that are shown with their inputs.
const MAX_ERRORS: usize = 500;
/// Functions that are shown with their instructions.
const TOP_FUNCTIONS: usize = 30;

/// What is kept of paths until the report is written.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) directory: PathBuf,
    /// Lines with code in the user's own modules.
    pub(crate) all: Lines,
    covered: Lines,
    tree: Node,
    kept: usize,
    more: u64,
    errors: Vec<Failure>,
}

#[derive(Debug)]
struct Failure {
    place: Option<(String, u32)>,
    message: String,
    stack: Vec<String>,
    inputs: Vec<String>,
    replay: Option<String>,
}

/// A fork of the execution, or the end of a path.
#[derive(Debug, Default)]
struct Node {
    children: BTreeMap<u32, Node>,
    /// Paths that end here: an error leaves the choices to the path that goes on.
    ends: Vec<(&'static str, String)>,
    paths: u64,
    errors: u64,
}

impl Gathered {
    /// For a report in a directory, on programs with these texts.
    pub(crate) fn new<'t>(directory: &Path, texts: impl Iterator<Item = &'t str>) -> Gathered {
        let mut all = Lines::new();
        for text in texts {
            for (file, lines) in coverage::lines(text) {
                all.entry(file).or_default().extend(lines);
            }
        }
        Gathered {
            directory: directory.to_owned(),
            all,
            ..Gathered::default()
        }
    }

    /// Takes a path of the program that was explored with these arguments.
    pub(crate) fn path(&mut self, end: &PathEnd, args: &[String], replay: Option<String>) {
        for (file, line) in &end.recorded.lines {
            self.covered.entry(file.clone()).or_default().insert(*line);
        }
        let (class, text) = match &end.outcome {
            Outcome::Exit(status) => ("ok", format!("exit {status}")),
            Outcome::Silent => ("ok", "ended silently".to_owned()),
            Outcome::Unknown(why) => ("warn", format!("not decided: {why}")),
            Outcome::Dropped(why) => ("warn", format!("given up: {why}")),
            Outcome::Error(kind, message) if kind.is_unsupported() => ("warn", message.clone()),
            Outcome::Error(_, message) => ("bad", message.clone()),
        };
        if class == "bad" && self.errors.len() < MAX_ERRORS {
            let test = end.test.as_deref().unwrap_or_default();
            self.errors.push(Failure {
                place: end
                    .stack
                    .iter()
                    .find(|place| place.line > 0 && self.all.contains_key(&place.file))
                    .map(|place| (place.file.clone(), place.line)),
                message: text.clone(),
                stack: end.stack.iter().take(20).map(ToString::to_string).collect(),
                inputs: described(args, test),
                replay,
            });
        }
        if self.kept >= MAX_PATHS {
            self.more += 1;
            return;
        }
        self.kept += 1;
        let is_error = u64::from(class == "bad");
        let mut node = &mut self.tree;
        for &choice in &end.choices {
            node.paths += 1;
            node.errors += is_error;
            node = node.children.entry(choice).or_default();
        }
        node.paths += 1;
        node.errors += is_error;
        node.ends.push((
            class,
            format!("{text} after {} instructions", end.instructions),
        ));
    }

    /// Writes the pages.
    pub(crate) fn write(
        self,
        session: &mut Session,
        summary: &Summary,
        totals: &Totals,
    ) -> Result<(), Box<Diagnostic>> {
        let mut page = Page::default();
        self.totals(&mut page, summary, totals);
        self.failures(&mut page);
        queries(&mut page, summary);
        let profile = &summary.coverage.profile;
        functions(&mut page, profile);
        self.paths(&mut page);
        self.sources(&mut page);
        let title = match (totals.findings, summary.is_complete()) {
            (0, true) => "All paths explored",
            (0, false) => "Explored in part",
            _ => "Errors found",
        };
        let files = [
            ("index.html", page.finish(title)),
            ("coverage.info", coverage::lcov(&self.all, &self.covered)),
            ("tree.svg", self.tree.drawing()),
            ("profile.callgrind", profile.callgrind("stet explore")),
        ];
        let index = super::write(&self.directory, &files)?;
        session.say(&format!("report: {}", index.display()));
        Ok(())
    }

    fn totals(&self, page: &mut Page, summary: &Summary, totals: &Totals) {
        let progress = &summary.progress;
        let lines: usize = self.all.values().map(|lines| lines.len()).sum();
        let hit: usize = self
            .all
            .iter()
            .map(|(file, lines)| {
                let covered = self.covered.get(file);
                lines
                    .iter()
                    .filter(|l| covered.is_some_and(|c| c.contains(l)))
                    .count()
            })
            .sum();
        let share = 100.0 * hit as f64 / lines.max(1) as f64;
        page.tiles(&[
            ("paths", progress.paths.to_string(), ""),
            (
                "different errors",
                totals.findings.to_string(),
                if totals.findings > 0 { "bad" } else { "ok" },
            ),
            (
                "lines covered",
                format!("{hit} of {lines} ({share:.0} %)"),
                "",
            ),
            ("instructions", progress.instructions.to_string(), ""),
            ("queries", progress.queries.total.to_string(), ""),
            (
                "to the solver",
                progress.queries.solver_queries().to_string(),
                "",
            ),
            ("seconds", format!("{:.2}", totals.seconds), ""),
        ]);
        match &summary.halt {
            Halt::Complete => {}
            Halt::Limit(why) => page.paragraph(&format!("Stopped before the end: {why}.")),
            Halt::Interrupted => page.paragraph("Interrupted."),
        }
        if !summary.left_out.is_empty() {
            page.paragraph(&format!(
                "{} things were fixed, refused, assumed or given up; the exit code says so, and so does --format json.",
                summary.left_out.len()
            ));
        }
    }

    fn failures(&self, page: &mut Page) {
        if self.errors.is_empty() {
            return;
        }
        page.heading("Errors");
        for error in &self.errors {
            let at = match &error.place {
                Some((file, line)) => format!(
                    " <a href=\"#{}-{line}\">{}:{line}</a>",
                    anchor(file),
                    escape(file)
                ),
                None => String::new(),
            };
            page.raw(&format!(
                "<details open><summary class=\"bad\">{}{at}</summary><pre>",
                escape(&error.message)
            ));
            for line in &error.stack {
                page.raw(&format!("in {}", escape(line)));
            }
            for input in &error.inputs {
                page.raw(&escape(input));
            }
            match &error.replay {
                Some(command) => page.raw(&format!("replay with {}", escape(command))),
                None => {
                    page.raw("--output-dir DIR writes the input as a test that stet replay runs")
                }
            }
            page.raw("</pre></details>");
        }
    }

    fn paths(&self, page: &mut Page) {
        page.heading("Tree of paths");
        page.raw("<p><a href=\"tree.svg\">tree.svg</a> draws all of it; the browser zooms.</p>");
        if self.more > 0 {
            page.paragraph(&format!(
                "{} paths beyond the first {MAX_PATHS} are not shown.",
                self.more
            ));
        }
        let mut budget = 2_000;
        page.raw(&self.tree.list(&mut budget));
    }

    fn sources(&self, page: &mut Page) {
        page.heading("Sources");
        for (file, lines) in &self.all {
            let Ok(bytes) = std::fs::read(file) else {
                page.paragraph(&format!(
                    "{file}: {} lines with code; the file is not here.",
                    lines.len()
                ));
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            let covered = self.covered.get(file);
            let mut marks = vec![Line::default(); text.lines().count()];
            for &line in lines {
                let hit = covered.is_some_and(|covered| covered.contains(&line));
                if let Some(mark) = marks.get_mut(line as usize - 1) {
                    mark.mark = if hit { "ok" } else { "miss" };
                    mark.title = if hit { "covered" } else { "never executed" }.to_owned();
                }
            }
            for error in &self.errors {
                if let Some((_, line)) = error.place.as_ref().filter(|(f, _)| f == file)
                    && let Some(mark) = marks.get_mut(*line as usize - 1)
                {
                    mark.mark = "bad";
                    if mark.notes.len() < 5 {
                        let inputs = error.inputs.join("\n");
                        mark.notes
                            .push(("bad", format!("{}\n{inputs}", error.message)));
                    }
                }
            }
            page.source(file, &anchor(file), &text, &marks);
        }
    }
}

fn anchor(file: &str) -> String {
    let letters = file
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}

fn queries(page: &mut Page, summary: &Summary) {
    let queries = &summary.progress.queries;
    page.heading("Queries by layer");
    let row = |name: &str, asked: u64, answered: u64, seconds: Option<f64>| {
        vec![
            name.to_owned(),
            asked.to_string(),
            answered.to_string(),
            seconds.map_or_else(String::new, |s| format!("{s:.3} s")),
        ]
    };
    let layer = |name: &str, asked: u64, answered: u64, time: std::time::Duration| {
        row(name, asked, answered, Some(time.as_secs_f64()))
    };
    let (base, aware, cex, store, solver) = (
        &queries.base,
        &queries.aware,
        &queries.counterexample,
        &queries.store,
        &queries.solver,
    );
    let rows = vec![
        row("simplification", queries.total, queries.trivial, None),
        row(
            "the path's witness",
            queries.total - queries.trivial.min(queries.total),
            queries.by_witness,
            None,
        ),
        layer("base cache", base.asked, base.answered, base.time),
        layer(
            "address-aware cache",
            aware.asked,
            aware.answered,
            aware.time,
        ),
        layer("counter-examples", cex.asked, cex.answered, cex.time),
        layer("store", store.asked, store.answered, store.time),
        layer(
            "solver",
            queries.solver_queries(),
            queries.solver_queries(),
            solver.time,
        ),
    ];
    page.table(&["layer", "asked", "answered", "time"], &rows);
}

/// The functions that most instructions were executed in.
fn functions(page: &mut Page, profile: &Profile) {
    let found = profile.by_function();
    let total: u64 = found.iter().map(|&(_, executed)| executed).sum();
    if total == 0 {
        return;
    }
    page.heading("Instructions by function");
    let rows: Vec<Vec<String>> = found
        .iter()
        .take(TOP_FUNCTIONS)
        .map(|&(name, executed)| {
            let share = format!("{:.1} %", 100.0 * executed as f64 / total as f64);
            vec![name.to_owned(), executed.to_string(), share]
        })
        .collect();
    page.table(&["function", "instructions", "share"], &rows);
}

impl Node {
    /// The tree as nested lists that fold; a chain of forks with one way is one step.
    fn list(&self, budget: &mut usize) -> String {
        let mut node = self;
        let mut steps = 0;
        while node.ends.is_empty() && node.children.len() == 1 {
            let Some((_, child)) = node.children.first_key_value() else {
                break;
            };
            node = child;
            steps += 1;
        }
        if *budget == 0 {
            return format!("<p>… {} more paths</p>", node.paths);
        }
        *budget -= 1;
        let end: String = node
            .ends
            .iter()
            .map(|(class, text)| format!("<div class=\"{class}\">{}</div>", escape(text)))
            .collect();
        if node.children.is_empty() {
            return end;
        }
        let open = if *budget > 1_950 { " open" } else { "" };
        let mut text = format!(
            "<details{open}><summary>{} paths{}{}</summary><div style=\"margin-left:1.2rem\">{end}",
            node.paths,
            if node.errors > 0 {
                format!(", <span class=\"bad\">{} errors</span>", node.errors)
            } else {
                String::new()
            },
            if steps > 0 {
                format!(" after {steps} forks")
            } else {
                String::new()
            }
        );
        for child in node.children.values() {
            text += &child.list(budget);
        }
        text + "</div></details>"
    }

    /// The tree as a drawing: a row per fork, as wide as it has paths.
    fn drawing(&self) -> String {
        let (mut shapes, mut deepest) = (String::new(), 0);
        let mut open: Vec<(&Node, f64, f64, usize)> = vec![(self, 0.0, 1200.0, 0)];
        let mut drawn = 0;
        while let Some((node, x, width, depth)) = open.pop() {
            if drawn > 20_000 {
                break;
            }
            drawn += 1;
            deepest = deepest.max(depth);
            let is = |class: &str| node.ends.iter().any(|(c, _)| *c == class);
            let colour = match node.errors {
                _ if is("bad") => "#cf222e",
                _ if is("warn") => "#d29922",
                _ if is("ok") => "#2ea043",
                0 => "#8d96a0",
                _ => "#d8868b",
            };
            let y = depth * 14;
            let mut title = format!("{} paths, {} errors", node.paths, node.errors);
            for (_, text) in &node.ends {
                title += &format!("\n{}", escape(text));
            }
            shapes += &format!(
                "<rect x=\"{x:.2}\" y=\"{y}\" width=\"{:.2}\" height=\"13\" fill=\"{colour}\"><title>{title}</title></rect>\n",
                (width - 0.3).max(0.2)
            );
            let mut at = x;
            for child in node.children.values() {
                let part = width * child.paths as f64 / node.paths.max(1) as f64;
                open.push((child, at, part, depth + 1));
                at += part;
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 {}\">\n{shapes}</svg>\n",
            deepest * 14 + 14
        )
    }
}
