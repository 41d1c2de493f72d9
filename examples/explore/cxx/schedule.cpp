// Jobs by priority: a set with an order of its own, a deque, algorithms, a formatted report.
// With -DSEEDED an erased element is used once more.
#include <algorithm>
#include <deque>
#include <iomanip>
#include <klee/klee.h>
#include <set>
#include <sstream>
#include <string>

struct job {
  unsigned char priority;
  std::string name;
  bool operator<(const job &other) const {
    return priority != other.priority ? priority < other.priority : name < other.name;
  }
};

int main() {
  unsigned char priorities[2];
  klee_make_symbolic(priorities, sizeof priorities, "priorities");
  std::set<job> waiting;
  for (unsigned i = 0; i < 2; i++)
    waiting.insert(job{priorities[i], "job number " + std::to_string(i) + " with a long name"});
  std::deque<std::string> order;
  unsigned char last = 0;
  while (!waiting.empty()) {
    auto first = waiting.begin();
    unsigned char priority = first->priority;
#ifdef SEEDED
    waiting.erase(first);
    order.push_back(first->name);
#else
    order.push_back(first->name);
    waiting.erase(first);
#endif
    klee_assert(priority >= last);
    last = priority;
  }
  std::ostringstream report;
  std::for_each(order.begin(), order.end(), [&](const std::string &name) { report << std::setw(30) << name << '\n'; });
  std::string text = report.str();
  klee_assert(std::count(text.begin(), text.end(), '\n') == 2);
}
