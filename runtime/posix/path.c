/* Names of files: from a path to a name in the table, which the read-only root fills on demand. */
#include "model.h"

struct name *sx_names;
char sx_directory[path_limit] = "/";
const char sx_first_folder[] = "/tmp/here";
static unsigned long next_number = 2;

long sx_length(const char *text) {
  long n = 0;
  while (text[n]) n++;
  return n;
}

char *sx_copy_text(const char *text) {
  long n = sx_length(text) + 1;
  char *copy = sx_allocate(n);
  __builtin_memcpy(copy, text, n);
  return copy;
}

/* Whether any character that could belong to the text is symbolic. */
int sx_is_symbolic_text(const char *text) {
  size_t room = sx_room(text);
  for (size_t i = 0; i < room; i++) {
    if (klee_is_symbolic(text[i])) return 1;
    if (!text[i]) return 0;
  }
  return 0;
}

/* One question instead of one for each character. */
static int is_same(const char *text, const char *name) {
  size_t n = sx_length(name) + 1;
  if (sx_room(text) < n) return 0;
  unsigned char differs = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned char difference = text[i] ^ name[i];
    /* what stands behind the end of a shorter text may never have been written */
    if (!klee_is_symbolic(difference) && difference) return 0;
    differs |= difference;
  }
  return differs == 0;
}

struct inode *sx_inode(unsigned mode) {
  struct inode *inode = sx_allocate(sizeof *inode);
  inode->mode = mode;
  inode->owner = user;
  inode->number = next_number++;
  inode->links = (mode & S_IFMT) == S_IFDIR ? 2 : 1;
  inode->accessed = inode->modified = inode->changed = sx_now;
  return inode;
}

void sx_touch(struct inode *inode, int written) {
  sx_tick(1000);
  if (written) inode->modified = inode->changed = sx_now;
  else inode->accessed = sx_now;
  inode->times_given &= written ? ~2 : ~1;
}

struct name *sx_add(const char *path, struct inode *inode) {
  struct name *name = sx_allocate(sizeof *name);
  name->path = sx_copy_text(path);
  name->inode = inode;
  name->next = sx_names;
  sx_names = name;
  return name;
}

/* The name that the program gave, of which a part is looked for; 0 for a symbolic one. */
static const char *asked_for;

/* A file that exists elsewhere, or may: programs that ask for the local time look for the zone without a word in their sources. */
static void tell_of_missing(void) {
  if (asked_for && is_same(asked_for, "/etc/localtime"))
    stet_left_out("the time zone is UTC here (--env TZ=UTC0 says that it is, --root / takes this machine's)");
  else
    stet_left_out("files other than those given do not exist here (--root DIR gives the program a root directory)");
}

/* A concrete absolute path in the table, or taken over from the root. */
struct name *sx_find(const char *path) {
  for (struct name *name = sx_names; name; name = name->next)
    if (is_same(path, name->path)) return name->inode ? name : 0;
  long facts[3];
  if (!sx_root_stat(path, facts)) {
    if (!sx_root_stat("/", facts)) tell_of_missing();
    return 0;
  }
  struct inode *inode = sx_inode(facts[0]);
  inode->size = facts[1];
  inode->accessed.tv_sec = inode->modified.tv_sec = inode->changed.tv_sec = facts[2];
  inode->times_given = 3;
  struct name *name = sx_add(path, inode);
  inode->from_root = name->path;
  return name;
}

static long parent(char *out, long n) {
  while (n > 1 && out[n - 1] != '/') n--;
  if (n > 1) n--;
  out[n] = 0;
  return n;
}

/* The folder of a replay has another name: nobody can mean this one by its absolute name. */
static int is_at_start(const char *path) {
  long n = 0;
  while (sx_first_folder[n] && path[n] == sx_first_folder[n]) n++;
  return !sx_first_folder[n] && (!path[n] || path[n] == '/');
}

/* A path with symbolic characters is compared with the names there are, as written absolute or in the current directory. */
static struct name *find_symbolic(const char *path, char *out) {
  long base = sx_length(sx_directory);
  if (base == 1) base = 0;
  if (is_same(path, ".")) return sx_find(sx_directory);
  if (is_same(path, "..")) {
    long n = sx_length(sx_directory);
    __builtin_memcpy(out, sx_directory, n + 1);
    parent(out, n);
    return sx_find(out);
  }
  for (struct name *name = sx_names; name; name = name->next) {
    if (!name->inode) continue;
    const char *rest = name->path + base;
    int below = 1;
    for (long i = 0; i < base; i++) if (name->path[i] != sx_directory[i]) { below = 0; break; }
    if (below && rest[0] == '/' && rest[1] && is_same(path, rest + 1)) goto found;
    if (!is_at_start(name->path) && is_same(path, name->path)) goto found;
    continue;
  found:
    __builtin_memcpy(out, name->path, sx_length(name->path) + 1);
    return name;
  }
  stet_left_out("a symbolic file name is taken for the name of a known file or of none; other spellings such as ./A are left out");
  return 0;
}

static long append(char *out, long n, const char *part, long size) {
  if (n + size + 2 > path_limit) return -ENAMETOOLONG;
  if (n > 1 || (n == 1 && out[0] != '/')) out[n++] = '/';
  else if (n == 0) out[n++] = '/';
  for (long i = 0; i < size; i++) out[n++] = part[i];
  out[n] = 0;
  return n;
}

/* The text of a link; contents that come from the root are read first. */
static const char *target(struct inode *inode) {
  if (!inode->data && inode->from_root) {
    inode->data = sx_root_link(inode->from_root, &inode->size);
    inode->from_root = 0;
  }
  return (const char *)inode->data;
}

static long walk(const char *start, const char *path, int follow, char *out, int depth) {
  if (depth > 40) return -ELOOP;
  long n = 1;
  out[0] = '/'; out[1] = 0;
  if (path[0] != '/') {
    n = sx_length(start);
    __builtin_memcpy(out, start, n + 1);
  }
  while (*path) {
    while (*path == '/') path++;
    long size = 0;
    while (path[size] && path[size] != '/') size++;
    if (!size) break;
    const char *part = path;
    path += size;
    struct name *here = sx_find(out);
    if (!here) return -ENOENT;
    if ((here->inode->mode & S_IFMT) != S_IFDIR) return -ENOTDIR;
    if (size == 1 && part[0] == '.') continue;
    if (size == 2 && part[0] == '.' && part[1] == '.') { n = parent(out, n); continue; }
    n = append(out, n, part, size);
    if (n < 0) return n;
    const char *rest = path;
    while (*rest == '/') rest++;
    struct name *found = sx_find(out);
    if (found && (found->inode->mode & S_IFMT) == S_IFLNK && (follow || *rest || *path == '/')) {
      const char *text = target(found->inode);
      if (!text) return -ENOENT;
      char folder[path_limit];
      n = parent(out, n);
      __builtin_memcpy(folder, out, n + 1);
      n = walk(folder, text, 1, out, depth + 1);
      if (n < 0) return n;
    } else if (found && *path == '/' && !*rest && (found->inode->mode & S_IFMT) != S_IFDIR) {
      return -ENOTDIR;
    }
  }
  return n;
}

static long resolve(long at, const char *path, int follow, char *out, struct name **found) {
  *found = 0;
  out[0] = 0;
  if (!sx_room(path)) return -EFAULT;
  const char *start = sx_directory;
  if ((int)at != AT_FDCWD) {
    int is_absolute = !klee_is_symbolic(path[0]) && path[0] == '/';
    struct file *file = sx_file(at);
    if (!is_absolute) {
      if (!file) return -EBADF;
      if ((file->inode->mode & S_IFMT) != S_IFDIR) return -ENOTDIR;
      start = file->path;
    }
  }
  if (sx_is_symbolic_text(path)) {
    if (start != sx_directory) stet_refuse("a symbolic file name relative to an open directory");
    *found = find_symbolic(path, out);
    if (!*found && !path[0]) return -ENOENT;
    return 0;
  }
  if (!path[0]) return -ENOENT;
  long n = walk(start, path, follow, out, 0);
  if (n < 0) return n;
  *found = sx_find(out);
  return 0;
}

/* The absolute path of `path` in `out`, and its name if it exists: 0, or -errno where a folder on the way is missing. */
long sx_resolve(long at, const char *path, int follow, char *out, struct name **found) {
  asked_for = sx_room(path) && !sx_is_symbolic_text(path) ? path : 0;
  long result = resolve(at, path, follow, out, found);
  asked_for = 0;
  return result;
}
