// mtfc run: any tensors of the model, and gradients of the loss by them, at step 0.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/run/execution.h"
#include "cli/session/compile.h"
#include "cli/session/from_checkpoint.h"
#include "cli/session/outputs.h"
#include "cli/session/programs.h"
#include "cli/session/train_plan.h"
#include "data/feeder.h"
#include "data/files/npz.h"
#include "ir/named_values.h"
#include "messages/wrap.h"
#include "support/did_you_mean.h"
#include "support/program_names.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// max |x|; not a number if an element is none.
double largest(const runtime::HostTensor& tensor) {
  double found = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = std::abs(runtime::element(tensor, i));
    if (std::isnan(value)) return value;
    found = std::max(found, value);
  }
  return found;
}

const Graph& forward(const Session& session, const Model& model) {
  return session.options.training ? model.train : model.eval;
}

using NamedValues = std::map<std::string, ValueId>;

bool is_loss_or_metric(const Model& model, const std::string& name) {
  return std::any_of(
      model.eval.outputs.begin(), model.eval.outputs.end(), [&](const mtfc::Output& o) {
        return o.name == name &&
               (o.kind == mtfc::Output::Kind::loss || o.kind == mtfc::Output::Kind::metric);
      });
}

/// Reports every name that the model lacks.
bool all_known(Session& session, const Model& model, const NamedValues& values) {
  std::vector<std::string> known;
  for (const auto& [name, value] : values) known.push_back(name);
  bool all = true;
  for (const std::string& name : session.options.names) {
    if (values.contains(name)) continue;
    all = false;
    Diagnostic unknown = diag(DiagKind::unknown_name, "the model has no tensor `" + name + "`");
    if (std::string near = suggested(name, known); !near.empty())
      unknown.helps.push_back(std::move(near));
    if (is_loss_or_metric(model, name))
      unknown.helps.push_back("`" + name +
                              "` is a loss or metric: `mtfc train` and `mtfc eval` give it");
    session.report(std::move(unknown));
  }
  return all;
}

/// The type of what was fetched: of the tensor of its name, or of the one whose gradient it is;
/// null if it is neither.
const TensorType* type_of(const Model& model, const Graph& graph, const NamedValues& values,
                          const runtime::Fetched& item) {
  for (const std::string& name : {item.name, std::string(gradient_names::value_of(item.name))}) {
    const auto found = values.find(name);
    if (found == values.end()) continue;
    const TensorType& type = graph.at(found->second).type;
    std::vector<std::int64_t> extents;
    for (const DimId dim : type.dims) extents.push_back(model.dims.size(dim));
    if (extents == item.value.extents) return &type;
  }
  return nullptr;
}

/// Each name once, in order.
std::vector<std::string> without_repeats(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names)
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  return all;
}

/// The dimensions' names as the model has them; what dumps print where two are alike.
std::vector<std::string> names_of_dims(const Model& model, const DimList& dims) {
  std::vector<std::string> names;
  for (const DimId dim : dims) {
    const std::string& name = model.dims[dim].name;
    const auto alike = std::count_if(dims.begin(), dims.end(),
                                     [&](DimId other) { return model.dims[other].name == name; });
    names.push_back(alike == 1 ? name : model.dims.name(dim));
  }
  return names;
}

std::string describe(const Model& model, const TensorType& type, const runtime::Fetched& item) {
  std::vector<std::string> dims = names_of_dims(model, type.dims);
  for (std::size_t i = 0; i < dims.size(); ++i)
    dims[i] += "=" + std::to_string(model.dims.size(type.dims[i]));
  return fmt::format("{}: {}[{}]  largest {}", item.name, name(type.dtype), joined(dims, ", "),
                     rounded(largest(item.value), 6));
}

runtime::Status save(const Model& model, const Graph& graph, const NamedValues& values,
                     const std::vector<runtime::Fetched>& fetched, const std::string& path) {
  runtime::Result<runtime::NpzWriter> writer = runtime::NpzWriter::create(path);
  if (!writer) return writer.error();
  for (const runtime::Fetched& item : fetched) {
    writer->add(item.name, item.value);
    const TensorType* type = type_of(model, graph, values, item);
    if (type == nullptr) continue;
    writer->add(item.name + ".dims", names_of_dims(model, type->dims));
  }
  return writer->finish();
}

/// Runs the program on the first batch of the training split. False: reported.
bool compute(Session& session, const Model& model, runtime::Engine& engine,
             std::vector<runtime::Fetched>& fetched) {
  const runtime::TrainPlan plan = make_train_plan(session, model);
  runtime::Feeds feeds;
  runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(plan);
  if (feeder) runtime::read_for(*feeder, engine);
  const runtime::Status fed = feeder ? feeder->train(0, feeds) : feeder.error();
  if (!fed) report_data_failure(session, model, fed.error());
  if (!session.all(bool{fed})) return false;  // nobody waits for a rank that has no data
  if (!same_data(session, *feeder)) return false;
  if (!plan.inputs.empty()) {
    const std::vector<std::int64_t>& whole = plan.inputs[0].extents;
    set_scalar(feeds, feed_names::examples, whole.empty() ? 1 : whole[0]);
  }
  if (!initialise_weights(session, model, engine)) return false;
  engine.run(program_names::run, feeds, fetched);
  std::erase_if(fetched, [](const runtime::Fetched& item) { return item.kind != "tensor"; });
  return true;
}

}  // namespace

int run(Session& session) {
  int status = exit_done;
  lowering::Request request;
  request.whole_batch = true;
  const std::optional<Compiled> compiled = compile(session, request, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  if (const auto refused = refused_outputs(
          session, {{session.options.out, runtime::OutputForm::archive}}, read_by(session, model));
      refused)
    return session.finish(*refused);
  const Graph& graph = forward(session, model);
  const NamedValues values = named_values(graph);
  if (session.options.names.empty())
    return session.usage_error("`run` needs the names of tensors",
                               "such as: mtfc run " + session.options.model + " " +
                                   (values.empty() ? "NAME" : values.rbegin()->first));
  if (!all_known(session, model, values)) return session.finish(exit_usage);
  request.tensors = without_repeats(session.options.names);
  request.gradients = session.options.gradients;
  request.training_mode = session.options.training;
  std::optional<Module> module = lower_for(session, model, compiled->assignment, request, status);
  if (!module) return session.finish(status);
  std::optional<Execution> execution = Execution::make(session, std::move(*module), status);
  if (!execution) return session.finish(status);
  std::vector<runtime::Fetched> fetched;
  if (!compute(session, model, execution->engine(), fetched)) return session.finish(exit_failed);
  status = execution->status_of_replicas(session, exit_done);
  if (status != exit_done) return session.finish(status);
  std::vector<std::string> names;
  for (const runtime::Fetched& item : fetched) {
    names.push_back(json(item.name));
    if (const TensorType* type = type_of(model, graph, values, item))
      session.print(wrapped(describe(model, *type, item), {0, 2, output_columns()}) + "\n");
  }
  if (!session.options.out.empty() && execution->engine().is_root())
    if (const runtime::Status saved = save(model, graph, values, fetched, session.options.out);
        !saved) {
      session.report_failure(DiagKind::run_failed, saved.error());
      return session.finish(exit_failed);
    }
  return session.finish(exit_done, {{"tensors", json_array(names)}});
}

}  // namespace mtfc::cli
