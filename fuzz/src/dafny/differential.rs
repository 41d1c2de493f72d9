//! Generated methods, judged three times: by Stet, by Dafny 2.3.0 and by running them.
//!
//! A method that Stet verifies and a run violates is a wrong verdict, whatever Dafny says; so is a run that violates what
//! Dafny verifies a defect of this campaign. Where Stet and Dafny differ and no run decides, one of them is less complete.

pub mod ast;
pub mod execute;
pub mod generate;

use crate::dafny::peer::{Opinion, of_peer, of_stet};
use crate::dafny::soundness::peer_verifies;
use crate::dafny::subject::Verifier;
use ast::{HEADER, Method};
use std::collections::BTreeMap;
use std::path::Path;
use stet_testkit::Random;

/// How many methods are put into one file: starting Dafny costs as much as twenty methods.
pub const BATCH: usize = 40;
/// How often a method is run.
const RUNS: usize = 2_000;

/// How the three judgements of a method relate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// Both verify, no run violates anything.
    BothVerify,
    /// Both report errors.
    BothFail,
    /// Stet proves what Dafny does not; all runs agree with Stet.
    OnlyStetProves,
    /// Dafny proves what Stet does not.
    OnlyDafnyProves,
    /// One of them has no verdict.
    Undecided,
    /// Stet verifies what a run violates.
    Wrong,
    /// Dafny verifies what a run violates, Stet does not.
    PeerWrong,
}

/// A method whose judgements differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Who is alone with its judgement.
    pub relation: Relation,
    /// The method's text.
    pub text: String,
    /// The lines of both verifiers about the method.
    pub said: Vec<String>,
}

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Tally {
    /// Methods by relation.
    pub counts: BTreeMap<Relation, usize>,
    /// Methods with the same failing lines, of those that fail with both.
    pub same_lines: usize,
    /// The methods whose judgements differ, to be explained one by one.
    pub differences: Vec<Difference>,
    /// Files that one of them does not accept, and why.
    pub refused: Vec<String>,
}

/// Judges a file of generated methods; without Dafny, runs alone are the oracle.
pub fn judge(
    verifier: &Verifier,
    dafny: Option<&Path>,
    seed: u64,
    count: usize,
    tally: &mut Tally,
) {
    let mut seeds = Random::new(seed);
    let mut text = HEADER.to_owned();
    let mut methods: Vec<(Method, usize, usize)> = Vec::new();
    for number in 0..count {
        let method = generate::method(format!("M{number}"), seeds.bits());
        let first = text.lines().count() + 1;
        text.push_str(&method.text());
        methods.push((method, first, text.lines().count()));
    }
    let stet = match of_stet(verifier, "program.dfy", &text) {
        Ok(opinion) => opinion,
        Err(why) => return tally.refused.push(format!("seed {seed}: Stet: {why}")),
    };
    let peer = match dafny {
        Some(dafny) => match of_peer(dafny, &text) {
            Some(opinion) => Some(opinion),
            None => return tally.refused.push(format!("seed {seed}: Dafny")),
        },
        None => None,
    };
    for (method, first, last) in methods {
        let survives = generate::survives(&method, seeds.bits(), RUNS) != Some(false);
        let lines = (first, last);
        let mut relation = relate(&stet, peer.as_ref(), lines, survives);
        // Some errors of Dafny 2.3.0 have no place: the method is asked about on its own.
        if matches!(relation, Relation::PeerWrong | Relation::OnlyDafnyProves)
            && let Some(dafny) = dafny
            && peer_verifies(dafny, &format!("{HEADER}{}", method.text())) == Some(false)
        {
            relation = Relation::BothFail;
        }
        *tally.counts.entry(relation).or_default() += 1;
        match relation {
            Relation::BothVerify => {}
            Relation::BothFail => {
                tally.same_lines += usize::from(same(&stet, peer.as_ref(), lines))
            }
            _ => tally.differences.push(Difference {
                relation,
                text: method.text(),
                said: said(&stet, peer.as_ref(), lines),
            }),
        }
    }
}

fn relate(
    stet: &Opinion,
    peer: Option<&Opinion>,
    lines: (usize, usize),
    survives: bool,
) -> Relation {
    let fails = stet.fails(lines.0, lines.1);
    let peer_fails = match peer {
        Some(peer) => peer.fails(lines.0, lines.1),
        None => fails,
    };
    match (fails, peer_fails) {
        (Some(false), _) if !survives => Relation::Wrong,
        (_, Some(false)) if !survives => Relation::PeerWrong,
        (Some(false), Some(false)) => Relation::BothVerify,
        (Some(true), Some(true)) => Relation::BothFail,
        (Some(false), Some(true)) => Relation::OnlyStetProves,
        (Some(true), Some(false)) => Relation::OnlyDafnyProves,
        _ => Relation::Undecided,
    }
}

fn same(stet: &Opinion, peer: Option<&Opinion>, (first, last): (usize, usize)) -> bool {
    peer.is_none_or(|peer| {
        stet.lines
            .range(first..=last)
            .eq(peer.lines.range(first..=last))
    })
}

fn said(stet: &Opinion, peer: Option<&Opinion>, (first, last): (usize, usize)) -> Vec<String> {
    let mut lines = Vec::new();
    for (who, opinion) in [("Stet", Some(stet)), ("Dafny", peer)] {
        let at = |line: &usize| (first..=last).contains(line);
        let places = opinion
            .iter()
            .flat_map(|o| o.lines.iter().chain(&o.undecided));
        let places: Vec<usize> = places.filter(|l| at(l)).map(|l| l - first + 1).collect();
        lines.push(format!("{who}: errors or no verdict in lines {places:?}"));
    }
    lines
}
