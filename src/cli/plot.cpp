// mtfc plot: the curves of training logs as an SVG picture.
#include <filesystem>

#include "cli/options/commands.h"
#include "cli/session/file_kind.h"
#include "cli/session/outputs.h"
#include "data/files/atomic_file.h"
#include "plot/draw.h"
#include "train/loop/run_files.h"

namespace mtfc::cli {
namespace {

using plot::RunCurves;

/// A run folder stands for its log.
std::string log_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path + "/" + runtime::log_name : path;
}

/// "runs/a" for runs/a, runs/a/ and runs/a/log.jsonl; "b.jsonl" for b.jsonl.
std::string run_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (name.filename() == runtime::log_name && name.has_parent_path()) name = name.parent_path();
  if (!name.has_filename() && name.has_parent_path()) name = name.parent_path();
  return name.string();
}

/// The log's curves, with a warning for lines that are none of a log. Absent: reported.
std::optional<RunCurves> read_run(Session& session, const std::string& path) {
  const std::string location = log_path(path);
  const runtime::Result<runtime::Bytes> bytes = runtime::read_file(location);
  if (!bytes) {
    session.report(diag(DiagKind::unreadable_file, bytes.error().message));
    return std::nullopt;
  }
  const std::string_view text = runtime::text_of(*bytes);
  RunCurves run = plot::read_log(text, run_name(path));
  if (run.broken > 0)
    session.report(diag(DiagKind::broken_log_line, "`" + location + "`: line " +
                                                       std::to_string(run.first_broken) +
                                                       " is not a log record")
                       .note(counted(run.broken, "line") + " of the file left out"));
  return run;
}

/// Whether there are losses, and none that a logarithmic axis has a place for.
bool all_below_zero(const std::vector<RunCurves>& runs) {
  bool any = false;
  for (const RunCurves& run : runs)
    for (const plot::Curve* curve : {&run.loss, &run.eval_loss})
      for (const plot::Point& point : *curve) {
        if (point.value > 0) return false;
        any = any || point.value <= 0;
      }
  return any;
}

std::string title_of(const Session& session, const std::vector<RunCurves>& runs) {
  if (!session.options.title.empty()) return session.options.title;
  return runs.size() == 1 ? runs.front().name : counted(runs.size(), "run");
}

}  // namespace

int plot_curves(Session& session) {
  if (has_other_format(session.options.out))
    return session.usage_error("`plot` writes SVG; " + backquoted(session.options.out, 60) +
                                   " has the ending of another format",
                               "name a file that ends with `.svg`; browsers show it");
  std::vector<RunCurves> runs;
  for (const std::string& path : session.options.names) {
    std::optional<RunCurves> run = read_run(session, path);
    if (run) runs.push_back(std::move(*run));
  }
  if (runs.size() < session.options.names.size()) return session.finish(exit_usage);
  const plot::Style style{title_of(session, runs), session.options.log_scale};
  const bool without_losses = style.log && all_below_zero(runs);
  const std::string all_below = "no loss is above 0, as a logarithmic axis needs";
  if (without_losses && !plot::can_draw(runs, style)) {
    session.report(diag(DiagKind::nothing_to_draw, all_below).help("leave `--log-scale` out"));
    return session.finish(exit_failed);
  }
  if (without_losses) session.note(all_below);
  if (!plot::can_draw(runs, style)) {
    session.report(
        diag(DiagKind::nothing_to_draw, "there is no loss or learning rate to draw in `" +
                                            log_path(session.options.names.front()) + "`" +
                                            (runs.size() > 1 ? " or the others" : ""))
            .help("`mtfc train --log FILE` writes a log"));
    return session.finish(exit_failed);
  }
  std::vector<std::string> logs;
  for (const std::string& path : session.options.names) logs.push_back(log_path(path));
  if (const auto refused =
          refused_outputs(session, {{session.options.out, runtime::OutputForm::svg}}, logs);
      refused)
    return session.finish(*refused);
  const std::string svg = plot::draw(runs, style);
  std::vector<std::string> names;
  for (const RunCurves& run : runs) names.push_back(json(run.name));
  if (session.options.out.empty()) {
    session.print(svg);
    return session.finish(exit_done, {{"runs", json_array(names)}, {"svg", json(svg)}});
  }
  if (const runtime::Status written = runtime::write_text(session.options.out, svg); !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return session.finish(exit_failed);
  }
  return session.finish(exit_done,
                        {{"runs", json_array(names)}, {"out", json(session.options.out)}});
}

}  // namespace mtfc::cli
