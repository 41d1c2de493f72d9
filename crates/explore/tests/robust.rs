//! Programs that used to end in a false error, a panic, an endless run, or questions that need none.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may stop, and say why they skip"
)]

mod common;

use common::{clang, compile, explore_main, explore_text, program, try_explore_text};
use stet_explore::{Config, ErrorKind, Halt, LeftOutKind, ProgramError};

/// A symbolic pointer that was compared with a function is that function; any other value is a bad call.
#[test]
fn symbolic_function_pointers_mean_the_functions_they_equal() {
    let text = program(
        "%p = alloca ptr\ncall void @klee_make_symbolic(ptr %p, i64 8, ptr @n)\n%f = load ptr, ptr %p\n\
         %c = icmp eq ptr %f, @baz\nbr i1 %c, label %yes, label %no\nyes:\n%r = call i32 %f()\nret i32 %r\n\
         no:\n%d = icmp eq ptr %f, @bar\nbr i1 %d, label %yes2, label %out\nyes2:\n%s = call i32 %f()\nret i32 %s\nout:\nret i32 0",
    ) + "define i32 @baz() { ret i32 7 }\ndefine i32 @bar() { ret i32 8 }\n";
    let found = explore_text(&text, &Config::standard());
    assert_eq!(found.errors(), Vec::<ErrorKind>::new());
    assert_eq!(found.exits(), [0, 7, 8]);
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

#[test]
fn an_unknown_function_pointer_is_every_function_and_an_error() {
    let text = program(
        "%p = alloca ptr\ncall void @klee_make_symbolic(ptr %p, i64 8, ptr @n)\n%f = load ptr, ptr %p\n\
         %c = icmp eq ptr @baz, null\nbr i1 %c, label %out, label %go\ngo:\n%r = call i32 %f()\nret i32 %r\nout:\nret i32 0",
    ) + "define i32 @baz() { ret i32 7 }\n";
    // `main` is one of the functions, and calls itself
    let mut config = Config::standard();
    config.limits.depth = Some(3);
    config.max_frames = 3;
    let found = explore_text(&text, &config);
    assert!(found.errors().contains(&ErrorKind::OutOfBounds));
    assert!(found.exits().contains(&7), "{:?}", found.paths);
}

/// Hashing the bytes of a pointer, copying it byte by byte, comparing pointers: all concrete, no query.
#[test]
fn a_program_without_symbolic_input_asks_nothing() {
    let Some(clang) = clang() else { return };
    let source = "#include <stdlib.h>\nint main(void) {\n  void *p = malloc(8); unsigned char b[8]; unsigned h = 5381;\n\
        for (int i = 0; i < 8; i++) b[i] = ((unsigned char *)&p)[i];\n  for (int i = 0; i < 8; i++) h = h * 33 + b[i];\n\
        int *table[16] = {0}; for (int k = 0; k < 100; k++) { int *q = malloc(4); *q = k; table[((unsigned long)q >> 4 ^ h) % 16] = q; }\n\
        void *r; for (int i = 0; i < 8; i++) ((unsigned char *)&r)[i] = b[i];\n  if (r != p) return 1;\n  *(int *)r = 3;\n\
        int *x = malloc(4), *y = malloc(4); if (x < y == y < x) return 2;\n\
        unsigned sum; if (__builtin_uadd_overflow((unsigned)(unsigned long)x, 1u, &sum) && h == 1) return 3;\n\
        long prod; if (__builtin_saddl_overflow((long)x, 5, &prod)) return 4;\n  return 0;\n}\n";
    for level in ["-O0", "-O2"] {
        let text = compile(clang, source, &[level]);
        let found = explore_text(&text, &Config::standard());
        assert_eq!(found.exits(), [0], "{level} {:?}", found.paths);
        let queries = &found.summary.progress.queries;
        // the one query is the model of the path's test
        assert_eq!(queries.solver_queries(), 0, "{level}");
        assert!(queries.total <= 1, "{level}: {} queries", queries.total);
    }
}

/// An optimiser writes `n + (q - p)` as `(n - p) + q`; with pointers into one object that is a number, whatever the object's address.
#[test]
fn a_difference_of_pointers_in_another_order_is_a_number() {
    let places = [
        "%b = alloca [4097 x i8]",
        "%b = call ptr @malloc(i64 4097)",
        "%b = getelementptr i8, ptr @g, i64 0",
    ];
    for place in places {
        let text = common::program(&format!(
            "{place}\n%p = getelementptr i8, ptr %b, i64 4000\n%q = getelementptr i8, ptr %b, i64 4003\n%pi = ptrtoint ptr %p to i64\n\
             %qi = ptrtoint ptr %q to i64\n%d = sub i64 4000, %pi\n%n = add i64 %d, %qi\n%e = getelementptr i8, ptr %b, i64 %n\n\
             store i8 7, ptr %q\n%v = load i8, ptr %e\n%r = zext i8 %v to i32\nret i32 %r"
        )) + "@g = global [4097 x i8] zeroinitializer\n";
        let found = explore_text(&text, &Config::standard());
        assert_eq!(found.exits(), [7], "{place}");
        let queries = &found.summary.progress.queries;
        // the one query is the model of the path's test
        assert!(queries.total <= 1, "{place}: {} queries", queries.total);
    }
}

#[test]
fn integers_of_any_width_are_stored_and_computed() {
    let found = explore_main(
        "%a = alloca <2 x i1024>\nstore <2 x i1024> <i1024 5, i1024 1024>, ptr %a\n%v = load <2 x i1024>, ptr %a\n\
         %x = extractelement <2 x i1024> %v, i32 0\n%y = extractelement <2 x i1024> %v, i32 1\n\
         %big = shl i1024 %x, 1000\n%back = lshr i1024 %big, 1000\n%c = icmp eq i1024 %back, 5\n%m = mul i1024 %y, %x\n\
         %d = icmp eq i1024 %m, 5120\n%s = sub i1024 0, %x\n%neg = icmp slt i1024 %s, 0\n%q = sdiv i1024 %s, %x\n\
         %t = trunc i1024 %q to i32\n%e = icmp eq i32 %t, -1\n%1 = and i1 %c, %d\n%2 = and i1 %1, %neg\n%3 = and i1 %2, %e\n\
         %r = zext i1 %3 to i32\nret i32 %r",
    );
    assert_eq!(found.exits(), [1], "{:?}", found.paths);
}

/// Constants of more than 128 bits: negative ones have ones up to the width of their type.
#[test]
fn wide_constants_have_all_their_bits() {
    let found = explore_main(
        "%p = alloca i160\nstore i160 -1, ptr %p\n%a = load i160, ptr %p\n\
         %b = and i160 %a, -332306840489903939697276577982185473\n%high = lshr i160 %b, 150\n%c = icmp eq i160 %high, 1023\n\
         %d = icmp eq i160 %a, 1461501637330902918203684832716283019655932542975\n\
         %e = add i160 %a, 680564733841876926926749214863536422912\n%f = icmp eq i160 %e, 680564733841876926926749214863536422911\n\
         %s = ashr i160 -340282366920938463463374607431768211457, 128\n%g = icmp eq i160 %s, -2\n\
         %1 = and i1 %c, %d\n%2 = and i1 %1, %f\n%3 = and i1 %2, %g\n%r = zext i1 %3 to i32\nret i32 %r",
    );
    assert_eq!(found.exits(), [1], "{:?}", found.paths);
}

#[test]
fn vectors_of_bits_are_packed_in_memory() {
    let text = program(
        "%v = load <16 x i1>, ptr @mask\n%i = load i16, ptr @mask\n%b = bitcast <16 x i1> %v to i16\n%c = icmp eq i16 %i, %b\n\
         %x = extractelement <16 x i1> %v, i32 2\n%d = icmp eq i16 %i, 5\n%1 = and i1 %c, %d\n%2 = and i1 %1, %x\n\
         %r = zext i1 %2 to i32\nret i32 %r",
    ) + "@mask = global <16 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>\n";
    let found = explore_text(&text, &Config::standard());
    assert_eq!(found.exits(), [1], "{:?}", found.paths);
}

#[test]
fn an_initialiser_longer_than_its_type_is_refused() {
    let text = program("ret i32 0") + "@g = global [1 x i8] c\"mode\\00\"\n";
    let error = try_explore_text(&text, &Config::standard()).unwrap_err();
    assert!(matches!(error, ProgramError::Constant { .. }), "{error:?}");
}

#[test]
fn huge_globals_are_refused_with_their_place() {
    for ty in ["[9223372036854775807 x i64]", "[1000000000 x i32]"] {
        let text = program("ret i32 0") + &format!("@g = global {ty} zeroinitializer\n");
        let error = try_explore_text(&text, &Config::standard()).unwrap_err();
        assert!(matches!(error, ProgramError::TooLarge { .. }), "{error:?}");
        assert!(error.place().is_some());
    }
}

/// 2^60 fields in sixty lines: sizes are computed once per type, values are refused.
#[test]
fn structures_of_structures_do_not_take_for_ever() {
    let mut text = String::new();
    for k in 0..60 {
        text += &format!("%x{k} = type {{ %x{0}, %x{0} }}\n", k + 1);
    }
    text += "%x60 = type { i8 }\n%e0 = type { %e1, %e1 }\n";
    for k in 1..60 {
        text += &format!("%e{k} = type {{ %e{0}, %e{0} }}\n", k + 1);
    }
    text += "%e60 = type {}\n";
    text += &program("%p = getelementptr %x0, ptr @n, i64 1\n%v = load %e0, ptr @n\nret i32 0");
    let found = explore_text(&text, &Config::standard());
    assert_eq!(found.errors(), [ErrorKind::Unsupported]);
}

#[test]
fn the_limit_on_instructions_is_exact() {
    let text = program("br label %l\nl:\nbr label %l");
    let mut config = Config::standard();
    config.limits.instructions = Some(10);
    let found = explore_text(&text, &config);
    assert_eq!(found.summary.progress.instructions, 10);
    assert!(matches!(found.summary.halt, Halt::Limit(_)));
}

/// A loop that allocates for ever ends at the limit on memory.
#[test]
fn allocation_loops_end_at_the_limit_on_memory() {
    let text = program("br label %l\nl:\n%p = call ptr @malloc(i64 16)\nbr label %l");
    let mut config = Config::standard();
    config.limits.memory = Some(1 << 20);
    let found = explore_text(&text, &config);
    assert!(matches!(found.summary.halt, Halt::Limit(_)));
    let kinds: Vec<LeftOutKind> = found.summary.left_out.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [LeftOutKind::Dropped]);
}

#[test]
fn a_symbolic_size_of_calloc_is_followed() {
    let found = explore_main(
        "%n = call i32 @klee_range(i32 1, i32 4, ptr @n)\n%w = zext i32 %n to i64\n%p = call ptr @calloc(i64 %w, i64 2)\n\
         %q = getelementptr i8, ptr %p, i64 3\nstore i8 1, ptr %q\nret i32 0",
    );
    assert_eq!(
        found.errors(),
        [ErrorKind::OutOfBounds],
        "one element has no fourth byte"
    );
    assert_eq!(found.exits(), [0, 0]);
}

#[test]
fn an_aggregate_that_is_used_before_it_is_defined_is_refused() {
    let found = explore_main(
        "%p = alloca <4 x i32>\nstore <4 x i32> %v, ptr %p\n%v = insertelement <4 x i32> zeroinitializer, i32 1, i32 3\nret i32 0",
    );
    assert_eq!(
        found.errors(),
        [ErrorKind::Unsupported],
        "{:?}",
        found.paths
    );
    assert!(!found.summary.is_complete());
}

/// The test of a path that ends with one of several statuses is an input that ends with the one that is told.
#[test]
fn a_symbolic_exit_status_is_that_of_the_test() {
    for preferred in [0, 5] {
        let body = format!(
            "%v = alloca i8\ncall void @klee_make_symbolic(ptr %v, i64 1, ptr @n)\n%x = load i8, ptr %v\n%p = icmp eq i8 %x, {preferred}\n\
             %w = zext i1 %p to i64\ncall void @klee_prefer_cex(ptr %v, i64 %w)\n%e = icmp eq i8 %x, 0\n%r = zext i1 %e to i32\nret i32 %r"
        );
        let text = program(&body) + "declare void @klee_prefer_cex(ptr, i64)\n";
        let found = explore_text(&text, &Config::standard());
        let [path] = &found.paths[..] else {
            panic!("{:?}", found.paths);
        };
        let byte = path.test.as_ref().unwrap()[0].bytes[0];
        assert_eq!(found.exits(), [i32::from(byte == 0)], "{path:?}");
    }
}

#[test]
fn intrinsics_on_one_bit_give_truth_values() {
    let body = "%v = alloca i8\ncall void @klee_make_symbolic(ptr %v, i64 1, ptr @n)\n%x = load i8, ptr %v\n%g = trunc i8 %x to i1\n\
        %d = call i1 @llvm.ctpop.i1(i1 %g)\n%z = zext i1 %d to i32\n%c = icmp eq i32 %z, 1\nbr i1 %c, label %yes, label %no\n\
        yes:\nret i32 3\nno:\nret i32 4";
    let text = program(body) + "declare i1 @llvm.ctpop.i1(i1)\n";
    let found = explore_text(&text, &Config::standard());
    assert_eq!(found.exits(), [3, 4], "{:?}", found.paths);
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}

/// The parts of an aggregate have the width of its type, also where both choices are numbers.
#[test]
fn a_choice_between_vectors_keeps_the_width_of_lanes() {
    let body = "%v = alloca i8\ncall void @klee_make_symbolic(ptr %v, i64 1, ptr @n)\n%x = load i8, ptr %v\n%c = icmp ult i8 %x, 9\n\
        %s = select i1 %c, <2 x i32> <i32 1, i32 -2>, <2 x i32> <i32 3, i32 4>\n%m = icmp slt <2 x i32> %s, zeroinitializer\n\
        %t = select <2 x i1> %m, <2 x i32> %s, <2 x i32> <i32 7, i32 8>\n%e = extractelement <2 x i32> %t, i32 1\n\
        %d = icmp eq i32 %e, -2\nbr i1 %d, label %yes, label %no\nyes:\nret i32 5\nno:\nret i32 6";
    let found = explore_text(&program(body), &Config::standard());
    assert_eq!(found.exits(), [5, 6], "{:?}", found.paths);
    assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
}
