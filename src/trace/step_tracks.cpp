#include "trace/step_tracks.h"

#include <algorithm>

#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::trace {
namespace {

using cost::CollectiveCost;
using cost::Cost;
using cost::LiveBuffer;
using cost::Work;

std::string result_name(const Program& program, const Instruction& at) {
  for (ValueId id : at.results)
    if (!program.at(id).name.empty()) return program.at(id).name;
  return at.role.block;
}

void add_text(JsonFields& fields, const char* key, const std::string& text) {
  if (!text.empty()) fields.emplace_back(key, json(text));
}

EventLabel computation(const Module& module, const Program& program, const Instruction& at,
                       const Work& work, const SourceMap& sources) {
  EventLabel label;
  if (work.kind != Work::Kind::none) label.kind = EventLabel::Kind::computation;
  const std::string made = result_name(program, at);
  label.what = name(at.kind);
  label.line = source_text(sources, at.origin.span);
  label.name = label.what + (made.empty() ? "" : " " + made);
  JsonFields fields;
  add_text(fields, "line", label.line);
  fields.emplace_back("phase", json(name(at.origin.phase)));
  if (!at.results.empty())
    fields.emplace_back("result",
                        json(to_string(module.dims, module.mesh, program.at(at.results[0]).type)));
  fields.emplace_back("flops", json(work.flops));
  fields.emplace_back("bytes", json(work.bytes));
  if (work.times > 1) fields.emplace_back("computed_by", json(work.times));
  label.arguments = json_object(fields);
  return label;
}

EventLabel collective(const CollectiveCost& cost, const Work& work) {
  EventLabel label;
  label.kind = EventLabel::Kind::collective;
  label.async = work.async;
  label.axes = cost.axes;
  label.what = cost.kind + " " + cost.axes;
  label.name = cost.kind + " over " + cost.axes;
  label.line = cost.source;
  JsonFields fields;
  add_text(fields, "rule", cost.cause);
  add_text(fields, "line", cost.source);
  add_text(fields, "tensor", cost.tensor);
  add_text(fields, "operation", cost.operation);
  fields.emplace_back("phase", json(cost.phase));
  fields.emplace_back("bytes", json(cost.bytes_per_processor));
  fields.emplace_back("bytes_sent", json(cost.sent_per_processor));
  label.arguments = json_object(fields);
  return label;
}

EventLabel wait(const EventLabel& started, const Work& work) {
  EventLabel label = started;
  label.kind = EventLabel::Kind::wait;
  label.what = "wait for " + label.what;
  label.started = work.started;
  return label;
}

std::vector<std::int64_t> bytes_of_variables(const Module& module, const SourceMap& sources) {
  std::vector<std::int64_t> bytes(std::size(cost::all_memory_roles), 0);
  for (const cost::Alive& one : cost::alive_variables(module, sources))
    bytes[static_cast<std::size_t>(one.role)] += one.bytes;
  return bytes;
}

std::vector<MemoryChange> memory_changes(const Module& module, const Program& program,
                                         const SourceMap& sources) {
  const std::vector<bind::Bound> bound = bind::bind_all({module.dims, module.mesh}, program);
  const cost::LiveBuffers buffers(module, program, bound, sources);
  const std::vector<std::int64_t> variables = bytes_of_variables(module, sources);
  std::vector<std::vector<std::int64_t>> roles;
  for (const cost::MemoryRole role : cost::all_memory_roles)
    roles.push_back(buffers.in_use([&](const LiveBuffer& each) { return each.role == role; }));
  std::vector<MemoryChange> changes;
  for (std::size_t i = 0; i < roles[0].size(); ++i) {
    MemoryChange now{i, variables};
    for (std::size_t role = 0; role < roles.size(); ++role) now.bytes[role] += roles[role][i];
    if (changes.empty() || changes.back().bytes != now.bytes) changes.push_back(std::move(now));
  }
  return changes;
}

}  // namespace

const ProgramTracks& tracks_of(const std::vector<ProgramTracks>& step, const std::string& name) {
  const auto found = std::find_if(step.begin(), step.end(),
                                  [&](const ProgramTracks& each) { return each.program == name; });
  MTFC_CHECK(found != step.end(), "a run of no program of the step");
  return *found;
}

ProgramTracks tracks_of(const Module& module, const Program& program, const SourceMap& sources,
                        const cost::Detail& detail) {
  Cost cost = cost::cost_of(module, program, sources, detail);
  ProgramTracks tracks{program.name,
                       1,
                       {},
                       memory_changes(module, program, sources),
                       std::move(cost.work.front().instructions)};
  std::size_t collectives = 0;
  for (std::size_t i = 0; i < tracks.work.size(); ++i) {
    const Instruction& at = program.instructions[i];
    const Work& work = tracks.work[i];
    EventLabel label;
    if (work.kind == Work::Kind::collective)
      label = collective(cost.collectives[collectives++], work);
    else if (work.kind == Work::Kind::wait)
      label = wait(tracks.labels[work.started], work);
    else
      label = computation(module, program, at, work, sources);
    label.phase = at.origin.phase;
    tracks.labels.push_back(std::move(label));
  }
  return tracks;
}

std::vector<ProgramTracks> tracks_of_step(const Module& module, const SourceMap& sources,
                                          const cost::Detail& detail) {
  std::vector<ProgramTracks> all;
  for (const CountedProgram& counted : counted_programs(module)) {
    all.push_back(tracks_of(module, *counted.program, sources, detail));
    all.back().times = counted.times;
  }
  return all;
}

TrackNumbers::TrackNumbers(const std::vector<ProgramTracks>& all) {
  for (const ProgramTracks& program : all)
    for (const EventLabel& label : program.labels)
      if (label.kind == EventLabel::Kind::collective &&
          std::find(axes.begin(), axes.end(), label.axes) == axes.end())
        axes.push_back(label.axes);
  std::sort(axes.begin(), axes.end());
}

int TrackNumbers::of(const std::string& wanted) const {
  return collectives + static_cast<int>(std::find(axes.begin(), axes.end(), wanted) - axes.begin());
}

void TrackNumbers::announce(ChromeTrace& trace, int process, const std::string& who) const {
  trace.process(process, who);
  trace.track(process, programs, "programs");
  trace.track(process, processor, "computation");
  for (const std::string& each : axes) trace.track(process, of(each), "communication: " + each);
}

void add_memory(ChromeTrace& trace, int process, const MemoryChange& change, Nanoseconds at) {
  JsonFields values;
  std::int64_t total = 0;
  for (const cost::MemoryRole role : cost::all_memory_roles) {
    const std::int64_t bytes = change.bytes[static_cast<std::size_t>(role)];
    values.emplace_back(name(role), json(bytes));
    total += bytes;
  }
  values.emplace_back("all", json(total));
  trace.counter(process, "memory", at, values);
}

}  // namespace mtfc::trace
