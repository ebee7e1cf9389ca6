// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/bandwidth.h"

#include <algorithm>

#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

constexpr std::uint64_t kEighthGb = 125'000'000;  // bytes a second
constexpr std::uint64_t kMib = 1 << 20;
constexpr std::uint64_t kHundred = 10'000;  // percent, in hundredths

constexpr const char* kDelayNote =
    "a percent of memory bandwidth is a delay that the processor puts between requests, not a share of the "
    "bandwidth: measure what the service then gets";

class Limit {
 public:
  Limit(const BandwidthAmount& amount, const BandwidthCapability& capability, std::uint64_t ccd_bandwidth,
        const Place& place, const std::string& service)
      : amount_(amount),
        capability_(capability),
        ccd_bandwidth_(ccd_bandwidth),
        place_(place),
        service_(service) {}

  std::uint32_t value(std::vector<std::string>& notes) const {
    refuse_nothing();
    const std::uint64_t least = least_value();
    bool exact = true;
    std::uint64_t value = 0;
    if (const auto* percent = std::get_if<Percent>(&amount_); percent != nullptr && in_percent()) {
      value = rounded_up(*percent, exact);
      add_note(notes, kDelayNote);
    } else {
      value = rounded_down(rate(), exact);
    }
    if (value > capability_.unlimited) refuse_excess();
    const std::uint64_t planned = std::max(value, least);
    if (planned != value || !exact) {
      add_note(notes, service_ + ": bandwidth " + describe(amount_) + " becomes " +
                          describe_bandwidth(planned, capability_) +
                          (planned != value ? ", the least of this machine" : ""));
    }
    return static_cast<std::uint32_t>(planned);
  }

 private:
  bool in_percent() const { return capability_.unit == BandwidthUnit::percent; }
  std::uint64_t granularity() const { return std::max<std::uint32_t>(capability_.granularity, 1); }

  // AMD's kernel accepts 0, which stops every access to memory; 1 is the least that makes sense.
  std::uint64_t least_value() const {
    const std::uint64_t least = std::max<std::uint32_t>(capability_.min, 1);
    return std::min<std::uint64_t>((least + granularity() - 1) / granularity() * granularity(),
                                   capability_.unlimited);
  }

  void refuse_nothing() const {
    const auto* rate = std::get_if<Rate>(&amount_);
    const auto* percent = std::get_if<Percent>(&amount_);
    if ((rate != nullptr && rate->bytes_per_second == 0) ||
        (percent != nullptr && percent->hundredths == 0)) {
      refuse(ErrorCode::infeasible, place_,
             service_ + " wants " + describe(amount_) +
                 " of bandwidth, with which nothing runs: the least here is " +
                 describe_bandwidth(least_value(), capability_));
    }
  }

  [[noreturn]] void refuse_excess() const {
    refuse(ErrorCode::infeasible, place_,
           service_ + " wants " + describe(amount_) +
               " of bandwidth, more than this machine can be limited to: " +
               (in_percent() && ccd_bandwidth_ != 0 && std::holds_alternative<Rate>(amount_)
                    ? format_rate(ccd_bandwidth_) + " per CCD"
                    : largest()) +
               "; \"unlimited\" sets no limit");
  }

  std::string largest() const {
    if (in_percent()) return "100%";
    const std::uint64_t unit = capability_.unit == BandwidthUnit::eighth_gb ? kEighthGb : kMib;
    return format_rate(capability_.unlimited * unit) + " per CCD";
  }

  std::uint64_t known_ccd_bandwidth() const {
    if (ccd_bandwidth_ != 0) return ccd_bandwidth_;
    if (in_percent()) {
      refuse(ErrorCode::unsupported, place_,
             service_ + " wants " + describe(amount_) +
                 " of bandwidth, but this machine limits by percent: a rate needs the bandwidth of "
                 "a CCD (--ccd-bandwidth, or ccd_bandwidth in the machine file); or say a percent");
    }
    refuse(
        ErrorCode::unsupported, place_,
        service_ + " wants " + describe(amount_) +
            " of bandwidth, but this machine limits by rate: a percent needs the bandwidth of a "
            "CCD (--ccd-bandwidth, or ccd_bandwidth in the machine file); or say a rate such as \"40GB/s\"");
  }

  std::uint64_t rate() const {
    if (const auto* rate = std::get_if<Rate>(&amount_)) return rate->bytes_per_second;
    return std::get<Percent>(amount_).of(known_ccd_bandwidth());
  }

  std::uint64_t rounded_up(Percent percent, bool& exact) const {
    const std::uint64_t step = granularity() * 100;
    const std::uint64_t steps = (percent.hundredths + step - 1) / step;
    exact = percent.hundredths % step == 0;
    const std::uint64_t value = steps * granularity();
    // The kernel's last step ends at the full scale, even where the scale is no multiple of the step.
    return percent.hundredths <= kHundred ? std::min<std::uint64_t>(value, capability_.unlimited) : value;
  }

  std::uint64_t rounded_down(std::uint64_t bytes_per_second, bool& exact) const {
    std::uint64_t units = 0;
    if (in_percent()) {
      const std::uint64_t whole = known_ccd_bandwidth();
      const std::uint64_t hundredths = percent_of(bytes_per_second, whole);
      units = hundredths / 100;
      exact = hundredths % 100 == 0;
    } else {
      const std::uint64_t unit = capability_.unit == BandwidthUnit::eighth_gb ? kEighthGb : kMib;
      units = bytes_per_second / unit;
      exact = bytes_per_second % unit == 0;
    }
    exact = exact && units % granularity() == 0;
    return units / granularity() * granularity();
  }

  // Hundredths of a percent; rates of policies go up to 2^64, hence the division first where it must be.
  static std::uint64_t percent_of(std::uint64_t part, std::uint64_t whole) {
    return part <= UINT64_MAX / kHundred ? part * kHundred / whole : part / whole * kHundred;
  }

  const BandwidthAmount& amount_;
  const BandwidthCapability& capability_;
  std::uint64_t ccd_bandwidth_;
  const Place& place_;
  const std::string& service_;
};

}  // namespace

std::uint32_t plan_bandwidth(const BandwidthAmount& amount, const BandwidthCapability& capability,
                             std::uint64_t ccd_bandwidth, const Place& place, const std::string& service,
                             std::vector<std::string>& notes) {
  if (std::holds_alternative<Unlimited>(amount)) return capability.unlimited;
  return Limit(amount, capability, ccd_bandwidth, place, service).value(notes);
}

std::string describe_bandwidth(std::uint64_t value, const BandwidthCapability& capability) {
  if (value >= capability.unlimited) return "unlimited";
  switch (capability.unit) {
    case BandwidthUnit::percent:
      return std::to_string(value) + '%';
    case BandwidthUnit::eighth_gb:
      return format_rate(value * kEighthGb) + " per CCD";
    case BandwidthUnit::mib_per_second:
      break;
  }
  return std::to_string(value) + " MiB/s";
}

}  // namespace bulkhead
