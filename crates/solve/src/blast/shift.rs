//! Barrel shifters.

use super::Blaster;
use crate::gates::Lit;
use stet_term::Op;

impl Blaster {
    pub(super) fn shift(&mut self, op: Op, value: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        debug_assert!(
            !value.is_empty() && value.len() == amount.len(),
            "a word and an amount of one width"
        );
        let width = value.len();
        let fill = match op {
            Op::BvAshr => value[width - 1],
            _ => Lit::FALSE,
        };
        let stages = usize::BITS as usize - (width - 1).leading_zeros() as usize;
        let mut bits = value.to_vec();
        for (stage, &control) in amount.iter().enumerate().take(stages) {
            let distance = 1usize << stage;
            bits = (0..width)
                .map(|i| {
                    let source = match op {
                        Op::BvShl => i.checked_sub(distance),
                        _ => Some(i + distance).filter(|&from| from < width),
                    };
                    let shifted = source.map_or(fill, |from| bits[from]);
                    self.gates.mux(control, shifted, bits[i])
                })
                .collect();
        }
        let beyond: Vec<Lit> = amount.iter().skip(stages).map(|&lit| !lit).collect();
        let small = self.gates.and_all(&beyond);
        // Within the stages, an amount of at least the width has shifted everything out already.
        bits.iter()
            .map(|&bit| self.gates.mux(small, bit, fill))
            .collect()
    }
}
