#include <optional>

#include "runtime/files/npz.h"
#include "runtime/loop/train_loop.h"

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
  for (const std::string& name : engine.variables()) {
    const HostTensor value = engine.variable(name);
    if (writer) writer->add(name, value);
  }
  return writer ? writer->finish() : status;
}

}  // namespace mtfc::runtime
