//! Seeds for explorations: `.ktest` files, and plain files with the contents of a symbolic stream or file.

use super::environment::Environment;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_explore::{KTest, SeedUse, Seeds, TestObject};

/// Options about seeds.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Seeding {
    /// Explore the path of this input first: a test (.ktest), or a plain file with what symbolic standard input, or else the first symbolic file, begins with; may be repeated.
    #[arg(long, value_name = "FILE", help_heading = "Exploration")]
    pub(crate) seed_file: Vec<PathBuf>,
    /// Explore the paths of all files in this directory first; may be repeated.
    #[arg(long, value_name = "DIR", help_heading = "Exploration")]
    pub(crate) seed_dir: Vec<PathBuf>,
    /// Stop when the paths of all seeds have ended.
    #[arg(long, help_heading = "Exploration")]
    pub(crate) only_seed: bool,
}

impl Seeding {
    /// The seeds, read; `None` if none are asked for.
    pub(super) fn read(&self, environment: &Environment) -> Result<Option<Arc<Seeds>>, String> {
        let mut files = self.seed_file.clone();
        for folder in &self.seed_dir {
            files.extend(files_in(folder)?);
        }
        if files.is_empty() {
            return match self.only_seed {
                true => Err("--only-seed needs --seed-file or --seed-dir".to_owned()),
                false => Ok(None),
            };
        }
        let mut inputs = Vec::new();
        for file in &files {
            let bytes = read(file)?;
            inputs.push(match KTest::decode(&bytes) {
                Some(test) => test.objects,
                None => vec![plain(environment, file, bytes)?],
            });
        }
        Ok(Some(Arc::new(Seeds {
            inputs,
            by_name: true,
            extend: true,
            truncate: true,
            usage: match self.only_seed {
                true => SeedUse::UntilDone,
                false => SeedUse::First,
            },
        })))
    }
}

/// The tests in these files; a file that is not a test is an error.
pub(crate) fn tests(files: &[PathBuf]) -> Result<Vec<Vec<TestObject>>, String> {
    let test = |file: &PathBuf| {
        let bytes = read(file)?;
        let decoded = KTest::decode(&bytes);
        let decoded = decoded.ok_or_else(|| format!("`{}` is not a test case", file.display()));
        decoded.map(|test| test.objects)
    };
    files.iter().map(test).collect()
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))
}

/// The files of a directory that are not hidden, by name.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    match files.is_empty() {
        true => Err(format!("`{}` has no files", folder.display())),
        false => Ok(files),
    }
}

/// A plain file is what the program reads.
fn plain(environment: &Environment, file: &Path, bytes: Vec<u8>) -> Result<TestObject, String> {
    let named = environment.sym_file.first();
    let named = named.and_then(|file| file.rsplit_once('='));
    let name = if environment.sym_stdin.is_some() {
        "stdin".to_owned()
    } else if !environment.sym_files.is_empty() {
        "A-data".to_owned()
    } else if let Some((name, _)) = named {
        format!("{name}-data")
    } else {
        return Err(format!(
            "`{}` is not a test case; a plain file needs --sym-stdin, --sym-files or --sym-file",
            file.display()
        ));
    };
    Ok(TestObject { name, bytes })
}
