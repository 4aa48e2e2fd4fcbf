// Model and layout -> what a run needs.
#pragma once
#include <functional>
#include <optional>

#include "cli/session/session.h"
#include "ir/model.h"
#include "ir/module.h"
#include "layout/check_summary.h"
#include "lowering/stages/stage_states.h"

namespace mtfc::cli {

/// Reads and elaborates the model of the command line, and runs the passes that come before layouts
/// are checked; `request`: what it is compiled for. Absent: reported; `status` is the exit status.
std::optional<Model> read_model(Session& session, const lowering::Request& request, int& status);

/// The same model with further -D, which come last. Mistakes are reported, warnings are not
/// repeated.
std::optional<Model> read_model_again(Session& session, const lowering::Request& request,
                                      const std::vector<KeyValue>& defines, int& status);

/// The same with further -D and --set, in silence: nothing if that is a mistake, or if there is
/// more to warn of than there was of the model of the command line (`warnings`).
std::optional<Model> try_model(Session& session, const std::vector<KeyValue>& defines,
                               const std::vector<KeyValue>& settings, std::size_t warnings);

/// --rules beside files: reported, the command has ended with `status`.
bool refuses_rules(Session& session, int& status);

/// Judges one layout file, or what --rules and --mesh say if `layout_path` is empty. `status` says
/// how to end if the report is not ok; a file that cannot be read is reported by the session
/// itself.
/// `change` is done to the layout before it is judged.
/// `change_mesh` to the mesh that it is judged for, if there is one.
using ChangeLayout = std::function<void(Layout&)>;
using ChangeMesh = std::function<void(Mesh&)>;
lowering::LayoutReport judge_layout(Session& session, const Model& model,
                                    const std::string& layout_path, int& status,
                                    const ChangeLayout& change = {},
                                    const ChangeMesh& change_mesh = {});

/// The model under the layout of the command line. Absent: reported; `status` says how to end.
struct Compiled {
  Model model;
  Assignment assignment;
  std::vector<Hardware> hardware = {};                            // as the layout has it
  std::map<std::string, lowering::WrittenSetting> settings = {};  // LayoutReport::settings
};
std::optional<Compiled> compile(Session& session, const lowering::Request& request, int& status);

/// Runs the passes, honouring --start-from, --dump-after and --verify-passes. Absent: the command
/// ends with `status` (the dump was all that was wanted, or the file to start from is not a dump).
std::optional<lowering::StageStates> states_for(Session& session, const Model& model,
                                                const Assignment& assignment,
                                                const lowering::Request& request, int& status);
/// The module alone, for commands that know no stages.
std::optional<Module> lower_for(Session& session, const Model& model, const Assignment& assignment,
                                const lowering::Request& request, int& status);

/// What --dump-after takes.
std::vector<std::string> dump_names();
/// "mesh rows=2, cols=2" or "one processor"
std::string mesh_text(const Mesh& mesh);
/// Of a pipeline: "4 stages (1f1b) of mesh rows=2, cols=2 each", "2 stages (1f1b) of meshes
/// rows=2+4, cols=4+2".
std::string mesh_text(const Assignment& assignment);

}  // namespace mtfc::cli
