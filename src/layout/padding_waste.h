// What padding of dimensions that their mesh axes do not divide costs, rule by rule.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// A rule splits a dimension over axes that do not divide it.
struct UnevenRule {
  DimId dim;
  const LayoutRule* rule;
};

/// Tensors that a mistake concerns; asked for only if there is one.
using Names = std::function<std::vector<std::string>()>;

/// A rule splits a dimension of the model over axes, as tensors have it: an error if they must
/// divide it and do not, on the assignment's mesh or in one of its stages. If they need not, the
/// rule is noted in `uneven`.
std::optional<Diagnostic> check_divides(const Model& model, const Assignment& assignment,
                                        UnevenRule rule, const std::vector<AxisId>& axes,
                                        const Names& tensors, std::vector<UnevenRule>& uneven);

/// Says what each rule wastes: a note, from a tenth on a warning. A dimension that would become too
/// large is an error (E401).
void note_padding(const Model& model, const Assignment& assignment,
                  const std::vector<UnevenRule>& rules, Diagnostics& diagnostics);

}  // namespace mtfc::lowering
