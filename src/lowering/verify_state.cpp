// What each stage must obey: graphs the operations' shape rules, programs the law.
#include <map>
#include <set>

#include "ir/verify.h"
#include "lowering/pipeline.h"
#include "ops/inputs.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

std::string check_operation(const Graph& graph, const DimTable& dims, const Operation& op,
                            const std::vector<bool>& made) {
  const ops::OpDef* def = ops::find_op(op.op);
  if (!def) return "no operation is so named";
  if (std::string error = ops::check_signature(def->signature, op); !error.empty()) return error;
  std::vector<TensorType> types;
  for (ValueId id : op.operands) {
    if (!id.valid() || id.at() >= made.size() || !made[id.at()])
      return "a value is used before it is made";
    types.push_back(graph.at(id).type);
  }
  const ops::Inferred inferred = def->infer({dims, types, op.attrs});
  if (!inferred.error.empty()) return inferred.error;
  if (inferred.types.size() != op.results.size()) return "wrong number of results";
  for (std::size_t i = 0; i < op.results.size(); ++i)
    if (graph.at(op.results[i]).type != inferred.types[i]) return "wrong resulting type";
  for (const TensorType& type : inferred.types)
    if (std::set<DimId>(type.dims.begin(), type.dims.end()).size() != type.dims.size())
      return "a dimension occurs twice";
  return "";
}

}  // namespace

std::string verify(const Graph& graph, const DimTable& dims) {
  std::vector<bool> made(graph.values.size());
  for (const Operation& op : graph.ops) {
    if (const std::string error = check_operation(graph, dims, op, made); !error.empty())
      return graph.name + ": " + error + ": " + op.op;
    for (ValueId id : op.results) made[id.at()] = true;
  }
  const auto is_made = [&](ValueId id) {
    return id.valid() && id.at() < made.size() && made[id.at()];
  };
  for (const Output& output : graph.outputs)
    if (!is_made(output.value)) return graph.name + ": output `" + output.name + "` is not made";
  for (const ParameterUpdate& update : graph.updates)
    if (update.gradient.valid() && !is_made(update.gradient))
      return graph.name + ": the gradient of `" + update.parameter + "` is not made";
  return "";
}

namespace {

using TypesByPath = std::map<std::string, TensorType>;

/// From `assign-shardings` on those of the module, which `shard-update` pads.
TypesByPath variable_types(const State& s) {
  TypesByPath types;
  for (const Variable& v : s.model.variables) types[v.path] = v.type;
  for (const ModuleVariable& v : s.made.module.variables) types[v.path] = v.type.tensor;
  return types;
}

/// What a graph reads are variables, of the same types.
std::string check_reads(const Graph& graph, const TypesByPath& variables) {
  for (const Operation& op : graph.ops) {
    const std::string* path = ops::variable_read(op);
    if (path == nullptr) continue;
    const auto found = variables.find(*path);
    if (found == variables.end() || found->second != graph.at(op.results[0]).type)
      return graph.name + ": there is no variable `" + *path + "` of this type";
  }
  return "";
}

}  // namespace

std::string verify(const State& s, PassStage stage) {
  if (stage == PassStage::programs) return mtfc::verify(s.made.module);
  const TypesByPath types = variable_types(s);
  for (const Graph* graph :
       {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph}) {
    if (std::string error = verify(*graph, s.model.dims); !error.empty()) return error;
    if (std::string error = check_reads(*graph, types); !error.empty()) return error;
  }
  for (std::size_t i = 0; i < s.made.graphs.size(); ++i) {
    const Graph& graph = s.made.graphs[i];
    if (std::string error = verify(graph, s.model.dims); !error.empty()) return error;
    if (std::string error = check_reads(graph, types); !error.empty()) return error;
    if (!s.made.shardings.empty() && s.made.shardings[i].size() != graph.values.size())
      return graph.name + ": not every value has a sharding";
  }
  return "";
}

}  // namespace mtfc::lowering
