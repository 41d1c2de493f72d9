/* library COUNT SEED: what functions of the C library that this is built with answer on random input, one line each. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <fnmatch.h>
#include <libgen.h>
#include <time.h>

static unsigned long state = 1;
static unsigned below(unsigned n) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}

static void one_of(char *to, const char *const *words, unsigned count) { strcat(to, words[below(count)]); }
#define PICK(to, ...) do { static const char *const words[] = {__VA_ARGS__}; one_of(to, words, sizeof words / sizeof *words); } while (0)

static void show(const void *bytes, int size) {
  for (int i = 0; i < size; i++) printf("%02x", ((const unsigned char *)bytes)[i]);
}

/* A text of pieces that numbers, words and their limits are made of. */
static void text_to_scan(char *text) {
  text[0] = 0;
  for (unsigned n = 1 + below(7); n; n--)
    PICK(text, "0", "1", "7", "9", "12", "x", "X", "0x", "+", "-", ".", "e", "E", "p", "a", "f", "g", " ", "\t", "\n", ",", ":", "%", "inf", "nan", "nan(", ")", "z", "99999999999999999999", "(nil)", "b", "0b", "\x80");
}

static int format_to_scan(char *format) {
  int count = 0;
  format[0] = 0;
  for (unsigned n = 1 + below(3); n; n--) {
    PICK(format, "", "", "", " ", ",", "x", "%%", "a");
    strcat(format, "%");
    PICK(format, "", "", "", "", "*", "1", "2", "3", "5");
    /* Of 0x where the width ends, glibc reads a floating-point 0; this one case is left. */
    if (strchr("23", format[strlen(format) - 1])) PICK(format, "d", "x", "i", "s", "c", "[^,]", "hi", "p");
    else PICK(format, "hhd", "hd", "d", "ld", "lld", "i", "li", "x", "o", "u", "X", "jd", "zu", "td", "s", "c", "[a-f]", "[^,]", "[]0]", "[0-9x]", "f", "lf", "e", "lg", "n", "a", "p", "hi", "hhx", "Lf", "[^]x]", "[-0]");
    count++;
  }
  return count;
}

static void scan(void) {
  static unsigned char out[4][64] __attribute__((aligned(16)));
  char text[256], format[128];
  text_to_scan(text);
  format_to_scan(format);
  memset(out, 0x55, sizeof out);
  errno = 0;
  int n = sscanf(text, format, out[0], out[1], out[2], out[3]);
  printf("scan \"");
  for (char *p = text; *p; p++) if (*p < 32) printf("\\%o", *(unsigned char *)p); else putchar(*p);
  printf("\" \"%s\": %d", format, n);
  for (int i = 0; i < 3; i++) { putchar(' '); show(out[i], 16); }
  putchar('\n');
}

static void conversion(char *format) {
  strcat(format, "%");
  PICK(format, "", "", "", "-", "0", "+", " ", "#", "'", "#0", "-+");
  PICK(format, "", "", "", "1", "5", "12");
  PICK(format, "", "", "", ".", ".0", ".3", ".10");
}

static double number_to_print(void) {
  static const double some[] = {0, -0.0, 1, -1, .5, 1e10, 1.5e-10, 123456.789, 1e300, 5e-324, 2.5, 3.5, 0.1, 1 / 3., 99999.95, 0x1.8p3, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
  return some[below(sizeof some / sizeof *some)];
}

static void print(void) {
  char format[128] = "", text[1024];
  static const long some[] = {0, 1, -1, 7, 255, 256, 65535, 32768, 2147483647, -2147483648l, 9223372036854775807l, 1000000, -12345};
  static const char *const words[] = {"", "a", "hello", "longer than ten", "%d"};
  static const wchar_t *const wide[] = {L"", L"ab", L"wide"};
  conversion(format);
  int n = 0;
  errno = 0;
  switch (below(6)) {
  case 0: case 1: PICK(format, "d", "i", "u", "x", "X", "o", "ld", "lu", "lx", "hd", "hhd", "hu", "hhx", "lld", "jd", "zu", "td", "c"); n = snprintf(text, sizeof text, format, some[below(sizeof some / sizeof *some)]); break;
  case 2: PICK(format, "s"); n = snprintf(text, sizeof text, format, words[below(5)]); break;
  case 3: PICK(format, "f", "e", "g", "a", "F", "E", "G", "A"); n = snprintf(text, sizeof text, format, number_to_print()); break;
  case 4: PICK(format, "Lf", "Le", "Lg", "La"); n = snprintf(text, sizeof text, format, (long double)number_to_print()); break;
  case 5: if (below(2)) { PICK(format, "p"); n = snprintf(text, sizeof text, format, below(2) ? (void *)0 : (void *)0x1234); } else { PICK(format, "ls", "S"); n = snprintf(text, sizeof text, format, wide[below(3)]); } break;
  }
  printf("print \"%s\": %d \"%s\" %d\n", format, n, n >= 0 ? text : "", errno);
}

static void number(void) {
  char text[256], *end;
  text_to_scan(text);
  errno = 0;
  double d = strtod(text, &end);
  printf("strtod "); show(text, strlen(text)); printf(": %a %ld %d", d, (long)(end - text), errno);
  errno = 0; float f = strtof(text, &end); printf(" %a %ld %d", f, (long)(end - text), errno);
  errno = 0; long double l = strtold(text, &end); printf(" %La %ld %d", l, (long)(end - text), errno);
  printf(" %d %ld %lld\n", atoi(text), atol(text), atoll(text));
}

static void time_of(void) {
  static const char *const formats[] = {"%Y-%m-%d %H:%M:%S", "%a %A %b %B", "%c", "%x %X", "%D %F %R %T", "%e %j %k %l", "%U %V %W %G %g %u %w", "%C %y", "%I %p %P %r", "%s %z %Z", "%n%t%%", "%h %5Y %03d", "%-d %_d %^a %#Z", "%Ey %Od", "%+", "%Q"};
  time_t when = (long)below(2000000000) * (below(4) ? 1 : -1) + (below(8) ? 0 : 1l << 36);
  struct tm tm;
  char text[256] = "";
  gmtime_r(&when, &tm);
  const char *format = formats[below(sizeof formats / sizeof *formats)];
  size_t n = strftime(text, sizeof text, format, &tm);
  printf("strftime %ld \"%s\": %zu \"%s\"\n", when, format, n, n ? text : "");
  tm.tm_mday += below(100) - 50; tm.tm_mon += below(40) - 20; tm.tm_hour += below(100) - 50; tm.tm_sec += below(5000) - 2500;
  time_t again = timegm(&tm);
  printf("timegm %ld: %d-%d-%d %d:%d:%d %d %d\n", again, tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_wday, tm.tm_yday);
}

static void address(void) {
  char text[128] = "", back[128];
  unsigned char out[16] = {0};
  for (unsigned n = 1 + below(7); n; n--) PICK(text, "1", "0", "255", "256", ".", ".", ".", ":", ":", "::", "ff", "0x1f", "08", "12345", " ", "-1");
  struct in_addr a = {0};
  int n = inet_aton(text, &a);
  printf("inet \"%s\": %d %x", text, n, n ? a.s_addr : 0);
  n = inet_pton(AF_INET, text, out); printf(" %d", n); if (n == 1) show(out, 4);
  n = inet_pton(AF_INET6, text, out); printf(" %d", n); if (n == 1) { show(out, 16); printf(" %s", inet_ntop(AF_INET6, out, back, sizeof back)); }
  putchar('\n');
}

static void word(char *to, int pattern) {
  for (unsigned n = below(7); n; n--) if (pattern) PICK(to, "a", "b", "A", ".", "/", "*", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[", "]", "\\*", "\\", "-", "[[:alpha:]]"); else PICK(to, "a", "b", "A", "B", ".", "/", "*", "-", "c", " ", "\x80", "1");
}

static int sign(int n) { return (n > 0) - (n < 0); }

static void words(void) {
  char a[128] = "", b[128] = "", pattern[128] = "", c[256], *save, *p;
  word(a, 0); word(b, 0); word(pattern, 1);
  static const int flags[] = {0, FNM_PATHNAME, FNM_NOESCAPE, FNM_PERIOD, FNM_PATHNAME | FNM_PERIOD, FNM_CASEFOLD, FNM_LEADING_DIR};
  int flag = flags[below(7)];
  printf("words \"%s\" \"%s\" \"%s\": %d", a, b, pattern, fnmatch(pattern, a, flag));
  printf(" %d %d %d %d", sign(strcmp(a, b)), sign(strcasecmp(a, b)), sign(strncmp(a, b, 2)), sign(strcoll(a, b)));
  printf(" %zu %zu", strspn(a, b), strcspn(a, b));
  p = strstr(a, b); printf(" %ld", p ? (long)(p - a) : -1);
  p = strcasestr(a, b); printf(" %ld", p ? (long)(p - a) : -1);
  p = strpbrk(a, b); printf(" %ld", p ? (long)(p - a) : -1);
  strcpy(c, a); for (p = strtok_r(c, "/.", &save); p; p = strtok_r(0, "/.", &save)) printf(" %s", p);
  strcpy(c, a); for (char *at = c; (p = strsep(&at, "/."));) printf(" <%s>", p);
  strcpy(c, a); printf(" %s", dirname(c));
  for (p = a; *p; p++) { int k = *(unsigned char *)p; printf(" %d%d%d%d%d", !!isalpha(k), !!isprint(k), !!ispunct(k), tolower(k), toupper(k)); }
  putchar('\n');
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 100000;
  state = argc > 2 ? atol(argv[2]) : 1;
  for (long i = 0; i < count; i++) switch (below(6)) { case 0: scan(); break; case 1: print(); break; case 2: number(); break; case 3: time_of(); break; case 4: address(); break; case 5: words(); break; }
}
