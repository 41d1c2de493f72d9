// Reverse Polish notation: a vector as the stack, a stream for words, exceptions for bad input.
// With -DSEEDED an operator on an empty stack reads before its beginning.
#include <iostream>
#include <klee/klee.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

static int pop(std::vector<int> &stack) {
#ifndef SEEDED
  if (stack.empty())
    throw bad_input("too few operands");
#endif
  int top = stack.back();
  stack.pop_back();
  return top;
}

static int evaluate(const std::string &text) {
  std::istringstream words(text);
  std::vector<int> stack;
  std::string word;
  while (words >> word) {
    if (word == "+" || word == "-") {
      int right = pop(stack), left = pop(stack);
      stack.push_back(word == "+" ? left + right : left - right);
    } else if (word[0] >= '0' && word[0] <= '9') {
      stack.push_back(word[0] - '0');
    } else {
      throw bad_input("unknown word");
    }
  }
  if (stack.size() != 1)
    throw bad_input("not one result");
  return stack[0];
}

int main() {
  char input[4];
  klee_make_symbolic(input, sizeof input, "input");
  input[3] = 0;
  try {
    int value = evaluate(input);
    klee_assert(value >= 0);
    std::cout << "value" << std::endl;
  } catch (const bad_input &error) {
    std::cout << error.what() << '\n';
  }
}
