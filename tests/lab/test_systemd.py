"""bulkhead where systemd is the first process and owns the cgroups: limits are properties of units."""

import re
import unittest

from bulkhead_lab import guest

HOST = "systemd"
OWNER = "tests/lab/policies/owner.json"
HOLDS = "owner holds: 2 groups on 2 CCDs, 4 cpusets, 10 threads of 4 services"
DROP_INS = "/run/systemd/system.control/{}.service.d/50-Allowed{}.conf"


def systemd_guest(script, files=()):
    return guest(". tests/lab/systemd_lab.sh\nsystemd_world\n" + script, HOST, ["tests/lab/systemd_lab.sh", *files],
                 timeout=600)


class Life(unittest.TestCase):
    """A policy from its first apply to the reset, while services come and go."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.found = systemd_guest(f"""
            part running systemctl is-system-running
            part apply apply {OWNER}
            for name in proxy database cron; do part "limits $name" allowed $name.service; done
            part "limits init" allowed init.scope
            part proxy effective proxy.slice/proxy.service
            for name in system.slice/database.service system.slice/dbus.service init.scope; do
                part "$name" effective $name
            done
            bh verify verify
            part files files
            save applied

            files > /run/files
            part again apply {OWNER}
            files > /run/files-again
            part written diff /run/files /run/files-again

            systemctl daemon-reload
            systemctl daemon-reexec
            save after
            part "reload changed" compare applied after
            bh "verify after reload" verify

            systemctl restart proxy database
            part "proxy restarted" effective proxy.slice/proxy.service
            part "database restarted" effective system.slice/database.service
            part "verify restarted" bulkhead verify
            part "apply restarted" apply {OWNER}
            bh "verify applied again" verify

            systemctl stop proxy cron
            part "apply stopped" apply {OWNER}
            bh "verify stopped" verify
            part "limits while stopped" allowed proxy.service
            systemctl start proxy
            part "proxy started" effective proxy.slice/proxy.service

            echo 0-1 > $C/proxy.slice/proxy.service/cpuset.cpus
            part drift bulkhead verify
            part mend apply {OWNER}
            part mended effective proxy.slice/proxy.service

            systemctl stop database
            bh reset reset --yes
            save after
            systemctl start database cron
            save end
            part "stopped lifted" allowed database.service
            part changed compare before end
            part left left_over
        """)

    def said(self, name, *lines, status=0):
        self.assertEqual((self.found[name].status, self.found[name].lines), (status, list(lines)))

    def test_limits_are_properties(self):
        self.said("running", "running")
        self.assertEqual(self.found["apply"].status, 0, self.found["apply"].text)
        self.said("limits proxy", "0-3 0")
        self.said("limits database", "4-7")
        self.said("limits init", "4-7")
        self.said("proxy", "0-3", "0")
        for name in "system.slice/database.service", "system.slice/dbus.service", "init.scope":
            self.said(name, "4-7", "0-1")
        self.said("verify", HOLDS)

    def test_systemd_keeps_a_file_for_each_limit_and_no_other(self):
        names = [re.sub(r"^ *\d+ ", "", line) for line in self.found["files"].lines]
        self.assertEqual(names, [
            *(DROP_INS.format(name, "CPUs") for name in ("cron", "database", "dbus", "lab", "proxy")),
            DROP_INS.format("proxy", "MemoryNodes"),
            "/run/systemd/transient/init.scope.d/50-AllowedCPUs.conf"])

    def test_a_second_apply_tells_systemd_nothing(self):
        self.said("again", "already as planned: nothing to do", "already as planned: nothing was written")
        self.said("written")

    def test_limits_outlive_reload_and_reexec(self):
        self.said("reload changed")
        self.said("verify after reload", HOLDS)

    def test_a_restarted_service_is_confined_at_once(self):
        self.said("proxy restarted", "0-3", "0")
        self.said("database restarted", "4-7", "0-1")

    def test_its_threads_are_in_their_group_after_an_apply(self):
        found = self.found["verify restarted"]
        self.assertEqual((found.status, found.lines[0]), (4, "owner does not hold: 1 finding"))
        self.assertRegex(" ".join(found.text.split()),
                         r"threads \d+, \d+, \d+ of database in the wrong group: expected group "
                         r"bulkhead.bulk/mon_groups/bulkhead.database, found the default group$")
        self.said("apply restarted", "changes", "  1  bulkhead.bulk/mon_groups/bulkhead.database: move in 3 threads",
                  "", "owner is in force: 1 step, generation 2")
        self.said("verify applied again", HOLDS)

    def test_a_stopped_service_keeps_its_limits(self):
        self.assertEqual(self.found["apply stopped"].status, 0)
        self.assertNotRegex(self.found["apply stopped"].text, "proxy.service|cron.service")
        self.assertEqual(self.found["verify stopped"].status, 0, self.found["verify stopped"].text)
        self.said("limits while stopped", "0-3 0")
        self.said("proxy started", "0-3", "0")

    def test_what_was_written_past_systemd_is_mended(self):
        self.assertEqual(self.found["drift"].status, 4)
        self.assertIn("  - effective CPUs of cgroup /proxy.slice/proxy.service: expected 0-3, found 0-1",
                      self.found["drift"].lines)
        self.assertEqual(self.found["mend"].status, 0, self.found["mend"].text)
        self.said("mended", "0-3", "0")

    def test_reset_leaves_nothing(self):
        self.assertEqual(self.found["reset"].status, 0, self.found["reset"].text)
        self.said("stopped lifted", "")
        self.said("changed")
        self.said("left")


class Daemon(unittest.TestCase):
    """bulkheadd by its own unit files."""

    @classmethod
    def setUpClass(cls):
        cls.found = systemd_guest(f"""
            cp systemd/sys-fs-resctrl.mount systemd/bulkheadd.socket /run/systemd/system/
            # It may have been built in /tmp, of which the service sees nothing.
            mkdir /run/programs
            cp "$(command -v bulkheadd)" /run/programs
            sed "s|@CMAKE_INSTALL_FULL_BINDIR@|/run/programs|" systemd/bulkheadd.service > /run/systemd/system/bulkheadd.service
            mkdir /run/systemd/system/bulkheadd.service.d
            printf '[Service]\nStandardError=append:/run/said-by-daemon\n' > /run/systemd/system/bulkheadd.service.d/said.conf
            echo "bulkhead:x:990:" >> /etc/group
            active() {{ systemctl is-active -q bulkheadd.service; }}
            systemctl daemon-reload
            systemctl start bulkheadd.socket
            part "before a caller" systemctl is-active bulkheadd.service
            bh status status
            part "started by it" systemctl is-active bulkheadd.service
            part apply apply {OWNER}
            part proxy effective proxy.slice/proxy.service
            systemctl restart proxy database
            await bulkhead verify
            bh "services restarted" verify

            systemctl kill -s KILL bulkheadd.service
            part "while it is gone" effective proxy.slice/proxy.service
            bh "killed" verify
            part restarts systemctl show -p NRestarts --value bulkheadd.service
            await active
            # systemd remarks on files that it has written itself, for the limits of this unit.
            part reload sh -c "systemctl reload bulkheadd.service 2> /dev/null"
            part "after reload" systemctl show -p ActiveState --value bulkheadd.service

            systemctl stop bulkheadd.socket bulkheadd.service
            part "stopped" effective proxy.slice/proxy.service
            systemctl start bulkheadd.service
            bh "started again" verify
            bh reset reset --yes
            systemctl stop bulkheadd.socket bulkheadd.service
            part said cat /run/said-by-daemon
            rm -r /run/programs /run/systemd/system/bulkheadd.* /run/systemd/system/sys-fs-resctrl.mount
            systemctl daemon-reload
            save after
            part changed compare before after
        """, ["systemd"])

    def said(self, name, *lines, status=0):
        self.assertEqual((self.found[name].status, self.found[name].lines), (status, list(lines)))

    def test_a_caller_starts_it(self):
        self.said("before a caller", "inactive", status=3)
        self.said("status", "no policy is in force")
        self.said("started by it", "active")

    def test_restarted_services_are_in_their_groups_without_an_apply(self):
        self.assertEqual(self.found["apply"].status, 0, self.found["apply"].text)
        self.said("proxy", "0-3", "0")
        self.said("services restarted", HOLDS)

    def test_isolation_outlives_it(self):
        for name in "while it is gone", "stopped":
            self.said(name, "0-3", "0")
        for name in "killed", "started again":
            self.said(name, HOLDS)

    def test_it_is_started_again_and_reloads(self):
        self.assertEqual(self.found["restarts"].text, "1\n", self.found["said"].text)
        self.said("reload")
        self.said("after reload", "active")

    def test_reset_leaves_nothing(self):
        self.assertEqual(self.found["reset"].status, 0, self.found["reset"].text)
        self.said("changed")


if __name__ == "__main__":
    unittest.main()
