#include "data/text/vocab_files.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/text/byte_alphabet.h"
#include "data/text/lines.h"
#include "data/text/utf8.h"

namespace mtfc::runtime {
namespace {

using VocabularyJson = nlohmann::json;

Error at(const std::string& position, const std::string& what) {
  return {position + ": " + what, {}, {}};
}

/// Reads {"token": id, ...} and stops at the first thing that is anything else.
class VocabReader final : public nlohmann::json_sax<VocabularyJson> {
 public:
  std::vector<std::pair<std::string, std::uint64_t>> tokens;
  std::string problem;

  bool start_object(std::size_t) override {
    if (open_) return fail("`" + key_ + "` has an object as its value, not an id");
    return open_ = true;
  }
  bool key(std::string& text) override {
    key_ = text;
    return true;
  }
  bool number_unsigned(std::uint64_t id) override {
    if (!open_) return fail("it is not an object");
    if (id > std::numeric_limits<std::int32_t>::max())
      return fail("the id of `" + key_ + "` is " + std::to_string(id) + ", beyond 32 bits");
    tokens.emplace_back(key_, id);
    return true;
  }
  bool end_object() override { return true; }
  bool number_integer(std::int64_t) override { return no_id(); }
  bool number_float(double, const std::string&) override { return no_id(); }
  bool null() override { return no_id(); }
  bool boolean(bool) override { return no_id(); }
  bool string(std::string&) override { return no_id(); }
  bool binary(VocabularyJson::binary_t&) override { return no_id(); }
  bool start_array(std::size_t) override { return no_id(); }
  bool end_array() override { return no_id(); }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception&) override {
    return fail("it is not JSON at byte " + std::to_string(byte));
  }

 private:
  bool no_id() {
    return fail(open_ ? "`" + key_ + "` does not have an id as its value, a whole number from 0"
                      : "it is not an object");
  }
  bool fail(std::string what) {
    problem = std::move(what);
    return false;
  }
  bool open_ = false;
  std::string key_;
};

/// The tokens by id.
Status number_pieces(const std::string& path, const VocabReader& read, TokenTable& table) {
  const std::size_t size = read.tokens.size();
  std::vector<const std::string*> by_id(size, nullptr);
  for (const auto& [token, id] : read.tokens) {
    if (id >= size)
      return at("`" + path + "`", "`" + token + "` has id " + std::to_string(id) + " of " +
                                      std::to_string(size) + " tokens; ids go from 0 without gaps");
    if (by_id[id] != nullptr)
      return at("`" + path + "`",
                "`" + *by_id[id] + "` and `" + token + "` both have id " + std::to_string(id));
    by_id[id] = &token;
    const auto bytes = from_byte_alphabet(token);
    if (!bytes)
      return at("`" + path + "`", "`" + token + "` holds a character that does not encode a byte");
  }
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t id = 0; id < size; ++id) {
    const auto [known, fresh] = seen.emplace(*by_id[id], id);
    if (!fresh)
      return at("`" + path + "`", "`" + *by_id[id] + "` has two ids, " +
                                      std::to_string(known->second) + " and " + std::to_string(id));
    table.pieces.push_back(*from_byte_alphabet(*by_id[id]));
  }
  return {};
}

Status read_vocab(const std::string& path, TokenTable& table) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  VocabReader reader;
  if (!VocabularyJson::sax_parse(*text, &reader)) return at("`" + path + "`", reader.problem);
  if (reader.tokens.empty()) return at("`" + path + "`", "it lists no token");
  return number_pieces(path, reader, table);
}

Status read_merges(const std::string& path, TokenTable& table) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  const PieceNumbers positions = numbers_of(table.pieces);
  std::unordered_map<std::string_view, std::int64_t> seen;
  std::string_view rest = *text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::string position = line_location(path, number);
    const std::size_t blank = line.find(' ');
    if (blank == line.npos || blank == 0 || line.find(' ', blank + 1) != line.npos ||
        blank + 1 == line.size())
      return at(position, "a merge is two tokens with a blank between");
    const auto left = from_byte_alphabet(line.substr(0, blank));
    const auto right = from_byte_alphabet(line.substr(blank + 1));
    if (!left || !right) return at(position, "it holds a character that does not encode a byte");
    for (const std::string& token : {*left, *right, *left + *right})
      if (positions.count(token) == 0)
        return at(position, "`" + to_byte_alphabet(token) + "` is not in the vocabulary");
    table.merges.emplace_back(positions.at(*left), positions.at(*right));
    if (!seen.emplace(line, number).second)
      return at(position, "it is in line " + std::to_string(seen.at(line)));
  }
  return {};
}

}  // namespace

Result<TokenTable> read_bpe(const std::string& vocab, const std::string& merges) {
  TokenTable table;
  table.kind = TokenTable::Kind::bpe;
  if (Status read = read_vocab(vocab, table); !read) return read.error();
  if (Status read = read_merges(merges, table); !read) return read.error();
  return table;
}

Result<TokenTable> read_list(const std::string& path, TokenTable::Kind kind) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  TokenTable table;
  table.kind = kind;
  std::unordered_map<std::string_view, std::int64_t> lines;
  std::string_view rest = *text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (line.empty())
      return at(line_location(path, number), "it is empty; a token a line is wanted");
    const auto [known, fresh] = lines.emplace(line, number);
    if (!fresh)
      return at(line_location(path, number),
                "`" + std::string(line) + "` is in line " + std::to_string(known->second));
    if (kind == TokenTable::Kind::words && line.find_first_of(" \t") != line.npos)
      return at(line_location(path, number), "it holds a blank");
    table.pieces.emplace_back(line);
  }
  if (table.pieces.empty()) return at("`" + path + "`", "it lists no token");
  return table;
}

}  // namespace mtfc::runtime
