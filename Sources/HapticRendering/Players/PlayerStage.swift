// SPDX-License-Identifier: Apache-2.0

public import AHAP
public import Actuators
private import Glibc
public import Profiles
import Units

/// How large a stage is, and what its drive is held to.
public struct StageConfiguration: Sendable {
  /// The laws; their mixing law's ducking has no part in it.
  public var laws: RenderConfiguration
  /// What the actuator bears.
  public var limits: DriveLimits
  /// The peak voltage of a drive of 1.
  public var fullScaleVolts: Double
  /// How many players there can be.
  public var slots = 256
  /// How much can wait to be done.
  public var pending = 16_384
  /// How many events can be felt, and as many heard, at once.
  public var voices = 128
  /// How many notices a caller may leave untaken before further ones are lost.
  public var notices = 4096
  /// How long what is cut by a stop, a pause, a seek or muting takes to fall, in seconds.
  public var cut = 2e-3
  /// How long level and sharpness take from one pattern's to another's where a player takes another's place, in seconds.
  public var exchange = 20e-3

  /// Makes a configuration of the usual size.
  public init(laws: RenderConfiguration, limits: DriveLimits, fullScaleVolts: Double) {
    self.laws = laws
    self.limits = limits
    self.fullScaleVolts = fullScaleVolts
  }
}

/// Players on one clock, rendered to drive and sound while they are asked for things.
///
/// A stage has no clock of its own: `render` moves it on by the frames that it is asked for. What is due in
/// between happens at its own time, exactly, also between two frames, and in blocks of any size alike. All
/// memory is taken when the stage is made: `render`, `ask`, `add` and `release` run on the *render thread*
/// without allocation or lock, which the compiler checks. What happened is told in notices.
///
/// At one instant: a voice's end before a play's end or turn, that before what was asked (in the order of
/// asking), that before the pattern's own parameters, and those before its events.
public struct PlayerStage: ~Copyable {
  // A pointer has to be the first field: with another, Swift 6.3.1 makes invalid code of accesses through
  // the pointers of a noncopyable structure under the thread sanitizer.
  let slots: UnsafeMutablePointer<StageSlot>
  /// The frame that `render` goes on with.
  public internal(set) var frame = 0
  /// How many notices wait to be taken.
  public internal(set) var noticeCount = 0
  /// How many notices found no room.
  public internal(set) var lostNotices = 0
  /// Whether nothing is felt.
  public var isHapticMuted = false
  /// Whether nothing is heard.
  public var isAudioMuted = false
  /// What the drive was held back in.
  public var limited: DriveLimiter.Counts { limiter.counts }

  let rate: Double
  let laws: RenderLaws
  let times: StageTimes
  let sharpnessControlMovesTaps: Bool
  let slotCount: Int
  let noticeCapacity: Int
  let voiceCapacity: Int
  let isUsed: UnsafeMutablePointer<Bool>
  /// The dynamic parameters of each slot, one after the other.
  let controls: UnsafeMutablePointer<LiveControl>
  /// The next piece of each parameter of each slot's own pattern.
  let nextPieces: UnsafeMutablePointer<Int>
  let notices: UnsafeMutablePointer<StageNotice>
  /// Taps and vibrations.
  var felt: VoiceList
  /// Tones and sound files.
  var heard: VoiceList
  /// One more than the highest slot in use.
  var usedSlots = 0
  var queue: ActionQueue
  let stretch = StretchMemory()
  var limiter: DriveLimiter
  var inverse: FeedForwardFilter
  /// The time of what was done last, in seconds of the clock.
  var settledTime = 0.0
  var hapticGain: Float = 1
  var audioGain: Float = 1

  /// Makes a stage without players, at frame 0.
  public init(_ configuration: StageConfiguration) {
    let laws = configuration.laws
    rate = laws.rate.hertz
    self.laws = RenderLaws(laws)
    times = StageTimes(laws, cut: configuration.cut, exchange: configuration.exchange)
    sharpnessControlMovesTaps = laws.sharpnessControlMovesTransients
    slotCount = configuration.slots
    noticeCapacity = configuration.notices
    voiceCapacity = configuration.voices
    slots = .allocate(capacity: slotCount)
    isUsed = .allocate(capacity: slotCount)
    isUsed.initialize(repeating: false, count: slotCount)
    let count = DynamicParameterID.count
    controls = .allocate(capacity: slotCount * count)
    for index in 0..<(slotCount * count) {
      (controls + index).initialize(to: LiveControl(DynamicParameterID.allCases[index % count]))
    }
    nextPieces = .allocate(capacity: slotCount * count)
    nextPieces.initialize(repeating: 0, count: slotCount * count)
    notices = .allocate(capacity: noticeCapacity)
    felt = VoiceList(first: .allocate(capacity: voiceCapacity))
    heard = VoiceList(first: .allocate(capacity: voiceCapacity))
    queue = ActionQueue(capacity: configuration.pending)
    limiter = DriveLimiter(
      limits: configuration.limits, fullScaleVolts: configuration.fullScaleVolts, rate: rate)
    inverse = laws.inverse
  }

  deinit {
    slots.deallocate()
    isUsed.deallocate()
    controls.deallocate()
    nextPieces.deallocate()
    notices.deallocate()
    felt.first.deallocate()
    heard.first.deallocate()
  }

  /// The time of `frame`, in seconds of the clock.
  public var time: Double {
    @_noAllocation @_noLocks get { Double(frame) / rate }
  }

  /// Whether nothing is felt or heard, and no player plays.
  public var isSilent: Bool {
    @_noAllocation @_noLocks get {
      guard felt.count == 0, heard.count == 0 else { return false }
      for slot in 0..<usedSlots where isUsed[slot] && slots[slot].transport.isPlaying {
        return false
      }
      return true
    }
  }

  /// Whether nothing is felt or heard, no player plays, and nothing was asked for later.
  public var isIdle: Bool { isSilent && queue.count == 0 }

  /// Where the player of a slot is; `nil` where there is none.
  public func transport(of slot: Int) -> PlayerTransport? {
    slot >= 0 && slot < slotCount && isUsed[slot] ? slots[slot].transport : nil
  }

  /// The value of a dynamic parameter of a slot now.
  public func value(of id: DynamicParameterID, slot: Int) -> Double {
    control(slot, id).value(at: time)
  }

  @_noAllocation @_noLocks @inline(__always)
  func control(_ slot: Int, _ id: DynamicParameterID) -> LiveControl {
    controls[slot * DynamicParameterID.count + id.place]
  }

  /// A notice that waits, from 0.
  @_noAllocation @_noLocks
  public func notice(_ index: Int) -> StageNotice { notices[index] }

  /// Forgets the notices that wait: they were taken.
  @_noAllocation @_noLocks
  public mutating func clearNotices() { noticeCount = 0 }

  @_noAllocation @_noLocks
  mutating func tell(_ kind: StageNotice.Kind, of slot: Int, at time: Double) {
    guard noticeCount < noticeCapacity else {
      lostNotices += 1
      return
    }
    (notices + noticeCount).initialize(to: StageNotice(slot: slot, time: time, kind: kind))
    noticeCount += 1
  }
}

struct StageSlot {
  let program: ProgramView
  var transport: PlayerTransport
  /// The play that has come to its end, for what rings out; stopped where there is none.
  var ended: PlayerTransport
  /// Whether its owner has let it go: it ends what it plays, and a loop at its turn.
  var isReleased = false
  var pendingCount = 0
  var voiceCount = 0
  var nextEvent = 0
  /// When the play last entered, and the rank of what made it: the newness of its own curves.
  var enteredTime = 0.0
  var enteredOrder = 0
  /// What muting leaves at the stage's frame, 0...1.
  var gain: Float = 1

  @_noAllocation @_noLocks
  init(program: ProgramView) {
    self.program = program
    transport = PlayerTransport(length: program.length)
    ended = transport
  }

  /// What the pattern's own curves go by.
  var course: PlayerTransport {
    @_noAllocation @_noLocks get {
      !transport.isPlaying && voiceCount > 0 ? ended : transport
    }
  }

  var wantedGain: Float {
    @_noAllocation @_noLocks get { transport.isMuted ? 0 : 1 }
  }

  /// Whether nothing of it is left to come.
  var isIdle: Bool {
    @_noAllocation @_noLocks get {
      !transport.isPlaying && pendingCount == 0 && voiceCount == 0
    }
  }
}

/// The times of a configuration as a stage counts them, in frames.
struct StageTimes {
  let cutFrames: Double
  let exchangeFrames: Double
  private let shortest: Float
  private let octaves: Float

  init(_ configuration: RenderConfiguration, cut: Double, exchange: Double) {
    let (rate, law) = (configuration.rate.hertz, configuration.envelopeLaw)
    cutFrames = max(1, cut * rate)
    exchangeFrames = max(1, exchange * rate)
    shortest = Float(law.shortest * rate)
    octaves = Float(log2(law.longest / law.shortest))
  }

  /// The frames of an attack, decay or release: its value moved by its control, held to 0...1.
  @_noAllocation @_noLocks
  func frames(_ value: Float, control: Double) -> Double {
    let moved = value + Float(control)
    let held = moved > 0 ? (moved < 1 ? moved : 1) : 0
    return Double(shortest * powerOfTwo(octaves * held))
  }
}
