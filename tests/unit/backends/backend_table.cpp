// The table of backends: rows that the command line can rely on.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "backends/backends.h"
#include "lab.h"

namespace backends_backend_table_test {

using namespace lab;
using backends::Backend;

TEST_CASE("backends are found by name") {
  for (const Backend& row : backends::backends()) CHECK(backends::find_backend(row.name) == &row);
  CHECK(backends::find_backend("") == nullptr);
  CHECK(backends::find_backend("mpi ") == nullptr);
}

TEST_CASE("rows of the table of backends are in order, and arguments belong to one") {
  std::vector<std::string> names;
  std::set<std::string> arguments;
  for (const Backend& row : backends::backends()) {
    names.emplace_back(row.name);
    CHECK(std::string(row.summary).size() > 10);
    for (const backends::BackendArgument& argument : row.arguments) {
      CHECK(arguments.insert(argument.name).second);
      CHECK(backends::backend_of_argument(argument.name) == &row);
      CHECK_FALSE(argument.is_valid(""));
    }
  }
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(backends::backend_of_argument("x") == nullptr);
}

TEST_CASE("a backend emits files with relative paths, one if it says so") {
  Lab lab({{"rows", 2}});
  const DimId b = lab.dim("b", 8);
  lab.fetch(lab.feed(lab.type({b}, {{b, {axis(0)}}})));
  for (const Backend& row : backends::backends()) {
    INFO(row.name);
    const auto files = row.emit({Compilation(lab.module), SourceMap{}});
    CHECK(row.is_one_file == (files.size() == 1));
    std::set<std::string> paths;
    for (const backends::EmittedFile& file : files) {
      CHECK(paths.insert(file.path).second);
      CHECK((!file.path.empty() && file.path[0] != '/'));
      CHECK(file.path.find("..") == std::string::npos);
      CHECK_FALSE(file.text.empty());
    }
  }
}

TEST_CASE("processors are placed on the devices in order") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const Compilation made(lab.module);
  const auto main_of = [&](const backends::Emission& emission) {
    for (const backends::EmittedFile& file : backends::placement().emit(emission))
      if (file.path == "main.cpp") return file.text;
    return std::string();
  };
  const std::string own = main_of({made, SourceMap{}});
  CHECK(own.find("{\"cpu:3\"},  // rows=1, cols=1\n") != std::string::npos);
  const std::string shared =
      main_of({made, SourceMap{}, nullptr, nullptr, {{"devices", "cpu:7,cpu:9"}}});
  CHECK(shared.find("{\"cpu:7\"},  // rows=0, cols=1\n") != std::string::npos);
  CHECK(shared.find("{\"cpu:9\"},  // rows=1, cols=0\n") != std::string::npos);
}

}  // namespace backends_backend_table_test
