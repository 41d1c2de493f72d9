//! Terms as their users see them: printing, evaluation, substitution, digests, depth, threads.

use expect_test::{Expect, expect};
use stet_term::*;

fn check(terms: &Terms, term: Term, expected: Expect) {
    expected.assert_eq(&terms.text(term));
}

#[test]
fn shared_subterms_are_named() {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::bv(8)));
    let product = terms.bv_mul(x, y);
    let sum = terms.bv_add(product, terms.bv_xor(product, x));
    let ult = terms.bv_ult(sum, product);
    check(
        &terms,
        ult,
        expect!["(let ((%0 (bvmul y x))) (bvult (bvadd %0 (bvxor %0 x)) %0))"],
    );
}

#[test]
fn shared_subterms_stay_inside_their_binder() {
    let terms = Terms::new();
    let f = terms.function("f", &[Sort::INT], Sort::INT);
    let i = terms.bound("i", Sort::INT);
    let c = terms.symbol("c", Sort::INT);
    let fi = terms.apply(f, &[i]);
    let fc = terms.apply(f, &[c]);
    let body = terms.and2(terms.le(fi, fc), terms.le(fc, terms.add(&[fi, fi])));
    let info = Quantifier {
        patterns: vec![vec![fi]],
        qid: Some("q.1".into()),
        weight: Some(0),
        ..Quantifier::default()
    };
    let forall = terms.forall(&[i], body, &info);
    assert_eq!(
        terms.free_symbols(forall).len(),
        2,
        "f and c, but not the bound i"
    );
    check(
        &terms,
        terms.implies(terms.lt(fc, c), forall),
        expect![
            "(let ((%0 (f c))) (=> (< %0 c) (forall ((i Int)) (! (let ((%1 (f i))) (and (<= %0 (+ %1 %1)) (<= %1 %0))) :pattern ((f i)) :weight 0 :qid q.1))))"
        ],
    );
}

#[test]
fn scripts_declare_what_they_use() {
    let terms = Terms::new();
    let list = terms.datatype_sort("list");
    let element = terms.uninterpreted_sort("E", &[]);
    assert!(terms.define_datatype(
        list,
        vec![
            Constructor {
                name: "empty".into(),
                fields: vec![]
            },
            Constructor {
                name: "cons".into(),
                fields: vec![("first".into(), element), ("rest".into(), list)],
            },
        ],
    ));
    let (l, e) = (terms.symbol("l", list), terms.symbol("e", element));
    let made = terms.construct(list, 1, &[e, l]);
    assert_eq!(terms.selector(1, 0, made), e);
    assert_eq!(terms.tester(0, made), Term::FALSE);
    let rest = terms.selector(1, 1, l);
    let script = Printer::new(&terms).script(&[terms.eq(rest, made), terms.tester(1, rest)]);
    expect![[r#"
        (declare-sort E 0)
        (declare-datatypes ((list 0)) (((empty)(cons (first E) (rest list)))))
        (declare-fun e () E)
        (declare-fun l () list)
        (define-fun %0 () list (rest l))
        (assert (= (cons e l) %0))
        (assert ((_ is cons) %0))
    "#]]
    .assert_eq(&script);
}

#[test]
fn opaque_operators_are_printed_as_given() {
    let terms = Terms::new();
    let float = terms.builtin_sort("(_ FloatingPoint 8 24)");
    let mode = terms.literal("RNE", terms.builtin_sort("RoundingMode"));
    let [a, b] = ["a", "b"].map(|name| terms.symbol(name, float));
    let sum = terms.builtin("fp.add", &[mode, a, b], float);
    check(&terms, sum, expect!["(fp.add RNE a b)"]);
    assert!(terms.node(sum).features().contains(Features::OPAQUE));
}

#[test]
fn marks_are_inherited_and_names_of_marked_symbols_do_not_order() {
    let terms = Terms::new();
    let x = terms.symbol("x", Sort::bv(64));
    let bases: Vec<Term> = (0..50)
        .map(|i| terms.marked_symbol(&format!("base{i}"), Sort::bv(64), 1))
        .collect();
    let first_is_base: Vec<bool> = bases
        .iter()
        .map(|&base| {
            let sum = terms.bv_add(base, x);
            assert_eq!(terms.marks(sum), 1);
            assert_eq!(sum, terms.bv_add(x, base));
            terms.args(sum)[0] == base
        })
        .collect();
    assert!(first_is_base.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(terms.marks(terms.bv_add(x, x)), 0);
}

#[test]
fn digests_do_not_depend_on_creation_order() {
    let build = |names: &[&str]| {
        let terms = Terms::new();
        for name in names {
            terms.symbol(name, Sort::bv(8));
        }
        let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::bv(8)));
        let table = terms.byte_table(8, vec![1, 2, 3, 0]);
        let read = terms.select(table, terms.bv_add(y, x));
        terms.digest(terms.bv_ult(read, terms.bv_mul(x, y)))
    };
    assert_eq!(build(&[]), build(&["z", "y", "x"]));
}

#[test]
fn digests_tell_sorts_names_and_content_apart() {
    let terms = Terms::new();
    let all = [
        terms.symbol("x", Sort::bv(8)),
        terms.symbol("x", Sort::bv(9)),
        terms.symbol("y", Sort::bv(8)),
        terms.bound("x", Sort::bv(8)),
        terms.marked_symbol("x", Sort::bv(8), 1),
        terms.bv(8, 1),
        terms.bv(9, 1),
        terms.byte_table(8, vec![1]),
        terms.byte_table(8, vec![1, 2]),
        terms.byte_table(9, vec![1]),
        Term::TRUE,
        Term::FALSE,
    ];
    let mut digests: Vec<_> = all.iter().map(|&term| terms.digest(term)).collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), all.len());
}

/// A million operators deep, through every walk there is.
#[test]
fn a_million_deep() {
    let terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::bv(32)));
    let mut term = x;
    for _ in 0..500_000 {
        term = terms.bv_mul(terms.bv_xor(term, y), y);
    }
    assert_eq!(terms.node(term).depth(), 1_000_001);
    let mut model = Model::new();
    model.set_term(&terms, x, Value::Bv(Bits::new(32, 3)));
    model.set_term(&terms, y, Value::Bv(Bits::new(32, 5)));
    let mut expected = 3u32;
    for _ in 0..500_000 {
        expected = (expected ^ 5).wrapping_mul(5);
    }
    let value = Evaluator::new(&terms, &model).eval(term).unwrap();
    assert_eq!(value.as_u64(), Some(expected.into()));
    let swapped = terms.substitute(term, &[(x, y), (y, x)]);
    assert_ne!(swapped, term);
    assert_eq!(terms.substitute(swapped, &[(x, y), (y, x)]), term);
    let constant = terms.substitute(term, &[(x, terms.bv(32, 3)), (y, terms.bv(32, 5))]);
    assert_eq!(terms.as_u64(constant), Some(expected.into()));
    assert_ne!(terms.digest(term), terms.digest(swapped));
    assert!(terms.text(term).len() > 2_000_000);
    assert_eq!(terms.free_symbols(term).len(), 2);
    let equal = terms.eq(terms.bv_not(terms.bv_neg(term)), terms.bv(32, 1));
    assert_eq!(terms.width(terms.args(equal)[0]), 32);
}

#[test]
fn large_symbol_sets_are_exact() {
    let terms = Terms::new();
    let symbols: Vec<Term> = (0..500)
        .map(|i| terms.symbol(&format!("s{i}"), Sort::BOOL))
        .collect();
    let all = terms.and(&symbols);
    assert!(terms.known_symbols(all).is_none());
    assert_eq!(terms.free_symbols(all).len(), 500);
    let bound = terms.bound("b", Sort::BOOL);
    let quantified = terms.forall(&[bound], terms.or2(bound, all), &Quantifier::default());
    assert_eq!(terms.free_symbols(quantified).len(), 500);
    let open = terms.and2(bound, quantified);
    assert_eq!(terms.free_symbols(open).len(), 501);
    let other = terms.symbol("other", Sort::BOOL);
    assert!(terms.share_symbols(all, symbols[3]));
    assert!(!terms.share_symbols(all, other));
}

#[test]
fn substitution_does_not_capture() {
    let terms = Terms::new();
    let (i, j) = (terms.bound("i", Sort::INT), terms.bound("j", Sort::INT));
    let c = terms.symbol("c", Sort::INT);
    let forall = terms.forall(&[i], terms.le(i, c), &Quantifier::default());
    assert_eq!(
        terms.substitute(forall, &[(i, j)]),
        forall,
        "a bound variable is not replaced"
    );
    let renamed = terms.substitute(forall, &[(c, i)]);
    check(&terms, renamed, expect!["(forall ((i!1 Int)) (<= i!1 i))"]);
    let plain = terms.substitute(forall, &[(c, j)]);
    check(&terms, plain, expect!["(forall ((i Int)) (<= i j))"]);
}

#[test]
fn reads_are_evaluated_through_stores_and_choices() {
    let terms = Terms::new();
    let bytes = terms.array_sort(Sort::bv(8), Sort::bv(8));
    let a = terms.symbol("a", bytes);
    let [i, j] = ["i", "j"].map(|name| terms.symbol(name, Sort::bv(8)));
    let p = terms.symbol("p", Sort::BOOL);
    let written = terms.store(a, i, terms.bv(8, 7));
    let chosen = terms.ite(p, written, terms.byte_table(8, vec![9, 8]));
    let read = terms.select(chosen, j);
    let value = |p_value: bool, i_value: u64, j_value: u64| {
        let mut model = Model::new();
        model.set_term(&terms, p, Value::Bool(p_value));
        model.set_term(&terms, i, Value::Bv(Bits::new(8, i_value)));
        model.set_term(&terms, j, Value::Bv(Bits::new(8, j_value)));
        let mut array = ArrayValue::filled(Value::Bv(Bits::new(8, 1)));
        array.set(Value::Bv(Bits::new(8, 4)), Value::Bv(Bits::new(8, 2)));
        model.set_term(&terms, a, Value::Array(array.into()));
        Evaluator::new(&terms, &model)
            .eval(read)
            .unwrap()
            .as_u64()
            .unwrap()
    };
    let values = [
        value(true, 3, 3),
        value(true, 3, 4),
        value(true, 3, 5),
        value(false, 3, 1),
        value(false, 3, 2),
    ];
    assert_eq!(values, [7, 2, 1, 8, 0]);
}

#[test]
fn arrays_over_small_indices_are_equal_when_all_elements_are() {
    let terms = Terms::new();
    let sort = terms.array_sort(Sort::bv(1), Sort::bv(8));
    let [one, two] = [1, 2].map(|v| terms.fill(sort, terms.bv(8, v)));
    let both = |array| {
        let array = terms.store(array, terms.bv(1, 0), terms.bv(8, 5));
        terms.store(array, terms.bv(1, 1), terms.bv(8, 6))
    };
    let model = Model::new();
    let mut eval = Evaluator::new(&terms, &model);
    assert!(eval.holds(terms.eq(both(one), both(two))));
    assert!(!eval.holds(terms.eq(both(one), two)));
}

#[test]
fn integers_divide_as_smt_lib_says() {
    let terms = Terms::new();
    let table: Vec<(i32, i32)> = vec![(7, 2), (-7, 2), (7, -2), (-7, -2)];
    let results: Vec<String> = table
        .iter()
        .map(|&(a, b)| {
            let (a, b) = (terms.int(a), terms.int(b));
            format!(
                "{} {}",
                terms.text(terms.int_div(a, b)),
                terms.text(terms.int_mod(a, b))
            )
        })
        .collect();
    assert_eq!(results, ["3 1", "(- 4) 1", "(- 3) 1", "4 1"]);
    let by_zero = terms.int_div(terms.int(1), terms.int(0));
    let model = Model::new();
    assert_eq!(
        Evaluator::new(&terms, &model).eval(by_zero),
        Err(EvalError::Unspecified(Op::IntDiv))
    );
}

#[test]
fn threads_build_the_same_terms() {
    let terms = Terms::new();
    let build = |terms: &Terms| {
        let x = terms.symbol("x", Sort::bv(32));
        let mut all = Vec::new();
        let mut term = x;
        for i in 0..20_000u64 {
            term = terms.bv_add(terms.bv_mul(term, x), terms.bv(32, i));
            all.push(term);
        }
        all
    };
    let results: Vec<Vec<Term>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..4).map(|_| scope.spawn(|| build(&terms))).collect();
        handles.into_iter().map(|h| h.join().unwrap()).collect()
    });
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}
