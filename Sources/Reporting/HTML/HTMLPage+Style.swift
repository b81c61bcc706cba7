extension HTMLPage {
  /// The style of a report; its colours are the variables of `Palette`.
  static let styleSheet = """
    *, *::before, *::after { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
    body {
      margin: 0; background: var(--page); color: var(--ink);
      font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
      font-variant-numeric: tabular-nums lining-nums;
    }
    header, main { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
    header { padding-top: 28px; }
    section {
      background: var(--surface); border: 1px solid var(--rule); border-radius: 6px;
      padding: 18px 20px 20px; margin: 0 0 16px; scroll-margin-top: 12px;
    }
    h1, h2, h3, p, ul, dl, figure { margin: 0; }
    h1 { font-size: 26px; line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; }
    h1, h2 { overflow-wrap: anywhere; }
    .on { font-weight: 400; color: var(--muted); }
    h2 { font-size: 18px; line-height: 1.3; font-weight: 650; }
    h3 {
      font-size: 12px; font-weight: 650; color: var(--muted); letter-spacing: 0.04em;
      text-transform: uppercase; margin: 18px 0 6px;
    }
    a { color: var(--link); text-underline-offset: 2px; text-decoration-thickness: 1px; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
    .skip {
      position: absolute; left: -999px; top: 8px; padding: 6px 12px; background: var(--surface);
    }
    .skip:focus { left: 8px; z-index: 1; }
    .eyebrow, .note { color: var(--muted); font-size: 12.5px; }
    .eyebrow { margin-bottom: 4px; overflow-wrap: anywhere; }
    .title { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; }
    .sentence { font-size: 15px; margin: 10px 0 16px; max-width: 78ch; overflow-wrap: anywhere; }
    .alert {
      margin-top: 12px; padding: 8px 12px; border-left: 4px solid var(--fail);
      background: var(--fail-ground); color: var(--ink); overflow-wrap: anywhere;
    }
    .alert strong { color: var(--fail); text-transform: capitalize; }
    .badge {
      display: inline-block; padding: 0 8px; border-radius: 4px; border: 1px solid currentColor;
      font-size: 12.5px; line-height: 19px; font-weight: 600; white-space: nowrap;
    }
    .badge.large { font-size: 16px; line-height: 28px; padding: 0 14px; }
    .pass { color: var(--pass); background: var(--pass-ground); }
    .marginal { color: var(--marginal); background: var(--marginal-ground); }
    .missing { color: var(--missing); background: var(--missing-ground); }
    .fail { color: var(--fail); background: var(--fail-ground); }
    .warning { margin-top: 6px; overflow-wrap: anywhere; }
    .unjudged { color: var(--muted); background: var(--raised); }
    .verdicts {
      list-style: none; padding: 0; margin-top: 12px; display: grid; gap: 10px 24px;
      grid-template-columns: repeat(auto-fit, minmax(230px, 1fr));
    }
    .verdicts p { color: var(--muted); font-size: 12.5px; margin-top: 3px; overflow-wrap: anywhere; }
    .facts {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(230px, 1fr)); gap: 12px 24px;
      border-top: 1px solid var(--rule); padding: 14px 0 20px;
    }
    dt { color: var(--muted); font-size: 12.5px; }
    dd { margin: 0; overflow-wrap: anywhere; }
    .facts dd { font-weight: 550; }
    .detail { color: var(--muted); font-size: 12.5px; font-weight: 400; }
    .facts .detail { display: block; }
    .tally {
      display: flex; flex-wrap: wrap; gap: 2px 20px; color: var(--muted); margin: 4px 0 10px;
    }
    .tally b { color: var(--ink); font-weight: 650; }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: 13px; line-height: 1.4; }
    caption { text-align: left; padding: 14px 0 6px; font-weight: 600; }
    th, td {
      text-align: left; vertical-align: top; padding: 5px 14px 5px 0;
      border-bottom: 1px solid var(--grid); white-space: nowrap;
    }
    th:last-child, td:last-child { padding-right: 0; }
    thead th {
      color: var(--muted); font-size: 12px; font-weight: 600; vertical-align: bottom;
      border-bottom: 1px solid var(--zero);
    }
    tbody th { font-weight: 550; }
    tbody tr:hover { background: var(--raised); }
    .number { text-align: right; }
    .number + :not(.number) { padding-left: 10px; }
    td .detail { display: block; }
    .summary th[scope="row"], td.words { white-space: normal; overflow-wrap: anywhere; }
    td.words { min-width: 16ch; }
    .summary th[scope="row"] { min-width: 11ch; }
    .summary thead th { white-space: normal; }
    .hidden {
      position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    }
    .scroll + .note { margin-top: 8px; }
    .absent { color: var(--muted); }
    .reasons { list-style: none; padding: 0; display: grid; gap: 5px; }
    .reasons li {
      display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline;
      overflow-wrap: anywhere;
    }
    .subject { font-weight: 550; }
    .diagnostics { padding-left: 18px; font-size: 13px; overflow-wrap: anywhere; }
    details { margin-top: 12px; }
    summary { cursor: pointer; color: var(--link); font-size: 13px; width: fit-content; }
    .columns {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 0 28px;
    }
    .list {
      display: grid; grid-template-columns: fit-content(45%) minmax(0, 1fr); gap: 3px 14px;
      font-size: 13px;
    }
    .list dt { overflow-wrap: anywhere; }
    .wide { max-width: 100ch; margin-top: 8px; }
    figure { margin: 12px 0 4px; }
    .figure { display: block; width: 100%; min-width: 720px; height: auto; }
    .figure text { font-size: 11px; fill: var(--muted); }
    .figure .heading { font-size: 12.5px; font-weight: 650; fill: var(--ink); }
    .figure .unit { font-size: 11px; font-weight: 400; fill: var(--muted); }
    .figure .event-number { font-size: 10px; }
    .figure path { fill: none; }
    .grid { stroke: var(--grid); stroke-width: 1; }
    .zero { stroke: var(--zero); stroke-width: 1; }
    .frame { fill: none; stroke: var(--rule); stroke-width: 1; }
    .event { fill: var(--event); }
    .swatch-event { stroke: var(--rule); }
    .figure .onset { stroke: var(--onset); stroke-width: 1; stroke-dasharray: 3 2; }
    .figure .onset-mark { fill: var(--onset); }
    .curve, .band { stroke: var(--colour); stroke-linejoin: round; stroke-linecap: round; }
    .curve { stroke-width: 1.5; }
    .figure .band { fill: var(--colour); fill-opacity: 0.45; stroke-width: 0.9; }
    .swatch { stroke: var(--colour); stroke-width: 2.5; }
    .trace-intensity { --colour: var(--intensity); }
    .trace-sharpness { --colour: var(--sharpness); }
    .trace-drive { --colour: var(--drive); }
    .trace-response { --colour: var(--response); }
    .trace-sound { --colour: var(--sound); }
    .trace-target, .trace-tolerance { --colour: var(--intensity); }
    .trace-measured { --colour: var(--response); }
    .trace-take { --colour: var(--drive); }
    .trace-model { --colour: var(--sharpness); }
    .trace-rest, .trace-other { --colour: var(--ink); }
    .figure .trace-tolerance.band { fill-opacity: 0.2; stroke: none; }
    .figure .trace-model.band { fill-opacity: 0.3; stroke-width: 0.5; }
    .trace-target.curve { stroke-dasharray: 6 3; }
    .trace-take.curve { stroke-width: 0.9; }
    .figure .mark { stroke-width: 1; stroke: var(--surface); }
    .figure .good { fill: var(--pass); }
    .figure .marginal-mark { fill: var(--marginal); }
    .figure .bad { fill: var(--fail); }
    .figure .dropped { stroke: var(--fail); stroke-width: 2.4; }
    .figure .unmeasured { stroke: var(--missing); stroke-width: 1.4; }
    p.outcome { font-size: 14.5px; margin: 4px 0; overflow-wrap: anywhere; }
    .summary tr:has(+ .outcome) > * { border-bottom: 0; padding-bottom: 0; }
    tr.outcome td { padding-top: 0; color: var(--muted); white-space: normal; }
    tr.outcome div { position: sticky; left: 0; width: fit-content; max-width: calc(100vw - 50px); }
    .figure .swatch.trace-tolerance { stroke-width: 8; opacity: 0.25; }
    .cursor path { stroke: var(--ink); stroke-width: 0.8; opacity: 0.6; }
    .figure .cursor text {
      fill: var(--ink); paint-order: stroke; stroke: var(--surface); stroke-width: 4px;
    }
    @media (max-width: 600px) {
      header, main { padding: 0 12px; }
      header { padding-top: 16px; }
      section { padding: 14px 12px 16px; }
      h1 { font-size: 21px; }
      .facts { grid-template-columns: 1fr 1fr; gap: 10px 16px; }
    }
    @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
    @media print {
      @page { margin: 14mm 12mm; }
      body { background: #fff; font-size: 10pt; }
      header, main { max-width: none; padding: 0; }
      section { border: 0; border-top: 1px solid var(--rule); border-radius: 0; padding: 10pt 0; }
      .skip { display: none; }
      tr.outcome div { max-width: none; }
      .scroll { overflow: visible; }
      .figure { min-width: 0; }
      figure, tr { break-inside: avoid; }
      h2, h3, caption { break-after: avoid; }
      table { font-size: 8pt; }
      th, td { white-space: normal; padding-right: 8pt; }
      td.number { white-space: nowrap; }
      .badge, .event, .alert { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }

    """
}
