// SPDX-License-Identifier: Apache-2.0

import AHAP

/// Draws samples with few points: straight lines that stay within a tolerance of every sample.
///
/// From its first point each line is turned as far as all samples so far allow; when none fits any more it
/// ends at the last sample. One pass, with the memory of one line.
struct LineReducer {
  typealias Point = ParameterCurve.Point

  /// The points that are settled; the line after the last of them is still open.
  private(set) var points: [Point] = []
  private var last: Point?
  private var steepest = Double.infinity
  private var flattest = -Double.infinity

  /// Takes the next sample, at a later time.
  mutating func add(_ sample: Point, tolerance: Double) {
    guard let start = points.last, let last else {
      points = [sample]
      last = sample
      return
    }
    if !turn(from: start, to: sample, tolerance) {
      let corner = end(start, last)
      points.append(corner)
      (steepest, flattest) = (.infinity, -.infinity)
      _ = turn(from: corner, to: sample, tolerance)
    }
    self.last = sample
  }

  /// All points, the end of the open line included.
  func finished() -> [Point] {
    guard let start = points.last, let last, last.time > start.time else { return points }
    return points + [end(start, last)]
  }

  /// Narrows the slopes to those that pass a sample within its tolerance; false where none is left.
  private mutating func turn(from start: Point, to sample: Point, _ tolerance: Double) -> Bool {
    let length = sample.time - start.time
    let low = max(flattest, (sample.value - tolerance - start.value) / length)
    let high = min(steepest, (sample.value + tolerance - start.value) / length)
    guard low <= high else { return false }
    (flattest, steepest) = (low, high)
    return true
  }

  /// Where the open line ends: as near to the last sample as its slopes allow.
  private func end(_ start: Point, _ last: Point) -> Point {
    let length = last.time - start.time
    let slope = min(steepest, max(flattest, (last.value - start.value) / length))
    return Point(time: last.time, value: start.value + slope * length)
  }
}
