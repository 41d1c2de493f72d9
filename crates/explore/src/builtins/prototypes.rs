//! The types of C functions that the engine carries out itself. Programs declare them in other ways (`char *malloc();`), and call them
//! with other types then.

use crate::shape::{Class, Shape};
use stet_llvm::Extension;

/// How a function takes its arguments and gives its result, if that is one way for all its callers.
pub(super) fn find(name: &str) -> Option<Shape> {
    let (result, params) = prototype(name)?.split_once(' ')?;
    Some(Shape {
        params: params.chars().map(class).collect(),
        result: result.chars().map(class).next().unwrap_or_default(),
    })
}

/// `v` is nothing, `i` an int, `l` a long or pointer.
fn class(letter: char) -> Class {
    match letter {
        'i' => Class::Whole(32, Extension::None),
        'l' => Class::Whole(64, Extension::None),
        _ => Class::Nothing,
    }
}

fn prototype(name: &str) -> Option<&'static str> {
    Some(match name {
        "malloc" | "valloc" | "__libc_malloc" | "malloc_usable_size" => "l l",
        "calloc" | "__libc_calloc" | "realloc" | "__libc_realloc" | "aligned_alloc"
        | "memalign" => "l ll",
        "reallocarray" => "l lll",
        "posix_memalign" => "i lll",
        "free" | "cfree" | "__libc_free" => "v l",
        "memcpy" | "memmove" | "mempcpy" => "l lll",
        "memset" => "l lil",
        "__memcpy_chk" | "__memmove_chk" => "l llll",
        "__memset_chk" => "l lill",
        "exit" | "_exit" | "_Exit" => "v i",
        "abort" => "v ",
        "putchar" => "i i",
        "puts" => "i l",
        "setjmp" | "_setjmp" => "i l",
        "sigsetjmp" | "__sigsetjmp" => "i li",
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => "v li",
        _ => return None,
    })
}
