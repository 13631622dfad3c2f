// One text as a picture: the same rows of cells, as SVG that can be pasted elsewhere.

import { heat } from "./elements.js";
import { whole } from "./heat_rows.js";

const [WIDTH, LABEL, HEIGHT, TOP] = [900, 130, 18, 22];

const escaped = (text) =>
  text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");

/** Draw texts, one below the other, each with rows as `heat_rows.js` makes them: [[text, rows], …]. */
export function svgOf(parts, caption) {
  const drawn = [`<text x="0" y="14" font-weight="600">${escaped(caption)}</text>`];
  let height = 26;
  for (const [text, rows] of parts) {
    const part = linesOf(text, rows, height, parts.length > 1);
    drawn.push(...part.drawn);
    height = part.end;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">${drawn.join("")}</svg>`;
}

/** One text from a height on, and where it ends; `named` says which of two it is. */
function linesOf(text, rows, top, named) {
  const lines = [[]];
  let used = 0;
  text.tokens.forEach((word, t) => {
    const width = Math.max(26, 7 * word.length + 10);
    if (lines.at(-1).length && used + width > WIDTH - LABEL) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1).push({ t, x: LABEL + used, width });
    used += width;
  });
  const tall = TOP + HEIGHT * rows.length + 12;
  const drawn = [];
  if (named) drawn.push(`<text x="${LABEL - 8}" y="${top + 15}" text-anchor="end" font-weight="600">${whole(text)}</text>`);
  lines.forEach((line, number) => {
    const y = top + number * tall;
    rows.forEach((row, r) => {
      const at = y + TOP + r * HEIGHT;
      drawn.push(`<text x="${LABEL - 8}" y="${at + 13}" text-anchor="end" fill="#555">${escaped(row.name)}</text>`);
    });
    for (const { t, x, width } of line) {
      const middle = x + width / 2;
      const marks = text.truth?.[t] ? ' text-decoration="underline" font-weight="600"' : "";
      drawn.push(`<text x="${middle}" y="${y + 15}" text-anchor="middle"${marks}>${escaped(text.tokens[t])}</text>`);
      rows.forEach((row, r) => {
        const { background, color } = heat(row.strength[t], false);
        const at = y + TOP + r * HEIGHT;
        drawn.push(`<rect x="${x}" y="${at}" width="${width - 1}" height="${HEIGHT - 1}" fill="${background}"/>`);
        const says = `x="${middle}" y="${at + 13}" text-anchor="middle" font-size="10" fill="${color}"`;
        drawn.push(`<text ${says}>${escaped(row.says[t])}</text>`);
      });
    }
  });
  return { drawn, end: top + lines.length * tall };
}
