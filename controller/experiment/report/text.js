// SPDX-License-Identifier: Apache-2.0
// Numbers as words, and elements that hold them. Text comes from hosts and files of anybody: it is only ever
// set as text.

const kMinus = "\u2212";

function signed(text) {
  return text.replace("-", kMinus);
}

// A relative change, as the terminal has it: 0.05 is "+5.0 %".
function changeText(relative) {
  const percent = relative * 100;
  const size = Math.abs(percent);
  if (size < 0.005) return "+0\u00a0%";
  const digits = size < 0.995 ? 2 : size < 99.95 ? 1 : 0;
  return signed((percent > 0 ? "+" : "") + percent.toFixed(digits)) + "\u00a0%";
}

// Of an end of an interval; `none` is what stands for null, an interval that does not end there.
function endText(relative, none) {
  return relative === null ? none : changeText(relative);
}

function numberText(value) {
  if (value === null) return "\u2013";
  return signed(String(Number(value.toPrecision(4))));
}

function shareText(share) {
  return Number((share * 100).toPrecision(4)) + "\u00a0%";
}

function durationText(seconds) {
  if (seconds < 1) return Math.round(seconds * 1000) + " ms";
  if (seconds < 120) return Number(seconds.toPrecision(3)) + " s";
  return Math.round(seconds / 60) + " min";
}

// An element with text, or with other elements, inside. `of` is the JSON pointer of the value that it shows.
function element(tag, className, inside, of) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const part of [].concat(inside === undefined ? [] : inside)) made.append(part);
  if (of) made.setAttribute("data-of", of);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function table(titles, rows) {
  const numeric = titles.map((title) => title.startsWith("#"));
  const head = element("tr", "", titles.map((title, at) => element("th", numeric[at] ? "number" : "", title.replace("#", ""))));
  const body = rows.map((cells) => element("tr", "", cells.map((cell, at) => {
    const made = cell instanceof Node ? cell : document.createTextNode(cell);
    return element("td", numeric[at] ? "number" : "", made);
  })));
  return element("table", "", [element("thead", "", head), element("tbody", "", body)]);
}

function swatch(color, square) {
  const made = element("span", square ? "swatch square" : "swatch");
  made.style.background = color;
  return made;
}
