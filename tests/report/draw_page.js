// SPDX-License-Identifier: Apache-2.0
// Runs the scripts of a page in a DOM without a browser, and prints the page that they made.
"use strict";
const fs = require("fs");
const vm = require("vm");
const domino = require("/usr/share/nodejs/domino");

const window = domino.createWindow(fs.readFileSync(process.argv[2], "utf8"));
const { document } = window;

// What domino lacks of what browsers have had for years.
const asNodes = (parts) => parts.map((part) => part instanceof window.Node ? part : document.createTextNode(String(part)));
window.Element.prototype.append = function append(...parts) {
  asNodes(parts).forEach((part) => this.appendChild(part));
};
window.Element.prototype.replaceChildren = function replaceChildren(...parts) {
  while (this.firstChild) this.removeChild(this.firstChild);
  this.append(...parts);
};

const scripts = document.getElementsByTagName("script");
const context = vm.createContext({ document, window, Node: window.Node, Blob: class {}, URL: {}, addEventListener() {} });
context.self = context;
Array.from(scripts).filter((script) => !script.type).forEach((script) => vm.runInContext(script.textContent, context));
process.stdout.write(document.documentElement.outerHTML);
