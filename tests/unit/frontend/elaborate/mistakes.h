// Models with mistakes, fail_*.mtf: every mistake is reported on its line and nowhere else. The
// expectation stands on the guilty line: `# expect: E201 not declared` (code, then a part of the
// message, a label, a note or a help). Options on the first line: `# options: -D heads=5`.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "unit/frontend/elaborate/lab.h"

namespace mtfc::test {

struct Expectation {
  std::string code;
  int line;
  std::string text;
};

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<Expectation> expectations(const std::string& text) {
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

inline ElaborateOptions options_of(const std::string& text) {
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

inline bool says(const Diagnostic& d, const std::string& text) {
  auto has = [&](const std::string& s) { return s.find(text) != s.npos; };
  bool found = has(d.message);
  for (const Label& l : d.labels) found = found || has(l.text);
  for (const std::string& s : d.notes) found = found || has(s);
  for (const std::string& s : d.helps) found = found || has(s);
  return found;
}

/// 0 for what has no place in the model itself, such as a mistake on the command line.
inline int line_of(const Elaborated& e, const Diagnostic& d) {
  for (const Label& l : d.labels)
    if (l.primary && l.span.file.index == 0)
      return e.sources.position(l.span.file, l.span.begin).line;
  return 0;
}

/// Those of a folder, without or with the folders in it.
template <typename Iterator>
std::vector<std::filesystem::path> files_with_mistakes(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : Iterator(MTFC_SOURCE_DIR "/" + folder))
    if (entry.path().filename().string().starts_with("fail_") && entry.path().extension() == ".mtf")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// `passes`: what looks for mistakes after the elaborator.
inline void check_mistakes(const std::filesystem::path& path,
                           const std::function<void(Elaborated&)>& passes = {}) {
  const std::string text = read(path);
  Elaborated e(text, options_of(text), path.string());
  if (passes) passes(e);
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

}  // namespace mtfc::test
