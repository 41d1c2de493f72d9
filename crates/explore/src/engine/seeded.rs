//! Runs that are about the paths of seeds only.

use super::Engine;
use crate::left_out::LeftOutKind;
use crate::report::Halt;
use crate::seeds::SeedUse;
use crate::state::State;

impl Engine<'_, '_> {
    fn seed_use(&self) -> Option<SeedUse> {
        self.config.seeds.as_ref().map(|seeds| seeds.usage)
    }

    /// Leaves out the states that no seed takes, if that is asked for; whether the state that ran is one.
    pub(super) fn leave_out_unseeded(
        &mut self,
        state: &State,
        runs: bool,
        spawned: &mut Vec<State>,
    ) -> bool {
        if self.seed_use() != Some(SeedUse::Only) {
            return false;
        }
        let before = spawned.len();
        spawned.retain(|other| !other.seeds.is_empty());
        let is_left_out = runs && state.seeds.is_empty();
        for _ in 0..before - spawned.len() + usize::from(is_left_out) {
            self.executor
                .leave_out(state, LeftOutKind::Dropped, "a path that no seed takes");
        }
        is_left_out
    }

    /// The end of a run that is about the paths of seeds only.
    pub(super) fn seeds_are_done(&self, current: Option<&(Box<State>, usize)>) -> Option<Halt> {
        let is_seeded = current.is_some_and(|(state, _)| !state.seeds.is_empty());
        let is_done = !is_seeded && !self.pool.has_seeded();
        let reason = "the paths of all seeds have ended";
        (self.seed_use() == Some(SeedUse::UntilDone) && is_done)
            .then(|| Halt::Limit(reason.to_owned()))
    }
}
