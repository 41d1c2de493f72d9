//! `--debug-print-escaping-functions`: the functions of a program whose addresses are values somewhere, not only callees.
//!
//! Read off the IR text: a callee is followed by its arguments, any other mention of a function is its address.

use std::collections::{BTreeMap, BTreeSet};

/// The functions that escape, by name; an alias counts as what it stands for.
pub(super) fn functions<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut escaping = BTreeSet::new();
    for text in texts {
        let defined: BTreeSet<&str> = text
            .lines()
            .filter(|line| line.starts_with("define "))
            .filter_map(|line| line.split_once('@').map(|(_, rest)| name(rest)))
            .collect();
        let mut aliases = BTreeMap::new();
        let mut mentioned = BTreeSet::new();
        for line in text.lines() {
            let is_heading = [
                "define ",
                "declare ",
                "source_filename",
                "target ",
                "!",
                "attributes ",
            ];
            if is_heading.iter().any(|start| line.starts_with(start)) {
                continue;
            }
            if line.starts_with('@') && line.contains(" alias ") {
                let target = line.rsplit_once('@').map_or("", |(_, rest)| name(rest));
                aliases.insert(name(&line[1..]), target);
                continue;
            }
            // the name before `=` is being defined
            let body = match line.starts_with('@') {
                true => line.split_once(" = ").map_or("", |(_, body)| body),
                false => line,
            };
            for rest in body.split('@').skip(1) {
                let found = name(rest);
                if !rest[found.len()..].starts_with('(') {
                    mentioned.insert(found);
                }
            }
        }
        for found in mentioned {
            let target = aliases.get(found).copied().unwrap_or(found);
            if defined.contains(target) {
                escaping.insert(target.to_owned());
            }
        }
    }
    escaping.into_iter().collect()
}

/// The name that a text starts with.
fn name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._$-".contains(c);
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn callees_do_not_escape() {
        let text = "@also = alias i8 (), ptr @taken\n@table = global [1 x ptr] [ptr @listed]\n\
                    define i8 @taken() {\n  ret i8 1\n}\ndefine void @listed() {\n  ret void\n}\ndefine void @called() {\n  ret void\n}\n\
                    define i32 @main() {\n  store ptr @also, ptr %p\n  call void @called()\n  ret i32 0\n}\n";
        assert_eq!(functions([text].into_iter()), ["listed", "taken"]);
    }
}
