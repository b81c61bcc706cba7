/// What all vibrations in force share in a stretch of frames: their controls and working memory.
struct VibrationControls: ~Copyable {
  /// The intensity control, a value a frame of the stretch.
  let intensity: UnsafeMutablePointer<Float>
  /// What the sharpness control does to a frequency, a value a frame; see `TurnLaw`.
  let bends: UnsafeMutablePointer<Float>
  /// Whether the sharpness control never leaves its neutral value.
  let bendIsNeutral: Bool
  /// Working memory for one voice's amplitudes.
  let amplitudes: UnsafeMutablePointer<Float>
  /// Working memory for one voice's phases.
  let phases: UnsafeMutablePointer<UInt32>
  private let turnLaw: TurnLaw
  private var intensityCursor: ControlCursor
  private var sharpnessCursor: ControlCursor

  /// The most frames of a stretch.
  static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }

  init(_ controls: Controls, rate: Double, turnLaw: TurnLaw) {
    intensity = .allocate(capacity: Self.capacity)
    bends = .allocate(capacity: Self.capacity)
    amplitudes = .allocate(capacity: Self.capacity)
    phases = .allocate(capacity: Self.capacity)
    self.turnLaw = turnLaw
    intensityCursor = ControlCursor(controls.intensity, rate: rate)
    sharpnessCursor = ControlCursor(controls.sharpness, rate: rate)
    bendIsNeutral = controls.sharpness.isNeutral
  }

  deinit {
    intensity.deallocate()
    bends.deallocate()
    amplitudes.deallocate()
    phases.deallocate()
  }

  /// Looks at the controls for a stretch.
  @_noAllocation @_noLocks
  mutating func fill(from frame: Int, count: Int) {
    intensityCursor.fill(intensity, from: frame, count: count)
    guard !bendIsNeutral else { return }
    sharpnessCursor.fill(bends, from: frame, count: count)
    turnLaw.bend(bends, count: count)
  }
}
