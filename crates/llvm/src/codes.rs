//! The diagnostic codes of the LLVM IR reader.

use stet_diag::Code;

/// Every code the reader reports.
pub const CODES: &[Code] = &[Code {
    id: "llvm/syntax",
    title: "the text is not LLVM IR",
    explanation: "The reader takes the textual IR of LLVM 14 to 22. The place is where it could not go on.",
    example: "define i32 @main( {",
}];
