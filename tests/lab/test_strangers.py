"""What other programs hold or do stands in the way: refused before anything is written, or undone, and what they
have stays theirs."""

import unittest

from bulkhead_lab import SMALL, guest

UNDONE = "while applying; everything was undone, the host is as before"


class ExclusiveGroup(unittest.TestCase):
    """A group of mode exclusive holds three ways, a shareable one holds another."""

    @classmethod
    def setUpClass(cls):
        cls.found = guest("""
            world
            mkdir $R/vault
            echo "L3:0=fff;1=fff" > $R/schemata
            echo "L3:0=7000;1=7000" > $R/vault/schemata
            echo exclusive > $R/vault/mode
            policy fixed '"l3": {"mask": "0x7000"}'
            policy much '"l3": {"ways": 13}, "l3_exclusive": true'
            policy shared '"l3": {"ways": 14}'
            policy fits '"l3": {"ways": 4}, "l3_exclusive": true'
            save before
            for asked in fixed much shared; do
                bh "plan $asked" plan /run/$asked.json
                bh $asked apply --yes /run/$asked.json
            done
            save after
            part changed compare before after
            bh fits apply --yes /run/fits.json
            part mask grep -H L3 $R/bulkhead.proxy/schemata $R/vault/schemata
            part mode cat $R/vault/mode
            bh verify verify
            bh reset reset --yes
            save end
            part left compare before end
        """, SMALL)

    def test_what_it_holds_is_refused_and_named(self):
        holders = "the foreign group 'vault' holds mask 7000 exclusively"
        for name, message in {
                "fixed": "3:7: proxy wants mask 7000 of CCD 0, but the foreign group 'vault' holds 7000 of it "
                         "exclusively",
                "much": "3:7: proxy wants 13 of 16 ways of CCD 0 for itself, but at least 1 must be left to others, "
                        f"the foreign group 'theirs' holds mask 8000 and {holders}; at most 12 fit",
                "shared": f"3:7: proxy wants 14 of 16 ways of CCD 0, but {holders}; at most 13 fit"}.items():
            with self.subTest(policy=name):
                for said in self.found[f"plan {name}"], self.found[name]:
                    self.assertEqual((said.status, said.text), (3, f"bulkhead: /run/{name}.json:{message}\n"))
        self.assertEqual(self.found["changed"].text, "")

    def test_beside_it_a_policy_fits(self):
        for name in "fits", "verify", "reset":
            self.assertEqual(self.found[name].status, 0, self.found[name].text)
        self.assertEqual(self.found["mask"].lines, [
            "/sys/fs/resctrl/bulkhead.proxy/schemata:    L3:0=000f;1=000f",
            "/sys/fs/resctrl/vault/schemata:    L3:0=7000;1=7000"])
        self.assertEqual(self.found["mode"].text, "exclusive\n")
        self.assertEqual(self.found["left"].text, "")


class Partition(unittest.TestCase):
    def test_of_others_is_not_taken(self):
        found = guest("""
            echo +cpuset > $C/cgroup.subtree_control
            service theirs /theirs 1
            service proxy /proxy.service 2
            echo 2-3 > $C/theirs/cpuset.cpus
            echo root > $C/theirs/cpuset.cpus.partition
            part theirs cat $C/theirs/cpuset.cpus.partition
            policy wants '"cpus": {"cpus": "2-3"}, "exclusive_cpus": true, "partition": "root"'
            save before
            bh plan plan /run/wants.json
            bh apply apply --yes /run/wants.json
            save after
            part changed compare before after
            part left left_over
        """, SMALL)
        self.assertEqual(found["theirs"].text, "root\n")
        for name in "plan", "apply":
            self.assertEqual((found[name].status, found[name].text),
                             (3, "bulkhead: cgroup /theirs is confined to CPUs 2-3, which are proxy's alone, by another "
                                 "program: let it have some of 0-1,4-7, which others have, or remove its cpuset.cpus\n"))
        self.assertEqual((found["changed"].text, found["left"].text), ("", ""))


class WhileApplying(unittest.TestCase):
    """Something is in order when bulkhead plans, and no longer when it gets there."""

    def test_the_kernel_refuses_and_all_is_undone(self):
        found = guest("""
            service proxy /proxy.service 3
            save before
            after() {
                save after
                part "$1 changed" compare before after
                part "$1 left" left_over
            }
            policy share '"l3": {"ways": 4}'
            policy partition '"cpus": {"cpus": "2-3"}, "exclusive_cpus": true, "partition": "root"'
            bh plan plan /run/share.json

            meanwhile closids bulkhead. share 'i=0; while mkdir $R/p$i 2> /dev/null; do i=$((i + 1)); done'
            rmdir $R/p*
            after closids

            meanwhile exclusive L3: share '
                for group in . bulkhead.proxy; do echo "L3:0=fff0;1=fff0" > $R/$group/schemata; done
                mkdir $R/vault
                echo "L3:0=f;1=f" > $R/vault/schemata
                echo exclusive > $R/vault/mode'
            part vault cat $R/vault/mode
            rmdir $R/vault
            echo "L3:0=ffff;1=ffff" > $R/schemata
            after exclusive

            meanwhile partition root partition 'mkdir $C/late; echo 2 > $C/late/cpuset.cpus'
            rmdir $C/late
            after partition

            meanwhile gone L3: share 'rmdir $R/bulkhead.proxy'
            after gone

        """, SMALL)
        self.assertEqual(found["plan"].status, 0)
        schemata = "'L3:0=f;1=f MB:0=2048;1=2048'"
        step_2 = f"while doing step 2 of 3 (bulkhead.proxy: schemata {schemata[1:-1]} (was nothing)), "
        for name, message in {
                "closids": "cannot make the directory (/sys/fs/resctrl/bulkhead.proxy: No space left on device; the "
                           "kernel says: Out of CLOSIDs), while doing step 1 of 3 (make group bulkhead.proxy), ",
                "exclusive": f"cannot write {schemata} (/sys/fs/resctrl/bulkhead.proxy/schemata: Invalid argument; the "
                             f"kernel says: Overlaps with exclusive group), {step_2}",
                "partition": "the kernel takes partition 'root' of /proxy.service but calls it invalid "
                             "(/sys/fs/cgroup/proxy.service/cpuset.cpus.partition; the kernel says: Cpu list in "
                             "cpuset.cpus not exclusive), while doing step 6 of 8 (/proxy.service: partition root "
                             "(was member)), ",
                "gone": f"cannot write {schemata}: bulkhead.proxy was removed by another program meanwhile "
                        f"(/sys/fs/resctrl/bulkhead.proxy/schemata: No such device), {step_2}"}.items():
            with self.subTest(meanwhile=name):
                self.assertEqual((found[name].status, found[name].text), (1, f"bulkhead: {message}{UNDONE}\n"))
                self.assertEqual((found[f"{name} changed"].text, found[f"{name} left"].text), ("", ""))
        self.assertEqual(found["vault"].text, "exclusive\n")

    def test_a_service_that_ends_is_no_failure(self):
        found = guest("""
            service proxy /proxy.service 3
            policy share '"l3": {"ways": 4}'
            meanwhile ends L3: share 'kill -9 $pid; await sh -c "! kill -0 $pid"'
            part tasks cat $R/bulkhead.proxy/tasks
            bh verify verify
        """, SMALL)
        self.assertEqual((found["ends"].status, found["tasks"].text), (0, ""))
        self.assertEqual((found["verify"].status, found["verify"].lines[-1]),
                         (0, "share holds: 1 group on 2 CCDs, 0 cpusets, 0 threads of 1 service"))


if __name__ == "__main__":
    unittest.main()
