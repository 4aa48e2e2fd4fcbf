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
  return "{.axes = " + braces(axes) + "}";
}

/// The table of variables, a line for each; before it what many of them have in common.
std::string variables_text(const Module& module) {
  const bind::Context context{module.dims, module.mesh};
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

/// What is written of one module: of a stage, or the only one.
struct ModuleText {
  std::string space;  // "stage_0" in `emitted`; "" of the only one
  const Module& module;
  std::vector<ProgramText> programs;
};

std::vector<ModuleText> module_texts(const Emission& e) {
  std::vector<ModuleText> texts;
  if (!e.pipeline) texts.push_back({"", e.made.module, {}});
  if (e.pipeline)
    for (const Module& stage : e.pipeline->stages)
      texts.push_back({stage_space(texts.size()), stage, {}});
  int number = 0;
  for (ModuleText& text : texts) {
    const std::string outer = text.space.empty() ? "emitted" : "emitted::" + text.space;
    for (const Program& program : text.module.programs)
      text.programs.push_back(program_text(text.module, program, ++number, outer, e.sources));
  }
  return texts;
}

/// In the module's namespace, inside of `emitted`.
std::string in_space(const ModuleText& text, const std::string& inner) {
  if (text.space.empty()) return inner;
  return "namespace " + text.space + " {\n\n" + inner + "\n}  // namespace " + text.space + "\n";
}

/// What all files of the program need.
std::string common_header(const std::vector<ModuleText>& modules) {
  std::string declared;
  for (const ModuleText& module : modules) {
    std::string one = "extern const std::vector<EmittedInput> inputs;\n";
    for (const ProgramText& program : module.programs)
      one += "namespace " + program.space + " {\nvoid run(Processor& p);\n}\n";
    declared += in_space(module, one);
  }
  return "// Made by mtfc. What every file of this program includes.\n"
         "#pragma once\n"
         "#include <limits>\n\n"
         "#include \"train/emitted/emitted_processor.h\"\n"
         "#include \"train/emitted/emitted_stages.h\"\n"
         "#include \"train/emitted/literals.h\"\n\n"
         "namespace emitted {\n\n"
         "using namespace mtfc;\n"
         "using namespace mtfc::runtime;\n"
         "using namespace mtfc::runtime::words;\n\n" +
         declared + "\n}  // namespace emitted\n";
}

/// `more`: further fields, each a line with a comma before it.
std::string module_text(const std::string& model, const std::string& mesh,
                        const std::string& tables, const std::string& programs,
                        const std::string& more) {
  const std::string next = ",\n  ";
  return "const EmittedModule module{\n  .model = " + string_literal(model) + next +
         ".mesh = " + mesh + next + tables + next + ".programs = " + programs + more + "};\n";
}

std::string module_text(const ModuleText& text, const std::string& more) {
  const Module& module = text.module;
  return variables_text(module) + "\n" + inputs_text(module) + "\n" +
         module_text(module.model_path, mesh_text(module.mesh),
                     ".variables = variables,\n  .inputs = inputs",
                     programs_text(module, text.programs), more);
}

/// What `plan` trains: a module whose stages have what it computes.
std::string pipeline_text(const PipelineModule& pipeline, const std::string& more) {
  return stages_text(pipeline) + "\n" +
         module_text(pipeline.stages.front().model_path, "{}", ".variables = {},\n  .inputs = {}",
                     "{}", more + ",\n  .stages = &stages");
}

/// Of all modules; `digest`: a field of the one that is trained.
std::string tables_text(const Emission& e, const std::vector<ModuleText>& modules,
                        const std::string& digest) {
  std::string text;
  for (const ModuleText& one : modules)
    text += in_space(one, module_text(one, e.pipeline ? "" : digest)) + "\n";
  return e.pipeline ? text + pipeline_text(*e.pipeline, digest) + "\n" : text;
}

std::string main_text(const Form& form, const Emission& e, const std::vector<ModuleText>& modules,
                      const std::string& digest) {
  return "// Made by mtfc from " + comment(modules.front().module.model_path) +
         ": the model's tables and main().\n"
         "#include \"emitted.h\"\n" +
         form.includes +
         "\n"
         "namespace emitted {\n\n" +
         tables_text(e, modules, ",\n  .digest = " + string_literal(digest)) +
         "const TrainPlan plan" + plan_text(e.plan ? *e.plan : runtime::TrainPlan{}) + ";\n" +
         form.tables +
         "\n"
         "}  // namespace emitted\n\n"
         "int main(int argc, char** argv) {\n" +
         form.main_body + "}\n";
}

}  // namespace

std::vector<EmittedFile> emit_cpp(const Form& form, const Emission& e) {
  std::vector<ModuleText> modules = module_texts(e);
  std::vector<EmittedFile> files = {{"emitted.h", common_header(modules)}};
  for (ModuleText& module : modules)
    for (ProgramText& text : module.programs)
      files.insert(files.end(), text.files.begin(), text.files.end());
  // Paths of data stand in main.cpp alone, and may be others elsewhere.
  Digest digest;
  digest.add(tables_text(e, modules, ""));
  for (const EmittedFile& file : files) digest.add(file.text);
  for (const EmittedFile& file : runtime_files()) digest.add(file.text);
  files.insert(files.begin() + 1, {"main.cpp", main_text(form, e, modules, digest.text())});
  const std::string cmake = cmake_text(form, files);
  files.push_back({"CMakeLists.txt", cmake});
  files.push_back({"README.md", readme_text(form)});
  for (EmittedFile& file : runtime_files()) files.push_back(std::move(file));
  return files;
}

}  // namespace mtfc::backends
