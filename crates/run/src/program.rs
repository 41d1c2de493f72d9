//! The loaded program: code, the entry of every predicate, clauses, and tables of answers.

use crate::database::Database;
use crate::heap::Area;
use crate::tables::Tables;
use stet_base::FastSet;

pub(crate) struct Program {
    pub(crate) code: Area,
    /// Where the code of every predicate starts, by its number.
    pub(crate) entries: Area,
    pub(crate) db: Database,
    /// Addresses that continuations return to; their code is never freed.
    pub(crate) pinned: FastSet<u32>,
    pub(crate) tables: Tables,
}

impl Program {
    pub(crate) fn new() -> Program {
        Program {
            code: Area::reserve(1 << 27),
            entries: Area::reserve(1 << 22),
            db: Database::new(),
            pinned: FastSet::default(),
            tables: Tables::default(),
        }
    }
}
