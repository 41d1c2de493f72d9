/* `strerror_r` as programs have it that were compiled against glibc's headers with GNU extensions: it returns the text. Others call a
   function of the same name that returns a number (POSIX), so this is linked only where a program declares a pointer. The C library's
   header would declare that other one. */
char *strerror(int);
char *strncpy(char *, const char *, unsigned long);
int strncmp(const char *, const char *, unsigned long);

char *strerror_r(int number, char *buffer, unsigned long size) {
  char *text = strerror(number);
  if (strncmp(text, "Unknown error ", 14)) return text;
  if (!size) return buffer;
  strncpy(buffer, text, size - 1);
  buffer[size - 1] = 0;
  return buffer;
}
