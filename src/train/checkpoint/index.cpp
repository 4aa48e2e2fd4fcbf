#include "train/checkpoint/index.h"

#include <cstdio>
#include <filesystem>

#include "data/files/atomic_file.h"
#include "data/files/crc32.h"
#include "data/files/safetensors_words.h"
#include "support/json.h"
#include "support/read_json.h"

namespace mtfc::runtime {
namespace {

using Json = nlohmann::ordered_json;
using namespace safetensors;
constexpr const char* name_of_index = "/index.json";
constexpr const char* index_format = "mtfc.sharded";
constexpr int index_schema = 1;
const std::string sum_before = "\"crc32\":\"";

std::string sum_of(const std::string& text) {
  return digits_of(crc32_of(std::as_bytes(std::span(text))));
}

/// The digits of the checksum stand first in the text.
std::size_t offset_of_sum(const std::string& text) {
  const std::size_t at = text.find(sum_before);
  return at == std::string::npos || at > 4 ? std::string::npos : at + sum_before.size();
}

/// What is wrong with an index, thrown and caught within this file: JSON that is not as it should
/// be throws, too.
struct Wrong {
  std::string what;
};

std::vector<std::int64_t> sizes_of(const Json& json) {
  if (!json.is_array() || json.size() > 64) throw Wrong{"a shape is not a list of sizes"};
  std::vector<std::int64_t> sizes;
  for (const Json& item : json) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > (std::uint64_t{1} << 62))
      throw Wrong{"a shape is not a list of sizes"};
    sizes.push_back(static_cast<std::int64_t>(item.get<std::uint64_t>()));
  }
  return sizes;
}

/// As many bytes as the type and the sizes ask for; no product of them overflows later on.
std::int64_t bytes_of(const std::vector<std::int64_t>& extents, std::uint64_t each) {
  auto bytes = static_cast<std::int64_t>(each);
  bool empty = false;
  for (const std::int64_t extent : extents) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      throw Wrong{"a tensor is larger than any memory"};
  }
  return empty ? 0 : bytes;
}

IndexedPiece piece_of(const Json& json, const StoredTensor& tensor, std::size_t files) {
  IndexedPiece piece;
  const Json& file = json.at("file");
  if (!file.is_number_unsigned() || file.get<std::uint64_t>() >= files)
    throw Wrong{"a piece of `" + tensor.name + "` is in no file"};
  piece.file = file.get<std::size_t>();
  piece.block = {sizes_of(json.at("begin")), sizes_of(json.at("shape"))};
  bool fits = piece.block.begin.size() == tensor.extents.size() &&
              piece.block.extents.size() == tensor.extents.size();
  for (std::size_t d = 0; fits && d < tensor.extents.size(); ++d)
    fits = piece.block.extents[d] <= tensor.extents[d] &&
           piece.block.begin[d] <= tensor.extents[d] - piece.block.extents[d];
  if (!fits) throw Wrong{"a piece of `" + tensor.name + "` lies outside of it"};
  return piece;
}

CheckpointIndex index_of(const Json& json) {
  CheckpointIndex index;
  if (json.at("format") != index_format) throw Wrong{"it was not written by mtfc"};
  if (json.at("schema") != index_schema) throw Wrong{"it is of another version of mtfc"};
  for (const auto& [key, value] : json.at("metadata").items())
    index.metadata[key] = value.get<std::string>();
  for (const Json& file : json.at("files")) {
    IndexedFile one{part_name(static_cast<int>(index.files.size())),
                    file.at("crc32").get<std::string>()};
    if (file.at("name") != one.name) throw Wrong{"its files do not have the names of parts"};
    index.files.push_back(std::move(one));
  }
  for (const auto& [name, entry] : json.at("tensors").items()) {
    StoredTensor tensor{name, entry.at("dtype").get<std::string>(), sizes_of(entry.at("shape")), 0,
                        0};
    const Word* word = find_word(tensor.dtype);
    if (word == nullptr) throw Wrong{"`" + name + "` has an unknown type"};
    std::int64_t missing = bytes_of(tensor.extents, word->bytes);
    std::vector<IndexedPiece>& pieces = index.pieces.emplace_back();
    for (const Json& piece : entry.at("pieces")) {
      pieces.push_back(piece_of(piece, tensor, index.files.size()));
      missing -= bytes_of(pieces.back().block.extents, word->bytes);
      if (missing < 0) break;  // further ones could go round
    }
    if (missing != 0) throw Wrong{"the pieces of `" + name + "` are not the whole of it"};
    index.tensors.push_back(std::move(tensor));
  }
  return index;
}

}  // namespace

bool is_checkpoint_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path + name_of_index, ignored);
}

Error without_index(const std::string& path) {
  return {"`" + path + "` is a sharded checkpoint without its " + (name_of_index + 1) +
              ", which says what is in its files",
          {},
          {}};
}

std::string part_name(int number) {
  char name[40];
  std::snprintf(name, sizeof name, "part-%05d.safetensors", number);
  return name;
}

Status write_index(const std::string& folder, const CheckpointIndex& index) {
  std::vector<std::string> files;
  for (const IndexedFile& file : index.files)
    files.push_back(json_object({{"name", json(file.name)}, {"crc32", json(file.header_sum)}}));
  JsonFields tensors;
  for (std::size_t i = 0; i < index.tensors.size(); ++i) {
    const StoredTensor& tensor = index.tensors[i];
    std::vector<std::string> pieces;
    for (const IndexedPiece& piece : index.pieces[i])
      pieces.push_back(json_object({{"file", json(piece.file)},
                                    {"begin", json_list(piece.block.begin)},
                                    {"shape", json_list(piece.block.extents)}}));
    tensors.emplace_back(tensor.name, json_object({{"dtype", json(tensor.dtype)},
                                                   {"shape", json_list(tensor.extents)},
                                                   {"pieces", json_array(pieces)}}));
  }
  std::string text = json_object({{"crc32", json(std::string(sum_digits, '0'))},
                                  {"format", json(index_format)},
                                  {"schema", json(index_schema)},
                                  {"files", json_array(files)},
                                  {"tensors", json_object(tensors)},
                                  {"metadata", json_texts(index.metadata)}}) +
                     "\n";
  text.replace(offset_of_sum(text), sum_digits, sum_of(text));
  return write_text(folder + name_of_index, text);
}

Result<CheckpointIndex> read_index(const std::string& folder) {
  const std::string path = folder + name_of_index;
  const Result<Bytes> bytes = read_file(path, largest_header);
  if (!bytes) return bytes.error();
  std::string text(text_of(*bytes));
  const auto bad = [&](const std::string& what) {
    return Error{"`" + path + "` is not the index of a checkpoint: " + what, {}, {}};
  };
  const std::size_t at = offset_of_sum(text);
  if (at == std::string::npos || text.size() < at + sum_digits)
    return bad("it has lost its checksum");
  const std::string sum = text.substr(at, sum_digits);
  text.replace(at, sum_digits, sum_digits, '0');
  if (sum_of(text) != sum)
    return Error{"`" + path + "` is damaged: it does not match its checksum", {}, {}};
  // Four levels are the most that any of ours has.
  try {
    return index_of(read_ordered_json(text, 8));
  } catch (const Wrong& wrong) {
    return bad(wrong.what);
  } catch (const Json::exception&) {
    return bad("its JSON is not as it should be");
  }
}

}  // namespace mtfc::runtime
