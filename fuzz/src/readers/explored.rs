//! Mutated IR through the whole engine: reading, linking, setting up, executing, within limits.

use std::time::Duration;
use stet_base::{Budget, SourceMap};
use stet_explore::{Config, Engine, Input, PathEnd, Progress, Request, Sink};

/// What one case may take: much less than the limit of the campaign, which is for what ignores this one.
const TIME: Duration = Duration::from_millis(500);

struct Nobody;

impl Sink for Nobody {
    fn path(&mut self, _: PathEnd) {}
    fn warning(&mut self, _: &str) {}
    fn message(&mut self, _: &str) {}
    fn progress(&mut self, _: &Progress) {}
}

/// Explores a text as far as it can be read.
pub(super) fn explore(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(input) = Input::of_text(&mut SourceMap::new(), "case.ll", &text) else {
        return;
    };
    let mut config = Config::standard();
    config.limits.instructions = Some(200_000);
    config.limits.states = Some(2_000);
    config.limits.memory = Some(512 << 20);
    config.max_allocation = 64 << 20;
    config.query.solver_time = Some(TIME);
    let request = Request {
        input,
        config: &config,
        store: None,
        budget: &Budget::unlimited().limited_to(TIME),
        part: None,
    };
    // a program that cannot be run is an answer, too
    let _ = Engine::new().explore(request, &mut Nobody);
}
