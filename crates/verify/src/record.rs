//! The evidence of a verdict in the store: which checks failed, and how.
//!
//! Checks and blocks enter by their numbers in the verification condition, which the key determines; positions
//! are looked up in the current program.

use crate::prove::{Answer, End, Failure};
use stet_key::{DecodeError, Decoder, Encoder};

/// Writes an answer; only complete ones and those that reached the error limit are ever stored.
pub(crate) fn encode(answer: &Answer) -> Vec<u8> {
    debug_assert!(
        !matches!(answer.end, End::Unknown(_)),
        "what is not decided is not stored (law 4)"
    );
    let mut encoder = Encoder::new();
    encoder.bool(answer.end == End::ErrorLimit);
    encode_failures(&mut encoder, &answer.failures);
    encoder.bytes().to_vec()
}

/// Writes the failing checks of an answer.
pub(crate) fn encode_failures(encoder: &mut Encoder, failures: &[Failure]) {
    encoder.u32(failures.len() as u32);
    for failure in failures {
        debug_assert!(
            failure.path.first() == Some(&0)
                && failure.path.windows(2).all(|step| step[0] < step[1]),
            "blocks have numbers in the order of paths, and the entry is the first"
        );
        encoder.u32(failure.check as u32);
        encoder.bool(failure.is_certain);
        encoder.u32(failure.path.len() as u32);
        for &block in &failure.path {
            encoder.u32(block as u32);
        }
    }
}

/// Reads an answer about a condition of this size.
pub(crate) fn decode(bytes: &[u8], blocks: usize, checks: usize) -> Result<Answer, DecodeError> {
    let mut decoder = Decoder::new(bytes);
    let end = if decoder.bool()? {
        End::ErrorLimit
    } else {
        End::Complete
    };
    let failures = decode_failures(&mut decoder, blocks, checks)?;
    decoder.finish()?;
    Ok(Answer { failures, end })
}

/// Reads failing checks of a condition of this size.
pub(crate) fn decode_failures(
    decoder: &mut Decoder<'_>,
    blocks: usize,
    checks: usize,
) -> Result<Vec<Failure>, DecodeError> {
    let below = |value: u32, limit: usize| {
        let value = value as usize;
        (value < limit)
            .then_some(value)
            .ok_or(DecodeError::OutOfRange)
    };
    let mut failures = Vec::new();
    for _ in 0..decoder.u32()? {
        let check = below(decoder.u32()?, checks)?;
        let is_certain = decoder.bool()?;
        let mut path = Vec::new();
        for _ in 0..decoder.u32()? {
            path.push(below(decoder.u32()?, blocks)?);
        }
        failures.push(Failure {
            check,
            path,
            model: None,
            is_certain,
        });
    }
    Ok(failures)
}
