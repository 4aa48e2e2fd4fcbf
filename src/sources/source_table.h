// The kinds of data sources: their arguments, with defaults, and their fields. One row each, read
// by the checker of models, by the readers of data, by what records and what emits a run.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sources/source_spec.h"
#include "support/dtype.h"

namespace mtfc {

struct SourceArg {
  enum class Kind {
    path,  // of a file or folder, relative to SourceSpec::directory
    word,
    integer,
    share,  // a number that is at least 0 and less than 1
    flag
  };
  /// What the source takes if the argument is not given; none: it decides by the other arguments.
  using Default = std::variant<std::monostate, double, std::int64_t, bool, std::string_view>;
  std::string_view name;
  Kind kind;
  bool required = false;
  Default otherwise = {};
  /// Another argument beside which this one says nothing; empty: there is none.
  std::string_view idle_beside = {};
};

struct SourceField {
  std::string_view name;  // empty: the source itself is the field
  DType dtype;
  int rank;  // of the input, the examples' dimension included; 0: any
};

struct SourceRow {
  std::string_view name;
  std::vector<SourceArg> args;        // positional ones bind in this order
  std::vector<SourceField> fields;    // empty: any field
  bool reads_text = false;            // its ids stand for text
  bool more_files = false;            // further named arguments are paths, and fields
  std::string_view first_field = {};  // with more files: that of the first one

  const SourceArg* find(std::string_view arg) const;
  /// Whether an argument of this name is a path.
  bool is_path(std::string_view arg) const;
};

const std::vector<SourceRow>& source_table();
/// Null if no source is called that.
const SourceRow* find_source(std::string_view name);
/// Of one that has such a row; empty: only its files tell. One empty name: it is the field itself.
std::vector<std::string> fields_of(const SourceRow& row, const SourceSpec& source);
/// "idx, digits, ...": for messages.
std::string source_names();

/// Whether a path is among the arguments that are given.
bool opens_files(const SourceSpec& source);
/// `path` from `directory` on, which is empty for the working directory.
std::string path_from(const std::string& directory, const std::string& path);
/// Gives the source another path as its first argument, relative to the working directory; its
/// other paths lead where they led. False, and nothing is changed, if its first argument is no
/// path.
bool replace_path(SourceSpec& source, std::string path);

}  // namespace mtfc
