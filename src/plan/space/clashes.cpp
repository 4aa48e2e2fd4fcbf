#include "plan/space/clashes.h"

#include <optional>

#include "ir/glob.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "plan/space/block_paths.h"
#include "plan/space/choice.h"

namespace mtfc::plan {
namespace {

/// All of them over one axis; nothing if no layout may say that.
std::optional<Assignment> on_one_axis(const Model& model, const std::vector<std::string>& dims) {
  Choice choice;
  choice.mesh.axes = {{"all", 2}};
  for (const std::string& dim : dims) choice.rules.push_back({dim, {"all"}});
  Diagnostics silent;
  return lowering::resolve_all(layout_of(choice), std::nullopt, model, silent).assignment;
}

std::string block_of(const Model& model, const lowering::Site& site) {
  using Kind = lowering::Site::Kind;
  switch (site.kind) {
    case Kind::variable:
      return path_around(general_path(model.variables[site.index].path));
    case Kind::input:
      return "";
    case Kind::value: {
      const OpId producer = site.graph->values[site.index].producer;
      return without_uses(general_path(site.graph->at(producer).role.block.str()));
    }
    case Kind::operation:
      return without_uses(general_path(site.graph->ops[site.index].role.block.str()));
  }
  return "";
}

}  // namespace

std::set<std::pair<std::string, std::string>> names_together(const Model& model) {
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::set<std::string>> seen;
  for (const Operation& op : model.train.ops) {
    std::set<std::string> names;
    for (const auto* values : {&op.operands, &op.results})
      for (const ValueId id : *values)
        for (const DimId dim : model.train.at(id).type.dims) names.insert(model.dims[dim].name);
    if (!seen.insert(names).second) continue;
    for (const std::string& one : names)
      for (const std::string& other : names) pairs.emplace(one, other);
  }
  return pairs;
}

bool clashes(const Model& model, const std::vector<std::string>& dims) {
  const std::optional<Assignment> assignment = on_one_axis(model, dims);
  return !assignment || !lowering::is_legal(model, *assignment);
}

std::set<std::string> clashing_blocks(const Model& model, const std::vector<std::string>& dims) {
  std::set<std::string> blocks;
  const std::optional<Assignment> assignment = on_one_axis(model, dims);
  if (!assignment) return {""};
  lowering::for_each_clash(model, *assignment,
                           [&](const lowering::Site& site, const lowering::Clash&) {
                             blocks.insert(block_of(model, site));
                             return true;
                           });
  return blocks;
}

}  // namespace mtfc::plan
