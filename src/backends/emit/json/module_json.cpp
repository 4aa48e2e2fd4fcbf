#include "backends/emit/json/module_json.h"

#include "ir/text_words.h"

namespace mtfc::backends {
namespace {

class Emitter {
 public:
  Emitter(const Module& module, const SourceMap& sources) : module_(module), sources_(sources) {}

  Json program(const Program& program) const {
    Json instructions = Json::array();
    for (const Instruction& at : program.instructions)
      instructions.push_back(instruction(program, at));
    return {{"name", program.name}, {"instructions", std::move(instructions)}};
  }

 private:
  Json instruction(const Program& program, const Instruction& at) const {
    Json operands = Json::array(), results = Json::array();
    for (ValueId id : at.operands) operands.push_back(id.index);
    for (ValueId id : at.results)
      results.push_back({{"id", id.index},
                         {"name", program.at(id).name},
                         {"type", type_json(module_, program.at(id).type)}});
    return {{"kind", name(at.kind)},
            {"attributes", attributes_json(module_, at.kind)},
            {"operands", std::move(operands)},
            {"results", std::move(results)},
            {"origin",
             {{"source", source_text(sources_, at.origin.span)},
              {"scope", at.role.block},
              {"phase", name(at.origin.phase)},
              {"recompute", at.role.recompute},
              {"cause", at.origin.cause}}}};
  }

  const Module& module_;
  const SourceMap& sources_;
};

Json mesh_json(const Mesh& mesh) {
  Json axes = Json::array();
  for (const MeshAxis& axis : mesh.axes) axes.push_back({{"name", axis.name}, {"size", axis.size}});
  return {{"axes", std::move(axes)}, {"processors", mesh.processors()}};
}

Json dim_table_json(const DimTable& table) {
  Json dims = Json::array();
  for (const Dim& dim : table.all()) {
    dims.push_back({{"name", dim.unique_name},
                    {"declared", dim.name},
                    {"scope", dim.scope},
                    {"size", dim.size},
                    {"formula", dim.formula}});
    if (dim.pads.valid()) dims.back()["pads"] = table.name(dim.pads);
  }
  return dims;
}

Json input_json(const Module& module, const ModuleInput& input, const runtime::TrainPlan* plan) {
  Json json = {{"name", input.name},
               {"source", input.source},
               {"field", input.field},
               {"type", type_json(module, input.type)}};
  if (plan)
    for (const runtime::InputSpec& spec : plan->inputs)
      if (spec.name == input.name && spec.ids > 0)
        json["places"] = {{"dim", spec.ids_dim}, {"size", spec.ids}};
  return json;
}

}  // namespace

Json module_json(const Module& module, const runtime::TrainPlan* plan, const SourceMap& sources) {
  const Emitter emit(module, sources);
  Json variables = Json::array(), inputs = Json::array(), programs = Json::array();
  for (const ModuleVariable& variable : module.variables)
    variables.push_back({{"path", variable.path},
                         {"kind", name(variable.kind)},
                         {"type", type_json(module, variable.type)}});
  for (const ModuleInput& input : module.inputs) inputs.push_back(input_json(module, input, plan));
  for (const Program& program : module.programs) programs.push_back(emit.program(program));
  return {{"mesh", mesh_json(module.mesh)},
          {"dims", dim_table_json(module.dims)},
          {"variables", std::move(variables)},
          {"inputs", std::move(inputs)},
          {"programs", std::move(programs)}};
}

}  // namespace mtfc::backends
