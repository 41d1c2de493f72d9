//! Lines of source that have code, by file: read from the debug locations of LLVM IR text.
//!
//! Metadata is a table `!N = !DILocation(line: …, scope: !M)`; scopes lead to a file, directly or over their parents.
//! Only this is read, so a module of any version of LLVM will do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Lines by file.
pub(crate) type Lines = BTreeMap<String, BTreeSet<u32>>;

/// The lines that a module has code for. Files are named as the debug information names them.
pub(crate) fn lines(ir: &str) -> Lines {
    let mut files: HashMap<&str, (&str, &str)> = HashMap::new();
    let mut scopes: HashMap<&str, (Option<&str>, Option<&str>)> = HashMap::new();
    let mut places: Vec<(u32, &str)> = Vec::new();
    for line in ir.lines().filter(|line| line.starts_with('!')) {
        let Some((id, value)) = line.split_once(" = ") else {
            continue;
        };
        let value = value.trim_start_matches("distinct ");
        if let Some(fields) = value.strip_prefix("!DIFile(") {
            let name = text(fields, "filename").unwrap_or("");
            let directory = text(fields, "directory").unwrap_or("");
            files.insert(id, (name, directory));
        } else if let Some(fields) = value.strip_prefix("!DILocation(") {
            let number = field(fields, "line").and_then(|n| n.parse().ok());
            if let (Some(number), Some(scope)) = (number, field(fields, "scope")) {
                places.push((number, scope));
            }
        } else if value.starts_with("!DISubprogram(") || value.starts_with("!DILexicalBlock") {
            let fields = value.split_once('(').map_or("", |(_, fields)| fields);
            scopes.insert(id, (field(fields, "file"), field(fields, "scope")));
        }
    }
    let mut found = Lines::new();
    for (number, scope) in places.into_iter().filter(|(number, _)| *number > 0) {
        let mut at = Some(scope);
        // A chain of scopes is short; one that goes round is not ours to follow.
        for _ in 0..64 {
            let Some((file, parent)) = at.and_then(|id| scopes.get(id)) else {
                break;
            };
            if let Some((name, _)) = file.and_then(|file| files.get(file)) {
                found.entry((*name).to_owned()).or_default().insert(number);
                break;
            }
            at = *parent;
        }
    }
    found
}

/// The value of a field: up to the next comma or the end.
fn field<'t>(fields: &'t str, name: &str) -> Option<&'t str> {
    let start = fields
        .match_indices(name)
        .find(|(at, _)| {
            let before = fields[..*at].chars().next_back();
            before.is_none_or(|c| c == ' ' || c == '(')
                && fields[at + name.len()..].starts_with(": ")
        })?
        .0;
    let rest = &fields[start + name.len() + 2..];
    Some(rest[..rest.find([',', ')']).unwrap_or(rest.len())].trim())
}

fn text<'t>(fields: &'t str, name: &str) -> Option<&'t str> {
    let start = fields.find(&format!("{name}: \""))? + name.len() + 3;
    let rest = &fields[start..];
    Some(&rest[..rest.find('"')?])
}

/// Coverage in lcov's format, for the files that can be read.
pub(crate) fn lcov(all: &Lines, covered: &Lines) -> String {
    let mut out = String::from("TN:stet\n");
    for (file, lines) in all {
        let shown = std::fs::canonicalize(Path::new(file));
        let shown = shown.map_or_else(|_| file.clone(), |path| path.display().to_string());
        out += &format!("SF:{shown}\n");
        let hit = covered.get(file);
        let is_hit = |line: &u32| hit.is_some_and(|hit| hit.contains(line));
        for line in lines {
            out += &format!("DA:{line},{}\n", u8::from(is_hit(line)));
        }
        let hits = lines.iter().filter(|line| is_hit(line)).count();
        out += &format!("LF:{}\nLH:{hits}\nend_of_record\n", lines.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = "define i32 @main() !dbg !5 {\n  ret i32 0, !dbg !9\n}\n!1 = !DIFile(filename: \"a.c\", directory: \"/d\", checksumkind: CSK_MD5)\n!5 = distinct !DISubprogram(name: \"main\", scope: !1, file: !1, line: 3, scopeLine: 3)\n!6 = distinct !DILexicalBlock(scope: !5, line: 4)\n!9 = !DILocation(line: 4, column: 3, scope: !5)\n!10 = !DILocation(line: 7, column: 3, scope: !6)\n!11 = !DILocation(line: 0, scope: !5)\n";

    #[test]
    fn lines_with_code() {
        let found = lines(IR);
        assert_eq!(found["a.c"], BTreeSet::from([4, 7]));
        let covered = Lines::from([("a.c".to_owned(), BTreeSet::from([4]))]);
        let text = lcov(&found, &covered);
        assert!(text.contains("DA:4,1\nDA:7,0\nLF:2\nLH:1\n"), "{text}");
        assert_eq!(lines("!1 = !DILocation(line: x, scope: !2)"), Lines::new());
    }
}
