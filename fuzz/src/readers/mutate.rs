//! Inputs from seeds: bytes, words, lines and brackets changed, moved, repeated and cut.

use super::Target;
use stet_testkit::Random;

/// No input is longer.
const LONGEST: usize = 300_000;

/// The input with this number.
pub fn case(target: &Target, seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut random = Random::new(number.wrapping_mul(0x9E37_79B9) ^ target.name.len() as u64);
    let mut input = pick(&mut random, seeds).clone();
    for _ in 0..1 + random.below(6) {
        mutate(target, seeds, &mut random, &mut input);
        input.truncate(LONGEST);
    }
    input
}

fn pick<'a, T>(random: &mut Random, from: &'a [T]) -> &'a T {
    &from[random.below(from.len() as u64) as usize]
}

fn mutate(target: &Target, seeds: &[Vec<u8>], random: &mut Random, input: &mut Vec<u8>) {
    if input.is_empty() {
        input.push(random.bits() as u8);
    }
    match random.below(14) {
        0 => {
            let at = position(random, input);
            input[at] ^= 1 << random.below(8);
        }
        1 => {
            let at = position(random, input);
            input[at] = random.bits() as u8;
        }
        2 => {
            let (start, end) = range(random, input, 40);
            input.drain(start..end);
        }
        3 => {
            let (start, end) = range(random, input, 200);
            let copy = input[start..end].to_vec();
            insert(random, input, &copy);
        }
        4 | 5 if !target.words.is_empty() => {
            let word = pick(random, target.words).as_bytes();
            insert(random, input, word);
        }
        6 => {
            let at = position(random, input);
            input.truncate(at);
        }
        7 => {
            let other = pick(random, seeds);
            let (start, end) = range(random, other, 400);
            let part = other[start..end].to_vec();
            insert(random, input, &part);
        }
        8 => replace_number(random, input),
        9 => nest(random, input),
        10 => swap_lines(random, input),
        11 => delete_word(random, input),
        12 => {
            let zeros = vec![*pick(random, &[0u8, 255, b' ', b'\n']); random.below(60) as usize];
            insert(random, input, &zeros);
        }
        _ => {
            let at = position(random, input);
            input[at] = input[at].wrapping_add(1);
        }
    }
}

fn position(random: &mut Random, input: &[u8]) -> usize {
    random.below(input.len().max(1) as u64) as usize
}

fn range(random: &mut Random, input: &[u8], most: u64) -> (usize, usize) {
    let start = position(random, input);
    let end = (start + 1 + random.below(most) as usize).min(input.len());
    (start.min(end), end)
}

fn insert(random: &mut Random, input: &mut Vec<u8>, part: &[u8]) {
    let at = random.below(input.len() as u64 + 1) as usize;
    input.splice(at..at, part.iter().copied());
}

/// Numbers at the borders of machine words, where there was a number.
fn replace_number(random: &mut Random, input: &mut Vec<u8>) {
    const NUMBERS: &[&str] = &[
        "0",
        "-1",
        "255",
        "65536",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
        "1e400",
        "0x",
        "1.",
    ];
    let from = position(random, input);
    let Some(start) = input[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + start;
    let length = input[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = pick(random, NUMBERS);
    input.splice(start..start + length, number.bytes());
}

/// One bracket or word again and again; sometimes so often that recursion would not survive it.
fn nest(random: &mut Random, input: &mut Vec<u8>) {
    const OPEN: &[&str] = &[
        "(", "[", "{", "<", "- ", "!", "\\+ ", "(a,", "[a|", "not ", "f(", "if (*) {", "{{", "<{",
    ];
    let times = match random.below(60) {
        0 => 40_000,
        1..6 => 2_000,
        _ => 20,
    };
    let part = pick(random, OPEN).repeat(times);
    insert(random, input, part.as_bytes());
}

fn swap_lines(random: &mut Random, input: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let (a, b) = (
        random.below(lines.len() as u64) as usize,
        random.below(lines.len() as u64) as usize,
    );
    lines.swap(a, b);
    *input = lines.join(&b'\n');
}

fn delete_word(random: &mut Random, input: &mut Vec<u8>) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = position(random, input);
    let length = input[start..]
        .iter()
        .take_while(|byte| is_word(byte))
        .count()
        .max(1);
    input.drain(start..start + length);
}
