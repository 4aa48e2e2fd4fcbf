// The rows of data sources against their readers: what the checker accepts, a reader takes.
#include "sources/source_table.h"

#include <catch2/catch.hpp>

#include "data/source.h"
#include "unit/support/scratch_folder.h"

namespace data_source_table_test {

using namespace mtfc;

namespace {

/// A value of another type than the argument's.
SourceSpec::Value of_wrong_kind(SourceArg::Kind kind) {
  const bool is_text = kind == SourceArg::Kind::path || kind == SourceArg::Kind::word;
  return is_text ? SourceSpec::Value(0.5) : SourceSpec::Value(std::string("absurd"));
}

/// A value of the argument's type that means nothing.
SourceSpec::Value of_kind(SourceArg::Kind kind, const std::string& path) {
  switch (kind) {
    case SourceArg::Kind::path:
      return path;
    case SourceArg::Kind::word:
      return std::string("absurd");
    case SourceArg::Kind::integer:
      return std::int64_t{-7};
    case SourceArg::Kind::share:
      return std::int64_t{-7};
    case SourceArg::Kind::flag:
      return true;
  }
  return false;
}

SourceSpec spec_of(const SourceRow& row) { return {"s", std::string(row.name), {}, ""}; }

}  // namespace

TEST_CASE("an argument of a wrong kind is named", "[data]") {
  for (const SourceRow& row : source_table())
    for (const SourceArg& wrong : row.args) {
      SourceSpec spec = spec_of(row);
      for (const SourceArg& arg : row.args)
        spec.args.emplace_back(arg.name, arg.name == wrong.name ? of_wrong_kind(arg.kind)
                                                                : of_kind(arg.kind, "no/such"));
      const auto opened = runtime::open_source(spec, 0);
      INFO(row.name << " " << wrong.name);
      REQUIRE(!opened);
      CHECK(opened.error().message.starts_with("`" + std::string(row.name) + "`: `" +
                                               std::string(wrong.name) + "` must be "));
      CHECK(opened.error().subject == "s");
    }
}

TEST_CASE("readers take every argument of their rows", "[data]") {
  const ScratchFolder folder;
  for (const SourceRow& row : source_table()) {
    INFO(row.name);
    SourceSpec spec = spec_of(row);
    for (const SourceArg& arg : row.args)
      if (arg.required) spec.args.emplace_back(arg.name, of_kind(arg.kind, folder / "none"));
    // What a reader does not take, and what its row does not have, ends the process.
    const auto opened = runtime::open_source(spec, 0);
    const bool draws = !opens_files(spec);
    if (!draws) CHECK(opened.error().unreadable);
    for (const SourceArg& arg : row.args) {
      if (!arg.required) continue;
      SourceSpec lacking = spec;
      std::erase_if(lacking.args, [&](const auto& given) { return given.first == arg.name; });
      const auto refused = runtime::open_source(lacking, 0);
      REQUIRE(!refused);
      CHECK(refused.error().message.find("`" + std::string(arg.name) + "`, ") != std::string::npos);
    }
    spec.args.emplace_back("no_such_argument", std::int64_t{1});
    const auto refused = runtime::open_source(spec, 0);
    REQUIRE(!refused);
    CHECK(refused.error().message.find("`no_such_argument`") != std::string::npos);
  }
}

TEST_CASE("another path replaces the first argument, wherever it stands", "[data]") {
  SourceSpec spec{"s", "chars", {{"holdout", 0.5}, {"file", std::string("a.txt")}}, "folder"};
  REQUIRE(replace_path(spec, "b.txt"));
  CHECK(std::get<std::string>(spec.args[1].second) == "b.txt");
  CHECK(std::get<double>(spec.args[0].second) == 0.5);
  CHECK(spec.directory.empty());
  SourceSpec drawn{"s", "gaussian", {{"seed", std::int64_t{1}}}, "folder"};
  CHECK(!replace_path(drawn, "b.txt"));
  CHECK(!opens_files(drawn));
  CHECK(opens_files(spec));
}

}  // namespace data_source_table_test
