// A layout less one of its rules, to see what that rule does.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/layout.h"

namespace mtfc::lowering {

/// That of a pipeline.
inline constexpr std::string_view pipeline_text = "pipeline";
/// That of the setting by which replicas share the update: "update=sharded".
std::string sharded_update_text();

/// The text of everything that can be taken out: rules ("batch:rows"), rules of scopes
/// (`param "**" d_model:data`), the pipeline ("pipeline") and settings ("update=sharded"), in the
/// order of the layout, each once. Causes of collectives are such texts.
std::vector<std::string> rule_texts(const Layout& layout);

/// Takes out what has this text, however it is spaced and whether or not it has `?` or `!`. False:
/// there is nothing like it.
bool remove_rule(Layout& layout, const std::string& text);

}  // namespace mtfc::lowering
