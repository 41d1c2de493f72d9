//! What a worker hands in, as it travels: signed, and bound to the run and to the job it is about.
//!
//! ```text
//! "SJ1\n"   signer's public key (32)   [job, results, further jobs]   signature (64)
//! ```
//!
//! The signature (Ed25519) covers the run's name and everything before it. So whoever can write to the server can
//! neither make results up, nor use those of another run or job again, nor drop the further jobs of a result.

use crate::envelope::Refusal;
use crate::keys::{Signer, Trust};
use ed25519_dalek::{Signature, VerifyingKey};
use stet_key::{DecodeError, Decoder, Digest, Encoder};

const MAGIC: &[u8; 4] = b"SJ1\n";
const CONTEXT: &[u8] = b"stet worker's result 1\0";
const SIGNATURE_LENGTH: usize = 64;

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Delivery {
    /// What was to be done.
    pub(crate) job: Vec<u8>,
    pub(crate) results: Vec<Vec<u8>>,
    /// What is to be done next.
    pub(crate) children: Vec<Vec<u8>>,
}

/// The bytes of what came of a job of a run.
pub(crate) fn close(run: &str, delivery: &Delivery, signer: &Signer) -> Vec<u8> {
    let mut e = Encoder::new();
    e.raw(&delivery.job);
    e.sequence(&delivery.results, |e, bytes| e.raw(bytes));
    e.sequence(&delivery.children, |e, bytes| e.raw(bytes));
    let mut bytes = MAGIC.to_vec();
    bytes.extend(signer.public().as_bytes());
    bytes.extend(e.bytes());
    let signature = signer.sign(&message(run, &bytes));
    bytes.extend(signature.to_bytes());
    bytes
}

/// What came of a job, and the public key of the worker that says so, if it is to be believed.
pub(crate) fn open(run: &str, bytes: &[u8], trust: &Trust) -> Result<(Delivery, String), Refusal> {
    let (signed, signature) = bytes
        .split_last_chunk::<SIGNATURE_LENGTH>()
        .ok_or(Refusal::Malformed)?;
    let header = signed.strip_prefix(MAGIC).ok_or(Refusal::Malformed)?;
    let (signer, payload) = header.split_first_chunk::<32>().ok_or(Refusal::Malformed)?;
    if !trust.contains(signer) {
        return Err(Refusal::Untrusted(*signer));
    }
    let verifier = VerifyingKey::from_bytes(signer).map_err(|_| Refusal::Forged(*signer))?;
    verifier
        .verify_strict(&message(run, signed), &Signature::from_bytes(signature))
        .map_err(|_| Refusal::Forged(*signer))?;
    let delivery = read(payload).map_err(|_| Refusal::Malformed)?;
    Ok((delivery, Digest(*signer).to_hex()))
}

fn read(payload: &[u8]) -> Result<Delivery, DecodeError> {
    let mut d = Decoder::new(payload);
    let job = d.raw()?.to_vec();
    let results = d.sequence(|d| Ok(d.raw()?.to_vec()))?;
    let children = d.sequence(|d| Ok(d.raw()?.to_vec()))?;
    d.finish()?;
    Ok(Delivery {
        job,
        results,
        children,
    })
}

fn message(run: &str, signed: &[u8]) -> Vec<u8> {
    let run = blake3::hash(run.as_bytes());
    [CONTEXT, run.as_bytes(), blake3::hash(signed).as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery() -> Delivery {
        Delivery {
            job: b"job".to_vec(),
            results: vec![b"result".to_vec(), Vec::new()],
            children: vec![b"next".to_vec()],
        }
    }

    #[test]
    fn a_trusted_worker_is_believed_about_its_own_run() {
        let (worker, stranger) = (
            Signer::from_seed("worker", [1; 32]),
            Signer::from_seed("stranger", [2; 32]),
        );
        let trust = Trust::of([("worker", *worker.public().as_bytes())]);
        let bytes = close("run", &delivery(), &worker);
        assert_eq!(
            open("run", &bytes, &trust),
            Ok((delivery(), worker.public_hex()))
        );
        let key = *worker.public().as_bytes();
        assert_eq!(open("other", &bytes, &trust), Err(Refusal::Forged(key)));
        let other = close("run", &delivery(), &stranger);
        let stranger = *stranger.public().as_bytes();
        assert_eq!(
            open("run", &other, &trust),
            Err(Refusal::Untrusted(stranger))
        );
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open("run", &damaged, &trust).is_err(), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(open("run", &bytes[..length], &trust).is_err(), "{length}");
        }
    }
}
