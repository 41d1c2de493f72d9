//! KLEE's test files, version 3: program arguments and the named objects of one test.

use crate::report::TestObject;

/// A test as KLEE writes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KTest {
    /// The program and its arguments.
    pub args: Vec<String>,
    /// Symbolic arguments: number and length.
    pub symbolic_args: (u32, u32),
    /// The objects in the order they were made.
    pub objects: Vec<TestObject>,
}

impl KTest {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = b"KTEST".to_vec();
        let number = |out: &mut Vec<u8>, value: u32| out.extend(value.to_be_bytes());
        number(&mut out, 3);
        number(&mut out, self.args.len() as u32);
        for arg in &self.args {
            number(&mut out, arg.len() as u32);
            out.extend(arg.bytes());
        }
        number(&mut out, self.symbolic_args.0);
        number(&mut out, self.symbolic_args.1);
        number(&mut out, self.objects.len() as u32);
        for object in &self.objects {
            number(&mut out, object.name.len() as u32);
            out.extend(object.name.bytes());
            number(&mut out, object.bytes.len() as u32);
            out.extend(&object.bytes);
        }
        out
    }

    /// Reads a file; `None` if it is no test, is of another version, or is cut off.
    pub fn decode(bytes: &[u8]) -> Option<KTest> {
        let mut reader = Reader(bytes);
        let magic = reader.take(5)?;
        if magic != b"KTEST" && magic != b"BOUT\n" {
            return None;
        }
        let version = reader.number()?;
        if version == 0 || version > 3 {
            return None;
        }
        let count = reader.number()?;
        let args = (0..count)
            .map(|_| reader.string())
            .collect::<Option<Vec<String>>>()?;
        let symbolic_args = match version {
            1 => (0, 0),
            _ => (reader.number()?, reader.number()?),
        };
        let count = reader.number()?;
        let objects = (0..count).map(|_| {
            let name = reader.string()?;
            let len = reader.number()?;
            let bytes = reader.take(len as usize)?.to_vec();
            Some(TestObject { name, bytes })
        });
        let objects = objects.collect::<Option<Vec<TestObject>>>()?;
        Some(KTest {
            args,
            symbolic_args,
            objects,
        })
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(len)?;
        self.0 = tail;
        Some(head)
    }

    fn number(&mut self) -> Option<u32> {
        let bytes = self.take(4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn string(&mut self) -> Option<String> {
        let len = self.number()?;
        let bytes = self.take(len as usize)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_truncation() {
        let test = KTest {
            args: vec!["prog.bc".into(), "-x".into()],
            symbolic_args: (0, 0),
            objects: vec![
                TestObject {
                    name: "a".into(),
                    bytes: vec![1, 2, 255],
                },
                TestObject {
                    name: "empty".into(),
                    bytes: vec![],
                },
            ],
        };
        let bytes = test.encode();
        assert_eq!(&bytes[..13], b"KTEST\0\0\0\x03\0\0\0\x02");
        assert_eq!(KTest::decode(&bytes), Some(test));
        for len in 0..bytes.len() {
            assert_eq!(KTest::decode(&bytes[..len]), None, "cut at {len}");
        }
    }
}
