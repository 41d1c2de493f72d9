//! The crate `stet`: what a Rust program says to `stet explore`.
//!
//! ```ignore
//! #[stet::explore]
//! fn a_number_survives_the_round_trip() {
//!     let number: u16 = stet::symbolic();
//!     stet::assume(number < 1000);
//!     assert_eq!(decode(&encode(number)), Ok(number));
//! }
//! ```
//!
//! Functions marked `#[stet::explore]` are found and explored one by one, like tests. The crate is compiled beside the program by
//! `stet explore main.rs` and `cargo stet explore`; code that uses it elsewhere stands behind `#[cfg(stet)]`.

use core::ffi::{c_char, c_void};
use core::mem::MaybeUninit;
use core::panic::Location;

pub use stet_macros::explore;

unsafe extern "C" {
    fn klee_make_symbolic(place: *mut c_void, size: usize, name: *const c_char);
    fn stet_assume(condition: usize);
}

/// Types that have a value standing for all their values.
pub trait Symbolic: Sized {
    /// A value that may be any of the type's, under a name that tests and reports show.
    fn named(name: &str) -> Self;
}

/// Fills a place with symbolic bytes.
///
/// # Safety
/// Every pattern of bits is a value of the type.
unsafe fn any_bits<T>(name: &str) -> T {
    let mut text = [0u8; 128];
    let len = name.len().min(text.len() - 1);
    text[..len].copy_from_slice(&name.as_bytes()[..len]);
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the value has that many bytes, the caller vouches for their contents, and the name ends in a zero.
    unsafe {
        klee_make_symbolic(
            value.as_mut_ptr().cast(),
            size_of::<T>(),
            text.as_ptr().cast(),
        );
        value.assume_init()
    }
}

macro_rules! plain {
    ($($name:ty),*) => {
        $(impl Symbolic for $name {
            fn named(name: &str) -> Self {
                // SAFETY: every pattern of bits is a number.
                unsafe { any_bits(name) }
            }
        }
        impl<const N: usize> Symbolic for [$name; N] {
            fn named(name: &str) -> Self {
                // SAFETY: every pattern of bits is an array of numbers.
                unsafe { any_bits(name) }
            }
        })*
    };
}

plain!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64
);

impl Symbolic for () {
    fn named(_: &str) -> Self {}
}

impl Symbolic for bool {
    fn named(name: &str) -> Self {
        let byte = u8::named(name);
        assume(byte <= 1);
        byte == 1
    }
}

impl Symbolic for char {
    fn named(name: &str) -> Self {
        let number = u32::named(name);
        assume(number < 0xd800 || number.wrapping_sub(0xe000) < 0x10_2000);
        // SAFETY: assumed to be a scalar value.
        unsafe { char::from_u32_unchecked(number) }
    }
}

impl<T: Symbolic> Symbolic for Option<T> {
    fn named(name: &str) -> Self {
        bool::named(&format!("{name}.is_some")).then(|| T::named(name))
    }
}

impl<T: Symbolic, E: Symbolic> Symbolic for Result<T, E> {
    fn named(name: &str) -> Self {
        match bool::named(&format!("{name}.is_ok")) {
            true => Ok(T::named(name)),
            false => Err(E::named(name)),
        }
    }
}

macro_rules! tuple {
    ($($part:ident $number:tt),*) => {
        impl<$($part: Symbolic),*> Symbolic for ($($part,)*) {
            fn named(name: &str) -> Self {
                ($($part::named(&format!("{name}.{}", $number)),)*)
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// A value that may be any of its type's; tests and reports name it after the line it is made in.
#[track_caller]
pub fn symbolic<T: Symbolic>() -> T {
    let place = Location::caller();
    let file = place.file().rsplit('/').next().unwrap_or_default();
    T::named(&format!("{file}:{}", place.line()))
}

/// A value that may be any of its type's, with a name.
pub fn symbolic_named<T: Symbolic>(name: &str) -> T {
    T::named(name)
}

/// All sequences of up to this many bytes; each length is a path of its own.
pub fn bytes(name: &str, most: usize) -> Vec<u8> {
    let length = usize::named(&format!("{name}.len"));
    assume(length <= most);
    let mut bytes = Vec::with_capacity(most);
    // one path for each length: the length of a vector decides much of what a program does
    while bytes.len() < length {
        let byte = u8::named(&format!("{name}.{}", bytes.len()));
        bytes.push(byte);
    }
    bytes
}

/// All texts of up to this many ASCII characters.
pub fn text(name: &str, most: usize) -> String {
    let bytes = bytes(name, most);
    bytes.iter().for_each(|byte| assume(byte.is_ascii()));
    // SAFETY: ASCII is UTF-8.
    unsafe { String::from_utf8_unchecked(bytes) }
}

/// Leaves out the inputs for which the condition is false.
pub fn assume(condition: bool) {
    // SAFETY: the function takes any number.
    unsafe { stet_assume(condition as usize) }
}

/// Panics for inputs for which the condition is false: `assert!` as a function.
#[track_caller]
pub fn assert(condition: bool) {
    if !condition {
        panic!("assertion failed");
    }
}

/// What a marked function may return.
#[doc(hidden)]
pub trait End {
    /// Panics if the function failed.
    fn end(self);
}

impl End for () {
    fn end(self) {}
}

impl<T, E: core::fmt::Debug> End for Result<T, E> {
    #[track_caller]
    fn end(self) {
        if let Err(error) = self {
            panic!("the function returned an error: {error:?}");
        }
    }
}

/// How a marked function is found in the compiled program.
#[doc(hidden)]
#[repr(C)]
pub struct Entry<const N: usize> {
    function: fn(),
    name: [u8; N],
}

impl<const N: usize> Entry<N> {
    /// An entry; the name has `N` bytes with the zero at its end.
    pub const fn new(function: fn(), text: &str) -> Self {
        let mut name = [0; N];
        let mut at = 0;
        while at < text.len() {
            name[at] = text.as_bytes()[at];
            at += 1;
        }
        Entry { function, name }
    }
}
