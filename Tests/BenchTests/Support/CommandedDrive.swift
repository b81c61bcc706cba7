// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import SeededRandom

/// A drive that takes a command each interval and plays it with a phase of its own, apart from the product's code.
struct CommandedDrive {
  var expressible: ExpressibleDrive
  /// Whether the phase is another one whenever a tone sets in; otherwise it goes on where it stopped.
  var isPhaseLost = false
  var seed: UInt64 = 0x70e

  /// The waveform that arrives at the actuator for the one that was sent, both of full scale.
  func playing(_ sent: [Float], rate: Double) -> [Float] {
    var random = SeededRandom(seed: seed)
    var made = [Float](repeating: 0, count: sent.count)
    let width = expressible.updateInterval * rate
    var turns = 0.0
    var isDriven = false
    for slot in 0..<Int(Double(sent.count) / width) {
      let first = Int((Double(slot) * width).rounded())
      let end = Int((Double(slot + 1) * width).rounded())
      let tone = expressible.nearest(command(sent, first, end, rate: rate))
      defer { isDriven = tone.amplitude > 0 }
      guard tone.amplitude > 0 else { continue }
      if isPhaseLost, !isDriven { turns = random.uniform() }
      for frame in first..<end {
        made[frame] = Float(tone.amplitude * sin(2 * .pi * turns))
        turns += tone.frequency / rate
      }
    }
    return made
  }

  /// A slot's tone from sums of squares, as docs/decisions/016 says what a waveform becomes: slower than 20 Hz nothing
  /// is a tone, and counts by its highest sample.
  private func command(_ sent: [Float], _ first: Int, _ end: Int, rate: Double) -> DriveTone {
    let lag = Int((0.5e-3 * rate).rounded())
    func at(_ frame: Int) -> Double { sent.indices.contains(frame) ? Double(sent[frame]) : 0 }
    var (square, swing, turn, highest) = (0.0, 0.0, 0.0, 0.0)
    for frame in first..<end {
      let (before, here, after) = (at(frame - lag), at(frame), at(frame + lag))
      square += here * here
      swing += here * (before + after) / 2
      turn += here * here - before * after
      highest = max(highest, abs(here))
    }
    guard square > 1e-9 else { return DriveTone(frequency: 0, amplitude: 0) }
    let turned = acos(max(-1, min(1, swing / square)))
    guard turned > 2 * .pi * 20 * Double(lag) / rate else {
      return DriveTone(frequency: 20, amplitude: highest)
    }
    let power = max(0, turn) / Double(end - first) / max(pow(sin(turned), 2), 1e-3)
    return DriveTone(
      frequency: turned * rate / (2 * .pi * Double(lag)), amplitude: min(1, power.squareRoot()))
  }
}
