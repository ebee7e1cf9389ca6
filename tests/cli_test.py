#!/usr/bin/python3
"""Runs the built program: exit statuses, usage errors, where output goes. argv: the program."""

import json
import os
import pty
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

PROGRAM = ""
POLICY = '{"bulkhead": 1, "name": "p", "services": {"web": {"select": {"unit": "web.service"}, "cpus": {"nodes": "0"}}}}'
MACHINE = "lab-amd-12ccd-nps2"
EXPERIMENT = """{"experiment": 1, "name": "x", "control": "a", "primary": "cpu",
 "arms": {"a": {            "policy": "good.json"},
          "b": {"policy": "good.json", "on_enter": {"command": ["true"]}}},
 "metrics": {"cpu": {"counter": "cpu_time", "service": "web", "better": "lower"}}}
"""


def run(*arguments, stdin="", **options):
    environment = {"PATH": os.environ["PATH"], "LANG": "C"} | options.pop("env", {})
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, env=environment,
                          timeout=120, **options)


def on_terminal(columns, *arguments, stdin=""):
    """What a person sees at a terminal of so many columns, without colours."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (50, columns))
    with subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=its, stderr=its, text=True,
                          env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1"}) as program:
        os.close(its)
        program.stdin.write(stdin)
        program.stdin.close()
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # how a terminal says that the program is gone
            pass
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


class CommandLine(unittest.TestCase):
    def test_help_and_version_go_to_standard_output(self):
        for words in (["--help"], ["plan", "--help"], ["help"], ["help", "plan"], ["--version"]):
            done = run(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertTrue(done.stdout.startswith(("usage: bulkhead ", "bulkhead 0.")), words)

    def test_no_verb_is_a_usage_error(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith("usage: bulkhead VERB"))

    def test_wrong_verbs_and_options_end_with_2(self):
        self.check(["pln"], 2, "bulkhead: there is no verb 'pln': did you mean 'plan'?\n")
        self.check(["plan", "--machin=x", "p"], 2,
                   "bulkhead: plan has no option '--machin': did you mean --machine?\n")
        self.check(["plan"], 2, "bulkhead: plan needs FILE; see 'bulkhead plan --help'\n")

    def test_help_as_json_has_every_verb_with_its_options(self):
        verbs = {verb["name"]: verb for verb in json.loads(run("help", "--json").stdout)["verbs"]}
        self.assertEqual(list(verbs), ["doctor", "topology", "check", "plan", "apply", "verify", "watch", "status", "reset",
                                       "experiment", "help"])
        for verb in verbs.values():
            self.assertIn("json", [option["name"] for option in verb["options"]])
        self.assertEqual(run("--help", "--json").stdout, run("help", "--json").stdout)
        self.assertEqual(run("--json", "--help").stdout, run("help", "--json").stdout)

    def test_help_of_a_verb_as_json_is_of_that_verb(self):
        for words in (["help", "plan", "--json"], ["plan", "--help", "--json"], ["--json", "plan", "--help"]):
            done = run(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertEqual([verb["name"] for verb in json.loads(done.stdout)["verbs"]], ["plan"], words)
        done = run("help", "pln", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["error"]["message"], "there is no verb 'pln': did you mean 'plan'?")

    def test_the_version_as_json(self):
        version = run("--version").stdout.split()[1]
        for words in (["--version", "--json"], ["--json", "--version"]):
            self.assertEqual(json.loads(run(*words).stdout), {"version": version})

    def test_errors_are_json_where_json_is_wanted(self):
        done = run("pln", "--json")
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "usage")

    def test_apply_and_reset_refuse_where_nobody_can_be_asked(self):
        self.check(["apply", "p.json"], 2, "bulkhead: apply asks before it changes anything, but standard input is no "
                                           "terminal: pass --yes\n")
        self.check(["reset", "--color=never"], 2, "bulkhead: reset asks before it changes anything, but standard input "
                                                  "is no terminal: pass --yes\n")
        done = run("reset", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["error"]["message"], "reset --json does not ask: pass --yes as well")

    def check(self, words, status, told):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (status, "", told))


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.good = self.write("good.json", POLICY)
        self.bad = self.write("bad.json", POLICY.replace('"bulkhead": 1', '"bulkhead": 2').replace('"0"', '"x"'))

    def write(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return str(path)

    def test_valid_files_end_with_0(self):
        done = run("check", self.good, "-", stdin=POLICY)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{self.good}: valid\nstandard input: valid\n")

    def test_every_problem_of_every_file_is_told(self):
        done = run("check", self.bad, self.good, self.bad)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[0].startswith(f"{self.bad}:1:14: /bulkhead: "))
        self.assertIn("/services/web/cpus/nodes: ", lines[1])

    def test_json_lists_them(self):
        done = run("check", "--json", self.bad, self.good)
        self.assertEqual(done.returncode, 3)
        result = json.loads(done.stdout)
        self.assertFalse(result["valid"])
        self.assertEqual([entry["valid"] for entry in result["files"]], [False, True])
        self.assertEqual([one["pointer"] for one in result["files"][0]["diagnostics"]],
                         ["/bulkhead", "/services/web/cpus/nodes"])

    def test_an_experiment_is_checked_with_its_policies(self):
        experiment = self.write("experiment.json", EXPERIMENT)
        done = run("check", experiment)
        self.assertEqual((done.returncode, done.stdout), (0, f"{experiment}: valid\n{self.good}: valid\n"))
        self.write("good.json", POLICY.replace('"web"', '"other"'))
        done = run("check", experiment)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout,
                         f"{experiment}:4:14: /metrics/cpu: the policy {self.good} has no service \"web\"\n{self.good}: valid\n")

    def test_arms_that_are_the_same_under_other_names_are_refused(self):
        itself = EXPERIMENT.replace(', "on_enter": {"command": ["true"]}', "")
        self.write("copy.json", POLICY)
        for other in ("./good.json", "../" + Path(self.folder.name).name + "/good.json", "copy.json"):
            experiment = self.write("experiment.json", itself.replace('"good.json"', f'"{other}"', 1))
            done = run("check", experiment)
            self.assertEqual((done.returncode, done.stdout.splitlines()[0]),
                             (3, f'{experiment}:3:11: /arms/b: the arm "a" is the same already; to compare one with itself, give either '
                                 'of them "on_enter": {"command": ["true"]}'))
            experiment = self.write("experiment.json", EXPERIMENT.replace('"good.json"', f'"{other}"', 1))
            self.assertEqual(run("check", experiment).returncode, 0)

    def test_a_wrong_policy_of_an_experiment_is_told_under_its_own_name(self):
        experiment = self.write("experiment.json", EXPERIMENT.replace("good.json", "bad.json"))
        done = run("check", "--json", experiment)
        self.assertEqual(done.returncode, 3)
        files = json.loads(done.stdout)["files"]
        self.assertEqual([(entry["file"], entry["valid"]) for entry in files], [(experiment, True), (self.bad, False)])

    def test_a_policy_of_an_experiment_that_is_not_there_is_told_where_it_is_named(self):
        experiment = self.write("experiment.json", EXPERIMENT.replace("good.json", "missing.json"))
        done = run("check", experiment)
        self.assertEqual(done.returncode, 3)
        missing = self.folder.name + "/missing.json"
        told = f"/policy: cannot open the file ({missing}: No such file or directory)\n"
        self.assertEqual(done.stdout, f"{experiment}:2:39: /arms/a{told}{experiment}:3:27: /arms/b{told}")

    def test_what_cannot_be_read_does_not_hide_the_rest(self):
        missing = self.folder.name + "/missing.json"
        done = run("check", missing, self.bad)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, f"bulkhead: cannot open the file ({missing}: No such file or directory)\n")
        self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_what_is_no_file_is_refused_at_once(self):
        pipe = self.folder.name + "/pipe"
        os.mkfifo(pipe)
        for path, kind in ((pipe, "a pipe"), (self.folder.name, "a directory"), ("/dev/zero", "a device")):
            told = f"bulkhead: this is {kind}, not a regular file, or - for standard input ({path})\n"
            for words in (["check", path], ["plan", path], ["apply", path, "--yes"]):
                done = run(*words)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "", told), words)
        done = run("check", "--json", pipe)
        self.assertEqual(json.loads(done.stdout)["files"][0]["error"]["code"], "invalid")

    def test_an_endless_standard_input_is_not_read_to_its_end(self):
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run([PROGRAM, "check", "-"], stdin=zeros, capture_output=True, text=True, check=False,
                                  timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.startswith("standard input:"), done.stdout[:200])

    def test_nothing_of_a_document_or_its_name_steers_the_terminal(self):
        hostile = "\x1b]0;owned\x07\u202e\u2066"
        path = self.write(f"{hostile}.json", POLICY.replace('"name"', f'"{hostile[-2:]}": 1, "name"'))
        for words in (["check", path], ["check", "--json", path], ["check", path + "x"], [hostile],
                      ["plan", path], ["topology", "--machine", hostile]):
            done = run(*words)
            said = done.stdout + done.stderr
            self.assertIn("\\u202e", said, words)
            self.assertFalse(set(hostile) & set("\x1b\x07\u202e\u2066") & set(said), words)


class Plan(unittest.TestCase):
    def test_a_plan_for_another_machine_needs_nothing_of_this_host(self):
        done = run("plan", "-", "--machine", MACHINE, stdin=POLICY)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("p on " + MACHINE))
        self.assertTrue(done.stdout.isascii())

    def test_json_is_one_document(self):
        done = run("plan", "-", "--json", "--machine", MACHINE, stdin=POLICY)
        self.assertEqual(json.loads(done.stdout)["policy"], "p")

    def test_what_the_machine_lacks_ends_with_3_at_its_place(self):
        done = run("plan", "-", "--machine", MACHINE, stdin=POLICY.replace('"0"', '"7"'))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertTrue(done.stderr.startswith("bulkhead: standard input:1:"), done.stderr)

    def test_all_problems_of_the_policy_are_told(self):
        wrong = POLICY.replace('"bulkhead": 1', '"bulkhead": 2').replace('"0"', '"x"')
        done = run("plan", "-", "--machine", MACHINE, stdin=wrong)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (3, "", 2))
        done = run("plan", "-", "--json", "--machine", MACHINE, stdin=wrong)
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["error"]["code"], len(result["diagnostics"])), (3, "invalid", 2))

    def test_an_unknown_machine_is_told(self):
        for words in (["plan", "-"], ["topology"]):
            done = run(*words, "--machine", "no-such-machine", stdin=POLICY)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith('bulkhead: there is no machine "no-such-machine"; there are '))
            self.assertEqual(len(done.stderr.splitlines()), 1)
        done = run("plan", "-", "--machine", "epyc-9965-nps9", stdin=POLICY)
        self.assertEqual(done.stderr, 'bulkhead: there is no machine "epyc-9965-nps9"; did you mean "epyc-9965-nps1"?\n')

    def test_a_machine_that_is_no_file_is_refused_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = folder + "/machine.json"
            os.mkfifo(pipe)
            for path, kind in ((pipe, "a pipe"), ("/dev/zero", "a device"), (folder + "/", "a directory")):
                done = run("topology", "--machine", path)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (3, "", f"bulkhead: this is {kind}, not a regular file ({path})\n"))


class Output(unittest.TestCase):
    def test_boxes_and_colours_only_where_they_are_wanted(self):
        plain = run("topology", "--machine", MACHINE)
        self.assertTrue(plain.stdout.isascii())
        self.assertNotIn("\x1b", plain.stdout)
        self.assertIn("╭", run("topology", "--machine", MACHINE, env={"LANG": "C.UTF-8"}).stdout)
        self.assertIn("\x1b[", run("topology", "--machine", MACHINE, "--color=always").stdout)
        self.assertIn("\x1b[", run("topology", "--machine", MACHINE, "--color=always", env={"NO_COLOR": "1"}).stdout)

    def into(self, sink, *words):
        """What is told where standard output cannot be written."""
        return subprocess.run(["sh", "-c", f'"$0" "$@" {sink}', PROGRAM, *words], stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=60)

    def test_output_that_cannot_be_written_is_an_error(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as policy:
            policy.write(POLICY)
            policy.flush()
            for words in (["help"], ["--version"], ["check", policy.name], ["plan", policy.name, "--machine", MACHINE],
                          ["topology", "--machine", MACHINE], ["doctor"]):
                for sink, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
                    for json_too in ([], ["--json"]):
                        done = self.into(sink, *words, *json_too)
                        self.assertEqual((done.returncode, done.stderr), (1, "bulkhead: the output could not be written "
                                                                             f"(standard output: {why})\n"), words)

    def test_an_error_whose_json_cannot_be_written_is_told_as_text(self):
        done = self.into(">/dev/full", "pln", "--json")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "bulkhead: the output could not be written (standard output: No space left on device)\n"
                             "bulkhead: there is no verb 'pln': did you mean 'plan'?\n"))

    def test_all_fits_the_terminal(self):
        for columns in (40, 80, 120):
            for words in (["topology", "--machine", MACHINE], ["plan", "-", "--machine", "epyc-9965-nps2"], ["--help"],
                          ["apply", "--help"], ["doctor"]):
                text = on_terminal(columns, *words, stdin=POLICY)
                self.assertEqual([line for line in text.splitlines() if len(line) > columns], [], words)
                self.assertNotEqual(text, "")
        self.assertIn("╭", on_terminal(40, "topology", "--machine", MACHINE))

    def test_columns_of_the_environment_count(self):
        text = run("topology", "--machine", MACHINE, env={"COLUMNS": "40"}).stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 40)
        text = run("topology", "--machine", MACHINE).stdout
        self.assertGreater(max(map(len, text.splitlines())), 60)

    def test_a_reader_that_goes_away_ends_it_quietly(self):
        done = subprocess.run(["bash", "-c", '"$0" help | true; echo ${PIPESTATUS[0]}', PROGRAM], capture_output=True,
                              text=True, check=False)
        self.assertIn(done.stdout.strip(), ("0", "1"))
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
