//! A broken Stet says so, says how to report it, and exits with 101.

use crate::version;
use std::io::Write;
use std::panic::PanicHookInfo;

/// Installs the panic hook and the reporter of broken assumptions in release builds.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(anstream::stderr(), "{}", panic_message(info));
    }));
    stet_base::set_fault_hook(|message| {
        let text = report_text(message, None);
        let _ = writeln!(anstream::stderr(), "{text}");
    });
}

fn panic_message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = info.location().map(ToString::to_string);
    let mut text = report_text(message, place.as_deref());
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
        text += &format!("\n{}", std::backtrace::Backtrace::force_capture());
    }
    text
}

/// What the user reads when an assumption of the program fails.
fn report_text(message: &str, place: Option<&str>) -> String {
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    format!(
        "stet: internal error: {message}{place}\n\
         This is a defect of Stet, not of your program. Please report it with this message, the command\n\
         line and, if possible, the input; run again with RUST_BACKTRACE=1 for more detail.\n\
         {}",
        version::line()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_names_the_fault_the_place_and_the_build() {
        let text = report_text("index out of range", Some("a.rs:1:2"));
        let first = text.lines().next().unwrap();
        assert_eq!(first, "stet: internal error: index out of range (a.rs:1:2)");
        assert!(text.contains("Please report it"), "{text}");
        assert!(text.ends_with(version::line()), "{text}");
    }
}
