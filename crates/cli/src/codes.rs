//! The diagnostic codes of the command line: input files, settings, the store's commands, limits.

use stet_diag::Code;

/// Every code that belongs to no engine.
pub(crate) const CODES: &[Code] = &[
    Code {
        id: "cli/usage",
        title: "an option has a wrong value",
        explanation: "`stet COMMAND --help` lists the options and their values.",
        example: "stet verify --prover-option smt.qi program.bpl",
    },
    Code {
        id: "input/not-found",
        title: "an input file does not exist",
        explanation: "Paths are relative to the current directory.",
        example: "stet verify missing.bpl",
    },
    Code {
        id: "input/directory",
        title: "an input is a directory",
        explanation: "This command takes files.",
        example: "stet run examples",
    },
    Code {
        id: "input/permission",
        title: "an input file may not be read",
        explanation: "The system denies the permission.",
        example: "chmod a-r program.bpl; stet verify program.bpl",
    },
    Code {
        id: "input/unreadable",
        title: "an input file cannot be read",
        explanation: "The system's message says why.",
        example: "a file on a disk that reports errors",
    },
    Code {
        id: "input/not-utf8",
        title: "an input file is not UTF-8 text",
        explanation: "The note names the first byte that does not belong to a character.",
        example: "stet verify latin1.bpl",
    },
    Code {
        id: "input/too-large",
        title: "an input file is too large",
        explanation: "Source files may have up to 4 GiB.",
        example: "stet verify huge.bpl",
    },
    Code {
        id: "output/write-failed",
        title: "results could not be written",
        explanation: "Writing to the standard output or to the file of `--output` failed, so the answer is incomplete: the exit code is 2.",
        example: "stet verify program.bpl > /dev/full",
    },
    Code {
        id: "limit/memory",
        title: "the memory limit was reached",
        explanation: "The run stopped with what was found so far and is inconclusive. `--memory-limit` raises the limit, which is \
            by default nine tenths of the machine's memory or of the limit set for the process.",
        example: "stet --memory-limit 100M explore program.c",
    },
    Code {
        id: "limit/time",
        title: "the time limit was reached in a phase that has no partial results",
        explanation: "Most phases stop by themselves and report what they have; this one was ended.",
        example: "stet --time-limit 0.1 verify huge.bpl",
    },
    Code {
        id: "config/unknown",
        title: "a setting names no option",
        explanation: "Settings in stet.toml have the names of the long options; options of one command stand in its section. \
            STET_* variables are named after command and option.",
        example: "[verify]\nloop-unrol = 3",
    },
    Code {
        id: "config/invalid-value",
        title: "a setting has a value its option does not take",
        explanation: "Values from stet.toml and STET_* variables are checked like those on the command line.",
        example: "STET_TIME_LIMIT=soon stet verify program.bpl",
    },
    Code {
        id: "config/syntax",
        title: "stet.toml is not valid TOML",
        explanation: "The place is where the reader could not go on.",
        example: "[verify",
    },
    Code {
        id: "config/too-large",
        title: "stet.toml is too large",
        explanation: "A configuration file may have up to 4 GiB.",
        example: "a stet.toml of 5 GiB",
    },
    Code {
        id: "cache/enforced-miss",
        title: "`--cache enforce` and a verdict that is not stored",
        explanation: "Something had to be computed although every verdict was to come from the store.",
        example: "stet --cache enforce verify new.bpl",
    },
    Code {
        id: "config/unknown-variable",
        title: "a STET_* variable means nothing",
        explanation: "Variables are named after command and option, as docs/CONFIG.md explains; a misspelt one would do nothing.",
        example: "STET_JOB=4 stet verify program.bpl",
    },
    Code {
        id: "cache/export-over-store",
        title: "an export would replace a store",
        explanation: "The file to write is an SQLite database: the store that is read, or another one. Choose another file.",
        example: "stet --store verdicts.db cache export verdicts.db",
    },
    Code {
        id: "cache/keys",
        title: "a signing or trusted key cannot be used",
        explanation: "The message says what is wrong. docs/SHARED.md explains who signs and who is believed.",
        example: "stet cache keys trust ci nonsense",
    },
    Code {
        id: "cache/no-remote",
        title: "no shared store is named",
        explanation: "Name it with `--remote URL`, or with `remote` in stet.toml.",
        example: "stet cache push",
    },
    Code {
        id: "cache/remote",
        title: "the shared store failed",
        explanation: "It cannot be reached or reported an error; the message has its words.",
        example: "stet --remote redis://nowhere cache push",
    },
    Code {
        id: "cache/no-pack",
        title: "the shared store has no pack with this name",
        explanation: "Packs are named after command and file, for instance `verify program.bpl`; `stet cache push` makes the one that is fetched without a name.",
        example: "stet cache pull nothing",
    },
    Code {
        id: "cache/unknown-subject",
        title: "the store knows nothing about a subject",
        explanation: "`stet cache why` takes the names that reports show: a file and a procedure, for instance.",
        example: "stet cache why nothing.bpl",
    },
    Code {
        id: "cache/no-path",
        title: "there is no place for a store",
        explanation: "Set HOME or XDG_CACHE_HOME, or choose a file with `--store`.",
        example: "env -i stet cache stats",
    },
    Code {
        id: "cache/read-only",
        title: "the command changes a store that may only be read",
        explanation: "Leave out `--cache read-only`, `enforce` or `off`.",
        example: "stet --cache read-only cache clear",
    },
    Code {
        id: "cache/unusable",
        title: "there is no usable store",
        explanation: "A warning before this one says what is wrong with the file.",
        example: "stet --store photo.jpg cache stats",
    },
    Code {
        id: "cache/failed",
        title: "the store could not be read or written",
        explanation: "A warning before this one has the system's message.",
        example: "stet cache compact   # on a full disk",
    },
    Code {
        id: "cache/damaged-entries",
        title: "`stet cache verify` found damaged entries",
        explanation: "They are never used; `stet cache compact` drops them.",
        example: "stet cache verify",
    },
    Code {
        id: "cache/damaged-file",
        title: "`stet cache verify` found a damaged file",
        explanation: "The notes are SQLite's own findings. `stet cache clear` makes the file new.",
        example: "stet cache verify",
    },
    Code {
        id: "cache/io",
        title: "an export cannot be written",
        explanation: "The system's message says why.",
        example: "stet cache export /no/such/folder/file",
    },
    Code {
        id: "cache/import",
        title: "a file cannot be imported",
        explanation: "It is missing, damaged, or not an export of Stet.",
        example: "stet cache import notes.txt",
    },
    Code {
        id: "bench/not-built",
        title: "a benchmark program is not built",
        explanation: "Benchmarks are programs of the source tree: `cargo build --release --workspace` builds them.",
        example: "stet bench verify",
    },
    Code {
        id: "bench/failed",
        title: "a benchmark program failed",
        explanation: "Its own messages stand before this one.",
        example: "stet bench verify",
    },
    Code {
        id: "debug/found",
        title: "a finding made up by `stet debug`",
        explanation: "For the tests of Stet itself.",
        example: "stet debug read FILE",
    },
    Code {
        id: "debug/waiting",
        title: "`stet debug` waits",
        explanation: "For the tests of Stet itself.",
        example: "stet debug wait",
    },
    Code {
        id: "debug/check",
        title: "a verdict made up by `stet debug`",
        explanation: "For the tests of Stet itself.",
        example: "stet debug check 1",
    },
    Code {
        id: "explain/unknown-code",
        title: "there is no such diagnostic code",
        explanation: "`stet explain` without a code lists all of them.",
        example: "stet explain verify/nonsense",
    },
    Code {
        id: "internal/cache-mismatch",
        title: "a cached verdict differs from its recomputation",
        explanation: "Found by `--check-cache`. This is a defect of Stet: please report it with the input and both keys.",
        example: "stet --check-cache verify program.bpl",
    },
];
