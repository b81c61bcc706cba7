// SPDX-License-Identifier: Apache-2.0

import Units

/// Renders a timeline to drive and sound, in blocks of any size: the samples are the same bit for bit.
///
/// Everything that takes memory or a search is done when the renderer is made. `render` runs on the
/// *render thread*: it allocates nothing and takes no lock, which the compiler checks, and its cost
/// grows with the events in force, not with the length of the pattern. What is computed for a frame
/// depends on the frame alone, never on where a caller's block begins or ends.
public struct HapticRenderer: ~Copyable {
  /// How many frames there are from the pattern's start until nothing is left.
  public let frameCount: Int
  /// The events left out because more than `voiceLimit` would have been in force at once: their
  /// `TimelineEvent.index`, rising.
  ///
  /// Decided before anything is rendered; an event sounds whole or not at all. Where the limit is
  /// passed, the one that matters least is left out: sounds before vibrations and taps, then the weaker
  /// as written (intensity, volume), then the one that begins later.
  public let droppedEventIndices: [Int]
  /// How many events were left out.
  public var droppedEvents: Int { droppedEventIndices.count }
  /// The frame that `render` goes on with.
  public private(set) var position = 0

  private let laws: RenderLaws
  private let stretch = StretchMemory()
  private var haptic: HapticVoices
  private var sound: SoundVoices

  /// How many frames of the drive rendered so far were above full scale and softly limited
  /// (`MixingLaw`).
  public var limitedFrames: Int { haptic.limitedFrames }
  /// How many frames of the drive rendered so far the profile's inverse held at its peak voltage; 0
  /// without a profile.
  public var heldFrames: Int { haptic.heldFrames }

  /// Makes a renderer: n log n in the events, some hundred bytes for each.
  ///
  /// A sound whose file is not in the bank is silent.
  public init(timeline: Timeline, configuration: RenderConfiguration, sounds: SoundBank = .init()) {
    let admitted = VoiceSchedule(timeline: timeline, limit: configuration.voiceLimit)
    laws = RenderLaws(configuration)
    haptic = HapticVoices(
      events: admitted.events, timeline: timeline, configuration: configuration, laws: laws)
    sound = SoundVoices(
      events: admitted.events, timeline: timeline, configuration: configuration, bank: sounds,
      laws: laws)
    droppedEventIndices = admitted.dropped
    frameCount = max(
      frame(atOrAfter: configuration.rate.frames(timeline.duration)), haptic.endFrame,
      sound.endFrame)
  }

  /// Renders the next frames of the haptic drive alone, replacing what `output` holds.
  ///
  /// One renderer renders either this or all channels, not both in turn.
  @_noAllocation @_noLocks
  public mutating func render(haptic output: inout MutableSpan<Float>) {
    let count = output.count
    if let base = memory(of: &output) {
      haptic.render(to: base, from: position, count: count, laws: laws, memory: stretch)
    }
    position += count
  }

  /// Goes on with the first frame of the first tap or vibration, all before it being silence.
  ///
  /// For renderers of the haptic drive alone, before they have rendered anything.
  public mutating func skipSilence() {
    precondition(position == 0, "a renderer at frame \(position)")
    position = min(haptic.firstFrame, frameCount)
  }

  /// Renders the next frames of all channels, replacing what the outputs hold; all have one length.
  @_noAllocation @_noLocks
  public mutating func render(
    haptic output: inout MutableSpan<Float>, left: inout MutableSpan<Float>,
    right: inout MutableSpan<Float>
  ) {
    let count = output.count
    precondition(left.count == count && right.count == count)
    if let leftBase = memory(of: &left), let rightBase = memory(of: &right) {
      sound.render(
        left: leftBase, right: rightBase, from: position, count: count, laws: laws,
        memory: stretch)
    }
    render(haptic: &output)
  }
}
