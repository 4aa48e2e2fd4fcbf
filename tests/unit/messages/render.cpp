#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "messages/explain.h"
#include "messages/render.h"
#include "support/did_you_mean.h"

namespace messages_render_test {

using namespace mtfc;

namespace {

struct Page {
  explicit Page(std::string text) { file = sources.add("m.mtf", std::move(text)); }
  Span find(std::string_view piece) const {
    const auto at = static_cast<std::uint32_t>(sources.text(file).find(piece));
    return {file, at, at + static_cast<std::uint32_t>(piece.size())};
  }
  SourceMap sources;
  FileId file;
};

std::string text(const Diagnostic& d, const Page& page, RenderOptions options = {}) {
  return render_text(d, page.sources, options);
}

}  // namespace

TEST_CASE("the anatomy of a diagnostic") {
  const Page page("dim a = 1\ns = f(q)\nt = 2\na = softmax(s over memory)\n");
  const Diagnostic d = diag(DiagKind::missing_dimension, "`s` has no dimension `memory`")
                           .at(page.find("memory"), "needed here")
                           .also(page.find("q"), "carries `length`")
                           .note("a fact")
                           .help("a repair");
  CHECK(text(d, page) ==
        "error[E202]: `s` has no dimension `memory`\n"
        " --> m.mtf:4:20\n"
        "2 | s = f(q)\n"
        "  |       - carries `length`\n"
        "...\n"
        "4 | a = softmax(s over memory)\n"
        "  |                    ^^^^^^ needed here\n"
        "  = note: a fact\n"
        "  = help: a repair\n");
}

TEST_CASE("places in two files, the primary one first") {
  Page page("dim vocab = 50257\n");
  const FileId layout = page.sources.add("dp.layout", std::string(9, '\n') + "vocab:cols");
  const Diagnostic d = diag(DiagKind::size_not_divisible, "cannot be split")
                           .also(page.find("50257"), "size set here")
                           .at({layout, 9, 19}, "remainder 1");
  CHECK(text(d, page) ==
        "error[E401]: cannot be split\n"
        "  --> dp.layout:10:1\n"
        "10 | vocab:cols\n"
        "   | ^^^^^^^^^^ remainder 1\n"
        "  ::: m.mtf:1:13\n"
        " 1 | dim vocab = 50257\n"
        "   |             ----- size set here\n");
}

TEST_CASE("a diagnostic without a place") {
  const Page page("");
  CHECK(text(diag(DiagKind::unreadable_file, "no such file").help("look for it"), page) ==
        "error[E502]: no such file\n  = help: look for it\n");
  CHECK(text(diag(DiagKind::unused_rule, "unused").at({}, "nowhere"), page) ==
        "warning[W410]: unused\n");
}

TEST_CASE("tabs, wide characters and ranges over several lines") {
  const Page page("\tx\t= \xE4\xB8\xAD\xE6\x96\x87 + y\nz\n");
  CHECK(text(diag(DiagKind::syntax_error, "m").at(page.find("y\nz"), "here"), page) ==
        "error[E100]: m\n --> m.mtf:1:11\n"
        "1 |     x   = \xE4\xB8\xAD\xE6\x96\x87 + y\n"
        "  |                  ^ here\n");
}

TEST_CASE("the end of the text has a place") {
  const Page page("x = 1\n");
  CHECK(text(diag(DiagKind::syntax_error, "m").at({page.file, 6, 6}, "here"), page) ==
        "error[E100]: m\n --> m.mtf:2:1\n2 |\n  | ^ here\n");
  CHECK(text(diag(DiagKind::syntax_error, "m").at({page.file, 5, 5}, "here"), page) ==
        "error[E100]: m\n --> m.mtf:1:6\n1 | x = 1\n  |      ^ here\n");
  CHECK_FALSE(text(diag(DiagKind::syntax_error, "m").at({page.file, 900, 901}, ""), page).empty());
}

TEST_CASE("what a terminal would obey is not printed") {
  const Page page("x = \x1b[31m \xE2\x80\xAE y \xFF\n");
  const std::string shown =
      text(diag(DiagKind::syntax_error, "a\x07").at(page.find("y"), ""), page);
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find('\x07') == std::string::npos);
  CHECK(shown.find("\xE2\x80\xAE") == std::string::npos);
}

TEST_CASE("long lines are cut around the guilty range") {
  const std::string before(5000000, 'a'), after(5000000, 'b');
  const Page page(before + " guilty " + after);
  const std::string shown =
      text(diag(DiagKind::syntax_error, "m").at(page.find("guilty"), "here"), page);
  CHECK(shown ==
        "error[E100]: m\n --> m.mtf:1:5000002\n"
        "1 | ..." +
            std::string(31, 'a') + " guilty " + std::string(31, 'b') +
            "...\n"
            "  |    " +
            std::string(31, ' ') + " ^^^^^^ here\n");
}

TEST_CASE("two labels far apart on one long line") {
  const Page page("left" + std::string(500, '.') + "right");
  const std::string shown = text(
      diag(DiagKind::syntax_error, "m").at(page.find("right"), "r").also(page.find("left"), "l"),
      page);
  CHECK(shown ==
        "error[E100]: m\n --> m.mtf:1:505\n"
        "1 | left" +
            std::string(66, '.') +
            "...\n"
            "  | ---- l\n"
            "1 | ..." +
            std::string(32, '.') +
            "right\n"
            "  |    " +
            std::string(32, ' ') + "^^^^^ r\n");
}

TEST_CASE("notes are wrapped, code is not torn") {
  const Page page("");
  CHECK(text(diag(DiagKind::syntax_error, "m")
                 .note("some words before a long piece of code: `x[length -> memory]` and more"),
             page, {false, 50}) ==
        "error[E100]: m\n"
        "  = note: some words before a long piece of code:\n"
        "          `x[length -> memory]` and more\n");
  CHECK(text(diag(DiagKind::syntax_error, "m").note("one\ntwo"), page) ==
        "error[E100]: m\n  = note: one\n          two\n");
}

TEST_CASE("headers and labels that do not fit are wrapped, nothing is cut") {
  const Page page("a = softmax(s over memory)\n");
  const Diagnostic d = diag(DiagKind::missing_dimension, "`s` has no dimension `memory` to sum")
                           .at(page.find("memory"), "needed here, because it is summed")
                           .also(page.find("s"), "and this");
  CHECK(text(d, page, {false, 40}) ==
        "error[E202]: `s` has no dimension\n"
        "    `memory` to sum\n"
        " --> m.mtf:1:20\n"
        "1 | a = softmax(s over memory)\n"
        "  |     - and this\n"
        "  |                    ^^^^^^\n"
        "  |    needed here, because it is summed\n");
}

TEST_CASE("diagnostics for services") {
  const Page page("a = 1\nb = f(q)\n");
  const Diagnostic d = diag(DiagKind::unknown_name, "100% unknown: `q`, or\nnot")
                           .at(page.find("q"), "here")
                           .also(page.find("a"), "there")
                           .help("a repair");
  CHECK(render_github(d, page.sources) ==
        "::error file=m.mtf,line=2,endLine=2,col=7,endColumn=8,title=E301::"
        "100%25 unknown: `q`, or%0Anot%0Ahere%0Am.mtf:1: there%0Ahelp: a repair");
  CHECK(render_github(diag(DiagKind::unused_rule, "x"), page.sources) == "::warning title=W410::x");
  const auto log = nlohmann::json::parse(sarif_log({sarif_result(d, page.sources)}, "1.2.3"));
  CHECK(log["version"] == "2.1.0");
  const auto& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  CHECK(run["tool"]["driver"]["rules"].size() == diagnostic_kinds().size());
  const auto& result = run["results"][0];
  CHECK(result["ruleId"] == "E301");
  CHECK(result["level"] == "error");
  const auto& place = result["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "m.mtf");
  CHECK(place["region"]["startLine"] == 2);
  CHECK(place["region"]["endColumn"] == 8);
  CHECK(result["relatedLocations"][0]["message"]["text"] == "there");
  CHECK(!result.contains("fixes"));
}

TEST_CASE("a SARIF result has the repair that is known") {
  const Page page("a = 1\nb = f(q)\n");
  const Diagnostic d = diag(DiagKind::unknown_name, "unknown")
                           .at(page.find("q"))
                           .fix(page.find("q"), "a")
                           .fix(page.find("1"), "2");
  const auto result = nlohmann::json::parse(sarif_result(d, page.sources));
  REQUIRE(result["fixes"].size() == 1);
  const auto& changes = result["fixes"][0]["artifactChanges"];
  REQUIRE(changes.size() == 1);
  CHECK(changes[0]["artifactLocation"]["uri"] == "m.mtf");
  const auto& replacements = changes[0]["replacements"];
  REQUIRE(replacements.size() == 2);
  const nlohmann::json region = {
      {"startLine", 2}, {"startColumn", 7}, {"endLine", 2}, {"endColumn", 8}};
  CHECK(replacements[0]["deletedRegion"] == region);
  CHECK(replacements[0]["insertedContent"]["text"] == "a");
  CHECK(replacements[1]["insertedContent"]["text"] == "2");
}

TEST_CASE("colour") {
  const Page page("x = y\n");
  const std::string shown =
      text(diag(DiagKind::syntax_error, "m").at(page.find("y"), "here"), page, {true, 80});
  CHECK(shown.find("\x1b[1;31merror[E100]\x1b[0m") != std::string::npos);
  CHECK(shown.find("\x1b[1;31m^ here\x1b[0m") != std::string::npos);
}

TEST_CASE("diagnostics as JSON") {
  const Page page("x = \xC3\xA9 y\n");
  const Diagnostic d = diag(DiagKind::syntax_error, "a \"message\"")
                           .at(page.find("y"), "here")
                           .note("n")
                           .help("h")
                           .fix(page.find("y"), "z");
  const std::string line = render_json(d, page.sources);
  CHECK(line.find('\n') == std::string::npos);
  const auto json = nlohmann::json::parse(line);
  CHECK(json["schema"] == 1);
  CHECK(json["code"] == "E100");
  CHECK(json["severity"] == "error");
  CHECK(json["message"] == "a \"message\"");
  const nlohmann::json span = {{"file", "m.mtf"}, {"line", 1},       {"column", 7},
                               {"end_line", 1},   {"end_column", 8}, {"primary", true},
                               {"label", "here"}};
  CHECK(json["spans"][0] == span);
  CHECK(json["notes"][0] == "n");
  CHECK(json["helps"][0] == "h");
  CHECK(json["fixes"][0]["replacement"] == "z");
  CHECK(json["fixes"][0]["column"] == 7);
}

TEST_CASE("words that were meant") {
  const std::vector<std::string> dims = {"d_model", "d_ff", "heads", "memory", "x", "y"};
  CHECK(did_you_mean("d_modle", dims) == std::vector<std::string>{"d_model"});
  CHECK(did_you_mean("head", dims) == std::vector<std::string>{"heads"});
  CHECK(did_you_mean("z", dims).empty());
  CHECK(did_you_mean("heads", dims).empty());
  CHECK(did_you_mean("length", dims).empty());
  CHECK(did_you_mean("abcdef", {"abcdxy", "abcdeg"}) == std::vector<std::string>{"abcdeg"});
  CHECK(did_you_mean(std::string(100000, 'a'), dims).empty());
}

TEST_CASE("of words that are equally near none is taken") {
  const std::vector<std::string> tied = did_you_mean("adawm", {"adam", "adamw", "sgd"});
  CHECK(sole(tied) == nullptr);
  CHECK(meant(tied) == "did you mean `adam` or `adamw`?");
  CHECK(meant({"a", "b", "c", "d"}) == "did you mean `a`, `b` or `c`?");
  // The look tells which of them is meant.
  CHECK(did_you_mean("adamm", {"adamw", "adam"}) == std::vector<std::string>{"adam"});
  REQUIRE(sole({"adamw"}) != nullptr);
  CHECK(*sole({"adamw"}) == "adamw");
}

TEST_CASE("a slip of the pen is one letter within a word") {
  for (const auto& [word, name] : {std::pair("sofmax", "softmax"),
                                   {"softtmax", "softmax"},
                                   {"sotfmax", "softmax"},
                                   {"seftmax", "softmax"}})
    CHECK(is_slip(word, name));
  // Other functions, other dimensions.
  for (const auto& [word, name] : {std::pair("tan", "tanh"),
                                   {"cosh", "cos"},
                                   {"erfc", "erf"},
                                   {"argmin", "argmax"},
                                   {"conv3d", "conv2d"},
                                   {"row1", "row2"},
                                   {"avg_pool2d", "max_pool2d"},
                                   {"b", "c"},
                                   {"", "a"},
                                   {"a", "a"}})
    CHECK(!is_slip(word, name));
}

TEST_CASE("repetitions are dropped, the rest is counted") {
  const Page page("x y");
  Diagnostics all;
  all.report(diag(DiagKind::syntax_error, "m").at(page.find("x")));
  all.report(diag(DiagKind::syntax_error, "m").at(page.find("x")));
  all.report(diag(DiagKind::syntax_error, "m").at(page.find("y")));
  all.report(diag(DiagKind::unused_rule, "m").at(page.find("y")));
  CHECK(all.all().size() == 3);
  CHECK(all.errors() == 2);
  CHECK(all.warnings() == 1);
}

TEST_CASE("every syntax error has a page") {
  for (const DiagKindInfo& kind : diagnostic_kinds()) {
    if (!kind.code.starts_with("E10") && !kind.code.starts_with("E11")) continue;
    INFO(kind.code);
    REQUIRE(explanation(kind.code));
    CHECK(explanation(kind.code)->starts_with("# " + std::string(kind.code) + ": "));
  }
  CHECK(explanation("e101") == explanation("E101"));
  CHECK_FALSE(explanation("E999"));
}

}  // namespace messages_render_test
