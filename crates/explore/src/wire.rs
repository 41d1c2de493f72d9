//! The format between processes that explore one program: parts of the tree, and their results.
//!
//! Canonical bytes of `stet_key`; whatever does not decode is an error, never a guess.

use crate::left_out::{LeftOut, LeftOutKind};
use crate::report::{ErrorKind, Location, Outcome, PathEnd, Recorded, Report, TestObject};
use stet_key::{DecodeError, Decoder, Encoder};

/// What came of a part.
#[derive(Clone, Default, Debug)]
pub struct PartResult {
    /// Paths that ended in it.
    pub ends: Vec<PathEnd>,
    pub warnings: Vec<String>,
    /// Messages of the program.
    pub messages: Vec<String>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// Instructions executed, without those repeated on the way.
    pub instructions: u64,
    pub forks: u64,
    /// Queries that reached the solver.
    pub solved: u64,
    /// Why the part was not explored; empty if it was.
    pub failure: String,
}

/// The bytes of a job: parts that are explored one after the other. Each is written as what it shares with the one before and
/// the rest, since the waiting states of one exploration share most of their choices.
pub fn write_parts(parts: &[Vec<u32>]) -> Vec<u8> {
    let mut e = Encoder::new();
    let mut before: &[u32] = &[];
    e.sequence(parts, |e, part| {
        let pairs = before.iter().zip(part.iter());
        let shared = pairs.take_while(|(a, b)| a == b).count();
        e.count(shared);
        e.sequence(&part[shared..], |e, &choice| e.count(choice as usize));
        before = part;
    });
    e.bytes().to_vec()
}

/// No job has more choices than this in all its parts.
const CHOICES: usize = 1 << 26;

/// The parts in these bytes; there is at least one.
pub fn read_parts(bytes: &[u8]) -> Result<Vec<Vec<u32>>, DecodeError> {
    let mut d = Decoder::new(bytes);
    let mut before: Vec<u32> = Vec::new();
    let mut room = CHOICES;
    let parts = d.sequence(|d| {
        let shared = d.count()?;
        let choice =
            |d: &mut Decoder<'_>| u32::try_from(d.count()?).map_err(|_| DecodeError::OutOfRange);
        let rest = d.sequence(choice)?;
        if shared > before.len() {
            return Err(DecodeError::OutOfRange);
        }
        before.truncate(shared);
        before.extend(rest);
        // few bytes can stand for many choices
        let left = room.checked_sub(before.len());
        room = left.ok_or(DecodeError::OutOfRange)?;
        Ok(before.clone())
    })?;
    d.finish()?;
    match parts.is_empty() {
        true => Err(DecodeError::OutOfRange),
        false => Ok(parts),
    }
}

/// The bytes of a result.
pub fn write_result(result: &PartResult) -> Vec<u8> {
    let mut e = Encoder::new();
    e.sequence(&result.ends, write_end);
    e.sequence(&result.warnings, |e, text| e.str(text));
    e.sequence(&result.messages, |e, text| e.str(text));
    e.sequence(&result.left_out, |e, entry| {
        e.u8(entry.kind as u8);
        e.str(&entry.what);
        write_location(e, &entry.place);
        e.u64(entry.count);
    });
    e.u64(result.instructions);
    e.u64(result.forks);
    e.u64(result.solved);
    e.str(&result.failure);
    e.bytes().to_vec()
}

/// The result in these bytes.
pub fn read_result(bytes: &[u8]) -> Result<PartResult, DecodeError> {
    let mut d = Decoder::new(bytes);
    let text = |d: &mut Decoder<'_>| Ok(d.str()?.to_owned());
    let result = PartResult {
        ends: d.sequence(read_end)?,
        warnings: d.sequence(text)?,
        messages: d.sequence(text)?,
        left_out: d.sequence(|d| {
            Ok(LeftOut {
                kind: pick(KINDS, d.u8()?)?,
                what: d.str()?.to_owned(),
                place: read_location(d)?,
                count: d.u64()?,
            })
        })?,
        instructions: d.u64()?,
        forks: d.u64()?,
        solved: d.u64()?,
        failure: d.str()?.to_owned(),
    };
    d.finish()?;
    Ok(result)
}

const KINDS: &[LeftOutKind] = &[
    LeftOutKind::Fixed,
    LeftOutKind::Refused,
    LeftOutKind::Assumed,
    LeftOutKind::Undecided,
    LeftOutKind::Dropped,
    LeftOutKind::External,
];

const ERRORS: &[ErrorKind] = &[
    ErrorKind::OutOfBounds,
    ErrorKind::Null,
    ErrorKind::UseAfterFree,
    ErrorKind::Free,
    ErrorKind::ReadOnly,
    ErrorKind::DivisionByZero,
    ErrorKind::Overshift,
    ErrorKind::Assertion,
    ErrorKind::Abort,
    ErrorKind::Unreachable,
    ErrorKind::User,
    ErrorKind::Sanitizer,
    ErrorKind::StackOverflow,
    ErrorKind::Undefined,
    ErrorKind::Unsupported,
    ErrorKind::Panic,
    ErrorKind::Model,
];

fn pick<T: Copy>(all: &[T], number: u8) -> Result<T, DecodeError> {
    let found = all.get(number as usize).copied();
    found.ok_or(DecodeError::OutOfRange)
}

fn write_end(e: &mut Encoder, end: &PathEnd) {
    match &end.outcome {
        Outcome::Exit(status) => {
            e.u8(0);
            e.i64(i64::from(*status));
        }
        Outcome::Silent => e.u8(1),
        Outcome::Error(kind, message) => {
            e.u8(2);
            e.u8(*kind as u8);
            e.str(message);
        }
        Outcome::Unknown(why) => {
            e.u8(3);
            e.str(why);
        }
        Outcome::Dropped(why) => {
            e.u8(4);
            e.str(why);
        }
    }
    e.option(end.test.as_ref(), |e, objects| {
        e.sequence(objects, |e, object| {
            e.str(&object.name);
            e.raw(&object.bytes);
        });
    });
    e.sequence(&end.stack, write_location);
    e.u64(end.instructions);
    e.raw(&end.output);
    e.bool(end.covered_new);
    e.bool(end.leans);
    e.sequence(&end.choices, |e, &choice| e.u32(choice));
    e.option(end.report.as_ref(), |e, report| {
        e.str(&report.file);
        e.u32(report.line);
        e.str(&report.suffix);
    });
}

fn read_end(d: &mut Decoder<'_>) -> Result<PathEnd, DecodeError> {
    let outcome = match d.u8()? {
        0 => Outcome::Exit(i32::try_from(d.i64()?).map_err(|_| DecodeError::OutOfRange)?),
        1 => Outcome::Silent,
        2 => Outcome::Error(pick(ERRORS, d.u8()?)?, d.str()?.to_owned()),
        3 => Outcome::Unknown(d.str()?.to_owned()),
        4 => Outcome::Dropped(d.str()?.to_owned()),
        _ => return Err(DecodeError::OutOfRange),
    };
    Ok(PathEnd {
        outcome,
        test: d.option(|d| {
            d.sequence(|d| {
                Ok(TestObject {
                    name: d.str()?.to_owned(),
                    bytes: d.raw()?.to_vec(),
                })
            })
        })?,
        stack: d.sequence(read_location)?,
        instructions: d.u64()?,
        output: d.raw()?.to_vec(),
        covered_new: d.bool()?,
        leans: d.bool()?,
        choices: d.sequence(Decoder::u32)?,
        report: d.option(|d| {
            Ok(Report {
                file: d.str()?.to_owned(),
                line: d.u32()?,
                suffix: d.str()?.to_owned(),
            })
        })?,
        // runs that record something are refused
        recorded: Recorded::default(),
    })
}

fn write_location(e: &mut Encoder, place: &Location) {
    e.str(&place.file);
    e.str(&place.directory);
    e.u32(place.line);
    e.u32(place.column);
    e.str(&place.function);
    e.u64(place.assembly.0 as u64);
    e.u32(place.assembly.1);
}

fn read_location(d: &mut Decoder<'_>) -> Result<Location, DecodeError> {
    Ok(Location {
        file: d.str()?.to_owned(),
        directory: d.str()?.to_owned(),
        line: d.u32()?,
        column: d.u32()?,
        function: d.str()?.to_owned(),
        assembly: (
            usize::try_from(d.u64()?).map_err(|_| DecodeError::OutOfRange)?,
            d.u32()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> PartResult {
        let place = Location {
            file: "a.c".into(),
            line: 3,
            function: "main".into(),
            assembly: (1, 77),
            ..Location::default()
        };
        let end = |outcome| PathEnd {
            outcome,
            test: Some(vec![TestObject {
                name: "x".into(),
                bytes: vec![1, 2],
            }]),
            stack: vec![place.clone()],
            instructions: 9,
            output: b"out".to_vec(),
            covered_new: true,
            leans: true,
            choices: vec![0, 2],
            report: Some(Report {
                file: "b.c".into(),
                line: 4,
                suffix: "user".into(),
            }),
            recorded: Recorded::default(),
        };
        let mut ends = vec![
            end(Outcome::Exit(-3)),
            end(Outcome::Silent),
            end(Outcome::Unknown("why".into())),
            end(Outcome::Dropped("limit".into())),
        ];
        ends.extend(
            ERRORS
                .iter()
                .map(|&kind| end(Outcome::Error(kind, "m".into()))),
        );
        let left_out = KINDS.iter().map(|&kind| LeftOut {
            kind,
            what: "a size".into(),
            place: place.clone(),
            count: 2,
        });
        PartResult {
            ends,
            warnings: vec!["w".into()],
            messages: vec!["m".into()],
            left_out: left_out.collect(),
            instructions: 5,
            forks: 6,
            solved: 7,
            failure: String::new(),
        }
    }

    #[test]
    fn results_and_parts_survive_the_way() {
        let bytes = write_result(&sample());
        let read = read_result(&bytes).unwrap();
        assert_eq!(write_result(&read), bytes);
        assert_eq!(format!("{read:?}"), format!("{:?}", sample()));
        let parts = [vec![], vec![0, 3, u32::MAX], vec![0, 3], vec![0, 3, 1, 1]];
        for count in 1..=parts.len() {
            let some = parts[..count].to_vec();
            assert_eq!(read_parts(&write_parts(&some)), Ok(some));
        }
        assert!(read_parts(&write_parts(&[])).is_err());
    }

    #[test]
    fn damage_never_panics() {
        let bytes = write_result(&sample());
        for length in 0..bytes.len() {
            assert!(read_result(&bytes[..length]).is_err());
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = read_result(&damaged);
        }
    }
}
