// `emit --backend placement`: one program that runs every processor of the mesh, each on a named
// device. The counterpart of Mesh-TensorFlow's placement_mesh_impl (docs/emit.md).
#include "backends/backends.h"
#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/emit_cpp.h"
#include "train/emitted/devices.h"

namespace mtfc::backends {
namespace {

constexpr const char* kDevices = "devices";

/// One line for each processor, those of the first mesh first. Processors are divided among the
/// devices in order; without devices each has its own.
std::string placed_text(const std::vector<Mesh>& meshes, const std::vector<std::string>& devices) {
  std::int64_t processors = 0;
  for (const Mesh& mesh : meshes) processors += mesh.processors();
  std::string text =
      "\n// Where the operations of each processor of the mesh are placed.\n"
      "const std::array<DeviceProcessor, " +
      std::to_string(processors) + "> placed{{\n";
  std::int64_t placed = 0;
  for (std::size_t stage = 0; stage < meshes.size(); ++stage)
    for (std::int64_t i = 0; i < meshes[stage].processors(); ++i, ++placed) {
      const auto number =
          static_cast<std::size_t>(placed * static_cast<std::int64_t>(devices.size()) / processors);
      const std::string processor =
          (meshes.size() > 1 ? "stage " + std::to_string(stage) + ": " : "") +
          coordinates_text(meshes[stage], meshes[stage].coordinates(i).data());
      const std::string device =
          devices.empty() ? "cpu:" + std::to_string(placed) : devices[number];
      text += "    {" + string_literal(device) + "},  // " + comment(processor) + "\n";
    }
  return text + "}};\n";
}

Form placement_form(const std::vector<Mesh>& meshes, const std::vector<std::string>& devices) {
  Form form;
  form.who =
      "It runs every processor of the mesh by itself, each on a thread that is\n"
      "bound to a named device.";
  form.run = "build/program --steps 10";
  form.options =
      "`--devices cpu:0,cpu:1` (places the processors anew), `--threads N` (of each processor)";
  form.includes = "#include \"train/emitted/device_main.h\"\n";
  form.tables = placed_text(meshes, devices);
  form.main_body =
      "  return mtfc::runtime::placement_main(emitted::module, emitted::plan, emitted::placed,\n"
      "                                       argc, argv);\n";
  return form;
}

std::vector<EmittedFile> emit_placed(const Emission& e) {
  std::vector<std::string> devices;
  if (const auto list = e.arguments.find(kDevices); list != e.arguments.end())
    devices = runtime::device_list(list->second);
  return emit_cpp(placement_form(e.meshes(), devices), e);
}

}  // namespace

Backend placement() {
  const BackendArgument devices{
      kDevices,
      "LIST",
      "devices to place processors on: cpu:0,cpu:1",
      "a list of devices",
      "cpu:0,cpu:1 or, groups of them, cpu:0-3,cpu:4-7",
      [](const std::string& list) { return !runtime::device_list(list).empty(); }};
  return {.name = "placement",
          .summary = "one C++ program that runs all processors, on named devices",
          .emit = emit_placed,
          .arguments = {devices}};
}

}  // namespace mtfc::backends
