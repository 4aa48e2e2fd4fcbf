// mtfc scale: what a step takes as one axis of the mesh grows.
#include "cli/options/commands.h"
#include "cli/options/option_takers.h"
#include "cli/options/usage.h"
#include "cli/reports/costed.h"
#include "cli/reports/scale_text.h"
#include "cli/session/file_kind.h"
#include "cli/session/judge_layout.h"
#include "cli/session/outputs.h"
#include "cli/session/read_model.h"
#include "data/files/atomic_file.h"
#include "lowering/pipeline.h"
#include "messages/wrap.h"
#include "plot/scaling.h"
#include "support/did_you_mean.h"

namespace mtfc::cli {
namespace {

/// `--axis stages=1..8` means those of a pipeline.
constexpr const char* by_stages = "stages";

/// Compiles the model for each size of the axis, and predicts its step.
class Scaler {
 public:
  Scaler(Session& session, const Model& model, const ScaleAxis& axis)
      : session_(session), model_(model), axis_(axis) {
    scaling_.weak = !session.options.weak.empty();
  }

  /// The sizes up to the first that cannot be had, which is reported; `status` says how to end.
  predict::Scaling run(int& status) {
    for (const std::int64_t size : axis_.sizes) {
      if (!add(size, status)) break;
      status = exit_done;
    }
    return std::move(scaling_);
  }
  // Of the last size.
  const std::string& machine() const { return machine_; }
  const std::string& where() const { return where_; }

 private:
  bool add(std::int64_t size, int& status) {
    std::optional<Model> grown;
    if (scaling_.weak && !(grown = grow(size, status))) return false;
    const Model& model = grown ? *grown : model_;
    std::vector<std::string> axes;
    bool found = false, in_proportion = true;
    const auto change = [&](Layout& layout) {
      if (!layout.pipeline) return;
      axes.emplace_back(by_stages);
      found = axis_.name == by_stages;
      if (found) set_stages(*layout.pipeline, size);
      if (!found) in_proportion = scale_stages(*layout.pipeline, size);
    };
    const auto change_mesh = [&](Mesh& mesh) {
      for (MeshAxis& axis : mesh.axes) {
        axes.push_back(axis.name);
        if (found || axis.name != axis_.name) continue;
        axis.size = size;
        found = true;
      }
    };
    const std::string path =
        session_.options.layouts.empty() ? "" : session_.options.layouts.front();
    lowering::LayoutReport report =
        judge_layout(session_, model, path, status, change, change_mesh);
    if (!in_proportion) return no_whole_stages(size, status);
    if (!found && report.ok) return unknown_axis(axes, status);
    report_on(report, size);
    if (!report.assignment) return false;
    return report.assignment->stages ? add_pipeline(size, model, report, status)
                                     : add_mesh(size, model, report, status);
  }

  bool add_mesh(std::int64_t size, const Model& model, const lowering::LayoutReport& report,
                int& status) {
    status = exit_done;
    const std::optional<Target> target =
        find_target(session_, report.hardware, report.assignment->mesh, status);
    if (!target) return no_machine(status);
    status = exit_usage;
    const Module module = lowering::lower(model, *report.assignment, {});
    auto costs = costed_run(session_, model, module, target->machine.chip.detail());
    if (!costs) return false;
    machine_ = target->machine.name;
    where_ = to_string(target->mesh, target->machine, target->mapping);
    scaling_.points.push_back({size, report.processors,
                               predict::predict(costs->cost, target->machine, target->mapping), 0});
    return true;
  }

  bool add_pipeline(std::int64_t size, const Model& model, const lowering::LayoutReport& report,
                    int& status) {
    const std::optional<CostedPipeline> costed =
        cost_pipeline(session_, model, *report.assignment, report.hardware, status);
    if (!costed) return false;
    if (!costed->machine) return no_machine(status);
    machine_ = costed->machine->name;
    where_ = costed->where;
    const predict::PipelinePrediction& found = *costed->prediction;
    predict::Prediction of_one;
    of_one.step = found.step;
    of_one.exposed = found.exposed;
    of_one.hidden = found.hidden;
    of_one.peak_model = found.peak_model / found.processors;
    of_one.memory_needed = costed->cost.most_memory_of_run();
    of_one.memory_there = costed->machine->chip.memory;
    scaling_.in_stages = true;
    scaling_.points.push_back({size, costed->processors(), std::move(of_one), found.waiting()});
    return true;
  }

  /// Unless that is why there is no target, which is reported then.
  bool no_machine(int& status) {
    if (status != exit_done) return false;
    status = exit_usage;
    session_.report(diag(DiagKind::wrong_usage, "`scale` predicts times, which needs a machine")
                        .help("name one by --hardware or in the layout: `hardware h100`"));
    return false;
  }

  /// Evenly; a layout that lists the blocks of as many stages is left as it is.
  static void set_stages(LayoutPipeline& pipeline, std::int64_t size) {
    for (LayoutPipeline::Field& field : pipeline.fields) {
      const auto listed = static_cast<std::int64_t>(field.words.size());
      if (field.name == by_stages && (listed == 1 || listed != size))
        field.words = {std::to_string(size)};
    }
  }

  /// Where the pipeline says the axis stage by stage, `size` is that of the first, and the others
  /// grow as it does. False: not to whole numbers.
  bool scale_stages(LayoutPipeline& pipeline, std::int64_t size) const {
    for (LayoutPipeline::Field& field : pipeline.fields) {
      if (field.name != axis_.name) continue;
      const auto first = read_number<std::int64_t>(field.words.front());
      for (std::string& word : field.words) {
        const auto own = read_number<std::int64_t>(word);
        // What is no size is reported where layouts are judged.
        if (!first || !own || *first < 1 || *own < 1 || *own > largest_size) return true;
        if (*own * size % *first != 0) return false;
        word = std::to_string(*own * size / *first);
      }
    }
    return true;
  }

  bool no_whole_stages(std::int64_t size, int& status) {
    status = exit_usage;
    session_.report(
        diag(DiagKind::wrong_usage, "stages cannot have meshes in proportion to " +
                                        backquoted(axis_.name + "=" + std::to_string(size)))
            .help(
                "the sizes of `--axis` are those of the first stage, and the other stages grow as "
                "it does: let them be multiples of the size that the layout gives it"));
    return false;
  }

  /// Mistakes, and the warnings of the first size that has any: others would be told the same.
  void report_on(const lowering::LayoutReport& report, std::int64_t size) {
    const bool warns = !warned_ || !report.assignment;
    for (Diagnostic diagnostic : report.diagnostics.all()) {
      if (diagnostic.severity() == Severity::note || !warns) continue;
      if (diagnostic.severity() == Severity::error)
        diagnostic.notes.push_back("with `" + axis_.name + "=" + std::to_string(size) +
                                   "` of `--axis`");
      session_.report(std::move(diagnostic));
      warned_ = true;
    }
  }

  bool unknown_axis(const std::vector<std::string>& axes, int& status) {
    status = exit_usage;
    session_.report(
        diag(DiagKind::wrong_usage, "the mesh has no axis " + backquoted(axis_.name, 60))
            .help(axes.empty() ? "the layout has no mesh: give one by --mesh"
                               : suggested(axis_.name, axes, "it has " + joined(axes, ", "))));
    return false;
  }

  /// The model with as much more along --weak as the axis is longer than at first.
  std::optional<Model> grow(std::int64_t size, int& status) {
    const std::string& name = session_.options.weak;
    const std::optional<std::int64_t> own = size_of_dim(name);
    status = exit_usage;
    if (!own) {
      session_.report(
          diag(DiagKind::wrong_usage, "the model has no dimension " + backquoted(name, 60))
              .help(suggested(name, dim_names(), "it has " + joined(dim_names(), ", "))));
      return std::nullopt;
    }
    const std::int64_t first = axis_.sizes.front();
    if (*own > largest_size / size || *own * size % first != 0) {
      session_.report(
          diag(DiagKind::wrong_usage, backquoted(name) + " = " + std::to_string(*own) + " x " +
                                          std::to_string(size) + " / " + std::to_string(first) +
                                          " is not a size")
              .help(
                  "the model's size is that of the first mesh; let the sizes be multiples of its"));
      return std::nullopt;
    }
    return read_model_again(session_, {}, {{name, std::to_string(*own * size / first)}}, status);
  }

  /// Of the model's own dimensions, not of blocks'.
  std::vector<std::string> dim_names() const {
    std::vector<std::string> names;
    for (const Dim& dim : model_.dims.all())
      if (dim.scope.empty() && !is_alias_dim(dim)) names.push_back(dim.name);
    return names;
  }
  std::optional<std::int64_t> size_of_dim(const std::string& name) const {
    for (const Dim& dim : model_.dims.all())
      if (dim.scope.empty() && dim.name == name) return dim.size;
    return std::nullopt;
  }

  Session& session_;
  const Model& model_;
  const ScaleAxis& axis_;
  predict::Scaling scaling_;
  std::string machine_, where_;
  bool warned_ = false;
};

std::string title_of(const Options& o, const Model& model, const ScaleAxis& axis, std::int64_t last,
                     const std::string& machine) {
  return model.path + " on " + machine + ", " +
         (o.weak.empty() ? "strong scaling" : "weak scaling in " + o.weak) + " over " + axis.name +
         "=" + std::to_string(axis.sizes.front()) + ".." + std::to_string(last);
}

}  // namespace

int scale(Session& session) {
  const Options& o = session.options;
  if (has_other_format(o.out))
    return session.usage_error(
        "the chart is SVG; " + backquoted(o.out, 60) + " has the ending of another format",
        "name a file that ends with `.svg`; browsers show it");
  if (!o.title.empty() && o.out.empty())
    return session.usage_error("`--title` is the chart's", "name a file for it with -o");
  const std::optional<ScaleAxis> axis = read_scale_axis(o.axis);
  if (!axis)
    return session.usage_error(
        "`--axis` is not a mesh axis and its sizes: " + backquoted(o.axis, 60),
        "`rows=1..64` doubles from 1 to 64; `rows=1,3,6` takes these, in ascending order");
  int status = exit_done;
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return session.finish(status);
  if (const auto refused =
          refused_outputs(session, {{o.out, runtime::OutputForm::svg}}, read_by(session, *model));
      refused)
    return session.finish(*refused);
  Scaler scaler(session, *model, *axis);
  const predict::Scaling scaling = scaler.run(status);
  if (scaling.points.empty()) return session.finish(status);
  const std::string title =
      title_of(o, *model, *axis, scaling.points.back().size, scaler.machine());
  const std::string& mapping = scaler.where();
  session.print(wrapped(title, {0, 2, output_columns()}) + "\n\n" +
                scaling_table(scaling, axis->name) + "\n" +
                wrapped("the last on " + mapping, {0, 2, output_columns()}) + "\n");
  JsonFields fields = {{"hardware", json(scaler.machine())},
                       {"mapping", json(mapping)},
                       {"axis", json(axis->name)},
                       {"weak", o.weak.empty() ? "null" : json(o.weak)}};
  append(fields, scaling_json(scaling));
  if (o.out.empty()) return session.finish(status, fields);
  const std::string svg =
      plot::draw(scaling_chart(scaling, axis->name, o.title.empty() ? title : o.title));
  if (const runtime::Status written = runtime::write_text(o.out, svg); !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return session.finish(exit_failed, fields);
  }
  fields.emplace_back("out", json(o.out));
  return session.finish(status, fields);
}

}  // namespace mtfc::cli
