/* Oracle of runtime/compat/regex.c: random patterns, texts, syntaxes and flags through glibc and through ours. Errors of the
   pattern and the number of groups must be the same; so must matches, but for what glibc gets wrong itself (a ^ or $ inside a
   pattern before or after a newline, an escaped letter without case). Usage: regex COUNT SEED. The last line counts. */
#define _GNU_SOURCE
#include <ctype.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Ours is compiled on its own, with renamed entry points: its types have the same names. */
int our_regcomp(regex_t *, const char *, int);
int our_regexec(const regex_t *, const char *, size_t, regmatch_t *, int);
void our_regfree(regex_t *);
const char *our_re_compile_pattern(const char *, size_t, regex_t *);
reg_syntax_t our_re_set_syntax(reg_syntax_t);
int our_re_search(regex_t *, const char *, int, int, int, struct re_registers *);

static const char *const parts[] = {
  "a", "b", "c", "ab", ".", "*", "+", "?", "\\+", "\\?", "(", ")", "\\(", "\\)", "|", "\\|", "[ab]", "[^a]", "[a-c]", "[[:alpha:]]",
  "[[:digit:]_]", "{2}", "{1,2}", "{,2}", "{1,}", "\\{1,2\\}", "\\{2\\}", "^", "$", "\\<", "\\>", "\\b", "\\B", "\\w", "\\W", "\\s", "\\1", "\\2",
  "\\`", "\\'", "\n", "[]a]", "[a-]", "[b-a]", "[", "]", "{", "}", "\\", "-", "_", "[^\n]", "A", "[[:upper:]]", "[[.a.]]", "[[=b=]]", "[[:foo:]]",
  "(a|b)", "(a*)", "\\(a*\\)", "(ab|a)", "[a\\]", "x", "()", "(^a)", "a{0}", "[--c]", "[a-c-e]", "{a", "{1a}", "{3,1}",
};
enum { PARTS = sizeof parts / sizeof *parts, COMMON_PARTS = 16 };
static const reg_syntax_t syntaxes[] = {
  RE_SYNTAX_EMACS, RE_SYNTAX_AWK, RE_SYNTAX_GNU_AWK, RE_SYNTAX_POSIX_AWK, RE_SYNTAX_GREP, RE_SYNTAX_EGREP, RE_SYNTAX_POSIX_EGREP, RE_SYNTAX_ED,
  RE_SYNTAX_POSIX_BASIC, RE_SYNTAX_POSIX_MINIMAL_BASIC, RE_SYNTAX_POSIX_EXTENDED, RE_SYNTAX_POSIX_MINIMAL_EXTENDED, RE_SYNTAX_POSIX_EXTENDED | RE_ICASE,
};
static uint64_t state = 88172645463325252u;
static unsigned draw(unsigned bound) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % bound;
}
static long compiled, matched, other_errors, other_matches, other_groups;

static void random_pattern(char *pattern) {
  *pattern = 0;
  for (int left = 1 + draw(7); left; left--) strcat(pattern, parts[draw(draw(3) ? COMMON_PARTS : PARTS)]);
}
static int random_text(char *text) {
  int length = draw(8);
  for (int i = 0; i < length; i++) text[i] = "aabbcA_ \n-"[draw(draw(2) ? 4 : 10)];
  text[length] = 0;
  return length;
}
static int have_same_groups(const regmatch_t *a, const regmatch_t *b) { return !memcmp(a + 1, b + 1, 9 * sizeof *a); }

static void note(int is_same, int have_same, const char *pattern, const char *text) {
  matched++;
  other_matches += !is_same;
  other_groups += is_same && !have_same;
  if (!is_same && other_matches < 6) printf("pattern '%s' text '%s'\n", pattern, text);
}
static void search(regex_t *theirs, regex_t *ours, const char *pattern) {
  char text[20];
  int length = random_text(text), from = draw(3) ? 0 : draw(length + 1), range = draw(4) ? length - from : -from;
  struct re_registers a = { 0 }, b = { 0 };
  theirs->regs_allocated = ours->regs_allocated = REGS_UNALLOCATED;
  int x = re_search(theirs, text, length, from, range, &a), y = our_re_search(ours, text, length, from, range, &b);
  int is_same = x == y, have_same = 1;
  if (is_same && x >= 0 && a.num_regs && b.num_regs) {
    is_same = a.end[0] == b.end[0];
    for (size_t i = 1; i <= theirs->re_nsub; i++) have_same &= a.start[i] == b.start[i] && a.end[i] == b.end[i];
  }
  note(is_same, have_same, pattern, text);
  free(a.start), free(a.end), free(b.start), free(b.end);
}
static void execute(regex_t *theirs, regex_t *ours, const char *pattern, int flags) {
  char text[20];
  regmatch_t a[10] = { 0 }, b[10] = { 0 };
  int length = random_text(text), how = draw(4);
  if (!draw(4)) {
    how |= REG_STARTEND;
    a[0].rm_so = b[0].rm_so = draw(length + 1);
    a[0].rm_eo = b[0].rm_eo = length;
  }
  int x = regexec(theirs, text, 10, a, how), y = our_regexec(ours, text, 10, b, how), is_same = x == y, have_same = 1;
  if (is_same && !x && !(flags & REG_NOSUB)) {
    is_same = !memcmp(a, b, sizeof *a);
    have_same = have_same_groups(a, b);
  }
  note(is_same, have_same, pattern, text);
}
static void try_pattern(void) {
  char pattern[200];
  random_pattern(pattern);
  regex_t theirs = { 0 }, ours = { 0 };
  int is_gnu = draw(2), flags = draw(16), x, y;
  if (is_gnu) {
    reg_syntax_t syntax = syntaxes[draw(sizeof syntaxes / sizeof *syntaxes)];
    re_set_syntax(syntax);
    our_re_set_syntax(syntax);
    const char *a = re_compile_pattern(pattern, strlen(pattern), &theirs), *b = our_re_compile_pattern(pattern, strlen(pattern), &ours);
    x = a != 0;
    y = b && a ? !strcmp(a, b) : b != 0;
  } else {
    x = regcomp(&theirs, pattern, flags);
    y = our_regcomp(&ours, pattern, flags);
  }
  compiled++;
  if (x != y || !x && theirs.re_nsub != ours.re_nsub) {
    other_errors++;
    printf("pattern '%s' flags %d: glibc %d, ours %d\n", pattern, flags, x, y);
  } else if (!x)
    for (int i = 0; i < 4; i++) is_gnu ? search(&theirs, &ours, pattern) : execute(&theirs, &ours, pattern, flags);
  if (!x) regfree(&theirs);
  our_regfree(&ours);
}
int main(int argc, char **argv) {
  if (argc > 2) state ^= strtoull(argv[2], 0, 10) * 7919;
  for (long left = argc > 1 ? atol(argv[1]) : 1000; left; left--) try_pattern();
  printf("%ld patterns, %ld other errors; %ld searches, %ld other matches, %ld other groups\n", compiled, other_errors, matched, other_matches, other_groups);
}
