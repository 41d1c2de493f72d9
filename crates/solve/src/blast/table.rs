//! Reads of constant tables as trees of multiplexers over the index bits.

use super::Blaster;
use crate::Reason;
use crate::gates::Lit;
use stet_base::Budget;
use stet_term::Table;

/// Tables with more entries (after constant index bits) are read lazily, like other arrays.
const LARGEST: usize = 1 << 16;

impl Blaster {
    /// The bits at an index, or nothing if the table is too large.
    pub(super) fn table(
        &mut self,
        table: &Table,
        index: &[Lit],
        width: u32,
        budget: &Budget,
    ) -> Result<Option<Vec<Lit>>, Reason> {
        let levels = usize::BITS - table.len().saturating_sub(1).leading_zeros();
        debug_assert!(
            !index.is_empty(),
            "the index of a table is translated before the read"
        );
        let levels = (levels as usize).min(index.len());
        let free = index[..levels]
            .iter()
            .filter(|lit| !lit.is_constant())
            .count();
        if free > LARGEST.ilog2() as usize {
            return Ok(None);
        }
        let above: Vec<Lit> = index[levels..].iter().map(|&lit| !lit).collect();
        let inside = self.gates.and_all(&above);
        let mut bits = Vec::with_capacity(width as usize);
        for bit in 0..width {
            budget.check()?;
            let read = self.table_bit(table, &index[..levels], bit);
            bits.push(self.gates.and(inside, read));
        }
        Ok(Some(bits))
    }

    fn table_bit(&mut self, table: &Table, index: &[Lit], bit: u32) -> Lit {
        // Constant index bits choose the entries; the others are levels of the tree.
        let free: Vec<usize> = (0..index.len())
            .filter(|&i| !index[i].is_constant())
            .collect();
        let fixed: u64 = (0..index.len())
            .filter(|&i| index[i] == Lit::TRUE)
            .map(|i| 1u64 << i)
            .sum();
        let entry = |choice: usize| {
            let chosen: u64 = free
                .iter()
                .enumerate()
                .filter(|&(k, _)| choice >> k & 1 == 1)
                .map(|(_, &i)| 1u64 << i)
                .sum();
            Lit::constant(table.get(fixed | chosen) >> bit & 1 == 1)
        };
        let mut level: Vec<Lit> = (0..1usize << free.len()).map(entry).collect();
        for &i in &free {
            level = level
                .chunks(2)
                .map(|pair| self.gates.mux(index[i], pair[1], pair[0]))
                .collect();
        }
        debug_assert_eq!(level.len(), 1, "every free index bit halves the level");
        level[0]
    }
}
