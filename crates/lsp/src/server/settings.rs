//! Changes of the editor's settings while the server runs.
//!
//! `initializationOptions` and the section `stet` of `workspace/didChangeConfiguration` have the same fields:
//! `pause` (milliseconds), `verifyOn` (`change`, `save`, `never`), `procedureTimeLimit` (seconds, 0 for none),
//! `errorLimit`, `jobs`. A field that is absent or of another type leaves the setting as it is.

use super::{Server, VerifyOn};
use serde_json::{Value, json};
use std::time::Duration;

impl Server {
    /// Takes settings over; what they change applies to verifications that start from now on.
    pub(super) fn configure(&mut self, settings: &Value) {
        let section = match settings.get("stet") {
            Some(section) if section.is_object() => section,
            _ => settings,
        };
        if let Some(pause) = section["pause"].as_u64() {
            self.pause = Duration::from_millis(pause.min(600_000));
        }
        let named = section["verifyOn"].as_str().and_then(VerifyOn::named);
        self.verify_on = named.unwrap_or(self.verify_on);
        let options = &mut self.workshop.options;
        if let Some(seconds) = section["procedureTimeLimit"].as_f64() {
            let limit = Duration::try_from_secs_f64(seconds).ok();
            options.time_limit = limit.filter(|limit| !limit.is_zero());
        }
        if let Some(limit) = section["errorLimit"].as_u64() {
            options.error_limit = limit as usize;
        }
        if let Some(jobs) = section["jobs"].as_u64() {
            options.jobs = (jobs as usize).clamp(1, 256);
        }
    }

    /// Asks the editor to tell when files change that documents may include.
    pub(super) fn watch_files(&mut self) {
        if !self.offers.watching {
            return;
        }
        let watchers =
            json!([{ "globPattern": "**/*.dfy" }, { "globPattern": "**/dfyconfig.toml" }]);
        let registration = json!({
            "id": "stet/files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        self.call(
            "client/registerCapability",
            json!({ "registrations": [registration] }),
        );
    }
}
