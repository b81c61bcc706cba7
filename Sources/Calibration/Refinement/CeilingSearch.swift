// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles

/// The search for the strongest steady vibration at each frequency.
///
/// Every frequency is first played as strongly as the limits let it last. Where harmonics exceed 10 %
/// the voltage is lowered by what their growth with the square of the level says, and tried again.
struct CeilingSearch: Sendable {
  struct Node: Sendable {
    let frequency: Double
    var volts: Double
    var binding: ReachableCeiling.Binding
    var reading: ToneReading?
  }

  static let allowedDistortion = 0.1
  static let rounds = 4

  var nodes: [Node] = []

  var open: [Int] {
    nodes.indices.filter { index in
      guard let reading = nodes[index].reading else { return true }
      return reading.distortion > Self.allowedDistortion
    }
  }

  /// Takes in a reading; a node that distorts is given a lower voltage to try.
  mutating func learn(_ reading: ToneReading, at index: Int, isLast: Bool) {
    nodes[index].reading = reading
    guard reading.distortion > Self.allowedDistortion, !isLast else { return }
    let ratio = 0.93 * (Self.allowedDistortion / reading.distortion).squareRoot()
    nodes[index].volts *= max(0.3, min(0.9, ratio))
    nodes[index].binding = .thd
  }

  /// Takes a node whose tone struck something down, to be tried again.
  mutating func lower(_ index: Int) {
    nodes[index].volts *= 0.7
    nodes[index].binding = .endstop
  }

  /// Takes a node whose tone the sensor could not bear down, to be tried again.
  mutating func halve(_ index: Int) { nodes[index].volts *= 0.5 }

  /// Makes an end stop what bounds the node that moved furthest.
  ///
  /// - Returns: How far that was, in metres as the acceleration tells it; nil where a stop bounds already.
  mutating func keepTravel() -> Double? {
    guard !nodes.contains(where: { $0.binding == .endstop }) else { return nil }
    guard let furthest = ceiling.points.max(by: { $0.travel < $1.travel }),
      let index = nodes.firstIndex(where: { $0.frequency == furthest.frequency })
    else { return nil }
    nodes[index].binding = .endstop
    return furthest.travel
  }

  /// The ceiling; nodes whose harmonics could not be brought down count as far as they may be trusted.
  var ceiling: ReachableCeiling {
    ReachableCeiling(
      points: nodes.compactMap { node in
        guard let reading = node.reading, reading.acceleration > 0 else { return nil }
        let excess = reading.distortion / Self.allowedDistortion
        let held = excess > 1 ? reading.acceleration / excess : reading.acceleration
        return ReachableCeiling.Point(
          frequency: node.frequency, acceleration: held,
          distortion: min(reading.distortion, Self.allowedDistortion), binding: node.binding)
      }.sorted { $0.frequency < $1.frequency })
  }

  /// The frequencies to search: those of sharpness in eighths, and around the resonance.
  static func frequencies(_ law: SharpnessLaw, resonance: Double?, q: Double) -> [Double] {
    let steps = (0...8).map { law.frequency(of: Double($0) / 8) }
    let (low, high) = (steps.min() ?? 80, steps.max() ?? 230)
    var found = steps
    // A step beyond both ends: gamut mapping moves by up to 9 %.
    found += [0.91 * low, 1.1 * high]
    if let resonance, q > 2 {
      for offset in [0, -0.6 / q, 0.6 / q] {
        let place = resonance * (1 + offset)
        if place > 0.91 * low, place < 1.1 * high,
          !found.contains(where: { abs($0 / place - 1) < 0.25 / q })
        {
          found.append(place)
        }
      }
    }
    return found.sorted()
  }
}
