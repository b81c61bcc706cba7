/// What a report's page does where scripts run.
///
/// Pictures are drawn when they come into view; with dygraphs they can be zoomed by pointer, buttons and
/// keys, all panels on one time axis. Nothing is fetched, and no text of the record becomes markup.
enum PageScript {
  /// All of it, in the order of its parts.
  static var text: String { "\"use strict\";\n" + basics + readOut + ChartScript.text + view }

  private static let basics = #"""
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

    """#

  /// A read-out of time and value under the pointer of a still picture.
  private static let readOut = #"""
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

    """#

  private static let view = #"""
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

    """#
}
