// Accounts in a map, transfers that roll back by exceptions.
// With -DSEEDED a failed transfer does not give the money back.
#include <klee/klee.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

class transfer_failed : public std::exception {
  std::string why;

public:
  explicit transfer_failed(std::string text) : why(std::move(text)) {}
  const char *what() const noexcept override { return why.c_str(); }
};

class bank {
  std::map<std::string, unsigned> accounts;

  struct rollback {
    unsigned &account;
    unsigned amount;
    bool armed = true;
    ~rollback() {
#ifndef SEEDED
      if (armed)
        account += amount;
#endif
    }
  };

public:
  void open(const std::string &name, unsigned money) { accounts[name] = money; }

  unsigned total() const {
    unsigned sum = 0;
    for (const auto &[name, money] : accounts)
      sum += money;
    return sum;
  }

  void transfer(const std::string &from, const std::string &to, unsigned amount) {
    unsigned &source = accounts.at(from);
    if (source < amount)
      throw transfer_failed("not enough in " + from);
    source -= amount;
    std::unique_ptr<rollback> guard(new rollback{source, amount});
    accounts.at(to) += amount;
    guard->armed = false;
  }
};

int main() {
  bank b;
  b.open("ann", 50);
  b.open("bob", 20);
  unsigned char amount;
  bool known;
  klee_make_symbolic(&amount, sizeof amount, "amount");
  klee_make_symbolic(&known, sizeof known, "known");
  klee_assume(known <= 1);
  try {
    b.transfer("ann", known ? "bob" : "eve", amount);
  } catch (const transfer_failed &) {
    klee_assert(amount > 50);
  } catch (const std::out_of_range &) {
    klee_assert(!known);
  }
  klee_assert(b.total() == 70);
}
