// mtfc emit: programs for other machines, by the table of backends.
#include <filesystem>
#include <optional>

#include "backends/backends.h"
#include "cli/options/commands.h"
#include "cli/session/compile.h"
#include "cli/session/programs.h"
#include "cli/session/train_plan.h"
#include "data/files/output_folder.h"
#include "sources/source_table.h"

namespace mtfc::cli {
namespace {

using backends::Backend;
using backends::BackendArgument;
using backends::Emission;
using backends::EmittedFile;
using runtime::Status;

/// Files that have their text already keep their time, so that a second build compiles only what
/// changed.
Status write_all(const std::vector<EmittedFile>& files, const Options& options) {
  runtime::Result<runtime::OutputFolder> folder =
      runtime::OutputFolder::open(options.out, {options.force, false, {}});
  if (!folder) return folder.error();
  std::vector<std::string> names;
  for (const EmittedFile& file : files) names.push_back(file.path);
  if (Status mine = folder->claim(names); !mine) return mine;
  for (const EmittedFile& file : files)
    if (Status written = folder->write(file.path, file.text); !written) return written;
  return {};
}

int list_backends(Session& session) {
  std::vector<std::string> rows;
  for (const Backend& backend : backends::backends()) {
    session.print(std::string(backend.name) + "  " + backend.summary + "\n");
    rows.push_back(json_object({{"name", json(backend.name)}, {"summary", json(backend.summary)}}));
  }
  return session.finish(exit_done, {{"backends", json_array(rows)}});
}

/// Arguments of backends are for the backend that takes them. Absent: all are valid.
std::optional<int> misused_argument(Session& session) {
  for (const auto& [name, value] : session.options.backend_arguments) {
    const Backend* owner = backends::backend_of_argument(name);
    if (owner->name != session.options.backend)
      return session.usage_error("`--" + name + "` belongs to `--backend " + owner->name + "`");
    for (const BackendArgument& argument : owner->arguments)
      if (argument.name == name && !argument.is_valid(value))
        return session.usage_error("`--" + name + " " + value + "` is not " + argument.kind,
                                   argument.example);
  }
  return std::nullopt;
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path.empty() ? "." : path, failed);
  return failed ? path : whole.lexically_normal().string();
}

/// What is emitted runs elsewhere: a path that was relative to here no longer is. Sources that open
/// nothing have no folder.
void make_absolute(runtime::TrainPlan& plan) {
  for (SourceSpec& source : plan.sources) {
    source.directory = opens_files(source) ? absolute(source.directory) : "";
  }
  for (runtime::InitialFile& file : plan.initial) file.path = absolute(file.path);
}

int write_files(Session& session, const std::vector<EmittedFile>& files) {
  const std::string& folder = session.options.out;
  if (const Status written = write_all(files, session.options); !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return session.finish(exit_failed);
  }
  session.note_line("written into " + folder);
  return session.finish(exit_done, {{"out", json(folder)}});
}

}  // namespace

int emit(Session& session) {
  const Options& o = session.options;
  if (o.list) return list_backends(session);
  if (o.model.empty()) return session.usage_error("`emit` needs a MODEL");
  const Backend* backend = backends::find_backend(o.backend);
  if (backend == nullptr && o.dump_after.empty())
    return session.usage_error("`emit` needs `--backend NAME`",
                               "`mtfc emit --list` shows the backends");
  if (o.out.empty() && backend != nullptr && !backend->is_one_file)
    return session.usage_error("`--backend " + o.backend + "` writes several files",
                               "say where with -o DIR");
  if (o.out.empty() && o.json && backend != nullptr)
    return session.usage_error("with `--json`, what is emitted needs a folder",
                               "give a folder with -o DIR; without `--json` it is printed");
  if (const std::optional<int> misused = misused_argument(session)) return *misused;
  int status = exit_done;
  const std::optional<Compiled> compiled = compile(session, {}, status);
  if (!compiled) return session.finish(status);
  const std::optional<Programs> programs =
      programs_for(session, compiled->model, compiled->assignment, {}, status);
  if (!programs) return session.finish(status);
  runtime::TrainPlan plan = make_train_plan(compiled->model);
  plan.step = programs->step();
  make_absolute(plan);
  const bool trained = compiled->model.settings.present && !plan.step.empty();
  const std::vector<EmittedFile> files = backend->emit(
      Emission{programs->made, session.sources, trained ? &plan : nullptr,
               programs->pipeline ? &*programs->pipeline : nullptr, o.backend_arguments});
  if (!o.out.empty()) return write_files(session, files);
  session.print(files.at(0).text);
  return session.finish(exit_done);
}

}  // namespace mtfc::cli
