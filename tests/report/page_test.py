# SPDX-License-Identifier: Apache-2.0
"""The page of a report draws itself in a DOM without a browser; what it shows is the result, and nothing breaks out of
it. chromium_test.py is the same in a browser.

    page_test.py REPORT-SAMPLES        Needs Node, and Debian's node-domino.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import page_check

SAMPLES = sys.argv[1]
HERE = Path(__file__).resolve().parent


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([SAMPLES, cls.folder.name], check=True, timeout=60)

    def draw(self, name):
        page = Path(self.folder.name) / f"{name}.html"
        done = subprocess.run(["node", HERE / "draw_page.js", page], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout, json.loads((Path(self.folder.name) / f"{name}.json").read_text())

    def test_shows_what_is_in_the_result(self):
        for name in ("plain", "every-kind", "search", "hostile", "open"):
            with self.subTest(name):
                page, result = self.draw(name)
                self.assertEqual(list(page_check.problems(page, result)), [])

    def test_a_wrong_number_on_it_is_found(self):
        page, result = self.draw("plain")
        result["candidates"][0]["estimates"][0]["change"] += 0.001
        self.assertEqual(len(list(page_check.problems(page, result))), 2)

    def test_loads_nothing(self):
        for name in ("plain", "hostile"):
            text = (Path(self.folder.name) / f"{name}.html").read_text()
            head = text.split("<style>")[0]
            self.assertIn("default-src 'none'", head)
            markup = text.split('<script type="application/json"')[0]
            for mark in (" src=", "<link", "@import", "url("):
                self.assertNotIn(mark, markup)
            self.assertEqual(text.count("</script"), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
