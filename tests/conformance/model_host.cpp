// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/model_host.h"

#include <cerrno>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::conformance {
namespace {

const std::map<std::string_view, sim::KernelShape (*)()> kShapes{
    {"amd-12ccd-nps2", [] { return sim::amd_12ccd(); }},
    {"amd-2socket-3ccd", sim::amd_2socket_3ccd},
    {"cat-only", sim::cat_only},
    {"cdp", sim::cdp},
    {"cgroup-v1", sim::cgroup_v1},
    {"epyc-9965", [] { return sim::epyc_9965(); }},
    {"few-closids", sim::few_closids},
    {"intel-1socket-cdp", sim::intel_1socket_cdp},
    {"intel-2socket", sim::intel_2socket},
    {"l2-only", sim::l2_only},
    {"mba-only", sim::mba_only},
    {"mon-only", sim::mon_only},
    {"no-rdt", sim::no_rdt},
};

std::string below_resctrl(const std::string& path) {
  return path.size() <= kResctrl.size() ? "" : path.substr(kResctrl.size() + 1);
}

}  // namespace

sim::KernelShape shape_of(const std::string& host, sim::Generation generation) {
  const auto found = kShapes.find(host);
  if (found == kShapes.end()) throw Error(ErrorCode::invalid, "no such host: " + host);
  return with(found->second(), generation);
}

void ModelHost::clean() {
  open_.clear();
  nobody_ = 0;
  kernel_ = std::make_unique<sim::KernelModel>(shape_);
  root_ = kernel_->self();
}

Outcome ModelHost::read(const std::string& path) {
  const sim::Answer answer = kernel_->read(path);
  return {answer.error, answer.text};
}

Outcome ModelHost::write(const std::string& path, std::string_view text) {
  return {kernel_->write(path, text), {}};
}

Outcome ModelHost::list(const std::string& path) {
  const sim::Listing listing = kernel_->list(path);
  std::string names;
  for (const sim::Entry& entry : listing.entries) {
    names += (names.empty() ? "" : " ") + entry.name + (entry.is_directory ? "/" : "");
  }
  return {listing.error, names};
}

Outcome ModelHost::mode(const std::string& path) {
  if (kernel_->kind(path) == sim::NodeKind::absent) return {ENOENT, {}};
  return {0, kernel_->open(path, sim::OpenFor::writing).error == EACCES ? "0444" : "0644"};
}

Outcome ModelHost::make_directory(const std::string& path) {
  return {kernel_->make_directory(path), {}};
}

Outcome ModelHost::remove_directory(const std::string& path) {
  return {kernel_->remove_directory(path), {}};
}

Outcome ModelHost::rename(const std::string& from, const std::string& to) {
  return {kernel_->rename(from, to), {}};
}

Outcome ModelHost::create(const std::string& path) {
  return {kernel_->create_file(path), {}};
}

Outcome ModelHost::unlink(const std::string& path) {
  return {kernel_->remove_file(path), {}};
}

Outcome ModelHost::mount(const std::string& options) {
  return {kernel_->mount("resctrl", kResctrl, options), {}};
}

Outcome ModelHost::unmount() {
  return {kernel_->unmount(kResctrl), {}};
}

Outcome ModelHost::open(const std::string& name, const std::string& path) {
  sim::Handle handle = kernel_->open(path, sim::OpenFor::writing);
  if (handle.error == EACCES) handle = kernel_->open(path, sim::OpenFor::reading);
  if (handle.error == 0) open_[name] = handle;
  return {handle.error, {}};
}

Outcome ModelHost::read_open(const std::string& name) {
  const sim::Answer answer = kernel_->read(open_.at(name));
  return {answer.error, answer.text};
}

Outcome ModelHost::write_open(const std::string& name, std::string_view text) {
  return {kernel_->write(open_.at(name), text), {}};
}

Outcome ModelHost::self() {
  return {0, std::to_string(root_)};
}

Outcome ModelHost::spawn() {
  return {0, std::to_string(kernel_->fork(root_))};
}

Outcome ModelHost::thread(unsigned of) {
  return {0, std::to_string(kernel_->spawn_thread(of))};
}

Outcome ModelHost::fork(unsigned of) {
  return {0, std::to_string(kernel_->fork(of))};
}

Outcome ModelHost::become_zombie(unsigned process) {
  kernel_->become_zombie(process);
  return {};
}

Outcome ModelHost::end(unsigned task) {
  kernel_->end(task);
  return {};
}

Outcome ModelHost::set_affinity(unsigned task, const std::string& cpus) {
  return {kernel_->set_affinity(task, CpuSet::parse_list(cpus)), {}};
}

void ModelHost::act_as_nobody(bool nobody) {
  if (nobody && nobody_ == 0) {
    sim::NewProcess process;
    process.user = kNobody;
    nobody_ = kernel_->spawn(process);
  }
  kernel_->set_writer(nobody ? nobody_ : root_);
}

Outcome ModelHost::set_counter(const std::string& group, unsigned domain, const std::string& event,
                               const std::string& units) {
  const auto value = parse_integer<std::uint64_t>(units);
  if (!value) throw Error(ErrorCode::invalid, "not a number: " + units);
  kernel_->set_counter(below_resctrl(group), domain, event, *value);
  return {};
}

Outcome ModelHost::fail_counter(const std::string& group, unsigned domain, const std::string& event,
                                const std::string& state) {
  const auto kind = state == "error" ? sim::CounterState::error : sim::CounterState::unavailable;
  kernel_->fail_counter(below_resctrl(group), domain, event, kind);
  return {};
}

void ModelHost::wait() {
  constexpr unsigned kSeconds = 2;
  for (unsigned second = 0; second < kSeconds; ++second) kernel_->pass_second();
}

}  // namespace bulkhead::conformance
