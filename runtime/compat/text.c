/* Texts as glibc compares and writes them. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

/* Numbers inside names compare by their value; numbers that begin with zero compare as if behind a decimal point, so that more zeros
   come first. Results are glibc's, not only their signs. */
int strverscmp(const char *left_text, const char *right_text) {
  const unsigned char *left = (const void *)left_text, *right = (const void *)right_text;
  size_t at = 0, number = 0;
  int only_zeros = 1;
  for (; left[at] == right[at]; at++) {
    if (!left[at]) return 0;
    if (!is_digit(left[at])) {
      number = at + 1;
      only_zeros = 1;
    } else if (left[at] != '0') {
      only_zeros = 0;
    }
  }
  int left_digit = is_digit(left[at]), right_digit = is_digit(right[at]);
  int left_whole = is_digit(left[number]) && left[number] != '0', right_whole = is_digit(right[number]) && right[number] != '0';
  if (left_whole && right_whole) {
    size_t end = at;
    for (; is_digit(left[end]); end++)
      if (!is_digit(right[end])) return 1;
    if (is_digit(right[end])) return -1;
  } else if (only_zeros && number < at && left_digit != right_digit) {
    /* one is longer, by a zero or by another digit behind the zeros */
    return left_digit ? -1 : 1;
  }
  return left[at] - right[at];
}

static const char *const error_texts[] = {
  "Success", "Operation not permitted", "No such file or directory", "No such process", "Interrupted system call",
  "Input/output error", "No such device or address", "Argument list too long", "Exec format error",
  "Bad file descriptor", "No child processes", "Resource temporarily unavailable", "Cannot allocate memory",
  "Permission denied", "Bad address", "Block device required", "Device or resource busy", "File exists",
  "Invalid cross-device link", "No such device", "Not a directory", "Is a directory", "Invalid argument",
  "Too many open files in system", "Too many open files", "Inappropriate ioctl for device", "Text file busy",
  "File too large", "No space left on device", "Illegal seek", "Read-only file system", "Too many links",
  "Broken pipe", "Numerical argument out of domain", "Numerical result out of range", "Resource deadlock avoided",
  "File name too long", "No locks available", "Function not implemented", "Directory not empty",
  "Too many levels of symbolic links", 0, "No message of desired type", "Identifier removed",
  "Channel number out of range", "Level 2 not synchronized", "Level 3 halted", "Level 3 reset",
  "Link number out of range", "Protocol driver not attached", "No CSI structure available", "Level 2 halted",
  "Invalid exchange", "Invalid request descriptor", "Exchange full", "No anode", "Invalid request code",
  "Invalid slot", 0, "Bad font file format", "Device not a stream", "No data available", "Timer expired",
  "Out of streams resources", "Machine is not on the network", "Package not installed", "Object is remote",
  "Link has been severed", "Advertise error", "Srmount error", "Communication error on send", "Protocol error",
  "Multihop attempted", "RFS specific error", "Bad message", "Value too large for defined data type",
  "Name not unique on network", "File descriptor in bad state", "Remote address changed",
  "Can not access a needed shared library", "Accessing a corrupted shared library", ".lib section in a.out corrupted",
  "Attempting to link in too many shared libraries", "Cannot exec a shared library directly",
  "Invalid or incomplete multibyte or wide character", "Interrupted system call should be restarted",
  "Streams pipe error", "Too many users", "Socket operation on non-socket", "Destination address required",
  "Message too long", "Protocol wrong type for socket", "Protocol not available", "Protocol not supported",
  "Socket type not supported", "Operation not supported", "Protocol family not supported",
  "Address family not supported by protocol", "Address already in use", "Cannot assign requested address",
  "Network is down", "Network is unreachable", "Network dropped connection on reset",
  "Software caused connection abort", "Connection reset by peer", "No buffer space available",
  "Transport endpoint is already connected", "Transport endpoint is not connected",
  "Cannot send after transport endpoint shutdown", "Too many references: cannot splice", "Connection timed out",
  "Connection refused", "Host is down", "No route to host", "Operation already in progress",
  "Operation now in progress", "Stale file handle", "Structure needs cleaning", "Not a XENIX named type file",
  "No XENIX semaphores available", "Is a named type file", "Remote I/O error", "Disk quota exceeded",
  "No medium found", "Wrong medium type", "Operation canceled", "Required key not available", "Key has expired",
  "Key has been revoked", "Key was rejected by service", "Owner died", "State not recoverable",
  "Operation not possible due to RF-kill", "Memory page has hardware error",
};

char *strerror(int number) {
  static char unknown[40];
  unsigned count = sizeof(error_texts) / sizeof(*error_texts);
  if ((unsigned)number < count && error_texts[number]) return (char *)error_texts[number];
  snprintf(unknown, sizeof(unknown), "Unknown error %d", number);
  return unknown;
}

char *strerror_l(int number, locale_t locale) { return strerror(number); }
