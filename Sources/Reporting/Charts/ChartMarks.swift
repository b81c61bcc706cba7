/// How the grades of events stand above a chart: a shape and a colour each, on the chart's own time axis.
enum ChartMarks {
  /// The functions that draw them, for `ChartScript`.
  static let text = #"""
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

    """#
}
