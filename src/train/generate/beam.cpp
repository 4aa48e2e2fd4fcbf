#include "train/generate/beam.h"

#include <algorithm>
#include <cmath>

namespace mtfc::runtime {

double length_penalty(std::int64_t length, double alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
}

/// One text at first: b equal ones would give the same candidates b times.
Beam::Beam(const BeamOptions& options) : options_(options), alive_(1) {}

/// The 2 b best: at most b of them end, so that b go on.
std::vector<Beam::Candidate> Beam::best_candidates(
    const std::vector<std::vector<double>>& log_probabilities) const {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < alive_.size(); ++i) {
    const std::vector<double>& next = log_probabilities[i];
    for (std::size_t id = 0; id < next.size(); ++id) {
      const double sum = alive_[i].log_probability + next[id];
      if (std::isfinite(sum)) all.push_back({i, static_cast<std::int32_t>(id), sum});
    }
  }
  const auto better = [](const Candidate& a, const Candidate& b) {
    if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
    return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
  };
  const std::size_t wanted = std::min(all.size(), static_cast<std::size_t>(2 * options_.beams));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end(),
                    better);
  all.resize(wanted);
  return all;
}

void Beam::step(const std::vector<std::vector<double>>& log_probabilities) {
  const std::vector<Candidate> candidates = best_candidates(log_probabilities);
  const std::vector<Text> before = std::move(alive_);
  ++length_;
  alive_.clear();
  parents_.clear();
  for (const Candidate& c : candidates) {
    Text text = before[c.parent];
    text.ids.push_back(c.id);
    text.log_probability = c.log_probability;
    text.score = c.log_probability / length_penalty(length_, options_.length_penalty);
    if (options_.stop && c.id == *options_.stop) {
      finish(std::move(text));
    } else if (static_cast<std::int64_t>(alive_.size()) < options_.beams) {
      alive_.push_back(std::move(text));
      parents_.push_back(c.parent);
    }
  }
}

void Beam::finish(Text text) {
  const auto index =
      std::upper_bound(finished_.begin(), finished_.end(), text,
                       [](const Text& a, const Text& b) { return a.score > b.score; });
  finished_.insert(index, std::move(text));
  if (static_cast<std::int64_t>(finished_.size()) > options_.beams) finished_.pop_back();
}

bool Beam::done() const {
  if (length_ >= options_.most || alive_.empty()) return true;
  if (static_cast<std::int64_t>(finished_.size()) < options_.beams) return false;
  // Log-probabilities only fall; the longest text has the largest penalty to divide by.
  const double alpha = options_.length_penalty;
  const std::int64_t longest = alpha >= 0 ? options_.most : length_ + 1;
  const double bound = alive_[0].log_probability / length_penalty(longest, alpha);
  return finished_.back().score >= bound;
}

std::vector<Beam::Text> Beam::result() const { return finished_.empty() ? alive_ : finished_; }

}  // namespace mtfc::runtime
