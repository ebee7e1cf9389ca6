// SPDX-License-Identifier: Apache-2.0
// How each arm looks, wherever it appears: the control is grey, the candidates have a colour and a shape each.

const kArmColors = 7;
const kSymbols = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar];

class Arms {
  constructor(result) {
    this.control = result.control;
    this.names = [result.control, ...result.arms.map((arm) => arm.name).filter((name) => name !== result.control)];
  }

  color(name) {
    const index = this.names.indexOf(name);
    return `var(--arm-${index < 1 ? 0 : 1 + (index - 1) % (kArmColors - 1)})`;
  }

  symbol(name, size) {
    const index = Math.max(0, this.names.indexOf(name));
    return d3.symbol().type(kSymbols[index % kSymbols.length]).size(size)();
  }
}
