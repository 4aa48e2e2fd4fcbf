#include "cli/plan/request.h"

#include "cli/plan/kept.h"
#include "cli/plan/models.h"
#include "cli/reports/scale_axis.h"
#include "cli/session/compile.h"
#include "cli/session/target.h"
#include "frontend/layout/parse_layout.h"
#include "ir/quantity.h"
#include "ir/stage_meshes.h"
#include "plan/space/space.h"
#include "predict/map_stages.h"

namespace mtfc::cli {
namespace {

class RequestReader {
 public:
  RequestReader(Session& session, const Model& model, const plan::Models& models, int& status)
      : session_(session), model_(model), models_(models), status_(status) {}

  std::optional<PlanRequest> run() {
    if (!read_given() || !read_pipeline() || !read_meshes() || !read_machine() || !read_memory())
      return std::nullopt;
    return std::move(request_);
  }

 private:
  const PlanOptions& options() const { return session_.options.plan; }

  bool wrong(const std::string& message, const std::string& help = "") {
    status_ = exit_usage;
    session_.report(help.empty() ? diag(DiagKind::wrong_usage, message)
                                 : diag(DiagKind::wrong_usage, message).help(help));
    return false;
  }

  /// Of its diagnostics errors alone: what it leaves unsplit is still to be found. Its pipeline is
  /// for micro-batches, which the model may not have yet.
  bool read_given() {
    if (options().keep.empty()) return true;
    const lowering::LayoutReport report =
        judge_layout(session_, model_, options().keep, status_, [&](Layout& layout) {
          request_.given = layout;
          layout.pipeline.reset();
        });
    for (const Diagnostic& diagnostic : report.diagnostics.all())
      if (diagnostic.severity() == Severity::error) session_.report(diagnostic);
    if (!report.ok) return false;
    hardware_ = report.hardware;
    if (request_.given.mesh || session_.options.mesh) given_mesh_ = report.mesh;
    request_.given.mesh.reset();
    request_.given.hardware.clear();
    if (const std::optional<FileId> file = session_.read(options().keep))
      request_.given_text = std::string(session_.sources.text(*file));
    return true;
  }

  bool read_pipeline() {
    if (!request_.given.pipeline) return true;
    status_ = exit_invalid;
    request_.pipeline = kept_pipeline(session_, request_.given, given_mesh_, models_,
                                      microbatches_of(models_, model_).counts);
    if (!request_.pipeline) return false;
    if (options().stages != PlanOptions{}.stages)
      return wrong("the pipeline that is kept has " + counted(request_.pipeline->stages, "stage") +
                       ", --stages is of those that are looked for",
                   "leave out --stages");
    return true;
  }

  bool read_meshes() {
    const std::string& text = options().processors;
    const std::optional<ScaleAxis> sizes = read_scale_axis("processors=" + text);
    if (!text.empty() && (!sizes || sizes->sizes.back() > 1 << 20))
      return wrong(
          "--processors is a number, several that ascend like `4,12`, or a range like `8..64`, "
          "not " +
              backquoted(text, 40),
          "from 1 to 1048576; a range is doubled from its first number to its last");
    if (!given_mesh_ && session_.options.mesh) {
      const FileId file = session_.add_fragment("--mesh", *session_.options.mesh);
      given_mesh_ = parse_mesh(session_.sources, file, session_.diagnostics);
      status_ = exit_usage;
      if (!given_mesh_) return false;
    }
    if (given_mesh_) return take_mesh(*given_mesh_, sizes);
    request_.stages = options().stages;
    if (!sizes)
      return wrong("`plan` needs the number of processors",
                   "give `--processors 8`, or a mesh: `--mesh \"rows:2;cols:4\"`");
    for (const std::int64_t size : sizes->sizes) {
      request_.sizes.push_back({size, meshes_for(request_, size, options().most_axes())});
      if (request_.sizes.back().meshes.empty())
        return wrong(
            "the " + counted(request_.pipeline->stages, "stage") + " that are kept do not divide " +
                counted(size, "processor"),
            "each has as many; give a multiple of " + std::to_string(request_.pipeline->stages));
    }
    return true;
  }

  /// That of all processors, or of each stage of the pipeline that is kept.
  bool take_mesh(const Mesh& mesh, const std::optional<ScaleAxis>& sizes) {
    const std::optional<plan::Pipeline>& pipeline = request_.pipeline;
    const std::int64_t all = pipeline ? processors_of(*pipeline, mesh) : mesh.processors();
    if (sizes && sizes->sizes != std::vector{all})
      return wrong(
          std::string(pipeline ? "the stages that are kept have " : "the mesh that is kept has ") +
              counted(all, "processor") + ", --processors says " + options().processors,
          "leave out --processors");
    if (!pipeline && options().stages != PlanOptions{}.stages && options().stages > 1)
      return wrong("--stages is of pipelines, which are not looked for on one mesh",
                   "give `--processors " + std::to_string(all) + "` in the place of the mesh");
    if (options().axes && static_cast<std::size_t>(*options().axes) < mesh.axes.size())
      return wrong("the mesh has " + std::to_string(mesh.axes.size()) + " axes, --axes says " +
                       std::to_string(*options().axes) + " at most",
                   "leave out --axes");
    const bool differ = pipeline && !pipeline->meshes.empty();
    request_.sizes = {{all, {differ ? widest(pipeline->meshes) : mesh}}};
    return true;
  }

  /// Whatever the mesh: its memory and levels.
  bool read_machine() {
    if (session_.options.hardware.empty() && hardware_.empty())
      return wrong("`plan` needs a machine", "give `--hardware h100`");
    const std::vector<Mesh>& largest = request_.sizes.back().meshes;
    std::optional<Target> target = find_target(session_, hardware_, largest.front(), status_);
    if (!target) return false;
    if (target->machine.by_axis && (request_.sizes.size() > 1 || largest.size() > 1))
      return wrong("the links of " + backquoted(target->machine.name, 60) + " name mesh axes",
                   "give the mesh that has them: `--mesh \"rows:2;cols:4\"`");
    if (target->machine.by_axis && request_.pipeline) {
      target =
          find_target(session_, hardware_,
                      predict::mesh_of_stages(largest.front(), request_.pipeline->stages), status_);
      if (!target) return false;
    }
    request_.machine = std::move(target->machine);
    return true;
  }

  bool read_memory() {
    request_.memory = request_.machine.chip.memory;
    const std::string& text = options().memory;
    if (text.empty()) return true;
    const std::optional<Quantity> given = read_quantity(text);
    if (!given || given->kind != Quantity::Kind::bytes || !(given->value > 0))
      return wrong("--memory is an amount like `80GB`, not " + backquoted(text, 40));
    request_.memory = given->value;
    return true;
  }

  Session& session_;
  const Model& model_;
  const plan::Models& models_;
  int& status_;
  PlanRequest request_;
  std::vector<Hardware> hardware_;
  std::optional<Mesh> given_mesh_;
};

}  // namespace

std::optional<PlanRequest> plan_request(Session& session, const Model& model,
                                        const plan::Models& models, int& status) {
  return RequestReader(session, model, models, status).run();
}

std::vector<Mesh> meshes_for(const PlanRequest& request, std::int64_t processors, int axes) {
  const int stages = request.pipeline ? request.pipeline->stages : 1;
  if (processors % stages != 0) return {};
  return plan::meshes_of(processors / stages, axes);
}

}  // namespace mtfc::cli
