//! Cargo packages: each target with marked functions, or with a `main`, as a program to explore.
//!
//! Cargo builds the package with profile settings of its own in `target/stet`, so that dependencies are built once and nothing of the
//! user's own build is touched. The crate `stet` is given to every crate of the package, and `cfg(stet)` is set.

use super::Options;
use super::rust::{self, Compiled};
use super::toolchain::{Prepared, problem};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A target of a package.
#[derive(Debug)]
struct Target {
    package: String,
    name: String,
    is_library: bool,
}

/// The manifest that an input names: itself, or that of a folder.
pub(crate) fn manifest(file: &Path) -> Option<PathBuf> {
    let manifest = match file.is_dir() {
        true => file.join("Cargo.toml"),
        false => file.to_owned(),
    };
    let is_manifest = manifest
        .file_name()
        .is_some_and(|name| name == "Cargo.toml");
    (is_manifest && manifest.is_file()).then_some(manifest)
}

/// Compiles the targets of a package that have something to explore: those with marked functions, or else its one program.
pub(crate) fn compile(
    options: &Options,
    manifest: &Path,
    scratch: &Path,
) -> Prepared<Vec<Compiled>> {
    let metadata = metadata(manifest)?;
    let folder = match metadata["target_directory"].as_str() {
        Some(folder) => Path::new(folder).join("stet"),
        None => return problem("explore/cargo", "cargo metadata names no target directory"),
    };
    let library = kept_crate(&folder.join("crate"))?;
    let targets = targets(&metadata, manifest);
    let mut compiled = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        let text = build(options, manifest, target, &folder, &library)?;
        let completed = scratch.join(format!("package{number}.ll"));
        let crate_name = target.name.replace('-', "_");
        compiled.push((target, rust::complete(&text, &completed, &crate_name)?));
    }
    let is_marked =
        |compiled: &Compiled| compiled.entries.iter().any(|entry| entry.symbol != "main");
    let any_marked = compiled.iter().any(|(_, compiled)| is_marked(compiled));
    compiled.retain(|(_, compiled)| match any_marked {
        true => is_marked(compiled),
        false => !compiled.entries.is_empty(),
    });
    let names: Vec<&str> = compiled
        .iter()
        .map(|(target, _)| target.name.as_str())
        .collect();
    match (any_marked, names.len()) {
        (_, 0) => problem(
            "explore/cargo",
            "the package has nothing to explore: mark functions with `#[cfg(stet)] #[stet::explore]`",
        ),
        (false, 2..) => problem(
            "explore/cargo",
            format!(
                "the package has several programs ({}) and no function marked `#[stet::explore]`; explore one by its source file",
                names.join(", ")
            ),
        ),
        _ => Ok(compiled.into_iter().map(|(_, compiled)| compiled).collect()),
    }
}

/// Builds a target of a package natively: the one whose crate an entry is in, or else its one program.
pub(crate) fn native(
    given: &[String],
    manifest: &Path,
    entry: Option<&str>,
    objects: &[PathBuf],
) -> Prepared<rust::Native> {
    let metadata = metadata(manifest)?;
    let Some(folder) = metadata["target_directory"].as_str() else {
        return problem("explore/cargo", "cargo metadata names no target directory");
    };
    let folder = Path::new(folder).join("stet");
    let library = kept_crate(&folder.join("crate"))?;
    let crate_name = entry.and_then(|entry| entry.split("::").next());
    let mut targets = targets(&metadata, manifest);
    targets.retain(|target| match crate_name {
        Some(name) => target.name.replace('-', "_") == name,
        None => !target.is_library,
    });
    // a library and a program of the same name: marked functions of the library are found in both
    targets.sort_by_key(|target| !target.is_library);
    let Some(target) = targets.first() else {
        return problem("replay/input", "the package has no such program or library");
    };
    let mut command = cargo(manifest, target, &folder.join("native"));
    command.env(
        "CARGO_ENCODED_RUSTFLAGS",
        flags(given, &library).join("\u{1f}"),
    );
    if !target.is_library {
        command.args(rust::link_flags(objects));
    }
    for (name, value) in [("PANIC", "abort"), ("OVERFLOW_CHECKS", "true")] {
        command.env(format!("CARGO_PROFILE_DEV_{name}"), value);
    }
    rust::run(&mut command, &format!("`{}`", target.name))?;
    let out = folder.join("native").join(host().unwrap_or_default());
    let out = out.join("debug");
    let crate_name = target.name.replace('-', "_");
    Ok(match target.is_library {
        true => rust::Native::Library(out.join(format!("lib{crate_name}.a"))),
        false => rust::Native::Program(out.join(&target.name)),
    })
}

fn metadata(manifest: &Path) -> Prepared<Value> {
    let mut command = Command::new("cargo");
    command.args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--manifest-path",
    ]);
    let output = match command.arg(manifest).output() {
        Ok(output) => output,
        Err(error) => {
            let message = format!("packages need cargo, which cannot be run: {error}");
            return problem("explore/cargo", message);
        }
    };
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = text.lines().next().unwrap_or("cargo metadata failed");
        return problem(
            "explore/cargo",
            format!("`{}`: {first}", manifest.display()),
        );
    }
    match serde_json::from_slice(&output.stdout) {
        Ok(metadata) => Ok(metadata),
        Err(error) => problem(
            "explore/cargo",
            format!("cargo metadata is no JSON: {error}"),
        ),
    }
}

/// The libraries and programs of the package, or of all members of a workspace without a package of its own.
fn targets(metadata: &Value, manifest: &Path) -> Vec<Target> {
    let empty = Vec::new();
    let packages = metadata["packages"].as_array().unwrap_or(&empty);
    let wanted = manifest
        .canonicalize()
        .unwrap_or_else(|_| manifest.to_owned());
    let is_wanted = |package: &&Value| {
        package["manifest_path"].as_str().is_some_and(|path| {
            Path::new(path)
                .canonicalize()
                .is_ok_and(|path| path == wanted)
        })
    };
    let own: Vec<&Value> = packages.iter().filter(is_wanted).collect();
    let chosen = if own.is_empty() {
        packages.iter().collect()
    } else {
        own
    };
    let mut targets = Vec::new();
    for package in chosen {
        for target in package["targets"].as_array().unwrap_or(&empty) {
            let kinds = target["kind"].as_array().unwrap_or(&empty);
            let is = |kinds_of: &[&str]| {
                let mut kinds = kinds.iter().filter_map(Value::as_str);
                kinds.any(|kind| kinds_of.contains(&kind))
            };
            let is_library = is(&["lib", "rlib", "staticlib", "cdylib", "dylib"]);
            if is_library || is(&["bin"]) {
                targets.push(Target {
                    package: package["name"].as_str().unwrap_or_default().to_owned(),
                    name: target["name"].as_str().unwrap_or_default().to_owned(),
                    is_library,
                });
            }
        }
    }
    targets
}

/// The crate `stet`, built unless it is there already.
fn kept_crate(folder: &Path) -> Prepared<PathBuf> {
    let stamp = folder.join("digest");
    let digest = rust::crate_digest();
    let library = folder.join("libstet.rlib");
    if library.exists() && std::fs::read_to_string(&stamp).is_ok_and(|known| known == digest) {
        return Ok(library);
    }
    if let Err(error) = std::fs::create_dir_all(folder) {
        let message = format!("cannot create `{}`: {error}", folder.display());
        return problem("explore/scratch", message);
    }
    let library = rust::build_crate(folder)?;
    // without the stamp it is built again next time
    let _ = std::fs::write(&stamp, digest);
    Ok(library)
}

/// The machine that rustc compiles for.
fn host() -> Option<String> {
    let text = rust::version()?;
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
}

/// `cargo rustc` for a target, up to the flags for the compiler.
fn cargo(manifest: &Path, target: &Target, folder: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.arg("rustc").arg("--manifest-path").arg(manifest);
    command
        .args(["--package", &target.package, "--target-dir"])
        .arg(folder);
    // with a target of its own, build scripts and macros are not compiled with our flags
    if let Some(host) = host() {
        command.args(["--target", &host]);
    }
    match target.is_library {
        true => command.args(["--lib", "--crate-type", "staticlib", "--"]),
        false => command.args(["--bin", &target.name, "--"]),
    };
    command
}

/// Builds a target; the path of its IR text.
fn build(
    options: &Options,
    manifest: &Path,
    target: &Target,
    folder: &Path,
    library: &Path,
) -> Prepared<PathBuf> {
    let kind = if target.is_library { "lib" } else { "bin" };
    let text = folder.join(format!("{}-{kind}-{}.ll", target.package, target.name));
    let mut command = cargo(manifest, target, folder);
    command.arg(format!("--emit=llvm-ir={}", text.display()));
    if !target.is_library {
        // the program is not run, only its IR is read
        command.args(["-C", "link-arg=-Wl,--unresolved-symbols=ignore-all"]);
    }
    let level = options.opt_level.max(1).to_string();
    let profile = [
        ("PANIC", "abort"),
        ("LTO", "fat"),
        ("CODEGEN_UNITS", "1"),
        ("DEBUG", "line-tables-only"),
        ("OVERFLOW_CHECKS", "true"),
        ("DEBUG_ASSERTIONS", "true"),
        ("INCREMENTAL", "false"),
        ("OPT_LEVEL", &level),
    ];
    for (name, value) in profile {
        command.env(format!("CARGO_PROFILE_DEV_{name}"), value);
    }
    command.env(
        "CARGO_ENCODED_RUSTFLAGS",
        flags(&options.cflag, library).join("\u{1f}"),
    );
    rust::run(&mut command, &format!("`{}`", target.name))?;
    Ok(text)
}

/// The flags for every crate of the program.
fn flags(further: &[String], library: &Path) -> Vec<String> {
    let given = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut flags: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
    let own = [
        "--cfg",
        "stet",
        "--check-cfg",
        "cfg(stet)",
        "-C",
        "no-vectorize-loops",
        "-C",
        "no-vectorize-slp",
        "--extern",
    ];
    flags.extend(own.map(str::to_owned));
    flags.push(format!("stet={}", library.display()));
    if let Some(folder) = library.parent() {
        flags.push(format!("-Ldependency={}", folder.display()));
    }
    flags.extend(further.iter().cloned());
    flags
}
