#include "ours.h"
#include "../../runtime/compat/getopt.c"
#include "../../runtime/compat/argp.c"
