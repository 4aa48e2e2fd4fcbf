#include "backends/verify/tile_names.h"

namespace mtfc::backends {

std::set<std::string> names_in_tiles(const Model& model, const Module& trained) {
  std::set<std::string> kept;
  bool tiles = false;
  for (const Program& program : trained.programs) {
    for (const ProgramValue& value : program.values) kept.insert(value.name.str());
    for (const Instruction& at : program.instructions)
      tiles = tiles || std::holds_alternative<Tiled>(at.kind);
  }
  std::set<std::string> lost;
  if (!tiles) return lost;
  for (const Value& value : model.train.values)
    if (!value.name.empty() && !kept.contains(value.name)) lost.insert(value.name);
  return lost;
}

}  // namespace mtfc::backends
