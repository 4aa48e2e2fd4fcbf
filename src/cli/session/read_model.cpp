#include "cli/session/read_model.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/session/file_kind.h"
#include "cli/session/from_checkpoint.h"
#include "frontend/elaborate/elaborate.h"
#include "lowering/pipeline.h"
#include "support/text.h"
#include "train/checkpoint/folder.h"

namespace mtfc::cli {
namespace {

/// What a command takes of a run in place of a model.
std::string advice_on_run(const std::string& command, const std::string& folder) {
  if (command == "train") return "`mtfc train --resume " + folder + "` resumes it";
  for (const char* one : {"eval", "generate", "run"})
    if (command == one) return "`mtfc " + command + " --checkpoint " + folder + "`";
  return "its model is " +
         backquoted((std::filesystem::path(folder) / runtime::model_name).string());
}

/// The folder of a run in place of the model: reported.
bool is_run(Session& session) {
  const std::string& path = session.options.model;
  if (runtime::checkpoints_in(path).empty()) return false;
  session.report(
      diag(DiagKind::wrong_usage, backquoted(path) + " is the folder of a run, not a model")
          .help(advice_on_run(session.options.command, path)));
  return true;
}

/// Whether the file is there with another text.
bool has_changed(const std::string& path, const std::string& text) {
  std::error_code no_file;
  if (!std::filesystem::is_regular_file(path, no_file)) return false;
  if (std::filesystem::file_size(path, no_file) != text.size()) return !no_file;
  std::ifstream file(path, std::ios::binary);
  const std::string now{std::istreambuf_iterator<char>(file), {}};
  return file && now != text;
}

/// The file of the command line, or the text in the checkpoint.
std::optional<FileId> find_model(Session& session) {
  if (!session.options.model.empty())
    return is_run(session) ? std::nullopt : session.read(session.options.model);
  if (session.checkpoint && !session.checkpoint->record.model.files.empty()) {
    const auto& [location, text] = session.checkpoint->record.model.files.front();
    if (has_changed(location, text))
      session.note("the model is that of the checkpoint: " + backquoted(location) +
                   " has changed since; name it to take it as it is now");
    return session.sources.add(location, text);
  }
  session.report(diag(DiagKind::wrong_usage, "no MODEL is given")
                     .help(session.checkpoint
                               ? "the checkpoint does not have the model's text: name its file"
                               : "name a .mtf file, or - for standard input"));
  return std::nullopt;
}

/// A layout in place of the model: reported.
bool is_layout(Session& session, FileId file) {
  const std::string& path = session.sources.path(file);
  if (kind_of(path, session.sources.text(file)) != FileKind::layout) return false;
  session.report(diag(DiagKind::wrong_usage, backquoted(path) + " is a layout, not a model")
                     .help("`mtfc " + session.options.command + " MODEL --layout " + path + "`"));
  return true;
}

ElaborateOptions elaborate_options(const Session& session) {
  ElaborateOptions options{session.options.defines, session.options.settings};
  keep_last_length(options.settings);
  if (session.checkpoint) {
    const runtime::ModelRecord& record = session.checkpoint->record.model;
    options.defines = merged(record.defines, options.defines);
    options.settings = merged(record.settings, options.settings);
    if (session.options.model.empty()) options.files = {record.files.begin(), record.files.end()};
  }
  return options;
}

/// With further -D and --set, which come last.
std::optional<Model> elaborated(Session& session, const std::vector<KeyValue>& defines,
                                const std::vector<KeyValue>& settings, Diagnostics& found) {
  ElaborateOptions options = elaborate_options(session);
  options.defines.insert(options.defines.end(), defines.begin(), defines.end());
  options.settings.insert(options.settings.end(), settings.begin(), settings.end());
  return elaborate(session.sources, *session.model_file, options, found);
}

/// As layouts are checked against it.
std::optional<Model> prepared(std::optional<Model> model, const lowering::Request& request,
                              Diagnostics& found) {
  if (model && !lowering::run_before_layout(*model, request, found)) model.reset();
  return model;
}

}  // namespace

std::optional<Model> read_model(Session& session, const lowering::Request& request, int& status) {
  if (!open_checkpoint(session, status)) return std::nullopt;
  status = exit_usage;
  session.model_file = find_model(session);
  if (!session.model_file || is_layout(session, *session.model_file)) return std::nullopt;
  status = exit_invalid;
  Diagnostics found;
  std::optional<Model> model = elaborated(session, {}, {}, found);
  for (const Diagnostic& one : found.all())
    if (request.trains() || one.kind != DiagKind::untrained_parameters) session.report(one);
  if (model) note_changes_of_used(session, *model);
  return prepared(std::move(model), request, session.diagnostics);
}

std::optional<Model> read_model_again(Session& session, const lowering::Request& request,
                                      const std::vector<KeyValue>& defines, int& status) {
  status = exit_invalid;
  Diagnostics found;
  std::optional<Model> model = prepared(elaborated(session, defines, {}, found), request, found);
  if (!model) session.report(found);
  return model;
}

std::optional<Model> try_model(Session& session, const std::vector<KeyValue>& defines,
                               const std::vector<KeyValue>& settings, std::size_t warnings) {
  Diagnostics found;
  std::optional<Model> model = prepared(elaborated(session, defines, settings, found), {}, found);
  if (found.warnings() > warnings) model.reset();
  return model;
}

Symbols read_symbols(Session& session) {
  Diagnostics found;
  return elaborate_with_symbols(session.sources, *session.model_file, elaborate_options(session),
                                found)
      .symbols;
}

}  // namespace mtfc::cli
