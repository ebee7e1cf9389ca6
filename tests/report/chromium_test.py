# SPDX-License-Identifier: Apache-2.0
"""The page of a report in headless Chromium: rendered without an error on the console, with the values of the result.
The pictures (light, dark, narrow, and A4) are left in REPORT_PICTURES, if that is set, to be looked at.

    chromium_test.py REPORT-SAMPLES CHROMIUM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import page_check

SAMPLES, CHROMIUM = sys.argv[1:3]
LOOKS = {"light": ["--window-size=1200,3700"], "dark": ["--window-size=1200,3700", "--blink-settings=preferredColorScheme=0"],
         "narrow": ["--window-size=500,5200"]}


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.pictures = Path(os.environ.get("REPORT_PICTURES", cls.folder.name))
        subprocess.run([SAMPLES, cls.folder.name], check=True, timeout=60)

    def browse(self, name, *options):
        page = Path(self.folder.name) / f"{name}.html"
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               "--enable-logging=stderr", *options, page.as_uri()], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        return done.stdout

    def test_shows_what_is_in_the_result(self):
        for name in ("plain", "every-kind", "search", "hostile", "open"):
            with self.subTest(name):
                result = json.loads((Path(self.folder.name) / f"{name}.json").read_text())
                self.assertEqual(list(page_check.problems(self.browse(name, "--dump-dom"), result)), [])

    def test_has_a_look_for_each_screen_and_for_paper(self):
        sizes = {}
        for look, options in LOOKS.items():
            picture = self.pictures / f"every-kind-{look}.png"
            self.browse("every-kind", f"--screenshot={picture}", *options)
            sizes[look] = picture.read_bytes()
        self.assertEqual(len(set(sizes.values())), len(LOOKS))
        paper = self.pictures / "every-kind.pdf"
        self.browse("every-kind", "--no-pdf-header-footer", f"--print-to-pdf={paper}")
        self.assertGreater(paper.stat().st_size, 20_000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
