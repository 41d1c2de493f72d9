//! Tables III to V and Figure 4 as SVG: a group of bars per program, one bar per mode, and the paper's where it has figures.

use super::table::published_in;
use super::{Measured, Mode, Run, paper};
use std::fmt::Write;

const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 50.0;
/// Colours of the modes, then of the paper's two.
const COLOURS: [&str; 6] = [
    "#bbbbbb", "#4477aa", "#ee6677", "#228833", "#aaccee", "#f7b6bf",
];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Name of the file and content of every chart: Table III, IV, V and Figure 4.
pub fn charts(measured: &[Measured]) -> Vec<(&'static str, String)> {
    let seconds = |run: &Run| run.time.as_secs_f64();
    vec![
        (
            "queries",
            chart(
                "Table III: queries that reached the solver",
                measured,
                |run| run.solver as f64,
                Some(0),
            ),
        ),
        (
            "time",
            chart(
                "Table IV: processor time in seconds",
                measured,
                seconds,
                Some(1),
            ),
        ),
        (
            "cache",
            chart(
                "Table V: entries in the query cache",
                measured,
                |run| run.cache as f64,
                Some(2),
            ),
        ),
        (
            "memory",
            chart(
                "Figure 4: memory in MB",
                measured,
                |run| run.memory as f64 / 1e6,
                None,
            ),
        ),
    ]
}

/// Heights of the bars of a program: the modes, then the paper's base and address-aware cache.
fn heights(
    program: &Measured,
    value: &impl Fn(&Run) -> f64,
    published: Option<usize>,
) -> Vec<Option<f64>> {
    let own = Mode::ALL.map(|mode| program.run(mode).map(value));
    let mut all = own.to_vec();
    if let Some(figure) = published {
        let known = paper(&program.program, program.model);
        all.extend([Mode::Base, Mode::Aware].map(|mode| {
            let row = published_in(known.as_ref()?, mode)?;
            Some(row[figure] as f64)
        }));
    }
    all
}

/// A bar chart on a logarithmic axis, because programs differ by factors of thousands. It begins at the power of ten below the smallest
/// value, which is a hundredth at the least.
fn chart(
    title: &str,
    measured: &[Measured],
    value: impl Fn(&Run) -> f64,
    published: Option<usize>,
) -> String {
    let rows: Vec<Vec<Option<f64>>> = measured
        .iter()
        .map(|program| heights(program, &value, published))
        .collect();
    let logarithm = |value: f64| value.max(0.01).log10();
    let title = match measured.first() {
        Some(program) => format!("{title}, {} memory model", program.model.name()),
        None => title.to_owned(),
    };
    let all = rows.iter().flatten().flatten();
    let decades = all
        .clone()
        .fold(1.0, |most: f64, &value| most.max(logarithm(value)))
        .ceil();
    let smallest = all.fold(decades, |least: f64, &value| least.min(logarithm(value)));
    // the smallest bar has a height, too
    let lowest = ((smallest - 0.1).floor()).max(-2.0);
    let scale = (HEIGHT - BOTTOM - TOP) / (decades - lowest);
    let bars = Mode::ALL.len() + if published.is_some() { 2 } else { 0 };
    let group = (WIDTH - LEFT) / measured.len().max(1) as f64;
    let bar = group / (bars as f64 + 1.0);
    let floor = HEIGHT - BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<text x=\"{LEFT}\" y=\"16\">{}</text>\n",
        escaped(&title)
    );
    for decade in (lowest as i32)..=(decades as i32) {
        let y = floor - (f64::from(decade) - lowest) * scale;
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{WIDTH}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            10f64.powi(decade)
        );
    }
    for (i, (program, row)) in measured.iter().zip(&rows).enumerate() {
        let left = LEFT + group * i as f64 + bar / 2.0;
        for (j, value) in row.iter().enumerate() {
            let Some(value) = value else { continue };
            let height = (logarithm(*value) - lowest) * scale;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
                left + bar * j as f64,
                floor - height,
                bar * 0.9,
                COLOURS[j]
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            left + group / 2.0 - bar / 2.0,
            floor + 18.0,
            escaped(&program.program)
        );
    }
    legend(&mut svg, bars);
    svg.push_str("</svg>\n");
    svg
}

fn legend(svg: &mut String, bars: usize) {
    let names = Mode::ALL.map(Mode::name);
    let names = names.iter().chain(&["paper: base", "paper: aware"]);
    for (j, name) in names.take(bars).enumerate() {
        let x = LEFT + 110.0 * j as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"32\" r=\"5\" fill=\"{}\"/><text x=\"{:.1}\" y=\"36\">{name}</text>",
            COLOURS[j],
            x + 10.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bar_per_program_and_mode_and_figure_of_the_paper() {
        let run = Run {
            memory: 5_000_000,
            solver: 12,
            ..Run::default()
        };
        let of = |program: &str| Measured {
            program: program.to_owned(),
            model: crate::explore::Model::Forking,
            runs: vec![(Mode::Base, run.clone()), (Mode::Aware, run.clone())],
        };
        let charts = charts(&[of("a<b"), of("apr")]);
        let bars = |name: &str| {
            let found = charts.iter().find(|(known, _)| *known == name);
            found.map(|(_, svg)| svg.matches("<rect").count())
        };
        let queries = charts.iter().find(|(known, _)| *known == "queries");
        let has = |text: &str| queries.is_some_and(|(_, svg)| svg.contains(text));
        assert!(has("forking memory model") && has(">1<") && !has(">0.1<"));
        assert_eq!(bars("queries"), Some(6));
        assert_eq!(bars("memory"), Some(4));
        let all = charts
            .iter()
            .all(|(_, svg)| svg.contains("a&lt;b") && svg.ends_with("</svg>\n"));
        assert!(all);
    }
}
