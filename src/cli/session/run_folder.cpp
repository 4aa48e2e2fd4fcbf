#include "cli/session/run_folder.h"

#include <filesystem>

#include "cli/session/from_checkpoint.h"
#include "data/files/read_file.h"
#include "frontend/layout/replace_mesh.h"
#include "kernels/kernels.h"
#include "support/text.h"
#include "train/checkpoint/folder.h"

namespace mtfc::cli {
namespace {

/// run.json: enough to repeat the run and to know what made it.
std::string description(const Session& session, const Model& model) {
  const Options& o = session.options;
  const runtime::ModelRecord record = model_record(session, model);
  JsonFields dims;
  for (const Dim& dim : model.dims.all())
    if (dim.scope.empty()) dims.emplace_back(dim.unique_name, json(dim.size));
  return json_object({{"schema", "1"},
                      {"version", json(program_version)},
                      {"command", json_list(o.words)},
                      {"model", json(model.path)},
                      {"layout", o.layouts.empty() ? "null" : json(o.layouts.front())},
                      {"mesh", o.mesh ? json(*o.mesh) : "null"},
                      {"rules", o.rules ? json(*o.rules) : "null"},
                      {"defines", json_texts(record.defines)},
                      {"settings", json_texts(record.settings)},
                      {"resumed_at",
                       session.checkpoint ? json(session.checkpoint->record.state.steps) : "null"},
                      {"dims", json_object(dims)},
                      {"steps", json(model.settings.steps)},
                      {"seed", json(model.settings.seed)},
                      {"instructions", json(runtime::instruction_set())},
                      {"products", json(runtime::product_library())}}) +
         "\n";
}

/// The text of a source by the path it was read from.
const std::string* text_of(const SourceMap& sources, const std::string& path) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (const FileId file{static_cast<std::int32_t>(i)}; sources.path(file) == path)
      return &sources.text(file);
  return nullptr;
}

/// The layout that the run has: the text of --layout or --rules, with the mesh of --mesh. Absent:
/// it has none.
std::optional<std::string> layout_text(const Session& session, const Mesh& mesh) {
  const Options& o = session.options;
  const std::string* text =
      text_of(session.sources, !o.layouts.empty() ? o.layouts.front() : "--rules");
  if (o.mesh) return with_mesh(text ? *text : "", mesh);
  return text && !text->empty() ? std::optional(*text) : std::nullopt;
}

}  // namespace

std::string run_folder(const Session& session) {
  const Options& o = session.options;
  if (!o.out.empty() || o.checkpoint.empty()) return o.out;
  return runtime::has_checkpoints(o.checkpoint) ? runtime::run_folder_of(o.checkpoint) : "";
}

Options with_layout_of_run(Options options) {
  if (options.command != "train" || options.checkpoint.empty() || !options.layouts.empty() ||
      options.rules)
    return options;
  const std::string folder = runtime::run_folder_of(options.checkpoint);
  const std::string layout = folder + "/" + runtime::layout_name;
  std::error_code failed;
  if (folder.empty() || !std::filesystem::is_regular_file(layout, failed) ||
      !runtime::OutputFolder::may_have_written(folder, runtime::layout_name))
    return options;
  options.layouts = {layout};
  options.runs_layout = true;
  return options;
}

std::string resume_command(const Session& session, const std::string& folder) {
  // Everything else is in the folder.
  const std::string ranks =
      session.ranks ? "mpirun -n " + std::to_string(session.ranks->network().ranks()) + " " : "";
  return ranks + "mtfc train --resume " + shell_word(folder);
}

std::vector<runtime::RunText> run_texts(const Session& session, const Model& model,
                                        const Mesh& mesh) {
  return {{runtime::model_name, session.sources.text(model.files.front().second)},
          {runtime::layout_name, layout_text(session, mesh)},
          {runtime::description_name, description(session, model)}};
}

}  // namespace mtfc::cli
