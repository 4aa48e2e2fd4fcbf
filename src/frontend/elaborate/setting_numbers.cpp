// The numbers of `train`: what each may be, and whether a step can compute with it.
#include <cmath>
#include <limits>

#include "frontend/elaborate/report.h"
#include "frontend/elaborate/setting_reader.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

// Steps are counted in an int of 32 bits, and what is compared with them is not larger.
constexpr std::int64_t most_counted = std::numeric_limits<std::int32_t>::max();

/// What the parameters' type makes of a number, if it makes another one of it.
std::optional<std::string> rounded_away(double value, const optim::Range& range, DType master) {
  if (master == DType::f64) return std::nullopt;
  const auto rounded = static_cast<float>(value);
  if (std::isinf(rounded)) return "is infinite in f32";
  if (value != 0 && std::fabs(rounded) < std::numeric_limits<float>::min()) return "is 0 in f32";
  if (!range.holds(rounded)) return "is " + shortest(rounded) + " in f32";
  return std::nullopt;
}

}  // namespace

/// Whether `value` may be what `name` is set to: reported if not. `otherwise`: what it may be
/// instead of a number.
bool SettingReader::is_in_range(double value, const optim::Range& range, const SettingSite& site,
                                const std::string& name, const std::string& otherwise) {
  const std::string wanted = "`" + name + "` must be a finite number " + range.text() + otherwise;
  if (!range.holds(value)) {
    wrong(site, wanted);
    return false;
  }
  const auto why = rounded_away(value, range, s_.master);
  if (why) wrong(site, wanted + ", and " + shortest(value) + " " + *why);
  return !why;
}

/// The same of a count: a whole number of 32 bits.
bool SettingReader::is_count(const Number& number, std::int64_t least, const SettingSite& site,
                             const std::string& name) {
  const auto whole = number.as_integer();
  if (whole && *whole >= least && *whole <= most_counted) return true;
  Diagnostic d = diag(DiagKind::wrong_setting,
                      "`" + name + "` must be a whole number from " + std::to_string(least) +
                          " to " + std::to_string(most_counted) + ", not " + to_string(number))
                     .at(site.span);
  if (number.value() > 0 && number.value() < 1)
    d.help("it is a count, not a fraction: a tenth of 1000 is 100");
  report(cx_, std::move(d));
  return false;
}

std::optional<double> SettingReader::number(const std::string& key, const optim::Range& range) {
  const auto site = find(key);
  const auto value = site ? value_number(*site, "`" + key + "`") : std::nullopt;
  if (!value || !is_in_range(value->value(), range, *site, key)) return std::nullopt;
  return value->value();
}

std::optional<std::int64_t> SettingReader::whole(const std::string& key, std::int64_t least) {
  const auto site = find(key);
  const auto value = site ? value_number(*site, "`" + key + "`") : std::nullopt;
  if (!value || !is_count(*value, least, *site, key)) return std::nullopt;
  return value->as_integer();
}

std::optional<std::int64_t> SettingReader::seed() {
  const auto site = find("seed");
  if (s_.seed_is_wrong) return std::nullopt;
  const auto value = site ? value_number(*site, "`seed`") : std::nullopt;
  if (!value) return std::nullopt;
  const auto whole = value->as_integer();
  if (!whole)
    wrong(*site, "`seed` must be a whole number from -2^63 to 2^63 - 1, not " + to_string(*value));
  return whole;
}

}  // namespace mtfc::elab
