"""What users of other tools ran into, each on the real kernel."""

import unittest

from bulkhead_lab import SMALL, guest

OWNER = "tests/lab/policies/owner.json"


class Tasks(unittest.TestCase):
    def test_threads_and_forks_that_never_stop_end_up_in_the_group(self):
        found = guest("""
            service transcode /system.slice/transcode.service 4 storm
            bh apply apply --yes examples/bulk-throttled.json
            sleep 0.3
            elsewhere=0
            for group in /proc/$pid/task/*/cpu_resctrl_groups; do
                grep -q '^res:bulkhead.bulk$' $group 2> /dev/null || [ ! -e $group ] || elsewhere=$((elsewhere + 1))
            done
            part elsewhere echo $elsewhere
            part children sh -c 'for p in $(cat /sys/fs/cgroup/system.slice/transcode.service/cgroup.procs); do
                grep res: /proc/$p/cpu_resctrl_groups 2> /dev/null; done | sort -u'
            bh verify verify
            bh reset reset --yes
            bh again reset --yes
        """, SMALL)
        self.assertEqual(found["apply"].status, 0, found["apply"].text)
        self.assertEqual(found["elsewhere"].text, "0\n")
        self.assertEqual(found["children"].text, "res:bulkhead.bulk\n")
        self.assertEqual(found["verify"].status, 0, found["verify"].text)
        self.assertEqual(found["again"].text, "already as before the first apply: nothing was written\n")

    def test_what_appears_later_waits_and_is_taken_in(self):
        found = guest("""
            bh apply apply --yes examples/bulk-throttled.json
            bh verify verify
            service transcode /system.slice/transcode.service 3
            bh drift verify
            bh again apply --yes examples/bulk-throttled.json
            part tasks sh -c "wc -l < $R/bulkhead.bulk/tasks"
            bh holds verify
        """, SMALL)
        self.assertIn("  - bulk: nothing that it selects is there now\n", found["apply"].text)
        self.assertEqual(found["verify"].lines[-1], "bulk is waiting: nothing that it selects is there now")
        self.assertEqual((found["verify"].status, found["drift"].status, found["holds"].status), (0, 4, 0))
        self.assertEqual(found["tasks"].text, "3\n")


class Ownership(unittest.TestCase):
    def test_no_lock_is_left_after_kill_9_and_a_restart_adopts(self):
        found = guest(f"""
            world
            with_fault kill 20 apply --yes {OWNER} || true
            part free /usr/bin/flock -n $R true
            bh recovered status
            bh apply apply --yes {OWNER}
            bh adopted apply --yes {OWNER}
        """, SMALL, ["/usr/bin/flock"])
        self.assertEqual(found["free"].status, 0)
        self.assertEqual(found["recovered"].lines, ["bulkhead: the interrupted apply of owner was undone (20 steps)",
                                                    "no policy is in force"])
        self.assertEqual(found["adopted"].lines[-1], "already as planned: nothing was written")

    def test_orphan_groups_of_ours_are_collected_and_others_stay(self):
        found = guest("""
            world
            mkdir $R/mon_groups/bulkhead.gone $R/bulkhead.old
            bh apply apply --yes examples/bulk-throttled.json
            part groups sh -c "cd $R; ls -d */ mon_groups/*"
            part foreign sh -c "cat $R/theirs/tasks | wc -l"
        """, SMALL)
        self.assertEqual(found["apply"].status, 0, found["apply"].text)
        self.assertEqual(found["groups"].lines, ["bulkhead.bulk/", "info/", "mon_data/", "mon_groups/",
                                                 "mon_groups/theirs-too", "theirs/"])
        self.assertEqual(found["foreign"].text, "1\n")

    def test_counting_changes_no_allocation(self):
        found = guest("""
            world
            bh apply apply --yes examples/gen13/no-isolation.json
            part groups sh -c "cat /proc/$(pidof proxy)/cpu_resctrl_groups"
            bh reset reset --yes
            save after
            part changed compare before after
        """, SMALL)
        self.assertEqual(found["groups"].lines, ["res:/", "mon:bulkhead.proxy"])
        self.assertEqual(found["changed"].text, "")

    def test_signals_undo_what_was_begun(self):
        found = guest(f"""
            world
            for signal in 2 15 1; do
                status=0
                with_fault $signal 12 apply --yes {OWNER} || status=$?
                part "$signal said"
                grep "^bulkhead: " /run/said
                echo "#= $status"
                save after
                part "$signal changed" compare before after
                part "$signal left" left_over
            done
        """, SMALL)
        for signal, name in (2, "SIGINT"), (15, "SIGTERM"), (1, "SIGHUP"):
            with self.subTest(signal=name):
                # It ends by the signal, once all is undone.
                self.assertEqual(found[f"{signal} said"].status, 128 + signal)
                self.assertRegex(found[f"{signal} said"].lines[-1],
                                 rf"^bulkhead: interrupted by {name}, while doing step \d+ of 20 \(.*\), while applying; "
                                 r"everything was undone, the host is as before$")
                self.assertEqual(found[f"{signal} changed"].text, "")
                self.assertEqual(found[f"{signal} left"].text, "")


class AskedAndEffective(unittest.TestCase):
    def test_rounding_of_intels_bandwidth_is_planned(self):
        found = guest("""
            service nginx /system.slice/nginx.service 1
            bh apply apply --yes examples/xeon-two-services.json
            part schemata cat $R/bulkhead.web/schemata
        """, "intel-2socket")
        self.assertIn("35%", found["apply"].text)
        self.assertIn("40%", found["apply"].text)
        self.assertEqual(found["schemata"].lines[0], "    MB:0=100;1= 40")


class Topology(unittest.TestCase):
    def test_a_cpu_that_goes_and_comes_back(self):
        found = guest(f"""
            world
            bh apply apply --yes {OWNER}
            echo 0 > /sys/devices/system/cpu/cpu6/online
            bh "without it" apply --yes {OWNER}
            bh "holds without it" verify
            echo 1 > /sys/devices/system/cpu/cpu6/online
            bh "with it" apply --yes {OWNER}
            bh "holds with it" verify
            bh reset reset --yes
        """, SMALL)
        for name in "apply", "without it", "holds without it", "with it", "holds with it", "reset":
            self.assertEqual(found[name].status, 0, f"{name}: {found[name].text}")


if __name__ == "__main__":
    unittest.main()
