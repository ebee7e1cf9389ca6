// SPDX-License-Identifier: Apache-2.0

// Container runtimes manage resctrl through goresctrl. This sets classes with it, and compares what the host's
// files say then. It prints what is not as it must be.
//
//	goresctrl-test HOST     a key of `hosts`
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strconv"
	"strings"

	grclog "github.com/intel/goresctrl/pkg/log"
	"github.com/intel/goresctrl/pkg/rdt"
)

const (
	resctrl = "/sys/fs/resctrl/"
	prefix  = "test."
)

// Two partitions of cache and bandwidth. A class has a share of its partition's.
const configuration = `
options: {mb: {optional: true}}
partitions:
  upper:
    l3Allocation: {all: 75%}
    mbAllocation: {all: [100%]}
    classes:
      guaranteed: {l3Allocation: {all: 100%}}
      burstable: {l3Allocation: {all: 50%, "0": 0-3}, mbAllocation: {all: [35%]}}
  lower:
    l3Allocation: {all: 25%}
    mbAllocation: {all: [50%]}
    classes:
      system/default: {}
`

type class struct{ name, schemata string }

var hosts = map[string][]class{
	// goresctrl takes a smallest bandwidth of 0, which AMD has, for none that could be set.
	"lab-amd-12ccd-nps2": {
		{"test.guaranteed/", lines("    MB:", same(12, "2048"), "    L3:", same(12, "fff0"))},
		{"test.burstable/", lines("    MB:", same(12, "2048"), "    L3:", "0=00f0;"+same(12, "03f0")[7:])},
		{"", lines("    MB:", same(12, "2048"), "    L3:", same(12, "000f"))},
	},
	// A bandwidth between two steps becomes the higher one.
	"lab-intel-2socket": {
		{"test.guaranteed/", lines("    MB:", "0=100;1=100", "    L3:", "0=ff8;1=ff8")},
		{"test.burstable/", lines("    MB:", "0= 40;1= 40", "    L3:", "0=078;1=0f8")},
		{"", lines("    MB:", "0= 50;1= 50", "    L3:", "0=007;1=007")},
	},
	"lab-intel-1socket-cdp": {
		{"test.guaranteed/", lines("    MB:", "0=100", "L3DATA:", "0=ff8", "L3CODE:", "0=ff8")},
		{"test.burstable/", lines("    MB:", "0= 40", "L3DATA:", "0=078", "L3CODE:", "0=078")},
		{"", lines("    MB:", "0= 50", "L3DATA:", "0=007", "L3CODE:", "0=007")},
	},
	"epyc-9965-nps2": {
		{"test.guaranteed/", lines("  SMBA:", same(12, "4096"), "    MB:", same(12, "4096"), "    L3:", same(12, "fff0"))},
		{"test.burstable/", lines("  SMBA:", same(12, "4096"), "    MB:", same(12, "4096"), "    L3:", "0=f0;"+same(12, "3f0")[6:])},
		{"", lines("  SMBA:", same(12, "4096"), "    MB:", same(12, "4096"), "    L3:", same(12, "f"))},
	},
}

func same(domains int, value string) string {
	values := make([]string, domains)
	for domain := range values {
		values[domain] = fmt.Sprintf("%d=%s", domain, value)
	}
	return strings.Join(values, ";")
}

// A name and its values in turn.
func lines(parts ...string) string {
	text := ""
	for i := 0; i < len(parts); i += 2 {
		text += parts[i] + parts[i+1] + "\n"
	}
	return text
}

var failed = false

func expect(what string, found, wanted interface{}) {
	if text, other := fmt.Sprint(found), fmt.Sprint(wanted); text != other {
		fmt.Printf("%s\n  is     %q\n  wanted %q\n", what, text, other)
		failed = true
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func content(path string) string {
	text, err := os.ReadFile(path)
	must(err)
	return string(text)
}

func monitoringGroup(of rdt.CtrlGroup, name string) rdt.MonGroup {
	group, err := of.CreateMonGroup(name, nil)
	must(err)
	return group
}

func configure(text string, force bool) error { return rdt.SetConfigFromData([]byte(text), force) }

func classNamed(name string) rdt.CtrlGroup {
	found, ok := rdt.GetClass(name)
	if !ok {
		fmt.Println("no class", name)
		os.Exit(1)
	}
	return found
}

func checkClasses(classes []class) {
	expect("setting the configuration", configure(configuration, false), nil)
	for _, one := range classes {
		expect(one.name+"schemata", content(resctrl+one.name+"schemata"), one.schemata)
	}
	names := []string{}
	for _, one := range rdt.GetClasses() {
		names = append(names, one.Name())
	}
	expect("classes", names, []string{"burstable", "guaranteed", "system/default"})
}

func checkTasks(task string) {
	guaranteed := classNamed("guaranteed")
	expect("adding a task", guaranteed.AddPids(task, "999999999"), nil)
	tasks, err := guaranteed.GetPids()
	must(err)
	expect("the class's tasks", tasks, []string{task})
	expect("the task's groups", content("/proc/"+task+"/cpu_resctrl_groups"), "res:test.guaranteed\nmon:\n")
}

func checkMonitoring(task string, domains int) {
	guaranteed, burstable := classNamed("guaranteed"), classNamed("burstable")
	pod := monitoringGroup(guaranteed, "pod")
	expect("adding a task of the class", pod.AddPids(task), nil)
	expect("the task's groups", content("/proc/"+task+"/cpu_resctrl_groups"), "res:test.guaranteed\nmon:test.pod\n")
	stranger := monitoringGroup(burstable, "pod")
	refusal := strings.SplitN(fmt.Sprint(stranger.AddPids(task)), "\n", 2)[0] // newer kernels say more
	expect("adding a task of another class", refusal,
		"failed to assign processes ["+task+"] to class \"pod\": Can't move task to different control group")

	features := rdt.GetMonFeatures()[rdt.MonResourceL3]
	expect("features", features, []string{"llc_occupancy", "mbm_local_bytes", "mbm_total_bytes"})
	pod.GetMonData() // a counter that has just been assigned is Unavailable once, which goresctrl leaves out
	data := pod.GetMonData().L3
	expect("domains that are monitored", len(data), domains)
	for domain, values := range data {
		expect(fmt.Sprint("values of domain ", domain), len(values), len(features))
	}
	expect("removing monitoring groups", guaranteed.DeleteMonGroups(), nil)
	expect("the task's groups", content("/proc/"+task+"/cpu_resctrl_groups"), "res:test.guaranteed\nmon:\n")
}

// Classes until there is no id for the next.
func checkExhaustion(closids int) {
	text := "options: {mb: {optional: true}}\npartitions:\n  all:\n    l3Allocation: {all: 100%}\n    classes:\n"
	for number := 0; number < closids; number++ {
		text += "      more" + strconv.Itoa(number) + ": {}\n"
	}
	err := fmt.Sprint(configure(text, true))
	expect("more classes than there are ids", strings.HasSuffix(err, ": no space left on device"), true)
	expect("its message's begin", strings.HasPrefix(err, "resctrl configuration failed: mkdir "+resctrl+prefix+"more"), true)
}

func checkRemoval(task string) {
	const none = "partitions: {}\n"
	expect("removing a class with a task", configure(none, false),
		"resctrl configuration failed: refusing to remove non-empty resctrl group \"test.guaranteed\"")
	expect("the same by force", configure(none, true), nil)
	expect("the task's groups", content("/proc/"+task+"/cpu_resctrl_groups"), "res:/\nmon:\n")
	entries, err := os.ReadDir(resctrl)
	must(err)
	for _, entry := range entries {
		expect("is a group left? "+entry.Name(), strings.HasPrefix(entry.Name(), prefix), false)
	}
}

func main() {
	classes, known := hosts[os.Args[1]]
	if !known {
		fmt.Println("no such host:", os.Args[1])
		os.Exit(2)
	}
	rdt.SetLogger(grclog.NewLoggerWrapper(log.New(io.Discard, "", 0)))
	sleeper := exec.Command("sleep", "1000")
	must(sleeper.Start())
	defer sleeper.Process.Kill()
	task := strconv.Itoa(sleeper.Process.Pid)

	must(rdt.Initialize(prefix))
	checkClasses(classes)
	checkTasks(task)
	checkMonitoring(task, strings.Count(classes[0].schemata, "=")/strings.Count(classes[0].schemata, "\n"))
	checkRemoval(task)
	closids, err := strconv.Atoi(strings.TrimSpace(content(resctrl + "info/MB/num_closids")))
	must(err)
	checkExhaustion(closids)
	if failed {
		sleeper.Process.Kill()
		os.Exit(1)
	}
}
