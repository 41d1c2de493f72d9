/* getopt(3) as glibc documents it: operands are moved behind options unless POSIXLY_CORRECT or a leading + forbids it, long
   names may be abbreviated, and an option without its argument leaves optind at argc. (musl leaves it one behind, and
   programs read argv[optind].) */
char *optarg;
int optind = 1, opterr = 1, optopt = '?';
int __optpos, __optreset;

enum order { PERMUTE, STOP_AT_OPERAND, OPERANDS_ARE_OPTIONS };
static struct {
  int is_running;
  enum order order;
  char *rest;          /* what is left of a group of short options */
  int from, to;        /* operands that were passed over: argv[from] up to argv[to] */
} getopt_state;

struct getopt_call {
  int argc;
  char **argv;
  const char *shorts;
  const struct option *longs;
  int *index;
  int is_only, is_loud;
};

static int is_operand(const char *s) { return s[0] != '-' || !s[1]; }

static int missing_argument(const struct getopt_call *c) { return c->shorts[0] == ':' ? ':' : '?'; }

/* Moves the operands that were passed over behind the options up to optind. */
static void move_operands(char **argv) {
  int from = getopt_state.from, to = getopt_state.to;
  for (; to < optind; from++, to++) {
    char *option = argv[to];
    memmove(argv + from + 1, argv + from, (to - from) * sizeof *argv);
    argv[from] = option;
  }
  getopt_state.from = from;
  getopt_state.to = optind;
}

static void ambiguous_option(const struct getopt_call *c, const char *prefix, size_t length) {
  const char *name = getopt_state.rest;
  fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", c->argv[0], prefix, name);
  for (const struct option *o = c->longs; o->name; o++)
    if (!strncmp(o->name, name, length)) fprintf(stderr, " '%s%s'", prefix, o->name);
  fputc('\n', stderr);
}

/* The long option that the current word means: 0 if there is none, and *is_ambiguous if there are several. */
static const struct option *find_long(const struct getopt_call *c, size_t length, int *is_ambiguous) {
  const struct option *found = 0;
  const char *name = getopt_state.rest;
  for (const struct option *o = c->longs; o->name; o++)
    if (!strncmp(o->name, name, length) && strlen(o->name) == length) return o;
  for (const struct option *o = c->longs; o->name; o++) {
    if (strncmp(o->name, name, length)) continue;
    if (!found) found = o;
    else if (c->is_only || found->has_arg != o->has_arg || found->flag != o->flag || found->val != o->val) *is_ambiguous = 1;
  }
  return found;
}

static int long_option(const struct getopt_call *c, const char *prefix) {
  char *name = getopt_state.rest;
  size_t length = strcspn(name, "=");
  int is_ambiguous = 0;
  const struct option *found = find_long(c, length, &is_ambiguous);
  if (!found && c->is_only && c->argv[optind][1] != '-' && strchr(c->shorts, *name)) return -1;
  getopt_state.rest = 0;
  optind++;
  optopt = 0;
  if (is_ambiguous) {
    getopt_state.rest = name;
    if (c->is_loud) ambiguous_option(c, prefix, length);
    getopt_state.rest = 0;
    return '?';
  }
  if (!found) {
    if (c->is_loud) fprintf(stderr, "%s: unrecognized option '%s%s'\n", c->argv[0], prefix, name);
    return '?';
  }
  optopt = found->val;
  if (name[length]) {
    if (!found->has_arg) {
      if (c->is_loud) fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", c->argv[0], prefix, found->name);
      return '?';
    }
    optarg = name + length + 1;
  } else if (found->has_arg == 1) {
    if (optind >= c->argc) {
      if (c->is_loud) fprintf(stderr, "%s: option '%s%s' requires an argument\n", c->argv[0], prefix, found->name);
      return missing_argument(c);
    }
    optarg = c->argv[optind++];
  }
  if (c->index) *c->index = found - c->longs;
  if (!found->flag) return found->val;
  *found->flag = found->val;
  return 0;
}

static int no_short_argument(const struct getopt_call *c, int option) {
  if (c->is_loud) fprintf(stderr, "%s: option requires an argument -- '%c'\n", c->argv[0], option);
  optopt = option;
  return missing_argument(c);
}

static int short_option(const struct getopt_call *c) {
  int option = (unsigned char)*getopt_state.rest++;
  const char *spec = strchr(c->shorts, option);
  if (!*getopt_state.rest) optind++;
  if (!spec || option == ':' || option == ';') {
    if (c->is_loud) fprintf(stderr, "%s: invalid option -- '%c'\n", c->argv[0], option);
    optopt = option;
    return '?';
  }
  int has_text = *getopt_state.rest != 0;
  if (spec[0] == 'W' && spec[1] == ';' && c->longs) {
    if (!has_text && optind == c->argc) return no_short_argument(c, option);
    if (!has_text) getopt_state.rest = c->argv[optind];
    return long_option(c, "-W ");
  }
  if (spec[1] != ':') return option;
  char *text = getopt_state.rest;
  getopt_state.rest = 0;
  if (has_text) {
    optarg = text;
    optind++;
  } else if (spec[2] != ':') {
    if (optind >= c->argc) return no_short_argument(c, option);
    optarg = c->argv[optind++];
  }
  return option;
}

static void begin_getopt(const char *shorts) {
  if (!optind) optind = 1;
  getopt_state.from = getopt_state.to = optind;
  getopt_state.rest = 0;
  getopt_state.order = *shorts == '-' ? OPERANDS_ARE_OPTIONS : *shorts == '+' || getenv("POSIXLY_CORRECT") ? STOP_AT_OPERAND : PERMUTE;
  getopt_state.is_running = 1;
}

/* Passes over operands. The result is nonzero at the end of the options. */
static int next_word(const struct getopt_call *c) {
  if (getopt_state.to > optind) getopt_state.to = optind;
  if (getopt_state.from > optind) getopt_state.from = optind;
  if (getopt_state.order == PERMUTE) {
    if (getopt_state.from != getopt_state.to && getopt_state.to != optind) move_operands(c->argv);
    else if (getopt_state.to != optind) getopt_state.from = optind;
    while (optind < c->argc && is_operand(c->argv[optind])) optind++;
    getopt_state.to = optind;
  }
  if (optind < c->argc && !strcmp(c->argv[optind], "--")) {
    optind++;
    if (getopt_state.from != getopt_state.to && getopt_state.to != optind) move_operands(c->argv);
    else if (getopt_state.from == getopt_state.to) getopt_state.from = optind;
    getopt_state.to = optind = c->argc;
  }
  if (optind < c->argc) return 0;
  if (getopt_state.from != getopt_state.to) optind = getopt_state.from;
  return 1;
}

static int next_option(struct getopt_call *c) {
  if (c->argc < 1) return -1;
  optarg = 0;
  if (!optind || !getopt_state.is_running) begin_getopt(c->shorts);
  if (*c->shorts == '-' || *c->shorts == '+') c->shorts++;
  c->is_loud = opterr && *c->shorts != ':';
  if (!getopt_state.rest || !*getopt_state.rest) {
    if (next_word(c)) return -1;
    char *word = c->argv[optind];
    if (is_operand(word)) {
      if (getopt_state.order == STOP_AT_OPERAND) return -1;
      optarg = word;
      optind++;
      return 1;
    }
    if (c->longs && word[1] == '-') {
      getopt_state.rest = word + 2;
      return long_option(c, "--");
    }
    getopt_state.rest = word + 1;
    if (c->longs && c->is_only && (word[2] || !strchr(c->shorts, word[1]))) {
      int code = long_option(c, "-");
      if (code != -1) return code;
    }
  }
  return short_option(c);
}

int getopt(int argc, char *const argv[], const char *shorts) {
  struct getopt_call call = { argc, (char **)argv, shorts };
  return next_option(&call);
}
int __posix_getopt(int argc, char *const argv[], const char *shorts) { return getopt(argc, argv, shorts); }
int getopt_long(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index) {
  struct getopt_call call = { argc, (char **)argv, shorts, longs, index };
  return next_option(&call);
}
int getopt_long_only(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index) {
  struct getopt_call call = { argc, (char **)argv, shorts, longs, index, 1 };
  return next_option(&call);
}
