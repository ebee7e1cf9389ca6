# SPDX-License-Identifier: Apache-2.0
"""What a page shows, once it has drawn itself, against the result from which it has drawn."""

import html.parser

MINUS, NONE = "\u2212", "\u2013"
ENDS = {"low": MINUS + "\u221e", "high": "+\u221e"}
CHANGES = ("change", "low", "high", "second_low", "second_high", "detectable")
VERDICTS = {"adopt": "Adopt", "reject": "Reject", "inconclusive": "Inconclusive", "failed_safe": "Failed safe",
            "invalid": "Invalid", "open": "Open"}


class Shown(html.parser.HTMLParser):
    """The texts of all elements that say which value they show, and how many of each element there are."""

    def __init__(self, text):
        super().__init__()
        self.values, self.count, self.ids, self.open = {}, {}, {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag in ("meta", "img", "link", "br", "input"):
            return
        self.open.append((tag, attributes.get("data-of"), attributes.get("id"), []))

    def handle_data(self, data):
        for entry in self.open:
            entry[3].append(data)

    def handle_endtag(self, tag):
        while self.open:
            name, of, identity, parts = self.open.pop()
            text = "".join(parts)
            if of:
                self.values.setdefault(of, []).append(text)
            if identity:
                self.ids[identity] = text
            if name == tag:
                break


def change(relative):
    percent = relative * 100
    if abs(percent) < 0.005:
        return "+0\u00a0%"
    digits = 2 if abs(percent) < 0.995 else 1 if abs(percent) < 99.95 else 0
    return f"{percent:+.{digits}f}\u00a0%".replace("-", MINUS)


def estimate_problems(shown, pointer, estimate, in_table):
    for key in CHANGES + ("e_value", "p_value"):
        value = estimate[key]
        for mark, none in (("", ENDS.get(key)), ("#", NONE)):
            drawn = key in ("change", "low", "high") and estimate["blocks"] > 0
            if (not mark and not drawn) or (mark and not in_table):
                continue
            texts = shown.values.get(f"{pointer}/{key}{mark}", [])
            if len(texts) != 1:
                yield f"{pointer}/{key}{mark} is shown {len(texts)} times"
            elif value is None or key in CHANGES:
                expected = none if value is None else change(value)
                if texts[0] != expected:
                    yield f"{pointer}/{key}{mark} is shown as {texts[0]!r}, not {expected!r}"
            elif float(texts[0].replace(MINUS, "-")) != float(f"{value:.4g}"):
                yield f"{pointer}/{key}{mark} is shown as {texts[0]!r}, but is {value}"


def search_problems(shown, search):
    if search["found"] not in shown.ids["search-lead"]:
        yield f"what was found is not named: {shown.ids['search-lead']!r}"
    for at, evaluation in enumerate(search["evaluations"]):
        expected = {"point": evaluation["point"], "change#": NONE, "latency#": NONE}
        if evaluation["change"] is not None:
            expected["change#"] = change(evaluation["change"])
            expected["latency#"] = f"{evaluation['latency']:.4g}"
        for key, text in expected.items():
            if shown.values.get(f"/search/evaluations/{at}/{key}") != [text]:
                yield f"/search/evaluations/{at}/{key} is shown as {shown.values.get(f'/search/evaluations/{at}/{key}')}, not {text!r}"
    measured = sum(one["change"] is not None for one in search["evaluations"])
    if shown.count.get("circle", 0) < measured:
        yield f"{shown.count.get('circle', 0)} marks for {measured} combinations"


def problems(page, result):
    shown = Shown(page)
    for key in ("name", "summary"):
        if shown.ids[key] != result[key]:
            yield f"the {key} is shown as {shown.ids[key]!r}"
    if shown.ids["verdict"] != (result["verdict"] or "No verdict yet."):
        yield f"the verdict is shown as {shown.ids['verdict']!r}"
    for at, candidate in enumerate(result["candidates"]):
        pointer = f"/candidates/{at}"
        for key in ("arm", "reason"):
            if shown.values.get(f"{pointer}/{key}") != [candidate[key]]:
                yield f"{pointer}/{key} is shown as {shown.values.get(f'{pointer}/{key}')}"
        if not shown.values[f"{pointer}/verdict"][0].endswith(VERDICTS[candidate["verdict"]]):
            yield f"{pointer}/verdict is shown as {shown.values[f'{pointer}/verdict']}"
        for index, estimate in enumerate(candidate["estimates"]):
            yield from estimate_problems(shown, f"{pointer}/estimates/{index}", estimate, True)
        for index, band in enumerate(candidate["bands"]):
            yield from estimate_problems(shown, f"{pointer}/bands/{index}/estimate", band["estimate"], False)
    for at, block in enumerate(result["blocks"]):
        if "dropped" in block and shown.values.get(f"/blocks/{at}/dropped") != [block["dropped"]]:
            yield f"/blocks/{at}/dropped is shown as {shown.values.get(f'/blocks/{at}/dropped')}"
    if "search" in result:
        yield from search_problems(shown, result["search"])
    act = "search" if "search" in result else "run"
    if str(result["seed"]) not in shown.ids["seed"] or shown.ids["command"] != f"bulkhead experiment {act} {result['file']}":
        yield f"to run it again: {shown.ids['command']!r}, {shown.ids['seed']!r}"
    if shown.count.get("img") or shown.count["script"] != 3:
        yield f"an element that is not the page's: {shown.count}"
    if result["windows"] and shown.count.get("path", 0) < len(result["windows"]):
        yield f"{shown.count.get('path', 0)} marks for {len(result['windows'])} windows"
