//! Boogie's own snapshot series: at every level of reuse the verdicts are those of a fresh run.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::Series;
use std::path::{Path, PathBuf};
use stet_verify::Caching;

fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("STET_CORPUS").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = [
        root.join("../shared/corpus"),
        root.join("../../shared/corpus"),
    ];
    given
        .into_iter()
        .chain(places)
        .map(|place| place.join("boogie/snapshots"))
        .find(|place| place.is_dir())
}

#[test]
fn every_series_at_every_level() {
    let Some(corpus) = corpus() else {
        stet_testkit::skip_corpus("the Boogie corpus, STET_CORPUS");
        return;
    };
    let mut snapshots = 0;
    for number in 0..100 {
        let texts: Vec<String> = (0..20)
            .map_while(|version| {
                let name = format!("Snapshots{number}.v{version}.bpl");
                std::fs::read_to_string(corpus.join(name)).ok()
            })
            .collect();
        for caching in [Caching::Basic, Caching::Fine] {
            let (Some(reusing), Some(fresh)) = (Series::new(caching), Series::new(Caching::Off))
            else {
                return;
            };
            for (version, text) in texts.iter().enumerate() {
                let (a, b) = (reusing.next(text), fresh.next(text));
                assert_eq!(
                    a.verdicts(),
                    b.verdicts(),
                    "Snapshots{number}.v{version} with {caching:?}"
                );
                snapshots += 1;
            }
        }
    }
    assert!(snapshots > 0, "the corpus has no series");
}
