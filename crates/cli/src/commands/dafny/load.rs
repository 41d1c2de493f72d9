//! Dafny programs from files to Boogie programs in memory.

use crate::session::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_base::FileId;
use stet_dafny::{Includes, Project};
pub(crate) use stet_dafny_verify::{Loaded, front};

/// Reads included files relative to the file that includes them.
#[derive(Default)]
pub(crate) struct Files {
    /// The files the user named: where they are, and the names they have in the session.
    named: Vec<(PathBuf, String)>,
}

impl Files {
    pub(crate) fn new(session: &Session, files: &[FileId]) -> Self {
        let names = files
            .iter()
            .map(|&f| session.sources.file(f).name().to_owned());
        let named = names
            .filter_map(|name| Some((std::fs::canonicalize(&name).ok()?, name)))
            .collect();
        Files { named }
    }
}

impl Includes for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        let base = Path::new(from).parent().unwrap_or(Path::new(""));
        let file: PathBuf = base.join(path);
        let place = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        // A file that includes one of the named files must not bring it in under a second name.
        let named = self.named.iter().find(|(path, _)| *path == place);
        let name = match named {
            Some((_, name)) => name.clone(),
            None => place.display().to_string(),
        };
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok((name, text.into())),
            Err(error) => Err(format!("unable to open included file `{path}`: {error}")),
        }
    }
}

/// As [`Files`], for documents of an editor: each is read with the other files of the nearest `dfyconfig.toml` above it.
pub(crate) struct ProjectFiles;

impl Includes for ProjectFiles {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        Files::default().load(from, path)
    }

    fn project(&mut self, root: &str) -> Result<Project, String> {
        let Some(found) = project_of(root)? else {
            return Ok(Project::default());
        };
        let asked = super::project_options(&found)?;
        let names = found.files.iter().map(|f| f.display().to_string());
        Ok(Project {
            files: names.collect(),
            options: Some(asked.language),
        })
    }
}

/// The project that a file belongs to: the nearest project file above it, unless that leaves the file out.
pub(crate) fn project_of(file: &str) -> Result<Option<super::project::Project>, String> {
    let above = Path::new(file).ancestors().skip(1);
    let mut places = above.map(|directory| directory.join("dfyconfig.toml"));
    let Some(place) = places.find(|place| place.is_file()) else {
        return Ok(None);
    };
    let found = super::project::expand(&[place])?;
    let is_in = found.files.iter().any(|name| name == Path::new(file));
    Ok(is_in.then_some(found))
}

/// Parses and resolves a program.
pub(crate) fn resolve(
    session: &mut Session,
    files: &[FileId],
    options: stet_dafny::Options,
) -> stet_dafny::Checked {
    let mut includes = Files::new(session, files);
    stet_dafny::check_with(&mut session.sources, files, &mut includes, options)
}

/// Parses, resolves and translates a program.
pub(crate) fn load(session: &mut Session, files: &[FileId]) -> Loaded {
    load_with(session, files, stet_dafny::Options::DEFAULT)
}

/// The same with options of Dafny.
pub(crate) fn load_with(
    session: &mut Session,
    files: &[FileId],
    options: stet_dafny::Options,
) -> Loaded {
    let mut includes = Files::new(session, files);
    stet_dafny_verify::load_with(&mut session.sources, files, &mut includes, options)
}
