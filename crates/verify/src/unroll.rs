//! Loop unrolling: follows a number of back edges, then stops; sound unrolling checks that nothing is left.

use crate::cfg::loops::{self, Irreducible, renumber_checks};
use crate::cfg::{Body, Check, CheckKind, Cmd, prune};
use crate::tree;
use stet_base::FastMap;
use stet_boogie::Program;

/// Replaces every loop by `times` copies of its body.
pub(crate) fn unroll(
    program: &mut Program,
    body: &mut Body,
    times: u32,
    sound: bool,
) -> Result<(), Irreducible> {
    loops::make_reducible(body)?;
    // Each round unrolls an innermost loop, after which it is no loop any more.
    loop {
        let found = loops::find(body)?;
        let innermost = found.iter().min_by_key(|l| l.blocks.len()).cloned();
        let Some(l) = innermost else {
            prune(body);
            number_the_rest(body, times);
            return Ok(());
        };
        if body.blocks.len() + l.blocks.len() * times as usize > 200_000 {
            return Err(Irreducible);
        }
        unroll_one(program, body, &l, times, sound);
    }
}

/// Blocks outside of loops carry the number too, as in Boogie's traces.
fn number_the_rest(body: &mut Body, times: u32) {
    for block in &mut body.blocks {
        if block.span.is_some() && !block.label.contains('#') {
            block.label = format!("{}#{times}", block.label).into();
        }
    }
}

fn unroll_one(program: &mut Program, body: &mut Body, l: &loops::Loop, times: u32, sound: bool) {
    let originals: Vec<_> = l.blocks.iter().map(|&b| body.blocks[b].clone()).collect();
    let span = body.blocks[l.head].span;
    // The last copy consists of the head alone; its edges into the loop lead to the end of unrolling.
    let end = body.blocks.len();
    let mut cmds = Vec::new();
    if let Some(span) = span {
        let stop = tree::bool_literal(program, span, false);
        if sound {
            body.checks.push(Check {
                kind: CheckKind::Assert,
                span,
                related: None,
                assumed_after: true,
                message: None,
            });
            cmds.push(Cmd::Assert {
                check: body.checks.len() - 1,
                expr: stop,
            });
        } else {
            cmds.push(Cmd::Assume(stop));
        }
    }
    body.blocks.push(crate::cfg::Block {
        label: format!("{}#end", body.blocks[l.head].label).into(),
        span: None,
        cmds,
        successors: Vec::new(),
        returns: None,
        inlined_return: None,
    });
    let mut next_head = end;
    for round in (0..=times).rev() {
        let mut numbers: FastMap<usize, usize> = FastMap::default();
        for &b in &l.blocks {
            let number = if round == 0 {
                b
            } else {
                body.blocks.push(crate::cfg::Block {
                    label: "".into(),
                    span: None,
                    cmds: Vec::new(),
                    successors: Vec::new(),
                    returns: None,
                    inlined_return: None,
                });
                body.blocks.len() - 1
            };
            numbers.insert(b, number);
        }
        for (&b, original) in l.blocks.iter().zip(&originals) {
            let mut copy = original.clone();
            if round > 0 {
                renumber_checks(&mut copy, &mut body.checks);
                copy.label = format!("{}#{}", copy.label, times - round).into();
            } else {
                copy.label = format!("{}#{times}", copy.label).into();
            }
            let is_last_head = round == times && b == l.head;
            for successor in &mut copy.successors {
                if is_last_head && numbers.contains_key(successor) {
                    *successor = end;
                } else if *successor == l.head {
                    *successor = next_head;
                } else if let Some(&number) = numbers.get(successor) {
                    *successor = number;
                }
            }
            body.blocks[numbers[&b]] = copy;
        }
        next_head = numbers[&l.head];
    }
    prune(body);
}
