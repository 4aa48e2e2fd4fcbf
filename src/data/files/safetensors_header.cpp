#include "data/files/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "data/files/safetensors_words.h"
#include "support/text.h"

namespace mtfc::runtime::safetensors {
namespace {

constexpr std::size_t longest_name = 100;  // in messages

/// Follows the parser through the one shape of JSON that the form allows and stops at anything
/// else, so that neither depth nor size of hostile text costs anything.
class Reader {
 public:
  Header header;
  std::string wrong;

  bool start_object(std::size_t) {
    if (level_ == Level::before) return to(Level::file);
    if (level_ == Level::file && named_)
      return to(name_ == metadata_key ? Level::notes : Level::tensor);
    return unexpected("an object");
  }

  bool key(std::string& text) {
    if (level_ == Level::file) {
      if (!names_.insert(text).second)
        return stop(backquoted(text, longest_name) + " is named twice");
      name_ = text;
      named_ = true;
      if (name_ == metadata_key) return true;
      header.tensors.push_back({name_, "", {}, 0, 0});
      fields_.clear();
      offsets_.clear();
      return true;
    }
    if (level_ == Level::notes && header.metadata.contains(text))
      return stop("the metadata names " + backquoted(text, longest_name) + " twice");
    if (level_ == Level::tensor && !fields_.insert(text).second)
      return stop(backquoted(name_, longest_name) + " has its " + text + " twice");
    if (level_ == Level::tensor && text != "dtype" && text != "shape" && text != "data_offsets")
      return stop(backquoted(name_, longest_name) + " has an unknown field " +
                  backquoted(text, longest_name));
    field_ = text;
    return true;
  }

  bool string(std::string& text) {
    if (level_ == Level::notes) {
      header.metadata[field_] = std::move(text);
      return true;
    }
    if (level_ != Level::tensor || field_ != "dtype") return unexpected("text");
    header.tensors.back().dtype = text;
    return true;
  }

  bool start_array(std::size_t) {
    if (level_ != Level::tensor || field_ == "dtype") return unexpected("a list");
    return to(Level::list);
  }
  bool end_array() { return to(Level::tensor); }

  bool number_unsigned(std::uint64_t value) {
    if (level_ != Level::list) return unexpected("a number");
    if (field_ == "data_offsets") {
      if (offsets_.size() == 2)
        return stop(backquoted(name_, longest_name) + " has more than two offsets");
      offsets_.push_back(value);
      return true;
    }
    StoredTensor& tensor = header.tensors.back();
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return stop(backquoted(name_, longest_name) + " is larger than any memory");
    if (tensor.extents.size() == 64)
      return stop(backquoted(name_, longest_name) + " has more than 64 dimensions");
    tensor.extents.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool end_object() {
    if (level_ == Level::tensor) {
      if (fields_.size() != 3 || offsets_.size() != 2)
        return stop(backquoted(name_, longest_name) + " lacks its type, shape or place");
      header.tensors.back().begin = offsets_[0];
      header.tensors.back().end = offsets_[1];
    }
    named_ = false;
    return to(level_ == Level::file ? Level::after : Level::file);
  }

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("true or false"); }
  bool number_integer(std::int64_t) { return unexpected("a negative number"); }
  bool number_float(double, const std::string&) { return unexpected("a broken number"); }
  template <class Binary>
  bool binary(Binary&) {
    return unexpected("bytes");
  }
  template <class Exception>
  bool parse_error(std::size_t at, const std::string&, const Exception&) {
    return stop("its header is not JSON at byte " + std::to_string(8 + at));
  }

 private:
  enum class Level { before, file, notes, tensor, list, after };

  bool to(Level level) {
    level_ = level;
    return true;
  }
  bool stop(std::string reason) {
    wrong = std::move(reason);
    return false;
  }
  bool unexpected(const std::string& what) {
    return stop("its header has " + what + " where none may stand" +
                (name_.empty() ? "" : ", at " + backquoted(name_, longest_name)));
  }

  Level level_ = Level::before;
  std::string name_, field_;  // of the tensor; of what is in it or in the metadata
  bool named_ = false;        // a name stands open in the file's object
  std::set<std::string> names_, fields_;
  std::vector<std::uint64_t> offsets_;
};

/// The bytes that type and shape ask for; the largest number if the extents, each at least 1,
/// overflow: so no product of them does later on.
std::uint64_t bytes_of(const StoredTensor& tensor, const Word& word) {
  auto bytes = static_cast<std::int64_t>(word.bytes);
  bool empty = false;
  for (const std::int64_t extent : tensor.extents) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      return std::numeric_limits<std::uint64_t>::max();
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

std::string wrong_ranges(std::vector<StoredTensor>& tensors, std::uint64_t size) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : tensors) {
    const std::string name = "`" + tensor.name.substr(0, 100) + "`";
    const Word* word = find_word(tensor.dtype);
    if (word == nullptr) return name + " has the unknown type `" + tensor.dtype.substr(0, 20) + "`";
    if (tensor.end < tensor.begin || tensor.end - tensor.begin != bytes_of(tensor, *word))
      return "the place of " + name + " does not hold its shape";
    if (tensor.begin < at) return name + " overlaps the tensor before it";
    if (tensor.begin > at) return "there is a hole before " + name;
    at = tensor.end;
  }
  if (at > size)
    return "it is cut off: " + std::to_string(at - size) + " of " + std::to_string(at) +
           " bytes of tensors are missing";
  if (at < size) return "it has " + std::to_string(size - at) + " bytes that belong to no tensor";
  return {};
}

}  // namespace

ParsedHeader parse_header(std::string_view text, std::uint64_t size) {
  Reader reader;
  const bool whole = nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  if (!whole && reader.wrong.empty()) reader.wrong = "its header is not JSON";
  if (reader.wrong.empty()) reader.wrong = wrong_ranges(reader.header.tensors, size);
  return {std::move(reader.header), std::move(reader.wrong)};
}

}  // namespace mtfc::runtime::safetensors
