/// Working memory for a stretch of frames, a value a frame in each row.
struct StretchMemory: ~Copyable {
  /// The most frames of a stretch.
  static var capacity: Int {
    @_noAllocation @_noLocks get { 256 }
  }

  /// The intensities of one vibration, and then its amplitudes.
  let levels: UnsafeMutablePointer<Float>
  /// What the sharpness control does to the frequency of one vibration, or of all; see `TurnLaw`.
  let bends: UnsafeMutablePointer<Float>
  /// The steps of one vibration's phase, and then its phases.
  let phases: UnsafeMutablePointer<UInt32>
  /// The gains of one voice.
  let gains: UnsafeMutablePointer<Float>
  /// The intensity control of all vibrations.
  let intensity: UnsafeMutablePointer<Float>
  /// What a ducking tap leaves of all vibrations.
  let ducking: UnsafeMutablePointer<Float>
  /// The controls of sounds.
  let volume: UnsafeMutablePointer<Float>
  let pan: UnsafeMutablePointer<Float>
  let pitch: UnsafeMutablePointer<Float>
  let brightness: UnsafeMutablePointer<Float>

  init() {
    levels = .allocate(capacity: 9 * Self.capacity)
    phases = .allocate(capacity: Self.capacity)
    bends = levels + Self.capacity
    gains = bends + Self.capacity
    intensity = gains + Self.capacity
    ducking = intensity + Self.capacity
    volume = ducking + Self.capacity
    pan = volume + Self.capacity
    pitch = pan + Self.capacity
    brightness = pitch + Self.capacity
  }

  deinit {
    levels.deallocate()
    phases.deallocate()
  }
}
