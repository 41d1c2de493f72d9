//! Whether the patterns of a `match` cover every value.
//!
//! The patterns are the rows of a table; the first column is split by constructors until no column is left. A table
//! that is not seen to be exhaustive leads to a check, so giving up is safe.

use crate::cx::Cx;
use stet_dafny::tree::{CtorId, Pattern, PatternKind};

/// How many tables may be looked at.
const BUDGET: u32 = 2_000;

/// A pattern in a table; nothing matches everything.
type Cell<'p> = Option<&'p Pattern>;

impl Cx<'_> {
    /// Whether one of the patterns matches, whatever the value is.
    pub(crate) fn is_exhaustive<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> bool {
        let rows = patterns.map(|p| vec![Some(p)]).collect();
        self.covers(rows, 1, &mut BUDGET.clone())
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
        let first = rows.iter().find_map(|row| match row[0].map(|p| &p.kind) {
            Some(PatternKind::Ctor(ctor, _)) => Some(Head::Ctor(*ctor)),
            Some(PatternKind::Tuple(parts)) => Some(Head::Tuple(parts.len())),
            _ => None,
        });
        match first {
            Some(Head::Ctor(ctor)) => {
                let all = self.p.ctors_of(self.p.ctors[ctor].decl);
                all.iter().all(|&c| {
                    let parts = self.p.ctors[c].formals.len();
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
