import Acceptance

extension TakeFigure {
  /// How many other takes are laid under one at most: more cannot be told apart.
  private static let mostUnder = 8

  /// The picture with the envelopes of other takes of its pattern under its own.
  ///
  /// Takes whose columns are not this picture's, as of one that was cut short, are left out.
  func overlaid(with others: [TakeFigure]) -> TakeFigure {
    let name = "measured"
    guard let place = panels.firstIndex(where: { $0.title == "Envelope" }),
      let own = panels[place].traces.firstIndex(where: { $0.name == name })
    else { return self }
    let columns = panels[place].traces[own].lowest.count
    let under = others.compactMap { other -> Trace? in
      guard other.span == span, other.take != take,
        var trace = other.panels.first(where: { $0.title == "Envelope" })?.traces
          .first(where: { $0.name == name }),
        trace.lowest.count == columns
      else { return nil }
      trace.name = "take \(other.take)"
      return trace
    }
    var figure = self
    figure.panels[place].traces.insert(contentsOf: under.prefix(Self.mostUnder), at: own)
    return figure
  }
}
