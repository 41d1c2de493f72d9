/* `basename` as programs have it that were compiled against glibc's headers: the last part as it is written, which is empty behind a
   slash. The function of POSIX has another name there; in musl it is the only one. */
char *strrchr(const char *, int);
unsigned long strlen(const char *);

char *basename(const char *path) {
  char *slash = strrchr(path, '/');
  return slash ? slash + 1 : (char *)path;
}

char *__xpg_basename(char *path) {
  if (!path || !*path) return ".";
  unsigned long end = strlen(path);
  for (; end > 1 && path[end - 1] == '/'; end--) path[end - 1] = 0;
  if (end == 1) return path;
  char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}
