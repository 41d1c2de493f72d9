/* The native side of `fuzz-explore-library`: runs a program, compiled with `-Dmain=stet_main`, once for every line of standard input in
   a process of its own, and prints how each ended: its exit status, -1 for a fault, 128 and the number for another signal, -2 where it took too long or could not be run.
   usage: harness FOLDER SOURCE SIZE; a line has the bytes of the source and those of `y` as hexadecimal digits. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int stet_main(int, char **, char **);
static unsigned char given[16];
static int size;
enum { broken = 120 };

/* The two symbolic objects that programs make themselves. */
void klee_make_symbolic(void *at, size_t n, const char *name) { memcpy(at, name[0] == 'y' ? given + size : given, n); }

static void fail(const char *what) {
  perror(what);
  exit(2);
}

static void remove_files(void) {
  DIR *folder = opendir(".");
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (unlink(entry->d_name) && rmdir(entry->d_name)) {
      if (chdir(entry->d_name)) fail(entry->d_name);
      remove_files();
      if (chdir("..") || rmdir(entry->d_name)) fail(entry->d_name);
    }
  }
  closedir(folder);
}

/* As the explored program finds it: an ordinary user, terminals for output, an empty environment. */
static void child(char source, const char *terminal) {
  int input = source == 'I' ? memfd_create("input", 0) : open("/dev/null", O_RDONLY), output = open(terminal, O_WRONLY | O_NOCTTY);
  if (source == 'I' && write(input, given, size) != size) _exit(broken);
  lseek(input, 0, SEEK_SET);
  dup2(input, 0), dup2(output, 1), dup2(output, 2);
  close_range(3, ~0u, 0);
  struct rlimit time = { 2, 2 }, none = { 0, 0 };
  setrlimit(RLIMIT_CPU, &time), setrlimit(RLIMIT_CORE, &none);
  if (geteuid() == 0 && (setgroups(0, 0) || setgid(1000) || setuid(1000))) _exit(broken);
  signal(SIGALRM, SIG_DFL);
  umask(022);
  clearenv();
  char text[16] = { 0 }, *arguments[3] = { "program", source == 'A' ? text : 0, 0 };
  memcpy(text, given, size);
  if (source == 'E') setenv("IN", text, 1);
  exit(stet_main(source == 'A' ? 2 : 1, arguments, environ));
}

/* The signals that stand for faults are errors to the explorer. */
static int end_of(int status) {
  static const int faults[] = { SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXFSZ, SIGSYS };
  if (WIFEXITED(status)) return WEXITSTATUS(status) == broken ? -2 : WEXITSTATUS(status);
  int number = WTERMSIG(status);
  if (number == SIGXCPU || number == SIGKILL) return -2;
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) if (faults[i] == number) return -1;
  return 128 + number;
}

static pid_t running;
static void stop(int number) { kill(running, SIGKILL); }

int main(int count, char **words) {
  if (count < 4) return 2;
  char line[64], source = words[2][0];
  size = atoi(words[3]);
  if (chdir(words[1]) || chmod(".", 0777)) fail(words[1]);
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (master < 0 || grantpt(master) || unlockpt(master)) fail("terminal");
  char *terminal = strdup(ptsname(master));
  chmod(terminal, 0666);
  signal(SIGALRM, stop);
  FILE *lines = fdopen(dup(0), "r"); /* the program finds `stdin` unread */
  while (lines && fgets(line, sizeof line, lines)) {
    for (int i = 0; i < size + 1; i++) sscanf(line + 2 * i, "%2hhx", &given[i]);
    if (source == 'F') {
      int file = open("A", O_CREAT | O_TRUNC | O_WRONLY, 0644);
      if (write(file, given, size) != size || (geteuid() == 0 && fchown(file, 1000, 1000))) fail("A");
      close(file);
    }
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) child(source, terminal);
    int status;
    char lost[4096];
    running = process;
    alarm(5);
    while (waitpid(process, &status, 0) < 0) {}
    alarm(0);
    while (read(master, lost, sizeof lost) > 0) {}
    printf("%d\n", end_of(status));
    remove_files();
  }
  return 0;
}
