//! Threads of explored programs take turns, in C, C++ and Rust; and whatever the model of the system does not have is told,
//! never answered with an error code alone.

use super::languages::rust_sandbox;
use super::musl::runtime;
use stet_tests::{Outcome, Sandbox};

fn explore(file: &str, program: &str) -> Option<Outcome> {
    let sandbox = match file.ends_with(".rs") {
        true => rust_sandbox()?,
        false => Sandbox::new().variable("STET_RUNTIME", &runtime()?),
    };
    let sandbox = sandbox.file(file, program);
    let options = ["--program-output", "--format", "concise"];
    Some(sandbox.run(&[&["explore", file], &options[..]].concat()))
}

/// The program ends without an error, and the exploration says which schedules it saw.
#[track_caller]
fn ends_well(file: &str, program: &str, output: &str) {
    let Some(outcome) = explore(file, program) else {
        return;
    };
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stdout.contains(output), "{outcome:?}");
    assert!(outcome.stdout.contains("0 unsupported"), "{outcome:?}");
    let told = "threads take turns where they wait, yield or end";
    assert!(outcome.stdout.contains(told), "{outcome:?}");
}

#[test]
fn threads_share_memory_and_have_variables_of_their_own() {
    let program = r#"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int queue[4], waiting, sum, destroyed;
static __thread int own = 5;
static void destroy(void *p) { destroyed++; }
static void *produce(void *p) {
  pthread_setspecific(key, p);
  for (int i = 1; i <= 10; i++) {
    pthread_mutex_lock(&lock);
    while (waiting == 4) pthread_cond_wait(&changed, &lock);
    queue[waiting++] = i;
    own++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  errno = 7;
  return (void *)(long)own;
}
static void *consume(void *p) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    while (!waiting) pthread_cond_wait(&changed, &lock);
    sum += queue[--waiting];
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  pthread_exit((void *)42);
}
int main(void) {
  pthread_t a, b, c;
  void *of_a, *of_b;
  pthread_key_create(&key, destroy);
  errno = 3;
  own = 100;
  pthread_create(&a, 0, produce, &a);
  pthread_create(&b, 0, consume, 0);
  pthread_create(&c, 0, produce, &c);
  pthread_join(a, &of_a);
  pthread_join(b, &of_b);
  pthread_join(c, 0);
  printf("%d %d %d %d %ld %ld\n", sum, destroyed, own, errno, (long)of_a, (long)of_b);
  return 0;
}
"#;
    ends_well("p.c", program, "110 2 100 3 15 42\n");
}

#[test]
fn threads_of_c11_semaphores_and_pipes() {
    let program = r#"
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>
static sem_t ready;
static int ends[2];
static int write_later(void *p) { sem_wait(&ready); return write(ends[1], "pipe", 4) - 1; }
int main(void) {
  thrd_t thread;
  char text[5] = "";
  int result;
  sem_init(&ready, 0, 0);
  pipe(ends);
  thrd_create(&thread, write_later, 0);
  sem_post(&ready);
  read(ends[0], text, 4);
  thrd_join(thread, &result);
  printf("%s %d\n", text, result);
  return 0;
}
"#;
    ends_well("p.c", program, "pipe 3\n");
}

#[test]
fn threads_futures_and_exceptions_of_cxx() {
    let program = r#"
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static int destroyed;
struct Counted { ~Counted() { destroyed++; } int value = 1; };
thread_local Counted counted;
int main() {
  std::mutex lock;
  std::vector<std::thread> threads;
  int total = 0;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] { std::lock_guard<std::mutex> held(lock); total += i * counted.value; });
  for (auto &thread : threads) thread.join();
  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("later"); });
  try { failing.get(); } catch (std::exception &e) { std::cout << e.what() << ' ' << total << ' ' << destroyed << '\n'; }
}
"#;
    ends_well("p.cpp", program, "later 6 4\n");
}

#[test]
fn threads_and_channels_of_rust() {
    let program = r#"
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
fn main() {
    let total = Arc::new(Mutex::new(0));
    let started = (0..3).map(|i| {
        let total = total.clone();
        thread::spawn(move || { *total.lock().unwrap() += i; i * 2 })
    });
    let started: Vec<_> = started.collect();
    let sum: i32 = started.into_iter().map(|thread| thread.join().unwrap()).sum();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| { scope.spawn(move || for i in 0..5 { sender.send(i).unwrap() }); });
    println!("{sum} {} {}", total.lock().unwrap(), receiver.iter().count());
}
"#;
    ends_well("p.rs", program, "6 3 5\n");
}

#[test]
fn errors_in_threads_and_deadlocks_are_found() {
    let race = r#"
#include <assert.h>
#include <pthread.h>
static int done;
static void *finish(void *p) { done = 1; return p; }
int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, finish, 0)) return 0;
  pthread_join(thread, 0);
  assert(!done);
  return 0;
}
"#;
    let crossed = r#"
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *p) { pthread_mutex_lock(&b); sched_yield(); pthread_mutex_lock(&a); return p; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  pthread_mutex_lock(&a);
  sched_yield();
  pthread_mutex_lock(&b);
  return 0;
}
"#;
    let dangling = r#"
#include <pthread.h>
static void *give(void *p) { int local = 1; *(int **)p = &local; return 0; }
int main(void) {
  pthread_t thread;
  int *given;
  pthread_create(&thread, 0, give, &given);
  pthread_join(thread, 0);
  return *given;
}
"#;
    let cases = [
        (race, "assertion failed"),
        (crossed, "deadlock: every thread waits for another one"),
        (dangling, "use-after-free"),
    ];
    for (program, expected) in cases {
        let Some(outcome) = explore("p.c", program) else {
            return;
        };
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.stdout.contains(expected), "{outcome:?}");
    }
}

/// Each of these depends on the system around the program: a run that made up an answer and called itself complete
/// would be wrong.
#[test]
fn what_the_model_does_not_have_is_never_complete() {
    let calls = [
        "system(\"true\") != 0",
        "popen(\"true\", \"r\") == 0",
        "dlopen(\"libm.so.6\", 1) == 0",
        "dlsym(0, \"malloc\") == 0",
        "fork() < 0",
        "getpid() == 2",
        "getuid() == 1000",
        "socket(2, 1, 0) < 0",
        "sysconf(84) == 1",
        "time(0) == 0",
        "clock() == 0",
        "epoll_create1(0) < 0",
        "eventfd(0, 0) < 0",
        "inotify_init() < 0",
        "shmget(1, 1, 0) < 0",
        "syscall(39) == 2",
        "getaddrinfo(\"localhost\", 0, 0, &p) != 0",
        "getpwnam(\"root\") == 0",
        "open(\"/etc/hostname\", 0) < 0",
        "getchar() < 0",
        "getrandom(&p, 8, 0) == 8",
    ];
    let header = "#include <dlfcn.h>\n#include <fcntl.h>\n#include <netdb.h>\n#include <pwd.h>\n#include <stdio.h>\n\
        #include <stdlib.h>\n#include <sys/epoll.h>\n#include <sys/eventfd.h>\n#include <sys/inotify.h>\n#include <sys/random.h>\n\
        #include <sys/shm.h>\n#include <sys/socket.h>\n#include <time.h>\n#include <unistd.h>\n";
    for call in calls {
        let program = format!(
            "#define _GNU_SOURCE\n{header}int main(void) {{ void *p = 0; return {call}; }}\n"
        );
        let Some(outcome) = explore("p.c", &program) else {
            return;
        };
        assert_eq!(outcome.code, Some(3), "{call}: {outcome:?}");
        assert!(outcome.stdout.contains("left out"), "{call}: {outcome:?}");
    }
}
