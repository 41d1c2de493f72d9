//! `stet cache why`: what is stored about a subject, and why its latest look-up missed (law 7).

use crate::exit::ExitStatus;
use crate::session::Session;
use serde_json::{Value, json};
use stet_diag::{Diagnostic, utc};
use stet_key::KeyParts;
use stet_store::{Entry, Miss, Name, Store};

/// How many subjects or keys are suggested.
const SUGGESTIONS: usize = 10;

/// Explains a subject, or the subject of a key.
pub(super) fn why(session: &mut Session, what: &str) -> ExitStatus {
    let Some(store) = super::open_to_read(session) else {
        return ExitStatus::Usage;
    };
    let subjects = store.subjects();
    let mut names: Vec<Name> = subjects
        .iter()
        .filter(|name| &*name.subject == what || format!("{}:{}", name.kind, name.subject) == what)
        .cloned()
        .collect();
    if names.is_empty() {
        // `Proc` stands for `file.bpl:Proc` if there is only one.
        let suffix = format!(":{what}");
        let ending = subjects
            .iter()
            .filter(|name| name.subject.ends_with(&suffix));
        names.extend(ending.cloned());
        if names
            .windows(2)
            .any(|pair| pair[0].subject != pair[1].subject)
        {
            names.clear();
        }
    }
    let mut explained = Vec::new();
    if names.is_empty() && what.len() >= 4 {
        for entry in store.find_by_prefix(what, SUGGESTIONS) {
            match &entry.subject {
                Some(subject) => names.push(Name::new(&entry.kind, subject)),
                None => {
                    tell_entry(session, "verdict", &entry);
                    explained.push(json!({ "entry": entry_json(&entry) }));
                }
            }
        }
        names.sort();
        names.dedup();
    }
    for name in &names {
        explained.push(explain(session, &store, name));
    }
    if explained.is_empty() {
        return unknown(session, &subjects, what);
    }
    session.set_result(json!({ "subjects": explained }));
    ExitStatus::Clean
}

fn explain(session: &Session, store: &Store, name: &Name) -> Value {
    let latest = store.latest(&name.kind, &name.subject);
    let miss = store.latest_miss(&name.kind, &name.subject);
    session.answer(&format!("{} ({})", name.subject, name.kind));
    match &latest {
        Some(entry) => tell_entry(session, "latest verdict", entry),
        None => session.answer("  latest verdict: none is stored"),
    }
    match &miss {
        Some(miss) => tell_miss(session, miss),
        None => session.answer("  latest miss: none is recorded"),
    }
    json!({
        "kind": &*name.kind,
        "subject": &*name.subject,
        "latest": latest.as_deref().map(entry_json),
        "miss": miss.as_ref().map(miss_json),
    })
}

fn tell_entry(session: &Session, title: &str, entry: &Entry) {
    let from = &entry.provenance;
    let solver = match &*from.solver {
        "" => String::new(),
        solver => format!(", solver {solver}"),
    };
    let engine = match from.engine_version.strip_prefix(&*from.engine) {
        Some(_) => from.engine_version.to_string(),
        None => format!("{} {}", from.engine, from.engine_version),
    };
    session.answer(&format!(
        "  {title}: {}, computed {} by {engine}{solver}",
        entry.outcome.name(),
        utc(from.created)
    ));
    session.answer(&format!("    key {}", entry.key));
}

fn tell_miss(session: &Session, miss: &Miss) {
    let at = utc(miss.at);
    let Some((_, previous)) = &miss.previous else {
        session.answer(&format!(
            "  latest miss: {at}; nothing was stored for this subject before"
        ));
        return;
    };
    match miss.first_difference() {
        Some(part) => session.answer(&format!(
            "  latest miss: {at}; the first part of the key that differed: {part}"
        )),
        None => session.answer(&format!(
            "  latest miss: {at}; no part differed: the verdict had been evicted or damaged"
        )),
    }
    for (name, now, before) in compared(&miss.parts, previous) {
        let change = match (now, before) {
            (now, before) if now == before => "same".to_owned(),
            (Some(now), Some(before)) => format!("{before:?} then, {now:?} now"),
            (Some(_), None) => "new".to_owned(),
            _ => "gone".to_owned(),
        };
        session.answer(&format!("    {name:<24} {change}"));
    }
}

type Compared<'a> = (&'a str, Option<stet_key::Digest>, Option<stet_key::Digest>);

/// Both lists of parts side by side, in the order of the newer.
fn compared<'a>(now: &'a KeyParts, before: &'a KeyParts) -> Vec<Compared<'a>> {
    let digest_in = |parts: &KeyParts, name: &str| {
        let found = parts.0.iter().find(|(other, _)| other == name);
        found.map(|(_, digest)| *digest)
    };
    let mut rows: Vec<Compared<'_>> = now
        .0
        .iter()
        .map(|(name, digest)| (name.as_str(), Some(*digest), digest_in(before, name)))
        .collect();
    for (name, digest) in &before.0 {
        if digest_in(now, name).is_none() {
            rows.push((name, None, Some(*digest)));
        }
    }
    rows
}

fn entry_json(entry: &Entry) -> Value {
    json!({
        "key": entry.key.to_hex(),
        "kind": &*entry.kind,
        "subject": entry.subject.as_deref(),
        "outcome": entry.outcome.name(),
        "evidence_bytes": entry.evidence.len(),
        "engine": &*entry.provenance.engine,
        "engine_version": &*entry.provenance.engine_version,
        "solver": &*entry.provenance.solver,
        "created": entry.provenance.created,
    })
}

fn miss_json(miss: &Miss) -> Value {
    let previous = miss.previous.as_ref();
    let parts: Vec<Value> = compared(
        &miss.parts,
        previous.map_or(&KeyParts::default(), |(_, parts)| parts),
    )
    .into_iter()
    .map(|(name, now, before)| {
        json!({
            "name": name,
            "now": now.map(|digest| digest.to_hex()),
            "before": before.map(|digest| digest.to_hex()),
        })
    })
    .collect();
    json!({
        "at": miss.at,
        "key": miss.key.to_hex(),
        "previous_key": previous.map(|(key, _)| key.to_hex()),
        "first_difference": miss.first_difference(),
        "parts": parts,
    })
}

fn unknown(session: &mut Session, subjects: &[Name], what: &str) -> ExitStatus {
    let mut diagnostic = Diagnostic::error(
        "cache/unknown-subject",
        format!("the store knows nothing about `{what}`"),
    );
    let similar: Vec<&Name> = subjects
        .iter()
        .filter(|name| name.subject.contains(what))
        .take(SUGGESTIONS)
        .collect();
    for name in similar {
        diagnostic = diagnostic.with_note(format!("there is `{}` ({})", name.subject, name.kind));
    }
    session.report(diagnostic);
    ExitStatus::Usage
}
