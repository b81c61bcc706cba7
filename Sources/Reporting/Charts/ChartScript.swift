/// How a take becomes a chart of dygraphs: a graph a panel, one window of time for all.
enum ChartScript {
  /// The functions that draw, for `PageScript`.
  static var text: String { data + graphs + controls }

  private static let data = #"""
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
    const traceColour = (name) => colour(
      ["intensity", "sharpness", "drive", "response", "sound"].includes(name) ? name : "ink");

    """#

  private static let graphs = #"""
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
          name: trace.name, high: decode(trace.high, trace.largest),
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
            make(legend, "i", `swatch-line trace-${trace.name}`);
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
        for (const [, , , onset] of hasOnsets ? data.events : []) {
          if (onset === null) continue;
          const mark = graph.toDomXCoord(onset);
          context.beginPath();
          context.moveTo(mark, area.y);
          context.lineTo(mark, area.y + area.h);
          context.stroke();
          context.beginPath();
          context.moveTo(mark, area.y + 8);
          context.lineTo(mark - 4, area.y);
          context.lineTo(mark + 4, area.y);
          context.fill();
        }
        context.restore();
      };
      const select = (row, source) => {
        for (const graph of graphs) {
          if (graph !== source && graph.panel) graph.setSelection(row);
        }
        const time = graphs[0].getValue(row, 0);
        read.textContent = `${time.toFixed(4)} s: ` + panels.map((panel) => panel.traces
          .filter((trace) => row < trace.high.length && !Number.isNaN(trace.high[row]))
          .map(({ name, high, low }) => `${name} `
            + (low ? `${concise(low[row])} to ` : "") + concise(high[row])
            + (panel.unit ? ` ${panel.unit}` : "")).join(", ")).filter(Boolean).join("; ");
      };
      const unselect = () => {
        graphs.forEach((graph) => graph.clearSelection());
        read.textContent = "\u00a0";
      };
      const tones = (panel) => ({
        gridLineColor: colour("grid"), axisLineColor: colour("zero"),
        colors: panel ? panel.traces.map((trace) => traceColour(trace.name)) : [colour("ink")],
      });
      // The ticks are the still picture's own.
      const common = (isLast, ticks) => ({
        dateWindow: [start, end], legend: "never", interactionModel: {}, rightGap: 12,
        gridLineWidth: 0.5, axisLabelFontSize: 11, highlightCircleSize: 3,
        axes: {
          x: { drawAxis: isLast, pixelsPerLabel: 70 },
          y: {
            axisLabelWidth: 54,
            ticker: () => ticks.map(([value, text]) => ({ v: value, label: text })),
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
      panels.forEach((panel, index) => {
        const { title, unit, traces } = panel;
        const hasBands = traces.some((trace) => trace.low);
        const isLast = index === panels.length - 1 && !data.spectrogram;
        heading(title, unit, traces, "");
        const graph = add(
          panel,
          ({ Response: 150, Drive: 104 }[title] || 84) + (isLast ? 22 : 0),
          rowsOf(traces, hasBands, start, (end - start) / traces[0].high.length), {
            ...common(isLast, panel.ticks), ...tones(panel),
            labels: ["time", ...traces.map((trace) => trace.name)], customBars: hasBands,
            valueRange: panel.range, strokeWidth: hasBands ? 0.8 : 1.5, fillAlpha: 0.5,
            underlayCallback: underlay(index === 0, title === "Response"),
            highlightCallback: (event, x, points, row) => select(row, graph),
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
      const repaint = () => graphs.forEach((graph) => graph.updateOptions(tones(graph.panel)));
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
      new ResizeObserver(() => {
        if (frame.clientWidth > 0) graphs.forEach((graph) => graph.resize());
      }).observe(frame);
      addControls({ frame, tools, plots, graphs, start, end });
    };

    """#

  private static let controls = #"""
    const addControls = ({ frame, tools, plots, graphs, start, end }) => {
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
        graphs.forEach((graph) => graph.updateOptions({ dateWindow: view }));
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
    };

    """#
}
