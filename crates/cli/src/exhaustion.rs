//! Out of memory is a resource error with exit code 3, not an abort.
//!
//! An allocation that the system refuses ends in Rust's (or a C++ solver's) call of `abort`. The allocator here remembers
//! that an allocation was refused, and a handler of SIGABRT turns an abort after that into the documented
//! message and exit code. So does an overflow of a stack that the system did not give its full depth. Fallible allocations (`try_reserve`) are not affected: they see the refusal and go on.

#![allow(
    unsafe_code,
    reason = "an allocator and a signal handler cannot be written without"
)]

use crate::exit::{ExitStatus, INTERNAL};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

static REFUSED: AtomicBool = AtomicBool::new(false);

const OUT_OF_MEMORY: &[u8] =
    b"error[limit/memory]: the system gives no more memory\n = note: the run stopped without a verdict; raise the limit of the process\n";
const ABORTED: &[u8] = b"stet: internal error: the process aborted itself\n";

/// The system's allocator, remembering refusals.
pub(crate) struct Allocator;

fn noted(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        REFUSED.store(true, Ordering::SeqCst);
    }
    pointer
}

// SAFETY: every call is passed on to the system's allocator unchanged, and so is its answer.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the ones `System` asks for.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the ones `System` asks for.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the ones `System` asks for.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are the ones `System` asks for.
        noted(unsafe { System.realloc(pointer, layout, size) })
    }
}

/// Installs the handler of SIGABRT.
pub(crate) fn install() {
    let handler = on_abort as extern "C" fn(libc::c_int);
    // SAFETY: the handler only calls `write` and `_exit`, which signal handlers may.
    unsafe {
        libc::signal(libc::SIGABRT, handler as libc::sighandler_t);
    }
}

extern "C" fn on_abort(_: libc::c_int) {
    let is_refused = REFUSED.load(Ordering::SeqCst) || stet_base::is_stack_shallow();
    let (message, code) = if is_refused {
        (OUT_OF_MEMORY, ExitStatus::Inconclusive.code())
    } else {
        (ABORTED, INTERNAL)
    };
    // SAFETY: the buffer is a constant; `write` and `_exit` may be called in a signal handler.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::_exit(code.into());
    }
}
