//! The explorer's side of native processes.

use super::process::COMMAND;
use super::protocol::{Answer, Request, read_answer, receive, send, write_request};
use std::cell::{Cell, RefCell};
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use stet_explore::{
    Externals, NativeCall, NativeFailure, NativeMapping, NativeProcess, NativeReply,
};

/// States with other histories of calls have other processes; more of them than this are not kept.
const MOST_PROCESSES: usize = 250;
/// How long a process may take for what involves no call.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a called function may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    /// Bytes of address space.
    pub(crate) memory: u64,
}

/// The libraries whose functions are called.
#[derive(Clone, Debug)]
pub(crate) struct NativeLibraries {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) limits: Limits,
}

impl Externals for NativeLibraries {
    fn start(&self) -> Result<Rc<dyn NativeProcess>, String> {
        self.first()
            .map(|process| Rc::new(process) as Rc<dyn NativeProcess>)
            .map_err(|error| format!("no process can be started: {error}"))
    }
}

impl NativeLibraries {
    fn first(&self) -> io::Result<Process> {
        let folder = tempfile::Builder::new().prefix("stet-native").tempdir()?;
        let socket = folder.path().join("calls");
        let listener = UnixListener::bind(&socket)?;
        let child = Command::new(std::env::current_exe()?)
            .arg(COMMAND)
            .arg(&socket)
            .arg(self.limits.time.as_secs().max(1).to_string())
            .arg(self.limits.memory.to_string())
            .args(&self.files)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let mut origin = Origin {
            child,
            listener,
            _folder: folder,
            alive: Cell::new(0),
            limits: self.limits,
        };
        let stream = origin.first_connection()?;
        Process::new(stream, Rc::new(origin))
    }
}

/// What all copies of one first process have in common.
#[derive(Debug)]
struct Origin {
    child: Child,
    listener: UnixListener,
    _folder: tempfile::TempDir,
    alive: Cell<usize>,
    limits: Limits,
}

impl Origin {
    /// Waits for the process that was started.
    fn first_connection(&mut self) -> io::Result<UnixStream> {
        self.listener.set_nonblocking(true)?;
        let started = Instant::now();
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    self.listener.set_nonblocking(false)?;
                    stream.set_nonblocking(false)?;
                    return Ok(stream);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            let is_over = self.child.try_wait()?.is_some();
            if is_over || started.elapsed() > PATIENCE {
                return Err(io::Error::other(
                    "it does not answer; is a library missing?",
                ));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        // its connection was closed already; this is for the case that it does not notice
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process in which some calls were made.
#[derive(Debug)]
struct Process {
    stream: RefCell<UnixStream>,
    origin: Rc<Origin>,
    /// The mapping that was asked for last: the process does not run between calls.
    seen: RefCell<Option<NativeMapping>>,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.origin.alive.set(self.origin.alive.get() - 1);
    }
}

impl Process {
    fn new(stream: UnixStream, origin: Rc<Origin>) -> io::Result<Process> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        origin.alive.set(origin.alive.get() + 1);
        Ok(Process {
            stream: RefCell::new(stream),
            origin,
            seen: RefCell::new(None),
        })
    }

    fn ask(&self, request: &Request) -> io::Result<Answer> {
        let mut stream = self.stream.borrow_mut();
        send(&mut *stream, &write_request(request))?;
        answer(&mut stream)
    }

    fn copy_and_call(&self, call: &NativeCall) -> io::Result<Result<Called, NativeFailure>> {
        if self.origin.alive.get() >= MOST_PROCESSES {
            let why = format!("more than {MOST_PROCESSES} paths wait with native processes");
            return Ok(Err(NativeFailure::Fault(why)));
        }
        let pid = match self.ask(&Request::Call(call.clone()))? {
            Answer::Copied(pid) => pid,
            Answer::Failed(failure) => return Ok(Err(failure)),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        // the copy was connected before it was told of
        let (stream, _) = self.origin.listener.accept()?;
        let copy = Process::new(stream, self.origin.clone())?;
        let answered = {
            let mut stream = copy.stream.borrow_mut();
            stream.set_read_timeout(Some(self.origin.limits.time))?;
            let answered = answer(&mut stream);
            stream.set_read_timeout(Some(PATIENCE))?;
            answered
        };
        match answered {
            Ok(Answer::Done(reply)) => Ok(Ok((Rc::new(copy), reply))),
            Ok(Answer::Failed(failure)) => Ok(Err(failure)),
            Ok(_) => Err(io::ErrorKind::InvalidData.into()),
            Err(error) => {
                let late = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
                let is_late = late.contains(&error.kind());
                match self.ask(&Request::Reap { pid, is_late })? {
                    Answer::Failed(_) if is_late => Ok(Err(NativeFailure::TimedOut)),
                    Answer::Failed(failure) => Ok(Err(failure)),
                    _ => Err(io::ErrorKind::InvalidData.into()),
                }
            }
        }
    }
}

type Called = (Rc<dyn NativeProcess>, NativeReply);

fn answer(stream: &mut UnixStream) -> io::Result<Answer> {
    let bytes = receive(stream)?;
    read_answer(&bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

impl NativeProcess for Process {
    fn call(&self, call: &NativeCall) -> Result<Called, NativeFailure> {
        let fault = |error: io::Error| NativeFailure::Fault(error.to_string());
        self.copy_and_call(call).map_err(fault)?
    }

    fn mapping(&self, address: u64) -> Option<NativeMapping> {
        let contains = |mapping: &NativeMapping| {
            address >= mapping.base && address - mapping.base < mapping.bytes.len() as u64
        };
        if let Some(seen) = self.seen.borrow().as_ref().filter(|seen| contains(seen)) {
            return Some(seen.clone());
        }
        match self.ask(&Request::Mapping(address)) {
            Ok(Answer::Mapping(Some(mapping))) => {
                *self.seen.borrow_mut() = Some(mapping.clone());
                Some(mapping)
            }
            _ => None,
        }
    }
}
