// The names that a line of a dump refers to: dimensions, mesh axes, element types.
#pragma once
#include "ir/dump_line.h"
#include "ir/module.h"

namespace mtfc {

/// Look-ups in the module read so far. All throw DumpFailure.
class DumpNames {
 public:
  explicit DumpNames(const Module& module) : module_(module) {}

  DType dtype(DumpLine& line) const {
    const auto type = dtype_named(line.word());
    if (!type) throw DumpFailure{"unknown element type"};
    return *type;
  }
  DimId dim(DumpLine& line) const {
    const std::string name = line.word();
    const auto id = module_.dims.find_unique(name);
    if (!id) throw DumpFailure{"no dimension `" + name + "`"};
    return *id;
  }
  AxisId axis(DumpLine& line) const {
    const std::string name = line.word();
    const auto id = module_.mesh.find(name);
    if (!id) throw DumpFailure{"no mesh axis `" + name + "`"};
    return *id;
  }
  std::vector<AxisId> axes(DumpLine& line) const {
    std::vector<AxisId> list;
    do list.push_back(axis(line));
    while (line.take("+"));
    return list;
  }
  DimList dims(DumpLine& line, std::string_view close) const {
    DimList list;
    while (!line.take(close)) {
      list.push_back(dim(line));
      line.take(",");
    }
    return list;
  }
  DimList named_dims(DumpLine& line, std::string_view name) const {
    line.need(name);
    line.need("(");
    return dims(line, ")");
  }

  Combine combine(DumpLine& line) const {
    const std::string kind = line.word();
    if (kind == "sum") return Combine::sum;
    if (kind == "max") return Combine::max;
    if (kind == "min") return Combine::min;
    throw DumpFailure{"unknown reduction"};
  }

 private:
  const Module& module_;
};

/// An instruction's kind, its attributes from where its operands end.
InstructionKind read_instruction(const DumpNames& names, const std::string& kind, DumpLine& line);

}  // namespace mtfc
