/// What a report's page does where scripts run.
///
/// Pictures are drawn when they come into view; with dygraphs they can be zoomed by pointer, buttons and
/// keys, all panels on one time axis. Nothing is fetched, and no text of the record becomes markup.
enum PageScript {
  /// All of it: `page.js` is what the others build on, `chart.js` makes a chart of a take, with a mark for the
  /// grade of each event, `view.js` begins.
  static let text = String(
    decoding: PackageResources.page_js + PackageResources.chart_js + PackageResources.view_js,
    as: UTF8.self)
}
