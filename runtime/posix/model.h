/* The system behind musl's one system-call function, in C, explored with the program: its state is program memory and
   forks with it. Every function returns what the kernel returns: a value, or -errno. */
#ifndef STET_POSIX_MODEL
#define STET_POSIX_MODEL
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <klee/klee.h>

/* The engine's part: what memory cannot express. */
void sx_output(long stream, const void *bytes, size_t size);
void sx_exit(int status) __attribute__((noreturn));
void sx_killed(int signal) __attribute__((noreturn));
void stet_refuse(const char *what) __attribute__((noreturn));
void stet_left_out(const char *what);
/* A number that another machine would have another one for: the run is incomplete where it decides something, and only there. Equal
   keys stand for equal numbers. */
long sx_assumed(long value, long key, const char *what);
/* Call stacks: a new one, another one that goes on, another one instead of this one. */
void sx_stack_new(long slot, void (*entry)(void *), void *argument);
void sx_stack_switch(long slot);
void sx_stack_end(long slot) __attribute__((noreturn));
size_t sx_room(const void *address); /* bytes from address to the end of its object; 0 where there is none */
void *sx_allocate(size_t size);      /* zeroed */
void sx_release(void *object);
/* The read-only root: mode, size, modification time; contents; names, each ended by 0; the target of a link. */
int sx_root_stat(const char *path, long facts[3]);
void *sx_root_read(const char *path, long *size);
void *sx_root_list(const char *path, long *size);
void *sx_root_link(const char *path, long *size);

enum { descriptor_count = 256, path_limit = 4096, block_size = 4096, user = 1000, page = 4096, main_thread = 2 };

/* A file, directory, device, link or pipe, whatever its names. */
struct inode {
  unsigned mode, links, owner;
  unsigned long number;
  long size, capacity;
  unsigned char *data;        /* contents; target of a link */
  struct timespec accessed, modified, changed;
  const char *from_root;      /* contents are still to be read from the root at this path */
  long stream;                /* 1 or 2: output goes to the user; 0: not */
  int readers, writers;       /* of a pipe */
  int is_standard_input, is_null, is_given;
  int is_usual_stream;        /* a standard stream that nobody said anything about */
  int times_given;            /* bits: the times of access and modification were set or are of the root */
};

/* A name: absolute, without `.` and `..` and links. A removed name of the root stays, with no inode. */
struct name {
  struct name *next;
  char *path;
  struct inode *inode;
};

/* An open file, shared by duplicated descriptors. */
struct file {
  struct inode *inode;
  char *path;
  long offset;
  int flags, count;
  char *listing;              /* of a directory being read */
  long listing_size;
};

struct descriptor {
  struct file *file;
  int close_on_exec;
};

extern struct descriptor sx_descriptors[descriptor_count];
extern struct name *sx_names;
extern char sx_directory[path_limit];
extern const char sx_first_folder[];
extern unsigned sx_failures_left;

/* path.c */
long sx_resolve(long at, const char *path, int follow, char *out, struct name **found);
struct name *sx_find(const char *path);
struct name *sx_add(const char *path, struct inode *inode);
struct inode *sx_inode(unsigned mode);
int sx_is_symbolic_text(const char *text);
long sx_length(const char *text);
char *sx_copy_text(const char *text);
void sx_touch(struct inode *inode, int written);
/* files.c */
long sx_open(long at, const char *path, long flags, long mode);
long sx_install(struct inode *inode, const char *path, int flags, long least);
struct file *sx_file(long fd);
long sx_close(long fd);
void sx_load(struct inode *inode);
void sx_reserve(struct inode *inode, long size);
int sx_fails(const char *name);
long sx_file_call(long number, long a, long b, long c, long d, long e, long f, int *known);
/* names.c */
long sx_name_call(long number, long a, long b, long c, long d, long e, int *known);
/* process.c */
extern struct timespec sx_now;
extern long sx_file_mask;
void sx_tell_fixed(void);
void sx_tick(long nanoseconds);
long sx_process_call(long number, long a, long b, long c, long d, long e, long f, int *known);
/* signals.c */
long sx_signal_call(long number, long a, long b, long c, long d, int *known);
long sx_send(int number);
/* threads.c */
extern int sx_may_be_woken;
int sx_yield(void);
int sx_thread_number(void);
int sx_thread_new(void (*entry)(void *), void *argument, void *library);
void sx_thread_end(void) __attribute__((noreturn));
long sx_futex(volatile int *address, long operation, int value, long limit, volatile int *elsewhere, unsigned mask);
/* setup.c */
void sx_set_up(int *argc, char ***argv, char ***envp);
#endif
