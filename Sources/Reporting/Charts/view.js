// SPDX-License-Identifier: Apache-2.0
const draw = (figure) => {
  if (figure.dataset.drawn) return;
  figure.dataset.drawn = "true";
  const data = figure.querySelector(":scope > script");
  if (data && window.Dygraph) {
    drawChart(figure, JSON.parse(data.textContent));
  } else {
    still(figure).querySelectorAll("svg.figure").forEach(readOut);
  }
};
const inView = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
    inView.unobserve(entry.target);
    draw(entry.target);
  }), { rootMargin: "200px" });
document.querySelectorAll("figure.take").forEach((figure) => inView.observe(figure));
// Paper shows the still pictures of whatever stands open.
addEventListener("beforeprint", () => document.querySelectorAll("figure.take")
  .forEach((figure) => { if (figure.getClientRects().length > 0) still(figure); }));
// A link to an event opens what holds its picture and zooms to it.
const reveal = () => {
  const name = location.hash.slice(1);
  const [, place, event] = name.match(/^(pattern-[0-9]+-figure-[0-9]+)-event-([0-9]+)$/) || [];
  const figure = place && document.querySelector(`figure[data-name="${place}"]`);
  const target = figure || name && document.getElementById(name);
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
  const body = target.querySelector(":scope > details.body");
  if (body) body.open = true;
  if (!figure) return;
  draw(figure);
  if (figure.showEvent) figure.showEvent(Number(event));
  // What comes into view on the way is drawn, and takes another height.
  const go = () => figure.scrollIntoView({ behavior: "instant", block: "start" });
  go();
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go, 60)));
};
// The same link again shows the event again.
addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) reveal();
});
addEventListener("hashchange", reveal);
reveal();
// In the workbench's sandbox no page can be fetched from here: the workbench opens the page of a pattern.
if (parent !== self) addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const page = link && link.getAttribute("href").match(/(report|pattern-[0-9]+)\.html(#.*)?$/);
  if (!page) return;
  event.preventDefault();
  parent.postMessage({ page: page[1], mark: page[2] || "" }, "*");
});
const bodies = [...document.querySelectorAll("details.body")];
bodies.forEach((body) => body.addEventListener("toggle", () => {
  const folded = body.open && body.querySelector(":scope > noscript.folded");
  if (folded) folded.outerHTML = folded.textContent;
}));
if (bodies.length > 1) {
  const tools = document.createElement("p");
  tools.className = "tools";
  for (const [text, open] of [["Open all patterns", true], ["Close all patterns", false]]) {
    const button = make(tools, "button", "", text);
    button.type = "button";
    button.addEventListener("click", () => bodies.forEach((body) => { body.open = open; }));
  }
  document.getElementById("result").append(tools);
}
// What a reading's name means shows where the pointer rests on it: the words of the glossary, to which it leads.
addEventListener("pointerover", (event) => {
  const name = event.target.closest("a[href^='#means-']");
  const term = name && !name.title && document.getElementById(name.hash.slice(1));
  if (term) name.title = term.nextElementSibling.textContent;
});
