# What the guest's side of test_systemd.py adds to bulkhead_lab.sh, which is sourced before.
UNITS=

# A service of some threads in a slice, whose unit file has further lines; it is started.
unit() { # NAME SLICE THREADS [LINES]
	cp "$CROWD" "/run/$1"
	mkdir -p /run/systemd/system
	printf '[Service]\nExecStart=/run/%s %s\nSlice=%s\n%s\n' "$1" "$3" "$2" "${4:-}" > "/run/systemd/system/$1.service"
	UNITS="$UNITS $1.service"
}

# All that bulkhead may change. Asking systemd first has it finish what it does to the tree.
state() {
	systemctl show -p Id,AllowedCPUs,AllowedMemoryNodes,DropInPaths,NeedDaemonReload $UNITS \
		system.slice user.slice init.scope dbus.service lab.service
	[ ! -d /run/systemd/system.control ] || find /run/systemd/system.control | sort
	[ ! -d /run/systemd/transient ] || find /run/systemd/transient | sort
	(
		cd $C
		find . -type d | sort
		find . -type f '(' -name 'cpuset.*' -o -name cgroup.subtree_control ')' -exec grep -H '' {} + | sort
	)
	(
		cd $R
		find . -type d ! -path '*/mon_data*' | sort
		find . -type f ! -path '*/mon_data/*' ! -name last_cmd_status ! -name tasks -exec grep -H '' {} + | sort
	)
}

allowed() { systemctl show -p AllowedCPUs,AllowedMemoryNodes --value "$1" | xargs; }
effective() { cat "$C/$1/cpuset.cpus.effective" "$C/$1/cpuset.mems.effective"; }
# Written anew each time that systemd is told a limit.
files() { find /run/systemd/system.control /run/systemd/transient -type f 2> /dev/null | sort | xargs -r ls -i; }
apply() { bulkhead apply --yes "$1" > /run/said 2>&1 || { cat /run/said; return 1; }; sed -n '/^changes/,$p; /^already/p' /run/said; }

# The services that tests/lab/policies select.
systemd_world() {
	unit proxy proxy.slice 5
	unit database system.slice 3
	unit cron system.slice 2
	systemctl daemon-reload
	systemctl start $UNITS
	save before
}
