// What of a layout nothing uses: mesh axes; and rules with their sides exchanged.
#include <catch2/catch.hpp>

#include "lab.h"
#include "layout/check_summary.h"

namespace layout_unused_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

/// All that `mtfc check` reports about a layout for the two layers, as text.
std::string checked(const std::string& layout_text, bool& ok) {
  TwoLayer m;
  Diagnostics diagnostics;
  const auto layout =
      parse_layout(m.sources, m.sources.add("test.layout", layout_text), diagnostics);
  const auto report =
      lowering::check_layout("test.layout", layout, std::move(diagnostics), {}, m.model, m.sources);
  ok = report.ok;
  std::string text;
  for (const Diagnostic& d : report.diagnostics.all())
    text += std::string(info(d.kind).code) + " " + render_text(d, m.sources, {});
  return text;
}

bool has(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != text.npos;
}

/// Legal, and without a word.
bool is_quiet(const std::string& layout) {
  bool ok = false;
  const std::string text = checked(layout, ok);
  INFO(text);
  return ok && text.empty();
}

bool warns(const std::string& layout, const std::string& code, const std::string& words) {
  bool ok = false;
  const std::string text = checked(layout, ok);
  INFO(text);
  return ok && has(text, code + " ") && has(text, words);
}

bool fails(const std::string& layout, const std::string& code, const std::string& words) {
  bool ok = true;
  const std::string text = checked(layout, ok);
  INFO(text);
  return !ok && has(text, code + " ") && has(text, words);
}

}  // namespace

TEST_CASE("a mesh axis that no rule uses is a warning, whatever the model's size") {
  CHECK(is_quiet("mesh rows=2, cols=2\nbatch:rows; hidden:cols"));
  CHECK(warns("mesh rows=2, cols=2\nbatch:rows", "W420",
              "no rule uses mesh axis `cols`: 2 processors do the same work"));
  CHECK(warns("mesh rows=2, cols=2", "W420",
              "the layout splits nothing: all 4 processors do the same work"));
  CHECK(warns("mesh rows=2\nexperts?:rows", "W420", "splits nothing"));
  // Said to be so, nothing to split over, or a layout that several models share.
  CHECK(is_quiet("mesh rows=2, cols=2\n[]"));
  CHECK(is_quiet("mesh rows=2, cols=1\nbatch:rows"));
  CHECK(is_quiet("mesh rows=1"));
  CHECK(is_quiet("mesh rows=2, cols=2\nbatch:rows; experts?:cols"));
}

TEST_CASE("a rule whose sides are exchanged is an error with its repair") {
  CHECK(fails("mesh rows=2\nrows:batch", "E403",
              "`batch` is a dimension and `rows` a mesh axis: write `batch:rows`"));
  CHECK(warns("mesh rows=2\nrows:nothing; batch:rows", "W410", "matches no dimension"));
  // One name for both: what is written holds.
  CHECK(is_quiet("mesh batch=2\nbatch:batch"));
}

TEST_CASE("a layout whose file was not read has no verdict of its own") {
  TwoLayer m;
  const auto gone = lowering::check_layout("gone.layout", {}, {}, {}, m.model, m.sources);
  CHECK_FALSE(gone.read);
  CHECK(has(lowering::summary_table({gone}), "not read"));
  CHECK_FALSE(has(lowering::summary_table({gone}), "0 errors"));
}

}  // namespace layout_unused_test
