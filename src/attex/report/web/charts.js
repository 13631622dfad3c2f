// Draws the charts of a page when they come into view, in the colours of the reader's theme.

const EXPORT = { export: true, source: false, compiled: false, editor: false };

/** Colours for a dark page; a light one keeps those that the figures were made with. */
function themed(dark) {
  if (!dark) return { background: null };
  const [ink, line] = ["#d5dae5", "#3a4356"];
  return {
    background: null,
    axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
    legend: { labelColor: ink, titleColor: ink },
    title: { color: ink, subtitleColor: ink },
    header: { labelColor: ink, titleColor: ink },
    text: { color: ink },
    style: { "guide-label": { fill: ink }, "guide-title": { fill: ink } },
  };
}

/** Draw every chart of a page with `embed` (vega-embed), each when it is about to be seen. */
export function drawCharts(charts, embed) {
  const places = [...document.querySelectorAll("[data-chart]")];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const drawn = new Set();
  const draw = async (place) => {
    drawn.add(place);
    const chart = charts[place.dataset.chart];
    const config = merged(chart.config ?? {}, themed(dark.matches && !matchMedia("print").matches));
    const { view } = await embed(place, { ...chart, config }, { actions: EXPORT, renderer: "svg" });
    openRuns(view);
    place.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
    fit(place);
  };
  const watcher = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (isIntersecting && !drawn.has(target)) {
          watcher.unobserve(target);
          draw(target);
        }
      }
    },
    { rootMargin: "600px" },
  );
  for (const place of places) watcher.observe(place);
  dark.addEventListener("change", () => drawn.forEach(draw));
  addEventListener("beforeprint", () => places.filter((place) => !drawn.has(place)).forEach(draw));
}

/** Open the run of a universe whose mark is clicked, where the page knows of one. */
function openRuns(view) {
  const links = JSON.parse(document.getElementById("universes")?.textContent ?? "{}");
  const linkOf = (item) => links[item?.datum?.experiment];
  if (!Object.keys(links).length) return;
  view.addEventListener("click", (event, item) => {
    if (linkOf(item)) location.href = linkOf(item);
  });
  view.addEventListener("mouseover", (event, item) => {
    if (linkOf(item)) event.target.style.cursor = "pointer";
  });
}

/** A chart shrinks to its place, but not so far that it cannot be read: then the place scrolls. */
function fit(place) {
  const svg = place.querySelector("svg");
  const natural = Number(svg?.getAttribute("width"));
  if (!natural || natural <= place.clientWidth) return;
  place.closest(".first-screen")?.classList.add("wide");
  const least = Math.min(natural, Math.max(300, 0.7 * natural));
  if (least > place.clientWidth) {
    svg.style.minWidth = `${least}px`;
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", "Chart, can be scrolled");
  }
}

function merged(first, second) {
  const both = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const inside = typeof value === "object" && value !== null;
    both[name] = inside ? merged(first[name] ?? {}, value) : value;
  }
  return both;
}
