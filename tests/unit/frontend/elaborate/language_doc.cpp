// Every example of the pages on the language does what the page says.
#include <catch2/catch.hpp>
#include <fstream>

#include "lab.h"

namespace frontend_elaborate_language_doc_test {

using namespace mtfc;
using mtfc::test::Elaborated;

namespace {

/// One fenced block: "mtf", "mtf file", "mtf context" or "mtf-error CODE", and its text.
struct Example {
  std::string kind, text;
  int line = 0;
};

std::vector<Example> examples_of(const std::string& path) {
  std::ifstream page(path);
  std::vector<Example> found;
  std::string line;
  bool inside = false, wanted = false;
  for (int number = 1; std::getline(page, line); ++number) {
    const bool fence = line.starts_with("```");
    if (fence && !inside) {
      wanted = line.starts_with("```mtf");
      if (wanted) found.push_back({line.substr(3), "", number});
    } else if (!fence && inside && wanted) {
      found.back().text += line + "\n";
    }
    if (fence) inside = !inside;
  }
  return found;
}

std::string errors_of(const Elaborated& model) {
  std::string codes;
  for (const Diagnostic& d : model.diagnostics.all())
    if (d.severity() == Severity::error)
      codes += (codes.empty() ? "" : " ") + std::string(info(d.kind).code);
  return codes;
}

}  // namespace

TEST_CASE("the examples of the documentation check", "[doc]") {
  const std::string page = GENERATE("language.md", "library.md");
  const std::vector<Example> examples = examples_of(MTFC_SOURCE_DIR "/docs/" + page);
  REQUIRE(examples.size() > (page == "language.md" ? 30 : 0));
  const std::string error = "mtf-error ";
  std::string context;
  for (const Example& example : examples) {
    const bool whole = example.kind == "mtf file" || example.kind == "mtf context";
    const bool wrong = example.kind.starts_with(error);
    INFO(page << ", line " << example.line << ", ```" << example.kind);
    REQUIRE((whole || wrong || example.kind == "mtf"));
    if (example.kind == "mtf context") context = example.text;
    const Elaborated model(whole ? example.text : context + example.text);
    INFO(model.said());
    CHECK(errors_of(model) == (wrong ? example.kind.substr(error.size()) : ""));
    CHECK(model.model.has_value() == !wrong);
  }
}

}  // namespace frontend_elaborate_language_doc_test
