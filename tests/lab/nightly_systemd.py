"""Where systemd owns the cgroups: bulkhead is killed, runs in the daemon's sandbox, units are confined by others or
absent; self-test --nightly."""

import unittest

from test_systemd import HOLDS, OWNER, systemd_guest


class Killed(unittest.TestCase):
    """Among the limits that systemd is told, before unit files are read again, and after all of them."""
    APPLY = {"the first limit": "SetUnitProperties", "the fourth limit": "SetUnitProperties 4", "the group": "0-3"}
    RESET = {"the second limit": "SetUnitProperties 2", "unit files are read again": "Reload"}

    def rounds(self, places, verb):
        """A script that has bulkhead killed just before each of these calls, and the next start undo it."""
        script = ""
        for name, call in places.items():
            text, _, at = call.partition(" ")
            script += f"""
                status=0
                FAULT_ON={text} with_fault kill {at or 1} {verb} || status=$?
                part "{name} killed" echo $status
                bh "{name} status" status
                save after
                part "{name} changed" compare before after
                part "{name} left" left_over
            """
        return script

    def test_apply_and_reset(self):
        found = systemd_guest(self.rounds(self.APPLY, f"apply --yes {OWNER}") + f"""
            bulkhead apply --yes {OWNER} > /dev/null 2>&1
            save before
        """ + self.rounds(self.RESET, "reset --yes").replace("left_over", "echo"))
        for name in {**self.APPLY, **self.RESET}:
            with self.subTest(killed_before=name):
                said = found[f"{name} status"]
                undone = "apply of owner" if name in self.APPLY else "reset"
                self.assertEqual(found[f"{name} killed"].text, "137\n")
                self.assertRegex(said.lines[0], rf"^bulkhead: the interrupted {undone} was undone \(\d+ steps\)$")
                self.assertEqual(found[f"{name} changed"].text, "")
                self.assertEqual(found[f"{name} left"].text.strip(), "")
                self.assertIn("no policy is in force" if name in self.APPLY else "drift     none", said.lines)


class Sandbox(unittest.TestCase):
    """What the daemon's unit file leaves to it is enough, tried with the command line: it does the same things."""

    def test_a_policys_whole_life(self):
        found = systemd_guest(f"""
            cp systemd/sys-fs-resctrl.mount /run/systemd/system/
            sandboxed() {{ # NAME ARGUMENTS...
                name=$1
                shift
                sed -e "s|^ExecStart=.*|ExecStart=$(command -v bulkhead) $*|" -e 's/^Type=.*/Type=oneshot/' \
                    -e '/^Restart/d' -e '/^WatchdogSec/d' -e '/^Requires/d' systemd/bulkheadd.service > /run/systemd/system/sandboxed.service
                printf '[Service]\nWorkingDirectory=%s\nStandardOutput=truncate:/run/said\nStandardError=inherit\n' "$PWD" \
                    >> /run/systemd/system/sandboxed.service
                systemctl daemon-reload
                part "$name" systemctl start sandboxed.service
                part "$name said" cat /run/said
            }}
            sandboxed apply apply --yes {OWNER}
            part proxy effective proxy.slice/proxy.service
            bh verify verify
            sandboxed verified verify
            sandboxed reset reset --yes
            rm /run/systemd/system/sandboxed.service /run/systemd/system/sys-fs-resctrl.mount
            systemctl daemon-reload
            save after
            part changed compare before after
        """, ["systemd"])
        for name in "apply", "verify", "verified", "reset":
            with self.subTest(name):
                said = found.get(f"{name} said", found[name]).text
                self.assertEqual(found[name].status, 0, found[name].text + said)
                self.assertNotIn("systemd keeps files", said)
        self.assertEqual(found["proxy"].lines, ["0-3", "0"])
        self.assertEqual(found["verified said"].text, HOLDS + "\n")
        self.assertEqual(found["changed"].text, "")


class Confined(unittest.TestCase):
    def test_what_a_unit_file_confines_is_narrowed_and_given_back(self):
        found = systemd_guest(f"""
            unit own system.slice 1 AllowedCPUs=2-5
            systemctl daemon-reload
            systemctl start own
            save before
            part apply apply {OWNER}
            part limits allowed own.service
            bh reset reset --yes
            part after allowed own.service
            save after
            part changed compare before after
        """)
        for name in "apply", "reset":
            self.assertEqual(found[name].status, 0, found[name].text)
        self.assertEqual((found["limits"].text, found["after"].text), ("4-5\n", "2-5\n"))
        # Its limit keeps cpuset there, where kernels up to 6.12 do not let the ones beside it be emptied.
        self.assertRegex(found["changed"].text, r"\A--- .*\n\+\+\+ .*\n([-+]\./[\w./]*/cpuset.cpus:(0-7)?\n)*\Z")


class Absent(unittest.TestCase):
    def test_units_that_cannot_run_are_waited_for(self):
        found = systemd_guest("""
            policy absent '"cpus": {"nodes": "0"}'
            systemctl stop proxy
            rm /run/systemd/system/proxy.service
            systemctl daemon-reload
            save before
            bh unknown apply --yes /run/absent.json
            systemctl mask --runtime proxy.service
            bh masked apply --yes /run/absent.json
            bh verify verify
            bh reset reset --yes
            systemctl unmask --runtime proxy.service
            save after
            part changed compare before after
        """)
        for name in "unknown", "masked":
            self.assertEqual(found[name].status, 0, found[name].text)
            self.assertIn("  - proxy: nothing that it selects is there now", found[name].lines)
            self.assertNotIn("AllowedCPUs", found[name].text)
        self.assertEqual((found["verify"].status, found["verify"].lines), (
            0, ["absent holds: 1 group on 2 CCDs, 1 cpuset, 0 threads of 1 service",
                "proxy is waiting: nothing that it selects is there now"]))
        self.assertEqual((found["reset"].status, found["changed"].text), (0, ""))


if __name__ == "__main__":
    unittest.main()
