//! Verdicts by key: a memory tier before one file shared by processes.
