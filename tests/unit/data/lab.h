// Small files, sources and inputs for tests of data.
#pragma once
#include <fstream>
#include <string>
#include <vector>

#include "data/feeder.h"
#include "unit/support/scratch_folder.h"

namespace mtfc::test {

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline SourceSpec source_of(const std::string& function,
                            std::vector<std::pair<std::string, SourceSpec::Value>> args) {
  return {"s", function, std::move(args), ""};
}

/// An int input from field `field` of source s, with ids below `vocab` (0: not checked).
inline runtime::InputSpec ids_input(const std::string& field, std::int64_t batch,
                                    std::int64_t length, std::int64_t vocab) {
  return {field, DType::i32, {batch, length}, {"batch", "length"}, "s", field, vocab, "vocab"};
}

/// From a field of the source `s`.
inline runtime::InputSpec input(const std::string& name, DType dtype,
                                std::vector<std::int64_t> extents, std::vector<std::string> dims,
                                const std::string& field) {
  return {name, dtype, std::move(extents), std::move(dims), "s", field, 0, ""};
}

inline runtime::DataPlan plan_of(SourceSpec spec, std::vector<runtime::InputSpec> inputs) {
  runtime::DataPlan made;
  made.sources = {std::move(spec)};
  made.inputs = std::move(inputs);
  return made;
}

inline std::vector<int> ints_of(const runtime::Feeds& feeds, const std::string& name) {
  const runtime::HostTensor& tensor = feeds.at(name);
  return {tensor.as<std::int32_t>(), tensor.as<std::int32_t>() + tensor.elements()};
}

/// "message | help | help", or "accepted".
inline std::string refusal_of(const runtime::DataPlan& wrong) {
  const auto feeder = runtime::Feeder::open(wrong);
  if (feeder) return "accepted";
  std::string text = feeder.error().message;
  for (const std::string& help : feeder.error().helps) text += " | " + help;
  return text;
}

}  // namespace mtfc::test
