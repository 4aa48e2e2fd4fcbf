#include "data/files/output_form.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include "support/text.h"

namespace mtfc::runtime {
namespace {

namespace fs = std::filesystem;

struct Row {
  OutputForm form;
  const char* name;
  std::vector<std::string_view> begins;  // none: as nothing of its own
};

const std::array<Row, 6>& rows() {
  static const std::array<Row, 6> all = {{{OutputForm::log, "a log", {"{\"step\":"}},
                                          {OutputForm::archive, "an archive (.npz)", {"PK"}},
                                          {OutputForm::trace, "a trace", {"{\"displayTimeUnit\":"}},
                                          {OutputForm::svg, "an SVG picture", {"<svg", "<?xml"}},
                                          {OutputForm::layout, "a layout", {}},
                                          {OutputForm::text, "a text picture", {}}}};
  return all;
}

const Row& row_of(OutputForm form) {
  return *std::find_if(rows().begin(), rows().end(),
                       [&](const Row& one) { return one.form == form; });
}

bool begins_like(const std::string& there, const Row& row) {
  return std::any_of(row.begins.begin(), row.begins.end(),
                     [&](std::string_view begin) { return there.starts_with(begin); });
}

/// Borders and areas of pictures are of U+2500 to U+259F: E2 94 80 to E2 96 9F.
bool is_drawn(std::string_view text) {
  constexpr std::size_t bytes = 3;
  for (std::size_t at = 0; (at = text.find('\xE2', at)) != text.npos; ++at)
    if (const std::string_view one = text.substr(at, bytes);
        one >= "\xE2\x94\x80" && one <= "\xE2\x96\x9F")
      return true;
  return false;
}

/// Beyond the names of tensors and layouts, which stand above what is drawn.
constexpr std::size_t well_into_the_picture = 1 << 16;

std::string beginning(const fs::path& path) {
  std::string begin(well_into_the_picture, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return begin;
}

bool is_own_kind(const fs::path& output, const std::string& there, const Row& row) {
  if (!row.begins.empty()) return begins_like(there, row);
  if (row.form == OutputForm::text && !is_drawn(there)) return false;
  const bool of_layout = output.extension() == ".layout" && row.form != OutputForm::layout;
  return output.extension() != ".mtf" && !of_layout &&
         std::none_of(rows().begin(), rows().end(),
                      [&](const Row& other) { return begins_like(there, other); });
}

}  // namespace

Status can_replace(const std::string& name, const fs::path& output, OutputForm form) {
  std::error_code failed;
  if (!fs::is_regular_file(output, failed) || fs::file_size(output, failed) == 0) return {};
  if (is_own_kind(output, beginning(output), row_of(form))) return {};
  return another_is_there(name, form);
}

Error another_is_there(const std::string& name, OutputForm form) {
  return {backquoted(name) + " exists, is not " + row_of(form).name + ", and would be replaced",
          {"name another file, or remove this one"},
          {}};
}

}  // namespace mtfc::runtime
