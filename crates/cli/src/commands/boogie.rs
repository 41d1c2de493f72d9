//! `stet boogie`: Boogie's command line on Stet's verifier.
//!
//! Speaks Boogie 2.4.1's language: its options, its messages with its positions, its trailer. Exit codes are Boogie's too: 0 whatever the
//! verdicts, 1 for a command line it does not understand; unreadable input is 2.

mod engine;
mod front;
mod options;
mod xml;

use crate::exit::ExitStatus;
use crate::session::Session;
use options::Arguments;
use std::ffi::OsString;
use std::path::Path;

/// Options of `stet boogie`: everything after the command's name, to be read by its own rules.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Options and files as boogie takes them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

const VERSION: &str = "Boogie program verifier version 2.4.1.10503";
const LOGO: &str =
    "Boogie program verifier version 2.4.1.10503, Copyright (c) 2003-2014, Microsoft.";

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let arguments = options
        .arguments
        .iter()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    if let [only] = &options.arguments[..]
        && (only == "--help" || only == "-h")
    {
        session.output.line(HELP);
        return ExitStatus::Code(0);
    }
    let arguments = match options::parse(arguments) {
        Ok(arguments) => arguments,
        Err(problems) => {
            for problem in problems {
                anstream::eprintln!("Boogie: Error: {problem}");
            }
            session.output.line("Use /help for available options");
            return ExitStatus::Code(1);
        }
    };
    if arguments.has("help") || arguments.has("?") {
        session.output.line(HELP);
        return ExitStatus::Code(0);
    }
    if arguments.files.is_empty() {
        session
            .output
            .line("*** Error: No input files were specified.");
        return ExitStatus::Code(1);
    }
    if !arguments.has("nologo") {
        session.output.line(LOGO);
    }
    let arguments = match with_response_files(arguments) {
        Ok(arguments) => arguments,
        Err(problem) => {
            session.output.line(&problem);
            return ExitStatus::Code(1);
        }
    };
    if let Some(solver) = engine::missing_solver(&arguments) {
        let line = format!("*** Error: the solver '{solver}' is not available");
        session.output.line(&line);
        return ExitStatus::Code(1);
    }
    for option in arguments.other_analyses() {
        let text = format!("Warning: /{option} has no effect: programs are verified as written");
        crate::output::error_line(&text);
    }
    front::process(session, &arguments)
}

/// Replaces `.txt` files by the arguments in them; refuses files that are not Boogie programs.
fn with_response_files(mut arguments: Arguments) -> Result<Arguments, String> {
    let mut files = Vec::new();
    for file in std::mem::take(&mut arguments.files) {
        let extension = match Path::new(&file).extension() {
            Some(extension) => format!(".{}", extension.to_string_lossy()),
            None => String::new(),
        };
        match extension.as_str() {
            ".txt" => {
                let text = std::fs::read_to_string(&file)
                    .map_err(|error| format!("Error opening file \"{file}\": {error}"))?;
                files.extend(text.split_whitespace().map(str::to_owned));
            }
            ".bpl" => files.push(file),
            _ if file == "stdin.bpl" => files.push(file),
            _ => return Err(unsupported(&file, &extension)),
        }
    }
    for file in &files {
        if !file.ends_with(".bpl") {
            let extension = match Path::new(file).extension() {
                Some(extension) => format!(".{}", extension.to_string_lossy()),
                None => String::new(),
            };
            return Err(unsupported(file, &extension));
        }
    }
    arguments.files = files;
    Ok(arguments)
}

fn unsupported(file: &str, extension: &str) -> String {
    format!(
        "*** Error: '{file}': Filename extension '{extension}' is not supported. Input files must be BoogiePL programs (.bpl)."
    )
}

const HELP: &str = "\
stet boogie [ option ... ] [ file.bpl ... ]
Options start with / or -; values follow a colon or stand in the next argument.

  Input and output
    /nologo                  no version line
    /useBaseNameForFileName  messages name files without their directory
    /print:<file>            print the program as read (- is the standard output)
    /pretty:<0|1>            break long lines when printing (default 1)
    /printUnstructured       print bodies as blocks too
    /printInstrumented       print the program after inference
    /printInlined            print implementations after inlining
    /env:<n>                 0: no header in printed programs
    /xml:<file>              write the results as XML
    /noResolve /noTypecheck /noVerify   stop after reading, resolution, type checking
    /overlookTypeErrors      skip implementations with errors of resolution or types

  Verification
    /proc:<name>             only procedures with this name (* matches anything; repeatable)
    /infer:<letters> /noinfer   abstract interpretation (j: intervals, t: trivial)
    /loopUnroll:<n>          unroll loops; /soundLoopUnrolling fails where that is not enough
    /inline:<none|assume|assert|spec>   what to do with {:inline n} (default assume)
    /subsumption:<0|1|2>     assume assertions that were checked (default 2)
    /smoke                   look for unreachable code
    /vcsMaxSplits:<n> /vcsCores:<n>     split conditions, verify several at once
    /typeEncoding:<n|p|a|m>  how types are encoded

  Errors
    /errorLimit:<n>          errors per procedure (default 5)
    /errorTrace:<0|1|2>      how much of the failing path to show (default 1)
    /printModel:<n>          show counterexample models
    /mv:<file>               write counterexample models to a file
    /timeLimit:<s> /rlimit:<n>   limits per procedure

  Caching
    /verifySnapshots:<0|1|2|3>   verify x.v0.bpl, x.v1.bpl, ... in turn, reusing results
    /traceCaching:<0|1|2|3>      tell what was reused

  Prover
    /z3exe:<path>            the prover's executable
    /proverOpt:<key[=value]> an option for the prover
    /proverLog:<file>        write what is sent to the prover

Other options of Boogie are accepted and have no effect.";
