private import Glibc
import Perception
import Profiles
import Units

/// The laws of a configuration as a stage applies them.
struct StageLaws: ~Copyable {
  let turnLaw: TurnLaw
  let levelLaw: LevelLaw
  let limit: SoftLimit
  let isTone: Bool
  /// Whether events are accelerations that the inverse turns into drive.
  let hasProfile: Bool
  let vibrations: DriveTableLookup
  let taps: DriveTableLookup
  let sharpnessControlMovesTaps: Bool
  /// The length of a tap in frames.
  let tapFrames: Double
  /// Where a tap's carrier starts, in turns.
  let tapPhase: Double
  /// The length of a cut in frames.
  let cutFrames: Double
  /// Turns a frame of a made tone.
  let toneTurns: Double
  /// The coefficient of a one-pole low-pass over brightness 0...1; 1 lets everything through.
  let filters: LookupCurve
  private let shortest: Float
  private let octaves: Float

  init(_ configuration: RenderConfiguration, cut: Double) {
    let rate = configuration.rate.hertz
    turnLaw = TurnLaw(configuration.sharpnessLaw, rate: rate)
    levelLaw = LevelLaw(configuration.intensityLaw, fullScale: configuration.fullScale)
    limit = SoftLimit(configuration.mixingLaw, fullScale: configuration.fullScale)
    isTone = configuration.waveform == .tone
    hasProfile = configuration.profile != nil
    vibrations = configuration.profile.map { DriveTableLookup($0.vibrations) } ?? DriveTableLookup()
    taps = configuration.profile.map { DriveTableLookup($0.taps) } ?? DriveTableLookup()
    sharpnessControlMovesTaps = configuration.sharpnessControlMovesTransients
    tapFrames = configuration.transientShape.length * rate
    tapPhase = configuration.tapPhase
    cutFrames = max(1, cut * rate)
    toneTurns = configuration.toneFrequency / rate
    filters = SoundVoices.brightnessFilters(rate: rate)
    shortest = Float(configuration.envelopeLaw.shortest * rate)
    octaves = Float(log2(configuration.envelopeLaw.longest / configuration.envelopeLaw.shortest))
  }

  /// The frames of an attack, decay or release: its value moved by its control, held to 0...1.
  @_noAllocation @_noLocks
  func frames(_ value: Float, control: Double) -> Double {
    let moved = value + Float(control)
    let held = moved > 0 ? (moved < 1 ? moved : 1) : 0
    return Double(shortest * powerOfTwo(octaves * held))
  }
}

/// Working memory of a stage for a stretch of frames.
struct StageScratch: ~Copyable {
  /// The most frames of a stretch.
  static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }

  let gains: UnsafeMutablePointer<Float>
  let levels: UnsafeMutablePointer<Float>
  let bends: UnsafeMutablePointer<Float>
  let steps: UnsafeMutablePointer<UInt32>
  let sound: UnsafeMutablePointer<Float>

  init() {
    gains = .allocate(capacity: Self.capacity)
    levels = .allocate(capacity: Self.capacity)
    bends = .allocate(capacity: Self.capacity)
    steps = .allocate(capacity: Self.capacity)
    sound = .allocate(capacity: 4 * Self.capacity)
  }

  deinit {
    gains.deallocate()
    levels.deallocate()
    bends.deallocate()
    steps.deallocate()
    sound.deallocate()
  }
}
