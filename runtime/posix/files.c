/* Descriptors and what is behind them: files, devices, pipes, terminals. */
#include "model.h"

struct descriptor sx_descriptors[descriptor_count];
unsigned sx_failures_left;

static unsigned kind(const struct inode *inode) { return inode->mode & S_IFMT; }

struct file *sx_file(long fd) {
  int number = (int)fd;
  if (number < 0 || number >= descriptor_count) return 0;
  return sx_descriptors[number].file;
}

/* Whether this operation fails, where failures were asked for (--max-fail). */
int sx_fails(const char *name) {
  if (!sx_failures_left) return 0;
  if (!klee_range(0, 2, name)) return 0;
  sx_failures_left--;
  return 1;
}

long sx_install(struct inode *inode, const char *path, int flags, long least) {
  for (int fd = least; fd < descriptor_count; fd++) {
    if (sx_descriptors[fd].file) continue;
    struct file *file = sx_allocate(sizeof *file);
    file->inode = inode;
    file->path = sx_copy_text(path);
    file->flags = flags & ~(O_CLOEXEC | O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY);
    file->count = 1;
    sx_descriptors[fd].file = file;
    sx_descriptors[fd].close_on_exec = (flags & O_CLOEXEC) != 0;
    if (kind(inode) == S_IFIFO) {
      if ((flags & O_ACCMODE) != O_WRONLY) inode->readers++;
      if ((flags & O_ACCMODE) != O_RDONLY) inode->writers++;
    }
    return fd;
  }
  return -EMFILE;
}

/* Contents that still lie in the root. */
void sx_load(struct inode *inode) {
  if (!inode->from_root || kind(inode) != S_IFREG) return;
  inode->data = sx_root_read(inode->from_root, &inode->size);
  inode->capacity = inode->data ? inode->size : 0;
  if (!inode->data) inode->size = 0;
  inode->from_root = 0;
}

void sx_reserve(struct inode *inode, long size) {
  if (size <= inode->capacity) return;
  long capacity = inode->capacity < 32 ? 64 : inode->capacity * 2;
  if (capacity < size) capacity = size;
  unsigned char *data = sx_allocate(capacity);
  if (inode->size) __builtin_memcpy(data, inode->data, inode->size);
  if (inode->data) sx_release(inode->data);
  inode->data = data;
  inode->capacity = capacity;
}

static long truncate_to(struct inode *inode, long size) {
  if (kind(inode) == S_IFDIR) return -EISDIR;
  if (kind(inode) != S_IFREG) return -EINVAL;
  if (size < 0) return -EINVAL;
  sx_load(inode);
  sx_reserve(inode, size);
  if (size > inode->size) __builtin_memset(inode->data + inode->size, 0, size - inode->size);
  inode->size = size;
  sx_touch(inode, 1);
  return 0;
}

/* The owner's bits count: the program owns what it is given and what it makes. */
static long permitted(struct inode *inode, long flags) {
  long wanted = flags & O_ACCMODE;
  if (!(wanted != O_WRONLY && !(inode->mode & 0444)) && !(wanted != O_RDONLY && !(inode->mode & 0222))) return 0;
  sx_tell_fixed(); /* some users may do everything */
  return -EACCES;
}

/* A name for a new file: fixed where it is symbolic. */
static const char *fixed_name(const char *path, char *out) {
  long i = 0;
  stet_left_out("a file made under a symbolic name is made under one of its possible names");
  for (; i < path_limit - 1; i++) {
    int c = klee_get_value_i32(path[i]);
    klee_assume(path[i] == (char)c);
    out[i] = (char)c;
    if (!c) break;
  }
  out[i] = 0;
  return out;
}

long sx_open(long at, const char *path, long flags, long mode) {
  char absolute[path_limit], chosen[path_limit];
  struct name *found;
  int follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
  long error = sx_resolve(at, path, follow, absolute, &found);
  if (error) return error;
  if (!found) {
    if (!(flags & O_CREAT)) return -ENOENT;
    if (sx_is_symbolic_text(path)) {
      error = sx_resolve(at, fixed_name(path, chosen), follow, absolute, &found);
      if (error) return error;
      if (found) return -EEXIST;
      path = chosen;
    }
    long n = sx_length(path);
    if (n && path[n - 1] == '/') return -EISDIR;
    struct inode *inode = sx_inode(S_IFREG | (mode & 0777 & ~sx_file_mask));
    sx_add(absolute, inode);
    return sx_install(inode, absolute, flags, 0);
  }
  struct inode *inode = found->inode;
  if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return -EEXIST;
  if (kind(inode) == S_IFLNK) return -ELOOP;
  if ((flags & O_DIRECTORY) && kind(inode) != S_IFDIR) return -ENOTDIR;
  if (kind(inode) == S_IFDIR && ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT))) return -EISDIR;
  error = permitted(inode, flags);
  if (error) return error;
  if ((flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY && kind(inode) == S_IFREG) truncate_to(inode, 0);
  return sx_install(inode, found->path, flags, 0);
}

long sx_close(long fd) {
  struct file *file = sx_file(fd);
  if (!file) return -EBADF;
  if (fd > 2 && sx_fails("close_fail")) return -EIO;
  sx_descriptors[fd].file = 0;
  if (--file->count) return 0;
  if (kind(file->inode) == S_IFIFO) {
    if ((file->flags & O_ACCMODE) != O_WRONLY) file->inode->readers--;
    if ((file->flags & O_ACCMODE) != O_RDONLY) file->inode->writers--;
  }
  if (file->listing) sx_release(file->listing);
  sx_release(file->path);
  sx_release(file);
  return 0;
}

static long read_pipe(struct file *file, unsigned char *to, long count) {
  struct inode *pipe = file->inode;
  while (!pipe->size) {
    if (!pipe->writers) return 0;
    if (file->flags & O_NONBLOCK) return -EAGAIN;
    if (!sx_yield()) stet_refuse("waiting for a pipe into which nobody writes (there is one process)");
  }
  if (count > pipe->size) count = pipe->size;
  __builtin_memcpy(to, pipe->data, count);
  pipe->size -= count;
  __builtin_memmove(pipe->data, pipe->data + count, pipe->size);
  return count;
}

/* `offset` is the file's own (0) or a given place. */
static long read_at(struct file *file, unsigned char *to, long count, long *offset) {
  struct inode *inode = file->inode;
  if ((file->flags & O_ACCMODE) == O_WRONLY) return -EBADF;
  if (kind(inode) == S_IFDIR) return -EISDIR;
  if (count < 0) return -EINVAL;
  if (!count) return 0;
  if (!sx_room(to)) return -EFAULT;
  if (inode->is_null) return 0;
  if (file->inode->is_given && sx_fails("read_fail")) return -EIO;
  if (inode->capacity == 0 && !inode->from_root && inode->is_standard_input)
    stet_left_out("standard input is read and is empty here (--sym-stdin N gives it N symbolic bytes)");
  if (!inode->is_standard_input && !inode->is_given && kind(inode) == S_IFIFO) return read_pipe(file, to, count);
  sx_load(inode);
  if (*offset >= inode->size) return 0;
  long left = inode->size - *offset;
  if (count > left) count = left;
  __builtin_memcpy(to, inode->data + *offset, count);
  *offset += count;
  return count;
}

static long write_at(struct file *file, const unsigned char *from, long count, long *offset) {
  struct inode *inode = file->inode;
  if ((file->flags & O_ACCMODE) == O_RDONLY) return -EBADF;
  if (count < 0) return -EINVAL;
  if (count && !sx_room(from)) return -EFAULT;
  if ((inode->is_given || !inode->stream) && sx_fails("write_fail")) return -EIO;
  if (inode->stream) {
    sx_output(inode->stream, from, count);
    return count;
  }
  if (inode->is_null) return count;
  if (inode->is_standard_input) return -EBADF;
  if (kind(inode) == S_IFIFO) {
    if (!inode->readers) {
      sx_send(SIGPIPE);
      return -EPIPE;
    }
    while (inode->size + count > 65536) {
      if (file->flags & O_NONBLOCK) return -EAGAIN;
      if (!sx_yield()) stet_refuse("waiting for space in a pipe from which nobody reads (there is one process)");
    }
    sx_reserve(inode, inode->size + count);
    __builtin_memcpy(inode->data + inode->size, from, count);
    inode->size += count;
    return count;
  }
  sx_load(inode);
  if (file->flags & O_APPEND) *offset = inode->size;
  if (!count) return 0;
  sx_reserve(inode, *offset + count);
  if (*offset > inode->size) __builtin_memset(inode->data + inode->size, 0, *offset - inode->size);
  __builtin_memcpy(inode->data + *offset, from, count);
  *offset += count;
  if (*offset > inode->size) inode->size = *offset;
  sx_touch(inode, 1);
  return count;
}

static long vector(struct file *file, const struct iovec *parts, long count, long *offset, int writes) {
  long total = 0;
  if (count < 0 || count > 1024) return -EINVAL;
  for (long i = 0; i < count; i++) {
    long n = parts[i].iov_len;
    if (!n) continue;
    long done = writes ? write_at(file, parts[i].iov_base, n, offset) : read_at(file, parts[i].iov_base, n, offset);
    if (done < 0) return total ? total : done;
    total += done;
    if (done < n) break;
  }
  return total;
}

static int is_seekable(struct inode *inode) {
  return kind(inode) == S_IFREG || kind(inode) == S_IFDIR || inode->is_null;
}

static long seek(struct file *file, long offset, long whence) {
  struct inode *inode = file->inode;
  if (!is_seekable(inode)) return -ESPIPE;
  long base = 0;
  if (whence == SEEK_CUR) base = file->offset;
  else if (whence == SEEK_END) base = inode->size;
  else if (whence == SEEK_DATA) return offset >= inode->size ? -ENXIO : (file->offset = offset);
  else if (whence == SEEK_HOLE) return offset >= inode->size ? -ENXIO : (file->offset = inode->size);
  else if (whence != SEEK_SET) return -EINVAL;
  if (base + offset < 0) return -EINVAL;
  return file->offset = base + offset;
}

static long duplicate(long fd, long least, int exactly, int close_on_exec) {
  struct file *file = sx_file(fd);
  if (!file) return -EBADF;
  if (least < 0 || least >= descriptor_count) return exactly ? -EBADF : -EINVAL;
  if (exactly) {
    if (sx_file(least)) sx_close(least);
  } else {
    while (least < descriptor_count && sx_descriptors[least].file) least++;
    if (least == descriptor_count) return -EMFILE;
  }
  file->count++;
  sx_descriptors[least].file = file;
  sx_descriptors[least].close_on_exec = close_on_exec;
  return least;
}

static long control(long fd, long command, long value) {
  struct file *file = sx_file(fd);
  if (!file) return -EBADF;
  switch (command) {
  case F_DUPFD: return duplicate(fd, value, 0, 0);
  case F_DUPFD_CLOEXEC: return duplicate(fd, value, 0, 1);
  case F_GETFD: return sx_descriptors[fd].close_on_exec ? FD_CLOEXEC : 0;
  case F_SETFD: sx_descriptors[fd].close_on_exec = value & FD_CLOEXEC; return 0;
  case F_GETFL: return file->flags;
  case F_SETFL: {
    int changeable = O_APPEND | O_NONBLOCK | O_ASYNC | O_DIRECT | O_NOATIME;
    file->flags = (file->flags & ~changeable) | (value & changeable);
    return 0;
  }
  case F_GETLK: ((struct flock *)value)->l_type = F_UNLCK; return 0;
  case F_SETLK: case F_SETLKW: return 0;
  case F_GETOWN_EX: case F_SETOWN_EX: return -EINVAL;
  case F_GETOWN: case F_SETOWN: return 0;
  default: return -EINVAL;
  }
}

static const char usual_streams[] = "standard output and errors are terminals, standard input is an empty pipe (--sym-stdin, --sym-stdout explore others)";

/* The C library itself asks for the size of the window to decide how it buffers, which is no difference to the program; here the program asks. */
int isatty(int fd) {
  struct file *file = sx_file(fd);
  if (!file) { errno = EBADF; return 0; }
  if (file->inode->is_usual_stream) stet_left_out(usual_streams);
  if (kind(file->inode) == S_IFCHR && !file->inode->is_null) return 1;
  errno = ENOTTY;
  return 0;
}

/* Character devices other than the null device are terminals. */
static long terminal(struct file *file, long request, void *argument) {
  struct inode *inode = file->inode;
  if (inode->is_null) return -ENOTTY;
  if (request == FIONREAD) {
    *(int *)argument = inode->size - (kind(inode) == S_IFIFO ? 0 : file->offset);
    return 0;
  }
  if (request == FIONBIO) {
    file->flags = *(int *)argument ? file->flags | O_NONBLOCK : file->flags & ~O_NONBLOCK;
    return 0;
  }
  if (kind(inode) != S_IFCHR) return -ENOTTY;
  switch (request) {
  case TIOCGWINSZ: {
    struct winsize *size = argument;
    static const char what[] = "terminals have 24 lines of 80 characters";
    size->ws_row = sx_assumed(24, 0, what);
    size->ws_col = sx_assumed(80, 1, what);
    size->ws_xpixel = size->ws_ypixel = sx_assumed(0, 2, what);
    return 0;
  }
  case TCGETS: {
    struct termios *settings = argument;
    if (inode->is_usual_stream) stet_left_out(usual_streams);
    settings->c_iflag = ICRNL | IXON;
    settings->c_oflag = OPOST | ONLCR;
    settings->c_cflag = CS8 | CREAD | B38400;
    settings->c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK;
    settings->c_line = 0;
    for (int i = 0; i < 19; i++) settings->c_cc[i] = 0;
    settings->c_cc[VEOF] = 4; settings->c_cc[VINTR] = 3; settings->c_cc[VMIN] = 1;
    return 0;
  }
  case TCSETS: case TCSETSW: case TCSETSF: case TCXONC: case TCFLSH: case TIOCSWINSZ: case TIOCSPGRP: case TIOCSCTTY: return 0;
  case TIOCGPGRP: *(int *)argument = 2; return 0;
  case TIOCGSID: *(int *)argument = 2; return 0;
  default: return -EINVAL;
  }
}

static int is_ready(struct file *file, int writes) {
  struct inode *inode = file->inode;
  if (kind(inode) != S_IFIFO || inode->is_standard_input || inode->is_given) return 1;
  return writes ? inode->size < 65536 || !inode->readers : inode->size > 0 || !inode->writers;
}

static long waited(long count, int forever, long nanoseconds) {
  if (count) return count;
  if (forever) stet_refuse("waiting for a descriptor that never becomes ready (there is one process, and other threads are not waited for)");
  sx_tick(nanoseconds);
  return 0;
}

static long poll_all(struct pollfd *list, long count, int forever, long nanoseconds) {
  long ready = 0;
  for (long i = 0; i < count; i++) {
    list[i].revents = 0;
    if (list[i].fd < 0) continue;
    struct file *file = sx_file(list[i].fd);
    if (!file) list[i].revents = POLLNVAL;
    else {
      int is_pipe = kind(file->inode) == S_IFIFO, access = file->flags & O_ACCMODE;
      if ((list[i].events & POLLIN) && !(is_pipe && access == O_WRONLY) && is_ready(file, 0)) list[i].revents |= POLLIN;
      if ((list[i].events & POLLOUT) && !(is_pipe && access == O_RDONLY) && is_ready(file, 1)) list[i].revents |= POLLOUT;
      if (kind(file->inode) == S_IFIFO && !file->inode->is_standard_input && !file->inode->writers
          && (file->flags & O_ACCMODE) == O_RDONLY) list[i].revents |= POLLHUP;
    }
    ready += list[i].revents != 0;
  }
  return waited(ready, forever, nanoseconds);
}

static long select_all(long count, fd_set *reads, fd_set *writes, fd_set *excepts, int forever, long nanoseconds) {
  long ready = 0;
  if (count < 0 || count > FD_SETSIZE) return -EINVAL;
  for (int fd = 0; fd < count; fd++) {
    int wants_read = reads && FD_ISSET(fd, reads), wants_write = writes && FD_ISSET(fd, writes);
    if (!wants_read && !wants_write) continue;
    struct file *file = sx_file(fd);
    if (!file) return -EBADF;
    if (wants_read) { if (is_ready(file, 0)) ready++; else FD_CLR(fd, reads); }
    if (wants_write) { if (is_ready(file, 1)) ready++; else FD_CLR(fd, writes); }
  }
  if (excepts) FD_ZERO(excepts);
  return waited(ready, forever, nanoseconds);
}

static long make_pipe(int *ends, long flags) {
  struct inode *inode = sx_inode(S_IFIFO | 0600);
  long first = sx_install(inode, "pipe:", O_RDONLY | flags, 0);
  if (first < 0) return first;
  long second = sx_install(inode, "pipe:", O_WRONLY | flags, 0);
  if (second < 0) { sx_close(first); return second; }
  ends[0] = first; ends[1] = second;
  return 0;
}

/* What mmap gave and munmap has not taken back wholly. */
struct mapping {
  struct mapping *next;
  unsigned char *start;
  long length, left;
};
static struct mapping *mappings;

static unsigned char *mapped(long length) {
  struct mapping *mapping = sx_allocate(sizeof *mapping);
  mapping->start = sx_allocate(length);
  mapping->length = mapping->left = length;
  mapping->next = mappings;
  mappings = mapping;
  return mapping->start;
}

static void tell_protection(long protection) {
  if ((protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE))
    stet_left_out("accesses that the protection of memory forbids are no errors here (mprotect)");
}

/* An object goes when its last part goes. */
static long unmap(unsigned char *start, long length) {
  if (length <= 0) return -EINVAL;
  length = (length + page - 1) & -(long)page;
  for (struct mapping **at = &mappings; *at; at = &(*at)->next) {
    struct mapping *mapping = *at;
    if (start < mapping->start || start >= mapping->start + mapping->length) continue;
    long room = mapping->start + mapping->length - start;
    mapping->left -= length < room ? length : room;
    if (mapping->left > 0) {
      stet_left_out("accesses to an unmapped part of a mapping are no errors here (munmap)");
      return 0;
    }
    *at = mapping->next;
    sx_release(mapping->start);
    sx_release(mapping);
    return 0;
  }
  return 0;
}

static long map(long length, long protection, long flags, long fd, long offset) {
  if (length <= 0) return -EINVAL;
  length = (length + page - 1) & -(long)page;
  if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) stet_refuse("a mapping at a given address");
  if (length > 1L << 30) {
    stet_left_out("mappings of more than 1 GiB fail here (mmap)");
    return -ENOMEM;
  }
  if (!(protection & PROT_READ)) tell_protection(protection);
  struct file *file = sx_file(fd);
  if (!(flags & MAP_ANONYMOUS)) {
    if (!file) return -EBADF;
    if (kind(file->inode) != S_IFREG) return -ENODEV;
  }
  unsigned char *memory = mapped(length);
  if (flags & MAP_ANONYMOUS) return (long)memory;
  if ((protection & PROT_WRITE) && (flags & MAP_SHARED))
    stet_left_out("writes to a shared mapping of a file do not reach the file");
  sx_load(file->inode);
  long size = file->inode->size - offset;
  if (size > length) size = length;
  if (size > 0) __builtin_memcpy(memory, file->inode->data + offset, size);
  return (long)memory;
}

static long send_file(long to, long from, long *offset, long count) {
  struct file *in = sx_file(from), *out = sx_file(to);
  if (!in || !out) return -EBADF;
  if (kind(in->inode) != S_IFREG) return -EINVAL;
  sx_load(in->inode);
  long *place = offset ? offset : &in->offset;
  long left = in->inode->size - *place;
  if (count > left) count = left;
  if (count <= 0) return 0;
  long done = write_at(out, in->inode->data + *place, count, &out->offset);
  if (done > 0) *place += done;
  return done;
}

static long span(const struct timespec *time) { return time ? time->tv_sec * 1000000000 + time->tv_nsec : 0; }

long sx_file_call(long number, long a, long b, long c, long d, long e, long f, int *known) {
  struct file *file = sx_file(a);
  long offset;
  *known = 1;
  switch (number) {
  case SYS_open: return sx_open(AT_FDCWD, (const char *)a, b, c);
  case SYS_openat: return sx_open(a, (const char *)b, c, d);
  case SYS_creat: return sx_open(AT_FDCWD, (const char *)a, O_CREAT | O_WRONLY | O_TRUNC, b);
  case SYS_close: return sx_close(a);
  case SYS_read: return file ? read_at(file, (void *)b, c, &file->offset) : -EBADF;
  case SYS_write: return file ? write_at(file, (void *)b, c, &file->offset) : -EBADF;
  case SYS_readv: return file ? vector(file, (void *)b, c, &file->offset, 0) : -EBADF;
  case SYS_writev: return file ? vector(file, (void *)b, c, &file->offset, 1) : -EBADF;
  case SYS_pread64: offset = d; return !file ? -EBADF : !is_seekable(file->inode) ? -ESPIPE : read_at(file, (void *)b, c, &offset);
  case SYS_pwrite64: offset = d; return !file ? -EBADF : !is_seekable(file->inode) ? -ESPIPE : write_at(file, (void *)b, c, &offset);
  case SYS_lseek: return file ? seek(file, b, c) : -EBADF;
  case SYS_dup: return duplicate(a, 0, 0, 0);
  case SYS_dup2: return a == b ? (file ? b : -EBADF) : duplicate(a, b, 1, 0);
  case SYS_dup3: return a == b ? -EINVAL : duplicate(a, b, 1, (c & O_CLOEXEC) != 0);
  case SYS_fcntl: return control(a, b, c);
  case SYS_ioctl: return file ? terminal(file, b, (void *)c) : -EBADF;
  case SYS_flock: case SYS_fsync: case SYS_fdatasync: case SYS_fadvise64: return file ? 0 : -EBADF;
  case SYS_ftruncate:
    if (!file) return -EBADF;
    if (file->inode->is_given && sx_fails("ftruncate_fail")) return -EIO;
    return (file->flags & O_ACCMODE) == O_RDONLY ? -EINVAL : truncate_to(file->inode, b);
  case SYS_truncate: {
    long fd = sx_open(AT_FDCWD, (const char *)a, O_WRONLY, 0);
    if (fd < 0) return fd;
    long result = truncate_to(sx_file(fd)->inode, b);
    sx_close(fd);
    return result;
  }
  case SYS_fallocate: return !file ? -EBADF : b ? -EOPNOTSUPP : c + d > file->inode->size ? truncate_to(file->inode, c + d) : 0;
  case SYS_pipe: return make_pipe((int *)a, 0);
  case SYS_pipe2: return make_pipe((int *)a, b);
  case SYS_poll: return poll_all((void *)a, b, (int)c < 0, (int)c * 1000000L);
  case SYS_ppoll: return poll_all((void *)a, b, !c, span((void *)c));
  case SYS_select: {
    struct timeval *time = (void *)e;
    return select_all(a, (void *)b, (void *)c, (void *)d, !time, time ? time->tv_sec * 1000000000 + time->tv_usec * 1000 : 0);
  }
  case SYS_pselect6: return select_all(a, (void *)b, (void *)c, (void *)d, !e, span((void *)e));
  case SYS_sendfile: return send_file(a, b, (long *)c, d);
  case SYS_copy_file_range: return d ? -EINVAL : send_file(c, a, (long *)b, e);
  case SYS_mmap: return map(b, c, d, e, f);
  case SYS_munmap: return unmap((void *)a, b);
  case SYS_mprotect: tell_protection(c); return 0;
  case SYS_madvise: case SYS_msync: case SYS_mlock: case SYS_munlock: return 0;
  case SYS_mremap: {
    if ((unsigned long)c <= sx_room((void *)a)) return a;
    unsigned char *memory = mapped((c + page - 1) & -(long)page);
    __builtin_memcpy(memory, (void *)a, b);
    unmap((void *)a, b);
    return (long)memory;
  }
  default: *known = 0; return -ENOSYS;
  }
}
