/// One curve or one set of points of a plot.
struct PlotSeries {
  /// How a line is broken, so that curves differ without colour too.
  enum Dash: String, CaseIterable {
    case solid
    case dashed
    case dotted
    case mixed
  }

  enum Marker: CaseIterable {
    case circle
    case square
    case triangle
    case diamond
    case cross
  }

  /// What the legend says; empty for what it leaves out.
  var label: String
  var x: [Double]
  var y: [Double]
  var colour: String
  /// How its line is broken; nil for points alone.
  var dash: Dash? = .solid
  /// The sign at each of its points; nil for a line alone.
  var marker: Marker?
  var isFilled = true
  /// How the line beside its sign in the legend is broken, where that line is another series.
  var legendDash: Dash?
  /// Half the lengths of bars of uncertainty around the ordinates; empty for none.
  var spreads: [Double] = []

  /// The class of a colour for one of several things that differ in kind.
  static func hue(_ index: Int) -> String { "hue-\(index % 7)" }

  /// The line of one of several things that differ in kind.
  static func dash(_ index: Int) -> Dash { Dash.allCases[index % Dash.allCases.count] }

  /// The sign of one of several things that differ in kind.
  static func marker(_ index: Int) -> Marker { Marker.allCases[index % Marker.allCases.count] }

  /// The class of a colour for one of several things that are ordered, weak to strong.
  static func ramp(_ index: Int, of count: Int) -> String {
    "ramp-\(count > 1 ? index * 8 / (count - 1) : 8)"
  }
}

/// A straight line across a plot with a word beside it.
struct PlotMark {
  enum Place {
    case x(Double)
    case y(Double)
  }

  var place: Place
  var label: String
}
