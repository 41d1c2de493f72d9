/* Which locale a name means, as on a system with glibc and no locales but its own: without settings the locale is C, whose
   characters are bytes (musl's default is UTF-8), and a locale that is not installed cannot be chosen. */
#include <locale.h>

void stet_left_out(const char *what);

/* musl's own description of a locale; none is C. */
struct __locale_map;
extern const struct __locale_map __c_dot_utf8;

static const char *setting_of(int category) {
  static const char *const names[] = {"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES"};
  const char *value = getenv("LC_ALL");
  if (!value || !*value) value = getenv(names[category]);
  if (!value || !*value) value = getenv("LANG");
  return value && *value ? value : "C";
}

static int is_utf8(const char *codeset) { return !strcasecmp(codeset, "UTF-8") || !strcasecmp(codeset, "utf8"); }

const struct __locale_map *__get_locale(int category, const char *name) {
  if (!*name) name = setting_of(category);
  if (!strcmp(name, "C") || !strcmp(name, "POSIX")) return 0;
  const char *codeset = strchr(name, '.');
  int is_own = name[0] == 'C' && codeset == name + 1;
  if (!is_own) stet_left_out("of all locales only C and C.UTF-8 are there; other UTF-8 locales are taken for C.UTF-8");
  if (!codeset || !is_utf8(codeset + 1)) return (const struct __locale_map *)-1;
  return category == LC_CTYPE ? &__c_dot_utf8 : 0;
}
