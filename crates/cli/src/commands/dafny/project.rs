//! The inputs of a Dafny command: files, directories and project files (`dfyconfig.toml`).
//!
//! A directory stands for the `.dfy` files below it. A project file names files by patterns (`includes`, `excludes`; `**` crosses
//! directories, the default is every `.dfy` file below it) and gives options, which those of the command line precede.

use std::path::{Path, PathBuf};

/// How many files and directories are looked at.
const MAX_ENTRIES: usize = 200_000;

/// The files of a command, and the options that project files give.
#[derive(Default, Debug)]
pub(crate) struct Project {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) options: Vec<String>,
}

/// Replaces directories and project files by what they stand for.
pub(crate) fn expand(paths: &[PathBuf]) -> Result<Project, String> {
    let mut project = Project::default();
    for path in paths {
        if path.is_dir() {
            project.files.extend(sources_below(path)?);
        } else if path.extension().is_some_and(|e| e == "toml") {
            read_project(path, &mut project)?;
        } else {
            project.files.push(path.clone());
        }
    }
    Ok(project)
}

/// The `.dfy` files below a directory, sorted.
fn sources_below(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    let mut pending = vec![root.to_owned()];
    let mut seen = 0;
    while let Some(directory) = pending.pop() {
        let entries = std::fs::read_dir(&directory)
            .map_err(|error| format!("`{}`: {error}", directory.display()))?;
        for entry in entries.flatten() {
            seen += 1;
            if seen > MAX_ENTRIES {
                return Err(format!("`{}` has too many files", root.display()));
            }
            let path = entry.path();
            // A link to a directory may lead back.
            let is_link = entry.file_type().is_ok_and(|t| t.is_symlink());
            if path.is_dir() && !is_link {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "dfy") {
                out.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}

fn read_project(path: &Path, project: &mut Project) -> Result<(), String> {
    let place = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("`{place}`: {error}"))?;
    let table: toml::Table = text
        .parse()
        .map_err(|error| format!("`{place}` is not a project file: {error}"))?;
    let root = path.parent().unwrap_or(Path::new(""));
    let root = if root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        root
    };
    let includes = patterns(&table, "includes", path)?;
    let excludes = patterns(&table, "excludes", path)?.unwrap_or_default();
    let includes = includes.unwrap_or_else(|| vec!["**/*.dfy".to_owned()]);
    for file in sources_below(root)? {
        let name = relative(&file, root);
        let wanted = includes.iter().any(|p| matches(p, &name));
        if wanted && !excludes.iter().any(|p| matches(p, &name)) {
            project.files.push(file);
        }
    }
    for pattern in &includes {
        // A plain name may also lie outside.
        let file = root.join(pattern);
        if pattern.starts_with("..") && file.is_file() {
            project.files.push(file);
        }
    }
    options(&table, path, &mut project.options)
}

fn relative(file: &Path, root: &Path) -> String {
    let inner = file.strip_prefix(root).unwrap_or(file);
    inner.to_string_lossy().replace('\\', "/")
}

fn patterns(table: &toml::Table, key: &str, path: &Path) -> Result<Option<Vec<String>>, String> {
    let wrong = || {
        format!(
            "`{}`: `{key}` must be a list of file patterns",
            path.display()
        )
    };
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    let list = value.as_array().ok_or_else(wrong)?;
    let texts: Option<Vec<String>> = list
        .iter()
        .map(|item| item.as_str().map(|s| s.trim_start_matches("./").to_owned()))
        .collect();
    texts.map(Some).ok_or_else(wrong)
}

/// `[options]`: `name = value` is `--name:value`; a true flag is `--name`, a false one nothing.
fn options(table: &toml::Table, path: &Path, out: &mut Vec<String>) -> Result<(), String> {
    let Some(value) = table.get("options") else {
        return Ok(());
    };
    let Some(options) = value.as_table() else {
        return Err(format!("`{}`: `options` must be a table", path.display()));
    };
    for (name, value) in options {
        match value {
            toml::Value::Boolean(true) => out.push(format!("--{name}")),
            toml::Value::Boolean(false) => {}
            toml::Value::String(text) => out.push(format!("--{name}:{text}")),
            other => out.push(format!("--{name}:{other}")),
        }
    }
    Ok(())
}

/// Whether a pattern matches a name: `*` and `?` within a directory, `**` across directories.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let name: Vec<&str> = name.split('/').collect();
    // `reached[i]`: the parts of the pattern so far match the first `i` parts of the name.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; name.len() + 1];
        for (i, slot) in next.iter_mut().enumerate() {
            *slot = if part == "**" {
                reached[..=i].contains(&true)
            } else {
                i > 0 && reached[i - 1] && matches_part(part, name[i - 1])
            };
        }
        reached = next;
    }
    reached[name.len()]
}

fn matches_part(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for c in pattern.chars() {
        let mut next = vec![false; name.len() + 1];
        for (i, slot) in next.iter_mut().enumerate() {
            *slot = match c {
                '*' => reached[..=i].contains(&true),
                '?' => i > 0 && reached[i - 1],
                _ => i > 0 && reached[i - 1] && name[i - 1] == c,
            };
        }
        reached = next;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_cross_directories_only_with_two_stars() {
        assert!(matches("**/*.dfy", "a.dfy"));
        assert!(matches("**/*.dfy", "x/y/a.dfy"));
        assert!(matches("src/*.dfy", "src/a.dfy"));
        assert!(!matches("src/*.dfy", "src/x/a.dfy"));
        assert!(matches("a?c.dfy", "abc.dfy"));
        assert!(!matches("*.dfy", "a.bpl"));
    }
}
