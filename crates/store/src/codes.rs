//! The diagnostic codes of the verdict store.
//!
//! None of them changes a verdict: whatever is wrong with a store, its entries count as misses.

use stet_diag::Code;

/// Every code the store reports.
pub const CODES: &[Code] = &[
    Code {
        id: "store/busy",
        title: "other processes keep the store locked",
        explanation: "Verdicts that could not be read are computed; those that could not be written are not stored.",
        example: "stet cache gc & stet verify program.bpl",
    },
    Code {
        id: "store/full",
        title: "no room left to write the store",
        explanation: "Verdicts of this run are not stored. Free space, or choose another file with `--store`.",
        example: "stet --store /full-disk/store.db verify program.bpl",
    },
    Code {
        id: "store/read-only",
        title: "the store cannot be written",
        explanation: "Stored verdicts are reused, new ones are kept for this run only.",
        example: "chmod a-w store.db; stet --store store.db verify program.bpl",
    },
    Code {
        id: "store/write-failed",
        title: "writing the store failed",
        explanation: "The system's message says why. Verdicts of this run may not be stored.",
        example: "a disk that reports errors",
    },
    Code {
        id: "store/damaged",
        title: "the store is damaged",
        explanation: "No verdict is taken from it. A run with `--cache read-write` or `stet cache clear` makes it new.",
        example: "truncate -s 5000 store.db; stet --store store.db verify program.bpl",
    },
    Code {
        id: "store/damaged-entry",
        title: "an entry of the store is damaged",
        explanation: "Its checksum does not match: it is ignored and computed again.",
        example: "a bit flipped on the disk",
    },
    Code {
        id: "store/large-entry",
        title: "a verdict is too large to be stored",
        explanation: "Its evidence exceeds the limit for one entry; it is computed again in the next run.",
        example: "a counterexample of several megabytes",
    },
    Code {
        id: "store/foreign-file",
        title: "the file is not a store of Stet",
        explanation: "It is left alone, and verdicts are kept for this run only. Check the path given with `--store`.",
        example: "stet --store photo.jpg verify program.bpl",
    },
    Code {
        id: "store/older-format",
        title: "the store has the format of an older version",
        explanation: "It starts afresh where it may be written.",
        example: "a store written by an earlier version of Stet",
    },
    Code {
        id: "store/newer-format",
        title: "the store has the format of a newer version",
        explanation: "It is left alone, and verdicts are kept for this run only.",
        example: "a store written by a later version of Stet",
    },
    Code {
        id: "store/unusable",
        title: "the store cannot be opened",
        explanation: "Verdicts are kept for this run only. The system's message says why.",
        example: "stet --store /no/such/folder/store.db verify program.bpl",
    },
    Code {
        id: "store/remote-failed",
        title: "the shared store is slow or failed",
        explanation: "The run goes on without it, and the runs of the next minute do not ask it. Verdicts are the same.",
        example: "stet --remote redis://nowhere verify program.bpl",
    },
    Code {
        id: "store/remote-refused",
        title: "an entry of the shared store is not believed",
        explanation: "It is damaged, forged, signed by a key that is not trusted, or not what its address says. It counts as a miss.",
        example: "a server that somebody else writes to",
    },
    Code {
        id: "store/remote-no-key",
        title: "nothing is sent for want of a signing key",
        explanation: "Entries without a signature would not be believed. `stet cache keys new NAME` makes a key.",
        example: "stet --remote-role write-only verify program.bpl",
    },
];
