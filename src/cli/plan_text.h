// A plan for people, as JSON, and as a layout file.
#pragma once
#include <string>
#include <vector>

#include "cli/target.h"
#include "ir/model.h"
#include "plan/search.h"
#include "support/json.h"

namespace mtfc::cli {

/// The best layout with one of its rules taken away.
struct Without {
  std::string rule;
  std::optional<plan::Judged> judged;  // nothing: it is not legal without it
};

std::string plan_text(const plan::Plan& plan, const plan::Space& space, double memory,
                      const std::vector<Without>& without);
JsonFields plan_json(const plan::Plan& plan, const plan::Space& space, double memory,
                     const std::vector<Without>& without);
/// What `mtfc train --layout` takes, with a comment on what each rule buys. `made_by`: the command
/// line, for the first comment.
std::string layout_file(const plan::Judged& best, const std::vector<Without>& without,
                        const std::string& made_by);

}  // namespace mtfc::cli
