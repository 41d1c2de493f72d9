/* argp(3): options of a parser and of its children, read with getopt_long, with glibc's keys and flags. Help texts have glibc's
   parts, one option on each line; the columns of ARGP_HELP_FMT are not modelled. */
struct argp_option { const char *name; int key; const char *arg; int flags; const char *doc; int group; };
struct argp_state;
typedef int argp_parser(int key, char *arg, struct argp_state *state);
struct argp {
  const struct argp_option *options;
  argp_parser *parser;
  const char *args_doc, *doc;
  const struct argp_child *children;
  char *(*help_filter)(int key, const char *text, void *input);
  const char *domain;
};
struct argp_child { const struct argp *argp; int flags; const char *header; int group; };
struct argp_state {
  const struct argp *root_argp;
  int argc;
  char **argv;
  int next;
  unsigned flags, arg_num;
  int quoted;
  void *input, **child_inputs, *hook;
  char *name;
  FILE *err_stream, *out_stream;
  void *pstate;
};
enum { OPTION_OPTIONAL = 1, OPTION_IS_HIDDEN = 2, OPTION_IS_ALIAS = 4, OPTION_IS_DOC = 8 };
enum { ARGP_PARSE_ARGV0 = 1, ARGP_NO_ERRS = 2, ARGP_NO_ARGS = 4, ARGP_IN_ORDER = 8, ARGP_NO_HELP = 16, ARGP_NO_EXIT = 32 };
enum {
  KEY_ARG = 0, KEY_END = 0x1000001, KEY_NO_ARGS = 0x1000002, KEY_INIT = 0x1000003, KEY_SUCCESS = 0x1000004, KEY_ERROR = 0x1000005,
  KEY_ARGS = 0x1000006, KEY_FINI = 0x1000007, KEY_UNKNOWN = E2BIG,
};
enum { HELP_USAGE = 1, HELP_SHORT_USAGE = 2, HELP_SEE = 4, HELP_LONG = 8, HELP_PRE_DOC = 0x10, HELP_POST_DOC = 0x20, HELP_BUG_ADDRESS = 0x40,
       HELP_EXIT_ERROR = 0x100, HELP_EXIT_FINE = 0x200 };

const char *argp_program_version, *argp_program_bug_address;
void (*argp_program_version_hook)(FILE *, struct argp_state *);
int argp_err_exit_status = 64;

/* One parser of the tree, parents before children. */
struct argp_unit { const struct argp *argp; void *input, **child_inputs, *hook; unsigned given; int is_root; };
struct argp_run {
  struct argp_state state;
  struct argp_unit *units;
  int unit_count, option_count;
  char *shorts;
  struct option *longs;
  int *owners;            /* of the long options */
  int short_owner[256];
};
enum { OWNER_NONE = -1, OWNER_STANDARD = -2, LONG_FIRST = 0x10000 };
enum { STANDARD_HELP = 1, STANDARD_USAGE, STANDARD_VERSION };
static const struct { const char *name; int number; } standard_options[] = {
  { "help", STANDARD_HELP }, { "usage", STANDARD_USAGE }, { "version", STANDARD_VERSION },
};

static int ends_options(const struct argp_option *o) { return !o->key && !o->name && !o->doc && !o->group; }
static int is_short(int key) { return key > ' ' && key < 127; }

static void count_parsers(const struct argp *argp, int *units, int *options) {
  ++*units;
  for (const struct argp_option *o = argp->options; o && !ends_options(o); o++) ++*options;
  for (const struct argp_child *c = argp->children; c && c->argp; c++) count_parsers(c->argp, units, options);
}
static void list_units(struct argp_run *run, const struct argp *argp) {
  run->units[run->unit_count++].argp = argp;
  for (const struct argp_child *c = argp->children; c && c->argp; c++) list_units(run, c->argp);
}
static int is_standard_wanted(const struct argp_run *run, int number) {
  if (run->state.flags & ARGP_NO_HELP) return 0;
  return number != STANDARD_VERSION || argp_program_version || argp_program_version_hook;
}
static void add_long(struct argp_run *run, const char *name, int takes, int owner, int *count) {
  run->longs[*count] = (struct option){ name, takes, 0, LONG_FIRST + *count };
  run->owners[(*count)++] = owner;
}
static void add_short(struct argp_run *run, char **end, int key, int takes, int owner) {
  if (run->short_owner[key] != OWNER_NONE) return;
  run->short_owner[key] = owner;
  *(*end)++ = key;
  for (int i = 0; i < takes; i++) *(*end)++ = ':';
}
static int keys_of_longs(const struct argp_run *run, int index) {
  const char *name = run->longs[index].name;
  const struct argp *argp = run->units[run->owners[index]].argp;
  int key = 0;
  for (const struct argp_option *o = argp->options; !ends_options(o); o++) {
    if (!(o->flags & OPTION_IS_ALIAS)) key = o->key;
    if (o->name && !strcmp(o->name, name) && !(o->flags & OPTION_IS_DOC)) return key;
  }
  return key;
}
static void list_options(struct argp_run *run) {
  int longs = 0;
  char *end = run->shorts;
  if (run->state.flags & ARGP_IN_ORDER) *end++ = '-';
  else if (run->state.flags & ARGP_NO_ARGS) *end++ = '+';
  for (int i = 0; i < 256; i++) run->short_owner[i] = OWNER_NONE;
  for (int unit = 0; unit < run->unit_count; unit++) {
    const struct argp_option *of = 0;
    for (const struct argp_option *o = run->units[unit].argp->options; o && !ends_options(o); o++) {
      if (!(o->flags & OPTION_IS_ALIAS)) of = o;
      if (!of || o->flags & OPTION_IS_DOC) continue;
      int takes = !of->arg ? 0 : of->flags & OPTION_OPTIONAL ? 2 : 1;
      if (is_short(o->key)) add_short(run, &end, o->key, takes, unit);
      if (o->name) add_long(run, o->name, takes, unit, &longs);
    }
  }
  for (size_t i = 0; i < sizeof standard_options / sizeof *standard_options; i++) {
    if (!is_standard_wanted(run, standard_options[i].number)) continue;
    add_long(run, standard_options[i].name, 0, OWNER_STANDARD, &longs);
    char key = "?\0V"[i];
    if (key) add_short(run, &end, key, 0, OWNER_STANDARD);
  }
  *end = 0;
}

/* Help. */
static void option_line(FILE *out, const struct argp_option *o, const struct argp_option *of) {
  if (o->flags & OPTION_IS_DOC) fprintf(out, "  %s", o->name ? o->name : "");
  else {
    if (is_short(o->key)) fprintf(out, "  -%c%s", o->key, o->name ? ", " : "");
    else fputs("      ", out);
    if (o->name) fprintf(out, "--%s", o->name);
    if (of->arg) fprintf(out, of->flags & OPTION_OPTIONAL ? o->name ? "[=%s]" : "[%s]" : o->name ? "=%s" : " %s", of->arg);
  }
  fprintf(out, "%s%s\n", o->doc ? "   " : "", o->doc ? o->doc : "");
}
static void option_lines(const struct argp *argp, FILE *out) {
  const struct argp_option *of = 0;
  for (const struct argp_option *o = argp->options; o && !ends_options(o); o++) {
    if (!(o->flags & OPTION_IS_ALIAS)) of = o;
    if (!o->name && !o->key) fprintf(out, "\n %s\n", o->doc ? o->doc : "");
    else if (of && !(o->flags & OPTION_IS_HIDDEN)) option_line(out, o, of);
  }
  for (const struct argp_child *c = argp->children; c && c->argp; c++) {
    if (c->header && *c->header) fprintf(out, "\n %s\n", c->header);
    option_lines(c->argp, out);
  }
}
static void show_help(const struct argp *argp, FILE *out, unsigned flags, const char *name) {
  const char *doc = argp && argp->doc ? argp->doc : "", *tail = strchr(doc, '\v');
  int head = tail ? (int)(tail - doc) : (int)strlen(doc);
  if (flags & (HELP_USAGE | HELP_SHORT_USAGE))
    fprintf(out, "Usage: %s [OPTION...]%s%s\n", name, argp && argp->args_doc ? " " : "", argp && argp->args_doc ? argp->args_doc : "");
  if (flags & HELP_PRE_DOC && head) fprintf(out, "%.*s\n", head, doc);
  if (flags & HELP_SEE) fprintf(out, "Try `%s --help' or `%s --usage' for more information.\n", name, name);
  if (flags & HELP_LONG) {
    fputc('\n', out);
    if (argp) option_lines(argp, out);
    fputs("  -?, --help   Give this help list\n      --usage   Give a short usage message\n", out);
    if (argp_program_version || argp_program_version_hook) fputs("  -V, --version   Print program version\n", out);
  }
  if (flags & HELP_POST_DOC && tail) fprintf(out, "\n%s\n", tail + 1);
  if (flags & HELP_BUG_ADDRESS && argp_program_bug_address) fprintf(out, "\nReport bugs to %s.\n", argp_program_bug_address);
}
void argp_help(const struct argp *argp, FILE *out, unsigned flags, char *name) { show_help(argp, out, flags, name); }
void argp_state_help(const struct argp_state *state, FILE *out, unsigned flags) {
  if (state && state->flags & ARGP_NO_ERRS || !out) return;
  show_help(state ? state->root_argp : 0, out, flags, state ? state->name : program_invocation_short_name);
  if (state && state->flags & ARGP_NO_EXIT) return;
  if (flags & HELP_EXIT_ERROR) exit(argp_err_exit_status);
  if (flags & HELP_EXIT_FINE) exit(0);
}
enum { HELP_ALL = HELP_SHORT_USAGE | HELP_PRE_DOC | HELP_LONG | HELP_POST_DOC | HELP_BUG_ADDRESS };
void argp_usage(const struct argp_state *state) { argp_state_help(state, stderr, HELP_USAGE | HELP_SEE | HELP_EXIT_ERROR); }
void argp_error(const struct argp_state *state, const char *format, ...) {
  if (state && state->flags & ARGP_NO_ERRS) return;
  FILE *out = state ? state->err_stream : stderr;
  if (!out) return;
  va_list arguments;
  va_start(arguments, format);
  fprintf(out, "%s: ", state ? state->name : program_invocation_short_name);
  vfprintf(out, format, arguments);
  fputc('\n', out);
  va_end(arguments);
  argp_state_help(state, out, HELP_SEE | HELP_EXIT_ERROR);
}
void argp_failure(const struct argp_state *state, int status, int number, const char *format, ...) {
  if (state && state->flags & ARGP_NO_ERRS) return;
  FILE *out = state ? state->err_stream : stderr;
  if (!out) return;
  fputs(state ? state->name : program_invocation_short_name, out);
  if (format) {
    va_list arguments;
    va_start(arguments, format);
    fputs(": ", out);
    vfprintf(out, format, arguments);
    va_end(arguments);
  }
  if (number) fprintf(out, ": %s", strerror(number));
  fputc('\n', out);
  if (status && !(state && state->flags & ARGP_NO_EXIT)) exit(status);
}

/* Parsing. */
static int call_unit(struct argp_run *run, int number, int key, char *arg) {
  struct argp_unit *unit = &run->units[number];
  if (!unit->argp->parser) return KEY_UNKNOWN;
  run->state.hook = unit->hook;
  run->state.input = unit->input;
  run->state.child_inputs = unit->child_inputs;
  run->state.arg_num = unit->given;
  int error = unit->argp->parser(key, arg, &run->state);
  unit->hook = run->state.hook;
  return error;
}
static int standard_option(struct argp_run *run, int number) {
  struct argp_state *state = &run->state;
  if (number == STANDARD_HELP) argp_state_help(state, state->out_stream, HELP_ALL | HELP_EXIT_FINE);
  else if (number == STANDARD_USAGE) argp_state_help(state, state->out_stream, HELP_USAGE | HELP_EXIT_FINE);
  else {
    if (argp_program_version_hook) argp_program_version_hook(state->out_stream, state);
    else fprintf(state->out_stream, "%s\n", argp_program_version);
    if (!(state->flags & ARGP_NO_EXIT)) exit(0);
  }
  return 0;
}
static int run_option(struct argp_run *run, int code) {
  int owner, key;
  if (code >= LONG_FIRST) {
    owner = run->owners[code - LONG_FIRST];
    const char *name = run->longs[code - LONG_FIRST].name;
    if (owner == OWNER_STANDARD) return standard_option(run, *name == 'h' ? STANDARD_HELP : *name == 'u' ? STANDARD_USAGE : STANDARD_VERSION);
    key = keys_of_longs(run, code - LONG_FIRST);
  } else {
    owner = run->short_owner[code & 255];
    key = code;
    if (owner == OWNER_STANDARD) return standard_option(run, code == 'V' ? STANDARD_VERSION : STANDARD_HELP);
  }
  int error = owner == OWNER_NONE ? KEY_UNKNOWN : call_unit(run, owner, key, optarg);
  if (error == KEY_UNKNOWN) argp_error(&run->state, "-%c: (PROGRAM ERROR) Option should have been recognized!?", key);
  return error == KEY_UNKNOWN ? EINVAL : error;
}
/* An operand goes to the first parser that takes operands, one by one or all that are left. */
static int run_operand(struct argp_run *run, char *operand) {
  int at = --run->state.next, error = KEY_UNKNOWN;
  for (int unit = 0; unit < run->unit_count && error == KEY_UNKNOWN; unit++) {
    run->state.next = at + 1;
    error = call_unit(run, unit, KEY_ARG, operand);
    int is_all = error == KEY_UNKNOWN;
    if (is_all) {
      run->state.next = at;
      error = call_unit(run, unit, KEY_ARGS, 0);
      if (!error && run->state.next == at) run->state.next = run->state.argc;
    }
    if (!error) run->units[unit].given += is_all ? run->state.next - at : run->state.next > at;
  }
  if (error == KEY_UNKNOWN) run->state.next = at;
  return error;
}
static int run_words(struct argp_run *run, int *is_left) {
  struct argp_state *state = &run->state;
  int is_reading = 1, error = 0;
  optind = 0;
  while (!error) {
    int code = -1;
    if (is_reading) {
      optind = state->next ? state->next : optind;
      opterr = !(state->flags & ARGP_NO_ERRS);
      optopt = -1;
      code = getopt_long(state->argc, state->argv, run->shorts, run->longs, 0);
      state->next = optind;
      if (code == -1) {
        is_reading = 0;
        state->quoted = state->next > 1 && !strcmp(state->argv[state->next - 1], "--") ? state->next : 0;
      } else if (code == '?' && optopt != -1) {
        argp_state_help(state, state->err_stream, HELP_SEE | HELP_EXIT_ERROR);
        return EINVAL;
      }
    }
    if (code == -1) {
      if (state->next >= state->argc || state->flags & ARGP_NO_ARGS) break;
      error = run_operand(run, state->argv[state->next++]);
    } else if (code == 1) error = run_operand(run, optarg);
    else error = run_option(run, code);
    if (error == KEY_UNKNOWN) {
      *is_left = 1;
      return 0;
    }
    if (is_reading && state->next != optind) optind = state->next;
  }
  *is_left = state->next < state->argc;
  return error;
}
static int tell_units(struct argp_run *run, int key, int is_backwards) {
  int error = 0, count = run->unit_count;
  for (int i = 0; i < count && (!error || error == KEY_UNKNOWN); i++) error = call_unit(run, is_backwards ? count - 1 - i : i, key, 0);
  return error == KEY_UNKNOWN ? 0 : error;
}
static int begin_units(struct argp_run *run, void *input) {
  run->units[0].input = input;
  int next = 1;
  for (int i = 0; i < run->unit_count; i++) {
    int children = 0;
    for (const struct argp_child *c = run->units[i].argp->children; c && c->argp; c++) children++;
    if (children && !(run->units[i].child_inputs = calloc(children, sizeof(void *)))) return ENOMEM;
  }
  for (int i = 0; i < run->unit_count; i++) {
    int error = call_unit(run, i, KEY_INIT, 0);
    if (error && error != KEY_UNKNOWN) return error;
    /* a child's input is what its parent's KEY_INIT put there; units are listed parents first */
    int child = 0;
    for (const struct argp_child *c = run->units[i].argp->children; c && c->argp; c++, child++)
      for (int k = i + 1; k < run->unit_count; k++)
        if (run->units[k].argp == c->argp && !run->units[k].input) {
          run->units[k].input = run->units[i].child_inputs[child];
          break;
        }
  }
  return 0;
}
static int finish_units(struct argp_run *run, int error, int is_left, int *index) {
  if (!error && is_left && !index) {
    argp_error(&run->state, "Too many arguments");
    error = EINVAL;
  }
  if (!error && !is_left) {
    for (int i = 0; i < run->unit_count && !error; i++) {
      int result = run->units[i].given ? 0 : call_unit(run, i, KEY_NO_ARGS, 0);
      error = result == KEY_UNKNOWN ? 0 : result;
    }
    if (!error) error = tell_units(run, KEY_END, 1);
  }
  if (!error && index) *index = run->state.next;
  if (error == EINVAL) argp_state_help(&run->state, run->state.err_stream, HELP_SEE | HELP_EXIT_ERROR);
  int last = tell_units(run, error ? KEY_ERROR : KEY_SUCCESS, !error);
  if (!error) error = last;
  tell_units(run, KEY_FINI, 1);
  return error;
}
int argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index, void *input) {
  struct argp_run run = { { argp, argc, argv, 0, flags } };
  int units = 0, options = 0, error = 0, is_left = 0;
  count_parsers(argp, &units, &options);
  run.state.name = argv[0] && argc > 0 && !(flags & ARGP_PARSE_ARGV0) ? strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0] : program_invocation_short_name;
  run.state.err_stream = stderr;
  run.state.out_stream = stdout;
  run.units = calloc(units, sizeof *run.units);
  run.shorts = malloc(3 * (options + 4));
  run.longs = calloc(options + 4, sizeof *run.longs);
  run.owners = calloc(options + 4, sizeof *run.owners);
  if (!run.units || !run.shorts || !run.longs || !run.owners) error = ENOMEM;
  if (!error) {
    list_units(&run, argp);
    list_options(&run);
    error = begin_units(&run, input);
  }
  if (!error) {
    error = run_words(&run, &is_left);
    error = finish_units(&run, error, is_left, index);
  }
  for (int i = 0; i < run.unit_count; i++) free(run.units[i].child_inputs);
  free(run.units);
  free(run.shorts);
  free(run.longs);
  free(run.owners);
  return error;
}
