// chars(FILE, holdout=0.1) and chars(FILE, eval="FILE"): text, one id per character: its place in
// the sorted list of the distinct characters.
#include <algorithm>

#include "runtime/data/args.h"
#include "runtime/data/table.h"
#include "runtime/data/windows.h"

namespace mtfc::runtime {
namespace {

/// Length of the UTF-8 sequence that begins with `lead`; 0 if none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Appends the code points of a file.
Status read_characters(const std::string& path, std::vector<std::int32_t>& characters) {
  const Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  const auto* text = reinterpret_cast<const unsigned char*>(bytes->data());
  characters.reserve(characters.size() + bytes->size());
  for (std::size_t i = 0; i < bytes->size();) {
    const std::size_t length = sequence_length(text[i]);
    bool whole = length != 0 && length <= bytes->size() - i;
    std::int32_t point = length <= 1 ? text[i] : text[i] & (0x7F >> length);
    for (std::size_t k = 1; whole && k < length; ++k) {
      whole = (text[i + k] & 0xC0) == 0x80;
      point = point << 6 | (text[i + k] & 0x3F);
    }
    if (!whole)
      return Error{"`" + path + "` is not UTF-8 text: see byte " + std::to_string(i), {}, {}};
    characters.push_back(point);
    i += length;
  }
  return {};
}

/// Replaces code points by their ids; returns how many distinct ones there are.
std::int64_t number(std::vector<std::int32_t>& characters) {
  std::vector<std::int32_t> ids(0x200000, 0);  // all that four bytes can say
  for (const std::int32_t point : characters) ids[static_cast<std::size_t>(point)] = 1;
  std::int32_t count = 0;
  for (std::int32_t& id : ids)
    if (id != 0) id = count++;
  for (std::int32_t& point : characters) point = ids[static_cast<std::size_t>(point)];
  return count;
}

}  // namespace

Result<std::unique_ptr<Source>> open_chars(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  const std::string path = args.path({"file", "path"});
  const std::string eval = args.optional_path("eval");
  const double holdout = args.number("holdout", 0.1);
  if (Status read = args.finish(); !read) return read.error();
  IdRow row{spec.name, {}, 0, 0, "distinct characters"};
  if (Status read = read_characters(path, row.ids); !read) return read.error();
  const auto size = static_cast<std::int64_t>(row.ids.size());
  const Result<std::int64_t> train = rows_for_training(size, holdout, spec.name);
  if (!train) return train.error();
  row.train = eval.empty() ? *train : size;
  if (!eval.empty())
    if (Status read = read_characters(eval, row.ids); !read) return read.error();
  row.count = number(row.ids);
  return make_window_source(std::move(row), seed);
}

}  // namespace mtfc::runtime
