// The arguments of a data source as its row of sources/source_table.h declares them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/source_table.h"
#include "support/result.h"

namespace mtfc::runtime {

/// A path among the source's arguments, from the spec's directory on.
std::string resolved(const SourceSpec& spec, const std::string& path);

/// Names, types and presence are checked against the row when it is made; a reader then takes every
/// argument of the row, defaults included. `finish` says what is wrong with them.
class Args {
 public:
  /// The source must have a row.
  explicit Args(const SourceSpec& spec);

  /// A file or directory, relative to the spec's directory; empty if it is not given.
  std::string path(std::string_view name);
  std::string word(std::string_view name);
  /// For words whose default depends on other arguments.
  std::string word(std::string_view name, std::string_view otherwise);
  double number(std::string_view name);
  std::int64_t integer(std::string_view name);
  bool flag(std::string_view name);
  /// Named file arguments beyond those of the row: npy("images.npy", label="labels.npy").
  std::vector<std::pair<std::string, std::string>> more_paths();
  /// Notes what is wrong with the arguments together; the first complaint counts.
  void fail(const std::string& what);
  Status finish();

 private:
  void check();
  const SourceArg& take(std::string_view name, SourceArg::Kind kind);
  template <class T, class Default = T>
  T value(std::string_view name, SourceArg::Kind kind);
  const SourceSpec::Value* given(std::string_view name) const;

  const SourceSpec& spec_;
  const SourceRow& row_;
  std::vector<std::string_view> taken_;
  Status status_;
};

}  // namespace mtfc::runtime
