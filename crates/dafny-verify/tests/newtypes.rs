//! Newtypes: every value that is made of one satisfies its constraint, whatever it is over.

mod common;
use common::check;

#[test]
fn bit_operators_and_shifts_are_checked() {
    check(
        "newtype Bv = x: bv7 | x < 10
         method Shift(x: Bv) returns (r: Bv) { r := x << 1; } //! newtype constraint for 'Bv'
         method Or(x: Bv, y: Bv) returns (r: Bv) { r := x | y; } //! newtype constraint for 'Bv'
         method Rotate(x: Bv) returns (r: Bv) { r := x.RotateLeft(1); } //! newtype constraint for 'Bv'
         method Complement(x: Bv) returns (r: Bv) { r := !x; } //! newtype constraint for 'Bv'
         method And(x: Bv, y: Bv) returns (r: Bv) { r := x & y; assert r <= x; }",
    );
}

#[test]
fn slices_updates_and_operators_of_collections_are_checked() {
    check(
        "newtype S = s: seq<int> | |s| == 0 || s[0] > 0
         method Put(s: S) returns (t: S) requires |s| > 1 { t := s[0 := -1]; } //! newtype constraint for 'S'
         method Rest(s: S) returns (t: S) requires |s| > 1 { t := s[1..]; } //! newtype constraint for 'S'
         method First(s: S) returns (t: S) requires |s| > 1 { t := s[..1]; }
         newtype Few = s: set<int> | |s| < 3
         method Both(x: Few, y: Few) returns (r: Few) { r := x + y; } //! newtype constraint for 'Few'
         method Less(x: Few, y: Few) returns (r: Few) { r := x - y; assert |x - y| <= |x|; }
         newtype M = m: map<int, int> | |m| < 3
         method Add(x: M) returns (r: M) { r := x[3 := 4]; } //! newtype constraint for 'M'
         method Merge(x: M, y: M) returns (r: M) { r := x + y; } //! newtype constraint for 'M'
         newtype B = m: multiset<int> | |m| < 3
         method Many(x: B) returns (r: B) { r := x[3 := 4]; } //! newtype constraint for 'B'
         newtype T = b: bool | b witness true
         method Not(x: T) returns (r: T) { r := !x; } //! newtype constraint for 'T'",
    );
}

#[test]
fn literals_and_displays_take_the_newtype_that_is_wanted() {
    check(
        "newtype Names = s: seq<string> | |s| <= 2
         newtype Ints = s: set<int> | 0 !in s
         newtype Vowel = c: char | c == 'a' || c == 'e' witness 'a'
         method Display() returns (n: Names) { n := [\"a\", \"b\"]; }
         method Long() returns (n: Names) { n := [\"a\", \"b\", \"c\"]; } //! newtype constraint for 'Names'
         method Compare(s: Ints) requires 5 in s { assert s != {}; var t: Ints := s + {3}; assert 3 in t; }
         method Zero(s: Ints) returns (t: Ints) { t := s + {0}; } //! newtype constraint for 'Ints'
         method Choose(b: bool) returns (n: Names) { n := if b then [] else [\"x\"]; assert |n| < 2; }
         method Comprehension() returns (s: Ints) { s := set x | 1 <= x < 4; }
         function Letter(b: bool): Vowel { if b then 'a' else 'e' }
         function Wrong(): Vowel { 'b' } //! newtype constraint for 'Vowel'
         function Length(n: Names): nat ensures Length(n) <= 2 { |n| }
         method Call() { var k := Length([\"a\"]); assert k <= 2; }",
    );
}
