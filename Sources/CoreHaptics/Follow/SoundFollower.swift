// SPDX-License-Identifier: Apache-2.0

import Devices
import HapticRendering

/// The render thread's own of a sound that is followed: takes samples, works through hops, leads a player.
struct SoundFollower: ~Copyable {
  private let hop: UnsafeMutablePointer<Float>
  private let line: UnsafeMutablePointer<Float>
  private let lineFrames: Int
  private var samples: RealtimeQueue<Float>.Consumer
  private var own: RealtimeQueue<Float>.Producer
  private let channel: Int
  private let scale: Float
  private var heard: CaptureWriter
  private var marks: RealtimeQueue<HeardMark>.Producer
  private let pace: SoundPace
  /// Held for as long as its flag is looked at.
  private let feed: SoundFeed?
  private let failure: StopFlag?
  /// Whether a sample belongs to each frame of the drive.
  private let isSteady: Bool
  private let rate: Double
  private var method: SoundMethod?
  /// What the method says of a hop: see `SoundMethod`.
  private let cue: UnsafeMutablePointer<Double>
  private var filled = 0
  /// The slot of the player that is led; -1 while nothing is followed.
  private var slot = -1
  private var isBypassed = false
  private var order = -(1 << 50)
  private var taken = 0
  /// How many samples may be taken where that is bounded.
  private var budget = 0.0
  /// Frames of the drive since a hop was heard last.
  private var quiet = 0
  /// The most samples that were taken at once: a period of the source.
  private var batch = 0
  private var intensity = 0.0
  private var sharpness = 0.5
  /// How many frames later than it is taken the sound is passed on; below 0 it is not.
  private var passDelay = -1
  /// The place of the sound that is passed on next.
  private var head = 0.0

  /// The longest that a source may pause before the level goes to zero, in seconds; two of its periods, if that is less.
  private static let patience = 0.05
  /// How far a sound of another clock is passed on behind what was taken, in seconds: periods come in whole.
  private static let slack = 0.02
  /// How much is kept beside the longest delay, in seconds: what comes at once, and what is behind.
  private static let margin = 0.2
  /// What a pipe may give at once, in seconds.
  private static let burst = 0.05

  init(_ source: consuming SoundLine, rate: Double) {
    lineFrames =
      source.longestDelay > 0 ? Int((source.longestDelay + Self.margin) * rate) : 1
    pace = source.pace
    feed = source.feed
    failure = source.feed?.failure
    isSteady = source.pace == .drive
    (channel, scale) = (source.channel, source.scale)
    own = source.own
    samples = source.samples
    heard = source.heard
    marks = source.marks
    self.rate = rate
    hop = .allocate(capacity: SoundMethod.longestHop)
    hop.initialize(repeating: 0, count: SoundMethod.longestHop)
    cue = .allocate(capacity: SoundMethod.cueCount)
    cue.initialize(repeating: 0, count: SoundMethod.cueCount)
    line = .allocate(capacity: lineFrames)
    line.initialize(repeating: 0, count: lineFrames)
  }

  deinit {
    hop.deallocate()
    cue.deallocate()
    line.deallocate()
  }

  /// Takes frames that the rig itself has captured.
  @_noAllocation @_noLocks
  mutating func hear(_ frames: UnsafePointer<Float>, count: Int, width: Int) {
    guard channel >= 0 else { return }
    for index in 0..<count { _ = own.push(frames[index * width + channel] * scale) }
  }

  /// What the program asks of the follower.
  enum Request: BitwiseCopyable {
    case follow(slot: Int)
    /// Go on by another method.
    case hear(SoundMethod)
    case bypass(Bool)
    /// Pass the sound on so many frames after it was taken; below 0, not at all.
    case pass(delay: Int)
  }

  @_noAllocation @_noLocks
  mutating func take(_ request: Request) {
    switch request {
    case .follow(let slot): self.slot = slot
    case .hear(let other):
      method = other
      filled = 0
    case .bypass(let isOn): isBypassed = isOn
    case .pass(let delay): passDelay = delay
    }
  }

  /// Takes what belongs to the next block of the drive, and leads the player by it.
  @_noAllocation @_noLocks
  mutating func follow(_ stage: inout PlayerStage, count: Int) {
    guard slot >= 0, let method else { return }
    let first = stage.frame
    if let failure, failure.isSet {
      // Neither what has come of a source that failed is played, nor what is asked for already.
      stage.ask(.cancel, of: slot, at: Double(first) / rate, order: order)
      slot = -1
      return
    }
    var left = due(count)
    var inBlock = 0
    while left > 0 {
      let wanted = method.hopFrames - filled
      let count = wanted < left ? wanted : left
      for index in 0..<count {
        let sample = samples.pop() ?? 0
        hop[filled + index] = sample.isFinite ? sample : 0
        line[(taken + index) % lineFrames] = hop[filled + index]
      }
      _ = heard.write(UnsafeBufferPointer(start: hop + filled, count: count).span)
      filled += count
      left -= count
      inBlock += count
      taken += count
      guard filled == method.hopFrames else { break }
      filled = 0
      quiet = 0
      method.hear(UnsafePointer(hop), cue)
      // Hops keep their distances, also where a card gives several at once: the delay is the same for all.
      let most = Int(Self.patience * rate)
      lead(&stage, at: Double(first + (inBlock < most ? inBlock : most)) / rate)
    }
    if inBlock > 0 {
      let frame = isSteady ? first + inBlock : first
      _ = marks.push(HeardMark(frame: frame, count: taken))
    }
    if inBlock > batch { batch = inBlock }
    quiet += count
    let most = Int(Self.patience * rate)
    if quiet > (2 * batch < most ? 2 * batch : most) + method.hopFrames {
      for index in 0..<SoundMethod.cueCount { cue[index] = 0 }
      lead(&stage, at: Double(first) / rate)
    }
  }

  /// How many samples are taken for the next frames of the drive.
  private mutating func due(_ count: Int) -> Int {
    let available = samples.available
    switch pace {
    case .arrival: return available
    case .drive: return available < count ? available : count
    case .hurried:
      budget += 1.01 * Double(count)
      if budget > Self.burst * rate { budget = Self.burst * rate }
      let most = Int(budget)
      let taken = available < most ? available : most
      budget -= Double(taken)
      return taken
    }
  }

  private mutating func lead(_ stage: inout PlayerStage, at time: Double) {
    let wanted = isBypassed ? 0 : cue[0]
    if wanted > 0 || intensity > 0 {
      // Where it falls to nothing it keeps its colour.
      let colour = wanted > 0 ? cue[1] : sharpness
      stage.lead(
        slot, intensity: wanted, sharpness: colour - FollowedPlayer.sharpness, at: time,
        seconds: method?.hopSeconds ?? 0, order: order)
      (intensity, sharpness) = (wanted, colour)
      order += 1
    }
    guard cue[2] > 0, !isBypassed else { return }
    stage.tap(
      slot, intensity: Float(cue[2]), sharpness: Float(cue[3]), at: time, order: order)
    order += 1
  }

  /// Adds the sound that is passed on to what is heard.
  ///
  /// A sound of the drive's clock is passed on sample by sample. One of another clock is read a little faster or
  /// slower than it was taken, so that it stays where it belongs.
  @_noAllocation @_noLocks
  mutating func pass(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, count: Int
  ) {
    guard passDelay >= 0, slot >= 0, lineFrames > 1 else { return }
    let behind = Double(passDelay) + (isSteady ? 0 : Self.slack * rate)
    let wanted = Double(taken - count) - behind
    let off = wanted - head
    let isFar = isSteady ? off != 0 : off > 0.02 * rate || off < -0.02 * rate
    if isFar { head = wanted }
    let pull = isFar ? 0 : 2 * off / rate
    let step = 1 + (pull > 0.005 ? 0.005 : pull < -0.005 ? -0.005 : pull)
    for index in 0..<count {
      defer { head += step }
      let place = Int(head)
      guard head >= 0, place + 1 < taken || (isSteady && place < taken),
        taken - place < lineFrames
      else { continue }
      let (first, part) = (line[place % lineFrames], Float(head - Double(place)))
      let sample = part > 0 ? first + part * (line[(place + 1) % lineFrames] - first) : first
      left[index] += sample
      right[index] += sample
    }
  }
}

/// The pattern of a player that a sound leads.
enum FollowedPlayer {
  /// The sharpness of its event; what it is led to counts from there.
  static var sharpness: Double {
    @_noAllocation @_noLocks get { 0.5 }
  }
}
