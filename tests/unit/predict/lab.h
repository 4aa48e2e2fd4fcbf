// Machines from text, for tests.
#pragma once
#include <optional>
#include <string>

#include "frontend/layout/parse_layout.h"
#include "messages/render.h"
#include "predict/collectives.h"
#include "predict/predict.h"
#include "predict/presets.h"
#include "predict/read_machine.h"

namespace predict_lab {

using namespace mtfc;
using namespace mtfc::predict;

struct ReadMachine {
  std::optional<Machine> machine;
  std::string messages;
};

/// `hardware p { ... }` with this text in braces.
ReadMachine read(const std::string& text, const Mesh& mesh = {});
/// A chip of round numbers with these links; it must be right.
Machine with_links(const std::string& links, const Mesh& mesh = {});
/// "rows=2, cols=4"
Mesh mesh_of(const std::string& text);

}  // namespace predict_lab
