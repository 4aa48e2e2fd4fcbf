#include "backends/emit/emit_placement.h"

#include "backends/emit/cpp/cpp_text.h"

namespace mtfc::backends {
namespace {

/// "rows=0, cols=1"
std::string coordinates_text(const Mesh& mesh, std::int64_t processor) {
  const std::vector<std::int64_t> coordinates = mesh.coordinates(processor);
  std::string text;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    text += (i ? ", " : "") + mesh.axes[i].name + "=" + std::to_string(coordinates[i]);
  return text;
}

/// A line for each processor: all that is its own.
std::string placed_text(const Mesh& mesh, const std::vector<std::string>& devices) {
  const std::int64_t processors = mesh.processors();
  std::string text =
      "\n// Where the operations of each processor of the mesh are placed.\n"
      "const std::array<PlacedProcessor, " +
      std::to_string(processors) + "> placed{{\n";
  for (std::int64_t i = 0; i < processors; ++i) {
    const auto number =
        static_cast<std::size_t>(i * static_cast<std::int64_t>(devices.size()) / processors);
    const std::string device = devices.empty() ? "cpu:" + std::to_string(i) : devices[number];
    text +=
        "    {" + string_literal(device) + "},  // " + comment(coordinates_text(mesh, i)) + "\n";
  }
  return text + "}};\n";
}

Form placement_form(const Mesh& mesh, const std::vector<std::string>& devices) {
  Form form;
  form.who =
      "It runs every processor of the mesh by itself, each on a thread that is\n"
      "bound to a named device.";
  form.run = "build/program --steps 10";
  form.options =
      "`--devices cpu:0,cpu:1` (places the processors anew), `--threads N` (of each processor)";
  form.includes = "#include \"train/emitted/device_main.h\"\n";
  form.tables = placed_text(mesh, devices);
  form.main_body =
      "  return mtfc::runtime::placement_main(emitted::module, emitted::plan, emitted::placed,\n"
      "                                       argc, argv);\n";
  return form;
}

}  // namespace

std::vector<EmittedFile> emit_placement(const Module& module, const runtime::TrainPlan* plan,
                                        const SourceMap& sources,
                                        const std::vector<std::string>& devices) {
  return emit_cpp(placement_form(module.mesh, devices), module, plan, sources);
}

}  // namespace mtfc::backends
