// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/blocks.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kNarrowestInside = 8;
constexpr std::size_t kWidestInside = 44;
constexpr std::size_t kFrame = 4;       // a border and a blank on both sides
constexpr std::size_t kTitleFrame = 2;  // a blank and a piece of border more than a line inside has

struct Frame {
  std::string_view top_left, top_right, bottom_left, bottom_right, across, down;
};
constexpr Frame kUnicode{"╭", "╮", "╰", "╯", "─", "│"};
constexpr Frame kAscii{"+", "+", "+", "+", "-", "|"};

// A line inside of a box: as characters, and as it is painted.
struct Line {
  std::string plain;
  std::string painted;
};

std::string repeated(std::string_view what, std::size_t times) {
  std::string text;
  for (; times > 0; --times) text += what;
  return text;
}

bool same_look(const Block& left, const Block& right) {
  const auto same_line = [](const CpuLine& a, const CpuLine& b) {
    return a.group == b.group && a.left_over == b.left_over && a.cpus.size() == b.cpus.size() &&
           a.text == b.text;
  };
  return left.place == right.place && left.bars == right.bars &&
         std::equal(left.lines.begin(), left.lines.end(), right.lines.begin(), right.lines.end(), same_line);
}

// A list of ids that is too long becomes their number.
std::string title_of(const Block& block, std::size_t most) {
  const std::string title = (block.ids.size() == 1 ? "CCD " : "CCDs ") + block.ids.to_list();
  return title.size() <= most ? title : counted(block.ids.size(), "CCD");
}

std::string bar_label(const WayBar& bar) {
  return bar.label.empty() ? "" : bar.label + ' ';
}

Line bar_line(const std::string& label, std::span<const WayCell> ways, const Style& style) {
  Line line{.plain = label, .painted = label};
  for (std::size_t index = 0; index < ways.size();) {
    const WayCell& first = ways[index];
    std::string run;
    for (; index < ways.size() && ways[index] == first; ++index) run += way_mark(first);
    line.plain += run;
    if (first.use == WayCell::Use::owned) {
      line.painted += paint_group(style, first.group, run);
    } else {
      line.painted += paint(style, first.use == WayCell::Use::several ? Paint::bold : Paint::dim, run);
    }
  }
  return line;
}

// The ways in one line, or in as many as it takes.
std::vector<Line> bar_lines(const WayBar& bar, std::size_t inside, const Style& style) {
  std::string label = bar_label(bar);
  const std::size_t in_line = std::max<std::size_t>(1, inside - std::min(inside, label.size()));
  std::vector<Line> lines;
  for (std::span<const WayCell> ways(bar.ways); !ways.empty();) {
    const std::size_t count = std::min(in_line, ways.size());
    lines.push_back(bar_line(label, ways.first(count), style));
    ways = ways.subspan(count);
    label.assign(label.size(), ' ');
  }
  return lines;
}

std::string text_of(const CpuLine& line) {
  return line.text.empty() ? line.cpus.to_list() : line.text;
}

// The CPUs of one group, on as many lines as it takes; a list that takes too many is cut.
std::vector<Line> cpu_lines(const CpuLine& line, std::size_t inside, const Style& style) {
  constexpr std::size_t kMostLines = 3;
  const char mark = cpu_mark(line);
  const std::string letter = mark == 0 ? "" : std::string{mark, ' '};
  std::vector<Line> lines;
  const std::string broken = wrapped(text_of(line), inside - letter.size(), "");
  const std::vector<std::string_view> parts = split(broken, '\n');
  for (std::size_t number = 0; number < parts.size(); ++number) {
    std::string text(parts[number]);
    if (number + 1 == kMostLines && parts.size() > kMostLines)
      text = "... " + counted(line.cpus.size(), "CPU");
    const std::string first = number == 0 ? letter : std::string(letter.size(), ' ');
    std::string painted = first + text;
    if (number == 0 && line.group)
      painted = paint_group(style, *line.group, letter.substr(0, 1)) + ' ' + text;
    lines.push_back({first + text, painted});
    if (lines.size() == kMostLines) break;
  }
  return lines;
}

std::vector<Line> lines_of(const Block& block, std::size_t inside, const Style& style) {
  std::vector<Line> lines;
  for (const WayBar& bar : block.bars) {
    for (Line& part : bar_lines(bar, inside, style)) lines.push_back(std::move(part));
  }
  for (const CpuLine& line : block.lines) {
    for (Line& part : cpu_lines(line, inside, style)) lines.push_back(std::move(part));
  }
  return lines;
}

std::size_t inside_width(const std::vector<Block>& blocks, const Style& style) {
  const std::size_t widest = style.width - kFrame;
  std::size_t least = kNarrowestInside;
  std::size_t wide = 0;
  for (const Block& block : blocks) {
    least = std::max(least, title_of(block, widest - kTitleFrame).size() + kTitleFrame);
    for (const WayBar& bar : block.bars) {
      least = std::max(least, std::min(widest, bar_label(bar).size() + bar.ways.size()));
    }
    for (const CpuLine& line : block.lines) {
      wide = std::max(wide, text_of(line).size() + (cpu_mark(line) == 0 ? 0 : 2));
    }
  }
  return std::max(least, std::min({wide, kWidestInside, widest}));
}

// One row of boxes.
std::string draw_row(const std::vector<const Block*>& row, std::size_t inside, const Style& style) {
  const Frame& frame = style.unicode ? kUnicode : kAscii;
  std::vector<std::vector<Line>> contents;
  std::size_t height = 0;
  for (const Block* block : row) {
    contents.push_back(lines_of(*block, inside, style));
    height = std::max(height, contents.back().size());
  }
  std::string top, middle, bottom;
  for (std::size_t index = 0; index < row.size(); ++index) {
    const std::string gap = index == 0 ? "" : " ";
    const std::string title = title_of(*row[index], inside - kTitleFrame);
    const std::string rest = repeated(frame.across, inside - title.size() - 1);
    const std::string left = std::string(frame.top_left) + std::string(frame.across) + ' ';
    top += gap + left + paint(style, Paint::bold, title) + ' ' + rest + std::string(frame.top_right);
    bottom += gap + std::string(frame.bottom_left) + repeated(frame.across, inside + 2) +
              std::string(frame.bottom_right);
  }
  for (std::size_t number = 0; number < height; ++number) {
    for (std::size_t index = 0; index < row.size(); ++index) {
      const Line line = number < contents[index].size() ? contents[index][number] : Line{};
      middle += (index == 0 ? "" : " ") + std::string(frame.down) + ' ' + line.painted +
                std::string(inside - line.plain.size() + 1, ' ') + std::string(frame.down);
    }
    middle += '\n';
  }
  return top + '\n' + middle + bottom + '\n';
}

// "socket 0, node 0: 6 CCDs, 192 CPUs, 96 planned".
std::string heading(const std::vector<const Block*>& blocks, const Style& style) {
  std::size_t ccds = 0;
  CpuSet cpus, left_over;
  for (const Block* block : blocks) {
    ccds += block->ids.size();
    for (const CpuLine& line : block->lines) {
      cpus |= line.cpus;
      if (line.left_over) left_over |= line.cpus;
    }
  }
  std::string counts = ": " + counted(ccds, "CCD") + ", " + counted(cpus.size(), "CPU");
  if (!left_over.empty()) counts += ", " + std::to_string((cpus - left_over).size()) + " planned";
  return titled(blocks.front()->place, counts, style) + '\n';
}

}  // namespace

char way_mark(const WayCell& cell) {
  switch (cell.use) {
    case WayCell::Use::open:
      return cell.devices ? 's' : '.';
    case WayCell::Use::several:
      return '+';
    case WayCell::Use::owned:
      break;
  }
  const char letter = group_letter(cell.group);
  return cell.devices ? static_cast<char>(std::tolower(letter)) : letter;
}

char cpu_mark(const CpuLine& line) {
  if (line.left_over) return '.';
  return line.group ? group_letter(*line.group) : '\0';
}

std::vector<Block> folded(const std::vector<Block>& blocks) {
  std::vector<Block> result;
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const Block& block = blocks[index];
    // The one before as it was, not what it has become a part of: that has more CPUs.
    if (index == 0 || !same_look(blocks[index - 1], block)) {
      result.push_back(block);
      continue;
    }
    Block& last = result.back();
    last.ids |= block.ids;
    for (std::size_t line = 0; line < last.lines.size(); ++line)
      last.lines[line].cpus |= block.lines[line].cpus;
  }
  return result;
}

std::string draw_blocks(const std::vector<Block>& blocks, const Style& style) {
  const std::size_t inside = inside_width(blocks, style);
  const std::size_t fitting = std::max<std::size_t>(1, (style.width + 1) / (inside + kFrame + 1));
  std::string text;
  for (std::size_t begin = 0; begin < blocks.size();) {
    std::vector<const Block*> together;
    for (std::size_t index = begin; index < blocks.size() && blocks[index].place == blocks[begin].place;
         ++index) {
      together.push_back(&blocks[index]);
    }
    begin += together.size();
    if (!text.empty()) text += '\n';
    text += heading(together, style);
    // As many in each row, so that the last is not a single one.
    const std::size_t rows = (together.size() + fitting - 1) / fitting;
    const std::size_t in_row = (together.size() + rows - 1) / rows;
    for (std::size_t first = 0; first < together.size(); first += in_row) {
      const auto from = together.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to =
          together.begin() + static_cast<std::ptrdiff_t>(std::min(first + in_row, together.size()));
      text += draw_row({from, to}, inside, style);
    }
  }
  return text;
}

}  // namespace bulkhead
