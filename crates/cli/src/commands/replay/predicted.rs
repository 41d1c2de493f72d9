//! What an exploration said about a test, in the files beside it, compared with how the native run ended.
//!
//! `exits.txt` has the exit statuses of paths that ended, `assumed.txt` the tests on whose paths the model of the system assumed something
//! that may be otherwise here (times of files, what is a terminal), `STEM.KIND.err` the error of a path, `STEM.early` the limit that cut it off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitStatus as NativeStatus;

/// How the path of a test ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Prediction {
    Exit(i32),
    /// With a status that depends on what the exploration assumed.
    Assumed(i32),
    /// With an error, by its message.
    Error(String),
    /// It did not: a limit was reached.
    CutOff,
}

/// A native run beside its prediction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judgement {
    AsPredicted,
    /// The program went on behind the error, which native code may.
    Unnoticed(String),
    Otherwise(String),
    /// Otherwise, which may be because of what the exploration assumed.
    Leaning(String),
    /// A native run cannot be made as the test has it.
    Apart(String),
    /// Nothing was predicted.
    Open,
}

/// The predictions of output directories, read once each.
#[derive(Debug, Default)]
pub(crate) struct Predictions {
    directories: BTreeMap<PathBuf, BTreeMap<String, Prediction>>,
}

impl Predictions {
    /// `None` for a test that lies elsewhere than in an output directory.
    pub(crate) fn of(&mut self, test: &Path) -> Option<Prediction> {
        let directory = test.parent()?;
        let stem = test.file_stem()?.to_str()?;
        let known = self.directories.entry(directory.to_owned());
        known.or_insert_with(|| read(directory)).get(stem).cloned()
    }
}

fn read(directory: &Path) -> BTreeMap<String, Prediction> {
    let mut found = BTreeMap::new();
    let exits = std::fs::read_to_string(directory.join("exits.txt")).unwrap_or_default();
    for line in exits.lines() {
        if let Some((stem, status)) = line.split_once(' ')
            && let Ok(status) = status.parse()
        {
            found.insert(stem.to_owned(), Prediction::Exit(status));
        }
    }
    let assumed = std::fs::read_to_string(directory.join("assumed.txt")).unwrap_or_default();
    for stem in assumed.lines() {
        if let Some(Prediction::Exit(status)) = found.get(stem) {
            let prediction = Prediction::Assumed(*status);
            found.insert(stem.to_owned(), prediction);
        }
    }
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some((stem, kind)) = name.and_then(|name| name.split_once('.')) else {
            continue;
        };
        let prediction = match kind {
            "early" => Prediction::CutOff,
            _ if kind.ends_with(".err") => Prediction::Error(message(&path)),
            _ => continue,
        };
        found.insert(stem.to_owned(), prediction);
    }
    found
}

/// The message in a file about an error, which is its first line.
fn message(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("Error: ").unwrap_or(first).to_owned()
}

impl Judgement {
    /// `ended` is `None` for a run that was stopped.
    pub(crate) fn of(prediction: Option<&Prediction>, ended: Option<NativeStatus>) -> Self {
        match (prediction, ended) {
            (None | Some(Prediction::CutOff), _) => Judgement::Open,
            (Some(Prediction::Exit(said) | Prediction::Assumed(said)), Some(ended))
                if ended.code() == Some(*said) =>
            {
                Judgement::AsPredicted
            }
            (Some(Prediction::Assumed(said)), _) => Judgement::Leaning(format!(
                "predicted was exit status {said}, which depends on what was assumed of the system"
            )),
            (Some(Prediction::Exit(said)), _) => {
                Judgement::Otherwise(format!("predicted was exit status {said}"))
            }
            (Some(Prediction::Error(message)), Some(ended)) if ended.success() => {
                Judgement::Unnoticed(format!(
                    "the error that was predicted had no effect: {message}"
                ))
            }
            (Some(Prediction::Error(_)), _) => Judgement::AsPredicted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    #[test]
    fn ends_are_compared_with_what_the_directory_says() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| {
            std::fs::write(directory.path().join(name), text).expect("a writable directory");
        };
        write("exits.txt", "test000001 0\ntest000002 3\ntest000006 1\n");
        write("assumed.txt", "test000006\n");
        write("test000003.ptr.err", "Error: out of bounds\nFile: p.c\n");
        write("test000004.early", "the time limit\n");
        let mut predictions = Predictions::default();
        let mut judged = |stem: &str, status: Option<i32>| {
            let test = directory.path().join(format!("{stem}.ktest"));
            let ended = status.map(NativeStatus::from_raw);
            Judgement::of(predictions.of(&test).as_ref(), ended)
        };
        let exit = |status: i32| Some(status << 8);
        assert_eq!(judged("test000001", exit(0)), Judgement::AsPredicted);
        assert_eq!(judged("test000002", exit(3)), Judgement::AsPredicted);
        let otherwise = Judgement::Otherwise("predicted was exit status 0".to_owned());
        assert_eq!(judged("test000001", exit(1)), otherwise);
        assert_eq!(judged("test000001", Some(11)), otherwise);
        assert_eq!(judged("test000001", None), otherwise);
        assert_eq!(judged("test000003", Some(6)), Judgement::AsPredicted);
        assert_eq!(judged("test000003", None), Judgement::AsPredicted);
        let unnoticed = "the error that was predicted had no effect: out of bounds".to_owned();
        assert_eq!(
            judged("test000003", exit(0)),
            Judgement::Unnoticed(unnoticed)
        );
        assert_eq!(judged("test000006", exit(1)), Judgement::AsPredicted);
        assert!(matches!(
            judged("test000006", exit(0)),
            Judgement::Leaning(_)
        ));
        assert_eq!(judged("test000004", exit(0)), Judgement::Open);
        assert_eq!(judged("test000005", exit(0)), Judgement::Open);
    }
}
