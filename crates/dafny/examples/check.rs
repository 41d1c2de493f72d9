//! Parses and resolves files and prints what was found, in Dafny's layout.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a command-line helper"
)]

use stet_base::SourceMap;
use stet_dafny::{NoIncludes, check};

fn main() {
    let mut quiet = false;
    for path in std::env::args().skip(1) {
        if path == "-q" {
            quiet = true;
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable file");
        let mut sources = SourceMap::new();
        let file = sources.add(path.clone(), text).expect("small file");
        let start = std::time::Instant::now();
        let checked = check(&mut sources, &[file], &mut NoIncludes);
        let micros = start.elapsed().as_micros();
        println!("== {path} {:?} {micros}us", checked.phase);
        if quiet {
            continue;
        }
        for d in &checked.diagnostics {
            let place = d.primary.as_ref().map(|label| sources.start_of(label.span));
            let name = path.rsplit('/').next().unwrap_or("");
            match place {
                Some(p) => println!(
                    "{name}({},{}): {:?}: {}",
                    p.line,
                    p.column - 1,
                    d.severity,
                    d.message
                ),
                None => println!("{:?}: {}", d.severity, d.message),
            }
        }
    }
}
