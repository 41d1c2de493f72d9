//! Series of snapshots for the edit benchmark [FGC §5]: sessions written down edit by edit (`bench/verify/*.edits`),
//! and scripted ones of programs that a front end generated.
//!
//! A scripted session works on one method after the other, as people do: a fact is asserted, a mistake is made and
//! repaired, an assignment is changed and changed back, an invariant is tried, a specification is strengthened or
//! weakened. What turns out not to verify, or not in time, without being meant
//! as a mistake is taken back at once. An environment verifies whenever the user stops typing, so some snapshots differ in
//! comments and layout only. Every edit touches one body or one specification.

use stet_fuzz::verify::edits::Choices;

/// A session: what it is called, and one text per snapshot.
#[derive(Clone, Debug)]
pub struct Session {
    pub name: String,
    pub texts: Vec<String>,
}

const RECORDED: [(&str, &str, &str); 2] = [
    (
        "arrays",
        include_str!("../verify/arrays.bpl"),
        include_str!("../verify/arrays.edits"),
    ),
    (
        "queue",
        include_str!("../verify/queue.bpl"),
        include_str!("../verify/queue.edits"),
    ),
];

/// The sessions of our own programs.
pub fn recorded() -> Vec<Session> {
    RECORDED
        .iter()
        .map(|(name, program, edits)| Session {
            name: (*name).to_owned(),
            texts: replay(program, edits),
        })
        .collect()
}

/// Applies edits one after the other: after a line `@ what`, lines `-` are replaced by lines `+`. An edit that does not
/// fit ends the session.
fn replay(program: &str, edits: &str) -> Vec<String> {
    let mut texts = vec![program.to_owned()];
    let mut now = program.to_owned();
    for edit in edits.split("\n@ ").skip(1) {
        let part = |sign: char| -> String {
            let lines = edit
                .lines()
                .skip(1)
                .filter_map(|line| line.strip_prefix(sign));
            lines.map(|line| format!("{line}\n")).collect()
        };
        let (old, new) = (part('-'), part('+'));
        let Some(at) = now.find(&old) else {
            return texts;
        };
        now.replace_range(at..at + old.len(), &new);
        texts.push(now.clone());
    }
    texts
}

/// Several generated programs as one: what they have in common, which is most of what the front end generates for every
/// program, is there once, and each has a module of its own.
pub fn project(programs: &[String]) -> String {
    let mut seen = std::collections::HashSet::new();
    let mut text = String::new();
    for (number, program) in programs.iter().enumerate() {
        let program = program.replace("_module", &format!("_module{number}"));
        for declaration in declarations(&program) {
            let declaration = declaration.trim_end();
            if seen.insert(declaration.to_owned()) {
                text.push_str(declaration);
                text.push_str("\n\n");
            }
        }
    }
    text
}

/// The declarations of a generated program, which begin at the very beginning of a line.
fn declarations(program: &str) -> Vec<String> {
    const WORDS: [&str; 8] = [
        "type ",
        "const ",
        "function ",
        "axiom ",
        "var ",
        "procedure ",
        "implementation ",
        "axiom(",
    ];
    let mut found: Vec<String> = Vec::new();
    for line in program.lines().filter(|line| !line.starts_with("//")) {
        if WORDS.iter().any(|word| line.starts_with(word)) {
            found.push(String::new());
        }
        if let Some(declaration) = found.last_mut() {
            declaration.push_str(line);
            declaration.push('\n');
        }
    }
    found
}

/// A scripted session of a generated program. `fits` says whether a text is a program, `complaints` how much of it is not
/// verified.
pub fn scripted(
    name: &str,
    program: &str,
    snapshots: usize,
    seed: u64,
    fits: &dyn Fn(&str) -> bool,
    complaints: &dyn Fn(&str) -> usize,
) -> Session {
    let mut script = Script {
        random: Choices::new(seed),
        lines: program.lines().map(str::to_owned).collect(),
        undo: Vec::new(),
        focus: None,
        left: 0,
    };
    let mut texts = vec![program.to_owned()];
    let usual = complaints(program);
    let mut good = script.lines.clone();
    let mut attempts = 0;
    while texts.len() < snapshots && attempts < 40 * snapshots {
        attempts += 1;
        let before = (script.lines.clone(), script.undo.clone());
        if script.edit().is_none() {
            continue;
        }
        let text = script.lines.join("\n") + "\n";
        if texts.last() == Some(&text) || !fits(&text) {
            (script.lines, script.undo) = before;
            continue;
        }
        if complaints(&text) <= usual {
            good.clone_from(&script.lines);
        } else if script.undo.is_empty() {
            script.lines.clone_from(&good);
            if texts.len() + 1 < snapshots {
                texts.push(text);
                texts.push(script.lines.join("\n") + "\n");
                continue;
            }
        }
        texts.push(text);
    }
    Session {
        name: name.to_owned(),
        texts,
    }
}

/// The state of a scripted session.
struct Script {
    random: Choices,
    lines: Vec<String>,
    /// Lines that differ from what they should become: what they are now, and what they become.
    undo: Vec<(String, String)>,
    /// The name of the implementation being worked on.
    focus: Option<String>,
    /// How many more edits are made there.
    left: usize,
}

impl Script {
    fn edit(&mut self) -> Option<()> {
        // A mistake is repaired before anything else is done, mostly.
        if !self.undo.is_empty() && self.random.below(4) > 0 {
            return self.repair();
        }
        let (start, end) = self.body()?;
        match self.random.below(13) {
            0..=2 => self.assert_fact(start, end),
            3 | 4 => self.assert_mistake(start, end),
            5 | 6 => self.change_assignment(start, end),
            7 => self.try_invariant(start, end),
            8 => self.change_specification("Impl$$"),
            9 => self.change_specification("Call$$"),
            10 => self.comment_in_body(start, end),
            11 => self.comment_before(start),
            _ => self.indent(start, end),
        }
    }

    /// A remark between statements.
    fn comment_in_body(&mut self, start: usize, end: usize) -> Option<()> {
        let facts = self.facts(start, end);
        let (at, fact) = facts.get(self.random.below(facts.len()))?.clone();
        let place = self.statement_end(at, end);
        self.lines
            .insert(place + 1, format!("    // here we know {fact}"));
        Some(())
    }

    /// A remark before a declaration.
    fn comment_before(&mut self, start: usize) -> Option<()> {
        let name = self.focus.clone()?;
        self.lines.insert(start, format!("// see {name}"));
        Some(())
    }

    /// Lines moved to the right.
    fn indent(&mut self, start: usize, end: usize) -> Option<()> {
        let facts = self.facts(start, end);
        let (at, _) = facts.get(self.random.below(facts.len()))?;
        let last = end.min(at + 1 + self.random.below(6));
        let is_mistake = |line: &String| self.undo.iter().any(|(wrong, _)| wrong == line);
        if self.lines[*at..last].iter().any(is_mistake) {
            return None;
        }
        for line in &mut self.lines[*at..last] {
            line.insert_str(0, "  ");
        }
        Some(())
    }

    /// The lines of the implementation being worked on.
    fn body(&mut self) -> Option<(usize, usize)> {
        if self.left == 0 {
            self.focus = None;
        }
        let is_start = |line: &String| line.starts_with("implementation ");
        let starts: Vec<usize> = (0..self.lines.len())
            .filter(|&i| is_start(&self.lines[i]))
            .collect();
        let name = |line: &str| {
            let words = line
                .split(' ')
                .find(|word| word.contains("$$") && word.contains('('));
            words.map(|word| word.split('(').next().unwrap_or("").to_owned())
        };
        let found = match &self.focus {
            Some(wanted) => starts
                .iter()
                .copied()
                .find(|&i| name(&self.lines[i]).as_ref() == Some(wanted)),
            None => {
                let methods: Vec<usize> = starts
                    .iter()
                    .copied()
                    .filter(|&i| name(&self.lines[i]).is_some_and(|n| n.starts_with("Impl$$")))
                    .filter(|&i| self.facts(i, self.end(i)).len() >= 3)
                    .collect();
                if methods.is_empty() {
                    return None;
                }
                Some(methods[self.random.below(methods.len())])
            }
        };
        let start = found?;
        if self.focus.is_none() {
            self.focus = name(&self.lines[start]);
            self.left = 4 + self.random.below(4);
        }
        self.left -= 1;
        Some((start, self.end(start)))
    }

    fn end(&self, start: usize) -> usize {
        let end = (start..self.lines.len()).find(|&i| self.lines[i] == "}");
        end.unwrap_or(start)
    }

    /// Lines that are a whole `assert`, with their conditions.
    fn facts(&self, start: usize, end: usize) -> Vec<(usize, String)> {
        let condition = |line: &str| {
            let line = line.trim_start();
            let inner = line.strip_prefix("assert ")?.strip_suffix(';')?;
            (!inner.starts_with('{')).then(|| inner.to_owned())
        };
        (start..end)
            .filter_map(|i| Some((i, condition(&self.lines[i])?)))
            .collect()
    }

    /// The end of the statement after a line.
    fn statement_end(&self, from: usize, end: usize) -> usize {
        let is_end = |line: &String| line.trim_start().starts_with("assume {:captureState");
        (from..end)
            .find(|&i| is_end(&self.lines[i]))
            .unwrap_or(from)
    }

    fn assert_fact(&mut self, start: usize, end: usize) -> Option<()> {
        let facts = self.facts(start, end);
        let (at, fact) = facts.get(self.random.below(facts.len()))?.clone();
        let place = self.statement_end(at, end);
        self.lines.insert(place + 1, format!("    assert {fact};"));
        Some(())
    }

    fn assert_mistake(&mut self, start: usize, end: usize) -> Option<()> {
        let facts = self.facts(start, end);
        let (at, fact) = facts.get(self.random.below(facts.len()))?.clone();
        let other = facts.get(self.random.below(facts.len()))?.1.clone();
        let place = self.statement_end(at, end);
        let wrong = format!("    assert !({fact});");
        self.lines.insert(place + 1, wrong.clone());
        self.undo
            .push((wrong, format!("    assert ({fact}) || ({other});")));
        Some(())
    }

    fn change_assignment(&mut self, start: usize, end: usize) -> Option<()> {
        const CHANGES: [(&str, &str); 5] = [
            (" + 1", " + 2"),
            (" - 1", " - 2"),
            ("LitInt(0)", "LitInt(1)"),
            (":= null;", ":= this;"),
            (":= true;", ":= false;"),
        ];
        let is_assignment = |line: &str| line.contains(" := ") && line.ends_with(';');
        let mut places = Vec::new();
        for i in start..end {
            for (from, to) in CHANGES {
                if is_assignment(&self.lines[i]) && self.lines[i].contains(from) {
                    places.push((i, self.lines[i].replacen(from, to, 1)));
                }
            }
        }
        let (at, wrong) = places.get(self.random.below(places.len()))?.clone();
        let right = std::mem::replace(&mut self.lines[at], wrong.clone());
        self.undo.push((wrong, right));
        Some(())
    }

    fn try_invariant(&mut self, start: usize, end: usize) -> Option<()> {
        let loops: Vec<usize> = (start..end)
            .filter(|&i| self.lines[i].trim() == "while (true)")
            .collect();
        let at = *loops.get(self.random.below(loops.len()))?;
        let facts = self.facts(start, at);
        let fact = facts.get(self.random.below(facts.len()))?.1.clone();
        let tried = format!("      invariant {fact};");
        self.lines.insert(at + 1, tried.clone());
        self.undo
            .push((tried, format!("      invariant ({fact}) || true;")));
        Some(())
    }

    /// Makes a free postcondition of the procedure checked, or leaves a postcondition out for the callers.
    fn change_specification(&mut self, prefix: &str) -> Option<()> {
        let method = self.focus.as_ref()?.strip_prefix("Impl$$")?;
        let wanted = format!(" {prefix}{method}(");
        let is_start = |line: &String| line.starts_with("procedure ") && line.contains(&wanted);
        let start = self.lines.iter().position(is_start)?;
        let end = (start + 1..self.lines.len())
            .find(|&i| self.lines[i].is_empty())
            .unwrap_or(start);
        let from = if prefix == "Call$$" {
            "  ensures "
        } else {
            "  free ensures "
        };
        let places: Vec<usize> = (start..end)
            .filter(|&i| self.lines[i].starts_with(from) && self.lines[i].ends_with(';'))
            .collect();
        let at = *places.get(self.random.below(places.len()))?;
        let clause = self.lines[at].strip_prefix(from)?;
        let changed = match prefix {
            "Call$$" => format!("  ensures true || ({});", clause.trim_end_matches(';')),
            _ => format!("  ensures {clause}"),
        };
        let before = std::mem::replace(&mut self.lines[at], changed.clone());
        self.undo.push((changed, before));
        Some(())
    }

    fn repair(&mut self) -> Option<()> {
        let (wrong, right) = self.undo.remove(0);
        let at = self.lines.iter().position(|line| *line == wrong)?;
        self.lines[at] = right;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_what_its_programs_share_once() {
        let program = |body: &str| {
            format!(
                "// by a tool\n\ntype Ty;\n\naxiom true;\n\nprocedure P._module()\n{{\n{body}\n}}\n"
            )
        };
        let whole = project(&[program("  assert 1 == 1;"), program("  assert 2 == 2;")]);
        assert_eq!(whole.matches("type Ty;").count(), 1);
        assert_eq!(whole.matches("axiom true;").count(), 1);
        assert!(whole.contains("procedure P._module0()\n{\n  assert 1 == 1;\n}"));
        assert!(whole.contains("procedure P._module1()\n{\n  assert 2 == 2;\n}"));
    }

    #[test]
    fn recorded_sessions_have_all_their_snapshots() {
        for ((name, _, edits), session) in RECORDED.iter().zip(recorded()) {
            let wanted = edits.matches("\n@ ").count() + 1;
            assert_eq!(session.texts.len(), wanted, "{name}");
            assert!(wanted > 20, "{name}");
        }
    }
}
