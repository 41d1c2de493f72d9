/* Before main: standard streams, devices, and whatever of the input is symbolic. The options are KLEE's, checked by the
   command line; they stand among the program's own arguments, in the order in which arguments are to appear. */
#include "model.h"

enum { most_arguments = 1024, stat_size = 144, mode_offset = 24 };

static int is_same_text(const char *a, const char *b) {
  while (*a && *a == *b) { a++; b++; }
  return *a == *b;
}

static long number(const char *text) {
  long value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + *text - '0';
  return value;
}

static void join(char *out, const char *a, const char *b) {
  while (*a) *out++ = *a++;
  while ((*out++ = *b++)) {}
}

/* Tests should be readable where they can be. */
static char *symbolic_text(long size, const char *name) {
  char *text = sx_allocate(size + 1);
  klee_mark_global(text);
  klee_make_symbolic(text, size + 1, name);
  klee_assume(text[size] == 0);
  text[size] = 0;
  for (long i = 0; i < size; i++) klee_prefer_cex(text, (text[i] >= ' ') & (text[i] <= '~'));
  return text;
}

/* Permissions are symbolic, and for standard streams also whether they are a terminal. */
static unsigned symbolic_mode(const char *name, int may_be_terminal) {
  char full[64];
  unsigned mode;
  join(full, name, "-stat");
  unsigned char *status = sx_allocate(stat_size);
  klee_make_symbolic(status, stat_size, full);
  __builtin_memcpy(&mode, status + mode_offset, sizeof mode);
  klee_assume((mode & ~(S_IFMT | 0777)) == 0);
  if (may_be_terminal) klee_assume(((mode & S_IFMT) == S_IFREG) | ((mode & S_IFMT) == S_IFCHR));
  else klee_assume((mode & S_IFMT) == S_IFREG);
  klee_assume((mode & 0400) != 0);
  klee_prefer_cex(status, (mode & S_IFMT) == S_IFREG);
  klee_prefer_cex(status, (mode & 0777) == 0644);
  return mode;
}

static struct inode *symbolic_file(const char *name, long size, int may_be_terminal) {
  struct inode *inode = sx_inode(0);
  inode->data = sx_allocate(size);
  klee_make_symbolic(inode->data, size, name);
  for (long i = 0; i < size; i++)
    klee_prefer_cex(inode->data, ((inode->data[i] >= ' ') & (inode->data[i] <= '~')) | (inode->data[i] == '\n'));
  inode->mode = symbolic_mode(name, may_be_terminal);
  inode->size = inode->capacity = size;
  inode->is_given = 1;
  return inode;
}

static void in_directory(char *out, const char *name) {
  long n = sx_length(sx_directory);
  if (name[0] == '/') n = 0;
  if (n == 1) n = 0;
  __builtin_memcpy(out, sx_directory, n);
  if (name[0] != '/') out[n++] = '/';
  join(out + n, name, "");
}

static void add_file(const char *name, const char *object, long size) {
  char path[path_limit];
  in_directory(path, name);
  sx_add(path, symbolic_file(object, size, 0));
}

/* Without a root the program starts in a folder of its own, as a replay does, which holds the given files only; what is above belongs to
   the system. */
static void start_folder(void) {
  long facts[3];
  if (sx_root_stat("/", facts)) return;
  for (struct name *name = sx_names; name; name = name->next)
    if ((name->inode->mode & S_IFMT) == S_IFDIR || name->inode->is_null) name->inode->owner = 0;
  join(sx_directory, sx_first_folder, "");
  sx_add(sx_first_folder, sx_inode(S_IFDIR | 0755));
}

static void standard_streams(void) {
  struct inode *null = sx_inode(S_IFCHR | 0666), *terminal = sx_inode(S_IFCHR | 0620), *errors = sx_inode(S_IFCHR | 0620);
  null->is_null = 1;
  sx_add("/", sx_inode(S_IFDIR | 0755));
  sx_add("/tmp", sx_inode(S_IFDIR | 01777));
  sx_add("/dev", sx_inode(S_IFDIR | 0755));
  sx_add("/dev/null", null);
  sx_add("/dev/tty", terminal);
  terminal->stream = 1;
  errors->stream = 2;
  terminal->is_usual_stream = errors->is_usual_stream = 1;
  struct inode *input = sx_inode(S_IFIFO | 0600);
  input->is_standard_input = input->is_usual_stream = 1;
  sx_install(input, "/dev/stdin", O_RDONLY, 0);
  sx_install(terminal, "/dev/tty", O_WRONLY, 1);
  sx_install(errors, "/dev/tty", O_WRONLY, 2);
}

struct list { char *items[most_arguments]; int count; };

static void add(struct list *list, char *text) {
  if (list->count < most_arguments - 1) list->items[list->count++] = text;
}

static unsigned argument_number;

static void add_symbolic(struct list *list, long size) {
  char name[] = "arg00";
  name[3] += argument_number / 10 % 10;
  name[4] += argument_number % 10;
  argument_number++;
  add(list, symbolic_text(size, name));
}

static void add_range(struct list *list, long least, long most, long size) {
  int count = least == most ? least : klee_range(least, most + 1, "n_args");
  for (int i = 0; i < most; i++) {
    if (i >= count) break;
    add_symbolic(list, size);
  }
}

static void environment(char ***envp, const char *given) {
  char **old = *envp;
  int count = 0;
  while (old[count]) count++;
  char **new = sx_allocate((count + 2) * sizeof *new);
  for (int i = 0; i < count; i++) new[i] = old[i];
  /* NAME=N: a variable with N symbolic characters */
  long n = 0;
  while (given[n] && given[n] != '=') n++;
  char *name = sx_allocate(n + 1);
  __builtin_memcpy(name, given, n);
  long size = number(given + n + 1);
  char *text = sx_allocate(n + size + 2);
  klee_mark_global(text);
  char *value = symbolic_text(size, name);
  __builtin_memcpy(text, given, n + 1);
  __builtin_memcpy(text + n + 1, value, size + 1);
  new[count] = text;
  *envp = new;
}

static int option(const char *text, const char *name) {
  if (text[0] != '-') return 0;
  text++;
  if (text[0] == '-') text++;
  return is_same_text(text, name);
}

static void files(long count, long size) {
  char name[] = "A", object[] = "A-data";
  for (long i = 0; i < count; i++) {
    name[0] = object[0] = 'A' + i;
    add_file(name, object, size);
  }
}

static void given_file(const char *given) {
  long n = sx_length(given);
  while (n > 0 && given[n] != '=') n--;
  char *name = sx_allocate(n + 1), *object = sx_allocate(n + 6);
  __builtin_memcpy(name, given, n);
  join(object, name, "-data");
  add_file(name, object, number(given + n + 1));
}

static void standard_input(long size) {
  struct inode *inode = symbolic_file("stdin", size, 1);
  inode->is_standard_input = 1;
  sx_descriptors[0].file->inode = inode;
}

static void standard_output(void) {
  struct inode *inode = sx_inode(symbolic_mode("stdout", 1));
  inode->stream = 1;
  sx_descriptors[1].file->inode = inode;
}

void sx_set_up(int *argc, char ***argv, char ***envp) {
  struct list list;
  char **given = *argv;
  list.count = 0;
  standard_streams();
  start_folder();
  for (int i = 0; i < *argc; i++) {
    char *text = given[i];
    if (i == 0 || text[0] != '-') add(&list, text);
    else if (option(text, "stet-directory")) join(sx_directory, given[++i], "");
    else if (option(text, "sym-arg")) add_symbolic(&list, number(given[++i]));
    else if (option(text, "sym-args")) { add_range(&list, number(given[i + 1]), number(given[i + 2]), number(given[i + 3])); i += 3; }
    else if (option(text, "sym-files")) { files(number(given[i + 1]), number(given[i + 2])); i += 2; }
    else if (option(text, "sym-file")) given_file(given[++i]);
    else if (option(text, "sym-env")) environment(envp, given[++i]);
    else if (option(text, "sym-stdin")) standard_input(number(given[++i]));
    else if (option(text, "sym-stdout")) standard_output();
    else if (option(text, "fd-fail")) sx_failures_left = 1;
    else if (option(text, "max-fail")) sx_failures_left = number(given[++i]);
    else if (option(text, "save-all-writes")) {}
    else if (option(text, "stet-arg")) add(&list, given[++i]);
    else add(&list, text);
  }
  *argc = list.count;
  char **result = sx_allocate((list.count + 1) * sizeof *result);
  klee_mark_global(result);
  for (int i = 0; i < list.count; i++) result[i] = list.items[i];
  *argv = result;
}
