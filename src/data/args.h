// The arguments of a data source, read with their types checked.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "data/source_spec.h"
#include "support/result.h"

namespace mtfc::runtime {

/// Each argument is asked for once; `finish` tells what went wrong, arguments nobody asked for
/// included.
class Args {
 public:
  explicit Args(const SourceSpec& spec);

  /// The file or directory, under any of these names, relative to the spec's directory.
  std::string path(std::initializer_list<std::string_view> names);
  std::string optional_path(std::string_view name);  // empty if not given
  std::string word(std::string_view name, std::string_view otherwise);
  double number(std::string_view name, double otherwise);
  std::int64_t integer(std::string_view name, std::int64_t otherwise);
  bool flag(std::string_view name, bool otherwise);
  /// What is left of named file arguments: npy("images.npy", label="labels.npy").
  std::vector<std::pair<std::string, std::string>> remaining_paths();
  /// Notes what is wrong with the arguments together; the first complaint counts.
  void fail(const std::string& what);
  Status finish();

 private:
  const SourceSpec::Value* take(std::string_view name);
  std::string resolve(const std::string& path) const;

  const SourceSpec& spec_;
  std::vector<bool> taken_;
  Status status_;
};

}  // namespace mtfc::runtime
