// SPDX-License-Identifier: Apache-2.0

/// A drive map as a table over intensity and sharpness, for a render loop to look up.
///
/// Between its nodes straight in both; intensity 0 is silence, and the first column is what the weakest
/// intensity above 0 asks for.
public struct DriveTable: Sendable, Equatable {
  /// How many steps there are from intensity 0 to 1.
  public static let intensitySteps = 64
  /// How many steps there are from sharpness 0 to 1.
  ///
  /// On the flank of a resonance what is reachable ends within a few of the 256; a rotating mass, which
  /// follows one smooth curve, takes 64.
  public let sharpnessSteps: Int

  /// Frames a second.
  public let rate: Double
  /// What the inverse filter is fed with, in m/s2 (for a rotating mass volts), intensity by intensity
  /// within a sharpness.
  public let amplitudes: [Float]
  /// Turns a frame, in the same order.
  public let turns: [Float]

  /// Looks every node up in a map, which costs some 17,000 commands; the rate is in hertz.
  public init(_ map: DriveMap, rate: Double) {
    self.rate = rate
    var amplitudes: [Float] = []
    var turns: [Float] = []
    sharpnessSteps = map.motorStates.isEmpty ? 256 : 64
    for row in 0...sharpnessSteps {
      let sharpness = Double(row) / Double(sharpnessSteps)
      for column in 0...Self.intensitySteps {
        let intensity = column == 0 ? 1e-9 : Double(column) / Double(Self.intensitySteps)
        let command = map.command(intensity: intensity, sharpness: sharpness)
        amplitudes.append(Float(command.command))
        turns.append(Float(min(0.5, command.frequency / rate)))
      }
    }
    self.amplitudes = amplitudes
    self.turns = turns
  }

  /// The command for an intensity and a sharpness, both limited to 0...1.
  public func value(intensity: Float, sharpness: Float) -> (amplitude: Float, turns: Float) {
    DriveTableLookup(self).value(intensity: intensity, sharpness: sharpness)
  }
}

/// A drive table as a render loop holds it.
///
/// *Render thread*: no allocation, no lock.
public struct DriveTableLookup: ~Copyable {
  /// Amplitude and turns of each node, side by side.
  private let nodes: UnsafeMutablePointer<SIMD2<Float>>
  private let sharpnessSteps: Int

  /// Copies a table.
  public init(_ table: DriveTable) {
    let count = table.amplitudes.count
    sharpnessSteps = table.sharpnessSteps
    nodes = .allocate(capacity: count)
    for index in 0..<count {
      (nodes + index).initialize(to: SIMD2(table.amplitudes[index], table.turns[index]))
    }
  }

  /// A table that answers silence: where there is no profile.
  public init() {
    sharpnessSteps = 1
    let count = 2 * (DriveTable.intensitySteps + 1)
    nodes = .allocate(capacity: count)
    nodes.initialize(repeating: .zero, count: count)
  }

  deinit { nodes.deallocate() }

  /// The command for an intensity and a sharpness, both limited to 0...1; amplitude 0 at intensity 0.
  @_noAllocation @_noLocks
  public func value(intensity: Float, sharpness: Float) -> (amplitude: Float, turns: Float) {
    let x = Self.place(intensity, steps: 64)
    let y = Self.place(sharpness, steps: sharpnessSteps)
    let row = nodes + y.lower * 65 + x.lower
    let lower = row[0] + x.share * (row[1] - row[0])
    let upper = row[65] + x.share * (row[66] - row[65])
    let value = lower + y.share * (upper - lower)
    return (intensity > 0 ? value[0] : 0, value[1])
  }

  /// The node below a place in 0...1 of some steps, and the share of the way to the next.
  @_noAllocation @_noLocks @inline(__always)
  private static func place(_ x: Float, steps: Int) -> (lower: Int, share: Float) {
    let position = (x > 0 ? (x < 1 ? x : 1) : 0) * Float(steps)
    let whole = Int(position)
    let lower = whole < steps ? whole : steps - 1
    return (lower, position - Float(lower))
  }
}
