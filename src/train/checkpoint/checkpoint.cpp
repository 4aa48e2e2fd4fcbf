#include "train/checkpoint/checkpoint.h"

#include <algorithm>
#include <optional>

#include "data/files/safetensors_words.h"
#include "support/host_tensor.h"

namespace mtfc::runtime {
namespace {

bool is_weight(const VariableInfo& variable) {
  return variable.kind == "parameter" || variable.kind == "state";
}
bool is_wanted(const VariableInfo& variable, Load what) {
  return what == Load::weights ? is_weight(variable) : is_saved(variable);
}

bool convertible(DType to, std::string_view from) {
  const std::optional<DType> stored = safetensors::find_word(from)->dtype;
  return stored && (*stored == to || (is_float(*stored) && is_float(to)));
}

}  // namespace

bool is_saved(const VariableInfo& variable) {
  return is_weight(variable) || variable.kind == "optimizer";
}

Result<Checkpoint> Checkpoint::open(const std::string& path) {
  Result<CheckpointTensors> tensors = CheckpointTensors::open(path);
  if (!tensors) return tensors.error();
  Result<CheckpointRecord> record = to_record(tensors->metadata(), path);
  if (!record) return record.error();
  if (record->state.steps >= 0 && !tensors->has_checksums())
    return Error{"`" + path + "` is damaged: it has lost its checksum", {}, {}};
  return Checkpoint{std::move(*tensors), std::move(*record)};
}

std::vector<Misfit> misfits(const Engine& engine, const Checkpoint& checkpoint, Load what) {
  std::vector<Misfit> found;
  std::map<std::string, bool> known;
  for (const VariableInfo& variable : engine.variables()) {
    known[variable.path] = true;
    if (!is_wanted(variable, what)) continue;
    const StoredTensor* stored = checkpoint.tensors.find(variable.path);
    const auto dims = checkpoint.record.dims.find(variable.path);
    const bool fits =
        stored != nullptr && stored->extents == variable.extents &&
        (dims == checkpoint.record.dims.end() || !is_reordered(dims->second, variable.dims)) &&
        convertible(variable.dtype, stored->dtype);
    if (!fits) found.push_back({variable, stored});
  }
  if (what == Load::weights) return found;
  for (const StoredTensor& stored : checkpoint.tensors.tensors())
    if (!known.contains(stored.name)) found.push_back({{stored.name, "", {}, {}, {}}, &stored});
  return found;
}

bool is_reordered(const std::vector<std::string>& dims, const std::vector<std::string>& wanted) {
  return dims != wanted &&
         std::is_permutation(dims.begin(), dims.end(), wanted.begin(), wanted.end());
}

std::string tensor_text(std::string_view dtype, const std::vector<std::int64_t>& extents,
                        const std::vector<std::string>& dims) {
  std::string text;
  for (std::size_t i = 0; i < extents.size(); ++i)
    text +=
        (i == 0 ? "" : ", ") + (i < dims.size() ? dims[i] + "=" : "") + std::to_string(extents[i]);
  return std::string(dtype) + "[" + text + "]";
}

std::string misfit_text(const Checkpoint& checkpoint, const Misfit& misfit) {
  const VariableInfo& here = misfit.variable;
  const std::string& path = checkpoint.tensors.path();
  const std::string what = (here.kind.empty() ? "tensor" : here.kind) + " `" + here.path + "`";
  if (misfit.stored == nullptr) return what + " is not in `" + path + "`";
  if (here.kind.empty()) return what + " of `" + path + "` is not in the model";
  const StoredTensor& there = *misfit.stored;
  const auto dims = checkpoint.record.dims.find(here.path);
  const std::optional<DType> dtype = safetensors::find_word(there.dtype)->dtype;
  return what + " is " +
         tensor_text(
             dtype ? name(*dtype) : there.dtype, there.extents,
             dims == checkpoint.record.dims.end() ? std::vector<std::string>() : dims->second) +
         " in `" + path + "`, " + tensor_text(name(here.dtype), here.extents, here.dims) +
         " in the model";
}

Status load_checkpoint(Engine& engine, const Checkpoint& checkpoint, Load what) {
  const std::vector<VariableInfo> variables = engine.variables();
  const std::vector<Share> shares = engine.shares();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const VariableInfo& variable = variables[i];
    if (!is_wanted(variable, what)) continue;
    const StoredTensor& stored = *checkpoint.tensors.find(variable.path);
    const Result<HostTensor> part = checkpoint.tensors.read(stored, shares[i].block);
    if (!part) return part.error();
    engine.set_part(variable.path,
                    part->dtype == variable.dtype ? *part : converted(*part, variable.dtype));
  }
  return {};
}

}  // namespace mtfc::runtime
