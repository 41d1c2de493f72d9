/* sqlite: in-memory db, one table, N concrete triggers, then K triggers whose 1-character name is
   symbolic in ('a','z') (paper: N=15, K=2; page cache 4x4400, lookaside 80x15, journal off). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"
#include <klee/klee.h>
static const char body[] = " after insert on tbl begin insert into tbl values(1,2); end;";
static void must(sqlite3 *db, const char *sql) {
  char *err = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &err) != SQLITE_OK) { printf("error: %s\n", err); exit(1); }
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 15, k = argc > 2 ? atoi(argv[2]) : 2;
  sqlite3_config(SQLITE_CONFIG_PAGECACHE, malloc(4 * 4400), 4400, 4);
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 80, 15);
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 2;
  must(db, "PRAGMA journal_mode = OFF;");
  must(db, "CREATE TABLE tbl (a int, b int)");
  char sql[128];
  must(db, "create trigger t after insert on tbl begin insert into tbl values(1,2); end;");
  for (int i = 1; i < n; i++) {
    snprintf(sql, sizeof sql, "create trigger trig%d%s", i, body);
    must(db, sql);
  }
  for (int i = 0; i < k; i++) {
    char c, name[] = "c0", q[128];
    name[1] = (char)('0' + i);
    klee_make_symbolic(&c, 1, name);
    klee_assume((c > 'a') & (c < 'z'));
    strcpy(q, "create trigger ");
    q[15] = c;
    strcpy(q + 16, body);
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, q, -1, &st, NULL) != SQLITE_OK) {
      printf("prepare: %s\n", sqlite3_errmsg(db));
      return 1;
    }
    if (sqlite3_step(st) != SQLITE_DONE) printf("step: %s\n", sqlite3_errmsg(db));
  }
  return 0;
}
