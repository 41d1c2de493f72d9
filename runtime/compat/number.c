/* Integers from texts, as glibc reads them: a text without digits leaves errno alone (musl sets EINVAL, and programs that look at
   errno, such as printf, end otherwise). The locale has no part in it. */
#include <inttypes.h>

static int digit_of(unsigned char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 36;
}

/* Behind a prefix of the base that a digit follows. */
static const char *without_prefix(const char *text, int *base, int binary) {
  if (text[0] != '0') {
    if (!*base) *base = 10;
    return text;
  }
  int letter = text[1] | 32;
  if ((*base == 0 || *base == 16) && letter == 'x' && digit_of(text[2]) < 16) { *base = 16; return text + 2; }
  if (binary && (*base == 0 || *base == 2) && letter == 'b' && digit_of(text[2]) < 2) { *base = 2; return text + 2; }
  if (!*base) *base = 8;
  return text;
}

/* The size of a number, at most `most` (one more if it is negative and has a sign), and whether it is negative. */
static unsigned long long number_from(const char *text, char **end, int base, int binary, unsigned long long most, int is_signed, int *negative) {
  const char *at = text;
  *negative = 0;
  if (base < 0 || base == 1 || base > 36) { errno = EINVAL; return 0; }
  while (*at == ' ' || (unsigned)*at - '\t' < 5) at++;
  if (*at == '-' || *at == '+') *negative = *at++ == '-';
  at = without_prefix(at, &base, binary);
  if (digit_of(*at) >= base) {
    if (end) *end = (char *)text;
    *negative = 0;
    return 0;
  }
  unsigned long long limit = most + (is_signed && *negative), value = 0;
  int over = 0;
  for (int digit; (digit = digit_of(*at)) < base; at++) {
    if (over) continue;
    if (value > (limit - digit) / base) over = 1;
    else value = value * base + digit;
  }
  if (end) *end = (char *)at;
  if (!over) return value;
  errno = ERANGE;
  if (!is_signed) *negative = 0;
  return limit;
}

static long long signed_from(const char *text, char **end, int base, int binary) {
  int negative;
  unsigned long long value = number_from(text, end, base, binary, LLONG_MAX, 1, &negative);
  return negative ? -value : value;
}

static unsigned long long unsigned_from(const char *text, char **end, int base, int binary) {
  int negative;
  unsigned long long value = number_from(text, end, base, binary, ULLONG_MAX, 0, &negative);
  return negative ? -value : value;
}

long strtol(const char *restrict s, char **restrict e, int base) { return signed_from(s, e, base, 0); }
long long strtoll(const char *restrict s, char **restrict e, int base) { return signed_from(s, e, base, 0); }
intmax_t strtoimax(const char *restrict s, char **restrict e, int base) { return signed_from(s, e, base, 0); }
unsigned long strtoul(const char *restrict s, char **restrict e, int base) { return unsigned_from(s, e, base, 0); }
unsigned long long strtoull(const char *restrict s, char **restrict e, int base) { return unsigned_from(s, e, base, 0); }
uintmax_t strtoumax(const char *restrict s, char **restrict e, int base) { return unsigned_from(s, e, base, 0); }
/* What headers of glibc 2.38 and later call. */
long __isoc23_strtol(const char *restrict s, char **restrict e, int base) { return signed_from(s, e, base, 1); }
long long __isoc23_strtoll(const char *restrict s, char **restrict e, int base) { return signed_from(s, e, base, 1); }
intmax_t __isoc23_strtoimax(const char *restrict s, char **restrict e, int base) { return signed_from(s, e, base, 1); }
unsigned long __isoc23_strtoul(const char *restrict s, char **restrict e, int base) { return unsigned_from(s, e, base, 1); }
unsigned long long __isoc23_strtoull(const char *restrict s, char **restrict e, int base) { return unsigned_from(s, e, base, 1); }
uintmax_t __isoc23_strtoumax(const char *restrict s, char **restrict e, int base) { return unsigned_from(s, e, base, 1); }
/* Not musl's, whose numbers run over. */
int atoi(const char *s) { return signed_from(s, 0, 10, 0); }
long atol(const char *s) { return signed_from(s, 0, 10, 0); }
long long atoll(const char *s) { return signed_from(s, 0, 10, 0); }
