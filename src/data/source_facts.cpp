#include "data/source_facts.h"

#include <algorithm>

#include "data/args.h"
#include "data/files/random_file.h"
#include "data/table.h"
#include "support/environment.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t whole = std::int64_t{4} << 20;  // files that are read entirely
constexpr std::int64_t block = 4096, blocks = 256;

/// Where blocks begin: evenly over the file, the first at its beginning and the last at its end.
std::int64_t begin_of(std::int64_t number, std::int64_t size) {
  const std::int64_t last = size - block;
  return number + 1 == blocks ? last : last / (blocks - 1) * number;
}

constexpr std::string_view in_parts = " bytes, in parts";
/// Whether ranks have in their files what they read, and anything else beside it.
bool are_parts() { return environment("MTFC_DATA") == "parts"; }

}  // namespace

std::string file_fact(const std::string& path) {
  const Result<RandomFile> file = RandomFile::open(path);
  if (!file) return "cannot be read";
  const std::int64_t size = file->size();
  if (are_parts()) return std::to_string(size) + std::string(in_parts);
  const bool small = size <= whole;
  std::string text(static_cast<std::size_t>(small ? size : block), '\0');
  Digest digest;
  for (std::int64_t i = 0; i < (small ? 1 : blocks); ++i) {
    const auto bytes = std::as_writable_bytes(std::span(text.data(), text.size()));
    if (!file->read(small ? 0 : begin_of(i, size), bytes)) return "cannot be read";
    digest.add(text);
  }
  return std::to_string(size) + " bytes, digest " + digest.text();
}

bool is_in_parts(std::string_view fact) { return fact.ends_with(in_parts); }

std::vector<SourceFile> files_of(const SourceSpec& spec) {
  std::vector<SourceFile> files;
  const SourceRow* row = find_source(spec.function);
  if (row == nullptr) return files;
  for (const auto& [name, value] : spec.args) {
    const auto* path = std::get_if<std::string>(&value);
    if (path == nullptr || !row->is_path(name)) continue;
    if (name == "dir")
      for (const std::string& file : idx_files(resolved(spec, *path)))
        files.push_back({file.substr(file.rfind('/') + 1), file.substr(file.rfind('/') + 1), file});
    else
      files.push_back({name, *path, resolved(spec, *path)});
  }
  return files;
}

Facts facts_of(const SourceSpec& spec, FileNames names) {
  Facts facts;
  for (const SourceFile& file : files_of(spec))
    facts.push_back({"`" + (names == FileNames::paths ? file.name : file.argument) +
                         "` of data source `" + spec.name + "`",
                     file_fact(file.path)});
  return facts;
}

}  // namespace mtfc::runtime
