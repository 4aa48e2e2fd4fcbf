// Diagnostics of the elaborator, and the words they are made of.
#pragma once
#include <string>
#include <vector>

#include "frontend/elaborate/context.h"
#include "support/text.h"

namespace mtfc::elab {

/// Adds where the block that is being elaborated was instantiated, innermost first.
void report(Context& cx, Diagnostic diagnostic);
/// Whether a file is one of the library's that ship.
bool is_shipped(const Context& cx, FileId file);
/// Of what stands in the library the innermost call outside of it.
Span call_in_model(const Context& cx, Span span);
void not_supported(Context& cx, Span span, const std::string& what);
/// Did you mean; a repair if there is one candidate only.
void suggest(Diagnostic& d, const ast::Name& name, const std::vector<std::string>& candidates);
/// Of names that the model gives (propose_own).
void suggest_own(Diagnostic& d, const ast::Name& name, const std::vector<std::string>& candidates);
/// Whether the budget of the whole model is spent; reported once.
bool too_much(Context& cx, Span span, int cost = 1);

std::string dim_names(const Context& cx, const Dims& dims);      // "batch, io"
std::string show(const Context& cx, const Dims& dims);           // "[batch, io]"
std::string sized(const Context& cx, const Dims& dims);          // "[batch=64, io=784]"
std::string show(const Context& cx, ValueId id);                 // "f32[batch, io]"
std::string show(const Context& cx, const Val& val);             // or "the number 3", ...
std::string quoted_source(const Context& cx, Span span);         // "`x`", or "this" if it is long
std::string file_and_line(const Context& cx, Span span);         // "gpt.mtf:32"
std::string is_dims(const Context& cx, const Operand& operand);  // "`x` is [batch, io]"

}  // namespace mtfc::elab
