// mtfc emit: programs for other machines, one row of a table for each backend.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "backends/emit/emit_mpi.h"
#include "backends/emit/emit_placement.h"
#include "backends/emit/json/emit_json.h"
#include "cli/commands.h"
#include "cli/compile.h"
#include "cli/train_plan.h"
#include "data/files/read_file.h"
#include "sources/source_table.h"
#include "support/render.h"
#include "train/emitted/devices.h"

namespace mtfc::cli {
namespace {

using runtime::Status;

struct Emission {
  const SourceMap& sources;
  const Module& module;
  const runtime::TrainPlan* plan;  // null for a model that is not trained
  std::vector<std::string> devices;
};

struct Backend {
  const char* name;
  const char* summary;
  /// Writes into the folder, which is there.
  Status (*emit)(const Emission& emission, const std::string& folder);
  /// What goes to stdout if there is no folder; null for backends that write several files.
  std::string (*text)(const Emission& emission);
};

std::string json_text(const Emission& e) {
  return backends::emit_json(e.module, e.plan, e.sources) + "\n";
}
Status json_file(const Emission& e, const std::string& folder) {
  return runtime::write_text(folder + "/program.json", json_text(e));
}

bool same(std::byte a, char b) { return static_cast<char>(a) == b; }

/// A file that has the text already keeps its time, so that a second build compiles only what
/// changed.
Status write_if_other(const std::string& path, const std::string& text) {
  const auto old = runtime::read_file(path);
  if (old && old->size() == text.size() && std::equal(old->begin(), old->end(), text.begin(), same))
    return {};
  return runtime::write_text(path, text);
}

Status write_all(const std::vector<backends::EmittedFile>& files, const std::string& folder) {
  for (const backends::EmittedFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(folder) / file.path;
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed)
      return runtime::cannot("make the folder", path.parent_path().string(), failed.value());
    if (Status written = write_if_other(path.string(), file.text); !written) return written;
  }
  return {};
}

Status mpi_folder(const Emission& e, const std::string& folder) {
  return write_all(backends::emit_mpi(e.module, e.plan, e.sources), folder);
}
Status placement_folder(const Emission& e, const std::string& folder) {
  return write_all(backends::emit_placement(e.module, e.plan, e.sources, e.devices), folder);
}

constexpr Backend backends_table[] = {
    {"json", "the whole program as one JSON object", json_file, json_text},
    {"mpi", "straight-line C++ for one MPI rank a processor, with its runtime", mpi_folder,
     nullptr},
    {"placement", "one C++ program that runs all processors, on named devices", placement_folder,
     nullptr},
};

int list_backends(Session& session) {
  std::vector<std::string> rows;
  for (const Backend& backend : backends_table) {
    session.print(std::string(backend.name) + "  " + backend.summary + "\n");
    rows.push_back(json_object({{"name", json(backend.name)}, {"summary", json(backend.summary)}}));
  }
  return session.finish(exit_done, {{"backends", json_array(rows)}});
}

const Backend* find(const std::string& name) {
  for (const Backend& backend : backends_table)
    if (backend.name == name) return &backend;
  return nullptr;
}

/// Tells what there is instead.
int unknown(Session& session) {
  const std::string& wanted = session.options.backend;
  std::vector<std::string> names;
  for (const Backend& backend : backends_table) names.emplace_back(backend.name);
  const std::vector<std::string> near = did_you_mean(wanted, names);
  const std::string help = near.empty() ? "`mtfc emit --list` shows the backends"
                                        : "did you mean `" + near.front() + "`?";
  return session.usage_error(
      wanted.empty() ? "`emit` needs --backend NAME" : "no backend is called `" + wanted + "`",
      help);
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

Status write(const Backend& backend, const Emission& emission, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return runtime::cannot("make the folder", folder, failed.value());
  return backend.emit(emission, folder);
}

}  // namespace

int emit(Session& session) {
  const Options& o = session.options;
  if (o.list) return list_backends(session);
  if (o.model.empty()) return session.usage_error("`emit` needs a MODEL");
  const Backend* backend = find(o.backend);
  if (backend == nullptr && o.dump_after.empty()) return unknown(session);
  if (o.out.empty() && backend != nullptr && backend->text == nullptr)
    return session.usage_error("`--backend " + o.backend + "` writes several files",
                               "say where with -o DIR");
  const std::vector<std::string> devices = runtime::device_list(o.devices);
  if (!o.devices.empty() && o.backend != "placement")
    return session.usage_error("`--devices` belongs to `--backend placement`");
  if (!o.devices.empty() && devices.empty())
    return session.usage_error("`--devices " + o.devices + "` is no list of devices",
                               "cpu:0,cpu:1 or, groups of them, cpu:0-3,cpu:4-7");
  int status = exit_done;
  const std::optional<Compiled> compiled = compile(session, status);
  if (!compiled) return session.finish(status);
  const std::optional<Module> module =
      lower_for(session, compiled->model, compiled->placement, {}, status);
  if (!module) return session.finish(status);
  runtime::TrainPlan plan = make_train_plan(compiled->model);
  plan.step = module->step;
  make_absolute(plan);
  const bool trained = compiled->model.settings.present && !module->step.empty();
  const Emission emission{session.sources, *module, trained ? &plan : nullptr, devices};
  if (o.out.empty()) {
    session.print(backend->text(emission));
    return session.finish(exit_done);
  }
  if (const Status written = write(*backend, emission, o.out); !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return session.finish(exit_failed);
  }
  session.note("written into " + o.out);
  return session.finish(exit_done, {{"out", json(o.out)}});
}

}  // namespace mtfc::cli
