// What `mtfc scale --axis` takes: a mesh axis and its sizes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mtfc::cli {

struct ScaleAxis {
  std::string name;
  std::vector<std::int64_t> sizes;  // ascending, at least one
};

/// "rows=1..64": doubled from 1 on; "rows=2..6": 2, 4 and 6; "rows=1,3,6": these. Absent: the text
/// is neither, or sizes do not ascend, are none that an axis has, or more than 64.
std::optional<ScaleAxis> read_scale_axis(const std::string& text);

}  // namespace mtfc::cli
