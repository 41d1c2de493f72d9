/* Times as text, as glibc writes them in the locale C: with the flags _ - 0 ^ #, a width, the conversions k l P, and what is no conversion as it
   stands. musl knows none of these and gives up. */
#include <time.h>

struct written { char *to; size_t size, most; };

static void put_letter(struct written *out, char letter) {
  if (out->size < out->most) out->to[out->size] = letter;
  out->size++;
}

/* What a conversion asked for: `pad` is 0 where it gave no flag, `width` is -1 where it gave none. */
struct wish { char pad; int upper, swapped, width; };

static void put_text(struct written *out, const char *text, struct wish wish) {
  int size = strlen(text);
  if (wish.pad != '-') for (int n = size; n < wish.width; n++) put_letter(out, wish.pad == '0' ? '0' : ' ');
  for (; *text; text++) put_letter(out, wish.upper ? toupper(*text) : *text);
}

/* A number of at least `digits` digits; `pad` is what stands before it without a flag. */
static void put_number(struct written *out, long long number, int digits, char pad, struct wish wish) {
  char text[32];
  int size = 0, negative = number < 0;
  unsigned long long rest = negative ? -number : number;
  do text[size++] = '0' + rest % 10; while (rest /= 10);
  if (wish.pad) pad = wish.pad;
  if (wish.width > digits) digits = wish.width;
  if (pad == '-') digits = 0;
  int before = digits - size - negative;
  if (pad == '_') for (; before > 0; before--) put_letter(out, ' ');
  if (negative) put_letter(out, '-');
  for (; before > 0; before--) put_letter(out, '0');
  while (size) put_letter(out, text[--size]);
}

/* The year and week of ISO 8601: its weeks begin on Monday, the first holds the year's first Thursday. */
static int week_of(const struct tm *tm, long long *year) {
  *year = tm->tm_year + 1900ll;
  int week = (tm->tm_yday + 10 - (tm->tm_wday + 6) % 7) / 7;
  if (week < 1) {
    *year -= 1;
    int leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
    return (tm->tm_yday + 365 + leap + 10 - (tm->tm_wday + 6) % 7) / 7;
  }
  int leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  if (week == 53 && tm->tm_yday - (tm->tm_wday + 6) % 7 + 3 >= 365 + leap) { *year += 1; return 1; }
  return week;
}

static void put_time(struct written *out, const char *format, const struct tm *tm);

/* The conversion `letter`; 0 if there is none of that name. */
static int put_conversion(struct written *out, char letter, const struct tm *tm, struct wish wish) {
  static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  static const char *const months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
  const char *day = tm->tm_wday >= 0 && tm->tm_wday < 7 ? days[tm->tm_wday] : "?", *month = tm->tm_mon >= 0 && tm->tm_mon < 12 ? months[tm->tm_mon] : "?";
  const char *half = tm->tm_hour >= 12 ? "PM" : "AM", *compound = 0;
  char text[128] = "";
  long long year = tm->tm_year + 1900ll, week_year;
  int hour = tm->tm_hour % 12 ? tm->tm_hour % 12 : 12;
  if (wish.swapped && letter != 'p' && letter != 'Z') wish.upper = 1;
  switch (letter) {
  case 'a': snprintf(text, sizeof text, "%.3s", day); put_text(out, text, wish); return 1;
  case 'A': put_text(out, day, wish); return 1;
  case 'b': case 'h': snprintf(text, sizeof text, "%.3s", month); put_text(out, text, wish); return 1;
  case 'B': put_text(out, month, wish); return 1;
  case 'C': put_number(out, year / 100 - (year % 100 < 0), 2, '0', wish); return 1;
  case 'd': put_number(out, tm->tm_mday, 2, '0', wish); return 1;
  case 'e': put_number(out, tm->tm_mday, 2, '_', wish); return 1;
  case 'g': week_of(tm, &week_year); put_number(out, (week_year % 100 + 100) % 100, 2, '0', wish); return 1;
  case 'G': week_of(tm, &week_year); put_number(out, week_year, 0, '0', wish); return 1;
  case 'H': put_number(out, tm->tm_hour, 2, '0', wish); return 1;
  case 'I': put_number(out, hour, 2, '0', wish); return 1;
  case 'j': put_number(out, tm->tm_yday + 1ll, 3, '0', wish); return 1;
  case 'k': put_number(out, tm->tm_hour, 2, '_', wish); return 1;
  case 'l': put_number(out, hour, 2, '_', wish); return 1;
  case 'm': put_number(out, tm->tm_mon + 1ll, 2, '0', wish); return 1;
  case 'M': put_number(out, tm->tm_min, 2, '0', wish); return 1;
  case 'n': put_text(out, "\n", wish); return 1;
  case 'P': wish.swapped = 1; /* fall through */
  case 'p': put_text(out, wish.swapped ? tm->tm_hour >= 12 ? "pm" : "am" : half, wish); return 1;
  case 's': { struct tm copy = *tm; put_number(out, mktime(&copy), 0, '0', wish); return 1; }
  case 'S': put_number(out, tm->tm_sec, 2, '0', wish); return 1;
  case 't': put_text(out, "\t", wish); return 1;
  case 'u': put_number(out, (tm->tm_wday + 6) % 7 + 1, 1, '0', wish); return 1;
  case 'U': put_number(out, (tm->tm_yday - tm->tm_wday + 7) / 7, 2, '0', wish); return 1;
  case 'V': put_number(out, week_of(tm, &week_year), 2, '0', wish); return 1;
  case 'w': put_number(out, tm->tm_wday, 1, '0', wish); return 1;
  case 'W': put_number(out, (tm->tm_yday - (tm->tm_wday + 6) % 7 + 7) / 7, 2, '0', wish); return 1;
  case 'y': put_number(out, (year % 100 + 100) % 100, 2, '0', wish); return 1;
  case 'Y': put_number(out, year, 0, '0', wish); return 1;
  case 'z': {
    long minutes = tm->tm_gmtoff / 60;
    put_letter(out, tm->tm_gmtoff < 0 ? '-' : '+');
    if (minutes < 0) minutes = -minutes;
    put_number(out, minutes / 60 * 100 + minutes % 60, 4, '0', wish);
    return 1;
  }
  case 'Z': {
    const char *zone = tm->tm_zone ? tm->tm_zone : "";
    int n = 0;
    for (; zone[n] && n < 100; n++) text[n] = wish.swapped ? tolower(zone[n]) : zone[n];
    text[n] = 0;
    put_text(out, text, wish);
    return 1;
  }
  case '%': put_text(out, "%", wish); return 1;
  case 'c': compound = "%a %b %e %H:%M:%S %Y"; break;
  case 'D': case 'x': compound = "%m/%d/%y"; break;
  case 'F': compound = "%Y-%m-%d"; break;
  case 'r': compound = "%I:%M:%S %p"; break;
  case 'R': compound = "%H:%M"; break;
  case 'T': case 'X': compound = "%H:%M:%S"; break;
  default: return 0;
  }
  struct written part = {text, 0, sizeof text - 1};
  put_time(&part, compound, tm);
  text[part.size < part.most ? part.size : part.most] = 0;
  put_text(out, text, wish);
  return 1;
}

static void put_time(struct written *out, const char *format, const struct tm *tm) {
  for (; *format; format++) {
    if (*format != '%') { put_letter(out, *format); continue; }
    const char *start = format++;
    struct wish wish = {0, 0, 0, -1};
    for (;; format++) {
      if (*format == '_' || *format == '-' || *format == '0') wish.pad = *format;
      else if (*format == '^') wish.upper = 1;
      else if (*format == '#') wish.swapped = 1;
      else break;
    }
    for (; isdigit((unsigned char)*format); format++) wish.width = (wish.width < 0 ? 0 : wish.width) < 10000 ? (wish.width < 0 ? 0 : wish.width) * 10 + *format - '0' : wish.width;
    if (*format == 'E' || *format == 'O') format++;
    if (*format && put_conversion(out, *format, tm, wish)) continue;
    if (!*format) format--;
    for (; start <= format; start++) put_letter(out, *start);
  }
}

size_t strftime(char *restrict to, size_t most, const char *restrict format, const struct tm *restrict tm) {
  struct written out = {to, 0, most};
  put_time(&out, format, tm);
  if (out.size >= most) return 0;
  to[out.size] = 0;
  return out.size;
}

size_t strftime_l(char *restrict to, size_t most, const char *restrict format, const struct tm *restrict tm, locale_t locale) { return strftime(to, most, format, tm); }
