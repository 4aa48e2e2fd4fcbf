// Text to ids and back. The ids of byte pairs were computed by a separate program that follows
// GPT-2's encoder word by word.
#include <catch2/catch.hpp>

#include "data/text/byte_alphabet.h"
#include "data/text/make_tokenizer.h"
#include "data/text/tokenizer.h"
#include "data/text/utf8.h"
#include "data/text/vocab_files.h"
#include "lab.h"
#include "support/utf8.h"

namespace data_tokenizers_test {

using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

using Kind = TokenTable::Kind;
using Ids = std::vector<std::int32_t>;

std::unique_ptr<Tokenizer> made(TokenTable table) {
  auto tokenizer = make_tokenizer(std::move(table));
  if (!tokenizer) FAIL(tokenizer.error().message);
  return std::move(*tokenizer);
}

Ids ids_of(Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  const auto encoded = tokenizer.encode(text, ids);
  if (!encoded) FAIL(encoded.error().message);
  return ids;
}

std::string fault(Tokenizer& tokenizer, std::string_view text) {
  Ids ids{7};
  const auto encoded = tokenizer.encode(text, ids);
  CHECK(ids == Ids{7});
  return encoded ? "accepted" : encoded.error().message;
}

std::string fault(const TokenTable& table) {
  const auto tokenizer = make_tokenizer(table);
  return tokenizer ? "accepted" : tokenizer.error().message;
}

/// vocab.json with the 256 bytes by value, then what the merges give, then the end of a text.
std::string vocab_json(const std::vector<std::string>& merges) {
  std::string json = "{";
  int id = 0;
  const auto add = [&](const std::string& token) {
    const std::string escaped = token == "\"" || token == "\\" ? "\\" + token : token;
    json += (id ? ", \"" : "\"") + escaped + "\": " + std::to_string(id);
    ++id;
  };
  for (int byte = 0; byte < 256; ++byte)
    add(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
  for (std::string merge : merges) add(merge.erase(merge.find(' '), 1));
  add("<|endoftext|>");
  return json + "}";
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text = "#version: 0.2\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

const std::vector<std::string> small_merges = {
    "l o",          "lo w", "e r",           "\u0120 low", "\u00c3 \u00a9",
    "\u0120low er", "' t",  "\u010a \u010a", "1 2",        "\u0120 \u0120",
    "a b",          "ab a", "x y",           "xy x"};

Result<TokenTable> read_small(const ScratchFolder& folder, const std::string& vocab,
                              const std::string& merges) {
  write_file(folder / "vocab.json", vocab);
  write_file(folder / "merges.txt", merges);
  return read_bpe(folder / "vocab.json", folder / "merges.txt");
}

/// The message without the folder.
std::string bpe_fault(const std::string& vocab, const std::string& merges) {
  const ScratchFolder folder;
  const auto table = read_small(folder, vocab, merges);
  if (!table) {
    std::string message = table.error().message;
    const std::size_t at = message.find(folder.path());
    if (at != message.npos) message.erase(at, folder.path().size() + 1);
    return message;
  }
  return fault(*table);
}

}  // namespace

TEST_CASE("GPT-2's alphabet of bytes", "[data][text]") {
  CHECK(to_byte_alphabet(" \n!~") == "\u0120\u010a!~");
  CHECK(to_byte_alphabet(std::string("\0\x7f\xa0\xad\xff", 5)) == "\u0100\u0121\u0142\u0143\u00ff");
  CHECK(to_byte_alphabet("é") == "\u00c3\u00a9");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    CHECK(from_byte_alphabet(to_byte_alphabet(one)) == one);
  }
  CHECK_FALSE(from_byte_alphabet("a b"));
  CHECK_FALSE(from_byte_alphabet("\u0144"));
  CHECK_FALSE(from_byte_alphabet("\xff"));
}

TEST_CASE("UTF-8 is taken strictly", "[data][text]") {
  for (const std::string_view good : {"a", "é", "\u0800", "\uffff", "\U0010ffff"})
    CHECK_FALSE(mtfc::first_invalid_utf8(good));
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    CHECK(mtfc::first_invalid_utf8("x" + std::string(bad)) == 1);
  CHECK(character_name(0xE9) == "`é` (U+00E9)");
  CHECK(character_name('\n') == "U+000A");
}

TEST_CASE("characters and bytes", "[data][text]") {
  const auto chars = made({Kind::chars, 0, {"\n", "a", "é", "\U0001f600"}, {}});
  CHECK(ids_of(*chars, "aé\n\U0001f600") == Ids{1, 2, 0, 3});
  CHECK(chars->decode(Ids{1, 2, 0, 3}) == "aé\n\U0001f600");
  CHECK(chars->size() == 4);
  CHECK_FALSE(chars->end());
  CHECK(fault(*chars, "aaèa") == "`è` (U+00E8) at byte 2 is not in the vocabulary");
  CHECK(fault(*chars, "a\xff") == "byte 1 is not UTF-8");

  const auto bytes = made({Kind::bytes, 2, {}, {}});
  CHECK(ids_of(*bytes, std::string_view("a\0\xff", 3)) == Ids{99, 2, 257});
  CHECK(bytes->decode(Ids{99, 2, 257, 0, 1, -5, 258, 1000}) == std::string("a\0\xff", 3));
  CHECK(bytes->size() == 258);
  CHECK(bytes->pad() == 0);
  CHECK(bytes->end() == 1);
}

TEST_CASE("words", "[data][text]") {
  const auto words = made({Kind::words, 2, {"one", "two", "three"}, {}});
  CHECK(ids_of(*words, "  two one\ttwo ") == Ids{3, 2, 3});
  CHECK(words->decode(Ids{3, 2, 3, 1, 0}) == "two one two");
  CHECK(fault(*words, "one four") == "`four` at byte 4 is not in the vocabulary");
  const auto unknown = made({Kind::words, 0, {"one", "<unk>"}, {}});
  CHECK(ids_of(*unknown, "one four") == Ids{0, 1});
  CHECK(words->find("three") == 4);
}

TEST_CASE("byte pairs: GPT-2's words and merges", "[data][text]") {
  const ScratchFolder folder;
  const auto table = read_small(folder, vocab_json(small_merges), lines_of(small_merges));
  REQUIRE(table);
  const auto bpe = made(*table);
  CHECK(bpe->size() == 271);
  CHECK(bpe->end() == 270);
  const std::vector<std::pair<std::string, Ids>> expected = {
      {"low lower  lowest", {257, 261, 32, 259, 101, 115, 116}},
      {"don't\n\n\nlow", {100, 111, 110, 262, 263, 10, 257}},
      {"café 12123 l'été", {99, 97, 102, 260, 32, 264, 264, 51, 32, 108, 39, 260, 116, 260}},
      {"  low\u00a0low\u180elow", {32, 259, 194, 160, 257, 225, 160, 142, 257}},
      {"ababab xyxyx", {266, 266, 266, 32, 268, 269}},
      {"<|endoftext|>", {60, 124, 101, 110, 100, 111, 102, 116, 101, 120, 116, 124, 62}},
      {"\U0001f600 Ⅷ٣", {240, 159, 152, 128, 32, 226, 133, 167, 217, 163}},
      {"", {}}};
  for (const auto& [text, ids] : expected) {
    INFO(text);
    CHECK(ids_of(*bpe, text) == ids);
    CHECK(bpe->decode(ids) == text);
  }
  CHECK(bpe->decode(Ids{257, 270, -1, 271}) == "low<|endoftext|>\uFFFD");
  CHECK(fault(*bpe, "low \xc3") == "byte 4 is not UTF-8");

  TokenTable shifted = *table;
  shifted.reserved = 2;
  const auto second = made(shifted);
  CHECK(ids_of(*second, "low lower") == Ids{259, 263});
  CHECK(second->end() == 1);
}

TEST_CASE("byte pairs: a pair is merged everywhere before a more urgent one that arises",
          "[data][text]") {
  const std::vector<std::string> merges = {"xy x", "x y"};
  TokenTable table;
  table.kind = Kind::bpe;
  table.pieces = {"x", "y", "xy", "xyx"};
  table.merges = {{2, 0}, {0, 1}};
  const auto bpe = made(table);
  CHECK(ids_of(*bpe, "xyxyxy") == Ids{2, 2, 2});
  CHECK(ids_of(*bpe, "xyx") == Ids{3});
  CHECK(fault(*bpe, "xyz") == "the byte 122 at byte 2 is not in the vocabulary");
}

TEST_CASE("byte pairs: a word of a million letters takes no square of time", "[data][text]") {
  TokenTable table;
  table.kind = Kind::bpe;
  std::string piece = "a";
  for (std::int32_t i = 0; i < 10; ++i, piece += piece) {
    table.pieces.push_back(piece);
    if (i > 0) table.merges.emplace_back(i - 1, i - 1);
  }
  const auto bpe = made(table);
  const Ids ids = ids_of(*bpe, std::string((1 << 20) + 3, 'a'));
  CHECK(ids.size() == (1 << 11) + 2);
  CHECK(Ids(ids.end() - 3, ids.end()) == Ids{9, 1, 0});
}

TEST_CASE("byte pairs: what is wrong with their files", "[data][text]") {
  const std::string vocab = R"({"a": 0, "b": 1, "ab": 2})";
  CHECK(bpe_fault(vocab, "a b\n") == "accepted");
  CHECK(bpe_fault(vocab, "#version: 0.2\r\na b\r\n\r\n") == "accepted");
  CHECK(bpe_fault(vocab, "b a\n") == "`merges.txt`, line 1: `ba` is not in the vocabulary");
  CHECK(bpe_fault(vocab, "a b\na c\n") == "`merges.txt`, line 2: `c` is not in the vocabulary");
  CHECK(bpe_fault(vocab, "a b\na b\n") == "`merges.txt`, line 2: it is in line 1");
  for (const std::string line : {"ab", " b", "a ", "a  b", "a b c"})
    CHECK(bpe_fault(vocab, line) ==
          "`merges.txt`, line 1: a merge is two tokens with a blank between");
  CHECK(bpe_fault(vocab, "a \u4e00") ==
        "`merges.txt`, line 1: it holds a character that does not encode a byte");
  CHECK(bpe_fault(vocab, std::string("a\0b", 3)) ==
        "`merges.txt` is not text, it holds a NUL: see line 1, byte 1 of the file");
  CHECK(bpe_fault(R"({"a": 0, "b": 0})", "") == "`vocab.json`: `a` and `b` both have id 0");
  CHECK(bpe_fault(R"({"a": 0, "a": 1})", "") == "`vocab.json`: `a` has two ids, 0 and 1");
  CHECK(bpe_fault(R"({"a": 0, "b": 2})", "") ==
        "`vocab.json`: `b` has id 2 of 2 tokens; ids go from 0 without gaps");
  CHECK(bpe_fault(R"({"a": 4294967296})", "") ==
        "`vocab.json`: the id of `a` is 4294967296, beyond 32 bits");
  for (const std::string id : {"-1", "1.5", "null", "true", "\"0\"", "[]", "1e400"})
    CHECK_THAT(bpe_fault("{\"a\": " + id + "}", ""), Catch::StartsWith("`vocab.json`: "));
  CHECK(bpe_fault(R"({"a": {"b": 0}})", "") ==
        "`vocab.json`: `a` has an object as its value, not an id");
  CHECK(bpe_fault("[1]", "") == "`vocab.json`: it is not an object");
  CHECK(bpe_fault("3", "") == "`vocab.json`: it is not an object");
  CHECK(bpe_fault("{}", "") == "`vocab.json`: it lists no token");
  CHECK(bpe_fault("", "") == "`vocab.json`: it is not JSON at byte 1");
  CHECK(bpe_fault(R"({"a": 0,})", "") == "`vocab.json`: it is not JSON at byte 9");
  CHECK(bpe_fault(R"({"a b": 0})", "") ==
        "`vocab.json`: `a b` holds a character that does not encode a byte");
  CHECK(bpe_fault(R"({"": 0})", "") == "token 0 of the vocabulary cannot be one: it is empty");
  CHECK(bpe_fault(std::string(1000000, '['), "") == "`vocab.json`: it is not an object");
}

TEST_CASE("lists of tokens", "[data][text]") {
  const ScratchFolder folder;
  const auto read = [&](const std::string& text) {
    write_file(folder / "list", text);
    return read_list(folder / "list", Kind::words);
  };
  REQUIRE(read("one\r\ntwo\nthree"));
  CHECK(read("one\r\ntwo\nthree")->pieces == std::vector<std::string>{"one", "two", "three"});
  CHECK(read("one\n\ntwo")
            .error()
            .message.ends_with("line 2: it is empty; a token a line is wanted"));
  CHECK(read("one\ntwo\none").error().message.ends_with("line 3: `one` is in line 1"));
  CHECK(read("").error().message.ends_with("it lists no token"));
  CHECK(read("one two").error().message.ends_with("line 1: it holds a blank"));
}

TEST_CASE("WordPiece: BERT's words, the longest piece from the left", "[data][text]") {
  const auto pieces = made({Kind::wordpiece,
                            0,
                            {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##aff", "##able",
                             ",", "u", "##n", "中", "é", "##é", "!"},
                            {}});
  CHECK(ids_of(*pieces, "unaffable,  un!\u00a0éé中un") == Ids{5, 6, 7, 8, 5, 14, 12, 13, 11, 5});
  CHECK(ids_of(*pieces, "unaffabl un\u200daff x") == Ids{1, 5, 6, 1});
  CHECK(ids_of(*pieces, "u" + std::string(199, 'n')).size() == 199);
  CHECK(ids_of(*pieces, "u" + std::string(200, 'n')) == Ids{1});
  CHECK(ids_of(*pieces, " \t\x01").empty());
  CHECK(pieces->decode(Ids{2, 5, 6, 7, 8, 5, 3, 0, 0}) == "[CLS] unaffable , un [SEP]");
  CHECK(pieces->pad() == 0);
  CHECK(pieces->end() == 3);
  CHECK(fault({Kind::wordpiece, 0, {"a"}, {}}) == "the vocabulary lacks `[UNK]`");
}

TEST_CASE("token tables contradict themselves", "[data][text]") {
  CHECK(fault({Kind::words, 0, {"a", "a"}, {}}) == "a token is listed twice in the vocabulary");
  CHECK(fault({Kind::words, 1, {"a"}, {}}) == "the vocabulary reserves 1 ids, not 0 or 2");
  CHECK(fault({Kind::chars, 0, {"ab"}, {}}) ==
        "token 0 of the vocabulary cannot be one: it is not one character");
  CHECK(fault({Kind::chars, 0, {"\xff"}, {}}) ==
        "token 0 of the vocabulary cannot be one: it is not UTF-8");
  CHECK(fault({Kind::bytes, 0, {"a"}, {}}) == "a vocabulary of bytes lists tokens");
  CHECK(fault({Kind::chars, 0, {"a"}, {{0, 0}}}) == "a vocabulary without byte pairs lists merges");
  CHECK(fault({Kind::bpe, 0, {"a", "aa"}, {{0, 2}}}) ==
        "merge 1 names a token beyond the vocabulary");
  CHECK(fault({Kind::bpe, 0, {"a", "aa"}, {{0, 1}}}) == "merge 1 gives no token of the vocabulary");
  CHECK(fault({Kind::bpe, 0, {"a", "aa"}, {{0, 0}, {0, 0}}}) == "merge 2 is listed twice");
}

TEST_CASE("token tables as text, for checkpoints", "[data][text]") {
  const std::vector<TokenTable> tables = {{Kind::chars, 0, {"\n", "\"", "é"}, {}},
                                          {Kind::bytes, 2, {}, {}},
                                          {Kind::words, 2, {"a", "<unk>"}, {}},
                                          {Kind::bpe, 0, {"a", "\xff", "a\xff"}, {{0, 1}}},
                                          {Kind::wordpiece, 0, {"[UNK]", "##a"}, {}}};
  for (const TokenTable& table : tables) {
    const auto again = parse_token_table(token_table_text(table));
    REQUIRE(again);
    CHECK(*again == table);
  }
  CHECK(token_table_text(tables[3]) ==
        R"({"kind":"bpe","reserved":0,"pieces":["a","ÿ","aÿ"],"merges":[0,1]})");
  for (const std::string text :
       {"", "[]", "{", R"({"kind":"bpe"})", R"({"kind":"x","reserved":0,"pieces":[],"merges":[]})",
        R"({"kind":"bytes","reserved":1,"pieces":[],"merges":[]})",
        R"({"kind":"bytes","reserved":"0","pieces":[],"merges":[]})",
        R"({"kind":"words","reserved":0,"pieces":[1],"merges":[]})",
        R"({"kind":"words","reserved":0,"pieces":"a","merges":[]})",
        R"({"kind":"bpe","reserved":0,"pieces":["a b"],"merges":[]})",
        R"({"kind":"bpe","reserved":0,"pieces":["a"],"merges":[0]})",
        R"({"kind":"bpe","reserved":0,"pieces":["a"],"merges":[0,-1]})",
        R"({"kind":"bpe","reserved":0,"pieces":["a"],"merges":[0,99999999999]})"})
    CHECK_THAT(parse_token_table(text).error().message,
               Catch::StartsWith("the token table is damaged: "));
}

}  // namespace data_tokenizers_test
