// `mtfc check`: what each of several layouts makes of a model, as data and as a table.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "layout/settings.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// One row: `layouts: [{file, ok, mesh, processors, diagnostics}]` of --json.
struct LayoutReport {
  std::string file;  // as the user wrote it
  bool ok = false;
  bool read = true;             // false: its file could not be read, which the caller reports
  Mesh mesh;                    // of stages with meshes of their own, that of the first
  std::int64_t processors = 0;  // 0: the mesh is not known (no text, no mesh)
  std::int64_t parameters_per_processor = 0;  // elements; meaningful if ok
  Diagnostics diagnostics;
  std::vector<Hardware> hardware;        // as the layout has it
  std::optional<Assignment> assignment;  // present if ok
  /// Where its settings are written, by name; without those of which it is said that they do
  /// nothing.
  std::map<std::string, WrittenSetting> settings = {};
};

/// Elements of all parameters, and of one processor's share of them; of a pipeline, in the stage
/// that has the most.
std::int64_t parameter_elements(const Model& model);
std::int64_t parameter_elements(const Model& model, const Assignment& assignment);

/// Resolves and judges one layout. `layout` is absent if its text did not parse, which
/// `diagnostics` then says. All mistakes are found in one pass: clashes also beside bad sizes.
LayoutReport check_layout(std::string file, const std::optional<Layout>& layout,
                          Diagnostics diagnostics, const std::optional<Mesh>& mesh_override,
                          const Model& model, const SourceMap& sources);

/// The table of `mtfc check`, at most `width` columns where names allow it:
///
///   layout             mesh            processors  parameters  verdict
///   dp.layout          rows=4                   4     803,328  ok
///   mp.layout          rows=2, cols=2           4     401,664  ok, 1 warning
///   bad.layout         rows=3, cols=2           6           -  2 errors
///   gone.layout        -                        -           -  not read
std::string summary_table(const std::vector<LayoutReport>& reports, std::size_t width = 80);

}  // namespace mtfc::lowering
