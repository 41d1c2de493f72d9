//! Whether the patterns of a `match` cover every value, or every value of another pattern.
//!
//! The patterns are the rows of a table; the first column is split by constructors until no column is left. A table
//! that is not seen to be exhaustive leads to a check, so giving up is safe.

use super::{CtorId, Pattern, PatternKind, Program};

/// How many tables may be looked at.
const BUDGET: u32 = 2_000;

/// A pattern in a table; nothing matches everything.
type Cell<'p> = Option<&'p Pattern>;

impl Program {
    /// Whether one of the patterns matches, whatever the value is.
    pub fn is_exhaustive<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> bool {
        let rows = patterns.map(|p| vec![Some(p)]).collect();
        self.covers(rows, 1, &mut BUDGET.clone())
    }

    /// Whether everything that `pattern` matches is matched by a pattern before it.
    pub(crate) fn is_redundant<'p>(
        &self,
        before: impl Iterator<Item = &'p Pattern>,
        pattern: &'p Pattern,
    ) -> bool {
        let rows: Vec<_> = before.map(|p| vec![Some(p)]).collect();
        let mut budget = BUDGET;
        let targets = alternatives(vec![vec![Some(pattern)]]);
        targets
            .into_iter()
            .all(|target| self.covers_row(rows.clone(), target, &mut budget))
    }

    /// Whether the rows match whatever `target` matches.
    fn covers_row<'p>(
        &self,
        rows: Vec<Vec<Cell<'p>>>,
        target: Vec<Cell<'p>>,
        budget: &mut u32,
    ) -> bool {
        let Some(&first) = target.first() else {
            return !rows.is_empty();
        };
        if rows.is_empty() || *budget == 0 {
            return false;
        }
        *budget -= 1;
        let rows = alternatives(rows);
        let (head, inner) = match first.map(|p| &p.kind) {
            Some(PatternKind::Ctor(ctor, inner)) => (Head::Ctor(*ctor), inner),
            Some(PatternKind::Tuple(inner)) => (Head::Tuple(inner.len()), inner),
            Some(PatternKind::Or(_)) => {
                let each = alternatives(vec![target]);
                return each
                    .into_iter()
                    .all(|one| self.covers_row(rows.clone(), one, budget));
            }
            // A literal is covered by what covers everything.
            Some(PatternKind::Value(_)) => {
                let table = specialised(&rows, Head::Other, 0);
                return self.covers_row(table, target[1..].to_vec(), budget);
            }
            Some(PatternKind::Wild | PatternKind::Var(_)) | None => {
                return self.covers_any(rows, target, budget);
            }
        };
        let table = specialised(&rows, head, inner.len());
        let mut rest: Vec<Cell<'p>> = inner.iter().map(Some).collect();
        rest.extend_from_slice(&target[1..]);
        self.covers_row(table, rest, budget)
    }

    /// The same for a target that begins with any value.
    fn covers_any<'p>(
        &self,
        rows: Vec<Vec<Cell<'p>>>,
        target: Vec<Cell<'p>>,
        budget: &mut u32,
    ) -> bool {
        let after = |parts: usize| {
            let mut rest: Vec<Cell<'p>> = vec![None; parts];
            rest.extend_from_slice(&target[1..]);
            rest
        };
        match first_head(&rows) {
            Some(Head::Ctor(ctor)) => {
                let all = self.ctors_of(self.ctors[ctor].decl);
                all.iter().all(|&c| {
                    let parts = self.ctors[c].formals.len();
                    let table = specialised(&rows, Head::Ctor(c), parts);
                    self.covers_row(table, after(parts), budget)
                })
            }
            Some(Head::Tuple(parts)) => {
                let table = specialised(&rows, Head::Tuple(parts), parts);
                self.covers_row(table, after(parts), budget)
            }
            Some(Head::Other) | None => {
                self.covers_row(specialised(&rows, Head::Other, 0), after(0), budget)
            }
        }
    }

    fn covers(&self, rows: Vec<Vec<Cell<'_>>>, width: usize, budget: &mut u32) -> bool {
        if rows.is_empty() || *budget == 0 {
            return false;
        }
        *budget -= 1;
        if width == 0 {
            return true;
        }
        let rows = alternatives(rows);
        match first_head(&rows) {
            Some(Head::Ctor(ctor)) => {
                let all = self.ctors_of(self.ctors[ctor].decl);
                all.iter().all(|&c| {
                    let parts = self.ctors[c].formals.len();
                    let table = specialised(&rows, Head::Ctor(c), parts);
                    self.covers(table, width - 1 + parts, budget)
                })
            }
            Some(Head::Tuple(parts)) => {
                let table = specialised(&rows, Head::Tuple(parts), parts);
                self.covers(table, width - 1 + parts, budget)
            }
            // Literals and constants never cover their type.
            Some(Head::Other) | None => {
                self.covers(specialised(&rows, Head::Other, 0), width - 1, budget)
            }
        }
    }
}

/// What the values of a column look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Ctor(CtorId),
    Tuple(usize),
    Other,
}

/// The first form that a pattern of the first column asks for.
fn first_head(rows: &[Vec<Cell<'_>>]) -> Option<Head> {
    rows.iter().find_map(|row| match row[0].map(|p| &p.kind) {
        Some(PatternKind::Ctor(ctor, _)) => Some(Head::Ctor(*ctor)),
        Some(PatternKind::Tuple(parts)) => Some(Head::Tuple(parts.len())),
        _ => None,
    })
}

/// Rows with `|` at their start, one row for each alternative.
fn alternatives(rows: Vec<Vec<Cell<'_>>>) -> Vec<Vec<Cell<'_>>> {
    let mut pending = rows;
    pending.reverse();
    let mut found = Vec::new();
    while let Some(row) = pending.pop() {
        match row[0].map(|p| &p.kind) {
            Some(PatternKind::Or(parts)) => {
                for part in parts.iter().rev() {
                    let mut one = row.clone();
                    one[0] = Some(part);
                    pending.push(one);
                }
            }
            _ => found.push(row),
        }
    }
    found
}

/// The rows that can match values of a form, with the parts of the value in place of the first column.
fn specialised<'p>(rows: &[Vec<Cell<'p>>], head: Head, parts: usize) -> Vec<Vec<Cell<'p>>> {
    let mut table = Vec::new();
    for row in rows {
        let mut new: Vec<Cell<'p>> = match row[0].map(|p| &p.kind) {
            None | Some(PatternKind::Wild | PatternKind::Var(_)) => vec![None; parts],
            Some(PatternKind::Ctor(ctor, inner))
                if head == Head::Ctor(*ctor) && inner.len() == parts =>
            {
                inner.iter().map(Some).collect()
            }
            Some(PatternKind::Tuple(inner))
                if matches!(head, Head::Tuple(_)) && inner.len() == parts =>
            {
                inner.iter().map(Some).collect()
            }
            _ => continue,
        };
        new.extend_from_slice(&row[1..]);
        table.push(new);
    }
    table
}
