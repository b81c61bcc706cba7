/// The style of a history beyond that of a report.
enum HistoryStyle {
  static let sheet = """
    .findings { padding-left: 18px; max-width: 90ch; margin: 6px 0 4px; }
    .findings li { margin-top: 3px; overflow-wrap: anywhere; }
    .spark { padding-right: 14px; }
    .sparkline { display: block; width: 240px; height: 40px; overflow: visible; }
    .sparkline path { fill: none; }
    .sparkline .median { stroke: var(--intensity); stroke-width: 1.3; stroke-linejoin: round; }
    .sparkline .sigma { fill: var(--intensity); fill-opacity: 0.22; stroke: none; }
    .sparkline .level { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 5 3; }
    .sparkline .bound { stroke: var(--fail); stroke-width: 1.2; stroke-dasharray: 1.6 2.4; }
    .sparkline .shift { stroke: var(--onset); stroke-width: 1; }
    .sparkline .shift-mark { fill: var(--onset); }
    .sparkline .newest { fill: var(--intensity); }
    table.series { table-layout: fixed; min-width: 1000px; }
    .series th:nth-child(1) { width: 17%; }
    .series th:nth-child(2) { width: 256px; }
    .series th:nth-child(6) { width: 17%; }
    .series th:nth-child(7) { width: 16%; }
    .series th, .series td { white-space: normal; overflow-wrap: anywhere; }
    .changes th:first-child { white-space: normal; min-width: 185px; }
    .changes td.words { min-width: 150px; }
    .change { display: block; }
    tr:target { background: var(--raised); outline: 2px solid var(--link); }
    @media print {
      .sparkline { width: 150px; height: 25px; }
      table.series { min-width: 0; }
      .series th:nth-child(2) { width: 164px; }
      .pictures { grid-template-columns: 1fr 1fr; gap: 8px 14px; }
      details.changed::details-content { content-visibility: visible; }
      .changes th:first-child, .changes td.words { min-width: 0; }
      .changes td:last-child { min-width: 24mm; }
      .changes .detail, .series .detail { font-size: 6.5pt; }
    }

    """
}
