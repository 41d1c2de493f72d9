/* Every type of a list thrown to a handler for every other: which catches, and what it sees. */
#include <cstddef>
#include <cstdio>
#include <type_traits>

struct first { int a = 1; };
struct second { int b = 2; };
struct both : first, second { int c = 3; };
struct single : first { int d = 4; };
struct hidden : private first { int e = 5; };
struct left : first { int f = 6; };
struct twice : both, left { int g = 7; };
struct shared : virtual second { int h = 8; };
struct low : first, shared { int i = 9; };
struct table { virtual ~table() = default; int j = 10; };
struct derived : table { int k = 11; };
struct aside : first, derived { int l = 12; };
enum plain { zero, one };
enum class scoped { two = 2 };
int function(int x) { return x; }
int quiet(int x) noexcept { return x; }

/* What a handler sees, so that the right part has to be found. */
int value(const volatile first *p) { return p ? p->a : -1; }
int value(const volatile second *p) { return p ? p->b : -1; }
int value(const volatile both *p) { return p ? p->c : -1; }
int value(const volatile table *p) { return p ? p->j : -1; }
int value(const volatile derived *p) { return p ? p->k : -1; }
int value(const volatile void *p) { return p != nullptr; }
int value(const first &x) { return x.a; }
int value(const second &x) { return x.b; }
int value(const table &x) { return x.j; }
int value(const derived &x) { return x.k; }
int value(int (*f)(int)) { return f ? f(21) : -1; }
int value(const both &x) { return x.c; }
int value(int x) { return x; }
int value(long x) { return x; }
int value(double x) { return x; }
int value(scoped x) { return 100 + static_cast<int>(x); }
int value(std::nullptr_t) { return 77; }
int value(const int first::*m) { return m == nullptr ? -2 : 55; }

template <class H, class T> void thrown(T x) {
  if (std::is_null_pointer_v<T> && std::is_member_pointer_v<H>) return; // refused by name
  try {
    throw x;
  } catch (H caught) {
    std::printf("%d ", value(caught));
  } catch (...) {
    std::printf(". ");
  }
}

template <class T> void throw_to_all(const char *name, T x) {
  std::printf("%s: ", name);
  thrown<int>(x); thrown<long>(x); thrown<double>(x); thrown<plain>(x); thrown<scoped>(x); thrown<std::nullptr_t>(x); thrown<const long &>(x);
  thrown<first>(x); thrown<const first &>(x); thrown<second &>(x); thrown<both &>(x); thrown<table &>(x); thrown<const derived &>(x);
  thrown<first *>(x); thrown<const first *>(x); thrown<volatile first *>(x); thrown<const volatile first *>(x); thrown<second *>(x); thrown<const second *>(x);
  thrown<both *>(x); thrown<table *>(x); thrown<const derived *>(x); thrown<first *const &>(x);
  thrown<int *>(x); thrown<const int *>(x); thrown<int **>(x); thrown<const int **>(x); thrown<const int *const *>(x); thrown<int *const *>(x); thrown<char *>(x);
  thrown<const char *>(x); thrown<void *>(x); thrown<const void *>(x); thrown<volatile void *>(x); thrown<void **>(x);
  thrown<int (*)(int)>(x); thrown<int (*)(int) noexcept>(x); thrown<int first::*>(x); thrown<const int first::*>(x);
  std::printf("\n");
}

int main() {
  static int number = 3;
  static int *pointer = &number;
  static const int *to_const = &number;
  static void *anything = &number;
  static char text[] = "text";
  static first a; static second b; static both c; static single d; static hidden e; static twice g; static low i; static derived k; static aside l;
  throw_to_all("int", 3); throw_to_all("long", 4L); throw_to_all("short", (short)5); throw_to_all("double", 1.5); throw_to_all("float", 1.5f);
  throw_to_all("plain", one); throw_to_all("scoped", scoped::two); throw_to_all("nullptr", nullptr);
  throw_to_all("first", a); throw_to_all("second", b); throw_to_all("both", c); throw_to_all("single", d); throw_to_all("hidden", e); throw_to_all("twice", g);
  throw_to_all("low", i); throw_to_all("derived", k); throw_to_all("aside", l);
  throw_to_all("first *", &a); throw_to_all("const first *", (const first *)&a); throw_to_all("volatile first *", (volatile first *)&a);
  throw_to_all("second *", &b); throw_to_all("both *", &c); throw_to_all("const both *", (const both *)&c); throw_to_all("null both *", (both *)nullptr);
  throw_to_all("single *", &d); throw_to_all("hidden *", &e); throw_to_all("twice *", &g); throw_to_all("low *", &i); throw_to_all("derived *", &k);
  throw_to_all("aside *", &l); throw_to_all("const aside *", (const aside *)&l);
  throw_to_all("int *", &number); throw_to_all("const int *", to_const); throw_to_all("int **", &pointer); throw_to_all("const int **", &to_const);
  throw_to_all("int *const *", (int *const *)&pointer); throw_to_all("const int *const *", (const int *const *)&to_const);
  throw_to_all("char *", &text[0]); throw_to_all("const char *", "text"); throw_to_all("void *", anything); throw_to_all("const void *", (const void *)anything);
  throw_to_all("void **", &anything); throw_to_all("function", &function); throw_to_all("quiet", &quiet); throw_to_all("member", (int first::*)&first::a);
  throw_to_all("long long", 5LL); throw_to_all("unsigned", 6u); throw_to_all("bool", true); throw_to_all("wchar_t *", L"w");
  return 0;
}
