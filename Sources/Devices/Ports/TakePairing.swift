// SPDX-License-Identifier: Apache-2.0

/// Which halves of a rig are on a device, or take part in a take.
public struct TakeHalves: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Makes halves of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The drive.
  public static let drive = TakeHalves(rawValue: 1)
  /// The sensors.
  public static let sensors = TakeHalves(rawValue: 2)
}

/// Which halves of a rig have joined the latest take: drive and capture share it, either starts it.
package struct TakePairing: Sendable {
  package private(set) var count = 0
  /// The halves that have joined the latest take, and of them those that have not stopped.
  private var joined: TakeHalves = []
  private var running: TakeHalves = []

  package init() {}

  package var isDriving: Bool { isRunning(.drive) }
  package var isCapturing: Bool { isRunning(.sensors) }

  package func isRunning(_ half: TakeHalves) -> Bool { running.contains(half) }

  /// Whether a half's start begins a take, rather than joining the other half's.
  package func begins(with half: TakeHalves) -> Bool { count == 0 || joined.contains(half) }

  /// Notes a start, and returns true if it begins a new take.
  @discardableResult
  package mutating func start(_ half: TakeHalves) -> Bool {
    let begins = begins(with: half)
    if begins {
      count += 1
      (joined, running) = ([], [])
    }
    joined.insert(half)
    running.insert(half)
    return begins
  }

  /// Takes a half out, and returns true if it was the last one.
  @discardableResult
  package mutating func stop(_ half: TakeHalves) -> Bool {
    running.remove(half) != nil && running.isEmpty
  }
}

extension DeviceError {
  /// A call outside start and stop.
  package static func notStarted(_ device: String, _ call: String) -> DeviceError {
    DeviceError(.refused, device: device, message: "\(call) was called before start")
  }
}
