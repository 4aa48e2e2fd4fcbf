#include "solve/stretches.h"

#include <algorithm>

namespace mtfc::solve {

Stretches stretches_of(const Core& core, const std::vector<std::uint32_t>& nodes,
                       const std::vector<double>& usage) {
  Stretches stretches;
  stretches.begin.push_back(0);
  std::vector<int> change(core.moments() + 1, 0);  // of how many pieces there are
  std::vector<bool> border(core.moments() + 1, false);
  for (const std::uint32_t i : nodes) {
    for (const CorePiece& piece : core.pieces_of(i)) {
      stretches.pieces.push_back(piece);
      border[piece.from] = border[piece.to] = true;
      ++change[piece.from];
      --change[piece.to];
    }
    stretches.begin.push_back(stretches.pieces.size());
  }
  std::vector<std::uint32_t> index(core.moments() + 1, 0);
  int alive = 0;
  for (std::size_t t = 0; t < core.moments(); ++t) {
    index[t] = static_cast<std::uint32_t>(stretches.slack.size());
    alive += change[t];
    if (alive == 0) continue;
    const double slack = core.slack[t] - usage[t];
    if (border[t])
      stretches.slack.push_back(slack);
    else
      stretches.slack.back() = std::min(stretches.slack.back(), slack);
  }
  index[core.moments()] = static_cast<std::uint32_t>(stretches.slack.size());
  for (CorePiece& piece : stretches.pieces) {
    piece.from = index[piece.from];
    piece.to = index[piece.to];
  }
  return stretches;
}

}  // namespace mtfc::solve
