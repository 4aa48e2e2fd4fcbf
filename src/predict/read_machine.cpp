#include "predict/read_machine.h"

#include <algorithm>
#include <set>

#include "predict/chip_fields.h"
#include "predict/hardware_fields.h"
#include "predict/map_stages.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::predict {
namespace {

using Unit = Quantity::Kind;

constexpr std::int64_t most_threads = 1000000;
constexpr std::int64_t most_units = (std::int64_t{1} << 31) - 1;
// A mesh has at most 64 axes.
constexpr std::size_t most_lines = 80, most_fields = 80;

class Reader {
 public:
  Reader(const Hardware& hardware, const Mesh& mesh, Diagnostics& diagnostics)
      : hardware_(hardware), mesh_(mesh), diagnostics_(diagnostics) {
    machine_.name = hardware.name;
  }

  std::optional<Machine> run() {
    const std::size_t before = diagnostics_.errors();
    if (is_too_long()) return std::nullopt;
    const HardwareLine* first_chip = nullptr;
    for (const HardwareLine& line : hardware_.lines) {
      if (line.kind == "link") links_.push_back(&line);
      if (line.kind != "chip") continue;
      if (first_chip)
        error("a second `chip` in `hardware " + hardware_.name + "`", line.span);
      else
        chip(line);
      first_chip = &line;
    }
    if (!first_chip)
      error("`hardware " + hardware_.name + "` has no `chip`", hardware_.span,
            "write `chip flops=312TF mem=80GB hbm=2.0TB/s`");
    links();
    if (diagnostics_.errors() > before) return std::nullopt;
    return std::move(machine_);
  }

 private:
  void error(std::string message, Span span, std::string help = "") {
    report_invalid(diagnostics_, std::move(message), span, std::move(help));
  }

  bool is_too_long() {
    const std::size_t before = diagnostics_.errors();
    if (hardware_.lines.size() > most_lines)
      error("`hardware " + hardware_.name + "` has more than " + std::to_string(most_lines) +
                " lines",
            hardware_.span);
    else
      for (const HardwareLine& line : hardware_.lines)
        if (line.fields.size() > most_fields)
          error("a `" + line.kind + "` with more than " + std::to_string(most_fields) + " fields",
                line.span);
    return diagnostics_.errors() > before;
  }

  void chip(const HardwareLine& line) {
    Fields fields(line, diagnostics_);
    Chip& chip = machine_.chip;
    chip.peaks.fill(fields.need("flops", Unit::flops).value_or(1));
    for (const ChipField& field : chip_fields()) {
      const std::optional<double> value = chip_value(fields, field);
      if (value) field.of(chip) = *value;
      if (value && field.is_kernel_cost) chip.kernels.known = true;
    }
    if (const auto threads = fields.take_count("threads", most_threads)) {
      chip.kernels.threads = *threads;
      chip.kernels.known = true;
    }
    if ((chip.kernels.cache > 0) != (chip.kernels.cache_rate > 0))
      error("`cache` and `cache_bw` need each other", line.span,
            "write `cache=24MB cache_bw=150GB/s`");
    fields.finish();
  }

  static std::optional<double> chip_value(Fields& fields, const ChipField& field) {
    if (field.is_required) return fields.need(field.name, field.kind);
    if (field.limits) return fields.take(field.name, field.kind, *field.limits);
    return fields.take(field.name, field.kind);
  }

  void links() {
    const auto sized = [](const HardwareLine* line) {
      return std::any_of(line->fields.begin(), line->fields.end(),
                         [](const HardwareField& f) { return f.name == "size"; });
    };
    const auto levels = std::count_if(links_.begin(), links_.end(), sized);
    for (const HardwareLine* line : links_) {
      if (!seen_.insert(line->words.front()).second)
        error("`hardware " + hardware_.name + "` has two links `" + line->words.front() + "`",
              line->span);
      if (!sized(line) && !is_axis(*line)) unknown_axis(*line);
    }
    if (levels == 0) return axes();
    for (const HardwareLine* line : links_) {
      if (sized(line))
        machine_.levels.push_back(link(*line, 0));
      else if (is_axis(*line))
        error("`" + line->words.front() + "` is an axis of the mesh, other links have a `size`",
              line->span, "all links name axes, or all are levels with a `size` each");
    }
  }

  /// Of the mesh, or that of the stages of a pipeline, which the mesh of one stage lacks.
  bool is_axis(const HardwareLine& line) const {
    return mesh_.find(line.words.front()) || line.words.front() == stages_axis(mesh_);
  }

  /// Each axis of the mesh is a level of its own, the last one the innermost.
  void axes() {
    machine_.by_axis = true;
    for (std::size_t i = mesh_.axes.size(); i-- > 0;) {
      const MeshAxis& axis = mesh_.axes[i];
      const HardwareLine* found = nullptr;
      for (const HardwareLine* line : links_)
        if (line->words.front() == axis.name) found = line;
      if (found)
        machine_.levels.push_back(link(*found, axis.size));
      else if (axis.size > 1)
        error("no link of `hardware " + hardware_.name + "` is for mesh axis `" + axis.name + "`",
              hardware_.span, "write `link " + axis.name + " ring bw=50GB/s`");
      else
        machine_.levels.push_back({axis.name});
    }
  }

  void unknown_axis(const HardwareLine& line) {
    const std::string& name = line.words.front();
    Diagnostic d =
        diag(DiagKind::unknown_mesh_axis, "hardware link names no mesh axis: `" + name + "`")
            .at(line.span, mesh_.axes.empty() ? "there is no mesh" : "mesh is " + to_string(mesh_));
    if (std::string near = suggested(name, names_of(mesh_.axes)); !near.empty())
      d.helps.push_back(std::move(near));
    const auto has_link = [&](const MeshAxis& axis) {
      return std::any_of(links_.begin(), links_.end(), [&](const HardwareLine* other) {
        return other->words.front() == axis.name;
      });
    };
    if (!mesh_.axes.empty() && std::all_of(mesh_.axes.begin(), mesh_.axes.end(), has_link))
      d.helps.push_back("every axis has its link: take this one out");
    else
      d.helps.push_back("a level of the machine's own has a size: `link " + name +
                        " switch size=8`");
    diagnostics_.report(std::move(d));
  }

  /// `size`: of the axis that it is for; 0: it has one of its own.
  Level link(const HardwareLine& line, std::int64_t size) {
    Fields fields(line, diagnostics_);
    Level level;
    level.name = line.words.front();
    level.topology = topology(line);
    level.size = size > 0 ? size : fields.take_count("size", most_units).value_or(1);
    if (level.topology == Topology::torus)
      level.dims = static_cast<int>(fields.take_count("dims", 8).value_or(2));
    level.bandwidth = fields.need("bw", Unit::bandwidth).value_or(1);
    level.latency = fields.take("lat", Unit::seconds).value_or(0);
    level.efficiency = fields.take("eff", Unit::share).value_or(1);
    level.sum_rate = fields.take("sum", Unit::bandwidth).value_or(0);
    level.sharers = fields.take_count("shared", most_units).value_or(1);
    fields.finish();
    if (level.sharers > 1 && machine_.levels.empty()) shared_innermost(line);
    return level;
  }

  void shared_innermost(const HardwareLine& line) {
    const auto field = std::find_if(line.fields.begin(), line.fields.end(),
                                    [](const HardwareField& f) { return f.name == "shared"; });
    error("the innermost link is not shared: each processor has its own", field->span,
          "first describe the link between those that share this one, "
          "`link node switch size=8 bw=300GB/s`");
  }

  Topology topology(const HardwareLine& line) {
    if (line.words.size() < 2) return Topology::switched;
    std::vector<std::string> names;
    for (const Topology each :
         {Topology::ring, Topology::torus, Topology::switched, Topology::tree}) {
      names.emplace_back(name(each));
      if (names.back() == line.words[1]) return each;
    }
    error("no topology `" + line.words[1] + "`", line.span,
          suggested(line.words[1], names, "there are " + joined(names, ", ")));
    return Topology::switched;
  }

  const Hardware& hardware_;
  const Mesh& mesh_;
  Diagnostics& diagnostics_;
  Machine machine_;
  std::vector<const HardwareLine*> links_;
  std::set<std::string> seen_;  // names of links
};

}  // namespace

std::optional<Machine> read_machine(const Hardware& hardware, const Mesh& mesh,
                                    Diagnostics& diagnostics) {
  return Reader(hardware, mesh, diagnostics).run();
}

}  // namespace mtfc::predict
