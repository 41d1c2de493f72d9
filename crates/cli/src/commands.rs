//! One module per command; each returns the exit status of DESIGN: 0 nothing found, 1 findings, 2 usage or
//! unreadable input, 3 inconclusive, 101 internal error, 130 interrupted.

pub(crate) mod bench;
pub(crate) mod boogie;
pub(crate) mod cache;
pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod dafny;
pub(crate) mod debug;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod klee;
pub(crate) mod klee_replay;
pub(crate) mod klee_stats;
pub(crate) mod klee_zesti;
pub(crate) mod ktest_tool;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod setup;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod worker;

use self::cc::cxx;
use crate::exit::ExitStatus;
use crate::options::{Command, Stet};
use crate::output;
use crate::session::Session;
use stet_base::SourceMap;

/// Carries out the command and returns the exit code.
pub(crate) fn dispatch(options: Stet) -> u8 {
    let Stet { command, global } = options;
    macro_rules! carry_out {
        ($module:ident, $options:expr) => {{
            let mut session = match Session::new(stringify!($module), global) {
                Ok(session) => session,
                Err(diagnostic) => {
                    output::error_diagnostic(&SourceMap::new(), &diagnostic);
                    return ExitStatus::Usage.code();
                }
            };
            let status = match session.check_shared() {
                None => $module::execute(&mut session, &$options),
                Some(status) => status,
            };
            session.finish(status)
        }};
    }
    match command {
        Command::Explore(options) => carry_out!(explore, options),
        Command::Verify(options) => carry_out!(verify, options),
        Command::Run(options) => carry_out!(run, options),
        Command::Worker(options) => carry_out!(worker, options),
        Command::Check(options) => carry_out!(check, options),
        Command::Boogie(options) => carry_out!(boogie, options),
        Command::Dafny(options) => carry_out!(dafny, options),
        Command::Klee(options) => carry_out!(klee, options),
        Command::KleeZesti(options) => carry_out!(klee_zesti, options),
        Command::KleeReplay(options) => carry_out!(klee_replay, options),
        Command::KleeStats(options) => carry_out!(klee_stats, options),
        Command::KtestTool(options) => carry_out!(ktest_tool, options),
        Command::Cc(options) => carry_out!(cc, options),
        Command::Cxx(options) => carry_out!(cxx, options),
        Command::Mcp(options) => carry_out!(mcp, options),
        Command::Replay(options) => carry_out!(replay, options),
        Command::Cache(options) => carry_out!(cache, options),
        Command::Bench(options) => carry_out!(bench, options),
        Command::Completions(options) => carry_out!(completions, options),
        Command::Doctor(options) => carry_out!(doctor, options),
        Command::Setup(options) => carry_out!(setup, options),
        Command::Explain(options) => carry_out!(explain, options),
        Command::Lsp(options) => carry_out!(lsp, options),
        Command::Watch(options) => carry_out!(watch, options),
        Command::Man(options) => carry_out!(man, options),
        Command::Debug(options) => carry_out!(debug, options),
    }
}
