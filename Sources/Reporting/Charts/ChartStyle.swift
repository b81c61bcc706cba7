/// The style of charts, and of what scripts add to a page.
enum ChartStyle {
  /// All of it, beyond the style of a report.
  static let sheet = """
    .scripted figure.take:not([data-drawn]) { min-height: 900px; }
    .body > summary { font-weight: 550; }
    .tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 10px 0 6px; }
    button {
      font: inherit; font-size: 12.5px; padding: 2px 10px; border-radius: 4px; cursor: pointer;
      color: var(--link); background: var(--surface); border: 1px solid var(--zero);
    }
    button:hover { background: var(--raised); }
    .tools output { margin-left: 8px; font-size: 12.5px; font-weight: 550; }
    .hint { margin-left: auto; color: var(--muted); font-size: 12px; }
    .chart { padding: 2px 0; }
    .plots {
      position: relative; user-select: none; -webkit-user-select: none; touch-action: pan-y;
      cursor: crosshair;
    }
    .panel-head { display: flex; gap: 8px; align-items: baseline; font-size: 12.5px; margin: 6px 0 2px; }
    .panel-head .unit, .panel-head .legend { color: var(--muted); font-size: 11.5px; }
    .panel-head .legend { margin-left: auto; margin-right: 12px; }
    .panel-head .legend span { margin-right: 10px; }
    .swatch-line {
      display: inline-block; width: 16px; margin-right: 5px; vertical-align: middle;
      border-top: 2.5px solid var(--colour);
    }
    .swatch-line.trace-tolerance { border-top-width: 9px; opacity: 0.25; }
    .swatch-line.trace-target { border-top-style: dashed; }
    .plot-area { width: 100%; }
    .marks { display: block; }
    .sign { width: 12px; height: 12px; margin-right: 4px; vertical-align: -1px; }
    .selection {
      position: absolute; top: 0; bottom: 0; background: var(--link); opacity: 0.18;
      pointer-events: none;
    }
    .readout { color: var(--muted); font-size: 12px; min-height: 18px; overflow-wrap: anywhere; }
    .dygraph-axis-label {
      z-index: 1; line-height: normal; overflow: hidden; color: var(--muted);
    }
    .pictures {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr));
      gap: 14px 28px; margin-top: 10px;
    }
    .pictures figure { margin: 0; break-inside: avoid; max-width: 600px; }
    figcaption { color: var(--muted); font-size: 12.5px; margin-top: 2px; }
    .plot .bar { fill: var(--drive); fill-opacity: 0.75; stroke: none; }
    .plot .lane { stroke: var(--grid); stroke-width: 1; }
    .plot .fault { stroke: var(--fail); stroke-width: 1.6; }
    .plot .fault.filled { fill: var(--fail); }
    .hash { font: 12px/1.4 ui-monospace, "Liberation Mono", monospace; overflow-wrap: anywhere; }
    td.hash { white-space: normal; }
    .failure { border-left: 4px solid var(--fail); padding-left: 12px; margin: 4px 0 14px; }
    @media screen { .zoomable > .still { display: none; } }
    @media print {
      .chart, .tools { display: none; }
      .scripted figure.take:not([data-drawn]) { min-height: 0; }
      .hash { font-size: 7pt; }
    }

    """
}
