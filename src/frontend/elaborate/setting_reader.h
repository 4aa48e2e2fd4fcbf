// Reads a `train` block with --set laid over it.
#pragma once
#include <span>
#include <string_view>

#include "frontend/elaborate/context.h"
#include "frontend/elaborate/setting_keys.h"
#include "optim/form.h"

namespace mtfc::elab {

class SettingReader {
 public:
  SettingReader(Context& cx, const ast::Train* train) : cx_(cx), s_(cx.session), train_(train) {}

  void read();
  /// Seed and precision alone, without a word about mistakes.
  void read_early();

 private:
  /// Where a value is written: in the block, or on the command line.
  struct SettingSite {
    const ast::File* file = nullptr;
    ast::ExprId value;
    Override* over = nullptr;
    Span span;
  };
  Cursor cursor(const SettingSite& site) const;
  std::optional<SettingSite> find(const std::string& key);
  SettingSite site_of(Override& over);

  void read_precision();
  void check_keys();
  void read_optimizer();
  void read_length();
  void read_rest();
  void read_loss_scale();
  /// What is given, if it is one of `known`: its number.
  std::optional<std::size_t> read_word(const std::string& key,
                                       std::span<const std::string_view> known);
  std::optional<double> number(const std::string& key, const optim::Range& range);
  std::optional<std::int64_t> whole(const std::string& key, std::int64_t least);
  std::optional<std::int64_t> seed();
  std::optional<std::string> word(const SettingSite& site) const;
  bool unreadable(const SettingSite& site);
  std::optional<Number> value_number(const SettingSite& site, const std::string& what);
  std::optional<SettingCall> call(const SettingSite& site, const std::string& key, bool schedule);
  // --- setting_calls.cpp
  std::optional<SettingCall> with_arguments(const SettingSite& site, const ast::Call& call,
                                            const optim::Form& form, const std::string& key);
  using Formal = optim::Formal;
  using Given = std::map<std::string, SettingSite>;  // the arguments that are written
  bool match(const SettingSite& site, const ast::Call& call, const std::vector<Formal>& formals,
             Given& given);
  bool fill(SettingCall& result, const std::vector<Formal>& formals, const Given& given,
            const std::string& key);
  std::optional<SettingCall::Value> filled(const Formal& formal, const Given& given,
                                           const std::string& key, const SettingCall& others);
  std::optional<SettingCall::Value> completed(SettingCall::Value value, const std::string& key);
  std::optional<SettingCall::Value> argument(const SettingSite& site, const std::string& key,
                                             const Formal& formal);
  std::optional<SettingCall::Value> rate(const SettingSite& site, const std::string& key,
                                         const Formal& formal);
  std::optional<SettingCall::Value> number_value(const Number& number, const SettingSite& site,
                                                 const Formal& formal);
  // --- setting_numbers.cpp
  bool is_in_range(double value, const optim::Range& range, const SettingSite& site,
                   const std::string& name, const std::string& otherwise = "");
  bool is_count(const Number& number, std::int64_t least, const SettingSite& site,
                const std::string& name);
  bool has_trust_ratio() const;
  void read_params(const ast::Settings::Params& params);
  std::optional<std::string> initial_file(const SettingSite& site);
  void wrong(const SettingSite& site, const std::string& message);
  void unknown_function(const ast::Name& name, bool schedule);

  Context& cx_;
  Session& s_;
  const ast::Train* train_;
  bool misspelled_ = false;  // an unknown key was reported: it may be the one that is missing
};

}  // namespace mtfc::elab
