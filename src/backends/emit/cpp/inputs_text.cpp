#include "backends/emit/cpp/inputs_text.h"

#include <algorithm>

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/tensor_text.h"

namespace mtfc::backends {

std::vector<FedInput> inputs_of(const Module& module) {
  std::vector<FedInput> inputs;
  for (const Program& program : module.programs)
    for (const Instruction& at : program.instructions) {
      const auto* feed = std::get_if<Feed>(&at.kind);
      if (!feed) continue;
      FedInput input{feed->name, program.at(at.results[0]).type};
      if (std::find(inputs.begin(), inputs.end(), input) == inputs.end())
        inputs.push_back(std::move(input));
    }
  return inputs;
}

std::string input_text(const std::vector<FedInput>& inputs, const FedInput& input) {
  const auto index = std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
  return "inputs[" + std::to_string(index) + "]";
}

std::string inputs_text(const Module& module) {
  const bind::Context context{module.dims, module.mesh};
  std::string entries;
  for (const FedInput& input : inputs_of(module))
    entries += "    " +
               block("", {string_literal(input.name), tensor_text(context, input.type, 8)}, 4) +
               ",\n";
  return "// What programs are fed with, in each form in which one of them takes it.\n"
         "const std::vector<EmittedInput> inputs{\n" +
         entries + "};\n";
}

}  // namespace mtfc::backends
