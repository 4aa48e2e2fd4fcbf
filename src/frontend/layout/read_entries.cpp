#include "frontend/layout/read_entries.h"

#include <algorithm>

#include "frontend/layout/mistakes.h"
#include "ir/dims.h"
#include "ir/quantity.h"
#include "support/text.h"

namespace mtfc::layout {
namespace {

// A mesh of 2^31 processors has at most 31 axes that split anything.
constexpr std::size_t most_axes = 64;
}  // namespace

Span EntryReader::span_of(antlr4::ParserRuleContext* context) const {
  return join(layout::span_of(*context->getStart(), file_),
              layout::span_of(*context->getStop(), file_));
}

void EntryReader::report(Diagnostic diagnostic) {
  if (!is_full()) diagnostics_.report(std::move(diagnostic));
}

void EntryReader::error(DiagKind kind, std::string message, Span span, std::string label,
                        std::string help) {
  Diagnostic d = diag(kind, std::move(message)).at(span, std::move(label));
  if (!help.empty()) d.helps.push_back(std::move(help));
  report(std::move(d));
}

void EntryReader::refuse_dots(const Separators& separators) {
  for (LayoutParser::SepContext* separator : separators)
    if (separator->DOT() != nullptr) report(dot_separator(span_of(separator)));
}

void EntryReader::read(LayoutParser::EntryContext* entry) {
  const Span span = span_of(entry);
  if (dynamic_cast<LayoutParser::NothingContext*>(entry) != nullptr) {
    if (!nothing_.valid()) nothing_ = span;
    layout_.replicates = true;
  } else if (auto* mesh_entry = dynamic_cast<LayoutParser::MeshContext*>(entry)) {
    refuse_dots(mesh_entry->sep());
    mesh(mesh_entry->axis(), span);
  } else if (auto* set_entry = dynamic_cast<LayoutParser::SettingContext*>(entry)) {
    setting(set_entry);
  } else if (auto* scope_entry = dynamic_cast<LayoutParser::ScopeContext*>(entry)) {
    scope(scope_entry);
  } else if (auto* pipeline_entry = dynamic_cast<LayoutParser::PipelineContext*>(entry)) {
    refuse_dots(pipeline_entry->sep());
    pipeline(pipeline_entry);
  } else if (auto* hardware_entry = dynamic_cast<LayoutParser::HardwareContext*>(entry)) {
    refuse_dots(hardware_entry->sep());
    hardware(hardware_entry);
  } else if (auto* rule_entry = dynamic_cast<LayoutParser::RuleContext*>(entry)) {
    LayoutRule general = rule(rule_entry->splits());
    if (general.axes.empty())
      return error(
          DiagKind::syntax_error, "`" + general.pattern + ":[]` outside of a scope", general.span,
          "splits nothing",
          "what no rule names is not split; `[]` takes back a rule in a part of the model: "
          "`in \"layers.*\" { " +
              general.pattern + ":[] }`");
    layout_.rules.push_back(std::move(general));
  }
}

void EntryReader::read(LayoutParser::MeshTextContext* text) {
  refuse_dots(text->sep());
  if (!text->axis().empty())
    mesh(text->axis(), join(span_of(text->axis().front()), span_of(text->axis().back())));
}

void EntryReader::finish() {
  if (!nothing_.valid() || layout_.rules.empty()) return;
  report(diag(DiagKind::syntax_error, "`[]` means no rules at all, but there are some")
             .at(nothing_)
             .also(layout_.rules.front().span, "the first rule")
             .help("remove `[]`, or all rules")
             .fix(nothing_, ""));
}

void EntryReader::mesh(const Axes& axes, Span span) {
  if (layout_.mesh) {
    report(diag(DiagKind::invalid_mesh, "a second `mesh` in one layout")
               .at(span, "second mesh")
               .also(layout_.mesh_span, "first mesh")
               .help("write all axes in one line: `mesh rows=2, cols=2`"));
    return;
  }
  layout_.mesh.emplace();
  layout_.mesh_span = span;
  for (LayoutParser::AxisContext* context : axes) axis(context);
  check_processors();
}

void EntryReader::axis(LayoutParser::AxisContext* context) {
  const std::string name = context->word()->getText();
  const Span span = span_of(context);
  const std::string number = context->getStop()->getText();
  const auto size = read_whole(number, 1, largest_size);
  if (!size)
    error(DiagKind::invalid_mesh,
          "the size of mesh axis `" + name + "` is not a whole number from 1 to " +
              std::to_string(largest_size),
          layout::span_of(*context->getStop(), file_), "not a size");
  // Looked up in a map, not in the mesh: a hostile text has a hundred thousand axes.
  const auto [first, fresh] = axis_spans_.emplace(name, span);
  if (!fresh) {
    report(diag(DiagKind::invalid_mesh, "mesh axis `" + name + "` is listed twice")
               .at(span, "second")
               .also(first->second, "first"));
    return;
  }
  layout_.mesh->axes.push_back({name, size.value_or(1)});
  layout_.mesh_axis_spans.push_back(span);
}

void EntryReader::check_processors() {
  if (layout_.mesh->axes.size() > most_axes) {
    error(DiagKind::invalid_mesh, "the mesh has more than " + std::to_string(most_axes) + " axes",
          layout_.mesh_span);
    return;
  }
  std::int64_t product = 1;
  for (const MeshAxis& axis : layout_.mesh->axes) {
    product *= axis.size;
    if (product <= largest_size) continue;
    error(DiagKind::invalid_mesh,
          "the mesh has more than " + std::to_string(largest_size) + " processors",
          layout_.mesh_span, "the product of the sizes");
    return;
  }
}

LayoutRule EntryReader::rule(LayoutParser::SplitsContext* context) {
  LayoutRule rule;
  rule.pattern = context->pattern()->getText();
  rule.pattern_span = span_of(context->pattern());
  rule.optional = !context->QUESTION().empty();
  rule.must_divide = !context->BANG().empty();
  rule.span = span_of(context);
  for (LayoutParser::TargetContext* target : context->target()) {
    rule.axes.push_back(target->getText());
    rule.axis_spans.push_back(span_of(target));
    if (target->word() == nullptr)
      error(DiagKind::syntax_error,
            "a rule names a mesh axis, not a number: found `" + target->getText() + "`",
            rule.axis_spans.back(), "",
            "a mesh is declared by `mesh " + rule.pattern + "=" + target->getText() + "`");
  }
  check_axes(rule);
  return rule;
}

std::string EntryReader::path(antlr4::tree::TerminalNode* quoted) {
  const std::string text = quoted->getText();
  constexpr std::size_t longest = 1000;
  if (text.size() > longest + 2)
    error(DiagKind::syntax_error, "a path has at most 1000 letters",
          layout::span_of(*quoted->getSymbol(), file_));
  return text.substr(1, std::min(text.size() - 2, longest));
}

void EntryReader::scope(LayoutParser::ScopeContext* context) {
  refuse_dots(context->sep());
  LayoutScope scope;
  scope.kind = context->VALUE() ? LayoutScope::Kind::value
               : context->IN()  ? LayoutScope::Kind::block
                                : LayoutScope::Kind::param;
  scope.span = span_of(context);
  for (LayoutParser::SplitsContext* each : context->splits()) scope.rules.push_back(rule(each));
  // Several paths: a scope for each, with the same rules.
  for (LayoutParser::ScopePathContext* each : context->scopePath()) {
    scope.glob_span = layout::span_of(*each->STRING()->getSymbol(), file_);
    scope.glob = path(each->STRING());
    scope.optional = each->QUESTION() != nullptr;
    layout_.scopes.push_back(scope);
  }
}

void EntryReader::check_axes(const LayoutRule& rule) {
  for (std::size_t i = 1; i < rule.axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (rule.axes[i] == rule.axes[j])
        return report(diag(DiagKind::syntax_error, "rule `" + rule.pattern + "` names mesh axis `" +
                                                       rule.axes[i] + "` twice")
                          .at(rule.axis_spans[i], "second")
                          .also(rule.axis_spans[j], "first"));
}

void EntryReader::setting(LayoutParser::SettingContext* context) {
  const std::string name = context->word(0)->getText();
  // What follows the `=`: "full", or "full", ":" and "14".
  std::string value;
  for (std::size_t i = 3; i < context->children.size(); ++i)
    value += context->children[i]->getText();
  const Span span = span_of(context);
  const auto [first, fresh] = settings_.emplace(name, layout_.settings.size());
  if (!fresh) {
    const bool same = layout_.settings[first->second].second == value;
    report(diag(same ? DiagKind::repeated_rule : DiagKind::syntax_error,
                "`set " + name + "` is listed twice")
               .at(span, "second")
               .also(layout_.setting_spans[first->second], "first"));
    return;
  }
  layout_.settings.emplace_back(name, value);
  layout_.setting_spans.push_back(span);
}

void EntryReader::pipeline(LayoutParser::PipelineContext* context) {
  LayoutPipeline pipeline;
  pipeline.span = span_of(context);
  for (antlr4::tree::TerminalNode* glob : context->STRING()) {
    const Span span = layout::span_of(*glob->getSymbol(), file_);
    pipeline.globs_span = pipeline.globs.empty() ? span : join(pipeline.globs_span, span);
    pipeline.globs.push_back(path(glob));
  }
  for (LayoutParser::PipelineFieldContext* field : context->pipelineField()) {
    LayoutPipeline::Field& read = pipeline.fields.emplace_back();
    read.name = field->word()->getText();
    read.span = span_of(field);
    for (LayoutParser::PipelineWordContext* word : field->pipelineWord())
      read.words.push_back(word->getText());
  }
  if (!layout_.pipeline) {
    layout_.pipeline = std::move(pipeline);
    return;
  }
  report(diag(DiagKind::wrong_pipeline, "a second `pipeline` in one layout")
             .at(pipeline.span, "second")
             .also(layout_.pipeline->span, "first")
             .help("name all blocks in one: `pipeline \"encoder.layers.*\", \"decoder.layers.*\" { "
                   "... }`"));
}

void EntryReader::hardware(LayoutParser::HardwareContext* context) {
  Hardware hardware{context->word()->getText(), {}, span_of(context)};
  hardware.preset = context->OPEN() == nullptr;
  hardware.name_span = span_of(context->word());
  const auto [first, fresh] = hardware_spans_.emplace(hardware.name, hardware.span);
  if (!fresh)
    report(diag(DiagKind::invalid_hardware, "two machines are called `" + hardware.name + "`")
               .at(hardware.span, "second")
               .also(first->second, "first"));
  for (LayoutParser::HardwareLineContext* line : context->hardwareLine())
    hardware.lines.push_back(hardware_line(line));
  layout_.hardware.push_back(std::move(hardware));
}

HardwareLine EntryReader::hardware_line(LayoutParser::HardwareLineContext* context) {
  HardwareLine line;
  line.span = span_of(context);
  if (auto* chip = dynamic_cast<LayoutParser::ChipContext*>(context)) {
    line.kind = "chip";
    refuse_dots(chip->sep());
    for (LayoutParser::FieldContext* f : chip->field()) field(line, f);
  } else if (auto* link = dynamic_cast<LayoutParser::LinkContext*>(context)) {
    line.kind = "link";
    line.words.push_back(link->word()->getText());
    if (link->NAME() != nullptr) line.words.push_back(link->NAME()->getText());
    refuse_dots(link->sep());
    for (LayoutParser::FieldContext* f : link->field()) field(line, f);
  }
  return line;
}

void EntryReader::field(HardwareLine& line, LayoutParser::FieldContext* context) {
  const std::string value = context->getStop()->getText();
  const bool is_word = context->NAME() != nullptr;
  line.fields.push_back({context->word()->getText(), value,
                         is_word ? std::nullopt : read_quantity(value), span_of(context)});
  if (is_word || line.fields.back().quantity) return;
  if (is_unit(unit_of(value)) || unit_of(value).empty())
    error(DiagKind::invalid_hardware, "`" + value + "` is too large a number", span_of(context));
  else
    error(DiagKind::unknown_unit, "unknown unit `" + std::string(unit_of(value)) + "`",
          layout::span_of(*context->getStop(), file_), "",
          "units are F, B, B/s, b/s (bits) with K M G T P, and s ms us ns %: `312TF`, `2.0TB/s`, "
          "`400Gb/s`, `5us`");
}

}  // namespace mtfc::layout
