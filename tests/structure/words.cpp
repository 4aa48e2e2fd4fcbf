// The glossary is followed: no identifier of src/ contains a word that it rules out.
#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "structure/sources.h"

namespace structure_words_test {

using namespace mtfc::test;

/// The words in **bold** in the last column of docs/glossary.md.
std::set<std::string> ruled_out() {
  std::set<std::string> words;
  std::istringstream lines(read_text("docs/glossary.md"));
  const std::regex bold(R"(\*\*(\w+)\*\*)");
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| ", 0) != 0) continue;
    const std::string last = line.substr(line.rfind('|', line.size() - 2));
    for (std::sregex_iterator at(last.begin(), last.end(), bold), end; at != end; ++at)
      words.insert((*at)[1]);
  }
  return words;
}

/// Other meanings of these words.
const std::map<std::string, std::set<std::string>>& other_meanings() {
  static const std::map<std::string, std::set<std::string>> all = {
      {"place", {"in_place", "in_place_", "receives_in_place", "sends_in_place"}},
      {"draw",
       {"draw", "can_draw", "draws_chip", "nothing_to_draw", "draw_digit", "draw_digits",
        "draw_strokes"}},
      {"placement", {"placement", "placement_form", "placement_main", "placement_options"}},
      {"turn", {"turn", "turns"}},  // of an angle; of who comes next
  };
  return all;
}

/// "fooBar_baz" -> foo, bar, baz
std::set<std::string> components(const std::string& identifier) {
  std::set<std::string> parts;
  std::string part;
  const auto end = [&] {
    if (!part.empty()) parts.insert(part);
    part.clear();
  };
  for (const char c : identifier) {
    if (c == '_' || std::isupper(static_cast<unsigned char>(c))) end();
    if (c != '_') part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  end();
  return parts;
}

/// The word that is ruled out, if `part` is it or its plural.
std::string found_in(const std::set<std::string>& words, const std::string& part) {
  if (words.count(part) > 0) return part;
  const std::string singular = part.substr(0, part.size() - 1);
  return part.back() == 's' && words.count(singular) > 0 ? singular : "";
}

/// The identifiers of a file, without its comments and texts.
std::set<std::string> identifiers(const std::string& text) {
  static const std::regex token(R"(//[^\n]*|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*)");
  std::set<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), token), end; at != end; ++at) {
    const std::string found = at->str();
    if (found[0] != '/' && found[0] != '"') all.insert(found);
  }
  return all;
}

TEST_CASE("identifiers keep to the glossary", "[structure]") {
  const std::set<std::string> words = ruled_out();
  REQUIRE(words.size() >= 10);
  for (const SourceText& file : files_below("src", {".h", ".cpp", ".def", ".inc"}))
    for (const std::string& identifier : identifiers(file.text))
      for (const std::string& part : components(identifier)) {
        const std::string word = found_in(words, part);
        if (word.empty()) continue;
        const auto exempt = other_meanings().find(word);
        if (exempt != other_meanings().end() && exempt->second.count(identifier) > 0) continue;
        FAIL_CHECK(file.path << ": `" << identifier << "`: docs/glossary.md has a word for this");
      }
}

}  // namespace structure_words_test
