/// The style of a certificate beyond that of a report.
enum CertificateStyle {
  /// All of it.
  static var sheet: String { HTMLPage.styleSheet + page + pictures + print }

  private static let page = """
    .plots {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr));
      gap: 14px 28px; margin-top: 10px;
    }
    .plots figure { margin: 0; break-inside: avoid; }
    .plots figcaption { color: var(--muted); font-size: 12.5px; margin-top: 2px; }
    .badge { white-space: nowrap; }
    td .unit, th .unit { color: var(--muted); font-weight: 400; }
    .notes, .words { max-width: 100ch; }
    .notes { padding-left: 18px; }
    .notes li { margin-top: 3px; overflow-wrap: anywhere; }
    table.fitted { width: auto; min-width: 50%; }
    td.mapped { color: var(--muted); font-style: italic; }
    .hash { font: 12px/1.4 ui-monospace, "Liberation Mono", monospace; overflow-wrap: anywhere; }
    td.hash { white-space: normal; }

    """

  /// The style of pictures, which a picture that stands alone brings along.
  static let pictures: String = {
    let hues = ["intensity", "sharpness", "response", "sound", "onset", "drive", "ink"]
    let ramps = (0...8).map { step in
      ".ramp-\(step) { --colour: var(--intensity); --colour: color-mix(in srgb, "
        + "var(--sharpness) \(step * 100 / 8)%, var(--intensity)); }\n"
    }
    return """
      .plot { display: block; width: 100%; height: auto; }
      .plot text {
        font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
        font-variant-numeric: tabular-nums lining-nums; fill: var(--muted);
      }
      .plot .heading { font-size: 12.5px; font-weight: 650; fill: var(--ink); }
      .plot .axis { fill: var(--ink); }
      .plot path { fill: none; }
      .plot .ground { fill: var(--surface); }
      .plot .grid { stroke: var(--grid); stroke-width: 1; }
      .plot .zero { stroke: var(--zero); stroke-width: 1; }
      .plot .frame { fill: none; stroke: var(--zero); stroke-width: 1; }
      .plot .curve {
        stroke: var(--colour); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: butt;
      }
      .plot .dashed { stroke-dasharray: 6 3; }
      .plot .dotted { stroke-dasharray: 1.6 2.4; }
      .plot .mixed { stroke-dasharray: 8 2.5 1.6 2.5; }
      .plot .asked { --colour: var(--zero); stroke-width: 1; }
      .plot .point { stroke: var(--colour); stroke-width: 1.4; }
      .plot .point.filled { fill: var(--colour); }
      .plot .point.hollow { fill: none; }
      .plot .spread { stroke: var(--colour); stroke-width: 1; }
      .plot .mark { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 3 3; }
      .plot .word {
        fill: var(--ink); paint-order: stroke; stroke: var(--surface); stroke-width: 3.5px;
      }
      .plot rect { shape-rendering: crispEdges; }
      .plot .reached { fill: color-mix(in srgb, var(--pass) 12%, var(--surface)); }
      .plot .near { fill: color-mix(in srgb, var(--marginal) 30%, var(--surface)); }
      .plot .edge { fill: color-mix(in srgb, var(--marginal) 60%, var(--surface)); }
      .plot .beyond { fill: color-mix(in srgb, var(--fail) 75%, var(--surface)); }
      .plot .key { stroke: var(--zero); stroke-width: 0.8; }

      """
        + hues.enumerated().map { ".hue-\($0) { --colour: var(--\($1)); }\n" }.joined()
        + ramps.joined()
  }()

  private static let print = """
    @media print {
      @page { size: A4; margin: 14mm 12mm; }
      .plots { grid-template-columns: 1fr 1fr; gap: 4mm 6mm; }
      .plots figure, table.whole, .tally, .facts, .columns > div, .list { break-inside: avoid; }
      section { break-inside: auto; }
      header { break-after: avoid; }
      .note { break-before: avoid; }
      thead { display: table-header-group; }
      .facts { grid-template-columns: 1fr 1fr 1fr; padding: 8pt 0 10pt; gap: 6pt 12pt; }
      .sentence { font-size: 11pt; margin: 6pt 0 8pt; }
      caption { padding: 8pt 0 3pt; }
      th, td { padding-top: 2.4pt; padding-bottom: 2.4pt; }
      td.text:not(.words):not(.hash) { white-space: nowrap; }
      .badge:not(.large) { font-size: 8pt; line-height: 10pt; padding: 0 4pt; }
      .detail, .plots figcaption, .note, dt { font-size: 8pt; }
      .list { font-size: 9pt; }
      .plot { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      tbody tr:hover { background: none; }
    }

    """
}
