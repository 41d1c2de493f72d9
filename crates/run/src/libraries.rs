//! The libraries that come with the system, by name.

/// Name as in `library(Name)` and text.
pub(crate) const LIBRARIES: &[(&str, &str)] = &[
    ("aggregate", include_str!("../lib/aggregate.pl")),
    ("apply", include_str!("../lib/apply.pl")),
    ("assoc", include_str!("../lib/assoc.pl")),
    ("dcg/basics", include_str!("../lib/dcg/basics.pl")),
    ("error", include_str!("../lib/error.pl")),
    ("gensym", include_str!("../lib/gensym.pl")),
    ("lists", include_str!("../lib/lists.pl")),
    ("option", include_str!("../lib/option.pl")),
    ("ordsets", include_str!("../lib/ordsets.pl")),
    ("pairs", include_str!("../lib/pairs.pl")),
    ("random", include_str!("../lib/random.pl")),
    ("readutil", include_str!("../lib/readutil.pl")),
    ("strings", include_str!("../lib/strings.pl")),
    ("ugraphs", include_str!("../lib/ugraphs.pl")),
    ("yall", include_str!("../lib/yall.pl")),
];

/// Libraries of other systems whose predicates are builtin here: using them is fine and does nothing.
pub(crate) const BUILTIN_LIBRARIES: &[&str] = &[
    "between", "write", "format", "streams", "terms", "terms_check", "sort", "aggregates", "system", "debug",
    "dialect", "iso_char", "iso_misc", "dynamic", "read", "prolog_flags", "term_basic", "engine_basic",
    "backtrackable", "main", "prolog_stack", "ansi_term", "shell", "process", "filesex", "tabling", "occurs",
    "strings_basic", "nb_set", "solution_sequences", "when", "dif", "coroutining", "charsio", "codesio",
    "statistics", "ctypes", "edit", "make", "check", "apply_macros", "hiordlib", "lists_basic",
];
