//! Random Prolog programs: against SWI-Prolog, and with checks cached or proved against checks recomputed.

pub mod checks;
pub mod differential;
pub mod discharge;
