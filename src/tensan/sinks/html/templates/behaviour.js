"use strict";
// The page is whole without this: it adds a choice of theme, copying, and the values under the pointer.
const said = document.getElementById("said");

const theme = document.getElementById("theme");
const themes = [["", "as the system"], ["light", "light"], ["dark", "dark"]];
let chosen = 0;
const remembered = (change) => {
  try { return change(localStorage); } catch { return null; } // a page from a file may have no storage
};
const show = () => {
  document.documentElement.dataset.theme = themes[chosen][0];
  theme.textContent = `Theme: ${themes[chosen][1]}`;
};
chosen = Math.max(0, themes.findIndex(([name]) => name === remembered((storage) => storage.getItem("tensan-theme"))));
theme.hidden = false;
theme.addEventListener("click", () => {
  chosen = (chosen + 1) % themes.length;
  remembered((storage) => storage.setItem("tensan-theme", themes[chosen][0]));
  show();
});
show();

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        said.textContent = "Copied";
        button.firstChild.textContent = "Copied";
      } catch {
        said.textContent = "Could not be copied";
      }
    });
  }
}

for (const frame of document.querySelectorAll("[data-chart]")) {
  const { high, curves } = JSON.parse(frame.dataset.chart);
  const line = frame.querySelector(".pointer");
  const readout = frame.querySelector(".readout");
  const picture = frame.querySelector("svg");
  const nearest = (points, step) => points.reduce((best, point) => (Math.abs(point[0] - step) < Math.abs(best[0] - step) ? point : best));
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    const [step] = nearest(curves.map(({ p }) => nearest(p, share * high)), share * high);
    const x = `${(100 * step) / high}%`;
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    line.setAttribute("visibility", "visible");
    const values = curves.map(({ n, p }) => [n, nearest(p, step)]).filter(([, point]) => point[0] === step);
    readout.textContent = `step ${step}: ${values.map(([n, point]) => (curves.length > 1 ? `${n} ${point[1]}` : point[1])).join(" · ")}`;
  });
  picture.addEventListener("pointerleave", () => {
    line.setAttribute("visibility", "hidden");
    readout.textContent = "";
  });
}

// A page that is served while the run goes on asks its server for more, and shows it with what was open left open.
const version = document.documentElement.dataset.live;
if (version) {
  const opened = JSON.parse(remembered(() => sessionStorage.getItem("tensan-open")) || "[]");
  for (const each of document.querySelectorAll("details")) {
    if (opened.includes(each.firstElementChild.textContent)) each.open = true;
  }
  const follow = async () => {
    let newest;
    try {
      const answer = await fetch("version");
      newest = answer.ok ? await answer.text() : version;
    } catch {
      document.getElementById("live").textContent = "Nobody serves this page any more: it shows how the run stood.";
      return;
    }
    if (newest === version || document.hidden || String(getSelection())) {
      setTimeout(follow, 2000);
      return;
    }
    const open = [...document.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
    remembered(() => sessionStorage.setItem("tensan-open", JSON.stringify(open)));
    location.reload();
  };
  if (!version.startsWith("ended")) setTimeout(follow, 2000);
}
