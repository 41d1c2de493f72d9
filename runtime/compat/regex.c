/* Regular expressions as glibc has them, for regcomp(3) and for GNU's re_search: basic and extended syntax by the same bits, \w \s
   \b \< \` and the like, back-references, the leftmost longest match. Bytes are characters (the C locale).

   A pattern is parsed to a tree, the tree becomes a program of small steps, and a depth-first search runs it: first for the
   longest match from a position, then for the first way, in order of preference, to just that match. Without back-references a
   step is tried once for a position. */

typedef int match_offset; /* glibc's regoff_t */
typedef struct { match_offset rm_so, rm_eo; } match_span;
struct re_registers { unsigned num_regs; match_offset *start, *end; };
struct re_pattern_buffer {
  struct regex_program *program;
  unsigned long allocated, used, syntax;
  char *fastmap;
  unsigned char *translate;
  size_t re_nsub;
  unsigned can_be_null : 2, regs_allocated : 2, fastmap_accurate : 1, no_sub : 1, not_bol : 1, not_eol : 1, newline_anchor : 1;
};

enum {
  SYNTAX_BACKSLASH_ESCAPE_IN_LISTS = 1, SYNTAX_BK_PLUS_QM = 2, SYNTAX_CHAR_CLASSES = 4, SYNTAX_CONTEXT_INDEP_ANCHORS = 8,
  SYNTAX_CONTEXT_INDEP_OPS = 0x10, SYNTAX_CONTEXT_INVALID_OPS = 0x20, SYNTAX_DOT_NEWLINE = 0x40, SYNTAX_DOT_NOT_NULL = 0x80,
  SYNTAX_HAT_LISTS_NOT_NEWLINE = 0x100, SYNTAX_INTERVALS = 0x200, SYNTAX_LIMITED_OPS = 0x400, SYNTAX_NEWLINE_ALT = 0x800,
  SYNTAX_NO_BK_BRACES = 0x1000, SYNTAX_NO_BK_PARENS = 0x2000, SYNTAX_NO_BK_REFS = 0x4000, SYNTAX_NO_BK_VBAR = 0x8000,
  SYNTAX_NO_EMPTY_RANGES = 0x10000, SYNTAX_UNMATCHED_RIGHT_PAREN_ORD = 0x20000, SYNTAX_NO_GNU_OPS = 0x80000,
  SYNTAX_INVALID_INTERVAL_ORD = 0x200000, SYNTAX_ICASE = 0x400000, SYNTAX_CARET_ANCHORS_HERE = 0x800000,
  SYNTAX_CONTEXT_INVALID_DUP = 0x1000000, SYNTAX_NO_SUB = 0x2000000,
  SYNTAX_POSIX_COMMON = SYNTAX_CHAR_CLASSES | SYNTAX_DOT_NEWLINE | SYNTAX_DOT_NOT_NULL | SYNTAX_INTERVALS | SYNTAX_NO_EMPTY_RANGES,
  SYNTAX_POSIX_BASIC = SYNTAX_POSIX_COMMON | SYNTAX_BK_PLUS_QM | SYNTAX_CONTEXT_INVALID_DUP,
  SYNTAX_POSIX_EXTENDED = SYNTAX_POSIX_COMMON | SYNTAX_CONTEXT_INDEP_ANCHORS | SYNTAX_CONTEXT_INDEP_OPS | SYNTAX_NO_BK_BRACES |
                          SYNTAX_NO_BK_PARENS | SYNTAX_NO_BK_VBAR | SYNTAX_CONTEXT_INVALID_OPS | SYNTAX_UNMATCHED_RIGHT_PAREN_ORD,
};
enum { FLAG_EXTENDED = 1, FLAG_ICASE = 2, FLAG_NEWLINE = 4, FLAG_NOSUB = 8, FLAG_NOTBOL = 1, FLAG_NOTEOL = 2, FLAG_STARTEND = 4 };
enum regex_error {
  REGEX_FINE, REGEX_NOMATCH, REGEX_BADPAT, REGEX_ECOLLATE, REGEX_ECTYPE, REGEX_EESCAPE, REGEX_ESUBREG, REGEX_EBRACK, REGEX_EPAREN,
  REGEX_EBRACE, REGEX_BADBR, REGEX_ERANGE, REGEX_ESPACE, REGEX_BADRPT, REGEX_EEND, REGEX_ESIZE, REGEX_ERPAREN,
};
static const char *const regex_messages[] = {
  "Success", "No match", "Invalid regular expression", "Invalid collation character", "Invalid character class name",
  "Trailing backslash", "Invalid back reference", "Unmatched [, [^, [:, [., or [=", "Unmatched ( or \\(", "Unmatched \\{",
  "Invalid content of \\{\\}", "Invalid range end", "Memory exhausted", "Invalid preceding regular expression",
  "Premature end of regular expression", "Regular expression too big", "Unmatched ) or \\)",
};
enum { MOST_REPEATS = 0x7fff };

/* The tree. */
enum node_kind { NODE_EMPTY, NODE_SET, NODE_ASSERT, NODE_BACKREF, NODE_GROUP, NODE_CAT, NODE_ALT, NODE_REPEAT };
typedef struct { unsigned char bits[32]; } byte_set;
struct regex_node {
  enum node_kind kind;
  struct regex_node *left, *right, *made_before;
  int number;              /* of a group; an assertion's character */
  int least, most;         /* of a repetition; most is -1 without a bound */
  byte_set set;
};

/* The program. */
enum step_kind { STEP_SET, STEP_ASSERT, STEP_BACKREF, STEP_SAVE, STEP_SPLIT, STEP_JUMP, STEP_ENTER, STEP_LOOP, STEP_MATCH };
struct regex_step { enum step_kind kind; int number, first, second; byte_set set; };
struct regex_program { struct regex_step *steps; int count, room, loops, has_backrefs; };

static void set_add(byte_set *set, unsigned char c) { set->bits[c >> 3] |= 1 << (c & 7); }
static int set_has(const byte_set *set, unsigned char c) { return set->bits[c >> 3] >> (c & 7) & 1; }
static void set_invert(byte_set *set) { for (int i = 0; i < 32; i++) set->bits[i] = ~set->bits[i]; }
static void set_remove(byte_set *set, unsigned char c) { set->bits[c >> 3] &= ~(1 << (c & 7)); }
static int is_word(unsigned char c) { return (c | 32) - 'a' < 26u || c - '0' < 10u || c == '_'; }
static int is_letter(unsigned char c) { return (c | 32) - 'a' < 26u; }

/* Tokens. */
enum token_kind {
  TOKEN_END, TOKEN_CHAR, TOKEN_ALT, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_STAR, TOKEN_PLUS, TOKEN_OPTION, TOKEN_OPEN_DUP, TOKEN_CLOSE_DUP,
  TOKEN_BRACKET, TOKEN_ANY, TOKEN_ANCHOR, TOKEN_BACKREF, TOKEN_CLASS, TOKEN_BACKSLASH,
};
struct token { enum token_kind kind; unsigned char c; int length; };

struct regex_parser {
  const unsigned char *pattern;
  long length, at;
  unsigned long syntax;
  const unsigned char *translate;
  struct token token;
  enum regex_error error;
  struct regex_node *nodes;
  size_t groups;
  unsigned completed; /* groups that a back-reference may name */
};

static unsigned char pattern_byte(const struct regex_parser *p, long at) {
  unsigned char c = p->pattern[at];
  return p->translate ? p->translate[c] : c;
}

static struct token escaped_token(unsigned char c, unsigned long syntax) {
  struct token t = { TOKEN_CHAR, c, 2 };
  int has_many = !(syntax & SYNTAX_LIMITED_OPS);
  switch (c) {
  case '|': if (has_many && !(syntax & SYNTAX_NO_BK_VBAR)) t.kind = TOKEN_ALT; break;
  case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
    if (!(syntax & SYNTAX_NO_BK_REFS)) t.kind = TOKEN_BACKREF;
    break;
  case '<': case '>': case 'b': case 'B': case '`': case '\'':
    if (!(syntax & SYNTAX_NO_GNU_OPS)) t.kind = TOKEN_ANCHOR;
    break;
  case 'w': case 'W': case 's': case 'S': if (!(syntax & SYNTAX_NO_GNU_OPS)) t.kind = TOKEN_CLASS; break;
  case '(': if (!(syntax & SYNTAX_NO_BK_PARENS)) t.kind = TOKEN_OPEN; break;
  case ')': if (!(syntax & SYNTAX_NO_BK_PARENS)) t.kind = TOKEN_CLOSE; break;
  case '+': if (has_many && syntax & SYNTAX_BK_PLUS_QM) t.kind = TOKEN_PLUS; break;
  case '?': if (has_many && syntax & SYNTAX_BK_PLUS_QM) t.kind = TOKEN_OPTION; break;
  case '{': if (syntax & SYNTAX_INTERVALS && !(syntax & SYNTAX_NO_BK_BRACES)) t.kind = TOKEN_OPEN_DUP; break;
  case '}': if (syntax & SYNTAX_INTERVALS && !(syntax & SYNTAX_NO_BK_BRACES)) t.kind = TOKEN_CLOSE_DUP; break;
  }
  return t;
}

static struct token token_at(const struct regex_parser *p, long at, unsigned long syntax);

static int caret_is_anchor(const struct regex_parser *p, long at, unsigned long syntax) {
  if (syntax & (SYNTAX_CONTEXT_INDEP_ANCHORS | SYNTAX_CARET_ANCHORS_HERE) || !at) return 1;
  return syntax & SYNTAX_NEWLINE_ALT && p->pattern[at - 1] == '\n';
}
static int dollar_is_anchor(const struct regex_parser *p, long at, unsigned long syntax) {
  if (syntax & SYNTAX_CONTEXT_INDEP_ANCHORS || at + 1 == p->length) return 1;
  enum token_kind next = token_at(p, at + 1, syntax).kind;
  return next == TOKEN_ALT || next == TOKEN_CLOSE;
}

static struct token token_at(const struct regex_parser *p, long at, unsigned long syntax) {
  if (at >= p->length) return (struct token){ TOKEN_END, 0, 0 };
  unsigned char c = pattern_byte(p, at);
  if (c == '\\') return at + 1 >= p->length ? (struct token){ TOKEN_BACKSLASH, c, 1 } : escaped_token(pattern_byte(p, at + 1), syntax);
  struct token t = { TOKEN_CHAR, c, 1 };
  int has_many = !(syntax & SYNTAX_LIMITED_OPS), has_braces = syntax & SYNTAX_INTERVALS && syntax & SYNTAX_NO_BK_BRACES;
  switch (c) {
  case '\n': if (syntax & SYNTAX_NEWLINE_ALT) t.kind = TOKEN_ALT; break;
  case '|': if (has_many && syntax & SYNTAX_NO_BK_VBAR) t.kind = TOKEN_ALT; break;
  case '*': t.kind = TOKEN_STAR; break;
  case '+': if (has_many && !(syntax & SYNTAX_BK_PLUS_QM)) t.kind = TOKEN_PLUS; break;
  case '?': if (has_many && !(syntax & SYNTAX_BK_PLUS_QM)) t.kind = TOKEN_OPTION; break;
  case '{': if (has_braces) t.kind = TOKEN_OPEN_DUP; break;
  case '}': if (has_braces) t.kind = TOKEN_CLOSE_DUP; break;
  case '(': if (syntax & SYNTAX_NO_BK_PARENS) t.kind = TOKEN_OPEN; break;
  case ')': if (syntax & SYNTAX_NO_BK_PARENS) t.kind = TOKEN_CLOSE; break;
  case '[': t.kind = TOKEN_BRACKET; break;
  case '.': t.kind = TOKEN_ANY; break;
  case '^': if (caret_is_anchor(p, at, syntax)) t.kind = TOKEN_ANCHOR; break;
  case '$': if (dollar_is_anchor(p, at, syntax)) t.kind = TOKEN_ANCHOR; break;
  }
  return t;
}
static void next_token_with(struct regex_parser *p, unsigned long more) {
  p->at += p->token.length;
  p->token = token_at(p, p->at, p->syntax | more);
}
static void next_token(struct regex_parser *p) { next_token_with(p, 0); }

static struct regex_node *new_node(struct regex_parser *p, enum node_kind kind, struct regex_node *left, struct regex_node *right) {
  struct regex_node *node = calloc(1, sizeof *node);
  if (!node) {
    p->error = REGEX_ESPACE;
    return 0;
  }
  node->kind = kind;
  node->left = left;
  node->right = right;
  node->made_before = p->nodes;
  p->nodes = node;
  return node;
}
static struct regex_node *fail(struct regex_parser *p, enum regex_error error) {
  if (!p->error) p->error = error;
  return 0;
}

static void fold_case(const struct regex_parser *p, byte_set *set) {
  if (!(p->syntax & SYNTAX_ICASE)) return;
  for (int c = 'a'; c <= 'z'; c++) {
    if (set_has(set, c)) set_add(set, c - 32);
    else if (set_has(set, c - 32)) set_add(set, c);
  }
}
static struct regex_node *char_node(struct regex_parser *p, unsigned char c) {
  struct regex_node *node = new_node(p, NODE_SET, 0, 0);
  if (!node) return 0;
  set_add(&node->set, c);
  fold_case(p, &node->set);
  return node;
}
static struct regex_node *any_node(struct regex_parser *p) {
  struct regex_node *node = new_node(p, NODE_SET, 0, 0);
  if (!node) return 0;
  set_invert(&node->set);
  if (!(p->syntax & SYNTAX_DOT_NEWLINE)) set_remove(&node->set, '\n');
  if (p->syntax & SYNTAX_DOT_NOT_NULL) set_remove(&node->set, 0);
  return node;
}
static struct regex_node *class_node(struct regex_parser *p, unsigned char name) {
  struct regex_node *node = new_node(p, NODE_SET, 0, 0);
  if (!node) return 0;
  for (int c = 0; c < 256; c++)
    if ((name | 32) == 'w' ? is_word(c) : c == ' ' || c - '\t' < 5u) set_add(&node->set, c);
  if (name < 'a') set_invert(&node->set);
  return node;
}

/* Brackets. */
enum { LIST_CHAR, LIST_CLASS };
struct list_item { int kind; unsigned char c; const unsigned char *name; long length; };

static int class_has(const char *name, unsigned char c) {
  static const struct { const char *name; int (*has)(int); } classes[] = {
    { "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl }, { "digit", isdigit }, { "graph", isgraph },
    { "lower", islower }, { "print", isprint }, { "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit },
  };
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (!strcmp(name, classes[i].name)) return c < 128 && classes[i].has(c);
  return -1;
}
/* [:name:], [.c.] or [=c=]: the position is behind the opening bracket. */
static int named_item(struct regex_parser *p, unsigned char kind, struct list_item *item) {
  long from = ++p->at;
  for (;; p->at++) {
    if (p->at + 1 >= p->length) return fail(p, REGEX_EBRACK), 0;
    if (p->pattern[p->at] == kind && p->pattern[p->at + 1] == ']') break;
    if (p->at - from >= 32) return fail(p, REGEX_EBRACK), 0;
  }
  item->name = p->pattern + from;
  item->length = p->at - from;
  p->at += 2;
  item->kind = kind == ':' ? LIST_CLASS : LIST_CHAR;
  if (item->kind == LIST_CLASS) return 1;
  if (item->length != 1) return fail(p, REGEX_ECOLLATE), 0;
  item->c = *item->name;
  return 1;
}
static int list_item(struct regex_parser *p, int takes_hyphen, struct list_item *item) {
  if (p->at >= p->length) return fail(p, REGEX_EBRACK), 0;
  unsigned char c = pattern_byte(p, p->at), next = p->at + 1 < p->length ? pattern_byte(p, p->at + 1) : 0;
  item->kind = LIST_CHAR;
  if (c == '\\' && p->syntax & SYNTAX_BACKSLASH_ESCAPE_IN_LISTS && p->at + 1 < p->length) {
    item->c = next;
    p->at += 2;
    return 1;
  }
  if (c == '[' && p->at + 1 < p->length && (next == '.' || next == '=' || next == ':' && p->syntax & SYNTAX_CHAR_CLASSES)) {
    p->at++;
    return named_item(p, next, item);
  }
  if (c == '-' && !takes_hyphen && next != ']') return fail(p, p->at + 1 < p->length ? REGEX_ERANGE : REGEX_EBRACK), 0;
  item->c = p->syntax & SYNTAX_ICASE && is_letter(c) ? c & ~32 : c; /* ranges are ranges of capitals */
  p->at++;
  return 1;
}
static int add_class(struct regex_parser *p, const struct list_item *item, byte_set *set) {
  char name[33];
  memcpy(name, item->name, item->length);
  name[item->length] = 0;
  if (p->syntax & SYNTAX_ICASE && (!strcmp(name, "upper") || !strcmp(name, "lower"))) strcpy(name, "alpha");
  if (class_has(name, 0) < 0) return fail(p, REGEX_ECTYPE), 0;
  for (int c = 0; c < 256; c++)
    if (class_has(name, c)) set_add(set, p->translate ? p->translate[c] : c);
  return 1;
}
static int range_follows(const struct regex_parser *p) {
  return p->at + 1 < p->length && pattern_byte(p, p->at) == '-' && pattern_byte(p, p->at + 1) != ']';
}
static int list_part(struct regex_parser *p, int is_first, byte_set *set) {
  struct list_item from, to;
  if (!list_item(p, is_first, &from)) return 0;
  if (from.kind == LIST_CLASS) {
    if (range_follows(p)) return fail(p, REGEX_ERANGE), 0;
    return add_class(p, &from, set);
  }
  to = from;
  if (range_follows(p)) {
    p->at++;
    if (!list_item(p, 1, &to)) return 0;
    if (to.kind == LIST_CLASS) return fail(p, REGEX_ERANGE), 0;
    if (from.c > to.c && p->syntax & SYNTAX_NO_EMPTY_RANGES) return fail(p, REGEX_ERANGE), 0;
  }
  for (int c = from.c; c <= to.c; c++) set_add(set, c);
  return 1;
}
static struct regex_node *bracket(struct regex_parser *p) {
  struct regex_node *node = new_node(p, NODE_SET, 0, 0);
  if (!node) return 0;
  p->at++;
  int is_negated = p->at < p->length && pattern_byte(p, p->at) == '^';
  if (is_negated) {
    p->at++;
    if (p->syntax & SYNTAX_HAT_LISTS_NOT_NEWLINE) set_add(&node->set, '\n');
  }
  if (p->at >= p->length) return fail(p, REGEX_BADPAT);
  int is_first = 1;
  do {
    if (!list_part(p, is_first, &node->set)) return 0;
    is_first = 0;
    if (p->at >= p->length) return fail(p, REGEX_EBRACK);
  } while (pattern_byte(p, p->at) != ']');
  fold_case(p, &node->set);
  if (is_negated) set_invert(&node->set);
  p->token.length = 1;
  return node;
}

/* Expressions. Empty ones are 0; an error is told by p->error. */
static struct regex_node *alternatives(struct regex_parser *p, int nesting);

static struct regex_node *group(struct regex_parser *p, int nesting) {
  size_t number = ++p->groups;
  struct regex_node *body = 0;
  next_token_with(p, SYNTAX_CARET_ANCHORS_HERE);
  if (p->token.kind != TOKEN_CLOSE) {
    body = alternatives(p, nesting);
    if (!p->error && p->token.kind != TOKEN_CLOSE) fail(p, REGEX_EPAREN);
    if (p->error) return 0;
  }
  if (number <= 9) p->completed |= 1u << number;
  struct regex_node *node = new_node(p, NODE_GROUP, body, 0);
  if (node) node->number = number;
  return node;
}

/* A number of an interval: -1 if there is none, -2 if it is something else. */
static int interval_number(struct regex_parser *p) {
  int number = -1;
  for (;;) {
    next_token(p);
    unsigned char c = p->token.c;
    if (p->token.kind == TOKEN_END) return -2;
    if (p->token.kind == TOKEN_CLOSE_DUP || c == ',') return number;
    if (p->token.kind != TOKEN_CHAR || c < '0' || c > '9' || number == -2) number = -2;
    else if (number == -1) number = c - '0';
    else number = number * 10 + c - '0' > MOST_REPEATS + 1 ? MOST_REPEATS + 1 : number * 10 + c - '0';
  }
}

/* The bounds between braces. The result is 0 if the brace stands for itself, or after an error. */
static int interval(struct regex_parser *p, int *least, int *most) {
  long brace = p->at;
  struct token token = p->token;
  *least = interval_number(p);
  *most = 0;
  int is_comma = p->token.kind == TOKEN_CHAR && p->token.c == ',';
  if (*least == -1) {
    if (is_comma) *least = 0;
    else return fail(p, REGEX_BADBR), 0;
  }
  if (*least != -2) *most = p->token.kind == TOKEN_CLOSE_DUP ? *least : is_comma ? interval_number(p) : -2;
  if (*least == -2 || *most == -2) {
    if (!(p->syntax & SYNTAX_INVALID_INTERVAL_ORD)) return fail(p, p->token.kind == TOKEN_END ? REGEX_EBRACE : REGEX_BADBR), 0;
    p->at = brace;
    p->token = token;
    p->token.kind = TOKEN_CHAR;
    return 0;
  }
  if (*most != -1 && *least > *most || p->token.kind != TOKEN_CLOSE_DUP) return fail(p, REGEX_BADBR), 0;
  if ((*most == -1 ? *least : *most) > MOST_REPEATS) return fail(p, REGEX_ESIZE), 0;
  return 1;
}

static struct regex_node *repeated(struct regex_parser *p, struct regex_node *body) {
  int least = p->token.kind == TOKEN_PLUS, most = p->token.kind == TOKEN_OPTION ? 1 : -1;
  if (p->token.kind == TOKEN_OPEN_DUP && !interval(p, &least, &most)) return body;
  next_token(p);
  if (!body || !least && !most) return 0;
  struct regex_node *node = new_node(p, NODE_REPEAT, body, 0);
  if (!node) return 0;
  node->least = least;
  node->most = most;
  return node;
}
static int is_repeat(enum token_kind kind) {
  return kind == TOKEN_STAR || kind == TOKEN_PLUS || kind == TOKEN_OPTION || kind == TOKEN_OPEN_DUP;
}

/* A repetition that has nothing to repeat: an error, or passed over, or a character. */
static int stray_repeat(struct regex_parser *p) {
  if (p->token.kind == TOKEN_OPEN_DUP && p->syntax & SYNTAX_CONTEXT_INVALID_DUP) return fail(p, REGEX_BADRPT), 0;
  if (p->syntax & SYNTAX_CONTEXT_INVALID_OPS) return fail(p, REGEX_BADRPT), 0;
  return !(p->syntax & SYNTAX_CONTEXT_INDEP_OPS);
}

static struct regex_node *anchor(struct regex_parser *p) {
  struct regex_node *node = new_node(p, NODE_ASSERT, 0, 0);
  if (node) node->number = p->token.c;
  next_token(p); /* what follows does not repeat it */
  return node;
}

static struct regex_node *expression(struct regex_parser *p, int nesting) {
  struct regex_node *node = 0;
  while (is_repeat(p->token.kind) && !stray_repeat(p)) {
    if (p->error) return 0;
    next_token(p);
  }
  switch (p->token.kind) {
  case TOKEN_END: case TOKEN_ALT: return 0;
  case TOKEN_BACKSLASH: return fail(p, REGEX_EESCAPE);
  case TOKEN_ANCHOR: return anchor(p);
  case TOKEN_OPEN: node = group(p, nesting + 1); break;
  case TOKEN_BRACKET: node = bracket(p); break;
  case TOKEN_ANY: node = any_node(p); break;
  case TOKEN_CLASS: node = class_node(p, p->token.c); break;
  case TOKEN_BACKREF:
    if (!(p->completed >> (p->token.c - '0') & 1)) return fail(p, REGEX_ESUBREG);
    node = new_node(p, NODE_BACKREF, 0, 0);
    if (node) node->number = p->token.c - '0';
    break;
  case TOKEN_CLOSE:
    if (!(p->syntax & SYNTAX_UNMATCHED_RIGHT_PAREN_ORD)) return fail(p, REGEX_ERPAREN);
    /* falls through */
  default: node = char_node(p, p->token.c);
  }
  if (p->error) return 0;
  next_token(p);
  while (!p->error && is_repeat(p->token.kind)) {
    node = repeated(p, node);
    int is_twice = p->token.kind == TOKEN_STAR || p->token.kind == TOKEN_OPEN_DUP;
    if (!p->error && p->syntax & SYNTAX_CONTEXT_INVALID_DUP && is_twice) fail(p, REGEX_BADRPT);
  }
  return p->error ? 0 : node;
}

static int branch_ends(const struct regex_parser *p, int nesting) {
  enum token_kind kind = p->token.kind;
  return kind == TOKEN_ALT || kind == TOKEN_END || nesting && kind == TOKEN_CLOSE;
}
static struct regex_node *branch(struct regex_parser *p, int nesting) {
  struct regex_node *all = expression(p, nesting);
  while (!p->error && !branch_ends(p, nesting)) {
    struct regex_node *next = expression(p, nesting);
    if (p->error) return 0;
    all = all && next ? new_node(p, NODE_CAT, all, next) : all ? all : next;
  }
  return all;
}
static struct regex_node *alternatives(struct regex_parser *p, int nesting) {
  unsigned before = p->completed;
  struct regex_node *all = branch(p, nesting);
  while (!p->error && p->token.kind == TOKEN_ALT) {
    next_token_with(p, SYNTAX_CARET_ANCHORS_HERE);
    struct regex_node *next = 0;
    if (!branch_ends(p, nesting)) {
      unsigned after = p->completed;
      p->completed = before;
      next = branch(p, nesting);
      p->completed |= after;
    }
    if (!p->error) all = new_node(p, NODE_ALT, all, next);
  }
  return all;
}

/* From the tree to the program. */
static struct regex_step *emit(struct regex_program *program, enum step_kind kind) {
  if (program->count == program->room) {
    int room = program->room ? 2 * program->room : 16;
    struct regex_step *steps = room > 1 << 20 ? 0 : realloc(program->steps, room * sizeof *steps);
    if (!steps) return 0;
    program->steps = steps;
    program->room = room;
  }
  struct regex_step *step = &program->steps[program->count++];
  memset(step, 0, sizeof *step);
  step->kind = kind;
  return step;
}
static int emit_number(struct regex_program *program, enum step_kind kind, int number) {
  struct regex_step *step = emit(program, kind);
  if (step) step->number = number;
  return step != 0;
}
static int emit_node(struct regex_program *program, const struct regex_node *node);

/* body* : the loop is left when an iteration matched nothing. */
static int emit_star(struct regex_program *program, const struct regex_node *body) {
  int loop = program->loops++, split = program->count;
  if (!emit(program, STEP_SPLIT) || !emit_number(program, STEP_ENTER, loop) || !emit_node(program, body)) return 0;
  if (!emit_number(program, STEP_LOOP, loop)) return 0;
  program->steps[program->count - 1].first = split;
  program->steps[split].first = split + 1;
  program->steps[split].second = program->count;
  return 1;
}
static int emit_option(struct regex_program *program, const struct regex_node *body, int times) {
  if (!times) return 1;
  int split = program->count;
  if (!emit(program, STEP_SPLIT) || !emit_node(program, body) || !emit_option(program, body, times - 1)) return 0;
  program->steps[split].first = split + 1;
  program->steps[split].second = program->count;
  return 1;
}
static int emit_repeat(struct regex_program *program, const struct regex_node *node) {
  for (int i = 0; i < node->least; i++)
    if (!emit_node(program, node->left)) return 0;
  return node->most < 0 ? emit_star(program, node->left) : emit_option(program, node->left, node->most - node->least);
}
static int emit_alternatives(struct regex_program *program, const struct regex_node *node) {
  int split = program->count;
  if (!emit(program, STEP_SPLIT) || !emit_node(program, node->left)) return 0;
  int jump = program->count;
  if (!emit(program, STEP_JUMP)) return 0;
  program->steps[split].first = split + 1;
  program->steps[split].second = program->count;
  if (!emit_node(program, node->right)) return 0;
  program->steps[jump].first = program->count;
  return 1;
}
static int emit_node(struct regex_program *program, const struct regex_node *node) {
  if (!node) return 1;
  struct regex_step *step;
  switch (node->kind) {
  case NODE_EMPTY: return 1;
  case NODE_SET:
    if (!(step = emit(program, STEP_SET))) return 0;
    step->set = node->set;
    return 1;
  case NODE_ASSERT: return emit_number(program, STEP_ASSERT, node->number);
  case NODE_BACKREF:
    program->has_backrefs = 1;
    return emit_number(program, STEP_BACKREF, node->number);
  case NODE_GROUP:
    return emit_number(program, STEP_SAVE, 2 * node->number) && emit_node(program, node->left) &&
           emit_number(program, STEP_SAVE, 2 * node->number + 1);
  case NODE_CAT: return emit_node(program, node->left) && emit_node(program, node->right);
  case NODE_ALT: return emit_alternatives(program, node);
  case NODE_REPEAT: return emit_repeat(program, node);
  }
  return 0;
}

static void free_program(struct regex_program *program) {
  if (program) free(program->steps);
  free(program);
}
static enum regex_error compile_tree(struct re_pattern_buffer *buffer, const struct regex_node *tree) {
  struct regex_program *program = calloc(1, sizeof *program);
  if (!program || !emit_node(program, tree) || !emit(program, STEP_MATCH)) {
    free_program(program);
    return REGEX_ESPACE;
  }
  buffer->program = program;
  buffer->allocated = buffer->used = sizeof *program;
  return REGEX_FINE;
}
static enum regex_error compile_regex(struct re_pattern_buffer *buffer, const char *pattern, size_t length, unsigned long syntax) {
  struct regex_parser p = { (const unsigned char *)pattern, length, 0, syntax, buffer->translate };
  buffer->program = 0;
  buffer->syntax = syntax;
  buffer->not_bol = buffer->not_eol = buffer->can_be_null = 0;
  buffer->regs_allocated = buffer->fastmap_accurate = 0;
  p.token = token_at(&p, 0, syntax | SYNTAX_CARET_ANCHORS_HERE);
  struct regex_node *tree = alternatives(&p, 0);
  if (!p.error && p.token.kind == TOKEN_CLOSE) p.error = REGEX_ERPAREN;
  if (!p.error) p.error = compile_tree(buffer, tree);
  buffer->re_nsub = p.error ? 0 : p.groups;
  while (p.nodes) {
    struct regex_node *node = p.nodes;
    p.nodes = node->made_before;
    free(node);
  }
  return p.error;
}

/* The search. */
struct saved_choice { int step, slot; long at, value; }; /* slot -1: go on at a step; otherwise a value to put back */
struct regex_search {
  const struct re_pattern_buffer *buffer;
  const unsigned char *text;
  long length;
  int flags;
  long *slots; /* two for each group, then one for each loop */
  int slot_count;
  unsigned char *tried;
  struct saved_choice *stack;
  long depth, room;
};

static unsigned char text_byte(const struct regex_search *s, long at) {
  unsigned char c = s->text[at];
  return s->buffer->translate ? s->buffer->translate[c] : c;
}
static int line_begins(const struct regex_search *s, long at) {
  return at ? s->buffer->newline_anchor && text_byte(s, at - 1) == '\n' : !(s->flags & FLAG_NOTBOL);
}
static int line_ends(const struct regex_search *s, long at) {
  return at < s->length ? s->buffer->newline_anchor && text_byte(s, at) == '\n' : !(s->flags & FLAG_NOTEOL);
}
static int holds(const struct regex_search *s, int assertion, long at) {
  if (assertion == '^') return line_begins(s, at);
  if (assertion == '$') return line_ends(s, at);
  if (assertion == '`') return !at;
  if (assertion == '\'') return at == s->length;
  int before = at && is_word(text_byte(s, at - 1)), after = at < s->length && is_word(text_byte(s, at));
  switch (assertion) {
  case '<': return !before && after;
  case '>': return before && !after;
  case 'b': return before != after;
  default: return before == after;
  }
}
static int folded(const struct regex_search *s, long at) {
  unsigned char c = text_byte(s, at);
  return s->buffer->syntax & SYNTAX_ICASE && is_letter(c) ? c | 32 : c;
}
/* How long a repeated group is at a position, or -1. */
static long repeated_group(const struct regex_search *s, int group, long at) {
  long from = s->slots[2 * group], to = s->slots[2 * group + 1];
  if (from < 0 || to < 0 || at + (to - from) > s->length) return -1;
  for (long i = 0; i < to - from; i++)
    if (folded(s, from + i) != folded(s, at + i)) return -1;
  return to - from;
}
static int push(struct regex_search *s, int step, int slot, long at, long value) {
  if (s->depth == s->room) {
    long room = s->room ? 2 * s->room : 64;
    struct saved_choice *stack = realloc(s->stack, room * sizeof *stack);
    if (!stack) return 0;
    s->stack = stack;
    s->room = room;
  }
  s->stack[s->depth++] = (struct saved_choice){ step, slot, at, value };
  return 1;
}
static int set_slot(struct regex_search *s, int slot, long value) {
  if (!push(s, 0, slot, 0, s->slots[slot])) return 0;
  s->slots[slot] = value;
  return 1;
}
/* Whether a step at a position was tried before; it is marked. */
static int was_tried(struct regex_search *s, int step, long at) {
  if (!s->tried) return 0;
  unsigned long bit = (unsigned long)step * (s->length + 1) + at;
  if (s->tried[bit >> 3] >> (bit & 7) & 1) return 1;
  s->tried[bit >> 3] |= 1 << (bit & 7);
  return 0;
}

enum { NO_MATCH = -1, NO_MEMORY = -2 };

/* Runs the program from a choice to its next end: the position of a match, or NO_MATCH. */
static long run_path(struct regex_search *s, int at_step, long at) {
  const struct regex_program *program = s->buffer->program;
  int first_loop = s->slot_count - program->loops;
  for (;;) {
    const struct regex_step *step = &program->steps[at_step];
    if (was_tried(s, at_step, at)) return NO_MATCH;
    at_step++;
    long length;
    switch (step->kind) {
    case STEP_SET:
      if (at >= s->length || !set_has(&step->set, text_byte(s, at))) return NO_MATCH;
      at++;
      break;
    case STEP_ASSERT: if (!holds(s, step->number, at)) return NO_MATCH; break;
    case STEP_BACKREF:
      if ((length = repeated_group(s, step->number, at)) < 0) return NO_MATCH;
      at += length;
      break;
    case STEP_SAVE: if (!set_slot(s, step->number, at)) return NO_MEMORY; break;
    case STEP_ENTER: if (!set_slot(s, first_loop + step->number, at)) return NO_MEMORY; break;
    case STEP_LOOP: if (s->slots[first_loop + step->number] != at) at_step = step->first; break;
    case STEP_JUMP: at_step = step->first; break;
    case STEP_SPLIT:
      if (!push(s, step->second, -1, at, 0)) return NO_MEMORY;
      at_step = step->first;
      break;
    case STEP_MATCH: return at;
    }
  }
}
/* All ways from a position, in order of preference: the longest end, or the first way to a given end. */
static long explore_ways(struct regex_search *s, long from, long wanted) {
  unsigned long bits = (unsigned long)s->buffer->program->count * (s->length + 1);
  if (s->tried) memset(s->tried, 0, bits / 8 + 1);
  for (int i = 0; i < s->slot_count; i++) s->slots[i] = -1;
  s->depth = 0;
  long longest = NO_MATCH;
  if (!push(s, 0, -1, from, 0)) return NO_MEMORY;
  while (s->depth) {
    struct saved_choice choice = s->stack[--s->depth];
    if (choice.slot >= 0) {
      s->slots[choice.slot] = choice.value;
      continue;
    }
    long end = run_path(s, choice.step, choice.at);
    if (end == NO_MEMORY || end >= 0 && end == wanted) return end;
    if (end > longest) longest = end;
    if (longest == s->length && wanted < 0) break;
  }
  return longest;
}
static long match_at(struct regex_search *s, long from, match_span *spans, size_t count) {
  long end = explore_ways(s, from, -1);
  if (end < 0 || !count) return end;
  if (count > 1 && explore_ways(s, from, end) == NO_MEMORY) return NO_MEMORY;
  spans[0] = (match_span){ from, end };
  for (size_t i = 1; i < count; i++) {
    int is_set = i <= s->buffer->re_nsub && s->slots[2 * i] >= 0 && s->slots[2 * i + 1] >= 0;
    spans[i] = is_set ? (match_span){ s->slots[2 * i], s->slots[2 * i + 1] } : (match_span){ -1, -1 };
  }
  return end;
}
/* Looks for a match that begins between two positions, in that direction: where it begins, NO_MATCH or NO_MEMORY. */
static long search(const struct re_pattern_buffer *buffer, const char *text, long length, long first, long last, int flags,
                   match_span *spans, size_t count) {
  struct regex_search s = { buffer, (const unsigned char *)text, length, flags };
  if (!buffer->program) return NO_MEMORY;
  s.slot_count = 2 * (buffer->re_nsub + 1) + buffer->program->loops;
  s.slots = malloc(s.slot_count * sizeof *s.slots);
  if (!buffer->program->has_backrefs) s.tried = malloc((unsigned long)buffer->program->count * (length + 1) / 8 + 1);
  long result = NO_MATCH, step = first <= last ? 1 : -1;
  if (!s.slots || !s.tried && !buffer->program->has_backrefs) result = NO_MEMORY;
  for (long at = first; result == NO_MATCH; at += step) {
    long end = match_at(&s, at, spans, count);
    if (end != NO_MATCH) result = end < 0 ? end : at;
    if (at == last) break;
  }
  free(s.slots);
  free(s.tried);
  free(s.stack);
  return result;
}

/* POSIX. */
int regcomp(struct re_pattern_buffer *buffer, const char *pattern, int flags) {
  unsigned long syntax = flags & FLAG_EXTENDED ? SYNTAX_POSIX_EXTENDED : SYNTAX_POSIX_BASIC;
  memset(buffer, 0, sizeof *buffer);
  if (flags & FLAG_ICASE) syntax |= SYNTAX_ICASE;
  if (flags & FLAG_NEWLINE) syntax = syntax & ~SYNTAX_DOT_NEWLINE | SYNTAX_HAT_LISTS_NOT_NEWLINE;
  buffer->newline_anchor = (flags & FLAG_NEWLINE) != 0;
  buffer->no_sub = (flags & FLAG_NOSUB) != 0;
  enum regex_error error = compile_regex(buffer, pattern, strlen(pattern), syntax);
  return error == REGEX_ERPAREN ? REGEX_EPAREN : error;
}
int regexec(const struct re_pattern_buffer *buffer, const char *text, size_t count, match_span *spans, int flags) {
  if (flags & ~(FLAG_NOTBOL | FLAG_NOTEOL | FLAG_STARTEND)) return REGEX_BADPAT;
  long from = flags & FLAG_STARTEND ? spans[0].rm_so : 0;
  long length = flags & FLAG_STARTEND ? spans[0].rm_eo : strlen(text);
  long found = search(buffer, text, length, from, length, flags, spans, buffer->no_sub ? 0 : count);
  return found >= 0 ? 0 : found == NO_MATCH ? REGEX_NOMATCH : REGEX_ESPACE;
}
size_t regerror(int error, const struct re_pattern_buffer *buffer, char *text, size_t room) {
  if (error < 0 || error > REGEX_ERPAREN) abort();
  size_t size = strlen(regex_messages[error]) + 1;
  if (room) {
    size_t shown = size > room ? room - 1 : size - 1;
    memcpy(text, regex_messages[error], shown);
    text[shown] = 0;
  }
  return size;
}
void regfree(struct re_pattern_buffer *buffer) {
  free_program(buffer->program);
  free(buffer->fastmap);
  free(buffer->translate);
  buffer->program = 0;
  buffer->fastmap = 0;
  buffer->translate = 0;
}

/* GNU. */
unsigned long re_syntax_options;
unsigned long re_set_syntax(unsigned long syntax) {
  unsigned long before = re_syntax_options;
  re_syntax_options = syntax;
  return before;
}
const char *re_compile_pattern(const char *pattern, size_t length, struct re_pattern_buffer *buffer) {
  buffer->no_sub = (re_syntax_options & SYNTAX_NO_SUB) != 0;
  buffer->newline_anchor = 1;
  enum regex_error error = compile_regex(buffer, pattern, length, re_syntax_options);
  return error ? regex_messages[error] : 0;
}
/* Every byte may begin a match: the table only saves time. */
int re_compile_fastmap(struct re_pattern_buffer *buffer) {
  if (buffer->fastmap) memset(buffer->fastmap, 1, 256);
  buffer->fastmap_accurate = 1;
  return 0;
}
enum { REGISTERS_UNALLOCATED, REGISTERS_REALLOCATE, REGISTERS_FIXED };
void re_set_registers(struct re_pattern_buffer *buffer, struct re_registers *registers, unsigned count, match_offset *starts, match_offset *ends) {
  buffer->regs_allocated = count ? REGISTERS_REALLOCATE : REGISTERS_UNALLOCATED;
  registers->num_regs = count;
  registers->start = count ? starts : 0;
  registers->end = count ? ends : 0;
}
static int fill_registers(struct re_pattern_buffer *buffer, struct re_registers *registers, const match_span *spans, unsigned count) {
  unsigned wanted = count + 1; /* programs end their walk at one that is -1 */
  int is_new = buffer->regs_allocated == REGISTERS_UNALLOCATED;
  if (buffer->regs_allocated != REGISTERS_FIXED && (is_new || wanted > registers->num_regs)) {
    match_offset *starts = realloc(is_new ? 0 : registers->start, wanted * sizeof *starts);
    if (!starts) return 0;
    registers->start = starts;
    match_offset *ends = realloc(is_new ? 0 : registers->end, wanted * sizeof *ends);
    if (!ends) return 0;
    registers->end = ends;
    registers->num_regs = wanted;
    buffer->regs_allocated = REGISTERS_REALLOCATE;
  }
  for (unsigned i = 0; i < registers->num_regs; i++) {
    registers->start[i] = i < count ? spans[i].rm_so : -1;
    registers->end[i] = i < count ? spans[i].rm_eo : -1;
  }
  return 1;
}
static match_offset gnu_search(struct re_pattern_buffer *buffer, const char *text, match_offset length, match_offset from, match_offset range,
                               match_offset stop, struct re_registers *registers, int wants_length) {
  if (from < 0 || from > length) return NO_MATCH;
  long last = (long)from + range;
  last = last < 0 ? 0 : last > length ? length : last;
  if (stop < length) length = stop;
  if (from > length) return NO_MATCH;
  if (buffer->no_sub) registers = 0;
  size_t count = registers ? buffer->re_nsub + 1 : 1;
  if (registers && buffer->regs_allocated == REGISTERS_FIXED && registers->num_regs <= buffer->re_nsub) count = registers->num_regs;
  if (!count) {
    registers = 0;
    count = 1;
  }
  match_span *spans = malloc(count * sizeof *spans);
  if (!spans) return NO_MEMORY;
  int flags = (buffer->not_bol ? FLAG_NOTBOL : 0) | (buffer->not_eol ? FLAG_NOTEOL : 0);
  long found = search(buffer, text, length, from, last > length ? length : last, flags, spans, count);
  if (found >= 0 && registers && !fill_registers(buffer, registers, spans, count)) found = NO_MEMORY;
  if (found >= 0 && wants_length) found = spans[0].rm_eo - found;
  free(spans);
  return found;
}
match_offset re_search(struct re_pattern_buffer *buffer, const char *text, match_offset length, match_offset from, match_offset range, struct re_registers *registers) {
  return gnu_search(buffer, text, length, from, range, length, registers, 0);
}
match_offset re_match(struct re_pattern_buffer *buffer, const char *text, match_offset length, match_offset from, struct re_registers *registers) {
  return gnu_search(buffer, text, length, from, 0, length, registers, 1);
}
static match_offset search_two(struct re_pattern_buffer *buffer, const char *one, match_offset first, const char *two, match_offset second,
                               match_offset from, match_offset range, struct re_registers *registers, match_offset stop, int wants_length) {
  if (first < 0 || second < 0 || stop < 0) return NO_MEMORY;
  char *both = malloc((size_t)first + second + 1);
  if (!both) return NO_MEMORY;
  if (first) memcpy(both, one, first);
  if (second) memcpy(both + first, two, second);
  match_offset found = gnu_search(buffer, both, first + second, from, range, stop, registers, wants_length);
  free(both);
  return found;
}
match_offset re_search_2(struct re_pattern_buffer *buffer, const char *one, match_offset first, const char *two, match_offset second,
                         match_offset from, match_offset range, struct re_registers *registers, match_offset stop) {
  return search_two(buffer, one, first, two, second, from, range, registers, stop, 0);
}
match_offset re_match_2(struct re_pattern_buffer *buffer, const char *one, match_offset first, const char *two, match_offset second,
                        match_offset from, struct re_registers *registers, match_offset stop) {
  return search_two(buffer, one, first, two, second, from, 0, registers, stop, 1);
}
