// `emit --backend json`: docs/emit-json.md is its manual.
#include "backends/backends.h"
#include "backends/emit/json/emit_json.h"

namespace mtfc::backends {

Backend json() {
  const auto emit = [](const Emission& e) -> std::vector<EmittedFile> {
    return {{"program.json", emit_json(e.made.module, e.plan, e.sources, e.pipeline) + "\n"}};
  };
  return {.name = "json",
          .summary = "the whole program as one JSON object",
          .emit = emit,
          .is_one_file = true};
}

}  // namespace mtfc::backends
