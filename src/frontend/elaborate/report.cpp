// Diagnostics of the elaborator, and the words they are made of.
#include <filesystem>

#include "frontend/elaborate/elaborator.h"
#include "support/render.h"

namespace mtfc::elab {

namespace {
constexpr int max_instance_notes = 4;
constexpr std::int64_t max_work = 3'000'000;  // expressions, statements and instances elaborated
constexpr std::size_t max_operations = 1'000'000;
}  // namespace

/// Adds where the block that is being elaborated was instantiated, innermost first.
void Elaborator::report(Diagnostic diagnostic) {
  if (stopped_) return;
  int notes = 0;
  const Frame* frame = now_.scope ? now_.scope->frame : nullptr;
  for (; frame && frame->block && notes < max_instance_notes; frame = frame->caller, ++notes) {
    diagnostic.notes.push_back("in `" + frame->title + "`, instantiated at " + place(frame->call));
  }
  session_.diagnostics.report(std::move(diagnostic));
}

void Elaborator::not_supported(Span span, const std::string& what) {
  report(diag(DiagKind::not_yet_supported, what + " is not yet supported").at(span));
}

/// Did you mean; a repair if there is one candidate only.
void Elaborator::suggest(Diagnostic& d, const ast::Name& name,
                         const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = did_you_mean(name.text, candidates);
  if (near.empty()) return;
  d.helps.push_back("did you mean `" + near[0] + "`?");
  d.fixes.push_back({name.span, near[0]});
}

std::string Elaborator::names(const Dims& dims) const {
  std::string text;
  for (DimId dim : dims) text += (text.empty() ? "" : ", ") + session_.model.dims[dim].name;
  return text;
}

std::string counted(double count, const std::string& what) {
  return to_string(Number::of(count)) + " " + what + (count == 1 ? "" : "s");
}

std::string Elaborator::show(const Dims& dims) const { return "[" + names(dims) + "]"; }

std::string Elaborator::sized(const Dims& dims) const {
  std::string text;
  for (DimId dim : dims)
    text += (text.empty() ? "" : ", ") + session_.model.dims[dim].name + "=" +
            std::to_string(session_.model.dims.size(dim));
  return "[" + text + "]";
}

std::string Elaborator::show(ValueId id) const {
  const TensorType& type = build_.type(id);
  return std::string(name(type.dtype)) + show(type.dims);
}

std::string Elaborator::show(const Val& val) const {
  if (const ValueId* id = val.tensor()) return show(*id);
  if (const Number* number = val.number()) return "the number " + to_string(*number);
  if (const bool* flag = val.boolean()) return *flag ? "true" : "false";
  if (val.text()) return "a string";
  if (val.values()) return std::to_string(val.values()->size()) + " values";
  return "nothing";
}

std::string Elaborator::code(Span span) const {
  if (!span.valid()) return "this";
  const std::string_view text = session_.sources.text(span);
  if (text.size() > 40 || text.find('\n') != std::string_view::npos) return "this";
  return "`" + std::string(text) + "`";
}

std::string Elaborator::place(Span span) const {
  if (!span.valid()) return "nowhere";
  const SourceMap& sources = session_.sources;
  const std::string file = std::filesystem::path(sources.path(span.file)).filename().string();
  return file + ":" + std::to_string(sources.position(span.file, span.begin).line);
}

std::string Elaborator::is_dims(const Operand& operand) const {
  return code(operand.span) + " is " + show(dims_of(operand.val));
}

bool Elaborator::too_much(Span span, int cost) {
  if (stopped_) return true;
  if ((work_ += cost) <= max_work && graph_.ops.size() <= max_operations) return false;
  report(
      diag(DiagKind::program_too_large, "the model is too large: elaborating it does not end soon")
          .at(span, "given up here")
          .note("the limits are " + std::to_string(max_operations) + " operations and " +
                std::to_string(max_work) + " expressions, statements and instances")
          .help("`repeat` is unrolled: use fewer turns"));
  stopped_ = true;
  return true;
}

}  // namespace mtfc::elab
