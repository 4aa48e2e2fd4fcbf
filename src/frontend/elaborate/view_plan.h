// What a view does, checked and in ids, before anything is built.
#pragma once
#include <optional>
#include <vector>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// One item `dim = index`.
struct LookUp {
  DimId dim;
  ValueId index;
  std::optional<Affine> sites;  // of a window
  double fill;
  bool goes_with(const LookUp& other) const {
    return sites.has_value() == other.sites.has_value() && fill == other.fill;
  }
};

struct ViewPlan {
  std::vector<DimGroup> groups;
  struct Slice {
    DimId dim;
    std::int64_t begin;
    DimId fresh;
  };
  std::vector<Slice> slices;
  std::vector<LookUp> look_ups;
  struct Unequal {
    Dims from, to;
    Span span;
  };
  std::vector<Unequal> unequal;  // items whose sides differ in size
  Dims taken;                    // dimensions of the base that an item consumes
  Dims made;                     // by renames and slices
};

/// False if there is a mistake, reported.
bool plan_view(Context& cx, const ast::View& view, const Operand& base, ViewPlan& plan);
/// No name twice in the result, and both sides of each item equal in size.
bool check_view_result(Context& cx, const Operand& base, const ast::View& view,
                       const ViewPlan& plan);

}  // namespace mtfc::elab
