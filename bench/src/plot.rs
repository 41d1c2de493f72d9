//! Line charts as SVG text: axes with round numbers, one colour per series, a legend.

use std::fmt::Write as _;

pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in order of x.
    pub points: Vec<(f64, f64)>,
}

pub struct Chart {
    pub title: String,
    /// Below the x axis.
    pub x_label: String,
    /// Beside the y axis.
    pub y_label: String,
    /// Whether y is drawn logarithmically.
    pub log_y: bool,
    pub series: Vec<Series>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
const COLOURS: [&str; 8] = [
    "#1b6ca8", "#c0392b", "#1e8449", "#8e44ad", "#d68910", "#117a65", "#7b241c", "#34495e",
];

/// Draws several charts below each other.
pub fn page(charts: &[Chart]) -> String {
    let height = HEIGHT * charts.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n"
    );
    for (index, chart) in charts.iter().enumerate() {
        let _ = writeln!(
            out,
            "<g transform=\"translate(0,{})\">",
            HEIGHT * index as f64
        );
        draw(&mut out, chart);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, chart: &Chart) {
    let points = || chart.series.iter().flat_map(|s| s.points.iter().copied());
    let x_max = points().map(|p| p.0).fold(1.0, f64::max);
    let y_top = points().map(|p| p.1).fold(1e-9, f64::max);
    let y_least = points()
        .map(|p| p.1)
        .filter(|y| *y > 0.0)
        .fold(f64::MAX, f64::min);
    let (low, high) = if chart.log_y {
        let low = y_least.min(y_top).log10().floor();
        (low, y_top.log10().ceil().max(low + 1.0))
    } else {
        (0.0, round_up(y_top))
    };
    let x_at = |x: f64| LEFT + x / x_max * (WIDTH - LEFT - RIGHT);
    let y_at = |y: f64| {
        let value = if chart.log_y { y.max(1e-9).log10() } else { y };
        HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
    };
    let _ = writeln!(
        out,
        "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"13\">{}</text>",
        escape(&chart.title)
    );
    axes(out, chart, x_max, (low, high), &x_at, &y_at);
    for (index, series) in chart.series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let path: Vec<String> = series
            .points
            .iter()
            .map(|&(x, y)| format!("{:.1},{:.1}", x_at(x), y_at(y)))
            .collect();
        let y = TOP + 14.0 * index as f64;
        let x = WIDTH - RIGHT + 10.0;
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>\
             <line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            path.join(" "),
            x + 14.0,
            x + 18.0,
            y + 4.0,
            escape(&series.name)
        );
    }
}

fn axes(
    out: &mut String,
    chart: &Chart,
    x_max: f64,
    (low, high): (f64, f64),
    x_at: &dyn Fn(f64) -> f64,
    y_at: &dyn Fn(f64) -> f64,
) {
    let bottom = HEIGHT - BOTTOM;
    let right = WIDTH - RIGHT;
    let _ = writeln!(
        out,
        "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>"
    );
    for step in 0..=4 {
        let x = x_max * f64::from(step) / 4.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{x:.0}</text>",
            x_at(x),
            bottom + 16.0
        );
        let value = low + (high - low) * f64::from(step) / 4.0;
        let y = if chart.log_y {
            10_f64.powf(value)
        } else {
            value
        };
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <path d=\"M{LEFT} {:.1}H{right}\" stroke=\"#dddddd\"/>",
            LEFT - 6.0,
            y_at(y) + 4.0,
            number(y),
            y_at(y)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text transform=\"translate(14,{}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 10.0,
        escape(&chart.x_label),
        (TOP + bottom) / 2.0,
        escape(&chart.y_label)
    );
}

fn round_up(value: f64) -> f64 {
    let unit = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        .iter()
        .map(|m| m * unit)
        .find(|limit| *limit >= value)
        .unwrap_or(value)
}

fn number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_complete_and_its_lines_stay_inside() {
        let chart = Chart {
            title: "a < b".to_string(),
            x_label: "N".to_string(),
            y_label: "ratio".to_string(),
            log_y: true,
            series: vec![Series {
                name: "one".to_string(),
                points: vec![(1.0, 2.0), (100.0, 350.0)],
            }],
        };
        let svg = page(&[chart]);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b"));
        let line = svg.split("points=\"").nth(1).expect("a line");
        for pair in line.split('"').next().expect("points").split(' ') {
            let (x, y) = pair.split_once(',').expect("a point");
            let (x, y): (f64, f64) = (x.parse().expect("x"), y.parse().expect("y"));
            assert!((LEFT..=WIDTH - RIGHT).contains(&x) && (TOP..=HEIGHT - BOTTOM).contains(&y));
        }
    }
}
