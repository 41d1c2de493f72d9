//! Requests to native processes and their answers: frames of a length and `stet_key` bytes.

use std::io::{self, Read, Write};
use stet_explore::{
    NativeCall, NativeFailure, NativeFunction, NativeMapping, NativeRegion, NativeReply, NativeType,
};
use stet_key::{DecodeError, Decoder, Encoder};

/// What a process is asked.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// To make a call in a copy of itself.
    Call(NativeCall),
    /// For the mapping around an address.
    Mapping(u64),
    /// How its copy ended, which is killed first if it has not.
    Reap { pid: u32, is_late: bool },
}

/// What a process answers.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// A copy was made, and is about to make the call.
    Copied(u32),
    Done(NativeReply),
    Failed(NativeFailure),
    Mapping(Option<NativeMapping>),
}

/// Larger frames are not believed.
const LARGEST: u32 = 1 << 30;
/// Structures in structures are not deeper in any call.
const DEEPEST: u32 = 32;

pub(super) fn send(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, "too much memory");
    let len = u32::try_from(bytes.len()).map_err(too_long)?;
    to.write_all(&len.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

pub(super) fn receive(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut len = [0; 4];
    from.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len);
    if len > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a broken frame"));
    }
    let mut bytes = Vec::new();
    from.take(u64::from(len)).read_to_end(&mut bytes)?;
    match bytes.len() == len as usize {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

pub(super) fn write_request(request: &Request) -> Vec<u8> {
    let mut e = Encoder::new();
    match request {
        Request::Call(call) => {
            e.u8(0);
            match &call.function {
                NativeFunction::Named(name) => {
                    e.u8(0);
                    e.str(name);
                }
                NativeFunction::At(address) => {
                    e.u8(1);
                    e.u64(*address);
                }
            }
            e.sequence(&call.args, |e, (ty, bytes)| {
                write_type(e, ty);
                e.raw(bytes);
            });
            write_type(&mut e, &call.result);
            e.sequence(&call.regions, |e, region| {
                e.u64(region.base);
                e.raw(&region.bytes);
            });
        }
        Request::Mapping(address) => {
            e.u8(1);
            e.u64(*address);
        }
        Request::Reap { pid, is_late } => {
            e.u8(2);
            e.u32(*pid);
            e.bool(*is_late);
        }
    }
    e.bytes().to_vec()
}

pub(super) fn read_request(bytes: &[u8]) -> Result<Request, DecodeError> {
    let mut d = Decoder::new(bytes);
    let request = match d.u8()? {
        0 => Request::Call(NativeCall {
            function: match d.u8()? {
                0 => NativeFunction::Named(d.str()?.to_owned()),
                1 => NativeFunction::At(d.u64()?),
                _ => return Err(DecodeError::OutOfRange),
            },
            args: d.sequence(|d| Ok((read_type(d, 0)?, d.raw()?.to_vec())))?,
            result: read_type(&mut d, 0)?,
            regions: d.sequence(|d| {
                Ok(NativeRegion {
                    base: d.u64()?,
                    bytes: d.raw()?.to_vec(),
                })
            })?,
        }),
        1 => Request::Mapping(d.u64()?),
        2 => Request::Reap {
            pid: d.u32()?,
            is_late: d.bool()?,
        },
        _ => return Err(DecodeError::OutOfRange),
    };
    d.finish()?;
    Ok(request)
}

pub(super) fn write_answer(answer: &Answer) -> Vec<u8> {
    let mut e = Encoder::new();
    match answer {
        Answer::Copied(pid) => {
            e.u8(0);
            e.u32(*pid);
        }
        Answer::Done(reply) => {
            e.u8(1);
            e.raw(&reply.result);
            e.sequence(&reply.regions, |e, bytes| e.raw(bytes));
            e.raw(&reply.output);
        }
        Answer::Failed(failure) => {
            e.u8(2);
            write_failure(&mut e, failure);
        }
        Answer::Mapping(mapping) => {
            e.u8(3);
            e.option(mapping.as_ref(), |e, mapping| {
                e.u64(mapping.base);
                e.raw(&mapping.bytes);
                e.bool(mapping.is_writable);
                e.bool(mapping.is_code);
            });
        }
    }
    e.bytes().to_vec()
}

pub(super) fn read_answer(bytes: &[u8]) -> Result<Answer, DecodeError> {
    let mut d = Decoder::new(bytes);
    let answer = match d.u8()? {
        0 => Answer::Copied(d.u32()?),
        1 => Answer::Done(NativeReply {
            result: d.raw()?.to_vec(),
            regions: d.sequence(|d| Ok(d.raw()?.to_vec()))?,
            output: d.raw()?.to_vec(),
        }),
        2 => Answer::Failed(read_failure(&mut d)?),
        3 => Answer::Mapping(d.option(|d| {
            Ok(NativeMapping {
                base: d.u64()?,
                bytes: d.raw()?.to_vec(),
                is_writable: d.bool()?,
                is_code: d.bool()?,
            })
        })?),
        _ => return Err(DecodeError::OutOfRange),
    };
    d.finish()?;
    Ok(answer)
}

fn write_failure(e: &mut Encoder, failure: &NativeFailure) {
    match failure {
        NativeFailure::NotFound => e.u8(0),
        NativeFailure::Killed(signal) => {
            e.u8(1);
            e.i64(i64::from(*signal));
        }
        NativeFailure::Exited(status) => {
            e.u8(2);
            e.i64(i64::from(*status));
        }
        NativeFailure::TimedOut => e.u8(3),
        NativeFailure::Fault(why) => {
            e.u8(4);
            e.str(why);
        }
    }
}

fn read_failure(d: &mut Decoder<'_>) -> Result<NativeFailure, DecodeError> {
    let number = |d: &mut Decoder<'_>| i32::try_from(d.i64()?).map_err(|_| DecodeError::OutOfRange);
    Ok(match d.u8()? {
        0 => NativeFailure::NotFound,
        1 => NativeFailure::Killed(number(d)?),
        2 => NativeFailure::Exited(number(d)?),
        3 => NativeFailure::TimedOut,
        4 => NativeFailure::Fault(d.str()?.to_owned()),
        _ => return Err(DecodeError::OutOfRange),
    })
}

fn write_type(e: &mut Encoder, ty: &NativeType) {
    match ty {
        NativeType::Void => e.u8(0),
        NativeType::Int { bytes, is_signed } => {
            e.u8(1);
            e.u8(*bytes);
            e.bool(*is_signed);
        }
        NativeType::Pointer => e.u8(2),
        NativeType::Float => e.u8(3),
        NativeType::Double => e.u8(4),
        NativeType::LongDouble => e.u8(5),
        NativeType::Struct(fields) => {
            e.u8(6);
            e.sequence(fields, write_type);
        }
        NativeType::Memory { size, align } => {
            e.u8(7);
            e.u64(*size);
            e.u64(*align);
        }
    }
}

fn read_type(d: &mut Decoder<'_>, depth: u32) -> Result<NativeType, DecodeError> {
    if depth > DEEPEST {
        return Err(DecodeError::OutOfRange);
    }
    Ok(match d.u8()? {
        0 => NativeType::Void,
        1 => NativeType::Int {
            bytes: d.u8()?,
            is_signed: d.bool()?,
        },
        2 => NativeType::Pointer,
        3 => NativeType::Float,
        4 => NativeType::Double,
        5 => NativeType::LongDouble,
        6 => NativeType::Struct(d.sequence(|d| read_type(d, depth + 1))?),
        7 => NativeType::Memory {
            size: d.u64()?,
            align: d.u64()?,
        },
        _ => return Err(DecodeError::OutOfRange),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_received() {
        let int = NativeType::Int {
            bytes: 4,
            is_signed: true,
        };
        let requests = [
            Request::Call(NativeCall {
                function: NativeFunction::Named("f".into()),
                args: vec![
                    (int.clone(), vec![1, 2, 3, 4]),
                    (
                        NativeType::Struct(vec![NativeType::Double, int]),
                        vec![0; 16],
                    ),
                    (NativeType::Memory { size: 24, align: 8 }, vec![7; 24]),
                ],
                result: NativeType::LongDouble,
                regions: vec![NativeRegion {
                    base: 0x1000,
                    bytes: vec![9],
                }],
            }),
            Request::Mapping(5),
            Request::Reap {
                pid: 3,
                is_late: true,
            },
        ];
        for request in requests {
            let mut wire = Vec::new();
            send(&mut wire, &write_request(&request)).unwrap();
            let bytes = receive(&mut &wire[..]).unwrap();
            assert_eq!(read_request(&bytes).unwrap(), request);
            assert!(receive(&mut &wire[..wire.len() - 1]).is_err());
            for cut in 0..bytes.len() {
                assert!(read_request(&bytes[..cut]).is_err(), "{request:?} at {cut}");
            }
        }
        let answers = [
            Answer::Copied(7),
            Answer::Done(NativeReply {
                result: vec![1],
                regions: vec![vec![2], vec![]],
                output: b"x".to_vec(),
            }),
            Answer::Failed(NativeFailure::Killed(11)),
            Answer::Failed(NativeFailure::Fault("why".into())),
            Answer::Mapping(Some(NativeMapping {
                base: 4096,
                bytes: vec![0; 3],
                is_writable: true,
                is_code: false,
            })),
        ];
        for answer in answers {
            assert_eq!(read_answer(&write_answer(&answer)).unwrap(), answer);
        }
    }
}
