// `set NAME=WORD` of layouts: how the program is carried out, beside where tensors live.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// Into `assignment`. No setting may be passed over in silence: unknown ones and those not built
/// yet are errors, one that has nothing to act on is a warning.
void read_settings(const Layout& layout, Assignment& assignment, Diagnostics& diagnostics);

/// A setting as it is written.
struct WrittenSetting {
  std::string word;  // "sharded"
  Span span;
};

/// The same without a setting; absent where that is known to make a difference.
std::optional<Assignment> without_setting(const Assignment& assignment, std::string_view name,
                                          const std::string& word);

/// Settings that a model cannot have (`set recompute` where it says itself what is computed again),
/// or on which they do not act (`set wire=bf16` in f64).
void check_settings(const Layout& layout, const Model& model, const Assignment& assignment,
                    Diagnostics& diagnostics);

}  // namespace mtfc::lowering
