#include "runtime/loop/initialise.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "runtime/checkpoint/folder.h"
#include "runtime/files/elements.h"
#include "runtime/files/npz.h"

namespace mtfc::runtime {
namespace {

/// The tensors of a file, whatever its form.
struct Tensors {
  std::function<bool(const std::string& name)> has;
  std::function<Result<HostTensor>(const std::string& name)> read;
};

Result<Tensors> open_archive(const std::string& path) {
  Result<std::map<std::string, NpyArray>> arrays = read_npz(path);
  if (!arrays) return arrays.error();
  const auto shared = std::make_shared<std::map<std::string, NpyArray>>(std::move(*arrays));
  return Tensors{[=](const std::string& name) { return shared->contains(name); },
                 [=](const std::string& name) {
                   return to_tensor(shared->at(name), "`" + name + "` of `" + path + "`");
                 }};
}

/// A safetensors file, or a run folder, of which the newest good checkpoint is meant.
Result<Tensors> open_checkpoint(const std::string& path) {
  Result<FoundCheckpoint> found = find_checkpoint(path);
  if (!found) return found.error();
  const auto shared = std::make_shared<Checkpoint>(std::move(found->checkpoint));
  return Tensors{
      [=](const std::string& name) { return shared->file.find(name) != nullptr; },
      [=](const std::string& name) { return shared->file.read(*shared->file.find(name)); }};
}

std::string shape_text(DType dtype, const std::vector<std::int64_t>& extents) {
  std::string text;
  for (std::int64_t extent : extents) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return std::string(name(dtype)) + "[" + text + "]";
}

Status set(Engine& engine, const VariableInfo& variable, const HostTensor& value,
           const std::string& file) {
  const bool floats = is_float(value.dtype) && is_float(variable.dtype);
  if (value.extents != variable.extents || (value.dtype != variable.dtype && !floats))
    return Error{"parameter `" + variable.path + "` is " + shape_text(value.dtype, value.extents) +
                     " in `" + file + "`, " + shape_text(variable.dtype, variable.extents) +
                     " in the model",
                 {},
                 {}};
  engine.set_variable(variable.path,
                      value.dtype == variable.dtype ? value : converted(value, variable.dtype));
  return {};
}

Status take(Engine& engine, const InitialFile& file,
            const std::map<std::string, VariableInfo>& variables) {
  const Result<Tensors> tensors =
      file.path.ends_with(".npz") ? open_archive(file.path) : open_checkpoint(file.path);
  if (!tensors) return tensors.error();
  for (const auto& [path, names] : file.parameters) {
    const auto variable = variables.find(path);
    if (variable == variables.end()) continue;  // the programs do without it
    const auto found = std::find_if(names.begin(), names.end(), tensors->has);
    if (found == names.end())
      return Error{"parameter `" + path + "` is not in `" + file.path + "`", {}, {}};
    const Result<HostTensor> value = tensors->read(*found);
    if (!value) return value.error();
    if (Status done = set(engine, variable->second, *value, file.path); !done) return done;
  }
  return {};
}

}  // namespace

Status initialise(Engine& engine, const std::vector<InitialFile>& files) {
  std::vector<Fetched> none;
  engine.run("init", {}, none);
  if (files.empty()) return {};
  std::map<std::string, VariableInfo> variables;
  for (VariableInfo& variable : engine.variables()) variables[variable.path] = variable;
  for (const InitialFile& file : files)
    if (Status taken = take(engine, file, variables); !taken) return taken;
  return {};
}

}  // namespace mtfc::runtime
