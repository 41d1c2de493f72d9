//! A strict reader for the part of XML that JUnit reports use.

use std::collections::BTreeMap;

/// A start tag.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
}

/// All elements of a well-formed document, in order.
pub(super) fn elements(document: &str) -> Result<Vec<Element>, String> {
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    let mut rest = document.strip_prefix(declaration).ok_or("no declaration")?;
    let (mut open, mut found) = (Vec::new(), Vec::new());
    while let Some((text, tail)) = rest.split_once('<') {
        let text = unescape(text)?;
        if open.is_empty() && !text.trim().is_empty() {
            return Err(format!("text outside the root: {text}"));
        }
        let (tag, tail) = tail.split_once('>').ok_or("an open tag")?;
        rest = tail;
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(opened) if opened == name => {}
                other => return Err(format!("</{name}> closes {other:?}")),
            }
            continue;
        }
        if open.is_empty() && !found.is_empty() {
            return Err("two roots".to_owned());
        }
        let (tag, is_empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let element = element(tag)?;
        if !is_empty {
            open.push(element.name.clone());
        }
        found.push(element);
    }
    if !open.is_empty() || found.is_empty() || !rest.trim().is_empty() {
        return Err(format!("unclosed: {open:?}, after the end: {rest}"));
    }
    Ok(found)
}

fn element(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Err(format!("bad name: {name}"));
    }
    let mut attributes = BTreeMap::new();
    while !rest.is_empty() {
        let (key, tail) = rest
            .split_once("=\"")
            .ok_or(format!("bad attribute: {rest}"))?;
        let (value, tail) = tail.split_once('"').ok_or("an open value")?;
        if value.contains('\n') {
            return Err("a line break in a value".to_owned());
        }
        if attributes
            .insert(key.trim().to_owned(), unescape(value)?)
            .is_some()
        {
            return Err(format!("{key} twice"));
        }
        rest = tail.trim_start();
    }
    Ok(Element {
        name: name.to_owned(),
        attributes,
    })
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('&') {
        let (entity, tail) = tail.split_once(';').ok_or("an open entity")?;
        out.push_str(before);
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#10" => '\n',
            "#9" => '\t',
            other => return Err(format!("unknown entity {other}")),
        });
        rest = tail;
    }
    out.push_str(rest);
    match out
        .chars()
        .find(|&c| c.is_control() && !matches!(c, '\n' | '\t'))
    {
        Some(c) => Err(format!("{c:?} in the document")),
        None => Ok(out),
    }
}
