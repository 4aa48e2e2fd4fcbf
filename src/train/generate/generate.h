// Generation from prompts: one position at a time for all texts, by sampling or by beam search.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "support/result.h"
#include "train/generate/beam.h"
#include "train/generate/decoder.h"
#include "train/generate/sampling.h"

namespace mtfc::runtime {

struct GenerationTask {
  std::vector<Ids> prompts;  // what each text begins with: one id at least
  std::int64_t first = 0;    // number of the first text, for samples
  std::int64_t tokens = 0;   // new ids a text, at most
  Sampling sampling;
  std::optional<BeamOptions> beam;  // instead of samples; its `stop` and `most` are those below
  std::optional<std::int32_t> stop;
  /// Called with every new id as it comes (not in a beam search), but not with the stop.
  std::function<void(std::size_t text, std::int32_t id)> on_id;
  /// Asked at every position; true ends the generation early, with what there is.
  std::function<bool()> interrupted;
};

struct NewText {
  Ids ids;                                // without the stop
  bool ended = false;                     // by the stop
  double log_probability = 0, score = 0;  // beam search
};

struct GenerationResult {
  /// By prompt; of a beam search all texts that were kept, best first.
  std::vector<std::vector<NewText>> texts;
  std::vector<double> seconds;  // by position: what the id there took; 0 before the first new one
  double prompt_seconds = 0;    // reading the prompts
};

/// Fails if the logits are not numbers.
Result<GenerationResult> generate(Decoder& decoder, const GenerationPlan& plan,
                                  const GenerationTask& task);

}  // namespace mtfc::runtime
