// tokens(FILE, holdout=0.1) and tokens(FILE, eval="FILE"): ids as unsigned 16-bit numbers, little
// end first, nothing else (nanoGPT's .bin).
#include <algorithm>

#include "runtime/data/args.h"
#include "runtime/data/table.h"
#include "runtime/data/windows.h"

namespace mtfc::runtime {
namespace {

Status read_ids(const std::string& path, std::vector<std::int32_t>& ids) {
  const Result<Bytes> bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (bytes->size() % 2 != 0)
    return Error{"`" + path + "` has an odd number of bytes: it is no list of 16-bit ids", {}, {}};
  ids.reserve(ids.size() + bytes->size() / 2);
  for (std::size_t i = 0; i < bytes->size(); i += 2)
    ids.push_back(static_cast<std::int32_t>((*bytes)[i]) |
                  static_cast<std::int32_t>((*bytes)[i + 1]) << 8);
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> open_tokens(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  const std::string path = args.path({"file", "path"});
  const std::string eval = args.optional_path("eval");
  const double holdout = args.number("holdout", 0.1);
  if (Status read = args.finish(); !read) return read.error();
  IdRow row{spec.name, {}, 0, 0, "the largest id is one less than"};
  if (Status read = read_ids(path, row.ids); !read) return read.error();
  const auto size = static_cast<std::int64_t>(row.ids.size());
  const Result<std::int64_t> train = rows_for_training(size, holdout, spec.name);
  if (!train) return train.error();
  row.train = eval.empty() ? *train : size;
  if (!eval.empty())
    if (Status read = read_ids(eval, row.ids); !read) return read.error();
  row.count = row.ids.empty() ? 0 : *std::max_element(row.ids.begin(), row.ids.end()) + 1;
  return make_window_source(std::move(row), seed);
}

}  // namespace mtfc::runtime
