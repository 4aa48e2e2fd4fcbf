#include "cli/plan_request.h"

#include "cli/compile.h"
#include "cli/scale_axis.h"
#include "cli/target.h"
#include "frontend/layout/parse_layout.h"
#include "plan/space.h"
#include "support/quantity.h"
#include "support/render.h"

namespace mtfc::cli {
namespace {

class RequestReader {
 public:
  RequestReader(Session& session, const Model& model, int& status)
      : session_(session), model_(model), status_(status) {}

  std::optional<PlanRequest> run() {
    if (!read_given() || !read_meshes() || !read_machine() || !read_memory()) return std::nullopt;
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

  /// Of its diagnostics errors alone: what it leaves unsplit is still to be found.
  bool read_given() {
    if (options().keep.empty()) return true;
    const lowering::LayoutReport report =
        judge_layout(session_, model_, options().keep, status_,
                     [&](Layout& layout) { request_.given = layout; });
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

  bool read_meshes() {
    const std::string& text = options().processors;
    const std::optional<ScaleAxis> sizes = read_scale_axis("processors=" + text);
    if (!text.empty() && (!sizes || sizes->sizes.back() > 1 << 20))
      return wrong("--processors is a number or a range like `8..64`, not " + backquoted(text, 40),
                   "from 1 to 1048576; a range is doubled from its first number");
    if (!given_mesh_ && session_.options.mesh) {
      const FileId file = session_.add_fragment("--mesh", *session_.options.mesh);
      given_mesh_ = parse_mesh(session_.sources, file, session_.diagnostics);
      status_ = exit_usage;
      if (!given_mesh_) return false;
    }
    if (given_mesh_ && sizes && sizes->sizes != std::vector{given_mesh_->processors()})
      return wrong("the mesh that is kept has " + counted(given_mesh_->processors(), "processor") +
                       ", --processors says " + text,
                   "leave out --processors");
    // A mesh that is given is that of all processors.
    if (!given_mesh_ && !request_.given.pipeline) request_.stages = options().stages;
    if (given_mesh_)
      request_.meshes = {{*given_mesh_}};
    else if (sizes)
      for (const std::int64_t size : sizes->sizes)
        request_.meshes.push_back(plan::meshes_of(size, options().axes));
    else
      return wrong("`plan` is not told for how many processors",
                   "give `--processors 8`, or a mesh: `--mesh \"rows:2;cols:4\"`");
    return true;
  }

  /// Whatever the mesh: its memory and levels.
  bool read_machine() {
    if (session_.options.hardware.empty() && hardware_.empty())
      return wrong("`plan` is not told for which machine", "give `--hardware h100`");
    const std::vector<Mesh>& largest = request_.meshes.back();
    std::optional<Target> target = find_target(session_, hardware_, largest.front(), status_);
    if (!target) return false;
    if (target->machine.by_axis && (request_.meshes.size() > 1 || largest.size() > 1))
      return wrong("the links of " + backquoted(target->machine.name, 60) + " name mesh axes",
                   "give the mesh that has them: `--mesh \"rows:2;cols:4\"`");
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
  int& status_;
  PlanRequest request_;
  std::vector<Hardware> hardware_;
  std::optional<Mesh> given_mesh_;
};

}  // namespace

std::optional<PlanRequest> plan_request(Session& session, const Model& model, int& status) {
  return RequestReader(session, model, status).run();
}

}  // namespace mtfc::cli
