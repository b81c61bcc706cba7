private import Glibc

/// Cosine and sine of an angle: the product of two turns by the sum of their angles.
struct Rotation {
  let cosine: Double
  let sine: Double

  init(radians: Double) {
    cosine = cos(radians)
    sine = sin(radians)
  }

  @_noAllocation @_noLocks @inline(__always)
  init(cosine: Double, sine: Double) {
    self.cosine = cosine
    self.sine = sine
  }

  @_noAllocation @_noLocks @inline(__always)
  func turned(by other: Rotation) -> Rotation {
    Rotation(
      cosine: cosine * other.cosine - sine * other.sine,
      sine: sine * other.cosine + cosine * other.sine)
  }

  /// The turn back.
  var inverse: Rotation {
    @_noAllocation @_noLocks get { Rotation(cosine: cosine, sine: -sine) }
  }
}

/// What a tap begins with, worked out before rendering: small, so that millions may wait.
struct TransientSeed {
  let firstFrame: Int
  let endFrame: Int
  let amplitude: Double
  /// The frames from the tap's start to the first frame, less than one.
  let age: Double
  /// The carrier's phase at the first frame.
  let phase: Rotation
  /// The carrier's turn from frame to frame.
  let step: Rotation
  /// The fall's phase at the first frame.
  let fallPhase: Rotation
  /// The fall's turn from frame to frame.
  let fallStep: Rotation

  /// Seeds a tap whose first moment lies at a fractional frame, its carrier there at some radians.
  init(
    start: Double, frames: Double, amplitude: Double, radiansPerFrame: Double, radians: Double = 0,
    waveform: RenderConfiguration.Waveform
  ) {
    firstFrame = frame(atOrAfter: start)
    endFrame = frame(atOrAfter: start + frames)
    self.amplitude = amplitude
    age = Double(firstFrame) - start
    let fall = Double.pi / frames
    fallPhase = Rotation(radians: fall * age)
    fallStep = Rotation(radians: fall)
    switch waveform {
    case .tone:
      phase = Rotation(radians: radians + radiansPerFrame * age)
      step = Rotation(radians: radiansPerFrame)
    case .level:
      // The same fall without a carrier: a sine that stands at its crest.
      phase = Rotation(radians: .pi / 2)
      step = Rotation(radians: 0)
    }
  }
}
