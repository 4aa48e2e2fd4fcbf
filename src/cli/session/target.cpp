#include "cli/session/target.h"

#include <algorithm>

#include "cli/session/here.h"
#include "data/files/read_file.h"
#include "frontend/layout/parse_layout.h"
#include "messages/propose.h"
#include "predict/presets.h"
#include "predict/read_machine.h"
#include "support/check.h"

namespace mtfc::cli {
namespace {

const predict::Preset* find_preset(const std::string& name) {
  for (const predict::Preset& preset : predict::presets())
    if (preset.name == name) return &preset;
  return nullptr;
}

constexpr const char* here = "here";

/// What `bench-hardware` measured. Nothing: reported.
std::optional<Hardware> read_here(SourceMap& sources, const Span& asked, Diagnostics& found) {
  const std::string path = here_path();
  const runtime::Result<runtime::Bytes> bytes = runtime::read_file(path);
  if (!bytes) {
    const std::string why =
        path.empty() ? "neither `$XDG_CONFIG_HOME` nor `$HOME` is set" : bytes.error().message;
    found.report(diag(DiagKind::unknown_hardware, "this machine has not been measured: " + why)
                     .at(asked)
                     .help("`mtfc bench-hardware` measures it; under mpirun its network, too"));
    return std::nullopt;
  }
  const std::size_t before = found.errors();
  const FileId file = sources.add(path, std::string(runtime::text_of(*bytes)));
  const std::optional<Layout> layout = parse_layout(sources, file, found);
  if (layout && layout->hardware.size() == 1 && layout->hardware[0].name == here &&
      !layout->hardware[0].preset)
    return layout->hardware[0];
  if (found.errors() == before)
    found.report(diag(DiagKind::invalid_hardware,
                      backquoted(path) + " does not have one description, `hardware here { }`")
                     .at(asked)
                     .help("`mtfc bench-hardware` makes it anew"));
  return std::nullopt;
}

/// The description of a preset, which there is.
Hardware read_preset(SourceMap& sources, const std::string& name, Diagnostics& found) {
  const predict::Preset* preset = find_preset(name);
  const FileId file = sources.add("hardware/" + name + ".layout", std::string(preset->text));
  const std::optional<Layout> layout = parse_layout(sources, file, found);
  MTFC_CHECK(layout && layout->hardware.size() == 1 && layout->hardware[0].name == name,
             "a preset that is not one description");
  return layout->hardware[0];
}

Diagnostic unknown_hardware(const Hardware& hardware, const std::vector<Hardware>& others) {
  std::vector<std::string> names;
  for (const Hardware& other : others) names.push_back(other.name);
  for (const predict::Preset& preset : predict::presets()) names.emplace_back(preset.name);
  names.emplace_back(here);
  Diagnostic d =
      diag(DiagKind::unknown_hardware, "no hardware `" + hardware.name + "`").at(hardware.span);
  propose(d, hardware.name_span, hardware.name, names);
  return std::move(d)
      .help("there are " + joined(names, ", "))
      .help("another machine is described in a layout, `hardware " + hardware.name +
            " { ... }`, which `plan` takes as `--keep`");
}

}  // namespace

std::optional<predict::Machine> machine_of(SourceMap& sources, const Hardware& hardware,
                                           const Mesh& mesh, Diagnostics& found) {
  std::optional<Hardware> described = hardware;
  if (hardware.preset && hardware.name == here) {
    described = read_here(sources, hardware.span, found);
    if (!described) return std::nullopt;
  } else if (hardware.preset && !find_preset(hardware.name)) {
    found.report(unknown_hardware(hardware, {}));
    return std::nullopt;
  } else if (hardware.preset) {
    described = read_preset(sources, hardware.name, found);
  }
  return predict::read_machine(*described, mesh, found);
}

Diagnostic too_small(const Span& hardware, const predict::Machine& machine,
                     const std::string& meshes) {
  const std::string levels = joined(machine.levels, " x ", [](const predict::Level& level) {
    return level.name + " " + std::to_string(level.size);
  });
  return diag(DiagKind::invalid_hardware,
              meshes + " does not fit on `hardware " + machine.name + "`")
      .at(hardware)
      .note(levels.empty() ? "it has one processor" : "from the inside outwards it has " + levels)
      .help(levels.empty() ? "describe its network: `link node switch size=8 bw=450GB/s lat=3us`"
                           : "give a `link` a larger `size`, or take a smaller mesh");
}

std::optional<Target> target_of(SourceMap& sources, const Hardware& hardware, const Mesh& mesh,
                                Diagnostics& found) {
  std::optional<predict::Machine> machine = machine_of(sources, hardware, mesh, found);
  if (!machine) return std::nullopt;
  std::optional<predict::Mapping> mapping = predict::map_mesh(mesh, *machine);
  if (mapping) return Target{mesh, std::move(*machine), std::move(*mapping)};
  found.report(too_small(hardware.span, *machine, "mesh " + to_string(mesh)));
  return std::nullopt;
}

std::optional<Hardware> chosen_hardware(Session& session, const std::vector<Hardware>& of_layout,
                                        int& status) {
  std::optional<Hardware> chosen;
  if (!session.options.hardware.empty()) {
    const std::string& name = session.options.hardware;
    const FileId file = session.add_fragment("--hardware", name);
    const Span span{file, 0, static_cast<std::uint32_t>(name.size())};
    chosen = Hardware{name, {}, span, true, span};
    for (const Hardware& each : of_layout)
      if (each.name == name) chosen = each;
    if (chosen->preset && name != here && !find_preset(name)) {
      session.report(unknown_hardware(*chosen, of_layout));
      status = exit_usage;
      return std::nullopt;
    }
  } else if (of_layout.size() == 1) {
    chosen = of_layout.front();
  } else if (of_layout.size() > 1) {
    session.report(diag(DiagKind::wrong_usage, "the layout has several machines")
                       .at(of_layout[1].span, "the second")
                       .help("name one: `--hardware " + of_layout[0].name + "`"));
    status = exit_usage;
  }
  return chosen;
}

std::optional<Target> find_target(Session& session, const std::vector<Hardware>& of_layout,
                                  const Mesh& mesh, int& status) {
  const std::optional<Hardware> chosen = chosen_hardware(session, of_layout, status);
  if (!chosen) return std::nullopt;
  Diagnostics found;
  std::optional<Target> target = target_of(session.sources, *chosen, mesh, found);
  session.report(found);
  const auto unknown = [](const Diagnostic& d) { return d.kind == DiagKind::unknown_hardware; };
  if (!target)
    status =
        std::any_of(found.all().begin(), found.all().end(), unknown) ? exit_usage : exit_invalid;
  return target;
}

}  // namespace mtfc::cli
