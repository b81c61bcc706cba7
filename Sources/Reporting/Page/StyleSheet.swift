/// The style sheets: each stands in a file beside what it is for, and in the program once it is built.
///
/// A page names those that it needs, from the general to the special; their colours are the variables of
/// `Palette`.
enum StyleSheet {
  /// What all pages have.
  static let page = String(decoding: PackageResources.page_css, as: UTF8.self)
  /// Plots; one that stands alone brings it along.
  static let plot = String(decoding: PackageResources.plot_css, as: UTF8.self)
  /// Charts, and what scripts add to a page.
  static let chart = String(decoding: PackageResources.chart_css, as: UTF8.self)
  /// Certificates on the screen.
  static let certificate = String(decoding: PackageResources.certificate_css, as: UTF8.self)
  /// Certificates on paper.
  static let print = String(decoding: PackageResources.print_css, as: UTF8.self)
  /// Histories.
  static let history = String(decoding: PackageResources.history_css, as: UTF8.self)
}
