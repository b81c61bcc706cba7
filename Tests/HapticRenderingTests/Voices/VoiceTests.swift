// SPDX-License-Identifier: Apache-2.0

import Glibc
import Perception
import Testing
import Units

@testable import HapticRendering

/// The voices that both renderers share, against closed forms in double precision.
struct VoiceTests {
  private static let rate = 48_000.0

  private static func laws(
    _ sharpness: SharpnessLaw = .log80To230, waveform: RenderConfiguration.Waveform = .tone,
    toneFrequency: Double = 220
  ) -> RenderLaws {
    RenderLaws(
      RenderConfiguration(
        waveform: waveform, sharpnessLaw: sharpness, intensityLaw: .linear,
        toneFrequency: toneFrequency))
  }

  /// Renders a vibration of one level in blocks; `offset` is the sharpness control by frame.
  private static func vibration(
    turns: Double, sharpness: Double = 0.5, level: Float = 0.8, phase: Double = 0,
    blocks: [Int], laws: borrowing RenderLaws, offset: ((Int) -> Double)? = nil
  ) -> [Float] {
    let memory = StretchMemory()
    var voice = VibrationVoice(
      sharpness: Float(sharpness), turns: Float(turns), steadyStep: phaseUnits(ofTurns: turns),
      phase: phaseUnits(ofTurns: phase))
    var output = [Float](repeating: 0, count: blocks.reduce(0, +))
    var first = 0
    output.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for count in blocks {
        for index in 0..<count {
          memory.levels[index] = level
          memory.sharpnessControl[index] = offset.map { Float($0(first + index)) } ?? 0
        }
        if offset != nil { laws.turnLaw.convert(memory.sharpnessControl, count: count) }
        voice.add(
          to: base + first, count: count, movesSharpness: offset != nil, isDucked: false,
          laws: laws, memory: memory)
        first += count
      }
    }
    return output
  }

  @Test func `a steady vibration is the sine of its phase, in blocks of any size`() {
    let (turns, phase) = (150 / Self.rate, 0.1)
    let whole = Self.vibration(
      turns: turns, phase: phase, blocks: [256, 256, 256], laws: Self.laws())
    for (frame, sample) in whole.enumerated() {
      let wanted = 0.8 * sin(2 * .pi * (phase + Double(frame) * turns))
      // Phases count in 2^-32 turns: after a thousand frames they are off by a millionth at most.
      #expect(abs(Double(sample) - wanted) < 3e-6, "frame \(frame)")
    }
    let pieces = Self.vibration(
      turns: turns, phase: phase, blocks: [1, 255, 7, 249, 256], laws: Self.laws())
    #expect(pieces == whole)
  }

  @Test(arguments: [50.0, 150, 233, 9_000])
  func `a steady vibration has the energy of its sine`(frequency: Double) {
    let turns = frequency / Self.rate
    let count = 2_560
    let samples = Self.vibration(
      turns: turns, blocks: Array(repeating: 256, count: count / 256), laws: Self.laws())
    let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    // The sum of A^2 sin^2(w n) over n = 0 to N - 1: A^2 (N - cos((N - 1) w) sin(N w) / sin(w)) / 2.
    let w = 2 * Double.pi * turns
    let n = Double(count)
    let wanted = 0.8 * 0.8 * (n - cos((n - 1) * w) * sin(n * w) / sin(w)) / 2
    #expect(abs(energy / wanted - 1) < 1e-5)
  }

  @Test func `under a linear law a ramp of sharpness gives a chirp of quadratic phase`() {
    let laws = Self.laws(.linear(low: 80, high: 230))
    let (sharpness, slope) = (0.2, 0.5 / 1_024)
    let samples = Self.vibration(
      turns: (80 + 150 * sharpness) / Self.rate, sharpness: sharpness,
      blocks: Array(repeating: 256, count: 4), laws: laws,
      offset: { slope * (Double($0) + 0.5) })
    for (frame, sample) in samples.enumerated() {
      let n = Double(frame)
      // The integral of the frequency from 0 to n; half way between frames the steps are exact.
      let turns = (80 + 150 * sharpness) / Self.rate * n + 150 / Self.rate * slope * n * n / 2
      #expect(abs(Double(sample) - 0.8 * sin(2 * .pi * turns)) < 2e-5, "frame \(frame)")
    }
  }

  @Test func `every law turns a held offset into the frequency of the sum`() {
    let all: [SharpnessLaw] = [
      .logarithmic(low: 80, high: 230), .linear(low: 80, high: 230),
      .pinned(low: 60, resonance: 175, high: 300),
    ]
    for law in all {
      for (sharpness, offset) in [(0.2, 0.3), (0.7, -0.6), (0.5, 0.9), (0.1, -0.4)] {
        let samples = Self.vibration(
          turns: law.frequency(of: sharpness) / Self.rate, sharpness: sharpness,
          blocks: [256, 256], laws: Self.laws(law), offset: { _ in offset })
        let frequency = law.frequency(of: min(1, max(0, sharpness + offset)))
        for (frame, sample) in samples.enumerated() {
          let wanted = 0.8 * sin(2 * .pi * frequency / Self.rate * Double(frame))
          #expect(abs(Double(sample) - wanted) < 2e-5, "\(law) \(sharpness) \(offset), \(frame)")
        }
      }
    }
  }

  @Test func `an eccentric mass is driven with its level, whatever its sharpness`() {
    let samples = Self.vibration(
      turns: 0.01, level: 0.3, blocks: [100], laws: Self.laws(waveform: .level),
      offset: { _ in 0.5 })
    #expect(samples == Array(repeating: 0.3, count: 100))
  }

  /// What is heard of a sound at one pitch and one brightness, its left channel.
  private static func heard(
    file: [Float]?, loops: Bool = false, count: Int, pitch: Float = 0, brightness: Float = 1,
    pan: Float = 0, age: Double = 0, laws: borrowing RenderLaws
  ) -> (left: [Float], right: [Float]) {
    var bank = SoundBank()
    let path = "sound.wav"
    if let file { bank.add([Signal(samples: file, rate: .standard, unit: .one)], path: path) }
    let placed = SoundMemory.place(file == nil ? [] : [path], of: bank, rate: .standard)
    defer { placed.memory.deallocate() }
    let source = SoundSource(
      volume: 1, pan: pan, pitch: pitch, brightness: brightness, usesEnvelope: true, loops: loops,
      file: placed.files[path])
    let memory = StretchMemory()
    for index in 0..<count {
      memory.gains[index] = 1
      memory.volume[index] = 1
      for row in [memory.pan, memory.pitch, memory.brightness] { row[index] = 0 }
    }
    var voice = SoundVoice(age: age, speed: exp2(Double(pitch)), toneTurns: laws.toneTurns)
    var left = [Float](repeating: 0, count: count)
    var right = left
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        guard let l = left.baseAddress, let r = right.baseAddress else { return }
        voice.add(source, left: l, right: r, count: count, laws: laws, memory: memory)
      }
    }
    return (left, right)
  }

  @Test(arguments: [Float(0), 0.5, 1])
  func `a tone is the sum of eight partials of 1 over k`(brightness: Float) {
    let tone = Self.heard(file: nil, count: 256, brightness: brightness, laws: Self.laws()).left
    let strengths = (1...8).map { pow(Double(brightness), Double($0 - 1)) / Double($0) }
    let total = strengths.reduce(0, +)
    for (frame, sample) in tone.enumerated() {
      let turn = 2 * Double.pi * 220 / Self.rate * Double(frame)
      let sum = strengths.enumerated().reduce(0) {
        $0 + $1.element * sin(Double($1.offset + 1) * turn)
      }
      #expect(abs(Double(sample) - sum / total) < 1e-5, "frame \(frame)")
    }
  }

  @Test func `a tone has no partial that the highest pitch would carry beyond the band`() {
    // Twice the second partial of 5.5 kHz is 0.458 turns a frame: the first alone is left.
    let tone = Self.heard(file: nil, count: 256, laws: Self.laws(toneFrequency: 5_500)).left
    for (frame, sample) in tone.enumerated() {
      let wanted = sin(2 * .pi * 5_500 / Self.rate * Double(frame))
      #expect(abs(Double(sample) - wanted) < 1e-5, "frame \(frame)")
    }
    #expect(highestTurns == 0.45)
  }

  @Test func `a file at its own speed is heard to the bit, and then silence`() {
    let file = (0..<200).map { Float(sin(Double($0))) }
    #expect(
      Self.heard(file: file, count: 256, laws: Self.laws()).left
        == file + Array(repeating: 0, count: 56))
    let looped = Self.heard(file: file, loops: true, count: 256, laws: Self.laws()).left
    #expect(looped == file + file.prefix(56))
  }

  @Test func `the cubic between samples is exact on a parabola at any speed`() {
    func parabola(_ x: Double) -> Double { 0.5 - 0.01 * x + 0.00002 * x * x }
    let file = (0..<600).map { Float(parabola(Double($0))) }
    for pitch in [Float(-1), -0.3, 0.4, 1] {
      let heard = Self.heard(file: file, count: 256, pitch: pitch, age: 10, laws: Self.laws()).left
      let speed = exp2(Double(pitch))
      for (frame, sample) in heard.enumerated() {
        let position = (10 + Double(frame)) * speed
        #expect(abs(Double(sample) - parabola(position)) < 1e-4, "\(pitch), frame \(frame)")
      }
    }
  }

  @Test func `brightness 0 is a low-pass of one pole at 200 Hz`() {
    let step = [Float](repeating: 1, count: 256)
    let heard = Self.heard(file: step, count: 256, brightness: 0, laws: Self.laws()).left
    let left = exp(-2 * Double.pi * 200 / Self.rate)
    for (frame, sample) in heard.enumerated() {
      #expect(abs(Double(sample) - (1 - pow(left, Double(frame + 1)))) < 2e-5, "frame \(frame)")
    }
  }

  @Test func `a pan takes from the other side alone`() {
    let step = [Float](repeating: 1, count: 8)
    let heard = Self.heard(file: step, count: 8, pan: 0.25, laws: Self.laws())
    #expect(heard.left == Array(repeating: 0.75, count: 8))
    #expect(heard.right == step)
  }

  @Test func `the sine and the power of two are those of the C library`() {
    for step in 0..<10_000 {
      let turns = Double(step) / 10_000
      #expect(abs(Double(sine(ofPhase: phaseUnits(ofTurns: turns))) - sin(2 * .pi * turns)) < 4e-7)
      let x = -20 + 40 * turns
      #expect(abs(Double(powerOfTwo(Float(x))) / exp2(Double(Float(x))) - 1) < 3e-7)
    }
    #expect(powerOfTwo(0) == 1)
  }

  @Test(arguments: [IntensityLaw.square, .linear])
  func `levels become amplitudes by the law`(law: IntensityLaw) {
    let levels = LevelLaw(law, fullScale: 0.7)
    var values: [Float] = (0...100).map { Float($0) / 100 }
    let wanted = values.map { 0.7 * law.share(of: Double($0)) }
    values.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress { levels.apply(to: base, count: buffer.count) }
    }
    for (value, amplitude) in zip(values, wanted) { #expect(abs(Double(value) - amplitude) < 1e-6) }
  }

  @Test func `the limit of the render loop is that of the mixing law`() {
    let limit = SoftLimit(.standard, fullScale: 0.5)
    var values: [Float] = (-40...40).map { Float($0) / 20 }
    let wanted = values.map { 0.5 * MixingLaw.standard.limited(Double($0) / 0.5) }
    let above = values.count { $0.magnitude > 0.50001 }
    let counted = values.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { limit.apply(to: $0, count: buffer.count) }
    }
    #expect(counted == above)
    for (value, limited) in zip(values, wanted) { #expect(abs(Double(value) - limited) < 1e-6) }
  }
}
