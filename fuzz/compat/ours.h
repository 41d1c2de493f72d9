/* What the tested files need, and other names for their entry points: glibc has them too. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define __posix_getopt our_posix_getopt
#define getopt our_getopt
#define getopt_long our_getopt_long
#define getopt_long_only our_getopt_long_only
#define optarg our_optarg
#define optind our_optind
#define opterr our_opterr
#define optopt our_optopt
#define argp_program_version our_argp_program_version
#define argp_program_bug_address our_argp_program_bug_address
#define argp_program_version_hook our_argp_program_version_hook
#define argp_err_exit_status our_argp_err_exit_status
#define argp_help our_argp_help
#define argp_state_help our_argp_state_help
#define argp_usage our_argp_usage
#define argp_error our_argp_error
#define argp_failure our_argp_failure
#define argp_parse our_argp_parse
#define regcomp our_regcomp
#define regexec our_regexec
#define regerror our_regerror
#define regfree our_regfree
#define re_syntax_options our_re_syntax_options
#define re_set_syntax our_re_set_syntax
#define re_compile_pattern our_re_compile_pattern
#define re_compile_fastmap our_re_compile_fastmap
#define re_set_registers our_re_set_registers
#define re_search our_re_search
#define re_match our_re_match
#define re_search_2 our_re_search_2
#define re_match_2 our_re_match_2
