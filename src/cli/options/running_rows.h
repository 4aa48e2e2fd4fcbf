// The commands that run a model, or write it for others to run.
#pragma once
#include "cli/options/row_types.h"

namespace mtfc::cli {

CommandRow train_row();
CommandRow eval_row();
CommandRow verify_row();
CommandRow run_row();
CommandRow generate_row();
CommandRow emit_row();

}  // namespace mtfc::cli
