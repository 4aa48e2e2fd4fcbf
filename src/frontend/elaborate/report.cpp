#include "frontend/elaborate/report.h"

#include <filesystem>

#include "frontend/elaborate/values.h"
#include "messages/propose.h"

namespace mtfc::elab {

namespace {

constexpr int max_instance_notes = 4;

constexpr std::int64_t max_work = 3'000'000;  // expressions, statements and instances elaborated

constexpr std::size_t max_operations = 1'000'000;

constexpr std::size_t max_errors = 100;  // nobody reads more, and each is compared with all names

/// What is wrong in the library is the call's doing: its user's line comes first.
void lead_to_call(const Context& cx, Diagnostic& d) {
  const Label* first = primary(d);
  const Span call = first ? call_in_model(cx, first->span) : Span{};
  if (!call.valid()) return;
  for (Label& label : d.labels) label.primary = false;
  d.labels.insert(d.labels.begin(), {call, "called here", true});
}

}  // namespace

bool is_shipped(const Context& cx, FileId file) {
  for (const Module& module : cx.session.modules)
    if (module.file.file == file) return module.shipped;
  return false;
}

Span call_in_model(const Context& cx, Span span) {
  if (!is_shipped(cx, span.file)) return {};
  for (const Frame* frame = cx.now.scope ? cx.now.scope->frame : nullptr; frame;
       frame = frame->caller)
    if (frame->call.valid() && !is_shipped(cx, frame->call.file)) return frame->call;
  return {};
}

void report(Context& cx, Diagnostic diagnostic) {
  if (cx.stopped) return;
  lead_to_call(cx, diagnostic);
  int notes = 0;
  const Frame* frame = cx.now.scope ? cx.now.scope->frame : nullptr;
  for (; frame && frame->block && notes < max_instance_notes; frame = frame->caller, ++notes) {
    diagnostic.notes.push_back("in `" + frame->title + "`, instantiated at " +
                               file_and_line(cx, frame->call));
  }
  Diagnostics& all = cx.session.diagnostics;
  const bool mistake = diagnostic.severity() == Severity::error;
  cx.mistakes += mistake;
  if (mistake && all.errors() + 1 >= max_errors)
    diagnostic.note("after " + std::to_string(max_errors) + " errors no more are looked for");
  all.report(std::move(diagnostic));
  cx.stopped = all.errors() >= max_errors;  // not after a repetition, which is dropped
}

void not_supported(Context& cx, Span span, const std::string& what) {
  report(cx, diag(DiagKind::not_yet_supported, what + " is not yet supported").at(span));
}

void suggest(Diagnostic& d, const ast::Name& name, const std::vector<std::string>& candidates) {
  propose(d, name.span, name.text, candidates);
}

void suggest_own(Diagnostic& d, const ast::Name& name, const std::vector<std::string>& candidates) {
  propose_own(d, name.span, name.text, candidates);
}

std::string dim_names(const Context& cx, const Dims& dims) {
  std::string text;
  for (DimId dim : dims) text += (text.empty() ? "" : ", ") + cx.dims()[dim].name;
  return text;
}

std::string show(const Context& cx, const Dims& dims) { return "[" + dim_names(cx, dims) + "]"; }

std::string sized(const Context& cx, const Dims& dims) {
  std::string text;
  for (DimId dim : dims)
    text += (text.empty() ? "" : ", ") + cx.dims()[dim].name + "=" +
            std::to_string(cx.dims().size(dim));
  return "[" + text + "]";
}

std::string show(const Context& cx, ValueId id) {
  const TensorType& type = cx.build.type(id);
  return std::string(name(type.dtype)) + show(cx, type.dims);
}

std::string show(const Context& cx, const Val& val) {
  if (const ValueId* id = val.tensor()) return show(cx, *id);
  if (const Number* number = val.number()) return "the number " + to_string(*number);
  if (const bool* flag = val.boolean()) return *flag ? "true" : "false";
  if (val.text()) return "a string";
  if (val.values()) return std::to_string(val.values()->size()) + " values";
  return "nothing";
}

std::string quoted_source(const Context& cx, Span span) {
  if (!span.valid()) return "this";
  const std::string_view text = cx.session.sources.text(span);
  if (text.size() > 40 || text.find('\n') != std::string_view::npos) return "this";
  return "`" + std::string(text) + "`";
}

std::string file_and_line(const Context& cx, Span span) {
  if (!span.valid()) return "nowhere";
  const SourceMap& sources = cx.session.sources;
  const std::string file = std::filesystem::path(sources.path(span.file)).filename().string();
  return file + ":" + std::to_string(sources.position(span.file, span.begin).line);
}

std::string is_dims(const Context& cx, const Operand& operand) {
  return quoted_source(cx, operand.span) + " is " + show(cx, dims_of(cx, operand.val));
}

bool too_much(Context& cx, Span span, int cost) {
  if (cx.stopped) return true;
  if ((cx.work += cost) <= max_work && cx.graph.ops.size() <= max_operations) return false;
  report(cx, diag(DiagKind::program_too_large,
                  "the model is too large: elaborating it does not end soon")
                 .at(span, "given up here")
                 .note("the limits are " + std::to_string(max_operations) + " operations and " +
                       std::to_string(max_work) + " expressions, statements and instances")
                 .help("`repeat` is unrolled: use fewer iterations"));
  cx.stopped = true;
  return true;
}

}  // namespace mtfc::elab
