// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import ScratchFolder
import SeededRandom
import Testing

@testable import Workbench

/// What a pattern looks and sounds like, of events whose drive is known.
struct LaneTests {
  /// Amplitude and what is left beside one tone of a frequency, over whole periods.
  private static func tone(
    _ samples: [Float], at frequency: Double, rate: Double
  ) -> (amplitude: Double, rest: Double) {
    let count = Int(
      (rate / frequency * (Double(samples.count) * frequency / rate).rounded(.down)).rounded())
    var (real, imaginary) = (0.0, 0.0)
    for frame in 0..<count {
      let angle = 2 * .pi * frequency * Double(frame) / rate
      real += Double(samples[frame]) * cos(angle)
      imaginary += Double(samples[frame]) * sin(angle)
    }
    (real, imaginary) = (2 * real / Double(count), 2 * imaginary / Double(count))
    var rest = 0.0
    for frame in 0..<count {
      let angle = 2 * .pi * frequency * Double(frame) / rate
      let left = Double(samples[frame]) - real * cos(angle) - imaginary * sin(angle)
      rest += left * left
    }
    return (hypot(real, imaginary), (rest / Double(count)).squareRoot())
  }

  private static func frequency(_ sharpness: Double) -> Double { 80 * pow(230.0 / 80, sharpness) }

  @Test(arguments: [0.0, 0.5, 1.0])
  func `a constant event's drive is a tone of the law's frequency at the law's level`(
    _ sharpness: Double
  ) throws {
    let fixture = try AuthoringFixture()
    let event = AuthoringFixture.event("Continuous", for: 1, intensity: 0.5, sharpness: sharpness)
    try fixture.write(AuthoringFixture.pattern(event), as: "steady")
    // Of full scale 3.6 V the rig's actuator bears sqrt(2) times 2.5 V for as long as one likes.
    for (rig, fullScale) in [
      ("", 1.0), ("&rig=\(AuthoringFixture.rig)", 2.5 * 2.0.squareRoot() / 3.6),
    ] {
      let drive = try fixture.waves("steady/waves?lane=drive&from=0.4&to=0.48&columns=4096\(rig)")
      #expect(drive.header["framesPerBin"]?.integer == 1)
      #expect(drive.header["unit"]?.elements == ["1"])
      #expect(drive.lowest == drive.highest && drive.lowest.count == 3840)
      let found = Self.tone(drive.lowest, at: Self.frequency(sharpness), rate: 48_000)
      // Single precision, and periods that are no whole number of frames.
      #expect(abs(found.amplitude - 0.25 * fullScale) < 2e-4, "\(rig)")
      #expect(found.rest < 5e-4, "\(rig)")
    }
  }

  @Test func `what is asked for is shown as it is written`() throws {
    let fixture = try AuthoringFixture()
    let event = AuthoringFixture.event(
      "Continuous", at: 0.5, for: 1, intensity: 0.7, sharpness: 0.25)
    try fixture.write(AuthoringFixture.pattern(event), as: "sub/level")
    for (lane, value) in [("intensity", Float(0.7)), ("sharpness", 0.25)] {
      let waves = try fixture.waves("sub%2Flevel/waves?lane=\(lane)&from=0&to=2&columns=2000")
      #expect(waves.highest.count == 2000)
      #expect(waves.highest[..<499].allSatisfy { $0 == 0 })
      #expect(waves.highest[510..<1490].allSatisfy { abs($0 - value) < 1e-6 })
      #expect(waves.highest[1600...].allSatisfy { $0 == 0 })
    }
  }

  @Test func `the model answers a vibration with the acceleration that is asked for`() throws {
    let fixture = try AuthoringFixture(isCalibrated: true)
    // 0.7 of the way lies near the resonance, where there is room for it.
    let event = AuthoringFixture.event("Continuous", for: 1, intensity: 0.6, sharpness: 0.7)
    try fixture.write(AuthoringFixture.pattern(event), as: "steady")
    let rig = "rig=\(AuthoringFixture.rig)"
    let model = try fixture.waves("steady/waves?lane=model&from=0.4&to=0.48&columns=4096&\(rig)")
    #expect(model.header["unit"]?.elements == ["m/s2"])
    let frequency = Self.frequency(0.7)
    let found = Self.tone(model.lowest, at: frequency, rate: 48_000)
    let drive = try fixture.waves("steady/waves?lane=drive&from=0.4&to=0.48&columns=4096&\(rig)")
    let sent = Self.tone(drive.lowest, at: frequency, rate: 48_000)
    // The sample's model: 170.01 Hz, Q 9.0003, 2.9017 m/s2/V at resonance; H = (g/Q) s^2 / (s^2 + s w0/Q + w0^2).
    let (f0, q, g) = (170.009765839176, 9.00025343027005, 2.901664581270528)
    let ratio = frequency / f0
    let response = g / q * ratio * ratio / hypot(1 - ratio * ratio, ratio / q)
    let wanted = sent.amplitude * 3.6 * response
    #expect(abs(found.amplitude / wanted - 1) < 0.01, "\(found) \(wanted)")
    // It comes after the drive by the delay that was fitted, which a quarter of a period of silence shows.
    let beginning = try fixture.waves("steady/waves?lane=model&from=0&to=0.01&columns=480&\(rig)")
    #expect(beginning.lowest[..<19].allSatisfy { $0 == 0 })
    #expect(beginning.lowest[20..<40].contains { $0 != 0 })
  }

  @Test func `without a profile there is no model, and the sentence says what is missing`() throws {
    let fixture = try AuthoringFixture()
    try fixture.write(
      AuthoringFixture.pattern(AuthoringFixture.event("Transient")), as: "tap")
    for rig in ["", "&rig=\(AuthoringFixture.rig)"] {
      let answer = fixture.get("tap/waves?lane=model\(rig)")
      #expect(answer.status == 404 && answer.text.contains("haprig calibrate"), "\(answer.text)")
    }
  }

  @Test func `a saved file is shown as it is now`() throws {
    let fixture = try AuthoringFixture()
    for intensity in [1.0, 0.5] {
      let event = AuthoringFixture.event("Continuous", for: 0.2, intensity: intensity)
      try fixture.write(AuthoringFixture.pattern(event), as: "edited")
      let drive = try fixture.waves("edited/waves?from=0.05&to=0.15&columns=10")
      #expect(abs((drive.highest.max() ?? 0) - Float(intensity * intensity)) < 1e-3)
    }
  }

  /// The samples of a WAV file of 16 bits, and its rate.
  private static func sound(_ answer: Answer) throws -> (samples: [Float], rate: Double) {
    try #require(answer.status == 200, "\(answer.text)")
    let bytes = answer.body
    #expect(Array(bytes[..<4]) == Array("RIFF".utf8))
    let rate = Int(bytes[24]) | Int(bytes[25]) << 8 | Int(bytes[26]) << 16
    let samples = stride(from: 44, to: bytes.count - 1, by: 2).map { place in
      Float(Int16(truncatingIfNeeded: Int(bytes[place]) | Int(bytes[place + 1]) << 8)) / 32_767
    }
    return (samples, Double(rate))
  }

  @Test func `an octave up is twice the frequency, with the envelope where it was`() throws {
    let fixture = try AuthoringFixture(isCalibrated: true)
    let event = AuthoringFixture.event(
      "Continuous", at: 0.3, for: 0.4, intensity: 0.6, sharpness: 0.7)
    try fixture.write(AuthoringFixture.pattern(event), as: "beep")
    let rig = "rig=\(AuthoringFixture.rig)"
    for of in ["drive", "model"] {
      var edges: [(Double, Double)] = []
      for octaves in 0...3 {
        let query = "beep/sound?of=\(of)&octaves=\(octaves)&\(rig)"
        let (samples, rate) = try Self.sound(fixture.get(query))
        let middle = Array(samples[Int(0.45 * rate)..<Int(0.65 * rate)])
        let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
        let wanted = Self.frequency(0.7) * Double(1 << octaves) * 0.2
        #expect(abs(Double(crossings) - wanted) <= 1, "\(query): \(crossings) of \(wanted)")
        let half = (middle.max() ?? 0) / 2
        let loud = samples.indices.filter { abs(samples[$0]) > half }
        let first = try #require(loud.first)
        let last = try #require(loud.last)
        edges.append((Double(first) / rate, Double(last) / rate))
      }
      for edge in edges {
        // The end lies where the drive brakes and the actuator rings out: its crests are two periods there.
        #expect(abs(edge.0 - edges[0].0) < 0.005 && abs(edge.1 - edges[0].1) < 0.012, "\(edges)")
      }
      #expect(abs(edges[0].0 - 0.3) < 0.02)
    }
  }

  @Test func `a stronger drive sounds louder`() throws {
    let fixture = try AuthoringFixture()
    let events = [1.0, 0.5].map {
      AuthoringFixture.event("Continuous", for: 0.3, intensity: $0)
    }
    for (name, event) in zip(["strong", "weak"], events) {
      try fixture.write(AuthoringFixture.pattern(event), as: name)
    }
    let peaks = try ["strong", "weak"].map { name in
      let (samples, rate) = try Self.sound(fixture.get("\(name)/sound?octaves=2"))
      return samples[Int(0.1 * rate)..<Int(0.2 * rate)].map(abs).max() ?? 0
    }
    // Full scale is 3 dB below that of the file.
    #expect(abs(peaks[0] / peaks[1] - 4) < 0.05 && abs(peaks[0] - 0.708) < 0.02, "\(peaks)")
  }

  @Test func `a sound that an entry names is shown, and nothing beyond the folder`() throws {
    let fixture = try AuthoringFixture()
    let click = try #require(
      ScratchFolder.bytes(AuthoringFixture.project + "/rigs/patterns/sounds/click.wav"))
    _ = try fixture.folder.folder("patterns/sounds")
    try fixture.folder.write(click, to: "patterns/sounds/click.wav")
    let sound = { (path: String) in
      """
      {"Event": {"Time": 0, "EventType": "AudioCustom", "EventWaveformPath": "\(path)", \
      "EventParameters": []}}
      """
    }
    try fixture.write(
      AuthoringFixture.pattern(
        AuthoringFixture.event("Transient"), sound("sounds/click.wav"), sound("none.wav")),
      as: "heard")
    let waves = try fixture.waves("heard/audio?entry=1&columns=100")
    #expect(waves.header["channels"]?.elements == ["sounds/click.wav"])
    #expect(waves.highest.contains { $0 > 0.1 })
    #expect(fixture.get("heard/audio?entry=0").status == 404)
    #expect(fixture.get("heard/audio?entry=2").status == 404)
    try fixture.write(AuthoringFixture.pattern(sound("../../rig.yaml")), as: "away")
    #expect(fixture.get("away/audio?entry=0").status == 422)
    let (samples, _) = try Self.sound(fixture.get("heard/sound?of=audio"))
    #expect(samples.contains { abs($0) > 0.05 })
  }

  @Test(arguments: [
    ("none/waves", 404), ("tap/waves?lane=smell", 400), ("tap/waves?columns=0", 400),
    ("tap/waves?from=2&to=1", 400), ("tap/waves?rig=none", 404), ("tap/waves?actuator=x", 400),
    ("tap/waves?rig=authoring-rig&actuator=other", 422), ("broken/waves", 422),
    ("tap/sound?octaves=4", 400), ("tap/sound?of=nothing", 400), (".hidden/waves", 400),
    ("sub%2F.hidden/waves", 400), ("..%2Ftap/waves", 400), ("sub%2F..%2F..%2Frig/waves", 400),
    ("sub%2F%2Ftap/waves", 400), ("link/waves", 404), ("tap/export", 400),
  ])
  func `what cannot be shown is refused`(_ path: String, _ status: Int) throws {
    let fixture = try AuthoringFixture()
    let tap = AuthoringFixture.pattern(AuthoringFixture.event("Transient"))
    try fixture.write(tap, as: "tap")
    try fixture.write("{\"Pattern\": [", as: "broken")
    try fixture.write(tap, as: ".hidden")
    try fixture.folder.write(tap, to: "outside.ahap")
    symlink(fixture.folder.file("outside.ahap"), fixture.folder.file("patterns/link.ahap"))
    let answer = fixture.get(path)
    #expect(answer.status == status, "\(answer.text)")
  }

  @Test func `coarse bins are the extremes of the samples, whichever they are made of`() {
    var random = SeededRandom(seed: 0x1a2e)
    for _ in 0..<200 {
      let count = random.integer(1...5000)
      let samples = (0..<count).map { _ in Float(random.uniform(-1...1)) }
      var whole = LaneSignal(rate: 1000, unit: "1", keeping: 0..<count)
      for sample in samples { whole.append(sample) }
      let short = whole.withoutSamples(above: 0)
      let first = random.integer(0...count)
      let range = first..<(first + random.integer(1...6000))
      let columns = random.integer(1...200)
      for signal in [whole, short] where signal.covers(range, columns: columns) {
        let bins = signal.bins(range, columns: columns, name: "x")
        #expect(bins.binCount <= columns + 1, "\(random)")
        for bin in 0..<bins.binCount {
          let from = bins.range.lowerBound + bin * bins.framesPerBin
          let inside = samples[min(from, count)..<min(count, from + bins.framesPerBin)]
          // The last bin of ours may reach beyond the range.
          let isLast = bin == bins.binCount - 1
          let values = Array(inside) + (from + bins.framesPerBin > count ? [0] : [])
          guard let low = inside.isEmpty ? Float(0) : inside.min(), !isLast else { continue }
          #expect([low, values.min()].contains(bins.lowest[0][bin]), "\(random) \(range) \(bin)")
        }
      }
    }
  }
}
