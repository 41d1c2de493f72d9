/* Makes the n-th operation on a store's files fail, for tests: preloaded into a process (LD_PRELOAD), it stands between
   SQLite and the C library.

     STET_FAULT         write-eio | write-full | write-short | read-eio | read-short | sync-eio
     STET_FAULT_AT      the operation of that class that fails, counted from 1
     STET_FAULT_LASTING 1: all later ones fail, too
     STET_FAULT_FILES   part of the paths concerned
     STET_FAULT_LOG     a file told, at the end, how many operations of the class there were */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long count;

static int concerned(int fd) {
    const char *part = getenv("STET_FAULT_FILES");
    char link[64], path[4096];
    if (!part || fd < 3) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strstr(path, part) != 0;
}

/* The fault that strikes this operation of a class ("write", "read", "sync"), or nothing. */
static const char *fault(const char *class, int fd) {
    const char *kind = getenv("STET_FAULT"), *at = getenv("STET_FAULT_AT"), *lasting = getenv("STET_FAULT_LASTING");
    if (!kind || !at || strncmp(kind, class, strlen(class)) || !concerned(fd)) return 0;
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST), when = atol(at);
    int strikes = now == when || (now > when && lasting && *lasting == '1');
    return strikes ? kind : 0;
}

#define REAL(type, name, parameters) type (*real) parameters = (type (*) parameters) dlsym(RTLD_NEXT, #name)

/* Both classes: an error, or half of what was asked. */
#define TRANSFER(class, name, pointer, parameters, call)                         \
    ssize_t name parameters {                                                    \
        REAL(ssize_t, name, parameters);                                         \
        const char *kind = fault(class, fd);                                     \
        if (kind && strstr(kind, "eio")) { errno = EIO; return -1; }             \
        if (kind && strstr(kind, "full")) { errno = ENOSPC; return -1; }         \
        if (kind && size > 1) size /= 2;                                         \
        return real call;                                                        \
    }

TRANSFER("write", write, const, (int fd, const void *data, size_t size), (fd, data, size))
TRANSFER("write", pwrite, const, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
TRANSFER("write", pwrite64, const, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
TRANSFER("read", read, , (int fd, void *data, size_t size), (fd, data, size))
TRANSFER("read", pread, , (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
TRANSFER("read", pread64, , (int fd, void *data, size_t size, off64_t at), (fd, data, size, at))

#define CONTROL(class, name, parameters, call)                                   \
    int name parameters {                                                        \
        REAL(int, name, parameters);                                             \
        if (fault(class, fd)) { errno = EIO; return -1; }                        \
        return real call;                                                        \
    }

CONTROL("sync", fsync, (int fd), (fd))
CONTROL("sync", fdatasync, (int fd), (fd))
CONTROL("write", ftruncate, (int fd, off_t size), (fd, size))
CONTROL("write", ftruncate64, (int fd, off64_t size), (fd, size))

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("STET_FAULT_LOG");
    FILE *file = path ? fopen(path, "w") : 0;
    if (!file) return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}
