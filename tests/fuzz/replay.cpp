// The fuzz targets without a fuzzer, for any compiler:
//   mtfc_fuzz_replay            runs every file of the corpus and every seed, seeds also damaged
//   mtfc_fuzz_replay FILE...    runs inputs that a fuzzer kept: .../TARGET/NAME
//   mtfc_fuzz_replay --seeds D  writes the seeds as D/TARGET/NAME
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "fuzz/seeds.h"
#include "fuzz/target.h"

namespace mtfc::fuzz {

std::vector<Seed> seeds() {
  std::vector<Seed> all;
  add_model_seeds(all);
  add_file_seeds(all);
  add_line_seeds(all);
  return all;
}

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*run)(std::string_view);
};
constexpr Target targets[] = {
#define MTFC_FUZZ_TARGET(name) {#name, name},
#include "fuzz/targets.def"
#undef MTFC_FUZZ_TARGET
};

/// What runs is named before: a sanitizer, or status 70, ends the process.
void run(const std::string& target, const std::string& name, std::string_view input) {
  const auto found = std::find_if(std::begin(targets), std::end(targets),
                                  [&](const Target& t) { return t.name == target; });
  if (found == std::end(targets)) wrong("no target is called " + target);
  std::printf("%s/%s\n", target.c_str(), name.c_str());
  std::fflush(stdout);
  found->run(input);
}

void run_file(const fs::path& path) {
  run(path.parent_path().filename().string(), path.filename().string(), file_text(path));
}

/// A byte is changed, or some are taken away, doubled or cut off.
std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size()), size = 1 + below(8);
  switch (random() % 5) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.erase(at, size);
    case 2:
      return text.insert(at, text.substr(below(text.size()), size));
    default:
      if (!text.empty()) text[at] = "\0\n\t \"{}[]09-\xff,#="[random() % 16];
      return text;
  }
}

int run_all() {
  const auto begin = std::chrono::steady_clock::now();
  int count = 0;
  std::error_code none;  // while nothing was ever found
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(MTFC_SOURCE_DIR) / "tests/fuzz/corpus", none)) {
    if (!entry.is_regular_file()) continue;
    run_file(entry.path());
    ++count;
  }
  std::mt19937 random(7);
  for (const Seed& seed : seeds()) {
    run(seed.target, seed.name, seed.input);
    for (int i = 0; i < 5; ++i)
      run(seed.target, seed.name + ", damaged", damaged(seed.input, random));
    count += 6;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%d inputs, none wrong, %.1f s\n", count, took.count());
  return 0;
}

int write_seeds(const fs::path& folder) {
  for (const Seed& seed : seeds()) {
    fs::create_directories(folder / seed.target);
    std::ofstream(folder / seed.target / seed.name, std::ios::binary) << seed.input;
  }
  return 0;
}

}  // namespace

int replay(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--seeds") == 0) return write_seeds(argv[2]);
  if (argc == 1) return run_all();
  for (int i = 1; i < argc; ++i) run_file(argv[i]);
  return 0;
}

}  // namespace mtfc::fuzz

int main(int argc, char** argv) { return mtfc::fuzz::replay(argc, argv); }
