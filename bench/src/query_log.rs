//! The queries of an exploration: how long each took on the processor, and a sample of them as SMT-LIB text for other solvers.

use crate::solve_expand::Expand;
use cpu_time::ThreadTime;
use std::cell::RefCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use stet_solve::{Outcome, QueryLog};
use stet_term::{Printer, Term, Terms};

/// Queries of a program that are given to other solvers: a sample of about this size,
const SAMPLE: usize = 200;
/// and all those that took longer than this.
const SLOW: Duration = Duration::from_millis(200);

/// Times queries, and writes some of them.
pub struct Timed {
    asked: Option<ThreadTime>,
    /// Time that answers took.
    pub solving: Duration,
    /// Time that printing took.
    pub writing: Duration,
    directory: Option<PathBuf>,
    number: usize,
    stride: usize,
    /// Numbers of the sample, and of the slow ones, with times and verdicts.
    written: Vec<(usize, f64, &'static str)>,
}

impl Timed {
    /// Queries are written to `directory`, if there is one.
    pub fn new(directory: Option<&Path>) -> Self {
        Timed {
            asked: None,
            solving: Duration::ZERO,
            writing: Duration::ZERO,
            directory: directory.map(Path::to_path_buf),
            number: 0,
            stride: 1,
            written: Vec::new(),
        }
    }

    /// The log of an engine.
    pub fn log(times: &Rc<RefCell<Timed>>) -> QueryLog {
        let times = times.clone();
        Rc::new(RefCell::new(
            move |terms: &Terms, constraints: &[Term], outcome: Option<&Outcome>| {
                let mut times = times.borrow_mut();
                match outcome {
                    None => times.asked = Some(ThreadTime::now()),
                    Some(outcome) => times.answered(terms, constraints, outcome),
                }
            },
        ))
    }

    fn answered(&mut self, terms: &Terms, constraints: &[Term], outcome: &Outcome) {
        let time = self.asked.take().map_or(Duration::ZERO, |at| at.elapsed());
        self.solving += time;
        self.number += 1;
        let Some(directory) = &self.directory else {
            return;
        };
        if !self.number.is_multiple_of(self.stride) && time < SLOW {
            return;
        }
        let start = ThreadTime::now();
        let expanded = Expand::new(terms).all(constraints);
        let script = format!(
            "(set-logic QF_ABV)\n{}(check-sat)\n",
            Printer::new(terms).script(&expanded)
        );
        // what cannot be written is missing when the peers are asked
        let _ = std::fs::write(directory.join(format!("{:08}.smt2", self.number)), script);
        let verdict = match outcome {
            Outcome::Sat(_) => "sat",
            Outcome::Unsat => "unsat",
            Outcome::Unknown(_) => "unknown",
        };
        self.written
            .push((self.number, time.as_secs_f64(), verdict));
        if self.written.len() > 2 * SAMPLE {
            self.thin_out();
        }
        self.writing += start.elapsed();
    }

    /// Drops every second of the sample, and keeps the slow ones.
    fn thin_out(&mut self) {
        self.stride *= 2;
        let (stride, directory) = (self.stride, self.directory.clone());
        self.written.retain(|&(number, time, _)| {
            let keeps = number.is_multiple_of(stride) || time >= SLOW.as_secs_f64();
            if let (false, Some(directory)) = (keeps, &directory) {
                let _ = std::fs::remove_file(directory.join(format!("{number:08}.smt2")));
            }
            keeps
        });
    }

    /// Writes times and verdicts beside the queries.
    pub fn finish(&self) -> Result<(), String> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let mut text = String::new();
        for (_, time, verdict) in &self.written {
            let _ = writeln!(text, "{verdict} {time:.9}");
        }
        std::fs::write(directory.join("own"), text).map_err(|error| error.to_string())
    }
}
