// What a program reads, writes and finds in folders, with the streams and file systems of the C++ library.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

int main() {
  std::ifstream in("A");
  if (!in) return 1;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ofstream out("sizes");
  for (const std::string &line : lines) out << line.size() << '\n';
  out.close();
  std::ifstream back("sizes");
  int total = 0;
  for (int size; back >> size;) total += size;
  if (fs::file_size("A") != 2 || fs::path("/x/y.tar.gz").stem() != "y.tar") return 2;
  fs::create_directory("d");
  fs::rename("sizes", "d/o");
  int files = 0;
  for (const auto &entry : fs::directory_iterator("d")) files += entry.is_regular_file();
  std::error_code error;
  if (fs::remove_all("d", error) != 2 || fs::exists("d")) return 3;
  return 10 * files + total;
}
