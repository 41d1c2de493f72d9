//! A small generator of reproducible random numbers (SplitMix64): the same seed, the same numbers, on every machine.

/// The generator's state.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        // Scrambled: the numbers of neighbouring seeds must not be the same ones, shifted.
        Random(scrambled(seed))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scrambled(self.0)
    }

    /// A number below `bound`, which must be positive.
    pub fn below<N: Bound>(&mut self, bound: N) -> N {
        let bound = bound.to_bits();
        assert!(bound > 0, "there is no number below zero");
        N::from_bits(self.bits() % bound)
    }

    /// A copy of one of the items of a slice that is not empty.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// SplitMix64's output function: every bit of the result depends on every bit of the argument.
fn scrambled(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The types of bounds; negative ones are none.
pub trait Bound {
    /// The bound as an unsigned number; zero for a negative one.
    fn to_bits(self) -> u64;
    /// A number below a bound of the type.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! bounds {
    ($($kind:ty),*) => {
        $(impl Bound for $kind {
            fn to_bits(self) -> u64 {
                self.try_into().unwrap_or(0)
            }

            fn from_bits(bits: u64) -> Self {
                bits as $kind
            }
        })*
    };
}

bounds!(i32, i64, u32, u64, usize);

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
    }
}
