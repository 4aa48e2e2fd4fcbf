// Plans made from a spec, remembered by the spec's contents: the first use of a spec may allocate,
// later ones only look up. One memory per thread that calls kernels, so that nothing is locked.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

namespace mtfc::runtime {

/// The contents of a spec as words.
class SpecKey {
 public:
  void clear() { words_.clear(); }
  void add(std::int64_t word) { words_.push_back(word); }
  void add(double value) {
    std::int64_t word;
    std::memcpy(&word, &value, sizeof word);
    words_.push_back(word);
  }
  template <class T>
  void add(const std::vector<T>& items) {
    add(static_cast<std::int64_t>(items.size()));
    for (const T& item : items) add(item);
  }
  friend bool operator==(const SpecKey&, const SpecKey&) = default;

  struct Hash {
    std::size_t operator()(const SpecKey& key) const {
      std::uint64_t h = 0x9E3779B97F4A7C15u;
      for (const std::int64_t word : key.words_) {
        h = (h ^ static_cast<std::uint64_t>(word)) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
      }
      return static_cast<std::size_t>(h);
    }
  };

 private:
  std::vector<std::int64_t> words_;
};

template <class Plan>
class Plans {
 public:
  SpecKey& start() {
    key_.clear();
    return key_;
  }
  /// The plan of the key that was filled since `start`.
  template <class Make>
  const Plan& find(Make make) {
    const auto found = plans_.find(key_);
    if (found != plans_.end()) return *found->second;
    if (plans_.size() >= kMost) plans_.clear();
    return *(plans_[key_] = std::make_unique<Plan>(make()));
  }

 private:
  static constexpr std::size_t kMost = 1 << 14;
  SpecKey key_;
  std::unordered_map<SpecKey, std::unique_ptr<Plan>, SpecKey::Hash> plans_;
};

}  // namespace mtfc::runtime
