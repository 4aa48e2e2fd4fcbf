// Beam search as in Mesh TensorFlow (and Tensor2Tensor): alive and finished texts, the length
// penalty of Wu et al., arXiv 1609.08144, equation 14 with beta = 0.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace mtfc::runtime {

struct BeamOptions {
  std::int64_t beams = 4;
  double length_penalty = 0.6;  // alpha
  std::optional<std::int32_t> stop;
  std::int64_t most = 100;  // new ids a text, the stop included
};

/// ((5 + length) / 6)^alpha.
double length_penalty(std::int64_t length, double alpha);

/// The search for one prompt. A step takes the log-probabilities of the next ids of every alive
/// text and says which ids are appended to which.
class Beam {
 public:
  struct Text {
    std::vector<std::int32_t> ids;  // new ones, the stop included
    double log_probability = 0;
    double score = 0;  // log_probability / length penalty
  };

  explicit Beam(const BeamOptions& options);

  /// `log_probabilities[i]`: of alive text i. Afterwards alive text i is what parents()[i] was,
  /// with its last id appended.
  void step(const std::vector<std::vector<double>>& log_probabilities);
  const std::vector<Text>& alive() const { return alive_; }
  const std::vector<std::size_t>& parents() const { return parents_; }
  /// No alive text can become better than the worst finished one, or all are as long as they may.
  bool done() const;
  /// Best first: the finished texts, or the alive ones if none is finished.
  std::vector<Text> result() const;

 private:
  struct Candidate {
    std::size_t parent;
    std::int32_t id;
    double log_probability;
  };
  std::vector<Candidate> best_candidates(
      const std::vector<std::vector<double>>& log_probabilities) const;
  void finish(Text text);

  BeamOptions options_;
  std::vector<Text> alive_, finished_;  // best first
  std::vector<std::size_t> parents_;
  std::int64_t length_ = 0;
};

}  // namespace mtfc::runtime
