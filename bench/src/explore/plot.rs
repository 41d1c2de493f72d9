//! Figure 4 as SVG: memory by program, one bar per mode.

use super::{Measured, Mode};
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 30.0;
const COLOURS: [&str; 4] = ["#bbbbbb", "#4477aa", "#ee6677", "#228833"];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A bar chart of the memory used.
pub fn memory_chart(measured: &[Measured]) -> String {
    let megabytes =
        |program: &Measured, mode| program.run(mode).map_or(0.0, |run| run.memory as f64 / 1e6);
    let all = measured
        .iter()
        .flat_map(|program| Mode::ALL.map(|mode| megabytes(program, mode)));
    let highest = all.fold(1.0, f64::max);
    let scale = (HEIGHT - BOTTOM - TOP) / highest;
    let group = (WIDTH - LEFT) / measured.len().max(1) as f64;
    let bar = group / (Mode::ALL.len() as f64 + 1.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n"
    );
    let floor = HEIGHT - BOTTOM;
    for step in 0..=4 {
        let value = highest * f64::from(step) / 4.0;
        let y = floor - value * scale;
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{WIDTH}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.0}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    for (i, program) in measured.iter().enumerate() {
        let left = LEFT + group * i as f64 + bar / 2.0;
        for (j, mode) in Mode::ALL.into_iter().enumerate() {
            let height = megabytes(program, mode) * scale;
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
    for (j, mode) in Mode::ALL.into_iter().enumerate() {
        let x = LEFT + 90.0 * j as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"8\" width=\"10\" height=\"10\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"17\">{}</text>",
            COLOURS[j],
            x + 14.0,
            mode.name()
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Run;

    #[test]
    fn one_bar_per_program_and_mode() {
        let run = Run {
            memory: 5_000_000,
            ..Run::default()
        };
        let measured = [Measured {
            program: "a<b".to_owned(),
            model: crate::explore::Model::Forking,
            runs: vec![(Mode::Base, run.clone()), (Mode::Aware, run)],
        }];
        let svg = memory_chart(&measured);
        assert_eq!(svg.matches("<rect").count(), 2 * Mode::ALL.len());
        assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>\n"));
    }
}
