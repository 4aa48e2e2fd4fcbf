// Token tables as JSON text: {"kind":"bpe","reserved":0,"pieces":[...],"merges":[a,b,a,b,...]}.
// Pieces of byte pairs, which are bytes, are written in GPT-2's alphabet.
#include <algorithm>

#include "data/text/byte_alphabet.h"
#include "data/text/tokenizer.h"
#include "support/json.h"
#include "support/read_json.h"

namespace mtfc::runtime {
namespace {

using Json = nlohmann::ordered_json;
using TokenKind = TokenTable::Kind;

constexpr std::pair<TokenKind, const char*> token_kinds[] = {{TokenKind::chars, "chars"},
                                                             {TokenKind::bytes, "bytes"},
                                                             {TokenKind::words, "words"},
                                                             {TokenKind::bpe, "bpe"},
                                                             {TokenKind::wordpiece, "wordpiece"}};

Error damaged(const std::string& what) { return {"the token table is damaged: " + what, {}, {}}; }

Status read_kind(const Json& json, TokenTable& table) {
  for (const auto& [kind, name] : token_kinds)
    if (json == name) {
      table.kind = kind;
      return {};
    }
  return damaged("no kind of tokens is called " + json.dump());
}

Status read_pieces(const Json& json, TokenTable& table) {
  if (!json.is_array()) return damaged("`pieces` is not a list");
  for (const Json& item : json) {
    if (!item.is_string()) return damaged("a piece is not a string");
    const auto& text = item.get_ref<const std::string&>();
    const auto bytes = table.kind == TokenKind::bpe ? from_byte_alphabet(text) : text;
    if (!bytes) return damaged("the piece " + item.dump() + " does not encode bytes");
    table.pieces.push_back(*bytes);
  }
  return {};
}

Status read_merges(const Json& json, TokenTable& table) {
  const bool numbers = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& n) {
                         return n.is_number_unsigned() && n.get<std::uint64_t>() < 0x7FFFFFFF;
                       });
  if (!numbers || json.size() % 2 != 0) return damaged("`merges` is not a list of pairs");
  for (std::size_t i = 0; i < json.size(); i += 2)
    table.merges.emplace_back(json[i].get<std::int32_t>(), json[i + 1].get<std::int32_t>());
  return {};
}

}  // namespace

std::string token_table_text(const TokenTable& table) {
  JsonFields fields;
  for (const auto& [kind, name] : token_kinds)
    if (kind == table.kind) fields.emplace_back("kind", json(name));
  fields.emplace_back("reserved", json(table.reserved));
  std::vector<std::string> pieces, merges;
  for (const std::string& piece : table.pieces)
    pieces.push_back(json(table.kind == TokenKind::bpe ? to_byte_alphabet(piece) : piece));
  for (const auto& [left, right] : table.merges) {
    merges.push_back(json(left));
    merges.push_back(json(right));
  }
  fields.emplace_back("pieces", json_array(pieces));
  fields.emplace_back("merges", json_array(merges));
  return json_object(fields);
}

Result<TokenTable> parse_token_table(std::string_view text) {
  const Json json = read_ordered_json(text, 4);
  if (!json.is_object()) return damaged("it is not a JSON object");
  for (const char* key : {"kind", "reserved", "pieces", "merges"})
    if (!json.contains(key)) return damaged("it lacks `" + std::string(key) + "`");
  TokenTable table;
  if (json["reserved"] != 0 && json["reserved"] != 2) return damaged("`reserved` is not 0 or 2");
  table.reserved = json["reserved"].get<std::int32_t>();
  if (Status read = read_kind(json["kind"], table); !read) return read.error();
  if (Status read = read_pieces(json["pieces"], table); !read) return read.error();
  if (Status read = read_merges(json["merges"], table); !read) return read.error();
  return table;
}

}  // namespace mtfc::runtime
