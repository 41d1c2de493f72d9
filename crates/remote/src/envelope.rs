//! One entry as it travels: sealed, and signed by somebody.
//!
//! ```text
//! "SV1\n"   signer's public key (32)   address (32)   sealed record   signature (64)
//! ```
//!
//! The signature (Ed25519) is over everything before it, and with the sealed record over key, verdict, evidence and
//! engine version. [`open`] checks, in this order: form and size, that the signer is trusted, the signature, that
//! the address is that of the key asked for, the seal, and that the record is of this version and has that key.

use crate::keys::{Signer, Trust};
use crate::seal;
use ed25519_dalek::{Signature, VerifyingKey};
use std::sync::Arc;
use stet_key::Digest;
use stet_store::Entry;

const MAGIC: &[u8; 4] = b"SV1\n";
const CONTEXT: &[u8] = b"stet shared verdict 1\0";
const SIGNATURE_LENGTH: usize = 64;
const HEADER_LENGTH: usize = MAGIC.len() + 32 + 32;

/// No envelope is longer: what is longer is neither sent nor read.
pub const ENVELOPE_LIMIT: usize = 4 << 20;

/// Why bytes are not an entry to believe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Not an envelope, or too large.
    Malformed,
    /// An envelope of another version of Stet.
    OtherVersion,
    /// Signed by a key that is not trusted.
    Untrusted([u8; 32]),
    /// The signature is not one of the key it names.
    Forged([u8; 32]),
    /// Properly signed, but not an entry for this key.
    OtherKey,
}

/// The envelope of an entry; `None` if it is too large.
pub fn close(entry: &Entry, signer: &Signer) -> Option<Vec<u8>> {
    let sealed = seal::seal(entry);
    let length = HEADER_LENGTH + sealed.len() + SIGNATURE_LENGTH;
    if length > ENVELOPE_LIMIT {
        return None;
    }
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(MAGIC);
    bytes.extend(signer.public().as_bytes());
    bytes.extend(seal::address(&entry.key).0);
    bytes.extend(sealed);
    let signature = signer.sign(&message(&bytes));
    bytes.extend(signature.to_bytes());
    Some(bytes)
}

/// The address an envelope claims; it is checked by [`open`] only.
pub fn claimed_address(bytes: &[u8]) -> Option<Digest> {
    let address = bytes.strip_prefix(MAGIC)?.get(32..64)?;
    Some(Digest(address.try_into().ok()?))
}

/// Whether bytes can be an envelope for `address` at all: cheap, and enough to tell a server that mixes things up.
pub fn check_form(address: &Digest, bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.len() > ENVELOPE_LIMIT || bytes.len() < HEADER_LENGTH + SIGNATURE_LENGTH {
        return Err(Refusal::Malformed);
    }
    if !bytes.starts_with(MAGIC) {
        let is_other = bytes.starts_with(&MAGIC[..2]) && bytes[3] == MAGIC[3];
        return Err(match is_other {
            true => Refusal::OtherVersion,
            false => Refusal::Malformed,
        });
    }
    match claimed_address(bytes) == Some(*address) {
        true => Ok(()),
        false => Err(Refusal::OtherKey),
    }
}

impl Refusal {
    /// Whether it is the server's or an attacker's doing: a signer of another team or another version of Stet is not.
    pub fn is_fault(&self) -> bool {
        !matches!(self, Refusal::Untrusted(_) | Refusal::OtherVersion)
    }
}

/// The entry for `key` in an envelope, if it is to be believed.
pub fn open(key: &Digest, bytes: &[u8], trust: &Trust) -> Result<Entry, Refusal> {
    if bytes.len() > ENVELOPE_LIMIT {
        return Err(Refusal::Malformed);
    }
    let (signed, signature) = bytes
        .split_last_chunk::<SIGNATURE_LENGTH>()
        .ok_or(Refusal::Malformed)?;
    let header = signed.strip_prefix(MAGIC).ok_or(Refusal::Malformed)?;
    let (signer, rest) = header.split_first_chunk::<32>().ok_or(Refusal::Malformed)?;
    let (address, sealed) = rest.split_first_chunk::<32>().ok_or(Refusal::Malformed)?;
    if !trust.contains(signer) {
        return Err(Refusal::Untrusted(*signer));
    }
    let verifier = VerifyingKey::from_bytes(signer).map_err(|_| Refusal::Forged(*signer))?;
    verifier
        .verify_strict(&message(signed), &Signature::from_bytes(signature))
        .map_err(|_| Refusal::Forged(*signer))?;
    if *address != seal::address(key).0 {
        return Err(Refusal::OtherKey);
    }
    let mut entry = seal::unseal(key, sealed).ok_or(Refusal::OtherKey)?;
    entry.provenance.signer = Some(Arc::from(Digest(*signer).to_hex()));
    Ok(entry)
}

fn message(signed: &[u8]) -> Vec<u8> {
    [CONTEXT, blake3::hash(signed).as_bytes()].concat()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use stet_key::KeyParts;
    use stet_store::{Outcome, Provenance};

    pub(crate) fn entry(size: usize) -> Entry {
        Entry {
            key: Digest::of_bytes(&size.to_le_bytes()),
            kind: "test/kind".into(),
            subject: Some("file.bpl:P".into()),
            outcome: Outcome::Holds,
            evidence: vec![7; size],
            provenance: Provenance {
                created: 12,
                ..Provenance::now("test", "1", "solver 2")
            },
            parts: KeyParts(vec![("options".into(), Digest::of_bytes(b"o"))]),
        }
    }

    fn people() -> (Signer, Signer, Trust) {
        let ci = Signer::from_seed("ci", [1; 32]);
        let stranger = Signer::from_seed("stranger", [2; 32]);
        let trust = Trust::of([("ci", *ci.public().as_bytes())]);
        (ci, stranger, trust)
    }

    #[test]
    fn an_entry_of_a_trusted_signer_arrives_with_its_signer() {
        let (ci, _, trust) = people();
        let entry = entry(100);
        let opened = open(&entry.key, &close(&entry, &ci).unwrap(), &trust).unwrap();
        let signer = opened.provenance.signer.clone().unwrap();
        assert_eq!(trust.name_of(&signer), Some("ci"));
        let mut expected = entry;
        expected.provenance.signer = Some(signer);
        assert_eq!(opened, expected);
    }

    #[test]
    fn whatever_is_changed_is_refused() {
        let (ci, stranger, trust) = people();
        let (a, b) = (entry(10), entry(11));
        let sealed = close(&a, &ci).unwrap();
        assert_eq!(
            open(&b.key, &sealed, &trust),
            Err(Refusal::OtherKey),
            "replayed"
        );
        let other = close(&a, &stranger).unwrap();
        let key = *stranger.public().as_bytes();
        assert_eq!(open(&a.key, &other, &trust), Err(Refusal::Untrusted(key)));
        // A stranger's signature under the name of the trusted signer.
        let mut forged = other;
        forged[4..36].copy_from_slice(ci.public().as_bytes());
        let key = *ci.public().as_bytes();
        assert_eq!(open(&a.key, &forged, &trust), Err(Refusal::Forged(key)));
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&a.key, &damaged, &trust).is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(open(&a.key, &sealed[..length], &trust).is_err(), "{length}");
        }
        assert!(open(&a.key, &sealed, &Trust::default()).is_err());
    }

    #[test]
    fn too_large_entries_are_not_sent() {
        let (ci, ..) = people();
        assert!(close(&entry(ENVELOPE_LIMIT), &ci).is_none());
    }
}
