//! The tables as text and CSV.

use super::{Measured, Mode, Model, Paper, Run, paper};

/// A table: title, header, rows.
struct Table {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The modes that are compared with the base cache.
const RATIOS: [Mode; 2] = [Mode::Aware, Mode::Renamed];

fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn ratio(a: f64, b: f64) -> String {
    if b > 0.0 {
        format!("{:.2}x", a / b)
    } else {
        "-".to_owned()
    }
}

/// The paper's figures as "base/aware ratio".
fn published(program: &Measured, figure: impl Fn(&Paper) -> (u64, u64)) -> String {
    let Some(known) = paper(&program.program, program.model) else {
        return "-".to_owned();
    };
    let (base, aware) = figure(&known);
    let times = ratio(base as f64, aware as f64);
    format!("{}/{} {times}", number(base), number(aware))
}

/// Adds a column with what the paper reports.
fn with_paper(
    mut table: Table,
    measured: &[Measured],
    figure: impl Fn(&Paper) -> (u64, u64),
) -> Table {
    table.header.push("paper: base/aware".to_owned());
    for (row, program) in table.rows.iter_mut().zip(measured) {
        row.push(published(program, &figure));
    }
    table
}

/// One column per mode that was run, and the ratio of base to aware.
fn by_mode(
    title: &str,
    measured: &[Measured],
    cell: impl Fn(&Run) -> String,
    value: impl Fn(&Run) -> f64,
) -> Table {
    let modes: Vec<Mode> = Mode::ALL
        .into_iter()
        .filter(|mode| measured.iter().any(|program| program.run(*mode).is_some()))
        .collect();
    let mut header = vec!["program".to_owned()];
    header.extend(modes.iter().map(|mode| mode.name().to_owned()));
    for mode in RATIOS {
        header.push(format!("base/{}", mode.name()));
    }
    let row = |program: &Measured| {
        let mut row = vec![program.program.clone()];
        for &mode in &modes {
            let run = program.run(mode);
            row.push(run.map_or("-".to_owned(), |run| match run.complete {
                true => cell(run),
                false => format!("{}+", cell(run)),
            }));
        }
        for mode in RATIOS {
            row.push(match (program.run(Mode::Base), program.run(mode)) {
                (Some(base), Some(aware)) if base.compares_with(aware) => {
                    ratio(value(base), value(aware))
                }
                _ => "-".to_owned(),
            });
        }
        row
    };
    Table {
        title: title.to_owned(),
        header,
        rows: measured.iter().map(row).collect(),
    }
}

fn classes(measured: &[Measured]) -> Table {
    let row = |program: &Measured| {
        let run = program
            .run(Mode::Base)
            .or(program.runs.first().map(|(_, run)| run))?;
        let mut row = vec![program.program.clone()];
        row.extend([run.total, run.c1, run.c2, run.c3].map(number));
        let known = paper(&program.program, program.model);
        row.push(known.map_or("-".to_owned(), |known| known.classes.map(number).join(" ")));
        Some(row)
    };
    Table {
        title: "Table II: classes of queries".to_owned(),
        header: [
            "program",
            "total",
            "C1",
            "C2",
            "C3",
            "paper: total C1 C2 C3",
        ]
        .map(str::to_owned)
        .into(),
        rows: measured.iter().filter_map(row).collect(),
    }
}

fn solver_queries(measured: &[Measured]) -> Table {
    let table = by_mode(
        "Table III: queries that reached the solver",
        measured,
        |run| number(run.solver),
        |run| run.solver as f64,
    );
    with_paper(table, measured, |known| known.solver)
}

fn paths(measured: &[Measured]) -> Table {
    let mut table = by_mode("Paths", measured, |run| number(run.paths), |_| 0.0);
    table.header.truncate(table.header.len() - RATIOS.len());
    table.header.push("same paths and coverage".to_owned());
    for (row, program) in table.rows.iter_mut().zip(measured) {
        row.truncate(row.len() - RATIOS.len());
        row.push(if program.agrees() { "yes" } else { "NO" }.to_owned());
    }
    table
}

fn tables(measured: &[Measured]) -> Vec<Table> {
    let seconds = |run: &Run| format!("{:.2}", run.time.as_secs_f64());
    let megabytes = |run: &Run| format!("{:.0}", run.memory as f64 / 1e6);
    vec![
        paths(measured),
        classes(measured),
        solver_queries(measured),
        with_paper(
            by_mode(
                "Table IV: processor time in seconds",
                measured,
                seconds,
                |run| run.time.as_secs_f64(),
            ),
            measured,
            |known| known.seconds,
        ),
        with_paper(
            by_mode(
                "Table V: entries in the query cache",
                measured,
                |run| number(run.cache),
                |run| run.cache as f64,
            ),
            measured,
            |known| known.cache,
        ),
        by_mode("Figure 4: memory in MB", measured, megabytes, |run| {
            run.memory as f64
        }),
    ]
}

/// Whether the address-aware cache saves at least as large a share of the base cache's solver queries as in the paper.
pub fn reductions(measured: &[Measured]) -> String {
    let mut out = String::new();
    for program in measured {
        let runs = (program.run(Mode::Base), program.run(Mode::Renamed));
        let known = paper(&program.program, program.model);
        let (
            Some(Paper {
                solver: published, ..
            }),
            (Some(base), Some(aware)),
        ) = (known, runs)
        else {
            continue;
        };
        let holds = base.solver > 0
            && base.compares_with(aware)
            && base.solver * published.1 >= published.0 * aware.solver;
        out.push_str(&format!(
            "{} ({}): {} as many solver queries with the base cache as with the address-aware one (paper: {}): {}\n",
            program.program,
            program.model.name(),
            ratio(base.solver as f64, aware.solver as f64),
            ratio(published.0 as f64, published.1 as f64),
            if holds { "ok" } else { "MISSED" }
        ));
    }
    out
}

/// The average reduction in each model, beside the paper's.
pub fn averages(measured: &[Measured]) -> String {
    let mut out = String::new();
    for model in Model::ALL {
        let own = |program: &&Measured| program.model == model;
        let ratio = |program: &Measured| {
            paper(&program.program, model)?;
            let (base, aware) = (program.run(Mode::Base)?, program.run(Mode::Renamed)?);
            let ratio = base.solver as f64 / aware.solver.max(1) as f64;
            (base.solver > 0 && base.compares_with(aware)).then_some(ratio)
        };
        let ratios: Vec<f64> = measured.iter().filter(own).filter_map(ratio).collect();
        if ratios.is_empty() {
            continue;
        }
        let average = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let paper = match model {
            Model::Forking => 5.11,
            Model::Segmented => 4.48,
        };
        out.push_str(&format!(
            "{}: {average:.2}x fewer solver queries on average of {} programs (paper: {paper:.2}x): {}\n",
            model.name(),
            ratios.len(),
            if average >= paper { "ok" } else { "MISSED" }
        ));
    }
    out
}

/// How many hits were solved again under `--validate`, and how many of them the solver contradicted.
pub fn validation(measured: &[Measured]) -> String {
    let mut out = String::new();
    for model in Model::ALL {
        let own = measured.iter().filter(|program| program.model == model);
        let runs = own.flat_map(|program| program.runs.iter().map(|(_, run)| run));
        let (again, contradicted) = runs.fold((0, 0), |(again, contradicted), run| {
            (again + run.validated, contradicted + run.mismatches)
        });
        if again > 0 {
            out.push_str(&format!(
                "{}: {} hits solved again, {contradicted} mismatches: {}\n",
                model.name(),
                number(again),
                if contradicted == 0 { "ok" } else { "MISSED" }
            ));
        }
    }
    out
}

/// All tables of both models, aligned; `+` marks a run that was stopped by a limit.
pub fn text(measured: &[Measured]) -> String {
    let mut out = String::new();
    for model in Model::ALL {
        let own: Vec<Measured> = measured
            .iter()
            .filter(|program| program.model == model)
            .cloned()
            .collect();
        if !own.is_empty() {
            out.push_str(&format!("Memory model: {}\n\n", model.name()));
            out.push_str(&text_of(&own));
        }
    }
    out
}

fn text_of(measured: &[Measured]) -> String {
    let mut out = String::new();
    for table in tables(measured) {
        let width = |column: usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(column));
            let cells = cells.chain(table.header.get(column));
            cells.map(|cell| cell.len()).max().unwrap_or(0)
        };
        let line = |cells: &[String]| {
            let cell = |(column, cell): (usize, &String)| match column {
                0 => format!("{cell:<width$}", width = width(0)),
                _ => format!("  {cell:>width$}", width = width(column)),
            };
            cells.iter().enumerate().map(cell).collect::<String>()
        };
        out.push_str(&format!("{}\n  {}\n", table.title, line(&table.header)));
        for row in &table.rows {
            out.push_str(&format!("  {}\n", line(row)));
        }
        out.push('\n');
    }
    out
}

/// The paper's solver queries, seconds and cache entries in a mode.
pub(super) fn published_in(known: &Paper, mode: Mode) -> Option<[u64; 3]> {
    let pairs = [known.solver, known.seconds, known.cache];
    match mode {
        Mode::Base => Some(pairs.map(|pair| pair.0)),
        Mode::Aware => Some(pairs.map(|pair| pair.1)),
        Mode::Off | Mode::Renamed => None,
    }
}

/// Everything measured, one row per program and mode, with the paper's figures where it has the mode.
pub fn csv(measured: &[Measured]) -> String {
    let mut out = String::from(
        "program,model,mode,complete,paths,errors,covered,instructions,total,c1,c2,c3,solver,cache,\
         layout_dependent,uncertified,validated,mismatches,seconds,solver_seconds,memory_bytes,\
         paper_solver,paper_seconds,paper_cache\n",
    );
    for program in measured {
        for (mode, run) in &program.runs {
            let numbers = [
                run.paths,
                run.errors,
                run.covered,
                run.instructions,
                run.total,
                run.c1,
                run.c2,
                run.c3,
                run.solver,
                run.cache,
                run.layout_dependent,
                run.uncertified,
                run.validated,
                run.mismatches,
            ];
            let known = paper(&program.program, program.model);
            let published = known.and_then(|known| published_in(&known, *mode));
            let published = published.map_or(",,".to_owned(), |row| {
                row.map(|figure| figure.to_string()).join(",")
            });
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            out.push_str(&format!(
                "{},{},{},{},{},{:.3},{:.3},{},{published}\n",
                program.program,
                program.model.name(),
                mode.name(),
                run.complete,
                numbers.join(","),
                run.time.as_secs_f64(),
                run.solver_time.as_secs_f64(),
                run.memory
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::time::Duration;

    #[test]
    fn tables_are_aligned() {
        let run = |solver, cache| Run {
            paths: 1024,
            total: 5000,
            c1: 4000,
            c2: 3000,
            c3: 2000,
            solver,
            cache,
            complete: true,
            time: Duration::from_millis(1500),
            memory: 80_000_000,
            ..Run::default()
        };
        let measured = [Measured {
            program: "apr".to_owned(),
            model: Model::Forking,
            runs: vec![(Mode::Base, run(3000, 900)), (Mode::Aware, run(1500, 300))],
        }];
        expect![[r#"
            Memory model: forking

            Paths
              program   base  aware  same paths and coverage
              apr      1,024  1,024                      yes

            Table II: classes of queries
              program  total     C1     C2     C3     paper: total C1 C2 C3
              apr      5,000  4,000  3,000  2,000  15,013 8,960 8,960 8,448

            Table III: queries that reached the solver
              program   base  aware  base/aware  base/renamed  paper: base/aware
              apr      3,000  1,500       2.00x             -      445/300 1.48x

            Table IV: processor time in seconds
              program  base  aware  base/aware  base/renamed  paper: base/aware
              apr      1.50   1.50       1.00x             -  3,453/2,345 1.47x

            Table V: entries in the query cache
              program  base  aware  base/aware  base/renamed  paper: base/aware
              apr       900    300       3.00x             -      496/279 1.78x

            Figure 4: memory in MB
              program  base  aware  base/aware  base/renamed
              apr        80     80       1.00x             -

        "#]]
        .assert_eq(&text(&measured));
        assert_eq!(csv(&measured).lines().count(), 3);
    }
}
