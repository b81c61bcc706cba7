private import Glibc
import SignalAnalysis
import Units

/// How the rig's actuator answers its drive: the resonator of a take, and what its probe showed beyond it.
///
/// H(f) = R(f) + C(f). R is one resonance, or two where the probe has two. C is the measured transfer function of the take's own probe less the
/// R, where the probe drives at all and as far as it stands out of the noise; its impulse response is cut
/// off where the actuator has rung out. So a coil's low-pass, a second mode or a mount is in it, at the
/// probe's level.
struct ResponseModel {
  /// The resonance, of two the stronger one.
  let resonator: ResonatorModel
  /// Both, where there are two.
  let modes: ModalModel?
  /// What the model leaves of the probe's response, beyond the noise, as a share of its amplitude.
  let misfit: Double
  /// Frames a second of what is driven.
  let rate: Double
  /// How long the model answers after its drive, in seconds.
  let ringing: Double
  /// C at multiples of `spacing`.
  private let correction: [Complex]
  private let spacing: Double

  /// After so many time constants 1e-4 of a ringing is left.
  private static let timeConstants = 9.2
  /// Nothing of the actuator's answer comes earlier than the resonator's by more than this, in seconds.
  private static let earliest = 0.002
  /// Above this frequency there is no correction, in hertz: the probe ends at 500.
  private static let highest = 700.0

  init(
    _ resonator: ResonatorModel, modes: ModalModel?, probe: ProbeWindow?, noise: Double,
    rate: SampleRate
  ) {
    self.resonator = resonator
    self.modes = modes
    func modelled(_ frequency: Double) -> Complex {
      modes?.response(at: frequency) ?? resonator.response(at: frequency)
    }
    self.rate = rate.hertz
    ringing =
      Self.timeConstants * resonator.decayTime.value + max(0, resonator.delay.value)
    let misfit = resonator.quality?.misfit ?? 0
    guard let probe, misfit > 0 else {
      (correction, spacing) = ([], 1)
      self.misfit = misfit
      return
    }
    let length = FourierTransform.fastLength(
      atLeast: max(probe.drive.count + rate.wholeFrames(2 * ringing), rate.wholeFrames(1.3)))
    let width = rate.hertz / Double(length)
    var transform = FourierTransform(length: length)
    let sent = transform.forward(probe.drive.span)
    let answered = transform.forward(probe.motion.span)
    let largest = sent.map(\.power).max() ?? 0
    // What is left over counts where it stands out of the noise: Wiener's weight.
    let height = misfit * abs(resonator.gain.value)
    let floor = max(
      1e-3 * largest, noise * noise * Double(probe.motion.count) / max(height * height, 1e-300))
    var rest = sent.indices.map { bin -> Complex in
      let frequency = Double(bin) * width
      guard frequency < Self.highest else { return Complex(0) }
      let left = answered[bin] - modelled(frequency) * sent[bin]
      return (1 / (sent[bin].power + floor)) * (left * sent[bin].conjugate)
    }
    var impulse = transform.inverse(rest)
    let (before, after) = (rate.wholeFrames(Self.earliest), rate.wholeFrames(ringing))
    for frame in impulse.indices {
      let place = frame < length / 2 ? frame : frame - length
      if place < -before || place > after { impulse[frame] = 0 }
    }
    rest = transform.forward(impulse.span)
    var (left, whole) = (0.0, 0.0)
    for bin in sent.indices where Double(bin) * width < Self.highest {
      let predicted = (modelled(Double(bin) * width) + rest[bin]) * sent[bin]
      left += (answered[bin] - predicted).power
      whole += answered[bin].power
    }
    let white =
      noise * noise * Double(probe.motion.count) * Double(Int(Self.highest / width))
    let corrected = (max(0, left - white) / max(whole - white, 1e-300)).squareRoot()
    self.misfit = min(misfit, corrected)
    spacing = width
    correction = Array(rest.prefix(Int(Self.highest / width) + 2))
  }

  /// The response at a frequency in hertz, with ln f0 and ln Q of the resonator moved by some amounts.
  ///
  /// What drives the resonator stays as it is: only its spring and its damping change.
  func response(at frequency: Double, lnF0: Double = 0, lnQ: Double = 0) -> Complex {
    let one = resonator.response(at: frequency)
    var sum = modes?.response(at: frequency) ?? one
    if lnF0 != 0 || lnQ != 0 {
      let ratio = frequency / resonator.frequency.value
      let (w, q) = (exp(lnF0), resonator.q.value)
      let before = Complex(1 - ratio * ratio, ratio / q)
      let after = Complex(w * w - ratio * ratio, ratio * w / (q * exp(lnQ)))
      sum = sum + (before / after - Complex(1)) * one
    }
    let place = frequency / spacing
    let bin = Int(place)
    guard bin + 1 < correction.count else { return sum }
    let part = place - Double(bin)
    return sum + (1 - part) * correction[bin] + part * correction[bin + 1]
  }
}
