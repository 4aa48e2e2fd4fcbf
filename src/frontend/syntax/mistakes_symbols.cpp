// Characters, numbers and operators that other languages have.

#include "frontend/syntax/mistakes.h"
#include "frontend/syntax/tree_builder.h"
#include "frontend/syntax/words.h"
#include "support/utf8.h"

namespace mtfc::syntax {
namespace {

struct Foreign {
  std::string_view symbol;
  std::string_view ours;
};
constexpr Foreign symbols[] = {
    {"&&", "and"},          {"||", "or"},           {"&", "and"},           {"|", "or"},
    {"!", "not"},           {"\xE2\x86\x92", "->"}, {"\xC3\x97", "*"},      {"\xC2\xB7", "*"},
    {"\xE2\x88\x92", "-"},  {"\xE2\x80\x93", "-"},  {"\xE2\x89\xA4", "<="}, {"\xE2\x89\xA5", ">="},
    {"\xE2\x89\xA0", "!="}, {"\xE2\x80\x9C", "\""}, {"\xE2\x80\x9D", "\""}, {"'", "\""},
};

/// What comes with texts that are copied from web pages and word processors.
bool looks_blank(char32_t c) {
  return c == 0x0B || c == 0x0C || c == 0x85 || c == 0xA0 || (c >= 0x2000 && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x2060 || c == 0x3000 || c == 0xFEFF;
}

/// The whole character that begins with the (one-byte) token.
Span character(const Scene& scene, std::size_t at) {
  const std::uint32_t begin = scene.tokens[at].begin;
  const auto bytes = decode_utf8(scene.sources.text(scene.tokens.file()), begin).bytes;
  return {scene.tokens.file(), begin, begin + static_cast<std::uint32_t>(bytes)};
}

Mistake unclosed_string(const Scene& scene) {
  const Span quote = scene.tokens.span(scene.at());
  const Position at = scene.sources.position(quote.file, quote.begin);
  const std::string_view line = scene.sources.line(quote.file, at.line);
  const char* text = scene.sources.text(quote.file).data();
  const auto end = static_cast<std::uint32_t>(line.data() + line.size() - text);
  Diagnostic d = diag(DiagKind::malformed_string, "a string is not closed on its line")
                     .at({quote.file, quote.begin, end}, "opened here")
                     .help("strings end with `\"` on the line where they begin");
  std::size_t resume = scene.at() + 1;
  while (resume + 1 < scene.tokens.size() && scene.tokens[resume].begin < end) ++resume;
  return {std::move(d), resume};
}

Mistake foreign(Span span, std::string_view ours, std::size_t resume, const Scene& scene) {
  const std::string written = quoted(scene.sources.text(span));
  Diagnostic d =
      diag(DiagKind::foreign_symbol, written + " is not a symbol of the language").at(span);
  if (!ours.empty()) d.help("write `" + std::string(ours) + "`").fix(span, std::string(ours));
  return {std::move(d), resume};
}

bool adjacent(const Scene& scene, std::size_t first) {
  return first + 1 < scene.tokens.size() &&
         scene.tokens[first].end == scene.tokens[first + 1].begin;
}

struct ForeignPair {
  std::size_t first, second;
  std::string_view advice;
};
constexpr ForeignPair pairs[] = {
    {Parser::TIMES, Parser::TIMES, "a power is written `a ^ b`"},
    {Parser::LT, Parser::GT, "unequal is written `!=`"},
    {Parser::EQ, Parser::EQUALS, "equal is written `==`"},
    {Parser::EQUALS, Parser::GT, "`>=` compares, `->` makes"},
    {Parser::PLUS, Parser::EQUALS, "write `NAME = NAME + ...`"},
    {Parser::MINUS, Parser::EQUALS, "write `NAME = NAME - ...`"},
    {Parser::TIMES, Parser::EQUALS, "write `NAME = NAME * ...`"},
    {Parser::DIVIDE, Parser::EQUALS, "write `NAME = NAME / ...`"},
    {Parser::COLON, Parser::EQUALS, "a definition is written `NAME = ...`"},
    {Parser::LT, Parser::MINUS, "a definition is written `NAME = ...`"},
    {Parser::DIVIDE, Parser::TIMES, "a comment begins with `#` and ends with the line"},
    {Parser::PLUS, Parser::PLUS, "write `NAME = NAME + 1`"},
};

/// The advice about what is called `name`.
std::string with_name(std::string_view advice, std::string_view name) {
  constexpr std::string_view word = "NAME";
  std::string text(advice);
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + name.size()))
    text.replace(at, word.size(), name);
  return text;
}

}  // namespace

std::optional<Mistake> unknown_symbol(const Scene& scene) {
  if (scene.type() != Parser::UNKNOWN) return std::nullopt;
  const std::size_t at = scene.at();
  if (scene.tokens.text(at) == "\"") return unclosed_string(scene);
  const Span one = character(scene, at);
  const std::string_view rest = std::string_view(scene.sources.text(one.file)).substr(one.begin);
  for (const Foreign& f : symbols) {
    if (!rest.starts_with(f.symbol)) continue;
    const Span span{one.file, one.begin, one.begin + static_cast<std::uint32_t>(f.symbol.size())};
    Mistake mistake = foreign(span, f.ours, at + f.symbol.size(), scene);
    if (f.ours == "\"") {
      mistake.diagnostic.helps = {"strings are written in double quotes: `\"...\"`"};
      mistake.diagnostic.fixes.clear();
    }
    return mistake;
  }
  Mistake mistake = foreign(one, "", at + (one.end - one.begin), scene);
  if (const char32_t point = decode_utf8(rest, 0).value; looks_blank(point)) {
    mistake.diagnostic.message =
        code_point_name(point) + ", which looks like a blank, is not a symbol of the language";
    mistake.diagnostic.help("write a space").fix(one, " ");
  } else if (rest[0] == '?')
    mistake.diagnostic.help("a choice is `if c then a else b`, for each element `where(c, a, b)`");
  else if (static_cast<unsigned char>(rest[0]) >= 0x80)
    mistake.diagnostic.help("names are made of the letters a to z, digits and `_`");
  return mistake;
}

/// `//` at the beginning of a line, with words after it that do not make an expression.
static std::optional<std::size_t> comment_of_slashes(const Scene& scene) {
  // The words may have begun a statement of their own.
  for (std::size_t i = scene.start + 1; i-- > 0 && scene.start - i < 100;) {
    const bool first = scene.tokens.begins_line(i);
    if (scene.type(i) == Parser::FLOORDIV && (first || i == scene.start)) return i;
    if (first) break;
  }
  return std::nullopt;
}

std::optional<Mistake> foreign_operator(const Scene& scene) {
  const std::size_t at = scene.at();
  if (const std::optional<std::size_t> slashes = comment_of_slashes(scene)) {
    const Span span = scene.tokens.span(*slashes);
    Diagnostic d = diag(DiagKind::foreign_symbol, "`//` does not begin a comment")
                       .at(span, "this divides and rounds down")
                       .help("a comment begins with `#`")
                       .fix(span, "#");
    return Mistake{std::move(d), at + 1};
  }
  for (const ForeignPair& pair : pairs) {
    for (const std::size_t first : {at, at == 0 ? at : at - 1}) {
      if (scene.type(first) != pair.first || scene.type(first + 1) != pair.second) continue;
      if (!adjacent(scene, first)) continue;
      const Span span = join(scene.tokens.span(first), scene.tokens.span(first + 1));
      Mistake mistake = foreign(span, "", first + 2, scene);
      const bool named = first > 0 && is_name(scene.type(first - 1));
      mistake.diagnostic.helps.push_back(
          with_name(pair.advice, named ? scene.tokens.text(first - 1) : "x"));
      return mistake;
    }
  }
  return std::nullopt;
}

std::optional<Mistake> malformed_number(const Scene& scene) {
  const std::size_t at = scene.at();
  const auto mistake = [&](std::size_t first, std::size_t last, std::string help) {
    const Span span = join(scene.tokens.span(first), scene.tokens.span(last));
    Diagnostic d = diag(DiagKind::malformed_number,
                        quoted(scene.sources.text(span)) + " is not a number of the language")
                       .at(span)
                       .help(std::move(help));
    return Mistake{std::move(d), last + 1};
  };
  if (scene.type() == Parser::DOT && scene.type(at + 1) == Parser::NUMBER && adjacent(scene, at) &&
      !(at > 0 && scene.type(at - 1) == Parser::DOT)) {
    Mistake found =
        mistake(at, at + 1,
                "write a digit before the point: `0" + std::string(scene.tokens.text(at)) +
                    std::string(scene.tokens.text(at + 1)) + "`");
    found.diagnostic.fixes.push_back(
        {{scene.tokens.file(), scene.tokens[at].begin, scene.tokens[at].begin}, "0"});
    return found;
  }
  // `3.` took the word after it, if there is one, for a field; a statement may begin with that.
  for (std::size_t dot = at; dot > 0 && at - dot < 4; --dot)
    if (scene.type(dot) == Parser::DOT && scene.type(dot - 1) == Parser::NUMBER &&
        adjacent(scene, dot - 1)) {
      const std::string digits(scene.tokens.text(dot - 1));
      return mistake(dot - 1, dot,
                     digits.find_first_of(".eE") == digits.npos
                         ? "write a digit after the point: `" + digits + ".0`"
                         : "leave the point out: `" + digits + "`");
    }
  // `12abc`, `1_000`, `1e`: the name after the number began a statement of its own.
  for (const std::size_t name : {scene.start, at})
    if (name > 0 && scene.type(name) == Parser::NAME && scene.type(name - 1) == Parser::NUMBER &&
        adjacent(scene, name - 1))
      return mistake(name - 1, name, "numbers are written `1`, `1.5`, `1e-3`");
  return std::nullopt;
}

std::optional<Mistake> wrong_equals(const Scene& scene) {
  const Span span = scene.span(scene.at());
  if (scene.type() == Parser::EQ) {
    const bool definition = scene.at() == scene.start + 1;
    const bool index = scene.rule() == Parser::RuleViewItem;
    if (!definition && !index) return std::nullopt;
    Diagnostic d =
        diag(DiagKind::equals_for_comparison,
             definition ? "`==` where a definition has `=`" : "`==` where an index has `=`")
            .at(span, "`==` compares")
            .help("write `=`")
            .fix(span, "=");
    return Mistake{std::move(d), scene.at() + 1};
  }
  if (scene.type() != Parser::EQUALS) return std::nullopt;
  const bool body = scene.rule() == Parser::RuleBody && scene.failure.expects(Parser::LBRACE);
  const bool compares =
      body || scene.rule() == Parser::RulePrefix || scene.rule() == Parser::RulePrimary;
  if (compares && ends_value(scene.type(scene.at() - 1))) {
    Diagnostic d = diag(DiagKind::equals_for_comparison, "`=` where `==` is meant")
                       .at(span, "`=` defines")
                       .help("to compare, write `==`")
                       .fix(span, "==");
    return Mistake{std::move(d), scene.at() + 1};
  }
  if (scene.at() == scene.start && !scene.tokens.begins_line(scene.at()) &&
      ends_value(scene.type(scene.at() - 1))) {
    Diagnostic d = diag(DiagKind::syntax_error, "a second `=` in one statement")
                       .at(span, "not expected here")
                       .help("write two statements, or `==` to compare");
    return Mistake{std::move(d), scene.at() + 1};
  }
  return std::nullopt;
}

}  // namespace mtfc::syntax
