//! Deciding conditions in the last pass over a unit: calls conditions where predicates are called, success conditions where they
//! exit.

use crate::keys;
use crate::program::{Literal, SuccessSpec};
use crate::solve::{Abstract, Proof, Solver};
use crate::types::{BOTTOM, TOP, Type};
use std::collections::BTreeMap;

impl Solver<'_> {
    /// Decides the calls condition at a call, in the last pass.
    pub(crate) fn record_site(&mut self, pred: usize, site: usize, call: &[Abstract]) {
        if self.recorder.is_none() {
            return;
        }
        let preds = self.preds;
        let spec = &preds[pred].spec;
        if spec.calls.is_empty() {
            return;
        }
        let mut proof = Proof::Proved;
        for condition in &spec.calls {
            let alternatives: Vec<&Vec<Literal>> =
                condition.iter().flat_map(|&pre| &spec.pres[pre]).collect();
            let found = self.prove(&alternatives, call);
            proof = match (proof, found) {
                (Proof::Refuted, _) | (_, Proof::Refuted) => Proof::Refuted,
                (a, b) => a.and(b),
            };
        }
        let text = format!("{}({})", preds[pred].name, self.call_text(call));
        if let Some(recorder) = &mut self.recorder {
            let (caller, clause) = recorder.at;
            add(
                &mut recorder.record.sites,
                (caller, clause, site),
                proof,
                text,
            );
        }
    }

    /// Decides the success conditions of a variant, in the last pass.
    pub(crate) fn record_success(&mut self, member: usize) {
        let preds = self.preds;
        let (pred, call) = (
            self.variants[member].pred,
            self.variants[member].call.clone(),
        );
        let success = self.variants[member].success.clone();
        let spec = &preds[pred].spec;
        for (number, SuccessSpec { pre, post }) in spec.success.iter().enumerate() {
            let before = match pre {
                None => Proof::Proved,
                Some(pre) => {
                    let pre: Vec<&Vec<Literal>> = spec.pres[*pre].iter().collect();
                    self.prove(&pre, &call)
                }
            };
            let (proof, text) = match (&success, before) {
                // No success, or none that the condition is about.
                (None, _) | (_, Proof::Refuted) => (Proof::Proved, String::new()),
                (Some(success), before) => {
                    let found: Vec<Abstract> = success.iter().map(|&t| Abstract::Type(t)).collect();
                    let post: Vec<&Vec<Literal>> = post.iter().collect();
                    let proof = match (self.prove(&post, &found), before) {
                        (Proof::Refuted, Proof::Unknown) => Proof::Unknown,
                        (proof, _) => proof,
                    };
                    (
                        proof,
                        format!("{}({})", preds[pred].name, self.call_text(&found)),
                    )
                }
            };
            if let Some(recorder) = &mut self.recorder {
                add(&mut recorder.record.success, (pred, number), proof, text);
            }
        }
    }

    /// Whether a disjunction of conjunctions holds of a call.
    fn prove(&mut self, alternatives: &[&Vec<Literal>], call: &[Abstract]) -> Proof {
        let mut refuted = true;
        for literals in alternatives {
            let mut proof = Proof::Proved;
            for literal in *literals {
                proof = match (proof, self.holds(*literal, call)) {
                    (Proof::Refuted, _) | (_, Proof::Refuted) => Proof::Refuted,
                    (a, b) => a.and(b),
                };
            }
            if proof == Proof::Proved {
                return proof;
            }
            refuted &= proof == Proof::Refuted;
        }
        if refuted {
            return Proof::Refuted;
        }
        // Several types for one argument: their union.
        let mut joined: Option<(usize, Type)> = None;
        for literals in alternatives {
            let [Literal::In { arg, under, .. }] = literals[..] else {
                return Proof::Unknown;
            };
            joined = match joined {
                None => Some((arg, under)),
                Some((known, _)) if known != arg => return Proof::Unknown,
                Some((_, before)) => {
                    let union = self.types.union(before, under);
                    // The union of types may be larger than that of the sets: then nothing is proved by it.
                    match self.types.is_exact_union(before, under, union) {
                        true => Some((arg, union)),
                        false => return Proof::Unknown,
                    }
                }
            };
        }
        match joined {
            Some((arg, union)) => match call[arg] {
                Abstract::Type(found) if self.types.is_subset(found, union) => Proof::Proved,
                _ => Proof::Unknown,
            },
            None => Proof::Unknown,
        }
    }

    fn holds(&mut self, literal: Literal, call: &[Abstract]) -> Proof {
        match literal {
            Literal::Unknown => Proof::Unknown,
            Literal::In { under: TOP, .. } => Proof::Proved,
            Literal::In { arg, over, under } => match call[arg] {
                Abstract::Free => match over {
                    TOP => Proof::Unknown,
                    _ => Proof::Refuted,
                },
                Abstract::Type(found) if self.types.is_subset(found, under) => Proof::Proved,
                Abstract::Type(found) if self.types.meet(found, over) == BOTTOM => Proof::Refuted,
                Abstract::Type(_) => Proof::Unknown,
            },
            Literal::Free(arg) => match call[arg] {
                Abstract::Free => Proof::Proved,
                Abstract::Type(TOP) => Proof::Unknown,
                Abstract::Type(_) => Proof::Refuted,
            },
        }
    }
}

fn add<K: Ord>(map: &mut BTreeMap<K, (u8, String)>, key: K, proof: Proof, text: String) {
    let code = keys::code(proof);
    let entry = map.entry(key).or_insert((code, text));
    entry.0 = keys::code(keys::proof(entry.0).and(proof));
}
