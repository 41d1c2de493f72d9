//! Boogie text to a resolved, typed program.
