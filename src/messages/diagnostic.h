// What we tell the user: diagnostics as data. Rendering is elsewhere (render.h).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "messages/source_map.h"
#include "support/special_members.h"

namespace mtfc {

enum class Severity { note, warning, error };
std::string_view name(Severity severity);  // "warning"

/// Every kind of diagnostic, one row each in diagnostic_kinds.def: code, severity, name, summary.
enum class DiagKind {
#define MTFC_DIAGNOSTIC(code, severity, name, summary) name,
#include "messages/diagnostic_kinds.def"
#undef MTFC_DIAGNOSTIC
};

struct DiagKindInfo {
  DiagKind kind;
  std::string_view code;  // "E201"
  Severity severity;
  std::string_view name;     // "unknown_dimension"
  std::string_view summary;  // one line, for lists
};
const std::vector<DiagKindInfo>& diagnostic_kinds();
const DiagKindInfo& info(DiagKind kind);

/// A range with a few words beside it. The primary one (exactly one per diagnostic, if any) is
/// the narrowest guilty range; the others are other places that matter.
struct Label {
  Span span;
  std::string text;
  bool primary = false;
};

/// A change of the text that repairs the mistake.
struct Fix {
  Span span;
  std::string replacement;
};

struct Diagnostic {
  MTFC_DECLARE_SPECIAL_MEMBERS(Diagnostic, noexcept);
  DiagKind kind{};
  std::string message;  // lower case, no full stop, code in backticks; stands alone
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::vector<std::string> helps;
  std::vector<Fix> fixes;

  Severity severity() const { return info(kind).severity; }

  // For building in one expression, or step by step.
  Diagnostic& at(Span span, std::string label = "") &;
  Diagnostic& also(Span span, std::string label) &;
  Diagnostic& note(std::string text) &;
  Diagnostic& help(std::string text) &;
  Diagnostic& fix(Span span, std::string replacement) &;
  Diagnostic at(Span span, std::string label = "") &&;
  Diagnostic also(Span span, std::string label) &&;
  Diagnostic note(std::string text) &&;
  Diagnostic help(std::string text) &&;
  Diagnostic fix(Span span, std::string replacement) &&;
};

/// Begins a diagnostic: report(diag(DiagKind::x, "...").at(span, "...").help("...")).
Diagnostic diag(DiagKind kind, std::string message);

/// The first label that is primary and has a place; null: none.
const Label* primary(const Diagnostic& d);

/// The diagnostics of one run, in the order they were found. An exact repetition (same kind, same
/// primary place, same message) is dropped.
class Diagnostics {
 public:
  MTFC_DECLARE_SPECIAL_MEMBERS(Diagnostics, noexcept);
  void report(Diagnostic diagnostic);
  /// To what is an error.
  void add_note_to_errors(const std::string& text);
  const std::vector<Diagnostic>& all() const { return all_; }
  std::size_t errors() const { return errors_; }
  std::size_t warnings() const { return warnings_; }
  bool ok() const { return errors_ == 0; }

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

}  // namespace mtfc
