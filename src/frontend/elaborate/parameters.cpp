#include "frontend/elaborate/parameters.h"

#include <algorithm>

#include "frontend/elaborate/report.h"
#include "ir/glob.h"
#include "ops/op.h"

namespace mtfc::elab {

namespace {

/// Composites without a gradient of their own are rebuilt from what has one.
bool passes_gradient(const ops::OpDef& def) {
  return def.gradient || (def.expand && def.not_differentiable.empty());
}

/// The variables that a loss depends on smoothly.
std::set<std::string> reached_variables(const Graph& graph) {
  std::vector<bool> reached(graph.values.size());
  for (const Output& output : graph.outputs)
    if (output.kind == Output::Kind::loss) reached[output.value.at()] = true;
  std::set<std::string> variables;
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    const Operation& op = graph.ops[i];
    bool any = false;
    for (ValueId result : op.results) any = any || reached[result.at()];
    if (!any) continue;
    if (op.op == "read") variables.insert(op.attrs.text("variable"));
    if (!passes_gradient(ops::op_named(op.op))) continue;
    for (ValueId operand : op.operands)
      if (is_float(graph.at(operand).type.dtype)) reached[operand.at()] = true;
  }
  return variables;
}

struct Listed {
  std::string text;
  std::size_t count = 0;
  void add(const std::string& path) {
    constexpr std::size_t shown = 4;
    if (count < shown) text += (count ? ", `" : "`") + path + "`";
    if (count == shown) text += ", ...";
    ++count;
  }
};

}  // namespace

void collect_used(Context& cx) {
  std::vector<bool> used(cx.graph.values.size());
  for (const Output& output : cx.graph.outputs) used[output.value.at()] = true;
  for (std::size_t i = cx.graph.ops.size(); i-- > 0;) {
    const Operation& op = cx.graph.ops[i];
    // A parameter is read and cast at once: that is no use yet.
    if (op.op == "cast" && !used[op.results[0].at()]) continue;
    for (ValueId id : op.operands) used[id.at()] = true;
  }
  for (const Operation& op : cx.graph.ops) {
    if (op.op != "read" || !used[op.results[0].at()]) continue;
    const auto it = cx.session.variables.find(op.attrs.text("variable"));
    if (it != cx.session.variables.end()) cx.session.used_variables.insert(it->second);
  }
}

void apply_globs(Session& session) {
  std::vector<std::string> paths;
  for (const Variable& v : session.model.variables)
    if (v.kind == Variable::Kind::parameter) paths.push_back(v.path);
  for (const Session::Glob& glob : session.globs) {
    ParamSettings& group = session.model.settings.params[glob.group];
    bool any = false;
    for (Variable& v : session.model.variables) {
      if (!glob_matches(glob.text, v.path)) continue;
      any = any || (v.kind == Variable::Kind::state && group.settings.contains("init"));
      if (v.kind != Variable::Kind::parameter) continue;
      any = true;
      const auto it = group.settings.find("frozen");
      if (it != group.settings.end()) v.trainable = !std::get<bool>(it->second);
    }
    if (any) continue;
    Diagnostic d =
        diag(DiagKind::glob_matches_nothing, "no parameter matches \"" + glob.text + "\"")
            .at(glob.span);
    std::string some;
    for (std::size_t i = 0; i < paths.size() && i < 6; ++i)
      some += (i ? ", `" : "`") + paths[i] + "`";
    if (!some.empty())
      d.notes.push_back("the parameters are " + some + (paths.size() > 6 ? " ..." : ""));
    d.helps.push_back("`*` matches any text within a segment, `**` across segments");
    session.diagnostics.report(std::move(d));
  }
}

void warn_unused_parameters(Session& session) {
  for (std::size_t i = 0; i < session.model.variables.size(); ++i) {
    const Variable& v = session.model.variables[i];
    const VariableId id{static_cast<std::int32_t>(i)};
    if (v.kind != Variable::Kind::parameter || session.used_variables.count(id)) continue;
    session.diagnostics.report(
        diag(DiagKind::unused_parameter, "parameter `" + v.path + "` is never used")
            .at(v.declared)
            .help("remove it, or use it"));
  }
}

namespace {

/// What numbers the examples of inputs, and nothing within an example of others: an input of
/// positions alone may have those of a text first.
std::set<DimId> dims_of_examples(const Model& model) {
  std::set<DimId> first, later;
  for (const Input& input : model.inputs)
    for (std::size_t i = 0; i < input.type.dims.size(); ++i)
      (i == 0 ? first : later).insert(input.type.dims[i]);
  for (const DimId dim : later) first.erase(dim);
  return first;
}

}  // namespace

void warn_parameters_of_examples(Session& session) {
  const Model& model = session.model;
  const std::set<DimId> examples = dims_of_examples(model);
  for (const Variable& v : model.variables) {
    if (v.kind != Variable::Kind::parameter) continue;
    for (const DimId dim : v.type.dims) {
      if (!examples.contains(dim)) continue;
      const std::string& name = model.dims[dim].name;
      session.diagnostics.report(
          diag(DiagKind::parameter_of_examples,
               "parameter `" + v.path + "` has the dimension of the examples, `" + name + "`")
              .at(v.declared, "one for each place of a batch, whatever example is there")
              .help("leave `" + name + "` out; if it is meant, give the parameter a dimension of " +
                    "its own, `dim places = " + name + "`"));
    }
  }
}

void warn_states_without_update(Session& session) {
  const Model& model = session.model;
  if (!has_loss(model.train)) return;
  for (const Variable& v : model.variables) {
    const auto writes = [&](const Output& output) {
      return output.kind == Output::Kind::variable && output.name == v.path;
    };
    if (v.kind != Variable::Kind::state ||
        std::any_of(model.train.outputs.begin(), model.train.outputs.end(), writes))
      continue;
    session.diagnostics.report(
        diag(DiagKind::state_not_updated, "state `" + v.path + "` has no `update`")
            .at(v.declared, "keeps its first value")
            .help("write `update " + v.path.substr(v.path.rfind('.') + 1) +
                  " = ...` beside it, or make it a `const`"));
  }
}

void note_untrained_parameters(Session& session) {
  const Model& model = session.model;
  if (!model.settings.present || !has_loss(model.train)) return;
  const std::set<std::string> reached = reached_variables(model.train);
  Listed frozen, unreached;
  Span first;
  for (const auto& [path, id] : session.variables) {
    const Variable& v = model.variables[id.at()];
    if (v.kind != Variable::Kind::parameter || !session.used_variables.count(id)) continue;
    if (v.trainable && reached.count(path)) continue;
    (v.trainable ? unreached : frozen).add(path);
    if (!first.valid() || v.declared.begin < first.begin) first = v.declared;
  }
  const std::size_t count = frozen.count + unreached.count;
  if (count == 0) return;
  Diagnostic d = diag(DiagKind::untrained_parameters,
                      counted(count, "parameter") + (count == 1 ? " is" : " are") + " not trained")
                     .at(first);
  if (frozen.count) d.notes.push_back("frozen: " + frozen.text);
  if (unreached.count) d.notes.push_back("no gradient reaches " + unreached.text);
  session.diagnostics.report(std::move(d));
}

void warn_constant_losses(Session& session) {
  const Model& model = session.model;
  const Graph& graph = model.train;
  if (!model.settings.present) return;
  std::vector<bool> trained(graph.values.size());
  for (const Operation& op : graph.ops) {
    bool any = false;
    if (op.op == "read") {
      const auto it = session.variables.find(op.attrs.text("variable"));
      const Variable* v =
          it == session.variables.end() ? nullptr : &model.variables[it->second.at()];
      any = v && v->kind == Variable::Kind::parameter && v->trainable;
    } else if (passes_gradient(ops::op_named(op.op))) {
      for (ValueId operand : op.operands) any = any || trained[operand.at()];
    }
    for (ValueId result : op.results) trained[result.at()] = any;
  }
  for (const Output& output : graph.outputs) {
    if (output.kind != Output::Kind::loss || trained[output.value.at()]) continue;
    session.diagnostics.report(
        diag(DiagKind::constant_loss,
             "the loss `" + output.name + "` reaches no parameter that is trained")
            .at(graph.producer(output.value).origin.span,
                "no gradient passes from here to a parameter")
            .note(
                "gradients stop at ints, comparisons, `argmax`, `stop_gradient`, and at parameters "
                "that are `frozen`")
            .help("if it is only to be watched, make it a metric: `metric " +
                  (output.name == "loss" ? std::string("name") : output.name) + " = ...`"));
  }
}

}  // namespace mtfc::elab
