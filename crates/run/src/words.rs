//! Arithmetic on magnitudes: words of 64 bits, least significant first, the last of which is not zero.

use std::cmp::Ordering;

/// Products of two numbers of at least this many words each are left to faster methods.
pub(crate) const LONG: usize = 32;

pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    debug_assert!(
        a.last() != Some(&0) && b.last() != Some(&0),
        "the last word of a number is not zero"
    );
    let by_length = a.len().cmp(&b.len());
    by_length.then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

pub(crate) fn add(a: &[u64], b: &[u64], result: &mut Vec<u64>) {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    result.extend_from_slice(long);
    let (low, high) = result.split_at_mut(short.len());
    let mut carry = false;
    // Four at a time: the carry stays in the processor's flag between them.
    let (mut fours, mut words) = (low.chunks_exact_mut(4), short.chunks_exact(4));
    for (places, words) in fours.by_ref().zip(words.by_ref()) {
        for (place, &word) in places.iter_mut().zip(words) {
            (*place, carry) = place.carrying_add(word, carry);
        }
    }
    for (place, &word) in fours.into_remainder().iter_mut().zip(words.remainder()) {
        (*place, carry) = place.carrying_add(word, carry);
    }
    for place in high {
        if !carry {
            break;
        }
        (*place, carry) = place.overflowing_add(1);
    }
    if carry {
        result.push(1);
    }
}

/// How many words a step takes: the carry stays in the processor's flag within one.
const STEP: usize = 16;

/// `long + short` in `result`, which has one word more than the longer number.
pub(crate) fn add_to(long: &[u64], short: &[u64], result: &mut [u64]) {
    debug_assert!(
        short.len() <= long.len() && result.len() == long.len() + 1,
        "a sum has one word more than the longer number"
    );
    let (low, high) = long.split_at(short.len());
    let (into, rest) = result.split_at_mut(short.len());
    let mut carry = false;
    let (places, places_left) = into.as_chunks_mut::<STEP>();
    let (a, a_left) = low.as_chunks::<STEP>();
    let (b, b_left) = short.as_chunks::<STEP>();
    for ((places, a), b) in places.iter_mut().zip(a).zip(b) {
        for i in 0..STEP {
            (places[i], carry) = a[i].carrying_add(b[i], carry);
        }
    }
    for ((place, &a), &b) in places_left.iter_mut().zip(a_left).zip(b_left) {
        (*place, carry) = a.carrying_add(b, carry);
    }
    let (top, rest) = rest.split_last_mut().expect("one word more");
    for (place, &word) in rest.iter_mut().zip(high) {
        (*place, carry) = word.overflowing_add(u64::from(carry));
    }
    *top = u64::from(carry);
}

/// Four words times one, and what came before: the low word of each product meets the high word of the one before it.
/// The products come first, since they change the flag that the sums hand on. What is left for the next word comes second:
/// a high word is never the largest number, so it takes the carry.
#[inline(always)]
fn times_four(words: &[u64; 4], one: u64, above: u64) -> ([u64; 4], u64) {
    let product = |i: usize| u128::from(words[i]) * u128::from(one);
    let products = [product(0), product(1), product(2), product(3)];
    let high = |i: usize| (products[i] >> 64) as u64;
    let (w0, carry) = (products[0] as u64).overflowing_add(above);
    let (w1, carry) = (products[1] as u64).carrying_add(high(0), carry);
    let (w2, carry) = (products[2] as u64).carrying_add(high(1), carry);
    let (w3, carry) = (products[3] as u64).carrying_add(high(2), carry);
    ([w0, w1, w2, w3], high(3) + u64::from(carry))
}

/// `many * one` in `result`, which has one word more than the number.
pub(crate) fn times_one_to(many: &[u64], one: u64, result: &mut [u64]) {
    debug_assert_eq!(
        result.len(),
        many.len() + 1,
        "a product with a word has one word more"
    );
    let (top, into) = result.split_last_mut().expect("one word more");
    let (places, places_left) = into.as_chunks_mut::<4>();
    let (words, words_left) = many.as_chunks::<4>();
    let mut carry = 0;
    for (places, words) in places.iter_mut().zip(words) {
        (*places, carry) = times_four(words, one, carry);
    }
    for (place, &word) in places_left.iter_mut().zip(words_left) {
        (*place, carry) = word.carrying_mul(one, carry);
    }
    *top = carry;
}

/// `a - b` where `a` is not less.
pub(crate) fn subtract(a: &[u64], b: &[u64], result: &mut Vec<u64>) {
    debug_assert!(
        result.is_empty() && a.len() >= b.len(),
        "the difference of a number and a smaller one"
    );
    result.extend_from_slice(a);
    let (low, high) = result.split_at_mut(b.len());
    let mut borrow = false;
    let (mut fours, mut words) = (low.chunks_exact_mut(4), b.chunks_exact(4));
    for (places, words) in fours.by_ref().zip(words.by_ref()) {
        for (place, &word) in places.iter_mut().zip(words) {
            (*place, borrow) = place.borrowing_sub(word, borrow);
        }
    }
    for (place, &word) in fours.into_remainder().iter_mut().zip(words.remainder()) {
        (*place, borrow) = place.borrowing_sub(word, borrow);
    }
    for place in high {
        if !borrow {
            break;
        }
        (*place, borrow) = place.overflowing_sub(1);
    }
    debug_assert!(!borrow);
}

fn times_one(many: &[u64], one: u64, result: &mut Vec<u64>) {
    let mut carry = 0u64;
    result.reserve(many.len() + 1);
    result.extend(many.iter().map(|&word| {
        let product = u128::from(word) * u128::from(one) + u128::from(carry);
        carry = (product >> 64) as u64;
        product as u64
    }));
    result.push(carry);
}

/// The product; both or one of the factors should be short.
pub(crate) fn multiply(a: &[u64], b: &[u64], result: &mut Vec<u64>) {
    match (a, b) {
        ([], _) | (_, []) => {}
        (many, [one]) | ([one], many) => times_one(many, *one, result),
        _ => {
            result.resize(a.len() + b.len(), 0);
            for (i, &factor) in a.iter().enumerate() {
                let mut carry = 0u64;
                for (place, &word) in result[i..].iter_mut().zip(b) {
                    let product = u128::from(factor) * u128::from(word)
                        + u128::from(*place)
                        + u128::from(carry);
                    *place = product as u64;
                    carry = (product >> 64) as u64;
                }
                result[i + b.len()] = carry;
            }
        }
    }
}

/// The quotient of a number by a word; the rest is returned.
fn divide_one(a: &[u64], divisor: u64, quotient: &mut Vec<u64>) -> u64 {
    debug_assert!(
        divisor != 0 && quotient.is_empty(),
        "what is divided by zero was told before"
    );
    quotient.resize(a.len(), 0);
    let mut rest = 0u64;
    for (place, &word) in quotient.iter_mut().zip(a).rev() {
        let value = u128::from(rest) << 64 | u128::from(word);
        *place = (value / u128::from(divisor)) as u64;
        rest = (value % u128::from(divisor)) as u64;
    }
    rest
}

/// Quotient and rest of two numbers; the divisor is not zero. The usual long division, see Knuth, volume 2, 4.3.1 D.
pub(crate) fn divide(a: &[u64], b: &[u64], quotient: &mut Vec<u64>, rest: &mut Vec<u64>) {
    debug_assert!(b.last().is_some_and(|&word| word != 0));
    if let [divisor] = b {
        rest.push(divide_one(a, *divisor, quotient));
        return;
    }
    if compare(a, b) == Ordering::Less {
        rest.extend_from_slice(a);
        return;
    }
    let n = b.len();
    let shift = b[n - 1].leading_zeros();
    let mut divisor = Vec::with_capacity(n);
    shift_left(b, shift, &mut divisor);
    divisor.truncate(n);
    shift_left(a, shift, rest);
    quotient.resize(a.len() - n + 1, 0);
    let (top, second) = (divisor[n - 1], divisor[n - 2]);
    for j in (0..quotient.len()).rev() {
        let head = u128::from(rest[j + n]) << 64 | u128::from(rest[j + n - 1]);
        let (mut digit, mut left) = match rest[j + n] >= top {
            true => (
                u128::from(u64::MAX),
                head - u128::from(top) * u128::from(u64::MAX),
            ),
            false => (head / u128::from(top), head % u128::from(top)),
        };
        while left >> 64 == 0
            && digit * u128::from(second) > (left << 64 | u128::from(rest[j + n - 2]))
        {
            digit -= 1;
            left += u128::from(top);
        }
        let mut digit = digit as u64;
        if take_multiple(&mut rest[j..=j + n], &divisor, digit) {
            // One too many, which is rare.
            digit -= 1;
            put_back(&mut rest[j..=j + n], &divisor);
        }
        debug_assert_eq!(rest[j + n], 0, "what is left is below the divisor");
        quotient[j] = digit;
    }
    rest.truncate(n);
    if shift > 0 {
        for i in 0..n {
            let above = rest.get(i + 1).map_or(0, |&word| word << (64 - shift));
            rest[i] = rest[i] >> shift | above;
        }
    }
}

/// `part -= divisor * digit`; whether that went below zero.
fn take_multiple(part: &mut [u64], divisor: &[u64], digit: u64) -> bool {
    debug_assert_eq!(
        part.len(),
        divisor.len() + 1,
        "one word longer than the divisor"
    );
    let mut borrow = false;
    let (last, low) = part
        .split_last_mut()
        .expect("one word longer than the divisor");
    let (places, places_left) = low.as_chunks_mut::<4>();
    let (words, words_left) = divisor.as_chunks::<4>();
    let mut carry = 0;
    for (places, words) in places.iter_mut().zip(words) {
        let multiple;
        (multiple, carry) = times_four(words, digit, carry);
        for i in 0..4 {
            (places[i], borrow) = places[i].borrowing_sub(multiple[i], borrow);
        }
    }
    for (place, &word) in places_left.iter_mut().zip(words_left) {
        let multiple;
        (multiple, carry) = word.carrying_mul(digit, carry);
        (*place, borrow) = place.borrowing_sub(multiple, borrow);
    }
    (*last, borrow) = last.borrowing_sub(carry, borrow);
    borrow
}

fn put_back(part: &mut [u64], divisor: &[u64]) {
    debug_assert_eq!(
        part.len(),
        divisor.len() + 1,
        "one word longer than the divisor"
    );
    let mut carry = false;
    let (last, low) = part
        .split_last_mut()
        .expect("one word longer than the divisor");
    for (place, &word) in low.iter_mut().zip(divisor) {
        let (sum, first) = place.overflowing_add(word);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *place = sum;
        carry = first | second;
    }
    *last = last.wrapping_add(u64::from(carry));
}

/// The number times a power of two below the 64th, with one word more.
fn shift_left(a: &[u64], bits: u32, result: &mut Vec<u64>) {
    result.reserve(a.len() + 1);
    debug_assert!(bits < 64, "whole words are moved by others");
    let mut carry = 0;
    result.extend(a.iter().map(|&word| {
        let shifted = word << bits | carry;
        carry = if bits == 0 { 0 } else { word >> (64 - bits) };
        shifted
    }));
    result.push(carry);
}

/// The number times two to the power of `bits`.
pub(crate) fn scale_up(a: &[u64], bits: usize, result: &mut Vec<u64>) {
    result.resize(bits / 64, 0);
    shift_left(a, (bits % 64) as u32, result);
}

/// The number divided by two to the power of `bits`, rounded down.
pub(crate) fn scale_down(a: &[u64], bits: usize, result: &mut Vec<u64>) {
    let kept = a.get(bits / 64..).unwrap_or(&[]);
    let bits = bits % 64;
    result.extend(kept.iter().enumerate().map(|(i, &word)| {
        let above = kept.get(i + 1).copied().unwrap_or(0);
        if bits == 0 {
            word
        } else {
            word >> bits | above << (64 - bits)
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn value(words: &[u64]) -> BigUint {
        let digits: Vec<u32> = words
            .iter()
            .flat_map(|&word| [word as u32, (word >> 32) as u32])
            .collect();
        BigUint::from_slice(&digits)
    }

    fn made(make: impl FnOnce(&mut Vec<u64>)) -> BigUint {
        let mut result = Vec::new();
        make(&mut result);
        value(&result)
    }

    #[test]
    fn operations_on_words_are_those_of_the_library() {
        let mut source = stet_testkit::Random::new(88_172_645);
        let mut random = move || {
            let state = source.bits();
            // Runs of ones and zeros make carries that go far, and quotients that are guessed wrong.
            match state >> 61 {
                0 => 0,
                1 => u64::MAX,
                2 => 1 << 63,
                _ => state,
            }
        };
        for _ in 0..40_000 {
            let (n, k) = ((random() % 23) as usize, (random() % 11) as usize);
            let mut words = |n: usize| -> Vec<u64> {
                let mut words: Vec<u64> = (0..=n).map(|_| random()).collect();
                words[n] |= 1;
                words
            };
            let (a, b) = (words(n), words(k));
            let (x, y) = (value(&a), value(&b));
            assert_eq!(compare(&a, &b), x.cmp(&y));
            assert_eq!(made(|r| add(&a, &b, r)), &x + &y);
            let (long, short) = if a.len() < b.len() {
                (&b, &a)
            } else {
                (&a, &b)
            };
            let mut result = vec![7; long.len() + 1];
            add_to(long, short, &mut result);
            assert_eq!(value(&result), &x + &y);
            times_one_to(long, short[0], &mut result);
            assert_eq!(value(&result), value(long) * BigUint::from(short[0]));
            if x >= y {
                assert_eq!(made(|r| subtract(&a, &b, r)), &x - &y);
            }
            assert_eq!(made(|r| multiply(&a, &b, r)), &x * &y);
            let (mut quotient, mut rest) = (Vec::new(), Vec::new());
            divide(&a, &b, &mut quotient, &mut rest);
            assert_eq!((value(&quotient), value(&rest)), (&x / &y, &x % &y));
            let bits = (random() % 200) as usize;
            assert_eq!(made(|r| scale_up(&a, bits, r)), &x << bits);
            assert_eq!(made(|r| scale_down(&a, bits, r)), &x >> bits);
        }
    }
}
