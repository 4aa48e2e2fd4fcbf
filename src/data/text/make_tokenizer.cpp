#include "data/text/make_tokenizer.h"

#include <limits>

#include "data/text/tokenizer_kinds.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

Error wrong(std::string what) { return {std::move(what), {}, {}}; }

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// What is wrong with a piece of this kind; empty if nothing.
std::string fault_of(TokenTable::Kind kind, std::string_view piece) {
  if (piece.empty()) return "it is empty";
  if (kind == TokenTable::Kind::bpe) return {};
  if (first_invalid_utf8(piece)) return "it is not UTF-8";
  if (kind == TokenTable::Kind::chars)
    return decode_utf8(piece, 0).bytes == piece.size() ? "" : "it is not one character";
  for (const char c : piece)
    if (is_blank(c)) return "it holds a blank";
  return {};
}

Status check_pieces(const TokenTable& table) {
  if (table.pieces.size() > std::numeric_limits<std::int32_t>::max() - 2)
    return wrong("the vocabulary is larger than ids of 32 bits");
  if (table.reserved != 0 && table.reserved != 2)
    return wrong("the vocabulary reserves " + std::to_string(table.reserved) + " ids, not 0 or 2");
  if (table.kind == TokenTable::Kind::bytes && !table.pieces.empty())
    return wrong("a vocabulary of bytes lists tokens");
  if (table.kind != TokenTable::Kind::bpe && !table.merges.empty())
    return wrong("a vocabulary without byte pairs lists merges");
  for (std::size_t i = 0; i < table.pieces.size(); ++i)
    if (const std::string fault = fault_of(table.kind, table.pieces[i]); !fault.empty())
      return wrong("token " + std::to_string(i) + " of the vocabulary cannot be one: " + fault);
  return {};
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_tokenizer(TokenTable table) {
  if (Status fits = check_pieces(table); !fits) return fits.error();
  const std::size_t pieces = table.pieces.size();
  Result<std::unique_ptr<Tokenizer>> made = make_kind(std::move(table));
  if (!made || (*made)->distinct() == pieces) return made;
  return wrong("a token is listed twice in the vocabulary");
}

}  // namespace mtfc::runtime
