import Perception
import Profiles
import Units

/// What all vibrations in force share in a stretch of frames: their controls and working memory.
struct VibrationControls: ~Copyable {
  /// The intensity control, a value a frame of the stretch.
  let intensity: UnsafeMutablePointer<Float>
  /// What the sharpness control does to a frequency, a value a frame; see `TurnLaw`.
  let bends: UnsafeMutablePointer<Float>
  /// Whether the sharpness control never leaves its neutral value.
  let bendIsNeutral: Bool
  /// What a ducking tap leaves of the vibrations, a value a frame.
  let ducking: UnsafeMutablePointer<Float>
  /// Whether a tap ducks in this stretch.
  private(set) var isDucked = false
  /// Intensity to amplitude.
  let levelLaw: LevelLaw
  /// Whether amplitudes and frequencies come from a profile; the bends are then offsets of sharpness.
  let hasProfile: Bool
  /// The profile's commands.
  let profile: DriveTableLookup
  /// Working memory for one voice's amplitudes.
  let amplitudes: UnsafeMutablePointer<Float>
  /// Working memory for one voice's phases.
  let phases: UnsafeMutablePointer<UInt32>
  private let turnLaw: TurnLaw
  private let duckingDepth: Float
  private let halfTurnsPerFrame: Double
  private var intensityCursor: ControlCursor
  private var sharpnessCursor: ControlCursor

  /// The most frames of a stretch.
  static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }

  init(_ controls: Controls, configuration: RenderConfiguration, turnLaw: TurnLaw) {
    let rate = configuration.rate.hertz
    intensity = .allocate(capacity: Self.capacity)
    bends = .allocate(capacity: Self.capacity)
    ducking = .allocate(capacity: Self.capacity)
    amplitudes = .allocate(capacity: Self.capacity)
    phases = .allocate(capacity: Self.capacity)
    self.turnLaw = turnLaw
    hasProfile = configuration.profile != nil
    profile = configuration.profile.map { DriveTableLookup($0.vibrations) } ?? DriveTableLookup()
    levelLaw = LevelLaw(configuration.intensityLaw, fullScale: configuration.fullScale)
    duckingDepth = Float(1 - configuration.mixingLaw.ducking)
    halfTurnsPerFrame = 1 / (configuration.transientShape.length * rate)
    intensityCursor = ControlCursor(controls.intensity, rate: rate)
    // A phase grows from one frame to the next by the frequency half way between them.
    sharpnessCursor = ControlCursor(controls.sharpness, rate: rate, advance: 0.5)
    bendIsNeutral = controls.sharpness.isNeutral
  }

  deinit {
    intensity.deallocate()
    bends.deallocate()
    ducking.deallocate()
    amplitudes.deallocate()
    phases.deallocate()
  }

  /// Looks at the controls, and at the taps that duck, for a stretch.
  @_noAllocation @_noLocks
  mutating func fill(from frame: Int, count: Int, taps: borrowing TransientPool) {
    isDucked =
      duckingDepth > 0
      && taps.fillDucking(
        ducking, from: frame, to: frame + count, depth: duckingDepth,
        halfTurnsPerFrame: halfTurnsPerFrame)
    intensityCursor.fill(intensity, from: frame, count: count)
    guard !bendIsNeutral else { return }
    sharpnessCursor.fill(bends, from: frame, count: count)
    guard !hasProfile else { return }
    turnLaw.bend(bends, count: count)
  }
}
