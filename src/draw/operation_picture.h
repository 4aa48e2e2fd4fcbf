// Tensors and operations of a program as pictures: what is cut how, and what moves it.
#pragma once
#include <string>

#include "draw/picture.h"
#include "ir/module.h"
#include "messages/source_map.h"

namespace mtfc::draw {

/// Instances of a tensor, called `name` in the picture: each sharding in which a step has one, and
/// the collectives that lead from one to the next. Empty (no width) if a step has none so named.
Picture tensor_picture(const Module& module, const std::string& name,
                       const std::vector<std::string>& instances, double columns);

/// What a line of the model computes, "models/gpt.mtf:14": the operands of its products, or of the
/// last thing that it computes, the results, and the collectives that complete them. In blocks with
/// several instances the first one. Empty if the step computes nothing there.
Picture operation_picture(const Module& module, const SourceMap& sources, const std::string& source,
                          double columns);

/// The model's text at "models/gpt.mtf:14"; empty if there is no such file.
std::string source_line(const SourceMap& sources, const std::string& source);

}  // namespace mtfc::draw
