// SPDX-License-Identifier: Apache-2.0

public import USBDevices

/// The world at a board's connectors: what its output drives and its sensors feel.
public protocol BoardPlant: Sendable {
  /// Takes the output from a tick on; samples are -2^31...2^31-1 of full scale.
  ///
  /// - Parameters:
  ///   - samples: One a channel.
  ///   - frame: The drive frame; `nil` where the output is zero for want of one.
  ///   - tick: The board's clock, without wraps.
  mutating func drive(_ samples: [Int32], frame: Int?, at tick: UInt64)

  /// Gives the sensors' samples at a tick, one a channel, in steps of the board's sensor format.
  mutating func sense(at tick: UInt64) -> [Int32]
}

/// A wire from each output to the sensor of the same number; sensors without one feel nothing.
public struct LoopbackPlant: BoardPlant {
  private let channelCount: Int
  private let format: BoardFrames.Format
  private var output: [Int32] = []

  /// Makes the wires of a board.
  public init(_ identity: BoardIdentity) {
    channelCount = identity.sensorChannelCount
    format = identity.sensorFormat
  }

  /// Remembers the output.
  public mutating func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) { output = samples }

  /// Gives the output back.
  public mutating func sense(at tick: UInt64) -> [Int32] {
    (0..<channelCount).map { channel in
      channel < output.count ? output[channel] >> Int32(32 - 8 * format.byteCount) : 0
    }
  }
}

/// A plant that remembers when its output was last not zero, and gives it back to the sensors.
package struct WitnessPlant: BoardPlant {
  /// The tick at which the output last changed to zero.
  package private(set) var silentSince: UInt64?
  /// By drive frame, what was driven.
  package private(set) var driven: [Int: Int32] = [:]
  package private(set) var isDriven = false
  private var output: [Int32] = []
  private let width: Int

  package init(width: Int) { self.width = width }

  package mutating func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) {
    output = samples
    let isNow = samples.contains { $0 != 0 }
    if isDriven, !isNow { silentSince = tick }
    isDriven = isNow
    if let frame { driven[frame] = samples[0] }
  }

  package func sense(at tick: UInt64) -> [Int32] {
    (0..<width).map { $0 < output.count ? output[$0] >> 16 : 0 }
  }
}
