private import Glibc
import Perception

/// What two actuators both reach, and 25 points spread over it.
struct CommonRegion {
  /// From the lowest frequency to the highest, in hertz.
  let frequencies: ClosedRange<Double>
  /// Five sharpnesses evenly over the region, and at each five intensities up to what both reach there.
  let nodes: [(intensity: Double, sharpness: Double)]

  /// Finds the widest stretch of sharpness over which both reach the weakest intensity of the grid.
  ///
  /// Nil where it is narrower than a just noticeable difference of frequency.
  init?(_ first: CalibrationProfile, _ second: CalibrationProfile) {
    let maps = [first, second].map { DriveMap(profile: $0, fullScaleVolts: .infinity) }
    let weakest = FeltGrid.intensities[0]
    func isCommon(_ intensity: Double, _ sharpness: Double) -> Bool {
      maps.allSatisfy {
        $0.command(intensity: intensity, sharpness: sharpness).mapping.isInside
      }
    }
    var (stretch, longest) = (0..<0, 0..<0)
    for step in 0...Self.steps {
      guard isCommon(weakest, Self.sharpness(step)) else { continue }
      stretch = stretch.upperBound == step ? stretch.lowerBound..<step + 1 : step..<step + 1
      if stretch.count > longest.count { longest = stretch }
    }
    guard let low = longest.first, let high = longest.last, low < high else { return nil }
    let law = first.laws.sharpness
    let ends = [low, high].map { law.frequency(of: Self.sharpness($0)) }.sorted()
    guard log(ends[1] / ends[0]) >= log(1 + JustNoticeable.frequency) else { return nil }
    frequencies = ends[0]...ends[1]
    let (from, to) = (Self.sharpness(low), Self.sharpness(high))
    nodes = (0...4).flatMap { column in
      let sharpness = from + (to - from) * Double(column) / 4
      var (reached, missed) = (weakest, 1.0)
      if isCommon(missed, sharpness) { reached = missed }
      for _ in 0..<8 where reached < missed {
        let middle = (reached + missed) / 2
        if isCommon(middle, sharpness) { reached = middle } else { missed = middle }
      }
      return (0...4).map { (weakest + (reached - weakest) * Double($0) / 4, sharpness) }
    }
  }

  private static let steps = 64

  private static func sharpness(_ step: Int) -> Double { Double(step) / Double(steps) }
}
