/*
 * Simulated Resource Director Technology (Intel RDT / AMD PQoS) hardware.
 *
 * The kernel reaches CPUID and the model-specific registers (MSRs) through
 * five function pointers in its pv_ops table.  The lab points them at the
 * hook_* functions below before the kernel starts, so that the kernel finds
 * cache-allocation, bandwidth-allocation and monitoring registers that QEMU
 * does not have.  Everything the hooks do not know goes on to the kernel's
 * own function.
 *
 * The code is position-independent and calls nothing but the functions whose
 * addresses stand in `config`, which the lab fills in (hardware.py).  It is
 * placed, with its state, in the unused space between two kernel sections.
 *
 * What a test can do, through the stock /dev/cpu/N/msr driver:
 *   read  the real registers: cache masks, bandwidth limits, PQR_ASSOC, ...
 *   write CONTROL_VALUE and CONTROL_RATE below, to set what the monitoring
 *         counters of CPU N's L3 domain report.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define ANY_SUBLEAF	0xffffffffu
#define MAX_RULES	48
#define MAX_CPUS	256	/* indexed by 8-bit APIC id */
#define MAX_DOMAINS	32	/* L3 caches */
#define MAX_L2_CACHES	256	/* at most one for each CPU */
#define MAX_RMIDS	256
#define EVENTS		3	/* 1 llc_occupancy, 2 mbm_total, 3 mbm_local */

/* Registers as the manuals number them. */
#define QM_EVTSEL	0xc8du
#define QM_CTR		0xc8eu
#define PQR_ASSOC	0xc8fu
#define INTEL_FIRST	0xc81u	/* L3_QOS_CFG, cache masks, Intel MBA limits */
#define INTEL_LAST	0xd8fu
#define L2_CONFIG	0xc82u
#define L2_MASK_FIRST	0xd10u
#define L2_MASK_LAST	0xd4fu
#define AMD_FIRST	0xc0000200u	/* AMD bandwidth limits, event configuration */
#define AMD_LAST	0xc00004ffu
#define CTR_ERROR	(1ull << 63)
#define CTR_UNAVAILABLE	(1ull << 62)

/* Registers of the lab's own: base | event << 16 | rmid. */
#define CONTROL_VALUE	0x4c000000u	/* what QM_CTR reports, bits 62 and 63 included */
#define CONTROL_RATE	0x4d000000u	/* counter units added to it each second */
#define CONTROL_MASK	0xff000000u

struct cpuid_rule {
	u32 leaf, subleaf;
	u32 keep[4];	/* bits of the real EAX, EBX, ECX, EDX that stay */
	u32 set[4];	/* bits then set */
};

struct config {
	u64 native_cpuid, native_read_msr, native_read_msr_safe;
	u64 native_write_msr, native_write_msr_safe;
	u64 jiffies;		/* address of the kernel's tick counter */
	u32 ticks_per_second;
	u32 domain_shift;	/* L3 domain = APIC id >> domain_shift */
	u32 l2_shift;		/* the same for L2 caches */
	u32 rmids, events;	/* events: bit 0 llc_occupancy, 1 mbm_total, 2 mbm_local */
	u32 counter_bits;	/* width at which the bandwidth counters wrap */
	u32 rule_count;
	struct cpuid_rule rules[MAX_RULES];
};

struct counter {
	u64 value, rate, since;	/* `value` held at tick `since` */
};

__attribute__((section(".config"))) volatile struct config config;
static struct counter counters[MAX_DOMAINS][EVENTS][MAX_RMIDS];
static u64 intel_registers[MAX_DOMAINS][INTEL_LAST - INTEL_FIRST + 1];
static u64 l2_configs[MAX_L2_CACHES];
static u64 l2_masks[MAX_L2_CACHES][L2_MASK_LAST - L2_MASK_FIRST + 1];
static u64 amd_registers[MAX_DOMAINS][AMD_LAST - AMD_FIRST + 1];
static u64 event_select[MAX_CPUS], association[MAX_CPUS];

static u32 apic_id(void)
{
	u32 eax = 1, ebx, ecx = 0, edx;

	asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ebx >> 24;
}

static u32 domain(void)
{
	return (apic_id() >> config.domain_shift) % MAX_DOMAINS;
}

static u32 l2_cache(void)
{
	return apic_id() >> config.l2_shift;
}

static u64 now(void)
{
	return *(volatile u64 *)config.jiffies;
}

static struct counter *find_counter(u32 event, u32 rmid)
{
	if (event < 1 || event > EVENTS || !(config.events >> (event - 1) & 1) ||
	    rmid >= config.rmids)
		return 0;
	return &counters[domain()][event - 1][rmid];
}

static u64 counter_value(const struct counter *counter)
{
	if (counter->value & (CTR_ERROR | CTR_UNAVAILABLE))
		return counter->value;
	return counter->value +
	       (now() - counter->since) * counter->rate / config.ticks_per_second;
}

static u64 read_counter_register(void)
{
	u64 select = event_select[apic_id()];
	u32 event = select & 0xff;
	struct counter *counter = find_counter(event, select >> 32 & 0x3ff);
	u64 value;

	if (!counter)
		return CTR_ERROR;
	value = counter_value(counter);
	if (event > 1 && !(value & (CTR_ERROR | CTR_UNAVAILABLE)))
		value &= (1ull << config.counter_bits) - 1;
	return value;
}

static void set_counter(struct counter *counter, u64 value, u64 rate)
{
	counter->value = value;
	counter->rate = rate;
	counter->since = now();
}

/* Where a plain register lives, or null if the lab does not have it. */
static u64 *find_register(u32 msr)
{
	if (msr == QM_EVTSEL)
		return &event_select[apic_id()];
	if (msr == PQR_ASSOC)
		return &association[apic_id()];
	if (msr == L2_CONFIG)
		return &l2_configs[l2_cache()];
	if (msr >= L2_MASK_FIRST && msr <= L2_MASK_LAST)
		return &l2_masks[l2_cache()][msr - L2_MASK_FIRST];
	if (msr >= INTEL_FIRST && msr <= INTEL_LAST)
		return &intel_registers[domain()][msr - INTEL_FIRST];
	if (msr >= AMD_FIRST && msr <= AMD_LAST)
		return &amd_registers[domain()][msr - AMD_FIRST];
	return 0;
}

/* Both return whether the lab has the register. */
static int read_register(u32 msr, u64 *value)
{
	struct counter *counter;
	u64 *plain;

	if (msr == QM_CTR) {
		*value = read_counter_register();
		return 1;
	}
	if ((msr & CONTROL_MASK) == CONTROL_VALUE || (msr & CONTROL_MASK) == CONTROL_RATE) {
		counter = find_counter(msr >> 16 & 0xff, msr & 0xffff);
		if (!counter)
			*value = CTR_ERROR;
		else if ((msr & CONTROL_MASK) == CONTROL_VALUE)
			*value = counter_value(counter);
		else
			*value = counter->rate;
		return 1;
	}
	plain = find_register(msr);
	if (plain)
		*value = *plain;
	return plain != 0;
}

static int write_register(u32 msr, u64 value)
{
	struct counter *counter;
	u64 *plain;

	if ((msr & CONTROL_MASK) == CONTROL_VALUE || (msr & CONTROL_MASK) == CONTROL_RATE) {
		counter = find_counter(msr >> 16 & 0xff, msr & 0xffff);
		if (counter && (msr & CONTROL_MASK) == CONTROL_VALUE)
			set_counter(counter, value, counter->rate);
		else if (counter)
			set_counter(counter, counter_value(counter), value);
		return 1;
	}
	plain = find_register(msr);
	if (plain)
		*plain = value;
	return plain != 0;
}

void hook_cpuid(u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	u32 leaf = *eax, subleaf = *ecx, i;

	((void (*)(u32 *, u32 *, u32 *, u32 *))config.native_cpuid)(eax, ebx, ecx, edx);
	for (i = 0; i < config.rule_count; i++) {
		const volatile struct cpuid_rule *rule = &config.rules[i];

		if (rule->leaf != leaf ||
		    (rule->subleaf != ANY_SUBLEAF && rule->subleaf != subleaf))
			continue;
		*eax = (*eax & rule->keep[0]) | rule->set[0];
		*ebx = (*ebx & rule->keep[1]) | rule->set[1];
		*ecx = (*ecx & rule->keep[2]) | rule->set[2];
		*edx = (*edx & rule->keep[3]) | rule->set[3];
	}
}

u64 hook_read_msr(u32 msr)
{
	u64 value;

	if (read_register(msr, &value))
		return value;
	return ((u64 (*)(u32))config.native_read_msr)(msr);
}

u64 hook_read_msr_safe(u32 msr, int *error)
{
	u64 value;

	if (read_register(msr, &value)) {
		*error = 0;
		return value;
	}
	return ((u64 (*)(u32, int *))config.native_read_msr_safe)(msr, error);
}

void hook_write_msr(u32 msr, u32 low, u32 high)
{
	if (!write_register(msr, (u64)high << 32 | low))
		((void (*)(u32, u32, u32))config.native_write_msr)(msr, low, high);
}

int hook_write_msr_safe(u32 msr, u32 low, u32 high)
{
	if (write_register(msr, (u64)high << 32 | low))
		return 0;
	return ((int (*)(u32, u32, u32))config.native_write_msr_safe)(msr, low, high);
}
