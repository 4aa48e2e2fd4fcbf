#include <optional>

#include "data/files/npz.h"
#include "train/loop/train_loop.h"

namespace mtfc::runtime {

Status save_variables(Engine& engine, const std::string& path) {
  // Fetching a variable is a collective act: every rank does it, whether it writes or not.
  std::optional<NpzWriter> writer;
  Status status;
  if (engine.is_root()) {
    Result<NpzWriter> created = NpzWriter::create(path);
    if (created)
      writer.emplace(std::move(*created));
    else
      status = created.error();
  }
  for (const VariableInfo& info : engine.variables()) {
    const HostTensor value = engine.variable(info.path);
    if (writer) writer->add(info.path, value);
  }
  return writer ? writer->finish() : status;
}

}  // namespace mtfc::runtime
