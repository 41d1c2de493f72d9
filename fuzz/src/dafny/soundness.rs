//! Whether what verifies means anything: `assert false` at the end of every method, lemma and loop body must be rejected.
//!
//! A place where it is accepted is either unreachable because of the program's own assumptions, or an unsoundness. The
//! program's own assumptions are recognised where the end cannot be reached by its text alone (all paths leave before), and
//! elsewhere by asking Dafny 2.3.0, where it accepts the program.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stet_base::SourceMap;
use stet_dafny::tree::{MemberKind, Program, StmtId, StmtKind};
use stet_dafny::{NoIncludes, Phase};

use crate::dafny::subject::{Fate, Verifier};

/// A place for `assert false`.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it is inserted.
    pub offset: usize,
    /// The line, for the report.
    pub line: usize,
    /// The method or lemma.
    pub member: String,
    /// What it is the end of.
    pub what: &'static str,
    /// Whether every path through the text leaves before.
    pub is_left: bool,
}

/// The places of a program; empty if it is not accepted.
pub fn places(name: &str, text: &str) -> Vec<Place> {
    let mut sources = SourceMap::new();
    let Some(file) = sources.add(name, text.to_owned()) else {
        return Vec::new();
    };
    let checked = stet_dafny::check(&mut sources, &[file], &mut NoIncludes);
    if checked.phase != Phase::Done {
        return Vec::new();
    }
    let p = &checked.program;
    let mut found: Vec<Place> = Vec::new();
    let mut add = |body: StmtId, member: &str, what: &'static str| {
        let span = p.stmts[body].span;
        let end = span.end as usize;
        if span.file != file || text.as_bytes().get(end.wrapping_sub(1)) != Some(&b'}') {
            return;
        }
        if found.iter().any(|place| place.offset == end - 1) {
            return;
        }
        found.push(Place {
            offset: end - 1,
            line: text[..end].matches('\n').count() + 1,
            member: member.to_owned(),
            what,
            is_left: leaves(p, body),
        });
    };
    for (id, member) in p.members.iter() {
        let MemberKind::Method(m) = &member.kind else {
            continue;
        };
        if !member.verify {
            continue;
        }
        let path = p.member_path(id);
        let last = m.body_after_new.or(m.body);
        for body in last.into_iter().chain(m.body) {
            add(body, &path, "body");
        }
        for body in [m.body, m.body_after_new].into_iter().flatten() {
            let mut loops = Vec::new();
            loop_bodies(p, body, &mut loops);
            for inner in loops {
                add(inner, &path, "loop");
            }
        }
    }
    found
}

/// The bodies of loops in a statement.
fn loop_bodies(p: &Program, root: StmtId, out: &mut Vec<StmtId>) {
    let mut pending = vec![root];
    while let Some(s) = pending.pop() {
        match &p.stmts[s].kind {
            StmtKind::While {
                body: Some(body), ..
            }
            | StmtKind::For {
                body: Some(body), ..
            } => {
                out.push(*body);
                pending.push(*body);
            }
            StmtKind::WhileCases { cases, .. } => {
                out.extend(cases.iter().map(|c| c.body));
                pending.extend(cases.iter().map(|c| c.body));
            }
            StmtKind::Block(stmts) | StmtKind::Sequence(stmts) => pending.extend(stmts),
            StmtKind::If { then, els, .. } => {
                pending.push(*then);
                pending.extend(els);
            }
            StmtKind::IfCases(cases) => pending.extend(cases.iter().map(|c| c.body)),
            StmtKind::Match { cases, .. } => pending.extend(cases.iter().map(|c| c.body)),
            _ => {}
        }
    }
}

/// Whether no path through the text reaches the end of a statement.
fn leaves(p: &Program, s: StmtId) -> bool {
    match &p.stmts[s].kind {
        StmtKind::Return { .. } | StmtKind::Break { .. } => true,
        StmtKind::Block(stmts) | StmtKind::Sequence(stmts) => stmts.iter().any(|&s| leaves(p, s)),
        StmtKind::If {
            then,
            els: Some(els),
            ..
        } => leaves(p, *then) && leaves(p, *els),
        StmtKind::IfCases(cases) => cases.iter().all(|c| leaves(p, c.body)),
        StmtKind::Match { cases, .. } => cases.iter().all(|c| leaves(p, c.body)),
        StmtKind::While {
            guard: stet_dafny::tree::Guard::Expr(e),
            ..
        } => {
            matches!(p.exprs[*e].kind, stet_dafny::tree::ExprKind::Bool(true))
        }
        _ => false,
    }
}

/// What became of `assert false` at a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judgement {
    /// It is rejected, as it must be.
    Rejected,
    /// It is accepted, and the text shows that its place is never reached.
    Left,
    /// It is accepted here and by Dafny 2.3.0.
    PeerAgrees,
    /// It is accepted here, Dafny 2.3.0 cannot say anything about the program.
    NoPeer,
    /// It is accepted here and rejected by Dafny 2.3.0: unsound, until explained.
    Suspect,
}

/// Puts `assert false` at a place and says what becomes of it.
pub fn judge(
    verifier: &mut Verifier,
    name: &str,
    text: &str,
    place: &Place,
    peer: Option<&Path>,
) -> Judgement {
    let (before, after) = text.split_at(place.offset);
    let changed = format!("{before} assert false; {after}");
    verifier.only(vec![
        format!("$Impl.{}", place.member),
        format!("$Impl.{}$*", place.member),
    ]);
    let finding = verifier.check(name, &changed);
    verifier.only(Vec::new());
    if finding.fate != Fate::Verified {
        return Judgement::Rejected;
    }
    if place.is_left {
        return Judgement::Left;
    }
    match peer.and_then(|dafny| peer_verifies(dafny, &changed)) {
        Some(true) => Judgement::PeerAgrees,
        Some(false) => Judgement::Suspect,
        None => Judgement::NoPeer,
    }
}

/// Whether Dafny 2.3.0 verifies a program; nothing if it does not accept it or takes too long.
pub fn peer_verifies(dafny: &Path, text: &str) -> Option<bool> {
    let out = peer_output(dafny, text)?;
    if !out.contains("Dafny program verifier finished") {
        return None;
    }
    Some(out.contains(", 0 errors") && !out.contains("time out"))
}

/// What Dafny 2.3.0 prints about a program.
pub fn peer_output(dafny: &Path, text: &str) -> Option<String> {
    let folder = std::env::temp_dir().join(format!("stet-dafny-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let file = folder.join("program.dfy");
    std::fs::write(&file, text).ok()?;
    let printed = folder.join("printed");
    let mut child = Command::new(dafny)
        .args(["/compile:0", "/timeLimit:20", "/nologo"])
        .arg(&file)
        .stdout(std::fs::File::create(&printed).ok()?)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    loop {
        if child.try_wait().ok()?.is_some() {
            break;
        }
        if start.elapsed() > Duration::from_secs(180) {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::read_to_string(printed).ok()
}
