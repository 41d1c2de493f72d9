//! The description of a run for workers: the program's text and the settings that paths depend on.
//!
//! Settings that only mean something for the run as a whole (limits on paths, orders of exploration) do not travel;
//! [`write_run`] names those that cannot be kept by several processes.

use crate::address::Allocator;
use crate::engine::{Config, KleeRules, Limits, StopAt};
use crate::entry::Input;
use crate::exec::Overshift;
use crate::external::ExternalPolicy;
use crate::object::parts::Split;
use crate::query::Config as QueryConfig;
use crate::report::Recording;
use crate::search::Search;
use crate::segment::MemoryModel;
use std::sync::Arc;
use std::time::Duration;
use stet_base::SourceMap;
use stet_diag::Diagnostic;
use stet_key::{DecodeError, Decoder, Encoder};

/// Changes whenever what travels, or what choices mean, changes: workers of another version do not take part.
const VERSION: u32 = 5;

/// A run as a worker sees it.
pub struct SharedRun {
    texts: Vec<Arc<str>>,
    library: Vec<bool>,
    pub config: Config,
}

impl SharedRun {
    /// The program; an error is a text that this version cannot read.
    pub fn input(&self) -> Result<Input, Box<Diagnostic>> {
        let mut input = Input::new();
        let mut sources = SourceMap::new();
        for (number, (text, &is_library)) in self.texts.iter().zip(&self.library).enumerate() {
            let name = format!("module {number}");
            let file = sources.add(name, text.clone());
            let too_large = || {
                let message = "a module of 4 GiB or more";
                Box::new(Diagnostic::error("input/too-large", message))
            };
            input.add_module(&sources, file.ok_or_else(too_large)?, is_library)?;
        }
        Ok(input)
    }
}

/// Whether several engines can keep the settings; an error names the one that they cannot.
pub fn check_shared(config: &Config) -> Result<(), String> {
    let Config {
        entry: _,
        args: _,
        search: _,
        seed: _,
        allocator,
        memory: _,
        split: _,
        limits,
        query,
        overshift: _,
        capture_output: _,
        max_allocation: _,
        max_frames: _,
        stop_at,
        environment: _,
        root,
        replay,
        replay_path,
        seeds,
        recording,
        function_aliases,
        static_limits,
        trace,
        klee,
        external,
        memory_used: _,
    } = config;
    let Limits {
        instructions,
        forks,
        depth,
        states,
        memory: _,
        paths,
    } = limits;
    let refused = [
        (instructions.is_some(), "a limit on instructions"),
        (forks.is_some(), "a limit on forks"),
        (depth.is_some(), "a limit on depth"),
        (states.is_some(), "a limit on states"),
        (paths.is_some(), "a limit on paths"),
        (*stop_at != StopAt::Nothing, "stopping at an error"),
        (root.is_some(), "a root directory"),
        (
            replay.is_some() || replay_path.is_some(),
            "a test to repeat",
        ),
        (seeds.is_some(), "seeds"),
        (records_paths(*recording), "records of paths"),
        (!function_aliases.is_empty(), "aliases of functions"),
        (
            static_limits.forks < 1.0 || static_limits.call_path_forks < 1.0,
            "limits on forks at one place",
        ),
        (*trace, "a trace"),
        (
            external.policy != ExternalPolicy::Refuse,
            "calls of external functions",
        ),
        (
            *klee != KleeRules::default(),
            "rules of KLEE's command line",
        ),
        (
            *allocator != Allocator::PerState,
            "an allocator that states share",
        ),
        (
            *query
                != QueryConfig {
                    solver_time: query.solver_time,
                    ..QueryConfig::full()
                },
            "switches of the query chain",
        ),
    ];
    match refused.iter().find(|(is_refused, _)| *is_refused) {
        Some((_, what)) => Err((*what).to_owned()),
        None => Ok(()),
    }
}

/// The bytes of a run; an error names the setting that several processes cannot keep.
pub fn write_run(input: &Input, config: &Config) -> Result<Vec<u8>, String> {
    check_shared(config)?;
    let mut e = Encoder::new();
    e.u32(VERSION);
    e.sequence(input.texts(), |e, text| e.str(text));
    e.sequence(input.library(), |e, &fills| e.bool(fills));
    e.str(&config.entry);
    e.sequence(&config.args, |e, arg| e.str(arg));
    e.sequence(&config.environment, |e, setting| e.str(setting));
    e.u8(match config.overshift {
        Overshift::Report => 0,
        Overshift::Unoptimized => 1,
        Overshift::Ignore => 2,
    });
    e.bool(config.capture_output);
    e.u64(config.max_allocation);
    e.u32(config.max_frames);
    e.option(config.query.solver_time, |e, time| {
        e.u64(time.as_millis() as u64)
    });
    e.u8(match config.memory {
        MemoryModel::Forking => 0,
        MemoryModel::Segmented { reuse: false } => 1,
        MemoryModel::Segmented { reuse: true } => 2,
    });
    e.option(config.split, |e, split| {
        e.u64(split.threshold);
        e.u64(split.part);
    });
    Ok(e.bytes().to_vec())
}

fn read_split(d: &mut Decoder<'_>) -> Result<Split, DecodeError> {
    let (threshold, part) = (d.u64()?, d.u64()?);
    match part > 0 && part.is_multiple_of(8) {
        true => Ok(Split { threshold, part }),
        false => Err(DecodeError::OutOfRange),
    }
}

/// The run in these bytes.
pub fn read_run(bytes: &[u8]) -> Result<SharedRun, DecodeError> {
    let mut d = Decoder::new(bytes);
    if d.u32()? != VERSION {
        return Err(DecodeError::OutOfRange);
    }
    let text = |d: &mut Decoder<'_>| Ok(d.str()?.to_owned());
    let texts = d.sequence(|d| Ok(Arc::from(d.str()?)))?;
    let library = d.sequence(Decoder::bool)?;
    let config = Config {
        entry: d.str()?.to_owned(),
        args: d.sequence(text)?,
        environment: d.sequence(text)?,
        overshift: match d.u8()? {
            0 => Overshift::Report,
            1 => Overshift::Unoptimized,
            2 => Overshift::Ignore,
            _ => return Err(DecodeError::OutOfRange),
        },
        capture_output: d.bool()?,
        max_allocation: d.u64()?,
        max_frames: d.u32()?,
        query: QueryConfig {
            solver_time: d.option(Decoder::u64)?.map(Duration::from_millis),
            ..QueryConfig::full()
        },
        memory: match d.u8()? {
            0 => MemoryModel::Forking,
            1 => MemoryModel::Segmented { reuse: false },
            2 => MemoryModel::Segmented { reuse: true },
            _ => return Err(DecodeError::OutOfRange),
        },
        split: d.option(read_split)?,
        search: vec![Search::Dfs],
        ..Config::standard()
    };
    d.finish()?;
    Ok(SharedRun {
        texts,
        library,
        config,
    })
}

/// Whether something is recorded of each path; a profile is not, and is kept by each process for itself.
fn records_paths(recording: Recording) -> bool {
    let paths = Recording {
        profile: false,
        ..recording
    };
    paths != Recording::default()
}
