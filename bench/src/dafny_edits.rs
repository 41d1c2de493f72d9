//! Edit sessions on Dafny text, verified without reuse, with reuse of whole implementations, and with reuse of single checks.
//!
//! A session works on one member for some edits, then on another: it asserts facts, makes mistakes and repairs them, changes
//! numbers, repeats invariants and specifications, renames locals, adds comments and changes the layout. An edit that the
//! front end rejects is not made; one that does not verify, without being meant as a mistake, is taken back by the next.

use crate::verify_bookkeeping::children;
use cpu_time::ProcessTime;
use std::time::Duration;
use stet_base::Stopwatch;
use stet_fuzz::dafny::hints::members;
use stet_fuzz::dafny::subject::{Fate, Finding, Verifier};
use stet_testkit::Random;
use stet_verify::Caching;

/// The time of one snapshot in each configuration, and whether verdicts agree.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Programs with a session.
    pub sessions: usize,
    pub edits: usize,
    /// CPU seconds, provers included, without reuse, with basic and with fine reuse, for what all of them decide.
    pub seconds: [f64; 3],
    /// The same for edits after which something fails.
    pub failing: [f64; 3],
    /// Checks the prover was asked about, in the same order.
    pub asked: [usize; 3],
    /// Milliseconds from an edit to all verdicts, with fine reuse.
    pub waits: Vec<f64>,
    /// Snapshots in which some configuration gave up on something.
    pub undecided: usize,
    /// Snapshots whose verdicts differ.
    pub differences: Vec<String>,
}

impl Tally {
    /// The median wait.
    pub fn median(&self) -> f64 {
        let mut waits = self.waits.clone();
        waits.sort_by(f64::total_cmp);
        waits.get(waits.len() / 2).copied().unwrap_or(0.0)
    }
}

/// The three configurations.
pub struct Trio {
    verifiers: [Verifier; 3],
}

impl Trio {
    /// Three verifiers; nothing if there is no prover.
    pub fn new(limit: Duration) -> Option<Trio> {
        let kinds = [Caching::Off, Caching::Basic, Caching::Fine];
        let made: Vec<Verifier> = kinds
            .iter()
            .map(|caching| Verifier::reusing(limit, *caching))
            .collect::<Option<_>>()?;
        let verifiers = made.try_into().ok()?;
        Some(Trio { verifiers })
    }

    /// Whether a program verifies to begin with.
    pub fn verifies(&self, name: &str, text: &str) -> bool {
        self.verifiers[0].check(name, text).fate == Fate::Verified
    }

    /// Plays a session; `None` if the program does not verify to begin with.
    pub fn play(
        &mut self,
        name: &str,
        text: &str,
        edits: usize,
        seed: u64,
        tally: &mut Tally,
    ) -> Option<()> {
        let mut session = Session::new(name, text, seed);
        for verifier in &mut self.verifiers {
            verifier.forget();
            if verifier.check(name, text).fate != Fate::Verified {
                return None;
            }
        }
        tally.sessions += 1;
        for _ in 0..edits {
            if !session.edit(&self.verifiers[0]) {
                break;
            }
            let text = session.text();
            let mut found = Vec::new();
            let mut times = [0.0; 3];
            let mut wait = 0.0;
            for (verifier, time) in self.verifiers.iter().zip(&mut times) {
                let clock = Stopwatch::start();
                let (own, provers) = (ProcessTime::now(), children());
                found.push(verifier.check(name, &text));
                // A prover that was ended is not counted any more.
                let provers = (children() - provers).max(0.0) / 1e3;
                *time = own.elapsed().as_secs_f64() + provers;
                wait = clock.elapsed().as_secs_f64() * 1e3;
            }
            tally.waits.push(wait);
            session.fails = found[0].fate != Fate::Verified;
            tally.add(name, &text, &found, times);
        }
        Some(())
    }
}

impl Tally {
    fn add(&mut self, name: &str, text: &str, found: &[Finding], times: [f64; 3]) {
        self.edits += 1;
        if found.iter().any(|f| f.fate == Fate::Undecided) {
            self.undecided += 1;
            return;
        }
        for (i, finding) in found.iter().enumerate() {
            self.seconds[i] += times[i];
            if found[0].fate != Fate::Verified {
                self.failing[i] += times[i];
            }
            self.asked[i] += finding.asked;
        }
        for (which, finding) in [("basic", &found[1]), ("fine", &found[2])] {
            let mut pair = [verdicts(&found[0]), verdicts(finding)];
            pair.iter_mut().for_each(|v| v.sort());
            if pair[0] != pair[1] {
                let [fresh, reused] = pair;
                self.differences.push(format!(
                    "{name}: {which}: {reused:?} instead of {fresh:?}\n{text}"
                ));
            }
        }
    }
}

fn verdicts(finding: &Finding) -> Vec<String> {
    let errors = finding.lines.iter().filter(|l| l.contains("Error"));
    errors.cloned().chain([finding.trailer.clone()]).collect()
}

struct Session {
    name: String,
    lines: Vec<String>,
    random: Random,
    /// The text to go back to, after a mistake or an edit that does not verify.
    before: Option<Vec<String>>,
    fails: bool,
    /// The member that is edited, by its number, and for how many more edits.
    member: u64,
    stays: u64,
}

impl Session {
    fn new(name: &str, text: &str, seed: u64) -> Session {
        let mut random = Random::new(seed);
        let member = random.bits();
        Session {
            name: name.to_owned(),
            lines: text.lines().map(str::to_owned).collect(),
            random,
            before: None,
            fails: false,
            member,
            stays: 4,
        }
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    /// Makes an edit that the front end accepts; false if none was found.
    fn edit(&mut self, verifier: &Verifier) -> bool {
        if let Some(before) = self.before.take()
            && self.fails
        {
            self.lines = before;
            return true;
        }
        if self.stays == 0 {
            self.member = self.random.bits();
            self.stays = 2 + self.random.below(4);
        }
        self.stays -= 1;
        let members = members(&self.name, &self.text());
        if members.is_empty() {
            return false;
        }
        for _ in 0..40 {
            let (_, first, last) = members[(self.member % members.len() as u64) as usize];
            let last = last.min(self.lines.len());
            let before = self.lines.clone();
            if self.change(first.saturating_sub(1), last)
                && verifier.accepts(&self.name, &self.text())
            {
                self.before = Some(before);
                return true;
            }
            self.lines = before;
            self.member = match self.random.one_in(3) {
                true => self.random.bits(),
                false => self.member,
            };
        }
        false
    }

    /// Changes something in these lines.
    fn change(&mut self, first: usize, last: usize) -> bool {
        match self.random.below(10) {
            0 | 1 => {
                let fact = self.condition(first, last).unwrap_or("0 <= 1".to_owned());
                self.insert_statement(first, last, &format!("assert {fact};"))
            }
            2 => self.insert_statement(first, last, "assert 0 == 1;"),
            3 | 4 => self.change_number(first, last),
            5 => self.repeat(first, last, &["invariant "]),
            6 => self.repeat(first, last, &["requires ", "ensures "]),
            7 => self.rename(first, last),
            8 => {
                let at = self.place(first, last);
                self.lines
                    .insert(at, "  // a remark: { assert false; }".to_owned());
                true
            }
            _ => {
                let at = self.place(first, last);
                let line = self.lines.get(at).map(|l| format!("  {l}"));
                line.map(|line| self.lines[at] = line).is_some()
            }
        }
    }

    fn place(&mut self, first: usize, last: usize) -> usize {
        first + self.random.below((last - first).max(1) as u64) as usize
    }

    fn pick(&mut self, first: usize, last: usize, wanted: &dyn Fn(&str) -> bool) -> Option<usize> {
        let places: Vec<usize> = (first..last.min(self.lines.len()))
            .filter(|at| wanted(self.lines[*at].trim()))
            .collect();
        match places.is_empty() {
            true => None,
            false => Some(self.random.pick(&places)),
        }
    }

    /// A condition of a specification on one line.
    fn condition(&mut self, first: usize, last: usize) -> Option<String> {
        let words = ["requires ", "invariant "];
        let at = self.pick(first, last, &|l| words.iter().any(|w| l.starts_with(w)))?;
        let line = self.lines[at].trim();
        let condition = words.iter().find_map(|w| line.strip_prefix(w))?;
        let condition = condition.split("//").next().unwrap_or(condition);
        Some(condition.trim_end_matches(';').trim().to_owned())
    }

    fn insert_statement(&mut self, first: usize, last: usize, statement: &str) -> bool {
        let is_statement = |l: &str| {
            l.ends_with(';')
                && (l.contains(":=") || l.starts_with("var ") || l.starts_with("assert "))
        };
        let Some(at) = self.pick(first, last, &is_statement) else {
            return false;
        };
        let at = at + usize::from(self.random.one_in(2));
        self.lines.insert(at, format!("    {statement}"));
        true
    }

    fn change_number(&mut self, first: usize, last: usize) -> bool {
        let has_number = |l: &str| l.contains(":=") && l.contains(|c: char| c.is_ascii_digit());
        let Some(at) = self.pick(first, last, &has_number) else {
            return false;
        };
        let line = &self.lines[at];
        let from = line.find(":=").unwrap_or(0);
        let Some(digit) = line[from..].find(|c: char| c.is_ascii_digit()) else {
            return false;
        };
        let digit = from + digit;
        let next = if line[digit..].starts_with('9') {
            "8"
        } else {
            "9"
        };
        let changed = format!("{}{next}{}", &line[..digit], &line[digit + 1..]);
        self.lines[at] = changed;
        true
    }

    fn repeat(&mut self, first: usize, last: usize, words: &[&str]) -> bool {
        let Some(at) = self.pick(first, last, &|l| words.iter().any(|w| l.starts_with(w))) else {
            return false;
        };
        let line = self.lines[at].clone();
        self.lines.insert(at, line);
        true
    }

    /// Renames a local everywhere in the member.
    fn rename(&mut self, first: usize, last: usize) -> bool {
        let Some(at) = self.pick(first, last, &|l| l.starts_with("var ") && l.contains(":="))
        else {
            return false;
        };
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let rest = self.lines[at]
            .trim()
            .trim_start_matches("var ")
            .trim_start();
        let name: String = rest.chars().take_while(|c| is_part(*c)).collect();
        if name.is_empty() {
            return false;
        }
        for line in &mut self.lines[first..last] {
            let mut made = String::new();
            let mut word = String::new();
            for c in line.chars().chain(['\n']) {
                if is_part(c) {
                    word.push(c);
                    continue;
                }
                let is_member = made.ends_with('.');
                made.push_str(&word);
                if word == name && !is_member {
                    made.push_str("_new");
                }
                word.clear();
                made.push(c);
            }
            made.pop();
            *line = made;
        }
        true
    }
}
