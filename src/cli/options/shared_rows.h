// Options and positionals that several commands have, as rows.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "cli/options/row_types.h"

namespace mtfc::cli {

using OptionRows = std::vector<OptionRow>;

constexpr std::int64_t most_whole = INT32_MAX;

/// All of several lists, in order.
OptionRows all_of(std::initializer_list<OptionRows> lists);

PositionalRow model_row(bool required);
/// Of words that go into `names`.
enum class Count { one, at_most_one, at_least_one, any };
PositionalRow names_row(std::string name, std::string summary, Count count);
/// A shell makes several words of `--layout layouts/*.layout`.
PositionalRow more_layouts_row();

OptionRows model_options();
/// A setting by a name of its own, in the order of the command line among --set.
OptionRow steps_option();
OptionRow layout_option(bool several);
OptionRow mesh_option();
OptionRows layout_options(bool several);
OptionRow threads_option();
OptionRows running_options();
OptionRows lowering_options();
OptionRows common_options();
OptionRow out_option(const char* placeholder, const char* summary);
OptionRow force_option();
OptionRow checkpoint_option(bool required);
OptionRow hardware_option();

}  // namespace mtfc::cli
