#include "cli/run_folder.h"

#include <filesystem>

#include "runtime/files/npz.h"
#include "runtime/kernels.h"

namespace mtfc::cli {
namespace {

std::string json_pairs(const std::vector<KeyValue>& pairs) {
  JsonFields fields;
  for (const auto& [key, value] : pairs) fields.emplace_back(key, json(value));
  return json_object(fields);
}

/// run.json: enough to repeat the run and to know what made it.
std::string description(const Session& session, const Model& model) {
  const Options& o = session.options;
  std::vector<std::string> words;
  for (const std::string& word : o.words) words.push_back(json(word));
  JsonFields dims;
  for (const Dim& dim : model.dims.all())
    if (dim.scope.empty()) dims.emplace_back(dim.unique_name, json(long{dim.size}));
  return json_object({{"schema", "1"},
                      {"version", json(program_version)},
                      {"command", json_array(words)},
                      {"model", json(model.path)},
                      {"layout", o.layouts.empty() ? "null" : json(o.layouts.front())},
                      {"mesh", o.mesh ? json(*o.mesh) : "null"},
                      {"rules", o.rules ? json(*o.rules) : "null"},
                      {"defines", json_pairs(o.defines)},
                      {"settings", json_pairs(o.settings)},
                      {"dims", json_object(dims)},
                      {"steps", json(long{model.settings.steps})},
                      {"seed", json(long{model.settings.seed})},
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

}  // namespace

runtime::Status make_run_folder(const Session& session, const Model& model,
                                const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return runtime::cannot("make the folder", path, failed.value());
  const Options& o = session.options;
  const std::string layout = !o.layouts.empty() ? o.layouts.front() : o.rules ? "--rules" : "";
  const std::pair<const char*, const std::string*> copies[] = {
      {"/model.mtf", text_of(session.sources, o.model == "-" ? "<stdin>" : o.model)},
      {"/layout.layout", text_of(session.sources, layout)}};
  for (const auto& [name, text] : copies)
    if (text != nullptr)
      if (runtime::Status written = runtime::write_text(path + name, *text); !written)
        return written;
  return runtime::write_text(path + "/run.json", description(session, model));
}

runtime::Status save_parameters(Machine& machine, const std::string& path) {
  const Module& module = machine.module();
  runtime::Engine& engine = machine.engine();
  std::optional<runtime::NpzWriter> writer;
  if (engine.is_root()) {
    runtime::Result<runtime::NpzWriter> created = runtime::NpzWriter::create(path);
    if (!created) return created.error();
    writer.emplace(std::move(*created));
  }
  for (const ModuleVariable& variable : module.variables) {
    if (variable.kind != Variable::Kind::parameter && variable.kind != Variable::Kind::state)
      continue;
    const runtime::HostTensor value = engine.variable(variable.path);  // every rank takes part
    if (!writer) continue;
    writer->add(variable.path, value);
    std::vector<std::string> dims;
    for (const DimId dim : variable.type.tensor.dims) dims.push_back(module.dims.name(dim));
    writer->add(variable.path + ".dims", dims);
  }
  return writer ? writer->finish() : runtime::Status();
}

}  // namespace mtfc::cli
