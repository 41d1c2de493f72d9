//! Campaigns on Dafny programs.
//!
//! | module | answers |
//! |---|---|
//! | `subject` | one program verified in this process |
//! | `soundness` | is `assert false` rejected everywhere in programs that verify? does the prelude contradict itself? |
//! | `features` | small programs, one for each feature of the prelude |

pub mod features;
pub mod soundness;
pub mod subject;
