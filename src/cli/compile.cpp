#include "cli/compile.h"
#include "ir/verify.h"

#include <algorithm>

#include "cli/from_checkpoint.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "ir/text.h"
#include "lowering/graph/microbatch/split_batch.h"
#include "support/check.h"

namespace mtfc::cli {

namespace {

/// The file of the command line, or the text in the checkpoint.
std::optional<FileId> find_model(Session& session) {
  if (!session.options.model.empty()) return session.read(session.options.model);
  if (session.checkpoint && !session.checkpoint->record.model.files.empty()) {
    const auto& [place, text] = session.checkpoint->record.model.files.front();
    return session.sources.add(place, text);
  }
  session.report(diag(DiagKind::wrong_usage, "no MODEL is given")
                     .help(session.checkpoint
                               ? "the checkpoint does not have the model's text: name its file"
                               : "name a .mtf file, or - for standard input"));
  return std::nullopt;
}

ElaborateOptions elaborate_options(const Session& session) {
  ElaborateOptions options{session.options.defines, session.options.settings};
  // A wrong split is told from rounding only where rounding is small.
  options.half_as_f32 = session.options.command == "verify" && !session.options.tolerance;
  if (session.checkpoint) {
    const runtime::ModelRecord& record = session.checkpoint->record.model;
    options.defines = merged(record.defines, options.defines);
    options.settings = merged(record.settings, options.settings);
    if (session.options.model.empty()) options.files = {record.files.begin(), record.files.end()};
  }
  return options;
}

}  // namespace

namespace {
/// What makes no training step sees whole batches, of any size.
bool split_if_it_steps(Session& session, Model& model, Diagnostics& diagnostics) {
  const std::string& command = session.options.command;
  const bool whole = command == "generate" || command == "run" || command == "eval";
  return whole || lowering::split_batch(model, diagnostics);
}
}  // namespace

std::optional<Model> read_model(Session& session, int& status) {
  if (!open_checkpoint(session, status)) return std::nullopt;
  status = exit_usage;
  session.model_file = find_model(session);
  if (!session.model_file) return std::nullopt;
  status = exit_invalid;
  std::optional<Model> model = elaborate(session.sources, *session.model_file,
                                         elaborate_options(session), session.diagnostics);
  if (model && !split_if_it_steps(session, *model, session.diagnostics)) return std::nullopt;
  return model;
}

std::optional<Model> read_model_again(Session& session, const std::vector<KeyValue>& defines,
                                      int& status) {
  status = exit_invalid;
  ElaborateOptions options = elaborate_options(session);
  options.defines.insert(options.defines.end(), defines.begin(), defines.end());
  Diagnostics found;
  std::optional<Model> model = elaborate(session.sources, *session.model_file, options, found);
  if (model && !split_if_it_steps(session, *model, found)) model.reset();
  if (!model)
    for (const Diagnostic& diagnostic : found.all()) session.report(diagnostic);
  return model;
}

namespace {

std::optional<Layout> read_layout(Session& session, const std::string& path, Diagnostics& found,
                                  int& status) {
  if (!path.empty()) {
    // What is wrong with a file's name belongs to the command, not to one of its layouts.
    const std::optional<FileId> file = session.read(path);
    if (!file) status = exit_usage;
    return file ? parse_layout(session.sources, *file, found) : std::nullopt;
  }
  if (!session.options.rules) return Layout{};
  const FileId file = session.add_fragment("--rules", *session.options.rules);
  return parse_layout(session.sources, file, found);
}

}  // namespace

lowering::LayoutReport judge_layout(Session& session, const Model& model,
                                    const std::string& layout_path, int& status) {
  status = exit_invalid;
  Diagnostics found;
  const std::optional<Layout> layout = read_layout(session, layout_path, found, status);
  std::optional<Mesh> mesh;
  if (session.options.mesh) {
    const FileId file = session.add_fragment("--mesh", *session.options.mesh);
    mesh = parse_mesh(session.sources, file, found);
    // Whatever the layout's own mesh is, it is not the one that was asked for.
    if (!mesh) return {layout_path, false, {}, 1, 0, std::move(found), std::nullopt};
  }
  return lowering::check_layout(layout_path.empty() ? "--rules" : layout_path, layout,
                                std::move(found), mesh, model, session.sources);
}

std::optional<Compiled> compile(Session& session, int& status) {
  std::optional<Model> model = read_model(session, status);
  if (!model) return std::nullopt;
  const std::string path = session.options.layouts.empty() ? "" : session.options.layouts.front();
  lowering::LayoutReport report = judge_layout(session, *model, path, status);
  for (const Diagnostic& diagnostic : report.diagnostics.all()) session.report(diagnostic);
  if (!report.placement) return std::nullopt;
  session.flush();
  return Compiled{std::move(*model), std::move(*report.placement)};
}

namespace {

std::optional<Module> start_from(Session& session, int& status) {
  status = exit_usage;
  const std::optional<FileId> file = session.read(session.options.start_from);
  if (!file) return std::nullopt;
  std::string error;
  std::optional<Module> module = parse_module(session.sources.text(*file), error, &session.sources);
  if (!module)
    session.report(diag(DiagKind::unreadable_file,
                        "`" + session.options.start_from + "` is no dump of a module: " + error)
                       .help("dumps after the passes from `lower` on can be continued from"));
  if (module) error = mtfc::verify(*module);
  if (module && !error.empty()) {
    session.report(diag(DiagKind::unreadable_file, "the module in `" + session.options.start_from +
                                                       "` breaks a rule: " + error));
    return std::nullopt;
  }
  return module;
}

/// Prints the dumps that were asked for.
void dump(const Session& session, const std::string& pass, const std::string& text) {
  const bool all = session.options.dump_after == "all";
  if (all) session.print("# after " + pass + "\n");
  if (all || session.options.dump_after == pass) session.print(text);
}

}  // namespace

std::optional<Module> lower_for(Session& session, const Model& model, const Placement& placement,
                                lowering::Request request, int& status) {
  const std::string& wanted = session.options.dump_after;
  const std::vector<std::string>& passes = lowering::pass_names();
  if (!wanted.empty() && wanted != "all" &&
      std::find(passes.begin(), passes.end(), wanted) == passes.end()) {
    std::string known = "all";
    for (const std::string& pass : passes) known += ", " + pass;
    session.report(diag(DiagKind::wrong_usage, "no pass is called `" + wanted + "`")
                       .help("there are: " + known));
    status = exit_usage;
    return std::nullopt;
  }
  if (!session.options.start_from.empty()) return start_from(session, status);
  if (!wanted.empty())
    request.after = [&](const std::string& pass, const std::function<std::string()>& text) {
      if (wanted == "all" || wanted == pass) dump(session, pass, text());
    };
  Module module = lowering::lower(model, placement, request);
  const std::string broken = mtfc::verify(module);
  if (!broken.empty()) internal_error("lowering", 0, broken);
  status = exit_done;
  if (!wanted.empty()) return std::nullopt;
  return module;
}

std::string mesh_text(const Mesh& mesh) {
  if (mesh.processors() == 1) return "one processor";
  return "mesh " + to_string(mesh);
}

}  // namespace mtfc::cli
