//! The tables and figures of [RTC §6] and its appendix, from one set of measurements.
//!
//! Each of the seven programs inserts N elements. Measured are: no checks, checks without a cache, and checks with a
//! direct-mapped or least-recently-used cache of 32 to 256 entries and a depth limit of 1, 2 or none.

use crate::plot::{Chart, Series, page};
use crate::prolog::{Bench, Measured};
use std::io::Write;
use std::path::Path;

/// The programs, in the paper's order.
pub const PROGRAMS: [&str; 7] = [
    "amqueue", "set", "avltree", "heap", "btree", "rbtree", "tree",
];

const SIZES: [u32; 4] = [32, 64, 128, 256];
/// 0 is no limit.
const DEPTHS: [u32; 3] = [1, 2, 0];
const POLICIES: [&str; 2] = ["dm", "lru"];
const NS: [u32; 5] = [50, 100, 250, 500, 1000];

struct Row {
    program: &'static str,
    n: u32,
    policy: &'static str,
    size: u32,
    depth: u32,
    measured: Measured,
}

/// Measures everything and writes `rtc.csv`, `table1.txt` and the figures into `directory`.
///
/// Each time is the least of so many blocks of so many seconds.
pub fn reproduce(
    bench: &Bench,
    how: (u32, f64),
    directory: &Path,
    out: &mut dyn Write,
) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|e| e.to_string())?;
    let rows = measure(bench, how, out)?;
    write(directory, "rtc.csv", &csv(&rows))?;
    let table = table_1(&rows);
    write(directory, "table1.txt", &table)?;
    say(out, &table)?;
    figures(&rows, directory)?;
    say(out, &format!("written to {}", directory.display()))
}

fn measure(bench: &Bench, how: (u32, f64), out: &mut dyn Write) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for program in PROGRAMS {
        for n in NS {
            let mut add = |policy: &'static str, size, depth, options: &[&str]| {
                let mut measured = bench.checked(program, n, options, how)?;
                if policy != "none" {
                    measured.max_depth = bench.deepest(program, n, options)?;
                }
                rows.push(Row {
                    program,
                    n,
                    policy,
                    size,
                    depth,
                    measured,
                });
                Ok::<(), String>(())
            };
            add("none", 0, 0, &["--checks", "off"])?;
            let off = ["--checks", "all", "--property-cache-policy", "off"];
            add("uncached", 0, 0, &off)?;
            for policy in POLICIES {
                for size in SIZES {
                    for depth in DEPTHS {
                        let options = [
                            "--checks",
                            "all",
                            "--property-cache-policy",
                            policy,
                            "--property-cache-size",
                            &size.to_string(),
                            "--property-cache-depth",
                            &depth.to_string(),
                        ];
                        add(policy, size, depth, &options)?;
                    }
                }
            }
        }
        say(out, &format!("measured {program}"))?;
    }
    Ok(rows)
}

fn csv(rows: &[Row]) -> String {
    let mut text = "program,n,policy,size,depth,ms,max_depth\n".to_string();
    for row in rows {
        text.push_str(&format!(
            "{},{},{},{},{},{:.4},{}\n",
            row.program,
            row.n,
            row.policy,
            row.size,
            depth_name(row.depth),
            row.measured.ms,
            row.measured.max_depth
        ));
    }
    text
}

fn depth_name(depth: u32) -> String {
    match depth {
        0 => "inf".to_string(),
        limit => limit.to_string(),
    }
}

/// The measurement with these settings.
fn find(rows: &[Row], program: &str, n: u32, policy: &str, size: u32, depth: u32) -> Measured {
    rows.iter()
        .find(|r| {
            r.program == program
                && r.n == n
                && r.policy == policy
                && r.size == size
                && r.depth == depth
        })
        .map_or(Measured::default(), |r| r.measured)
}

/// [RTC Table 1]: the better policy for each size and depth limit, and the range of the worst-case depth.
fn table_1(rows: &[Row]) -> String {
    let mut text = format!("{:<10}", "size");
    for program in PROGRAMS {
        text.push_str(&format!("{program:>12}"));
    }
    text.push_str(&format!("\n{:<10}", "depth"));
    for _ in PROGRAMS {
        text.push_str(&format!("{:>12}", "2  inf"));
    }
    text.push('\n');
    for size in SIZES.iter().rev() {
        text.push_str(&format!("{size:<10}"));
        for program in PROGRAMS {
            let better = [2, 0].map(|depth| {
                let total = |policy: &str| -> f64 {
                    NS.iter()
                        .map(|&n| find(rows, program, n, policy, *size, depth).ms)
                        .sum()
                };
                if total("dm") <= total("lru") {
                    "D"
                } else {
                    "L"
                }
            });
            text.push_str(&format!(
                "{:>12}",
                format!("{}    {}", better[0], better[1])
            ));
        }
        text.push('\n');
    }
    for (policy, name) in [("dm", "DM"), ("lru", "LRU")] {
        text.push_str(&format!("{:<10}", format!("max {name}")));
        for program in PROGRAMS {
            let depths = rows
                .iter()
                .filter(|r| r.program == program && r.policy == policy && r.depth != 1)
                .filter(|r| r.n == NS[NS.len() - 1])
                .map(|r| r.measured.max_depth);
            let (least, most) = depths.fold((u64::MAX, 0), |(a, b), d| (a.min(d), b.max(d)));
            text.push_str(&format!("{:>12}", format!("[{least}:{most}]")));
        }
        text.push('\n');
    }
    text
}

fn figures(rows: &[Row], directory: &Path) -> Result<(), String> {
    let draw = |name: &str, charts: Vec<Chart>| write(directory, name, &page(&charts));
    let by_depth = |policy: &str, size: u32| -> Vec<Chart> {
        DEPTHS
            .iter()
            .map(|&depth| overhead_of_all(rows, policy, size, depth))
            .collect()
    };
    let mut first = by_depth("dm", 256);
    first.extend(by_depth("lru", 256));
    draw("figure1.svg", first)?;
    draw("figure2.svg", times(rows, "heap", "lru"))?;
    draw(
        "figure3.svg",
        vec![
            depths_of(rows, &["avltree", "heap"], "lru"),
            depths_of(rows, &["btree", "rbtree"], "dm"),
        ],
    )?;
    for (policy, first) in [("lru", 1), ("dm", 5)] {
        let all: Vec<Chart> = SIZES
            .iter()
            .flat_map(|&size| by_depth(policy, size))
            .collect();
        draw(&format!("figureA{first}.svg"), all)?;
        let each = PROGRAMS
            .iter()
            .flat_map(|p| DEPTHS.map(|depth| overhead_of_one(rows, p, policy, depth)))
            .collect();
        draw(&format!("figureA{}.svg", first + 1), each)?;
        let depths = PROGRAMS
            .iter()
            .map(|p| max_depth_of_one(rows, p, policy))
            .collect();
        draw(&format!("figureA{}.svg", first + 2), depths)?;
        let absolute = PROGRAMS
            .iter()
            .flat_map(|p| times(rows, p, policy))
            .collect();
        draw(&format!("figureA{}.svg", first + 3), absolute)?;
    }
    Ok(())
}

fn over_n(name: &str, value: impl Fn(u32) -> f64) -> Series {
    Series {
        name: name.to_string(),
        points: NS.iter().map(|&n| (f64::from(n), value(n))).collect(),
    }
}

fn chart(title: String, y_label: &str, log_y: bool, series: Vec<Series>) -> Chart {
    Chart {
        title,
        x_label: "N".to_string(),
        y_label: y_label.to_string(),
        log_y,
        series,
    }
}

fn ratio(rows: &[Row], program: &str, n: u32, policy: &str, size: u32, depth: u32) -> f64 {
    let base = find(rows, program, n, "none", 0, 0).ms;
    find(rows, program, n, policy, size, depth).ms / base.max(1e-6)
}

fn overhead_of_all(rows: &[Row], policy: &str, size: u32, depth: u32) -> Chart {
    let series = PROGRAMS
        .iter()
        .map(|p| over_n(p, |n| ratio(rows, p, n, policy, size, depth)))
        .collect();
    let title = format!(
        "overhead, {policy}, {size} entries, depth limit {}",
        depth_name(depth)
    );
    chart(title, "times the run without checks", false, series)
}

fn overhead_of_one(rows: &[Row], program: &str, policy: &str, depth: u32) -> Chart {
    let series = SIZES
        .iter()
        .map(|&size| {
            over_n(&size.to_string(), |n| {
                ratio(rows, program, n, policy, size, depth)
            })
        })
        .collect();
    let title = format!(
        "{program}: overhead, {policy}, depth limit {}",
        depth_name(depth)
    );
    chart(title, "times the run without checks", false, series)
}

fn max_depth_of_one(rows: &[Row], program: &str, policy: &str) -> Chart {
    let mut series = Vec::new();
    for size in [32, 256] {
        for depth in DEPTHS {
            let name = format!("{size}, {}", depth_name(depth));
            series.push(over_n(&name, |n| {
                find(rows, program, n, policy, size, depth).max_depth as f64
            }));
        }
    }
    chart(
        format!("{program}: deepest check, {policy}"),
        "depth",
        false,
        series,
    )
}

fn depths_of(rows: &[Row], programs: &[&str], policy: &str) -> Chart {
    let mut series = Vec::new();
    for program in programs {
        for depth in [2, 0] {
            let name = format!("{program} {}", depth_name(depth));
            series.push(over_n(&name, |n| {
                find(rows, program, n, policy, 256, depth).max_depth as f64
            }));
        }
    }
    chart(
        format!("deepest check, {policy}, 256 entries"),
        "depth",
        false,
        series,
    )
}

/// Absolute times and ratios with 256 entries and depth limit 2.
fn times(rows: &[Row], program: &str, policy: &str) -> Vec<Chart> {
    let ms = |n, kind: &str, size, depth| find(rows, program, n, kind, size, depth).ms;
    let absolute = vec![
        over_n("no checks", |n| ms(n, "none", 0, 0)),
        over_n("no cache", |n| ms(n, "uncached", 0, 0)),
        over_n(policy, |n| ms(n, policy, 256, 2)),
    ];
    let relative = vec![
        over_n("no cache", |n| ratio(rows, program, n, "uncached", 0, 0)),
        over_n(policy, |n| ratio(rows, program, n, policy, 256, 2)),
    ];
    vec![
        chart(format!("{program}: time, {policy}"), "ms", true, absolute),
        chart(
            format!("{program}: slowdown, {policy}"),
            "times the run without checks",
            true,
            relative,
        ),
    ]
}

fn write(directory: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = directory.join(name);
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn say(out: &mut dyn Write, text: &str) -> Result<(), String> {
    writeln!(out, "{text}").map_err(|e| e.to_string())
}
