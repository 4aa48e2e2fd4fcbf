// What the model says about training, as the plain data that the training loop takes.
#pragma once
#include <vector>

#include "cli/session/session.h"
#include "ir/model.h"
#include "train/train_plan.h"

namespace mtfc::cli {

/// `init` of the `params` groups, by file.
std::vector<runtime::InitialFile> initial_files(const Model& model);
/// With the step that every module has without micro-batches.
runtime::TrainPlan make_train_plan(const Model& model);
/// The same with the token tables of the session's checkpoint, if there is one.
runtime::TrainPlan make_train_plan(const Session& session, const Model& model);
/// The place in the model of what an error in its data is about (Error::subject): an input or a
/// data source. Nowhere if it is neither.
Span location_of(const Model& model, const std::string& subject);

/// Reports an error in opening or reading the model's data.
void report_data_failure(Session& session, const Model& model, const runtime::Error& error);

}  // namespace mtfc::cli
