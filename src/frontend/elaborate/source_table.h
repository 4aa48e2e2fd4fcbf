// The data sources: their arguments and fields.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace mtfc::elab {

struct SourceField {
  std::string_view name;  // empty: the source itself is the field
  DType dtype;
  int rank;  // of the input, the examples' dimension included; 0: any
};

struct SourceForm {
  enum class Arg { text, integer, number, flag };
  struct Formal {
    std::string_view name;
    Arg type;
    bool required;
  };
  std::string_view name;
  std::vector<Formal> args;         // positional ones bind in this order
  std::vector<SourceField> fields;  // empty: any field
  bool more_files = false;          // further named arguments are files, and fields
};

const SourceForm* find_source(std::string_view name);
std::vector<std::string> source_names();

}  // namespace mtfc::elab
