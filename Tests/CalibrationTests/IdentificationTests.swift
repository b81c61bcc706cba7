import Calibration
import Profiles
import SeededRandom
import Testing

@Suite struct IdentificationTests {
  @Test func `resonance, Q, gain and delay are found and their uncertainty covers the truth`()
    throws
  {
    var covered = [0, 0, 0, 0]
    for seed in 0..<seedCount {
      var random = SeededRandom(seed: 0x5eed + UInt64(seed))
      let (f0, q) = (random.uniform(110...250), random.uniform(5...17))
      var rig = TestRig(
        modes: [
          testMotion(
            f0, q, g: random.uniform(0.6...2.2), hardening: random.uniform(-0.05...0.08),
            loss: random.uniform(0...0.15))
        ], seed: UInt64(seed))
      rig.delay = random.uniform(0.0002...0.003)
      let played = try Played(testSubject(), rig, until: .grid)
      let model = try #require(played.procedure.identified)
      let mode = try #require(model.modes.first)
      let truth = [f0, q, rig.modes[0].gain, rig.delay]
      let found = [mode.f0, mode.q, mode.gain, model.delay]
      let allowed = [0.003 * f0, 0.05 * q, 0.01 * rig.modes[0].gain, 10e-6]
      for index in truth.indices {
        let error = abs(found[index].value - truth[index])
        #expect(
          error <= allowed[index], "number \(index): \(found[index]), \(random), seed \(seed)")
        if error <= 2 * found[index].uncertainty { covered[index] += 1 }
      }
    }
    for (index, count) in covered.enumerated() {
      #expect(
        Double(count) >= 0.95 * Double(seedCount), "number \(index): \(count) of \(seedCount)")
    }
  }

  @Test func `a second resonance is found beside the first`() throws {
    let rig = TestRig(modes: [testMotion(160, 8, g: 1.2), testMotion(320, 8, g: 1)], seed: 8)
    let model = try #require(try Played(testSubject(), rig, until: .grid).procedure.identified)
    #expect(model.kind == .modes)
    #expect(model.modes.count == 2)
    #expect(abs(model.modes[0].f0.value - 160) < 0.5)
    #expect(abs(model.modes[1].f0.value - 320) < 1.5)
  }

  @Test func `a sensor clock that is two percent off is taken out of the resonance`() throws {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 3)
    rig.clock = 0.02
    let model = try #require(try Played(testSubject(), rig, until: .grid).procedure.identified)
    #expect(abs(model.modes[0].f0.value / 170 - 1) < 0.003)
  }

  @Test func `the coil is read where voltage and current are measured`() throws {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 3)
    rig.coil = (resistance: 13.8, inductance: 0.4e-3)
    let model = try #require(try Played(testSubject(), rig, until: .grid).procedure.identified)
    #expect(abs((model.resistance?.value ?? 0) / 13.8 - 1) < 0.01)
  }
}
