//! Assertions that stop a debug build and let a release build go on.
//!
//! `always!(cond, "…")` evaluates to `cond`, `never!("…")` to nothing; where the condition fails, a debug
//! build panics and a release build reports the fault once through the hook the command line installs,
//! after which the caller takes the safe way out: a miss, or `Unknown`.

use std::sync::OnceLock;

/// What a release build does with a broken internal assumption.
pub type FaultHook = fn(&str);

static HOOK: OnceLock<FaultHook> = OnceLock::new();

/// Installs the reporter; the first call wins.
pub fn set_fault_hook(hook: FaultHook) {
    let _ = HOOK.set(hook);
}

/// Panics in debug builds, reports in release builds. Called by the macros.
pub fn report_fault(message: &str) {
    if cfg!(debug_assertions) {
        panic!("{message}");
    }
    if let Some(hook) = HOOK.get() {
        hook(message);
    }
}

/// Asserts a condition and returns it, so that the caller can recover: `if !always!(x) { return miss }`.
#[macro_export]
macro_rules! always {
    ($condition:expr $(,)?) => {
        $crate::always!($condition, "assumption failed: {}", stringify!($condition))
    };
    ($condition:expr, $($message:tt)+) => {{
        let holds: bool = $condition;
        if !holds {
            $crate::report_fault(&format!($($message)+));
        }
        holds
    }};
}

/// Marks a place that must not be reached.
#[macro_export]
macro_rules! never {
    ($($message:tt)+) => {
        $crate::report_fault(&format!($($message)+))
    };
}
