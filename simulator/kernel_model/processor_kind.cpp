// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/processor_kind.h"

#include <algorithm>
#include <array>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

// EPYC 7003: Milan
constexpr ProcessorKind kZen3 = {
    .family = 25,
    .model = 1,
    .stepping = 1,
    .microcode = "0xa0011d5",
    .cpuid_level = 16,
    .l1_data = {32, 8},
    .l2 = {512, 8},
    .tlb = "2560 4K pages",
    .address_sizes = "48 bits physical, 48 bits virtual",
    .power = "ts ttp tm hwpstate cpb eff_freq_ro [13] [14]",
    .flags =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 "
        "ht "
        "syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good nopl nonstop_tsc cpuid "
        "extd_apicid aperfmperf rapl pni pclmulqdq monitor ssse3 fma cx16 pcid sse4_1 sse4_2 movbe popcnt "
        "aes "
        "xsave avx f16c rdrand lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a misalignsse 3dnowprefetch "
        "osvw ibs skinit wdt tce topoext perfctr_core perfctr_nb bpext perfctr_llc mwaitx cpb cat_l3 cdp_l3 "
        "hw_pstate ssbd mba ibrs ibpb stibp vmmcall fsgsbase bmi1 avx2 smep bmi2 erms invpcid cqm rdt_a "
        "rdseed adx smap clflushopt clwb sha_ni xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc "
        "cqm_mbm_total cqm_mbm_local clzero irperf xsaveerptr rdpru wbnoinvd amd_ppin arat npt lbrv svm_lock "
        "nrip_save tsc_scale vmcb_clean flushbyasid decodeassists pausefilter pfthreshold v_vmsave_vmload "
        "vgif v_spec_ctrl umip pku ospke vaes vpclmulqdq rdpid overflow_recov succor smca fsrm",
    .virtualisation = "",
    .bugs = "sysret_ss_attrs null_seg spectre_v1 spectre_v2 spec_store_bypass srso",
};

// EPYC 9004: Genoa
constexpr ProcessorKind kZen4 = {
    .family = 25,
    .model = 17,
    .stepping = 1,
    .microcode = "0xa101148",
    .cpuid_level = 16,
    .l1_data = {32, 8},
    .l2 = {1024, 8},
    .tlb = "3584 4K pages",
    .address_sizes = "52 bits physical, 57 bits virtual",
    .power = "ts ttp tm hwpstate cpb eff_freq_ro [13] [14]",
    .flags =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 "
        "ht "
        "syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good amd_lbr_v2 nopl nonstop_tsc "
        "cpuid "
        "extd_apicid aperfmperf rapl pni pclmulqdq monitor ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe "
        "popcnt aes xsave avx f16c rdrand lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a misalignsse "
        "3dnowprefetch osvw ibs skinit wdt tce topoext perfctr_core perfctr_nb bpext perfctr_llc mwaitx cpb "
        "cat_l3 cdp_l3 hw_pstate ssbd mba perfmon_v2 ibrs ibpb stibp ibrs_enhanced vmmcall fsgsbase bmi1 "
        "avx2 "
        "smep bmi2 erms invpcid cqm rdt_a avx512f avx512dq rdseed adx smap avx512ifma clflushopt clwb "
        "avx512cd sha_ni avx512bw avx512vl xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc "
        "cqm_mbm_total "
        "cqm_mbm_local avx512_bf16 clzero irperf xsaveerptr rdpru wbnoinvd amd_ppin cppc arat npt lbrv "
        "svm_lock nrip_save tsc_scale vmcb_clean flushbyasid decodeassists pausefilter pfthreshold avic "
        "v_vmsave_vmload vgif x2avic v_spec_ctrl vnmi avx512vbmi umip pku ospke avx512_vbmi2 gfni vaes "
        "vpclmulqdq avx512_vnni avx512_bitalg avx512_vpopcntdq la57 rdpid overflow_recov succor smca fsrm "
        "flush_l1d",
    .virtualisation = "",
    .bugs = "sysret_ss_attrs spectre_v1 spectre_v2 spec_store_bypass srso",
};

// EPYC 9005: Turin
constexpr ProcessorKind kZen5 = {
    .family = 26,
    .model = 2,
    .stepping = 1,
    .microcode = "0xb00211e",
    .cpuid_level = 16,
    .l1_data = {48, 12},
    .l2 = {1024, 16},
    .tlb = "192 4K pages",
    .address_sizes = "52 bits physical, 57 bits virtual",
    .power = "ts ttp tm hwpstate cpb eff_freq_ro [13] [14]",
    .flags =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 "
        "ht "
        "syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good amd_lbr_v2 nopl nonstop_tsc "
        "cpuid "
        "extd_apicid aperfmperf rapl pni pclmulqdq monitor ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe "
        "popcnt aes xsave avx f16c rdrand lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a misalignsse "
        "3dnowprefetch osvw ibs skinit wdt tce topoext perfctr_core perfctr_nb bpext perfctr_llc mwaitx cpb "
        "cat_l3 cdp_l3 hw_pstate ssbd mba perfmon_v2 ibrs ibpb stibp ibrs_enhanced vmmcall fsgsbase "
        "tsc_adjust bmi1 avx2 smep bmi2 invpcid cqm rdt_a avx512f avx512dq rdseed adx smap avx512ifma "
        "clflushopt clwb avx512cd sha_ni avx512bw avx512vl xsaveopt xsavec xgetbv1 xsaves cqm_llc "
        "cqm_occup_llc cqm_mbm_total cqm_mbm_local avx_vnni avx512_bf16 clzero irperf xsaveerptr rdpru "
        "wbnoinvd amd_ppin cppc arat npt lbrv svm_lock nrip_save tsc_scale vmcb_clean flushbyasid "
        "decodeassists pausefilter pfthreshold avic v_vmsave_vmload vgif x2avic v_spec_ctrl vnmi avx512vbmi "
        "umip pku ospke avx512_vbmi2 gfni vaes vpclmulqdq avx512_vnni avx512_bitalg avx512_vpopcntdq la57 "
        "rdpid bus_lock_detect movdiri movdir64b overflow_recov succor smca fsrm avx512_vp2intersect "
        "flush_l1d",
    .virtualisation = "",
    .bugs = "sysret_ss_attrs spectre_v1 spectre_v2 spec_store_bypass",
};

constexpr ProcessorKind turin_dense() {
  ProcessorKind kind = kZen5;
  kind.model = 17;
  kind.stepping = 0;
  kind.microcode = "0xb101021";
  return kind;
}
constexpr ProcessorKind kZen5c = turin_dense();

// Xeon of the third generation
constexpr ProcessorKind kIceLake = {
    .family = 6,
    .model = 106,
    .stepping = 6,
    .microcode = "0xd0003e7",
    .cpuid_level = 27,
    .l1_data = {48, 12},
    .l2 = {1280, 20},
    .tlb = "",
    .address_sizes = "46 bits physical, 57 bits virtual",
    .power = "",
    .flags =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr "
        "sse sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art arch_perfmon pebs bts rep_good "
        "nopl xtopology nonstop_tsc cpuid aperfmperf pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 "
        "ssse3 sdbg fma cx16 xtpr pdcm pcid dca sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes "
        "xsave avx f16c rdrand lahf_lm abm 3dnowprefetch cpuid_fault epb cat_l3 cdp_l3 intel_ppin ssbd mba "
        "ibrs ibpb stibp ibrs_enhanced tpr_shadow flexpriority ept vpid ept_ad fsgsbase tsc_adjust bmi1 avx2 "
        "smep bmi2 erms invpcid cqm rdt_a avx512f avx512dq rdseed adx smap avx512ifma clflushopt clwb "
        "intel_pt avx512cd sha_ni avx512bw avx512vl xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc "
        "cqm_mbm_total cqm_mbm_local split_lock_detect wbnoinvd dtherm ida arat pln pts vnmi avx512vbmi umip "
        "pku ospke avx512_vbmi2 gfni vaes vpclmulqdq avx512_vnni avx512_bitalg tme avx512_vpopcntdq la57 "
        "rdpid fsrm md_clear pconfig flush_l1d arch_capabilities",
    .virtualisation =
        "vnmi preemption_timer posted_intr invvpid ept_x_only ept_ad ept_1gb flexpriority apicv tsc_offset "
        "vtpr mtf vapic ept vpid unrestricted_guest vapic_reg vid ple shadow_vmcs pml ept_mode_based_exec "
        "tsc_scaling",
    .bugs = "spectre_v1 spectre_v2 spec_store_bypass swapgs mmio_stale_data eibrs_pbrsb gds bhi",
};

// Xeon of the fourth generation
constexpr ProcessorKind kSapphireRapids = {
    .family = 6,
    .model = 143,
    .stepping = 8,
    .microcode = "0x2b000603",
    .cpuid_level = 32,
    .l1_data = {48, 12},
    .l2 = {2048, 16},
    .tlb = "",
    .address_sizes = "52 bits physical, 57 bits virtual",
    .power = "",
    .flags =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr "
        "sse sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art arch_perfmon pebs bts rep_good "
        "nopl xtopology nonstop_tsc cpuid aperfmperf pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 "
        "ssse3 sdbg fma cx16 xtpr pdcm pcid dca sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes "
        "xsave avx f16c rdrand lahf_lm abm 3dnowprefetch cpuid_fault epb cat_l3 cat_l2 cdp_l3 cdp_l2 "
        "intel_ppin ssbd mba ibrs ibpb stibp ibrs_enhanced tpr_shadow flexpriority ept vpid ept_ad fsgsbase "
        "tsc_adjust bmi1 avx2 smep bmi2 erms invpcid cqm rdt_a avx512f avx512dq rdseed adx smap avx512ifma "
        "clflushopt clwb intel_pt avx512cd sha_ni avx512bw avx512vl xsaveopt xsavec xgetbv1 xsaves cqm_llc "
        "cqm_occup_llc cqm_mbm_total cqm_mbm_local split_lock_detect user_shstk avx_vnni avx512_bf16 "
        "wbnoinvd "
        "dtherm ida arat pln pts hfi vnmi avx512vbmi umip pku ospke waitpkg avx512_vbmi2 gfni vaes "
        "vpclmulqdq "
        "avx512_vnni avx512_bitalg tme avx512_vpopcntdq la57 rdpid bus_lock_detect cldemote movdiri "
        "movdir64b "
        "enqcmd fsrm md_clear serialize tsxldtrk pconfig arch_lbr ibt amx_bf16 avx512_fp16 amx_tile amx_int8 "
        "flush_l1d arch_capabilities",
    .virtualisation =
        "vnmi preemption_timer posted_intr invvpid ept_x_only ept_ad ept_1gb flexpriority apicv tsc_offset "
        "vtpr mtf vapic ept vpid unrestricted_guest vapic_reg vid ple shadow_vmcs pml ept_mode_based_exec "
        "tsc_scaling",
    .bugs = "spectre_v1 spectre_v2 spec_store_bypass swapgs eibrs_pbrsb bhi",
};

// As QEMU emulates it, which is what the lab's hosts have
constexpr ProcessorKind kEmulatedMilan = {
    .family = 25,
    .model = 1,
    .stepping = 1,
    .microcode = "0x1000065",
    .cpuid_level = 16,
    .l1_data = {32, 8},
    .l2 = {512, 8},
    .tlb = "1024 4K pages",
    .address_sizes = "40 bits physical, 48 bits virtual",
    .power = "",
    .flags =
        "fpu de pse tsc msr pae mce cx8 apic sep pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall "
        "nx mmxext pdpe1gb rdtscp lm rep_good nopl cpuid extd_apicid amd_dcm pni pclmulqdq monitor ssse3 fma "
        "sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand hypervisor lahf_lm cmp_legacy svm cr8_legacy "
        "abm sse4a 3dnowprefetch topoext cat_l3 cdp_l3 mba vmmcall fsgsbase bmi1 avx2 smep bmi2 cqm rdt_a "
        "adx "
        "smap clflushopt clwb xsaveopt xgetbv1 cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local arat npt "
        "umip pku ospke",
    .virtualisation = "",
    .bugs = "fxsave_leak sysret_ss_attrs null_seg spectre_v1 spectre_v2 spec_store_bypass srso tsa",
};

// Likewise
constexpr ProcessorKind kEmulatedIceLake = {
    .family = 6,
    .model = 134,
    .stepping = 0,
    .microcode = "0x1",
    .cpuid_level = 16,
    .l1_data = {32, 8},
    .l2 = {4096, 16},
    .tlb = "",
    .address_sizes = "40 bits physical, 57 bits virtual",
    .power = "",
    .flags =
        "fpu de pse tsc msr pae mce cx8 apic sep pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall "
        "nx pdpe1gb rdtscp lm constant_tsc rep_good nopl xtopology cpuid pni pclmulqdq ssse3 fma sse4_1 "
        "sse4_2 movbe popcnt aes xsave avx f16c rdrand hypervisor lahf_lm abm cat_l3 cat_l2 cdp_l3 cdp_l2 "
        "mba "
        "fsgsbase bmi1 avx2 smep bmi2 cqm rdt_a adx smap clflushopt clwb xsaveopt xgetbv1 cqm_llc "
        "cqm_occup_llc cqm_mbm_total cqm_mbm_local arat umip pku ospke vaes",
    .virtualisation = "",
    .bugs =
        "cpu_meltdown spectre_v1 spectre_v2 spec_store_bypass l1tf mds swapgs mmio_stale_data rfds bhi its",
};

struct Named {
  std::string_view pattern;
  const ProcessorKind* kind;
  unsigned mhz;
};

// The first that fits.
constexpr std::array kNamed = {
    Named{"AMD EPYC-Milan Processor", &kEmulatedMilan, 2000},
    Named{"Intel Xeon Processor (Icelake)", &kEmulatedIceLake, 2000},
    Named{"AMD EPYC 9965 *", &kZen5c, 2250},
    Named{"AMD EPYC 9845 *", &kZen5c, 2100},
    Named{"AMD EPYC 9825 *", &kZen5c, 2200},
    Named{"AMD EPYC 9745 *", &kZen5c, 2400},
    Named{"AMD EPYC 9645 *", &kZen5c, 2300},
    Named{"AMD EPYC 9755 *", &kZen5, 2700},
    Named{"AMD EPYC 9??5*", &kZen5, 2600},
    Named{"AMD EPYC 9684X *", &kZen4, 2550},
    Named{"AMD EPYC 9654*", &kZen4, 2400},
    Named{"AMD EPYC 9??4*", &kZen4, 2700},
    Named{"Intel* Platinum 83*", &kIceLake, 2300},
    Named{"Intel* Platinum 84*", &kSapphireRapids, 1900},
    Named{"AMD *", &kZen3, 2450},
    Named{"*", &kIceLake, 2300},
};

}  // namespace

Processor processor_of(const KernelShape& shape) {
  const auto found = std::ranges::find_if(
      kNamed, [&](const Named& named) { return matches_pattern(shape.processor, named.pattern); });
  return {found->kind, found->mhz};
}

}  // namespace bulkhead::sim
