#include "backends/emit/cpp/emit_cpp.h"

#include <map>

#include "backends/emit/cpp/build_files.h"
#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/inputs_text.h"
#include "backends/emit/cpp/plan_text.h"
#include "backends/emit/cpp/shipped.h"
#include "backends/emit/cpp/stages_text.h"
#include "backends/emit/cpp/tensor_text.h"
#include "ir/text_words.h"

namespace mtfc::backends {
namespace {

std::string mesh_text(const Mesh& mesh) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh.axes)
    axes.push_back(braces({string_literal(axis.name), number(axis.size)}));
  return braces(axes);
}

/// The table of variables, a line for each; before it what many of them have in common.
std::string variables_text(const Module& module) {
  const Context context{module.dims, module.mesh};
  std::string forms, table;
  std::map<std::string, std::string> names;
  for (const ModuleVariable& variable : module.variables) {
    std::vector<std::string> dims;
    for (const DimId dim : stored_dims(module.dims, variable.type.tensor.dims))
      dims.push_back("std::string(" + string_literal(module.dims.name(dim)) + ")");
    const std::string form = block("", {braces(dims), tensor_text(context, variable.type, 4)}, 0);
    std::string& name = names[form];
    if (name.empty()) {
      name = "form_" + std::to_string(names.size());
      forms += "const EmittedForm " + name + form + ";\n";
    }
    table += "    {" + string_literal(variable.path) + ", " +
             string_literal(mtfc::name(variable.kind)) + ", &" + name + "},\n";
  }
  return forms + "\nconst std::array<EmittedVariable, " + std::to_string(module.variables.size()) +
         "> variables{{\n" + table + "}};\n";
}

std::string programs_text(const Module& module, const std::vector<ProgramText>& texts) {
  std::string text;
  for (std::size_t i = 0; i < texts.size(); ++i)
    text += "      {" + string_literal(module.programs[i].name) + ", " +
            number(texts[i].arena_bytes) + ", " + texts[i].space + "::run" + "},\n";
  return "{\n" + text + "  }";
}

/// What all files of the program need.
std::string common_header(const std::vector<ProgramText>& texts) {
  std::string declared;
  for (const ProgramText& text : texts)
    declared += "namespace " + text.space + " {\nvoid run(Processor& p);\n}\n";
  return "// Made by mtfc. What every file of this program includes.\n"
         "#pragma once\n"
         "#include <limits>\n\n"
         "#include \"train/emitted/emitted_processor.h\"\n"
         "#include \"train/emitted/emitted_stages.h\"\n"
         "#include \"train/emitted/literals.h\"\n\n"
         "namespace emitted {\n\n"
         "using namespace mtfc;\n"
         "using namespace mtfc::runtime;\n"
         "using namespace mtfc::runtime::words;\n\n"
         "extern const std::vector<EmittedInput> inputs;\n" +
         declared + "\n}  // namespace emitted\n";
}

/// "" without a pipeline.
std::string stages_of(const Emission& e) {
  return e.pipeline ? "\n" + stages_text(*e.pipeline, e.made.module) : "";
}

std::string main_text(const Form& form, const Emission& e, const std::vector<ProgramText>& texts,
                      const std::string& digest) {
  const Module& module = e.made.module;
  return "// Made by mtfc from " + comment(module.model_path) +
         ": the model's tables and main().\n"
         "#include \"emitted.h\"\n" +
         form.includes +
         "\n"
         "namespace emitted {\n\n" +
         variables_text(module) + "\n" + inputs_text(module) + stages_of(e) +
         "\n"
         "const EmittedModule module{\n"
         "  .model = " +
         string_literal(module.model_path) +
         ",\n"
         "  .mesh = " +
         mesh_text(module.mesh) +
         ",\n"
         "  .variables = variables,\n"
         "  .inputs = inputs,\n"
         "  .programs = " +
         programs_text(module, texts) +
         ",\n"
         "  .digest = " +
         string_literal(digest) + (e.pipeline ? ",\n  .stages = &stages" : "") +
         "};\n\n"
         "const TrainPlan plan" +
         plan_text(e.plan ? *e.plan : runtime::TrainPlan{}) + ";\n" + form.tables +
         "\n"
         "}  // namespace emitted\n\n"
         "int main(int argc, char** argv) {\n" +
         form.main_body + "}\n";
}

}  // namespace

std::vector<EmittedFile> emit_cpp(const Form& form, const Emission& e) {
  const Module& module = e.made.module;
  std::vector<ProgramText> texts;
  for (std::size_t i = 0; i < module.programs.size(); ++i)
    texts.push_back(program_text(module, module.programs[i], static_cast<int>(i) + 1, e.sources));
  std::vector<EmittedFile> files = {{"emitted.h", common_header(texts)}};
  for (ProgramText& text : texts) files.insert(files.end(), text.files.begin(), text.files.end());
  // Paths of data stand in main.cpp alone, and may be others elsewhere.
  Digest digest;
  digest.add(variables_text(module) + inputs_text(module) + stages_of(e) + mesh_text(module.mesh));
  for (const EmittedFile& file : files) digest.add(file.text);
  for (const EmittedFile& file : runtime_files()) digest.add(file.text);
  files.insert(files.begin() + 1, {"main.cpp", main_text(form, e, texts, digest.text())});
  const std::string cmake = cmake_text(form, files);
  files.push_back({"CMakeLists.txt", cmake});
  files.push_back({"README.md", readme_text(form)});
  for (EmittedFile& file : runtime_files()) files.push_back(std::move(file));
  return files;
}

}  // namespace mtfc::backends
