// A plan for people, and as a layout file.
#pragma once
#include <string>
#include <vector>

#include "plan/search/search.h"
#include "plan/search/sensitivity.h"
#include "plan/search/without.h"

namespace mtfc::cli {

/// "mesh rows=4", "4 stages of mesh rows=2 each"
std::string mesh_line(const plan::Choice& choice);

/// The best layout, which there is, and what each of its entries buys.
std::string best_text(const plan::Plan& plan, const Layout& given, double memory,
                      const std::vector<plan::Without>& without);
/// The fastest ten.
std::string fastest_text(const plan::Plan& plan);
/// Layouts that are slower than another only where they take less memory.
std::string frontier_text(const plan::Plan& plan);
std::string stability_text(const std::vector<plan::Stability>& stability,
                           const predict::Machine& machine);
/// What was looked at, what of it was left whole since axes do not divide it, and what that proves.
std::string proof_text(const plan::Plan& plan, const plan::Space& space, const DimTable& dims);

/// What `mtfc train --layout` takes, with a comment on what each entry buys. `made_by`: the command
/// line, for the first comment. `given`: the text of what is kept.
std::string layout_file(const plan::Judged& best, double memory,
                        const std::vector<plan::Without>& without, const std::string& made_by,
                        const std::string& given);

/// `--set train.microbatches=4`; empty for one that the model says itself.
std::string train_setting(const plan::Choice& choice, const plan::Space& space);

}  // namespace mtfc::cli
