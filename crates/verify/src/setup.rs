//! The options of a call together with what the engine found out by itself: which prover answers, which build of Stet reads
//! the text, the provers that are running, the text cut into pieces.

use crate::options::Options;
use crate::task::ENGINE_VERSION;
use crate::text::Texts;
use crate::workers::Provers;
use std::ops::Deref;
use std::sync::Arc;
use stet_key::{Encoder, KeyBuilder};
use stet_solve::pipe::{self, PipeError, ProverConfig, ProverIdentity};
use stet_store::{Entry, Provenance, Store};

/// Everything a run depends on besides the program. Dereferences to the [`Options`], which most of the engine reads.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) options: Options,
    pub(crate) identity: ProverIdentity,
    /// Provers kept from one call to the next.
    pub(crate) provers: Arc<Provers>,
    /// The text of the program, if verdicts may be found by it.
    pub(crate) texts: Option<Arc<Texts>>,
}

impl Deref for Setup {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.options
    }
}

impl Setup {
    /// Writes which prover answers into a key.
    pub(crate) fn encode_prover(&self, e: &mut Encoder) {
        e.str(self.identity.kind.name());
        e.str(&self.identity.version);
        e.digest(&self.identity.executable);
    }

    /// Where and when a verdict was found.
    pub(crate) fn provenance(&self) -> Provenance {
        Provenance::now("verify", ENGINE_VERSION, &self.identity.version)
    }
}

/// The kind of prover identities in the store.
const PROVER_KIND: &str = "verify/prover";

/// Which prover that is. The executable is asked for its version and read for its digest only if its path, size or time of
/// change are not those the store was told about.
pub(crate) fn prover_identity(
    config: &ProverConfig,
    store: &Store,
) -> Result<ProverIdentity, PipeError> {
    let Some(stamp) = pipe::executable_stamp(&config.path) else {
        return pipe::identify(config);
    };
    let mut builder = KeyBuilder::new(PROVER_KIND);
    builder.part("executable", |e| {
        e.str(ENGINE_VERSION);
        e.str(config.kind.name());
        e.str(&stamp);
    });
    let (key, parts) = builder.finish();
    if let Some(entry) = store.recall(PROVER_KIND, &key)
        && let Some((digest, version)) = entry.evidence.split_at_checked(DIGEST_LENGTH)
        && let Ok(version) = std::str::from_utf8(version)
        && let Ok(digest) = std::str::from_utf8(digest)
        && let Some(executable) = stet_key::Digest::from_hex(digest)
    {
        return Ok(ProverIdentity {
            kind: config.kind,
            version: version.to_owned(),
            executable,
        });
    }
    let identity = pipe::identify(config)?;
    let mut evidence = identity.executable.to_hex().into_bytes();
    debug_assert_eq!(
        evidence.len(),
        DIGEST_LENGTH,
        "the version comes after the digest"
    );
    evidence.extend(identity.version.bytes());
    store.put(Entry {
        key,
        kind: PROVER_KIND.into(),
        subject: None,
        outcome: stet_store::Outcome::Data,
        evidence,
        provenance: Provenance::now("verify", ENGINE_VERSION, &identity.version),
        parts,
    });
    Ok(identity)
}

/// Digits of a digest in hexadecimal.
const DIGEST_LENGTH: usize = 64;
