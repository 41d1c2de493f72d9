/* Functions of glibc that few programs need and musl does not have: vectors of texts (argz, envz), texts of numbers, old names of other
   functions, and what reports on the allocator. Those of other headers than this file includes are declared here as glibc does. */

int obstack_vprintf(struct obstack *h, const char *format, va_list arguments) {
  char *text;
  int size = vasprintf(&text, format, arguments);
  if (size >= 0) {
    if (h->chunk_limit - h->next_free < size) _obstack_newchunk(h, size);
    memcpy(h->next_free, text, size);
    h->next_free += size;
    free(text);
  }
  return size;
}
int obstack_printf(struct obstack *h, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int size = obstack_vprintf(h, format, arguments);
  va_end(arguments);
  return size;
}

/* Numbers as texts: a percent sign, perhaps a precision, and a letter. */
#define STRFROM(name, type, length)                                                       \
  int name(char *to, size_t size, const char *format, type number) {                      \
    char full[64];                                                                        \
    size_t n = strlen(format);                                                            \
    if (n < 2 || n > sizeof full - 2 || format[0] != '%' || !strchr("aAeEfFgG", format[n - 1])) abort(); \
    memcpy(full, format, n - 1);                                                          \
    memcpy(full + n - 1, length, sizeof length - 1);                                      \
    full[n - 1 + sizeof length - 1] = format[n - 1];                                      \
    full[n + sizeof length - 1] = 0;                                                      \
    return snprintf(to, size, full, number);                                              \
  }
STRFROM(strfromf, float, "")
STRFROM(strfromd, double, "")
STRFROM(strfroml, long double, "L")

double nextup(double x) { return nextafter(x, INFINITY); }
double nextdown(double x) { return nextafter(x, -INFINITY); }
float nextupf(float x) { return nextafterf(x, INFINITY); }
float nextdownf(float x) { return nextafterf(x, -INFINITY); }
long double nextupl(long double x) { return nextafterl(x, INFINITY); }
long double nextdownl(long double x) { return nextafterl(x, -INFINITY); }
double roundeven(double x) { return __builtin_roundeven(x); }
float roundevenf(float x) { return __builtin_roundevenf(x); }
double fmaxmag(double x, double y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
double fminmag(double x, double y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }
#undef isinf
#undef isnan
int isinf(double x) { return __builtin_isinf(x) ? x > 0 ? 1 : -1 : 0; }
int isinff(float x) { return __builtin_isinf(x) ? x > 0 ? 1 : -1 : 0; }
int isinfl(long double x) { return __builtin_isinf(x) ? x > 0 ? 1 : -1 : 0; }
int isnan(double x) { return __builtin_isnan(x); }
int isnanf(float x) { return __builtin_isnan(x); }
int isnanl(long double x) { return __builtin_isnan(x); }

/* Vectors of texts: texts with their ends, one after the other. */
int argz_create(char *const argv[], char **argz, size_t *size) {
  *argz = 0, *size = 0;
  for (char *const *arg = argv; *arg; arg++) *size += strlen(*arg) + 1;
  if (!*size) return 0;
  char *to = *argz = malloc(*size);
  if (!to) return ENOMEM;
  for (char *const *arg = argv; *arg; arg++) to = stpcpy(to, *arg) + 1;
  return 0;
}
int argz_append(char **argz, size_t *size, const char *more, size_t length) {
  char *grown = realloc(*argz, *size + length);
  if (!grown) return ENOMEM;
  memcpy(grown + *size, more, length);
  *argz = grown, *size += length;
  return 0;
}
int argz_add(char **argz, size_t *size, const char *text) { return argz_append(argz, size, text, strlen(text) + 1); }
/* Separators in a row count as one, but one at the end leaves an empty text behind it, as glibc has it. */
int argz_add_sep(char **argz, size_t *size, const char *text, int separator) {
  size_t length = strlen(text);
  if (!length) return 0;
  char *grown = realloc(*argz, *size + length + 1);
  if (!grown) return ENOMEM;
  char *to = grown + *size;
  for (; *text; text++)
    if (*text != separator) *to++ = *text;
    else if (to > grown && to[-1]) *to++ = 0;
  *to++ = 0;
  *argz = grown, *size = to - grown;
  return 0;
}
int argz_create_sep(const char *text, int separator, char **argz, size_t *size) {
  *argz = 0, *size = 0;
  return argz_add_sep(argz, size, text, separator);
}
size_t argz_count(const char *argz, size_t size) {
  size_t count = 0;
  for (size_t k = 0; k < size; k++) count += !argz[k];
  return count;
}
char *argz_next(const char *argz, size_t size, const char *entry) {
  if (!entry) return size ? (char *)argz : 0;
  if (entry < argz + size) entry += strlen(entry) + 1;
  return entry < argz + size ? (char *)entry : 0;
}
void argz_extract(const char *argz, size_t size, char **argv) {
  for (char *entry = 0; (entry = argz_next(argz, size, entry));) *argv++ = entry;
  *argv = 0;
}
void argz_stringify(char *argz, size_t size, int separator) {
  for (size_t k = 0; k + 1 < size; k++) if (!argz[k]) argz[k] = separator;
}
void argz_delete(char **argz, size_t *size, char *entry) {
  if (!entry) return;
  size_t length = strlen(entry) + 1;
  *size -= length;
  memmove(entry, entry + length, *size - (entry - *argz));
  if (!*size) { free(*argz); *argz = 0; }
}
int argz_insert(char **argz, size_t *size, char *before, const char *text) {
  if (!before) return argz_add(argz, size, text);
  if (before < *argz || before >= *argz + *size) return EINVAL;
  while (before > *argz && before[-1]) before--;
  size_t at = before - *argz, length = strlen(text) + 1;
  char *grown = realloc(*argz, *size + length);
  if (!grown) return ENOMEM;
  memmove(grown + at + length, grown + at, *size - at);
  memcpy(grown + at, text, length);
  *argz = grown, *size += length;
  return 0;
}

static int is_named(const char *entry, const char *name) {
  while (*name && *name != '=' && *entry == *name) entry++, name++;
  return (!*entry || *entry == '=') && (!*name || *name == '=');
}
char *envz_entry(const char *envz, size_t size, const char *name) {
  for (char *entry = 0; (entry = argz_next(envz, size, entry));) if (is_named(entry, name)) return entry;
  return 0;
}
char *envz_get(const char *envz, size_t size, const char *name) {
  char *entry = envz_entry(envz, size, name);
  char *value = entry ? strchr(entry, '=') : 0;
  return value ? value + 1 : 0;
}
void envz_remove(char **envz, size_t *size, const char *name) { argz_delete(envz, size, envz_entry(*envz, *size, name)); }
int envz_add(char **envz, size_t *size, const char *name, const char *value) {
  envz_remove(envz, size, name);
  if (!value) return argz_add(envz, size, name);
  char *entry;
  if (asprintf(&entry, "%s=%s", name, value) < 0) return ENOMEM;
  int problem = argz_add(envz, size, entry);
  free(entry);
  return problem;
}

/* Old names, and names in other forms. */
long long strtoq(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long long strtouq(const char *text, char **end, int base) { return strtoull(text, end, base); }
long strtol_l(const char *text, char **end, int base, locale_t locale) { return strtol(text, end, base); }
unsigned long strtoul_l(const char *text, char **end, int base, locale_t locale) { return strtoul(text, end, base); }
long long strtoll_l(const char *text, char **end, int base, locale_t locale) { return strtoll(text, end, base); }
unsigned long long strtoull_l(const char *text, char **end, int base, locale_t locale) { return strtoull(text, end, base); }
wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t count) { return wmemcpy(to, from, count) + count; }
wchar_t *wcschrnul(const wchar_t *text, wchar_t c) {
  while (*text && *text != c) text++;
  return (wchar_t *)text;
}
int gsignal(int number) { return raise(number); }
char *tmpnam_r(char *name) { return name ? tmpnam(name) : 0; }
int fcloseall(void) { return fflush(0); }
void closefrom(int first) { for (int k = first; k < 1024; k++) close(k); }
int pthread_yield(void) { return sched_yield(); }
time_t timelocal(struct tm *time) { return mktime(time); }
int rpmatch(const char *answer) { return *answer == 'y' || *answer == 'Y' ? 1 : *answer == 'n' || *answer == 'N' ? 0 : -1; }
const char *sigdescr_np(int number) { return number > 0 && number < 32 ? strsignal(number) : 0; }

/* The allocator has no settings; numbers about it would be claims about another one. */
int mallopt(int parameter, int value) { return 1; }
int malloc_trim(size_t kept) { return 0; }

uint32_t arc4random(void) {
  uint32_t number;
  getentropy(&number, sizeof number);
  return number;
}
void arc4random_buf(void *to, size_t size) {
  for (size_t done = 0; done < size; done += 256) getentropy((char *)to + done, size - done < 256 ? size - done : 256);
}
uint32_t arc4random_uniform(uint32_t limit) { return limit < 2 ? 0 : arc4random() % limit; }
