// The commands that say what a model costs under its layouts, or choose one.
#pragma once
#include "cli/options/row_types.h"

namespace mtfc::cli {

CommandRow check_row();
CommandRow cost_row();
CommandRow diff_row();
CommandRow scale_row();
CommandRow plan_row();
CommandRow why_row();
CommandRow trace_row();
CommandRow picture_row();
CommandRow bench_row();

}  // namespace mtfc::cli
