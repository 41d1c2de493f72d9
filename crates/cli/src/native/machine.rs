//! Native calls: system calls, memory at fixed addresses, and calls through libffi.
//!
//! Nothing here runs in the explorer. A wrong address given to [`place`] or [`call`] harms only the process itself, which is a copy made
//! for one call.

#![allow(
    unsafe_code,
    reason = "calls of unknown functions, and memory at addresses of the explored program, cannot be had without"
)]

use libffi::low::{CodePtr, call_return_into};
use libffi::middle::{Cif, Type};
use std::ffi::{CString, OsStr, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use stet_explore::{NativeFailure, NativeType};

/// Ends the process without running anything that libraries registered.
pub(super) fn quit(status: i32) -> ! {
    // SAFETY: `_exit` has no preconditions.
    unsafe { libc::_exit(status) }
}

/// Starts the executable again with the same addresses in every run, unless it has them already. Where that is not allowed, addresses
/// of the process differ from run to run, and nothing else.
pub(super) fn fix_addresses() {
    const QUERY: libc::c_ulong = 0xffff_ffff;
    // SAFETY: `personality` changes a flag of this process.
    let before = unsafe { libc::personality(QUERY) };
    if before < 0 || before & libc::ADDR_NO_RANDOMIZE != 0 {
        return;
    }
    // SAFETY: as above.
    let changed = unsafe { libc::personality((before | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) };
    // SAFETY: as above.
    let after = unsafe { libc::personality(QUERY) };
    if changed < 0 || after & libc::ADDR_NO_RANDOMIZE == 0 {
        return;
    }
    let args = std::env::args_os().skip(1);
    let _ = std::process::Command::new("/proc/self/exe")
        .args(args)
        .exec();
}

/// Leaves the explorer's terminal and takes C's dispositions of signals.
pub(super) fn detach() {
    // SAFETY: neither call has preconditions; failing is harmless.
    unsafe {
        libc::setsid();
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Limits what the process may use from here on. The time counts anew in every copy.
pub(super) fn limit(seconds: u32, memory: u64) {
    let set = |resource, value| {
        let limit = libc::rlimit {
            rlim_cur: value,
            rlim_max: value,
        };
        // SAFETY: the structure is valid for the call.
        unsafe { libc::setrlimit(resource, &limit) }
    };
    set(libc::RLIMIT_AS, memory);
    set(libc::RLIMIT_CPU, u64::from(seconds) + 1);
    set(libc::RLIMIT_FSIZE, memory);
    set(libc::RLIMIT_CORE, 0);
}

/// Sends the standard output and error streams to a file in memory, which is returned.
pub(super) fn capture_output() -> io::Result<File> {
    // SAFETY: the name is a C string; a descriptor that is not negative is open and ours.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"output".as_ptr(), 0);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from_raw_fd(descriptor)
    };
    for stream in [1, 2] {
        let copy = file.try_clone()?.into_raw_fd();
        // SAFETY: both are descriptors of this process.
        unsafe {
            libc::dup2(copy, stream);
            libc::close(copy);
        }
    }
    Ok(file)
}

pub(super) fn load(library: &OsStr) -> Result<(), String> {
    let name = CString::new(library.as_bytes()).map_err(|_| "a name with a zero in it")?;
    // SAFETY: the name is a C string. The library's constructors run, in this process.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    match handle.is_null() {
        true => Err(format!("cannot load `{}`", library.display())),
        false => Ok(()),
    }
}

/// The address of a function in any library that was loaded.
pub(super) fn find(name: &str) -> Option<u64> {
    let name = CString::new(name.trim_start_matches('\u{1}')).ok()?;
    // SAFETY: the name is a C string.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address as u64)
}

/// Which of the two a process is.
pub(super) enum Copied {
    Original(u32),
    Copy,
}

pub(super) fn copy() -> io::Result<Copied> {
    // SAFETY: the process has one thread, so the copy finds no lock taken.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Copied::Copy),
        pid => Ok(Copied::Original(pid as u32)),
    }
}

/// How a copy ended; one that has not is killed if it is late.
pub(super) fn reap(pid: u32, is_late: bool) -> NativeFailure {
    let mut status = 0;
    // SAFETY: the pid is one of a copy that was not waited for, so it is no other process.
    let waited = unsafe {
        if is_late {
            libc::kill(pid as i32, libc::SIGKILL);
        }
        libc::waitpid(pid as i32, &mut status, 0)
    };
    if waited < 0 {
        return NativeFailure::Fault(io::Error::last_os_error().to_string());
    }
    match libc::WIFSIGNALED(status) {
        true => NativeFailure::Killed(libc::WTERMSIG(status)),
        false => NativeFailure::Exited(libc::WEXITSTATUS(status)),
    }
}

/// Puts bytes at an address, where memory is made if there is none.
pub(super) fn place(base: u64, bytes: &[u8]) -> Result<(), String> {
    const PAGE: u64 = 4096;
    if bytes.is_empty() {
        return Ok(());
    }
    let end = base
        .checked_add(bytes.len() as u64)
        .ok_or("an address past the end")?;
    for page in (base / PAGE * PAGE..end).step_by(PAGE as usize) {
        // SAFETY: a page that is mapped already is left as it is (MAP_FIXED_NOREPLACE).
        let made = unsafe {
            libc::mmap(
                page as *mut c_void,
                PAGE as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        let is_there = io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST);
        if made == libc::MAP_FAILED && !is_there {
            return Err(format!("there is no memory at {page:#x}"));
        }
    }
    // SAFETY: the pages exist. If they are memory of this process that cannot be written, the process ends, which is told as a crash.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), base as *mut u8, bytes.len()) };
    Ok(())
}

/// The bytes at an address that was placed.
pub(super) fn look(base: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    // SAFETY: the memory was made by `place`; a function that unmapped it ends the process here.
    unsafe { std::ptr::copy_nonoverlapping(base as *const u8, bytes.as_mut_ptr(), len) };
    bytes
}

/// Calls a function; at most so many seconds pass.
pub(super) fn call(
    address: u64,
    args: &[(NativeType, Vec<u8>)],
    result: &NativeType,
    seconds: u32,
) -> Result<Vec<u8>, String> {
    let types: Result<Vec<Type>, String> = args.iter().map(|(ty, _)| ffi_type(ty)).collect();
    let cif = Cif::new(types?, ffi_type(result)?);
    // sixteen-byte units: every argument is aligned as it may ask for
    let mut values: Vec<Vec<u128>> = args.iter().map(|(_, bytes)| units(bytes)).collect();
    let mut pointers: Vec<*mut c_void> = values
        .iter_mut()
        .map(|value| value.as_mut_ptr().cast())
        .collect();
    let mut answer = vec![0u128; 64];
    // SAFETY: argument buffers are at least as large as their types, the result buffer is larger than any result that is supported;
    // what the function itself does is its own affair, and harms this copy only.
    unsafe {
        libc::alarm(seconds.saturating_add(2));
        call_return_into(
            cif.as_raw_ptr(),
            CodePtr::from_ptr(address as *const c_void),
            pointers.as_mut_ptr(),
            answer.as_mut_ptr().cast(),
        );
        libc::alarm(0);
        libc::fflush(std::ptr::null_mut());
    }
    let bytes = answer.iter().flat_map(|unit| unit.to_le_bytes());
    Ok(bytes.take(128).collect())
}

fn units(bytes: &[u8]) -> Vec<u128> {
    let unit = |chunk: &[u8]| {
        let mut unit = [0; 16];
        unit[..chunk.len()].copy_from_slice(chunk);
        u128::from_le_bytes(unit)
    };
    let mut units: Vec<u128> = bytes.chunks(16).map(unit).collect();
    units.push(0);
    units
}

fn ffi_type(ty: &NativeType) -> Result<Type, String> {
    Ok(match ty {
        NativeType::Void => Type::void(),
        NativeType::Int { bytes, is_signed } => match (bytes, is_signed) {
            (1, false) => Type::u8(),
            (1, true) => Type::i8(),
            (2, false) => Type::u16(),
            (2, true) => Type::i16(),
            (4, false) => Type::u32(),
            (4, true) => Type::i32(),
            (_, false) => Type::u64(),
            (_, true) => Type::i64(),
        },
        NativeType::Pointer => Type::pointer(),
        NativeType::Float => Type::f32(),
        NativeType::Double => Type::f64(),
        NativeType::LongDouble => Type::longdouble(),
        NativeType::Struct(fields) => {
            let fields: Result<Vec<Type>, String> = fields.iter().map(ffi_type).collect();
            Type::structure(fields?)
        }
        // what is larger than two registers goes to the stack, whatever it is made of
        NativeType::Memory { size, align: ..=8 } if *size > 16 => {
            Type::structure(vec![Type::u64(); size.div_ceil(8) as usize])
        }
        NativeType::Memory { size, .. } => {
            return Err(format!("a structure of {size} bytes on the stack"));
        }
    })
}
