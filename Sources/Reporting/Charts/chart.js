// SPDX-License-Identifier: Apache-2.0
// A 32767th of the largest a step; the least number is a gap.
const decode = (text, largest) => {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return Float64Array.from(
    new Int16Array(bytes.buffer), (step) => step === -32768 ? NaN : step * largest / 32767);
};
const rowsOf = (traces, hasBands, start, step) => {
  const gap = hasBands ? [null, null, null] : null;
  return Array.from(traces[0].high, (_, index) => [
    start + (index + 0.5) * step,
    ...traces.map(({ high, low }) => {
      const top = high[index];
      if (Number.isNaN(top)) return gap;
      if (!hasBands) return top;
      const bottom = low ? low[index] : top;
      return [bottom, (bottom + top) / 2, top];
    }),
  ]);
};
// The style sheet says which colour a trace has.
const traceColour = (style) => {
  const probe = make(document.body, "span", style);
  const found = getComputedStyle(probe).getPropertyValue("--colour").trim();
  probe.remove();
  return found;
};
const lineOf = {
  "trace-tolerance": { strokeWidth: 0, fillAlpha: 0.2 },
  "trace-target": { strokeWidth: 1.6, strokePattern: [6, 3] },
  "trace-take": { strokeWidth: 0.8, fillAlpha: 0.25 },
  "trace-measured": { strokeWidth: 1.6 },
};
// Curves of runs that lie over each other: the first shows under the gaps of the others.
const overlaid = {
  "trace-A": { strokeWidth: 2.6 }, "trace-B": { strokeWidth: 1.6, strokePattern: [7, 4] },
  "trace-C": { strokeWidth: 1.6, strokePattern: [3, 3] },
  "trace-D": { strokeWidth: 1.6, strokePattern: [9, 3, 2, 3] },
  "trace-E": { strokeWidth: 1.2 }, "trace-F": { strokeWidth: 1.2, strokePattern: [2, 4] },
};
const grades = {
  good: "pass", "not measured": "missing", marginal: "marginal", bad: "fail", dropped: "fail",
};
const drawMark = (context, grade, x, y) => {
  context.save();
  context.translate(x, y);
  context.beginPath();
  context.fillStyle = context.strokeStyle = colour(grades[grade]);
  context.lineWidth = grade === "dropped" ? 2.4 : 1.4;
  const path = {
    good: () => context.arc(0, 0, 3.2, 0, 2 * Math.PI),
    "not measured": () => context.arc(0, 0, 3, 0, 2 * Math.PI),
    marginal: () => [[0, -4.2], [4.4, 3.4], [-4.4, 3.4]].forEach(([a, b]) => context.lineTo(a, b)),
    bad: () => [[0, -4.8], [4.8, 0], [0, 4.8], [-4.8, 0]].forEach(([a, b]) => context.lineTo(a, b)),
    dropped: () => [[-3.5, -3.5, 3.5, 3.5], [-3.5, 3.5, 3.5, -3.5]].forEach(([a, b, c, d]) => {
      context.moveTo(a, b);
      context.lineTo(c, d);
    }),
  }[grade];
  path();
  if (grade === "dropped" || grade === "not measured") context.stroke(); else context.fill();
  context.restore();
};
const sized = (canvas, width, height) => {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return context;
};
const addMarks = (plots, events, graphs) => {
  const graded = events.filter((event) => event.length > 4);
  if (graded.length === 0) return { draw: () => {}, words: () => "", choose: () => "" };
  const weights = Object.keys(grades);
  const head = make(plots, "p", "panel-head");
  make(head, "strong", "", "Events");
  const legend = make(head, "span", "legend");
  const signs = weights.filter((grade) => graded.some((event) => event[4] === grade))
    .map((grade) => {
      const sign = make(legend, "canvas", "sign");
      make(legend, "span", "", `${graded.filter((event) => event[4] === grade).length} ${grade}`);
      return [sign, grade];
    });
  const strip = make(plots, "canvas", "marks");
  let chosen = null;
  const draw = () => {
    for (const [sign, grade] of signs) drawMark(sized(sign, 12, 12), grade, 6, 6);
    if (graphs.length === 0) return;
    const context = sized(strip, plots.clientWidth, 22);
    const { x: left, w: width } = graphs[0].getArea();
    // Of what falls on one place the worst is shown.
    const places = new Map();
    for (const event of graded) {
      const x = graphs[0].toDomXCoord(event[1]);
      if (x < left - 1 || x > left + width + 1) continue;
      const place = event[0] === chosen ? "chosen" : Math.floor(x / 7);
      const known = places.get(place);
      if (known && weights.indexOf(known[1][4]) >= weights.indexOf(event[4])) continue;
      places.set(place, [x, event]);
    }
    for (const [place, [x, event]] of places) {
      drawMark(context, event[4], x, 11);
      if (place !== "chosen") continue;
      context.strokeStyle = context.fillStyle = colour("ink");
      context.lineWidth = 1.2;
      context.beginPath();
      context.arc(x, 11, 8, 0, 2 * Math.PI);
      context.stroke();
    }
  };
  const account = (event) => `event ${event[0]} ${event[4]}${event[5] ? `: ${event[5]}` : ""}`;
  const words = (time) => graded
    .filter(([, from, to]) => time >= from - 5e-4 && time <= to + 5e-4)
    .slice(-3).map((event) => `; ${account(event)}`).join("");
  const choose = (index) => {
    chosen = index;
    return graded.filter((event) => event[0] === index).map(account).join("");
  };
  return { draw, words, choose };
};
// A model lies over the response and must not hide it: where waves are dense it is a veil, and a line
// where they can be told apart. Of columns that are longer than a wave the band alone says something.
const seriesOf = (panel, isWide, step) => Object.fromEntries(panel.traces.map((trace) => {
  if (overlaid[trace.style] && !trace.low) return [trace.name, overlaid[trace.style]];
  if (trace.style !== "trace-model") return [trace.name, lineOf[trace.style] || {}];
  const [red, green, blue] = traceColour(trace.style).match(/[0-9a-f]{2}/gi)
    .map((part) => parseInt(part, 16));
  return [trace.name, {
    color: `rgba(${red},${green},${blue},${isWide ? 0.9 : 0.4})`, fillAlpha: 0.35,
    strokeWidth: step > 1.5e-3 ? 0 : isWide ? 1.4 : 0.8,
  }];
}));
// The values of a panel in a window of time: what is weak is seen as well once it is looked at closely.
const valuesOf = (panel, [from, to], start, end) => {
  let low = Infinity, high = -Infinity;
  for (const line of panel.traces) {
    const count = line.high.length, step = (end - start) / count;
    const last = Math.min(count - 1, Math.ceil((to - start) / step));
    for (let place = Math.max(0, Math.floor((from - start) / step)); place <= last; place += 1) {
      const top = line.high[place], bottom = line.low ? line.low[place] : top;
      if (top > high) high = top;
      if (bottom < low) low = bottom;
    }
  }
  return low <= high ? [Math.min(low, 0), Math.max(high, 0)] : panel.range;
};
const reachOf = (...place) => Math.max(...valuesOf(...place).map(Math.abs));
const rangeOf = (panel, view, start, end, least) => {
  // A share of a whole keeps the whole in sight.
  if (!panel.unit) return panel.range;
  const [low, high] = valuesOf(panel, view, start, end);
  const room = 0.08 * (high - low) || Math.abs(panel.range[1]);
  return [low < 0 || least ? Math.min(low - room, -least) : low - room / 2,
    Math.max(high + room, least)];
};
const drawChart = (figure, data) => {
  const [start, end] = data.span;
  const label = figure.dataset.label;
  const frame = make(figure, "div", "chart");
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `Chart of ${label}`);
  const words = make(figure, "p", "hidden", figure.dataset.desc
    + " Keys: plus and minus zoom, left and right arrows move, 0 shows all.");
  words.id = `chart-${document.querySelectorAll(".chart").length}`;
  frame.setAttribute("aria-describedby", words.id);
  figure.classList.add("zoomable");
  const tools = make(frame, "div", "tools");
  const plots = make(frame, "div", "plots");
  plots.setAttribute("aria-hidden", "true");
  const read = make(frame, "p", "readout", "\u00a0");
  read.setAttribute("aria-hidden", "true");
  const panels = data.panels.filter((panel) => panel.traces.length > 0).map((panel) => ({
    ...panel,
    traces: panel.traces.map((trace) => ({
      name: trace.name, style: trace.style, high: decode(trace.high, trace.largest),
      low: trace.low ? decode(trace.low, trace.largest) : null,
    })),
  }));
  const graphs = [];
  const heading = (title, unit, traces, key) => {
    const head = make(plots, "p", "panel-head");
    make(head, "strong", "", title);
    if (unit) make(head, "span", "unit", unit);
    const legend = make(head, "span", "legend", key);
    if (traces.length > 1 || traces.some((trace) => trace.name !== title.toLowerCase())) {
      for (const trace of traces) {
        make(legend, "i", `swatch-line ${trace.style}`);
        make(legend, "span", "", trace.name);
      }
    }
  };
  const underlay = (isFirst, hasOnsets) => (context, area, graph) => {
    context.save();
    context.beginPath();
    context.rect(area.x, area.y, area.w, area.h);
    context.clip();
    context.fillStyle = colour("event");
    for (const [, from, to] of data.events) {
      const x = graph.toDomXCoord(from);
      context.fillRect(x, area.y, Math.max(2, graph.toDomXCoord(to) - x), area.h);
    }
    context.fillStyle = colour("muted");
    context.font = "10px system-ui, sans-serif";
    let free = -Infinity;
    for (const [index, from] of isFirst ? data.events : []) {
      const x = graph.toDomXCoord(from);
      if (x < free) continue;
      context.fillText(String(index), x + 2, area.y + 10);
      free = x + 8 + 7 * String(index).length;
    }
    context.strokeStyle = context.fillStyle = colour("onset");
    context.setLineDash([3, 2]);
    const places = (hasOnsets ? data.events : []).filter((event) => event[3] !== null)
      .map((event) => graph.toDomXCoord(event[3]))
      .filter((place) => place >= area.x - 4 && place <= area.x + area.w + 4);
    // So many lines would hide the response: their triangles stay.
    const isDense = places.length > area.w / 14;
    for (const mark of places) {
      if (!isDense) {
        context.beginPath();
        context.moveTo(mark, area.y);
        context.lineTo(mark, area.y + area.h);
        context.stroke();
      }
      context.beginPath();
      context.moveTo(mark, area.y + 8);
      context.lineTo(mark - 4, area.y);
      context.lineTo(mark + 4, area.y);
      context.fill();
    }
    context.restore();
  };
  // Panels may have columns of different lengths.
  const rowAt = ({ traces: [{ high }] }, time) =>
    Math.min(high.length - 1, Math.max(0, Math.floor((time - start) / (end - start) * high.length)));
  const select = (time, source) => {
    for (const graph of graphs) {
      if (graph !== source && graph.panel) graph.setSelection(rowAt(graph.panel, time));
    }
    read.textContent = `${time.toFixed(4)} s: ` + panels.map((panel) => panel.traces
      .map((trace) => [trace, rowAt(panel, time)])
      .filter(([{ high }, row]) => !Number.isNaN(high[row]))
      .map(([{ name, high, low }, row]) => `${name} `
        + (low ? `${concise(low[row])} to ` : "") + concise(high[row])
        + (panel.unit ? ` ${panel.unit}` : "")).join(", ")).filter(Boolean).join("; ")
      + marks.words(time);
  };
  const unselect = () => {
    graphs.forEach((graph) => graph.clearSelection());
    read.textContent = "\u00a0";
  };
  const tones = (panel) => ({
    gridLineColor: colour("grid"), axisLineColor: colour("zero"),
    colors: panel ? panel.traces.map((trace) => traceColour(trace.style)) : [colour("ink")],
  });
  // The ticks are the still picture's own, where they tell a scale.
  const common = (isLast, ticks) => ({
    dateWindow: [start, end], legend: "never", interactionModel: {}, rightGap: 12,
    gridLineWidth: 0.5, axisLabelFontSize: 11, highlightCircleSize: 3,
    axes: {
      x: { drawAxis: isLast, pixelsPerLabel: 70 },
      y: {
        axisLabelWidth: 54, pixelsPerLabel: 24,
        ticker: (low, high, pixels, options, graph) => graph.panel && (graph.panel.isZoomed || ticks.length < 2)
          ? Dygraph.numericTicks(low, high, pixels, options, graph)
          : ticks.map(([value, text]) => ({ v: value, label: text })),
      },
    },
  });
  const add = (panel, height, rows, options) => {
    const place = make(plots, "div", "plot-area");
    place.style.height = `${height}px`;
    const graph = new Dygraph(place, rows, options);
    graph.panel = panel;
    graphs.push(graph);
    return graph;
  };
  const marks = addMarks(plots, data.events, graphs);
  panels.forEach((panel, index) => {
    const { title, unit, traces, height } = panel;
    const hasBands = traces.some((trace) => trace.low);
    const isLast = index === panels.length - 1 && !data.spectrogram;
    heading(title, unit, traces, "");
    const graph = add(
      panel,
      height + (isLast ? 22 : 0),
      rowsOf(traces, hasBands, start, (end - start) / traces[0].high.length), {
        ...common(isLast, panel.ticks), ...tones(panel),
        labels: ["time", ...traces.map((trace) => trace.name)], customBars: hasBands,
        series: seriesOf(panel, false, (end - start) / traces[0].high.length),
        valueRange: panel.range, strokeWidth: hasBands ? 0.8 : 1.5, fillAlpha: 0.5,
        underlayCallback: underlay(index === 0, title === "Response"),
        highlightCallback: (event, x) => select(x, graph),
        unhighlightCallback: unselect,
      });
  });
  const drawing = still(figure);
  const image = drawing.querySelector("svg image");
  if (data.spectrogram && image) {
    const source = new Image();
    heading("Spectrogram", "Hz", [], drawing.querySelector(".spectrum .legend").textContent);
    const graph = add(null, 118, [[start, NaN], [end, NaN]], {
      ...common(true, data.spectrogram.ticks), ...tones(null), labels: ["time", "level"], drawGrid: false,
      valueRange: data.spectrogram.frequencies, xRangePad: 0,
      underlayCallback: (context, area, graph) => {
        const left = graph.toDomXCoord(start), right = graph.toDomXCoord(end);
        context.save();
        context.beginPath();
        context.rect(area.x, area.y, area.w, area.h);
        context.clip();
        context.imageSmoothingEnabled = false;
        if (source.complete) context.drawImage(source, left, area.y, right - left, area.h);
        context.restore();
      },
    });
    source.onload = () => graph.updateOptions({ dateWindow: graph.xAxisRange() });
    source.src = image.getAttribute("href");
  }
  const repaint = () => {
    graphs.forEach((graph) => graph.updateOptions(tones(graph.panel)));
    marks.draw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new ResizeObserver(() => {
    if (frame.clientWidth === 0) return;
    graphs.forEach((graph) => graph.resize());
    marks.draw();
  }).observe(frame);
  const show = addControls({ frame, tools, plots, graphs, start, end, marks });
  figure.showEvent = (index) => {
    const event = data.events.find(([number]) => number === index);
    if (!event) return;
    const words = marks.choose(index);
    show(event[1] - 0.1, Math.min(event[2], event[1] + 0.5) + 0.2);
    read.textContent = words || `event ${index}`;
  };
};
const addControls = ({ frame, tools, plots, graphs, start, end, marks }) => {
  const least = (end - start) / 500;
  let view = [start, end];
  const range = document.createElement("output");
  range.setAttribute("aria-live", "polite");
  const show = (from, to) => {
    const length = Math.min(end - start, Math.max(least, to - from));
    const first = Math.min(Math.max(start, from), end - length);
    view = [first, first + length];
    frame.dataset.from = view[0];
    frame.dataset.to = view[1];
    range.textContent = `${concise(view[0])} s to ${concise(view[1])} s`;
    const isWhole = view[1] - view[0] > (end - start) * 0.999;
    const response = graphs.find((graph) => graph.panel && graph.panel.title === "Response");
    const reach = response ? 0.2 * reachOf(response.panel, view, start, end) : 0;
    graphs.forEach((graph) => {
      const { panel } = graph;
      if (!panel) return graph.updateOptions({ dateWindow: view });
      panel.isZoomed = !isWhole;
      // What is left over, also of one side less another, is no taller than it is beside its response.
      const least = panel.title === "Left over" || panel.title.includes(" less ") ? reach : 0;
      const valueRange = isWhole ? panel.range : rangeOf(panel, view, start, end, least);
      const step = (end - start) / panel.traces[0].high.length;
      const isWide = plots.clientWidth * step > 1.5 * (view[1] - view[0]);
      const series = seriesOf(panel, isWide, step);
      graph.updateOptions({ dateWindow: view, valueRange, series });
    });
    marks.draw();
  };
  const zoom = (factor) => {
    const middle = (view[0] + view[1]) / 2, half = (view[1] - view[0]) / 2 * factor;
    show(middle - half, middle + half);
  };
  const move = (share) => {
    const step = (view[1] - view[0]) * share;
    show(view[0] + step, view[1] + step);
  };
  const all = () => show(start, end);
  const actions = [
    ["Zoom in", () => zoom(0.5)], ["Zoom out", () => zoom(2)], ["Earlier", () => move(-0.25)],
    ["Later", () => move(0.25)], ["All", all],
  ];
  for (const [text, act] of actions) {
    const button = make(tools, "button", "", text);
    button.type = "button";
    button.addEventListener("click", act);
  }
  tools.append(range);
  make(tools, "span", "hint", "drag to zoom, double-click for all; keys + \u2212 \u2190 \u2192 0");
  const keys = {
    "+": actions[0][1], "=": actions[0][1], "-": actions[1][1], ArrowLeft: actions[2][1],
    ArrowRight: actions[3][1], 0: all,
  };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  let drag = null;
  const mark = make(plots, "div", "selection");
  mark.hidden = true;
  const left = () => plots.getBoundingClientRect().left;
  const time = (x) => graphs[0].toDataXCoord(x);
  plots.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || graphs.length === 0) return;
    drag = { from: event.clientX - left(), id: event.pointerId };
    event.preventDefault();
    frame.focus({ preventScroll: true });
  });
  addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    drag.to = Math.min(Math.max(0, event.clientX - left()), plots.clientWidth);
    mark.hidden = false;
    mark.style.left = `${Math.min(drag.from, drag.to)}px`;
    mark.style.width = `${Math.abs(drag.to - drag.from)}px`;
  });
  const finish = (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { from, to } = drag;
    drag = null;
    mark.hidden = true;
    if (event.type === "pointerup" && to !== undefined && Math.abs(to - from) > 5) {
      show(time(Math.min(from, to)), time(Math.max(from, to)));
    }
  };
  addEventListener("pointerup", finish);
  addEventListener("pointercancel", finish);
  plots.addEventListener("dblclick", all);
  all();
  return show;
};
