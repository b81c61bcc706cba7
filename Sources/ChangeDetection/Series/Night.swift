/// One run's value of a reading, as one of the repeats of a night.
public struct Repeat: Sendable, Hashable {
  /// The id of the run.
  public var run: String
  /// The value in the series' unit.
  public var value: Double
  /// The reading's own standard uncertainty, in the same unit; 0 where it has none.
  public var uncertainty: Double

  /// Makes a repeat.
  public init(run: String, value: Double, uncertainty: Double = 0) {
    self.run = run
    self.value = value
    self.uncertainty = uncertainty
  }
}

/// All runs of one UTC day, as one robust value.
public struct Night: Sendable, Hashable {
  /// Days since 1970-01-01, UTC.
  public var day: Int
  /// The median of the night's runs.
  public var value: Double
  /// The standard uncertainty of the median, from measurement.
  public var uncertainty: Double
  /// How many runs it rests on.
  public var count: Int
  /// The id of the run nearest to the median.
  public var run: String

  /// Makes a night.
  public init(day: Int, value: Double, uncertainty: Double = 0, count: Int = 1, run: String = "") {
    self.day = day
    self.value = value
    self.uncertainty = uncertainty
    self.count = count
    self.run = run
  }

  /// Takes the median of a night's repeats; `nil` where none of them is a finite number.
  ///
  /// The uncertainty of the median of n values of standard deviation s is taken as
  /// s sqrt(pi / (2 n + pi - 2)): exact for one value and for many, within 1 % between. s is the
  /// larger of the repeats' scatter (1.4826 times the median absolute deviation, with the
  /// small-sample factors of Croux and Rousseeuw, "Time-efficient algorithms for two highly robust
  /// estimators of scale", 1992) and the median of the repeats' own uncertainties.
  public init?(day: Int, repeats: [Repeat]) {
    let finite = repeats.filter(\.value.isFinite)
    guard let median = Robust.median(finite.map(\.value)) else { return nil }
    let nearest = finite.min {
      (abs($0.value - median), $0.run) < (abs($1.value - median), $1.run)
    }
    let own = Robust.median(finite.map(\.uncertainty).filter(\.isFinite)) ?? 0
    let deviation = max(Robust.deviation(of: finite.map(\.value)), own)
    let count = Double(finite.count)
    self.init(
      day: day, value: median,
      uncertainty: deviation * (Double.pi / (2 * count + Double.pi - 2)).squareRoot(),
      count: finite.count, run: nearest?.run ?? "")
  }
}
