// SPDX-License-Identifier: Apache-2.0

import AHAP

/// One dynamic parameter of a player: the line that is in force, and what put it there.
///
/// The newest wins: a piece takes over unless the step or curve in force began after its own.
struct LiveControl {
  /// When the line begins, in seconds of the clock.
  private(set) var time = 0.0
  private(set) var value: Double
  /// A second of the clock.
  private(set) var slope = 0.0
  /// When the line ends, in seconds of the clock: the value stays from then on.
  private var end = Double.infinity
  /// Whether the player's own pattern put it there.
  private(set) var isOwn = true
  private var sourceTime = -Double.infinity
  private var sourceOrder = Int.min
  private let lowest: Double

  init(_ id: DynamicParameterID) { self.init(neutral: id.neutral, lowest: id.range.lowerBound) }

  @_noAllocation @_noLocks
  private init(neutral: Double, lowest: Double) {
    value = neutral
    self.lowest = lowest
  }

  /// Takes a piece over, unless what is in force began later; says whether it did.
  @_noAllocation @_noLocks
  mutating func take(
    value: Double, slope: Double, at time: Double, until end: Double = .infinity,
    sourceTime: Double, order: Int, isOwn: Bool
  ) -> Bool {
    guard
      sourceTime > self.sourceTime || (sourceTime == self.sourceTime && order >= sourceOrder)
    else { return false }
    self.time = time
    self.value = value
    self.slope = slope
    self.end = end
    self.sourceTime = sourceTime
    sourceOrder = order
    self.isOwn = isOwn
    return true
  }

  /// Makes it neutral again; what neutral is follows from the range.
  @_noAllocation @_noLocks
  mutating func forget() { self = LiveControl(neutral: lowest < 0 ? 0 : 1, lowest: lowest) }

  /// The value at a time of the clock, inside the parameter's range.
  @_noAllocation @_noLocks @inline(__always)
  func value(at time: Double) -> Double {
    let sum = value + slope * ((time < end ? time : end) - self.time)
    return sum > lowest ? (sum < 1 ? sum : 1) : lowest
  }

  @_noAllocation @_noLocks @inline(__always)
  func isZero() -> Bool { value == 0 && slope == 0 }
}

/// The gain of an event while it is felt or heard, in frames of the clock: when it is released or cut is
/// not known before.
struct LiveEnvelope {
  /// When the event began; for one that is taken up on the way, when it would have.
  let start: Double
  let attack: Double
  let isSustained: Bool
  /// Frames of the fall of an event that is not sustained; below 0 until the attack is over.
  private(set) var decay: Double
  /// When the release begins, and its frames.
  private(set) var released = Double.infinity
  private var release = 0.0
  private var releaseLevel: Float = 1
  /// When the cut begins: a short fall whatever else is in force.
  private(set) var cut = Double.infinity
  private var cutFrames = 1.0

  /// A gain of 1 until it is cut.
  @_noAllocation @_noLocks
  init(start: Double) { self.init(start: start, attack: 0, isSustained: true) }

  /// A rise over some frames.
  @_noAllocation @_noLocks
  init(start: Double, attack: Double, isSustained: Bool) {
    self.start = start
    self.attack = attack
    self.isSustained = isSustained
    decay = -1
  }

  var isHeld: Bool {
    @_noAllocation @_noLocks get { released == .infinity && cut == .infinity }
  }

  /// Whether the fall of an event that is not sustained begins before a frame, and is not known yet.
  @_noAllocation @_noLocks
  func needsDecay(before frame: Int) -> Bool {
    !isSustained && decay < 0 && start + attack < Double(frame)
  }

  @_noAllocation @_noLocks
  mutating func setDecay(_ frames: Double) { decay = frames }

  @_noAllocation @_noLocks
  mutating func release(at frame: Double, frames: Double) {
    guard released == .infinity else { return }
    let age = frame - start
    // A release that begins inside the attack starts from where the attack had got to.
    releaseLevel = age < attack ? (age > 0 ? Float(age / attack) : 0) : 1
    released = frame
    release = frames
  }

  @_noAllocation @_noLocks
  mutating func cut(at frame: Double, frames: Double) {
    guard cut == .infinity else { return }
    cut = frame
    cutFrames = frames
  }

  @_noAllocation @_noLocks
  func isOver(at frame: Int) -> Bool {
    let time = Double(frame)
    if time >= cut + cutFrames { return true }
    return isSustained ? time >= released + release : decay >= 0 && time >= start + attack + decay
  }

  @_noAllocation @_noLocks @inline(__always)
  func gain(at frame: Int) -> Float {
    let time = Double(frame)
    var gain = level(at: time)
    if time > cut {
      let left = 1 - (time - cut) / cutFrames
      gain *= left > 0 ? Float(left) : 0
    }
    return gain
  }

  @inline(__always)
  private func level(at time: Double) -> Float {
    if time >= released {
      let left = release > 0 ? 1 - (time - released) / release : 0
      return left > 0 ? releaseLevel * Float(left) : 0
    }
    let age = time - start
    if age < attack { return age > 0 ? Float(age / attack) : 0 }
    guard !isSustained else { return 1 }
    let left = decay > 0 ? 1 - (age - attack) / decay : (decay < 0 ? 1 : 0)
    return left > 0 ? Float(left) : 0
  }

  /// Whether the gain is 1 at all frames of a stretch.
  @_noAllocation @_noLocks
  func holds(_ from: Int, _ to: Int) -> Bool {
    isSustained && Double(from) >= start + attack && Double(to) <= released && Double(to) <= cut
  }
}
