/* Parts of the C++ runtime that throw exceptions of the standard library, and the handlers that a program can set. The rest of the
   runtime (throwing, catching, casts, allocation) is the engine's. */
#include <exception>
#include <new>
#include <typeinfo>

namespace __cxxabiv1 {
/* Where this class has its first function, compilers put the descriptions of the fundamental types and of pointers to them. */
class __fundamental_type_info : public std::type_info {
public:
  __fundamental_type_info() : std::type_info("") {}
  virtual ~__fundamental_type_info();
};
__fundamental_type_info::~__fundamental_type_info() {}
}

extern "C" {
void __cxa_bad_cast() { throw std::bad_cast(); }
void __cxa_bad_typeid() { throw std::bad_typeid(); }
void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

/* Called by the engine where `new` gets no memory. */
void sx_bad_alloc() {
  if (std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

void sx_terminated() __attribute__((noreturn));
}

namespace std {
void __throw_bad_alloc() { throw bad_alloc(); }

static new_handler without_memory;

new_handler set_new_handler(new_handler handler) noexcept {
  new_handler before = without_memory;
  without_memory = handler;
  return before;
}

new_handler get_new_handler() noexcept { return without_memory; }

static terminate_handler on_terminate;

terminate_handler set_terminate(terminate_handler handler) noexcept {
  terminate_handler before = on_terminate;
  on_terminate = handler;
  return before;
}

terminate_handler get_terminate() noexcept { return on_terminate; }

void terminate() noexcept {
  if (on_terminate) on_terminate();
  sx_terminated();
}
}
