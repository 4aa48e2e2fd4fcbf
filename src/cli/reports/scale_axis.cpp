#include "cli/reports/scale_axis.h"

#include "cli/options/option_takers.h"
#include "ir/dims.h"

namespace mtfc::cli {
namespace {

constexpr std::size_t most_sizes = 64;

std::optional<std::int64_t> read_size(const std::string& text) {
  const auto size = read_number<std::int64_t>(text);
  return size && *size >= 1 && *size <= largest_size ? size : std::nullopt;
}

/// The last one, too, where doubling passes it over. Empty: it comes before the first.
std::vector<std::int64_t> doubled(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size *= 2) sizes.push_back(size);
  if (!sizes.empty() && sizes.back() != last) sizes.push_back(last);
  return sizes;
}

/// Empty: something is wrong.
std::vector<std::int64_t> read_sizes(const std::string& text) {
  if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
    const auto first = read_size(text.substr(0, dots)), last = read_size(text.substr(dots + 2));
    return first && last ? doubled(*first, *last) : std::vector<std::int64_t>{};
  }
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto size = read_size(text.substr(begin, end - begin));
    if (!size || (!sizes.empty() && *size <= sizes.back()) || sizes.size() == most_sizes) return {};
    sizes.push_back(*size);
    begin = end + 1;
  }
  return sizes;
}

}  // namespace

std::optional<ScaleAxis> read_scale_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  ScaleAxis axis{text.substr(0, equals), read_sizes(text.substr(equals + 1))};
  return axis.sizes.empty() ? std::nullopt : std::optional(std::move(axis));
}

}  // namespace mtfc::cli
