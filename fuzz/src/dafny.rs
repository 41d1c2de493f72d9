//! Campaigns on Dafny programs.
//!
//! | module | answers |
//! |---|---|
//! | `subject` | one program verified in this process |
//! | `soundness` | is `assert false` rejected everywhere in programs that verify? does the prelude contradict itself? |
//! | `differential` | do Stet, Dafny 2.3.0 and runs agree on generated methods? |
//! | `hints`, `peer` | does Dafny 2.3.0 find the same members wrong? |
//! | `features` | small programs, one for each feature of the prelude |

pub mod differential;
pub mod features;
pub mod hints;
pub mod peer;
pub mod soundness;
pub mod subject;
