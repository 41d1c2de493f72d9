//! The native process: loads libraries, copies itself for every call, and answers.

use super::machine::{self, Copied};
use super::protocol::{Answer, Request, read_request, receive, send, write_answer};
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use stet_explore::{NativeCall, NativeFailure, NativeFunction, NativeMapping, NativeReply};

/// The first argument of the executable when it is started as a native process.
pub(super) const COMMAND: &str = "__native";
/// Larger mappings are not copied to the explorer.
const LARGEST_MAPPING: u64 = 64 << 20;

/// Serves as a native process if the executable was started as one, and never returns then. It must run before anything else: a process
/// with threads cannot copy itself.
pub(crate) fn run_if_started() {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(COMMAND.as_ref()) {
        return;
    }
    let status = match serve(args) {
        Ok(()) => 0,
        Err(_) => 1,
    };
    machine::quit(status);
}

struct Server {
    socket: PathBuf,
    stream: UnixStream,
    seconds: u32,
    output: std::fs::File,
}

fn serve(mut args: impl Iterator<Item = OsString>) -> std::io::Result<()> {
    let missing = || std::io::Error::other("an argument is missing");
    let mut next = || args.next().ok_or_else(missing);
    let socket = PathBuf::from(next()?);
    let number = |text: OsString| {
        let text = text.into_string().map_err(|_| missing())?;
        text.parse::<u64>().map_err(|_| missing())
    };
    let seconds = number(next()?)?.min(1 << 20) as u32;
    let memory = number(next()?)?;
    machine::fix_addresses();
    machine::detach();
    for library in args {
        machine::load(&library).map_err(std::io::Error::other)?;
    }
    let output = machine::capture_output()?;
    machine::limit(seconds, memory);
    let mut server = Server {
        stream: UnixStream::connect(&socket)?,
        socket,
        seconds,
        output,
    };
    loop {
        let bytes = receive(&mut server.stream)?;
        let request = read_request(&bytes).map_err(|_| missing())?;
        let answer = server.handle(request);
        send(&mut server.stream, &write_answer(&answer))?;
    }
}

impl Server {
    fn handle(&mut self, request: Request) -> Answer {
        match request {
            Request::Call(call) => self.copy_and_call(call),
            Request::Mapping(address) => Answer::Mapping(mapping(address)),
            Request::Reap { pid, is_late } => Answer::Failed(machine::reap(pid, is_late)),
        }
    }

    /// In the copy this returns what the call did; in the original, that there is a copy.
    fn copy_and_call(&mut self, call: NativeCall) -> Answer {
        let fault = |why: std::io::Error| Answer::Failed(NativeFailure::Fault(why.to_string()));
        let stream = match UnixStream::connect(&self.socket) {
            Ok(stream) => stream,
            Err(error) => return fault(error),
        };
        match machine::copy() {
            Err(error) => fault(error),
            Ok(Copied::Original(pid)) => Answer::Copied(pid),
            Ok(Copied::Copy) => {
                self.stream = stream;
                match self.make(&call) {
                    Ok(reply) => Answer::Done(reply),
                    Err(failure) => Answer::Failed(failure),
                }
            }
        }
    }

    fn make(&mut self, call: &NativeCall) -> Result<NativeReply, NativeFailure> {
        let address = match &call.function {
            NativeFunction::Named(name) => machine::find(name).ok_or(NativeFailure::NotFound)?,
            NativeFunction::At(address) => *address,
        };
        for region in &call.regions {
            machine::place(region.base, &region.bytes).map_err(NativeFailure::Fault)?;
        }
        let fault = |error: std::io::Error| NativeFailure::Fault(error.to_string());
        self.output.set_len(0).map_err(fault)?;
        self.output.seek(SeekFrom::Start(0)).map_err(fault)?;
        let result = machine::call(address, &call.args, &call.result, self.seconds)
            .map_err(NativeFailure::Fault)?;
        let mut output = Vec::new();
        self.output.seek(SeekFrom::Start(0)).map_err(fault)?;
        self.output.read_to_end(&mut output).map_err(fault)?;
        let regions = call.regions.iter();
        let look =
            |region: &stet_explore::NativeRegion| machine::look(region.base, region.bytes.len());
        Ok(NativeReply {
            result,
            regions: regions.map(look).collect(),
            output,
        })
    }
}

/// The mapping around an address, read through the kernel: some mappings cannot be read at all.
fn mapping(address: u64) -> Option<NativeMapping> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (base, end) = (hex(start)?, hex(end)?);
        let access = words.next()?.as_bytes();
        if address < base || address >= end {
            continue;
        }
        if access.first() != Some(&b'r') || end - base > LARGEST_MAPPING {
            return None;
        }
        let mut bytes = vec![0; (end - base) as usize];
        let memory = std::fs::File::open("/proc/self/mem").ok()?;
        memory.read_exact_at(&mut bytes, base).ok()?;
        return Some(NativeMapping {
            base,
            bytes,
            is_writable: access.get(1) == Some(&b'w'),
            is_code: access.get(2) == Some(&b'x'),
        });
    }
    None
}
