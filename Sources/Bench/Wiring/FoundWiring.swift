// SPDX-License-Identifier: Apache-2.0

package import Devices
import SignalAnalysis
import Units

/// What is wired to what, as sweeps told; outputs and inputs by their places in the probe and the recording.
package struct FoundWiring: Sendable, Equatable {
  /// One wire, or one actuator with its sensor, from an output to an input.
  package struct Signal: Sendable, Equatable {
    package let path: WiringPath
    /// What the input is.
    package let role: CaptureRole
    /// Whether the two conductors are swapped; of a sensor, whether a positive drive moves it to the negative
    /// side.
    ///
    /// `nil` where that cannot be told.
    package let isReversed: Bool?

    package var output: Int { path.output }
    package var input: Int { path.input }
  }

  /// What was found at the inputs, in their order; an input that hears nothing is left out.
  package let signals: [Signal]
  /// The output that moves the sensors; `nil` where none does.
  package let haptic: Int?
  /// The output that the reference wire leaves by; `nil` where there is none.
  package let reference: Int?
  /// The outputs that are heard as sound.
  package let sound: [Int]
  /// Whether two wires come back after the same time, so that either may be the reference.
  package let hasAlikeWires: Bool
  /// What a person should know of it, as sentences; outputs and inputs are named by the caller's names.
  package let notes: [String]

  /// Makes sense of what each input heard; `outputs` and `inputs` are what people call them.
  package init(
    _ probe: WiringProbe, in recording: Recording, outputs: [String], inputs: [String]
  ) {
    let (paths, rate) = (probe.paths(in: recording), probe.rate)
    // Each input belongs to the output that it hears loudest: the others are crosstalk.
    let loudest = Dictionary(grouping: paths.filter { $0.level > 0 }, by: \.input)
      .compactMap { $0.value.max { $0.level < $1.level } }
      .sorted { $0.input < $1.input }
    var notes: [String] = []
    let moving = loudest.filter { $0.kind == .motion }
    let haptic = moving.max { $0.signalToNoise < $1.signalToNoise }?.output
    for other in moving where other.output != haptic {
      notes.append(
        "\(outputs[other.output]) moves something too, which \(inputs[other.input]) feels: describe it as "
          + "a second actuator, or as a rig of its own")
    }
    // A wire from the haptic output itself measures the voltage at the actuator.
    let wires = loudest.filter { $0.kind == .wire && $0.output != haptic }
      .sorted { ($0.wire?.delay ?? 0) < ($1.wire?.delay ?? 0) }
    let reference = wires.first
    var areAlike = false
    if wires.count > 1, let first = wires[0].wire, let second = wires[1].wire,
      wires[0].output != wires[1].output,
      rate.seconds(second.delay - first.delay) < Self.sameDelay
    {
      areAlike = true
      notes.append(
        "\(outputs[wires[0].output]) and \(outputs[wires[1].output]) both come back by a wire, after the "
          + "same time: \(outputs[wires[0].output]) is taken as the reference, and the other as sound"
      )
    }
    hasAlikeWires = areAlike
    self.haptic = haptic
    self.reference = reference?.output
    var sound: [Int] = []
    let electrical = reference?.wire.map { rate.seconds($0.delay) }
    signals = loudest.map { path in
      let role: CaptureRole
      switch path.kind {
      case .motion: role = .acceleration
      case .wire where path.output == haptic: role = .voltage
      case .wire where path == reference: role = .reference
      default: role = .audio
      }
      if role == .audio, !sound.contains(path.output) { sound.append(path.output) }
      return Signal(
        path: path, role: role,
        isReversed: path.wire.map { $0.gain < 0 }
          ?? electrical.flatMap { probe.isReversed(path, in: recording, after: $0) })
    }
    self.sound = sound.filter { $0 != haptic && $0 != reference?.output }
    self.notes = notes
  }

  /// Two delays that differ by less, in seconds, are one.
  private static let sameDelay = 20e-6
}

extension WiringProbe {
  /// From the force to a sensor, in seconds.
  private static let transport = -0.0002...0.0025

  /// Whether a positive drive moves a sensor to its negative side.
  ///
  /// It can be told only where the delay of the converters is known: at 170 Hz half a period is 3 ms, and a delay
  /// that is wrong by so much looks like a swapped wire.
  fileprivate func isReversed(
    _ path: WiringPath, in recording: Recording, after electrical: Double
  ) -> Bool? {
    guard path.resonance != nil else { return nil }
    let delays = electrical + Self.transport.lowerBound...electrical + Self.transport.upperBound
    return resonance(of: path, in: recording, delays: delays).map { $0.gain.value < 0 }
  }
}
