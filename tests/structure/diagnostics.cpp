// Every kind of diagnostic is explained to users and provoked by a test.
#include <catch2/catch.hpp>

#include <algorithm>

#include "messages/diagnostic.h"
#include "sources.h"

namespace structure_diagnostics_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

/// Kinds that no test can provoke, each with its reason.
bool is_exempt(std::string_view code) {
  static const std::vector<std::string_view> exempt = {};
  return std::find(exempt.begin(), exempt.end(), code) != exempt.end();
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

TEST_CASE("every kind of diagnostic has its page", "[structure]") {
  const auto pages = files_below("docs/diagnostics", {".md"});
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    const std::string path = "docs/diagnostics/" + std::string(kind.code) + ".md";
    const auto page = std::find_if(pages.begin(), pages.end(),
                                   [&](const SourceText& p) { return p.path == path; });
    INFO(path);
    CHECK(page != pages.end());
    if (page == pages.end()) continue;
    // "# E402: Two dimensions of one tensor ..." says what the table says.
    const std::string title = "# " + std::string(kind.code) + ": ";
    CHECK(page->text.rfind(title, 0) == 0);
  }
  for (const SourceText& page : pages) {
    INFO(page.path << " belongs to no kind");
    const std::string code = page.path.substr(page.path.rfind('/') + 1, 4);
    CHECK(std::any_of(diagnostic_kinds().begin(), diagnostic_kinds().end(),
                      [&](const DiagKindInfo& kind) { return kind.code == code; }));
  }
}

TEST_CASE("every kind of diagnostic is provoked by a test", "[structure]") {
  const auto tests = files_below("tests", {".cpp", ".h", ".mtf", ".layout", ".txt", ".sh", ".py"});
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    const std::string code(kind.code), name = "DiagKind::" + std::string(kind.name);
    INFO(code << " " << kind.name);
    CHECK((is_exempt(code) || std::any_of(tests.begin(), tests.end(), [&](const SourceText& t) {
             return has_word(t.text, code) || has_word(t.text, name);
           })));
  }
}

TEST_CASE("codes and names of diagnostics are unique and well formed", "[structure]") {
  std::vector<std::string> codes, names;
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    INFO(kind.code);
    CHECK(kind.code.size() == 4);
    const char letter = kind.severity == Severity::error     ? 'E'
                        : kind.severity == Severity::warning ? 'W'
                                                             : 'N';
    CHECK(kind.code[0] == letter);
    CHECK(std::string(kind.name) == lower(std::string(kind.name)));
    CHECK(!kind.summary.empty());
    codes.emplace_back(kind.code);
    names.emplace_back(kind.name);
  }
  for (auto* list : {&codes, &names}) {
    std::sort(list->begin(), list->end());
    CHECK(std::adjacent_find(list->begin(), list->end()) == list->end());
  }
}

}  // namespace structure_diagnostics_test
