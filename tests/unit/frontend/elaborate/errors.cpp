// tests/errors/fail_*.mtf: every mistake of a file is reported on its line and nowhere else. The
// expectation stands on the guilty line: `# expect: E201 not declared` (code, then a part of the
// message, a label, a note or a help). Options on the first line: `# options: -D heads=5`.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "lab.h"
#include "lowering/graph/generation/derive_generation.h"
#include "lowering/graph/microbatch/split_batch.h"

namespace frontend_elaborate_errors_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

struct Expectation {
  std::string code;
  int line;
  std::string text;
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Expectation> expectations(const std::string& text) {
  std::vector<Expectation> found;
  std::istringstream lines(text);
  std::string line;
  const std::string mark = "# expect: ";
  for (int number = 1; std::getline(lines, line); ++number) {
    for (auto at = line.find(mark); at != line.npos; at = line.find(mark, at + 1)) {
      const auto end = line.find(mark, at + 1);
      std::string said =
          line.substr(at + mark.size(), end == line.npos ? end : end - at - mark.size());
      while (!said.empty() && said.back() == ' ') said.pop_back();
      found.push_back({said.substr(0, 4), number, said.size() > 5 ? said.substr(5) : ""});
    }
  }
  return found;
}

ElaborateOptions options_of(const std::string& text) {
  ElaborateOptions options;
  std::istringstream first(text.substr(0, text.find('\n')));
  std::string word;
  bool listed = false;
  while (first >> word) {
    if (word == "options:") listed = true;
    if (!listed || (word != "-D" && word != "--set")) continue;
    std::string pair;
    first >> pair;
    const auto equals = pair.find('=');
    auto& list = word == "-D" ? options.defines : options.settings;
    list.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return options;
}

bool says(const Diagnostic& d, const std::string& text) {
  auto has = [&](const std::string& s) { return s.find(text) != s.npos; };
  bool found = has(d.message);
  for (const Label& l : d.labels) found = found || has(l.text);
  for (const std::string& s : d.notes) found = found || has(s);
  for (const std::string& s : d.helps) found = found || has(s);
  return found;
}

/// 0 for what has no place in the model itself, such as a mistake on the command line.
int line_of(const Elaborated& e, const Diagnostic& d) {
  for (const Label& l : d.labels)
    if (l.primary && l.span.file.index == 0)
      return e.sources.position(l.span.file, l.span.begin).line;
  return 0;
}

}  // namespace

TEST_CASE("every mistake in tests/errors is reported once, on its line") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(MTFC_SOURCE_DIR "/tests/errors"))
    if (entry.path().filename().string().starts_with("fail_") && entry.path().extension() == ".mtf")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 10);
  for (const auto& path : files) {
    const std::string text = read(path);
    Elaborated e(text, options_of(text), path.string());
    if (e.model && !lowering::split_batch(*e.model, e.diagnostics)) e.model.reset();
    if (e.model) lowering::check_generation(*e.model, e.diagnostics);
    INFO(path.filename().string() << "\n" << e.said());
    const auto expected = expectations(text);
    CHECK(!expected.empty());
    std::multiset<std::string> wanted, got;
    for (const Expectation& x : expected) wanted.insert(x.code + ":" + std::to_string(x.line));
    for (const Diagnostic& d : e.diagnostics.all())
      got.insert(std::string(info(d.kind).code) + ":" + std::to_string(line_of(e, d)));
    CHECK(got == wanted);
    for (const Expectation& x : expected) {
      const bool said = std::any_of(
          e.diagnostics.all().begin(), e.diagnostics.all().end(), [&](const Diagnostic& d) {
            return info(d.kind).code == x.code && line_of(e, d) == x.line && says(d, x.text);
          });
      INFO("expected " << x.code << " on line " << x.line << ": " << x.text);
      CHECK(said);
    }
    CHECK(e.model.has_value() == e.diagnostics.ok());
  }
}

TEST_CASE("a used file that does not parse hides only what it holds") {
  Elaborated e(
      "use \"broken.mtf\"\ndim b = 2\ninput x[b] from gaussian(seed=1)\n"
      "y = of_broken(x over b)\nz = broken.other(y) + rate\nw[] = x\n",
      {}, MTFC_SOURCE_DIR "/tests/errors/beside/model.mtf");
  INFO(e.said());
  CHECK(e.codes() == "E100 E203");
}

namespace {
/// Codes that the elaborator gives.
bool is_ours(std::string_view code) {
  const std::string_view kind = code.substr(0, 2);
  return kind == "E2" || kind == "E3" || kind == "W3" || kind == "N3" || code == "E190";
}
}  // namespace

TEST_CASE("every kind of diagnostic of the elaborator has a test and a page") {
  std::set<std::string> provoked;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(MTFC_SOURCE_DIR "/tests/errors"))
    if (entry.path().filename().string().starts_with("fail_"))
      for (const Expectation& x : expectations(read(entry.path()))) provoked.insert(x.code);
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    if (!is_ours(kind.code)) continue;
    INFO(kind.code << " " << kind.name);
    CHECK(provoked.count(std::string(kind.code)) == 1);
    CHECK(std::filesystem::exists(std::string(MTFC_SOURCE_DIR "/docs/diagnostics/") +
                                  std::string(kind.code) + ".md"));
  }
}

}  // namespace frontend_elaborate_errors_test
