#include "backends/emit/cpp/build_files.h"

#include <utility>

#include "backends/emit/cpp/shipped.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

std::string template_text(std::string_view name) {
  for (const ShippedFile& file : emit_templates())
    if (name == file.path) return file.text;
  MTFC_CHECK(false, "no template is named `" + std::string(name) + "`");
  return "";
}

/// The text of a template with each @KEY@ replaced.
std::string filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [key, value] : values) {
    const std::size_t at = text.find("@" + key + "@");
    MTFC_CHECK(at != std::string::npos, "a template lacks @" + key + "@");
    text.replace(at, key.size() + 2, value);
  }
  return text;
}

std::string spaced(const std::string& word) { return word.empty() ? "" : " " + word; }

}  // namespace

std::string cmake_text(const Form& form, const std::vector<EmittedFile>& files) {
  std::string sources;
  for (const EmittedFile& file : files)
    if (file.path.ends_with(".cpp")) sources += "\n    " + file.path;
  return filled(template_text("CMakeLists.txt"), {{"FIND", form.find},
                                                  {"SOURCES", sources},
                                                  {"MORE_SOURCES", spaced(form.sources)},
                                                  {"TARGETS", spaced(form.targets)}});
}

std::string readme_text(const Form& form) {
  return filled(template_text("README.md"), {{"WHO", form.who},
                                             {"CONFIGURE", form.configure},
                                             {"RUN", form.run},
                                             {"NEEDS", form.needs},
                                             {"OPTIONS", form.options}});
}

std::vector<EmittedFile> runtime_files() {
  std::vector<EmittedFile> files = {{"runtime/runtime.cmake", template_text("runtime.cmake")}};
  for (const ShippedFile& file : shipped_runtime())
    files.push_back({std::string("runtime/") + file.path, file.text});
  return files;
}

}  // namespace mtfc::backends
