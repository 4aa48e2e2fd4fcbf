#include "runtime/checkpoint/checkpoint.h"

#include <cmath>
#include <optional>

#include "runtime/files/elements.h"
#include "runtime/files/safetensors_words.h"

namespace mtfc::runtime {
namespace {

bool is_weight(const VariableInfo& variable) {
  return variable.kind == "parameter" || variable.kind == "state";
}
bool is_saved(const VariableInfo& variable) {
  return is_weight(variable) || variable.kind == "optimizer";
}
bool is_wanted(const VariableInfo& variable, Load what) {
  return what == Load::weights ? is_weight(variable) : is_saved(variable);
}

bool has_nan(const HostTensor& tensor) {
  if (!is_float(tensor.dtype)) return false;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    if (std::isnan(element(tensor, i))) return true;
  return false;
}

bool convertible(DType to, std::string_view from) {
  const std::optional<DType> stored = safetensors::find_word(from)->dtype;
  return stored && (*stored == to || (is_float(*stored) && is_float(to)));
}

/// The root's file; other ranks have none and still fetch.
class Writing {
 public:
  Writing(Engine& engine, const std::string& path, std::vector<SafetensorsWriter::Entry> entries,
          const CheckpointRecord& record) {
    if (!engine.is_root()) return;
    Result<SafetensorsWriter> created =
        SafetensorsWriter::create(path, std::move(entries), to_metadata(record));
    if (created)
      writer_.emplace(std::move(*created));
    else
      status_ = created.error();
  }
  bool writes() const { return writer_.has_value(); }
  void add(const HostTensor& value) { writer_->add(value); }
  void give_up(Error error) {
    writer_.reset();
    status_ = std::move(error);
  }
  Status finish() { return writer_ ? writer_->finish() : status_; }

 private:
  std::optional<SafetensorsWriter> writer_;
  Status status_;
};

}  // namespace

Result<Checkpoint> Checkpoint::open(const std::string& path) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file) return file.error();
  Result<CheckpointRecord> record = to_record(file->metadata(), path);
  if (!record) return record.error();
  if (record->state.steps >= 0 && !file->has_checksums())
    return Error{"`" + path + "` is damaged: it has lost its checksum", {}, {}};
  return Checkpoint{std::move(*file), std::move(*record)};
}

Status save_checkpoint(Engine& engine, const std::string& path, CheckpointRecord record) {
  std::vector<SafetensorsWriter::Entry> entries;
  for (const VariableInfo& variable : engine.variables()) {
    if (!is_saved(variable)) continue;
    record.dims[variable.path] = variable.dims;
    record.kinds[variable.path] = variable.kind;
    entries.push_back({variable.path, variable.dtype, variable.extents});
  }
  SafetensorsWriter::align(entries);
  Writing writing(engine, path, entries, record);
  for (const SafetensorsWriter::Entry& entry : entries) {
    // Fetching a variable is a collective act: every rank does it, whether it writes or not.
    const HostTensor value = engine.variable(entry.name);
    if (!writing.writes()) continue;
    if (record.kinds[entry.name] == "parameter" && has_nan(value))
      writing.give_up({"parameter `" + entry.name + "` is not a number after step " +
                           std::to_string(record.state.steps),
                       {"a smaller learning rate, or `clip` in `train { }`, often helps"},
                       {}});
    else
      writing.add(value);
  }
  return writing.finish();
}

std::vector<Misfit> misfits(const Engine& engine, const Checkpoint& checkpoint, Load what) {
  std::vector<Misfit> found;
  std::map<std::string, bool> known;
  for (const VariableInfo& variable : engine.variables()) {
    known[variable.path] = true;
    if (!is_wanted(variable, what)) continue;
    const StoredTensor* stored = checkpoint.file.find(variable.path);
    const bool fits = stored != nullptr && stored->extents == variable.extents &&
                      convertible(variable.dtype, stored->dtype);
    if (!fits) found.push_back({variable, stored});
  }
  if (what == Load::weights) return found;
  for (const StoredTensor& stored : checkpoint.file.tensors())
    if (!known.contains(stored.name)) found.push_back({{stored.name, "", {}, {}, {}}, &stored});
  return found;
}

namespace {

std::string type_text(std::string_view dtype, const std::vector<std::int64_t>& extents,
                      const std::vector<std::string>& dims) {
  std::string text;
  for (std::size_t i = 0; i < extents.size(); ++i)
    text +=
        (i == 0 ? "" : ", ") + (i < dims.size() ? dims[i] + "=" : "") + std::to_string(extents[i]);
  return std::string(dtype) + "[" + text + "]";
}

}  // namespace

std::string misfit_text(const Checkpoint& checkpoint, const Misfit& misfit) {
  const VariableInfo& here = misfit.variable;
  const std::string& path = checkpoint.file.path();
  const std::string what = (here.kind.empty() ? "tensor" : here.kind) + " `" + here.path + "`";
  if (misfit.stored == nullptr) return what + " is not in `" + path + "`";
  if (here.kind.empty()) return what + " of `" + path + "` is not in the model";
  const StoredTensor& there = *misfit.stored;
  const auto dims = checkpoint.record.dims.find(here.path);
  const std::optional<DType> dtype = safetensors::find_word(there.dtype)->dtype;
  return what + " is " +
         type_text(
             dtype ? name(*dtype) : there.dtype, there.extents,
             dims == checkpoint.record.dims.end() ? std::vector<std::string>() : dims->second) +
         " in `" + path + "`, " + type_text(name(here.dtype), here.extents, here.dims) +
         " in the model";
}

Status load_checkpoint(Engine& engine, const Checkpoint& checkpoint, Load what) {
  for (const VariableInfo& variable : engine.variables()) {
    if (!is_wanted(variable, what)) continue;
    const Result<HostTensor> value = checkpoint.file.read(*checkpoint.file.find(variable.path));
    if (!value) return value.error();
    if (value->dtype == variable.dtype)
      engine.set_variable(variable.path, *value);
    else
      engine.set_variable(variable.path, converted(*value, variable.dtype));
  }
  return {};
}

}  // namespace mtfc::runtime
