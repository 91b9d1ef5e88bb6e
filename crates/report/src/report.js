"use strict";
(function () {
  const byId = (id) => document.getElementById(id);

  const theme = byId("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || preferred) === "dark" ? "light" : "dark";
  });

  // Wide drawings begin in their middle, where the root of a tree stands.
  document.querySelectorAll("figure.wide .scroll").forEach((part) => {
    part.scrollLeft = (part.scrollWidth - part.clientWidth) / 2;
  });

  const copy = byId("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", () => {
      navigator.clipboard.writeText(byId("command").textContent).then(() => { copy.textContent = "Copied"; });
    });
  }

  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));

  const slider = byId("threshold");
  if (!slider) return;
  const table = JSON.parse(byId("threshold-table").textContent);
  const rate = (part, whole) => (whole > 0 ? (part / whole).toFixed(3) : "n/a");
  function show() {
    const [threshold, tp, fp, fn, tn] = table[slider.value];
    const text = threshold === null ? "n/a" : String(Number(threshold.toPrecision(4)));
    byId("threshold-value").textContent = text;
    slider.setAttribute("aria-valuetext", text);
    byId("count-tp").textContent = tp;
    byId("count-fp").textContent = fp;
    byId("count-fn").textContent = fn;
    byId("count-tn").textContent = tn;
    const rates = [
      ["precision", rate(tp, tp + fp)], ["recall", rate(tp, tp + fn)], ["F1", rate(2 * tp, 2 * tp + fp + fn)],
      ["specificity", rate(tn, tn + fp)], ["accuracy", rate(tp + tn, tp + fp + fn + tn)], ["flagged", rate(tp + fp, tp + fp + fn + tn)],
    ];
    byId("rates").replaceChildren(...rates.map(([name, value]) => {
      const cell = document.createElement("div");
      for (const [tag, content] of [["dt", name], ["dd", value]]) {
        cell.appendChild(document.createElement(tag)).textContent = content;
      }
      return cell;
    }));
  }
  slider.closest(".slider").hidden = false;
  slider.addEventListener("input", show);
  show();
})();
