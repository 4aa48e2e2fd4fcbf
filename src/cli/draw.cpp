// mtfc draw: a tensor, an operation, a step as a picture.
#include <algorithm>
#include <sstream>

#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/options/words.h"
#include "cli/reports/costed.h"
#include "cli/reports/costed_pipeline.h"
#include "cli/reports/why_target.h"
#include "cli/session/file_kind.h"
#include "cli/session/judge_layout.h"
#include "cli/session/mesh_text.h"
#include "cli/session/outputs.h"
#include "cli/session/read_model.h"
#include "data/files/atomic_file.h"
#include "draw/flow_picture.h"
#include "draw/memory_picture.h"
#include "draw/operation_picture.h"
#include "draw/passes_picture.h"
#include "lowering/pipeline.h"
#include "messages/wrap.h"

namespace mtfc::cli {
namespace {

/// The model under one layout.
struct Laid {
  std::string path;
  std::string mesh;  // in words
  Module module = {};
  Costed costed = {};
  std::vector<cost::LineShard> shards = {};
  std::optional<CostedPipeline> pipeline = {};  // in place of the above
};

bool wants_text(const std::string& out) {
  return out.empty() || out == "-" || ending_of(out) == ".txt";
}

/// Characters in a line of one picture, and of all that stand side by side.
struct Widths {
  double one = 0, all = 0;
};
Widths widths_of(const Options& options, std::size_t layouts) {
  constexpr double wide = 150, beside = 88;
  if (wants_text(options.out)) {
    const auto terminal = static_cast<double>(output_columns()) - 1;
    return {terminal, terminal};
  }
  if (layouts < 2) return {wide, wide};
  return {beside, 2 * beside + 8};
}

std::optional<Laid> laid_out(Session& session, const Model& model, const std::string& path,
                             int& status) {
  lowering::LayoutReport report = judge_layout(session, model, path, status);
  session.report(report.diagnostics);
  if (!report.assignment) return std::nullopt;
  session.flush();
  if (report.assignment->stages) {
    std::optional<CostedPipeline> found =
        cost_pipeline(session, model, *report.assignment, report.hardware, status);
    if (!found) return std::nullopt;
    Laid laid{path, mesh_text(*report.assignment)};
    laid.pipeline = std::move(found);
    return laid;
  }
  status = exit_usage;
  Module module = lowering::lower(model, *report.assignment, {});
  std::optional<Costed> found = costed(session, module);
  if (!found) return std::nullopt;
  std::vector<cost::LineShard> shards =
      cost::line_shards(module, *report.assignment, session.sources);
  return Laid{path, mesh_text(module.mesh), std::move(module), std::move(*found),
              std::move(shards)};
}

/// The model under each layout of the command line, or one without any. Absent: reported.
std::optional<std::vector<Laid>> all_laid_out(Session& session, const Model& model, int& status) {
  std::vector<std::string> paths = session.options.layouts;
  if (paths.empty()) paths.emplace_back();
  std::vector<Laid> all;
  for (const std::string& path : paths) {
    std::optional<Laid> one = laid_out(session, model, path, status);
    if (!one) return std::nullopt;
    all.push_back(std::move(*one));
  }
  return all;
}

/// A tensor, its instances by how they are split; of a line that computes nothing its parameters,
/// its input.
draw::Picture tensors_of(const Laid& laid, const WhyTarget& target, double columns) {
  std::vector<draw::Picture> all;
  for (const cost::LineShard& shard : laid.shards)
    if (target.has(shard) && !shard.name.empty())
      all.push_back(draw::tensor_picture(laid.module, shard.name, shard.paths(), columns));
  return draw::stacked(all);
}

/// The same of all layouts that stand side by side, so that they compare.
struct Scales {
  draw::StepScale step = {};
  double passes = 0;  // seconds; 0: each pipeline has its own scale
};

draw::Picture passes_of(const Laid& laid, double longest, double columns) {
  const CostedPipeline& costed = *laid.pipeline;
  const std::vector<pipeline::TimedTask> passes = costed.passes();
  const draw::PassesScale scale{longest > 0 ? longest : pipeline::span(passes),
                                costed.prediction.has_value()};
  return draw::passes_picture(costed.module.shape, passes, costed.cost, scale, columns);
}

/// What is called `what` under a layout; an empty picture if nothing is.
draw::Picture picture_of(const Session& session, const Model& model, const Laid& laid,
                         const std::string& what, const Scales& scales, double columns,
                         std::vector<std::string>& known) {
  if (laid.pipeline) return passes_of(laid, scales.passes, columns);
  const draw::StepScale& scale = scales.step;
  const cost::Cost& cost = laid.costed.cost;
  if (what == drawn::memory)
    return draw::memory_picture(laid.module, cost, session.sources, scale, columns);
  if (what == drawn::flow)
    return draw::flow_picture(laid.module, cost, laid.shards, session.sources, scale, columns);
  const auto target =
      find_target(what, model, session.sources.path(*session.model_file), cost, laid.shards, known);
  if (!target) return {};
  if (!target->name.empty()) return tensors_of(laid, *target, columns);
  const draw::Picture operation =
      draw::operation_picture(laid.module, session.sources, target->source, columns);
  return operation.width > 0 ? operation : tensors_of(laid, *target, columns);
}

int nothing_so_called(Session& session, const std::string& what, const Model& model,
                      const std::vector<std::string>& known) {
  return session.usage_error(
      "the step has no tensor and computes nothing that is called or stands at " +
          backquoted(what, 60),
      help_without_target(what, model, known));
}

/// A heading for one of several layouts.
draw::Picture under(const Laid& laid, const draw::Picture& picture, double columns) {
  draw::Picture all;
  all.title = picture.title;
  const std::string heading = laid.path + ": " + laid.mesh;
  all.add(draw::Text{0, 0, heading, draw::Text::Style::title});
  all.width = std::max(columns, static_cast<double>(heading.size()));
  all.add(picture, 0, 2);
  return all;
}

bool shows_tensors(const std::string& what) {
  return std::find(drawn::all.begin(), drawn::all.end(), what) == drawn::all.end();
}

/// Stages are drawn as their passes, and nothing else has passes.
int no_passes(Session& session, const Laid& laid, const std::string& what) {
  if (what == drawn::passes)
    return session.usage_error("nothing cuts the model into stages, whose passes could be drawn",
                               "name a layout with a `pipeline`, or draw `flow`");
  return session.usage_error("layout " + backquoted(laid.path, 60) +
                                 " cuts the model into stages, of which `passes` is the picture",
                             "draw " + backquoted(what, 60) + " under a layout without `pipeline`");
}

/// Those of several layouts with the same time for a character, where all have a machine.
double longest_passes(const std::vector<Laid>& laid) {
  double span = 0;
  for (const Laid& one : laid) {
    if (!one.pipeline->prediction) return 0;
    span = std::max(span, pipeline::span(one.pipeline->prediction->passes));
  }
  return span;
}

Scales scales_of(const std::vector<Laid>& laid) {
  std::vector<const cost::Cost*> costs;
  for (const Laid& one : laid) costs.push_back(&one.costed.cost);
  return {draw::scale_of(costs), laid.front().pipeline ? longest_passes(laid) : 0};
}

/// The status if something cannot be drawn of these layouts, which is reported.
std::optional<int> refused_names(Session& session, const std::vector<Laid>& laid,
                                 const std::vector<std::string>& names) {
  for (const std::string& what : names)
    for (const Laid& one : laid)
      if (one.pipeline.has_value() != (what == drawn::passes)) return no_passes(session, one, what);
  if (!laid.front().pipeline && !session.options.hardware.empty())
    return session.usage_error("no picture but `passes`, of a pipeline, needs a machine",
                               "leave out `--hardware`");
  return std::nullopt;
}

/// What is called `what` under each layout; none if nothing is under one of them.
std::vector<draw::Picture> beside_each_other(const Session& session, const Model& model,
                                             const std::vector<Laid>& laid, const std::string& what,
                                             const Scales& scales, double columns,
                                             std::vector<std::string>& known) {
  std::vector<draw::Picture> beside;
  for (const Laid& one : laid) {
    draw::Picture picture = picture_of(session, model, one, what, scales, columns, known);
    if (picture.width == 0) return {};
    beside.push_back(laid.size() > 1 ? under(one, picture, columns) : std::move(picture));
  }
  return beside;
}

/// How to read tensors.
draw::Picture how_to_read(double columns) {
  draw::Picture all;
  const std::string text =
      "Numbers are the ranks that have a shard; `0 + 1`: each has a part of the sum. In operations "
      "rank 0's shards have a thick border.";
  std::istringstream lines(wrapped(text, {0, 0, static_cast<std::size_t>(columns)}));
  for (std::string line; std::getline(lines, line);)
    all.add(draw::Text{0, all.height++, line, draw::Text::Style::faint});
  all.width = columns;
  return all;
}

int finish(Session& session, const draw::Picture& picture) {
  const std::string& out = session.options.out;
  const bool text = wants_text(out);
  const std::string made = text ? to_text(picture) : to_svg(picture);
  JsonFields fields;
  if (out.empty() || out == "-") {
    session.print(made);
    fields = {{"text", json(made)}, {"svg", json(to_svg(picture))}};
  } else if (const runtime::Status written = runtime::write_text(out, made); !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return session.finish(exit_failed);
  } else {
    fields = {{"out", json(out)}};
  }
  return session.finish(exit_done, std::move(fields));
}

}  // namespace

int pictures(Session& session) {
  const Options& options = session.options;
  if (has_other_format(options.out))
    return session.usage_error(
        "`draw` writes SVG; " + backquoted(options.out, 60) + " has the ending of another format",
        "name a file that ends with `.svg`, which browsers show, or with `.txt`");
  int status = exit_done;
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return session.finish(status);
  const std::optional<std::vector<Laid>> laid = all_laid_out(session, *model, status);
  if (!laid) return session.finish(status);
  const auto form = wants_text(options.out) ? runtime::OutputForm::text : runtime::OutputForm::svg;
  if (const auto refused =
          refused_outputs(session, {{options.out, form}}, read_by(session, *model)))
    return session.finish(*refused);
  std::vector<std::string> names = options.names;
  if (names.empty()) names.emplace_back(laid->front().pipeline ? drawn::passes : drawn::flow);
  if (const auto refused = refused_names(session, *laid, names)) return *refused;

  const Widths widths = widths_of(options, laid->size());
  const Scales scales = scales_of(*laid);
  std::vector<draw::Picture> rows;
  for (const std::string& what : names) {
    std::vector<std::string> known;
    const std::vector<draw::Picture> beside =
        beside_each_other(session, *model, *laid, what, scales, widths.one, known);
    if (beside.empty()) return nothing_so_called(session, what, *model, known);
    rows.push_back(draw::in_rows(beside, widths.all));
  }
  if (std::any_of(names.begin(), names.end(), shows_tensors))
    rows.push_back(how_to_read(widths.all));
  return finish(session, draw::stacked(rows));
}

}  // namespace mtfc::cli
