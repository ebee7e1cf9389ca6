# What the guest's side of the suites shares. Sourced; $CROWD is programs/crowd.c.
R=/sys/fs/resctrl
C=/sys/fs/cgroup
PEOPLE=
THEIRS=

# A part of the output, by name; with a command also its output, errors and status.
part() { # NAME [COMMAND...]
	printf '#### %s\n' "$1"
	shift
	[ $# -gt 0 ] || return 0
	status=0
	"$@" 2>&1 || status=$?
	printf '#= %s\n' "$status"
}

bh() { # NAME ARGUMENTS...
	name=$1
	shift
	part "$name" bulkhead "$@"
}

# Until a command succeeds.
await() {
	tries=0
	until "$@" 2> /dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || { echo "waited in vain for: $*" >&2; exit 1; }
		sleep 0.02
	done
}

has_threads() { [ "$(ls /proc/$1/task | wc -l)" -ge "$2" ]; }

# A process of some threads in a cgroup, which is made; its program is /run/NAME, its number in $pid.
service() { # NAME CGROUP [THREADS [storm]]
	[ -e "/run/$1" ] || cp "$CROWD" "/run/$1"
	mkdir -p "$C$2"
	"/run/$1" "${3:-1}" ${4:-} < /dev/null > /dev/null 2>&1 &
	pid=$!
	await has_threads $pid ${3:-1}
	for file in cpuset.cpus cpuset.mems; do # which cgroup v1 wants first
		[ ! -e "$C/cgroup.clone_children" ] || cat "$C/$file" > "$C$2/$file"
	done
	echo "$pid" > "$C$2/cgroup.procs"
	PEOPLE="$PEOPLE $pid"
}

# Other programs' groups: a control group with one way, a task and a monitoring group, and a monitoring group of
# the default group.
foreigners() {
	service theirs /theirs 2
	mkdir "$R/theirs" "$R/theirs/mon_groups/counted" "$R/mon_groups/theirs-too"
	for way in $(sed -n 's/^ *L3[A-Z]*:/ /p' "$R/schemata" | tr ';' ' ' | sed 's/=[0-9a-f]*//g'); do
		for line in $(sed -n 's/^ *\(L3[A-Z]*\):.*/\1/p' "$R/schemata"); do
			echo "$line:$way=${1:-8000}" > "$R/theirs/schemata"
		done
	done
	echo "$pid" > "$R/theirs/tasks"
	echo "$pid" > "$R/theirs/mon_groups/counted/tasks"
	THEIRS=$pid
}

foreign_state() {
	[ -n "$THEIRS" ] || return 0
	(cd $R && find theirs mon_groups/theirs-too -type f ! -path '*/mon_data/*' -exec grep -H '' {} + | sort)
	grep -H '' /proc/$THEIRS/task/*/cpu_resctrl_groups
}

# All that bulkhead may change, as text; without the list of this script's own short-lived processes.
state() {
	[ ! -d $R/info ] || (
		cd $R
		find . -type d ! -path '*/mon_data*' | sort
		find . -type f ! -path '*/mon_data/*' ! -name last_cmd_status ! -path ./tasks -exec grep -H '' {} + | sort
	)
	(
		cd $C
		find . -type d | sort
		find . -type f '(' -name 'cpuset.*' -o -name cgroup.subtree_control -o -path './*/cgroup.procs' ')' \
			! -path './bulkhead.others/cgroup.procs' \
			-exec grep -H '' {} + | sort
	)
	for process in $PEOPLE; do
		(
			cd /proc/$process
			grep -H '' task/*/cpu_resctrl_groups cgroup 2> /dev/null || true
			grep -H Cpus_allowed_list: task/*/status
		)
	done
}

save() { state > "/run/state-$1"; foreign_state > "/run/foreign-$1" 2> /dev/null || true; }

# Nothing, if two saved states are the same.
compare() { diff -U0 "/run/state-$1" "/run/state-$2" | grep '^[-+]' || true; }
compare_foreign() { diff -U0 "/run/foreign-$1" "/run/foreign-$2" || true; }

left_over() { ls /run/bulkhead 2> /dev/null | grep -v '^lock$' || true; }

# bulkhead, whose N-th call that changes something goes wrong; see programs/fault.c.
with_fault() { # WHAT N ARGUMENTS...
	what=$1 at=$2
	shift 2
	env LD_PRELOAD="$FAULT_LIBRARY" FAULT="$what" FAULT_AT="$at" bulkhead "$@" > /run/said 2>&1
}

# A policy for the service proxy, /run/NAME.json.
policy() { # NAME WHAT-IT-WANTS
	printf '{"bulkhead": 1, "name": "%s", "services": {\n' "$1" > "/run/$1.json"
	printf '"proxy": {"select": {"unit": "proxy.service"},\n%s}}}\n' "$2" >> "/run/$1.json"
}

stopped() { grep -q 'State:.T' "/proc/$(pidof "$1")/status"; }

# Applies /run/POLICY.json and runs something else just before the first of its calls whose text begins with TEXT.
meanwhile() { # NAME TEXT POLICY COMMAND
	FAULT_ON="$2" with_fault 19 1 apply --yes "/run/$3.json" &
	job=$!
	await stopped bulkhead
	eval "$4"
	kill -CONT "$(pidof bulkhead)"
	status=0
	wait $job || status=$?
	part "$1"
	grep '^bulkhead: ' /run/said || true
	echo "#= $status"
}

# The services that tests/lab/policies select, with strangers beside them.
world() {
	service proxy /proxy.slice/proxy.service 5
	service database /system.slice/database.service 3
	service cron /system.slice/cron.service 2
	foreigners
	save before
}
