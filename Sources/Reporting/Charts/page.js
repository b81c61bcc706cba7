// SPDX-License-Identifier: Apache-2.0
"use strict";
document.documentElement.classList.add("scripted");
const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const make = (parent, name, style, text) => {
  const node = document.createElement(name);
  if (style) node.className = style;
  if (text) node.textContent = text;
  parent.append(node);
  return node;
};
const concise = (value) => String(Number(value.toPrecision(4))).replace("-", "\u2212");
// The still picture of a figure: the page's own markup, which stands in its noscript as text.
const still = (figure) => {
  const drawn = figure.querySelector(":scope > .still");
  if (drawn) return drawn;
  const box = make(figure, "div", "still");
  box.innerHTML = figure.querySelector(":scope > noscript").textContent;
  return box;
};
const readOut = (svg) => {
  const add = (parent, name) =>
    parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
  const pair = (node, key) => node.dataset[key].split(" ").map(Number);
  const [t0, t1] = pair(svg, "time"), [x0, x1] = pair(svg, "x");
  const group = add(svg, "g"), line = add(group, "path"), text = add(group, "text");
  group.setAttribute("class", "cursor");
  group.setAttribute("pointer-events", "none");
  svg.addEventListener("pointerleave", () => group.setAttribute("visibility", "hidden"));
  svg.addEventListener("pointermove", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    const inside = [...svg.querySelectorAll(".panel")].find((panel) => {
      const [top, bottom] = pair(panel, "y");
      return point.y >= top && point.y <= bottom;
    });
    const shown = inside && point.x >= x0 && point.x <= x1;
    group.setAttribute("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    const [top, bottom] = pair(inside, "y"), [low, high] = pair(inside, "values");
    const time = t0 + (point.x - x0) / (x1 - x0) * (t1 - t0);
    const value = high - (point.y - top) / (bottom - top) * (high - low);
    line.setAttribute("d", `M${point.x} ${top}V${bottom}M${x0} ${point.y}H${x1}`);
    const isRight = point.x > (x0 + x1) / 2;
    text.setAttribute("text-anchor", isRight ? "end" : "start");
    text.setAttribute("x", point.x + (isRight ? -8 : 8));
    text.setAttribute("y", Math.max(top + 12, point.y - 8));
    text.textContent =
      `${time.toFixed(4)} s, ${Number(value.toPrecision(3))} ${inside.dataset.unit}`;
  });
};
