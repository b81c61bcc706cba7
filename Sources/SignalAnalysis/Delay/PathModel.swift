/// One path, or two, from a waveform to what came back of it, fitted to a transfer function.
///
///     H = g exp(-s d) / ((1 + b1 s/W + b2 (s/W)^2) (1 + c1 w/s + c2 (w/s)^2)) (1 + a exp(-s t))
///
/// with s = j times the radians a frame, w and W the lowest and the highest of them. The first bracket
/// is any low-pass of second order, or two of first, as converters and amplifiers have; the second the
/// same of high-passes, as couplings have; the last the echo.
struct PathModel {
  let spectra: PathSpectra

  struct Path {
    let parameters: [Double]
    let sumOfSquares: Double
    /// 0 for one path.
    let share: Double
    let distance: Double
  }

  /// Real and imaginary part of each point.
  var residualCount: Int { 2 * spectra.angular.count }

  private static let filterCount = 6
  private static let neutral = [1.0, 0, 0, 0, 0, 0]
  /// Where a filter and an echo do nearly the same, the sum hardly falls any more along a long valley.
  private static let tolerance = 1e-5

  /// The best of one path, from no filters or from those of another path; `nil` where none is found.
  func singlePath(from other: Path? = nil) -> Path? {
    minimum(from: (other?.parameters).map { Array($0[..<Self.filterCount]) } ?? Self.neutral).map {
      Path(parameters: $0.parameters, sumOfSquares: $0.sumOfSquares, share: 0, distance: 0)
    }
  }

  /// The best of two paths near a start, with no filters at first or with those of a single path too.
  func doublePath(from start: Start, beside single: Path? = nil) -> Path? {
    [Self.neutral, single?.parameters].compactMap { $0 }.compactMap { filters in
      minimum(from: filters + [start.share, start.distance])
    }.min { $0.sumOfSquares < $1.sumOfSquares }.map {
      Path(
        parameters: $0.parameters, sumOfSquares: $0.sumOfSquares,
        share: $0.parameters[Self.filterCount], distance: $0.parameters[Self.filterCount + 1])
    }
  }

  /// A weak echo, and by how much it would lower the sum of squares.
  struct Start {
    let distance: Double
    let share: Double
    let gained: Double
  }

  /// What echoes at some distances would explain of what the path leaves over, the most first.
  ///
  /// To first order in the share: of the echo's residuals what the path's own parameters cannot do is
  /// kept, and compared with what is left over.
  func starts(_ distances: [Double], beside single: Path) -> [Start] {
    let basis = orthonormal(single)
    let rest = residuals(single.parameters)
    return distances.map { distance in
      var echo = echoColumn(single.parameters, distance)
      // Twice: what rounding leaves of the first time.
      for _ in 0..<2 {
        for column in basis { Self.remove(column, from: &echo) }
      }
      let (own, common) = (Self.product(echo, echo), Self.product(echo, rest))
      guard own > 0 else { return Start(distance: distance, share: 0, gained: 0) }
      // Beyond first order nothing is known, and a share near 1 turns the two paths round.
      let share = min(0.5, max(-0.5, -common / own))
      return Start(distance: distance, share: share, gained: common * common / own)
    }.sorted { $0.gained > $1.gained }
  }

  private func minimum(from start: [Double]) -> LevenbergMarquardt.Minimum? {
    let count = start.count
    return LevenbergMarquardt(residualCount: residualCount) { request in
      switch request {
      case .residuals(let parameters, let target):
        let values = residuals(Array(UnsafeBufferPointer(start: parameters, count: count)))
        target.update(from: values, count: values.count)
      case .jacobian(let parameters, let target):
        let columns = jacobian(Array(UnsafeBufferPointer(start: parameters, count: count)))
        for (place, column) in columns.enumerated() {
          (target + place * residualCount).update(from: column, count: column.count)
        }
      }
    }.minimum(from: start, tolerance: Self.tolerance)
  }
}

extension PathModel {
  /// What the model makes of one bin, and the parts of which its slopes are made.
  private struct Value {
    /// The whole.
    let model: Complex
    /// The whole without the echo.
    let path: Complex
    /// s/W over the low-pass bracket.
    let low: Complex
    /// w/s over the high-pass bracket.
    let high: Complex
    /// s/W.
    let fast: Complex
    /// w/s.
    let slow: Complex
    /// exp(-s t).
    let late: Complex
  }

  private func value(_ p: [Double], _ bin: Int) -> Value {
    let turn = spectra.angular[bin]
    let fast = Complex(0, turn / spectra.highest)
    let slow = Complex(0, -spectra.lowest / turn)
    let lowPass = Complex(1) + p[2] * fast + p[3] * (fast * fast)
    let highPass = Complex(1) + p[4] * slow + p[5] * (slow * slow)
    let path = p[0] * Complex(angle: -turn * p[1]) / (lowPass * highPass)
    let hasEcho = p.count > Self.filterCount
    let late = hasEcho ? Complex(angle: -turn * p[Self.filterCount + 1]) : Complex(0)
    return Value(
      model: hasEcho ? path * (Complex(1) + p[Self.filterCount] * late) : path, path: path,
      low: fast / lowPass, high: slow / highPass, fast: fast, slow: slow, late: late)
  }

  private func residuals(_ p: [Double]) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(residualCount)
    for bin in spectra.angular.indices {
      let rest = 1 / spectra.sigma[bin] * (spectra.response[bin] - value(p, bin).model)
      values.append(rest.real)
      values.append(rest.imaginary)
    }
    return values
  }

  /// The slopes of the residuals, a column a parameter.
  private func jacobian(_ p: [Double]) -> [[Double]] {
    var columns = [[Double]](repeating: [], count: p.count)
    for place in columns.indices { columns[place].reserveCapacity(residualCount) }
    for bin in spectra.angular.indices {
      let turn = spectra.angular[bin]
      let value = value(p, bin)
      let model = value.model
      var slopes = [
        1 / p[0] * model, Complex(0, -turn) * model, -1 * (model * value.low),
        -1 * (model * value.low * value.fast), -1 * (model * value.high),
        -1 * (model * value.high * value.slow),
      ]
      if p.count > Self.filterCount {
        slopes.append(value.path * value.late)
        slopes.append(p[Self.filterCount] * (Complex(0, -turn) * value.path * value.late))
      }
      for (place, slope) in slopes.enumerated() {
        columns[place].append(-slope.real / spectra.sigma[bin])
        columns[place].append(-slope.imaginary / spectra.sigma[bin])
      }
    }
    return columns
  }

  /// The residuals' slope over the share of an echo that is not there yet.
  private func echoColumn(_ p: [Double], _ distance: Double) -> [Double] {
    spectra.angular.indices.flatMap { bin in
      let echo =
        -1 / spectra.sigma[bin]
        * (value(p, bin).path * Complex(angle: -spectra.angular[bin] * distance))
      return [echo.real, echo.imaginary]
    }
  }

  /// What the path's own parameters can do to the residuals, as columns of length 1 at right angles.
  private func orthonormal(_ single: Path) -> [[Double]] {
    var basis: [[Double]] = []
    for column in jacobian(single.parameters) {
      var rest = column
      for _ in 0..<2 {
        for earlier in basis { Self.remove(earlier, from: &rest) }
      }
      let length = Self.product(rest, rest).squareRoot()
      guard length > 1e-9 * Self.product(column, column).squareRoot() else { continue }
      basis.append(rest.map { $0 / length })
    }
    return basis
  }

  private static func product(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for index in first.indices { sum += first[index] * second[index] }
    return sum
  }

  private static func remove(_ unit: [Double], from column: inout [Double]) {
    let share = product(unit, column)
    for index in column.indices { column[index] -= share * unit[index] }
  }
}
