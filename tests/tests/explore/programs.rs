//! Random C programs over two bytes of input. They note the branches they take in `path` and what they compute in
//! `result`, and ask for both as symbolic objects at the end: a test carries what the exploration predicts.

use std::fmt::Write;
use stet_testkit::Random;

/// What all programs have around their `run`.
const FRAME: &str = r#"
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct node { uint8_t key; uint16_t value; struct node *next; };
static uint32_t path, result;
static uint8_t table[10], grid[3][4];
static uint32_t words[12];
static uint8_t *rows[4];
static struct node nodes[3], *head;
static void took(uint32_t id) { path = path * 31u + id; }
static void note(uint32_t value) { result = result * 33u + value; }
static uint32_t twice(uint32_t x) { return x * 2u; }
static uint32_t upper(uint32_t x) { return x >> 4; }
static uint32_t mixed(uint32_t x) { took(77); return x ^ 0x5au; }
static uint32_t (*const operations[3])(uint32_t) = {twice, upper, mixed};
static void prepare(void) {
  path = 1; result = 0; head = 0;
  for (int i = 0; i < 10; i++) table[i] = (uint8_t)(i * 37 + 11);
  for (int i = 0; i < 12; i++) words[i] = (uint32_t)i * 2654435761u;
  for (int i = 0; i < 12; i++) grid[i / 4][i % 4] = (uint8_t)(i * i);
  for (int i = 0; i < 4; i++) rows[i] = grid[i % 3];
  for (int i = 0; i < 3; i++) {
    nodes[i].key = (uint8_t)(i * 50 + 7); nodes[i].value = (uint16_t)(i * 999); nodes[i].next = head; head = &nodes[i];
  }
}
"#;

const MAIN: &str = r#"
#ifdef EXHAUSTIVE
#include <stdio.h>
int main(void) {
  for (unsigned i = 0; i < 65536; i++) {
    uint8_t in[2] = {(uint8_t)i, (uint8_t)(i >> 8)};
    prepare(); run(in); printf("%u %u\n", path, result);
  }
  return 0;
}
#else
int main(void) {
  uint8_t in[2];
  klee_make_symbolic(in, sizeof in, "in");
  prepare(); run(in);
  uint32_t predicted[2];
  klee_make_symbolic(predicted, sizeof predicted, "predicted");
  klee_assume(predicted[0] == path); klee_assume(predicted[1] == result);
  return 0;
}
#endif
"#;

/// A random program; one that is not `safe` may go wrong on some inputs.
pub(crate) fn program(seed: u64, safe: bool) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
        text: String::new(),
        labels: 0,
        safe,
    };
    writer.text.push_str(
        "static void run(const uint8_t *in) {\n  uint32_t a = in[0], b = in[1], c = 3, d = 40;\n",
    );
    let statements = 4 + writer.random.below(4);
    for _ in 0..statements {
        writer.statement(2);
    }
    writer
        .text
        .push_str("  note(a); note(b); note(c); note(d);\n");
    writer
        .text
        .push_str("  for (int i = 0; i < 10; i++) note(table[i]);\n}\n");
    format!("{FRAME}{}{MAIN}", writer.text)
}

struct Writer {
    random: Random,
    text: String,
    labels: usize,
    safe: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {text}");
    }

    /// A statement that notes where control is.
    fn took(&mut self) {
        self.labels += 1;
        let label = self.labels;
        self.line(&format!("took({label});"));
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c", "d"][self.random.below(4)]
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(4) {
                0 => format!("{}u", [0, 1, 7, 13, 100, 255, 4096][self.random.below(7)]),
                1 => format!("(uint32_t)in[{}]", self.random.below(2)),
                _ => self.variable().to_owned(),
            };
        }
        let x = self.expression(depth - 1);
        let y = self.expression(depth - 1);
        match self.random.below(16) {
            0 | 1 => format!("({x} + {y})"),
            2 => format!("({x} - {y})"),
            3 => format!("({x} * {y})"),
            4 => format!("({x} ^ {y})"),
            5 => format!("({x} & {y})"),
            6 => format!("({x} << ({y} & 7u))"),
            7 => format!("({x} >> ({y} & 31u))"),
            8 => format!("({x} / ({y} | 1u))"),
            9 => format!("({x} % (({y} & 15u) + 1u))"),
            10 => format!("(uint32_t)(int8_t)({x})"),
            11 => format!("(uint32_t)((int32_t)({x}) / 3)"),
            12 => format!("table[({x}) % 10u]"),
            13 => format!("words[({x}) % 12u]"),
            14 => format!("rows[({x}) & 3u][({y}) & 3u]"),
            _ => format!("operations[({x}) % 3u]({y})"),
        }
    }

    fn condition(&mut self) -> String {
        let x = self.expression(1);
        let depth = self.random_depth();
        let y = self.expression(depth);
        match self.random.below(7) {
            0 => format!("{x} < {y}"),
            1 => format!("{x} == {y}"),
            2 => format!("(int32_t)({x}) < (int32_t)({y})"),
            3 => format!("(uint8_t)({x}) > {}u", self.random.below(256)),
            4 => format!("({x} & {}u) != 0", 1 << self.random.below(8)),
            5 => format!("{x} < {y} && in[0] != in[1]"),
            _ => format!(
                "in[{}] == {}u || {x} > {y}",
                self.random.below(2),
                self.random.below(256)
            ),
        }
    }

    fn random_depth(&mut self) -> usize {
        self.random.below(2)
    }

    fn statement(&mut self, depth: usize) {
        if !self.safe && self.random.below(4) == 0 {
            return self.risk();
        }
        match self.random.below(if depth == 0 { 8 } else { 12 }) {
            0 | 1 => {
                let (x, e) = (self.variable(), self.expression(2));
                self.line(&format!("{x} = {e};"));
            }
            2 => {
                let e = self.expression(2);
                self.line(&format!("note({e});"));
            }
            3 => {
                let (i, e) = (self.expression(1), self.expression(1));
                self.line(&format!("table[({i}) % 10u] = (uint8_t)({e});"));
            }
            4 => {
                let (i, j, e) = (self.expression(0), self.expression(0), self.expression(1));
                self.line(&format!("rows[({i}) & 3u][({j}) & 3u] = (uint8_t)({e});"));
            }
            5 => self.heap(),
            6 => self.list(),
            7 => {
                let (i, j) = (self.random.below(4), self.random.below(4));
                self.line(&format!(
                    "{{ uint8_t *r = rows[{i}]; rows[{i}] = rows[{j}]; rows[{j}] = r; }}"
                ));
                let e = self.expression(1);
                let (from, size) = (self.random_depth(), 1 + i);
                self.line(&format!("memset(table + {from}, (int)({e}), {size});"));
            }
            8 | 9 => self.branch(depth),
            10 => self.repetition(depth),
            _ => self.cases(depth),
        }
    }

    fn block(&mut self, depth: usize) {
        self.took();
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth - 1);
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        self.block(depth);
        self.line("} else {");
        self.block(depth);
        self.line("}");
    }

    fn repetition(&mut self, depth: usize) {
        let e = self.expression(1);
        let (mask, i) = ([1, 3][self.random.below(2)], format!("i{}", self.labels));
        self.line(&format!(
            "for (uint32_t {i} = 0, n = ({e}) & {mask}u; {i} < n; {i}++) {{"
        ));
        self.block(depth);
        self.line("}");
    }

    fn cases(&mut self, depth: usize) {
        let e = self.expression(1);
        self.line(&format!("switch (({e}) & 7u) {{"));
        for case in [0, 2, 3, 7] {
            self.line(&format!("case {case}:"));
            self.block(depth);
            if case != 2 {
                self.line("break;");
            }
        }
        self.line("default:");
        self.took();
        self.line("}");
    }

    fn heap(&mut self) {
        let (size, x) = (2 + self.random.below(6), self.variable());
        let (i, e, j) = (self.expression(0), self.expression(1), self.expression(0));
        self.line(&format!(
            "{{ uint8_t *p = malloc({size}); memset(p, {size}, {size});"
        ));
        self.line(&format!(
            "  p[({i}) % {size}u] = (uint8_t)({e}); {x} += p[({j}) % {size}u]; free(p); }}"
        ));
    }

    fn list(&mut self) {
        let (x, e) = (self.variable(), self.expression(1));
        if self.random.below(2) == 0 {
            self.line("{ struct node *n = malloc(sizeof *n); n->next = head; head = n;");
            self.line(&format!(
                "  n->key = (uint8_t)({e}); n->value = (uint16_t){x}; }}"
            ));
        } else {
            self.labels += 1;
            let label = self.labels;
            self.line(&format!(
                "for (struct node *n = head; n; n = n->next) if (n->key == (uint8_t)({e})) {{ took({label}); {x} += n->value; break; }}"
            ));
        }
    }

    /// A statement that goes wrong on some inputs.
    fn risk(&mut self) {
        let (e, condition) = (self.expression(1), self.condition());
        let text = match self.random.below(7) {
            0 => format!("note(words[({e}) & 15u]);"),
            1 => format!("words[({e}) % 14u] = {};", self.variable()),
            2 => format!("note(100u / (({e}) & 3u));"),
            3 => format!("note(1u << (({e}) & 63u));"),
            4 => format!("if ({condition}) abort();"),
            5 => format!("{{ uint32_t *p = ({condition}) ? &words[1] : 0; note(*p); }}"),
            _ => format!(
                "{{ uint32_t *p = malloc(4); *p = {e}; if ({condition}) free(p); note(*p); free(p); }}"
            ),
        };
        self.line(&text);
    }
}
