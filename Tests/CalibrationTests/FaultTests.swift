// SPDX-License-Identifier: Apache-2.0

import Calibration
import Profiles
import Testing

@Suite struct FaultTests {
  @Test func `a clipping sensor is refused`() {
    #expect(refusal { $0.fullScale = 5 }?.code == .sensorClipped)
  }

  @Test func `a sensor that is upside down is refused`() {
    #expect(refusal { $0.gravity = [-9.81] }?.code == .sensorPolarity)
  }

  @Test func `g taken for metres per second squared is told as mixed units`() throws {
    let found = try #require(
      refusal {
        $0.gravity = [9.80665]
        $0.scale = 1 / 9.80665
      })
    #expect(found.code == .sensorUnits)
    #expect(found.description.contains("units mixed up"))
  }

  @Test func `metres per second squared taken for g is told as mixed units`() {
    let found = refusal {
      $0.gravity = [9.80665]
      $0.scale = 9.80665
    }
    #expect(found?.code == .sensorUnits)
  }

  @Test func `motion along another axis than the first is refused`() {
    let found = refusal {
      $0.axisNames = ["z", "x"]
      $0.direction = [0.1, 0.99]
      $0.gravity = [0, 0]
    }
    #expect(found?.code == .sensorAxis)
  }

  @Test func `strong mains hum is refused`() {
    #expect(refusal { $0.hum = 0.5 }?.code == .sensorHum)
  }

  @Test func `a sensor without any change is dead`() {
    #expect(refusal { $0.isConstant = true }?.code == .sensorDead)
  }

  @Test func `a noisy sensor is refused`() {
    #expect(refusal { $0.noise = 0.05 }?.code == .sensorNoise)
  }

  @Test func `a loose sensor is refused`() {
    #expect(refusal { $0.rattle = (0.4, 0.5) }?.code == .sensorLoose)
  }

  @Test func `a dead actuator is refused`() {
    #expect(refusal { $0.modes[0].gain = 1e-9 }?.code == .actuatorDead)
  }

  @Test func `current without motion is a stuck actuator`() {
    let found = refusal {
      $0.modes[0].gain = 1e-9
      $0.coil = (13.8, 1e-4)
    }
    #expect(found?.code == .actuatorStuck)
  }

  @Test func `an actuator that answers to another channel is told`() {
    #expect(refusal { $0.wiredChannel = 2 }?.code == .channelCrossed)
  }

  @Test(arguments: [5, 14])
  func `another actuator in the middle is refused`(segment: Int) {
    let found = refusal { $0.swap = (segment, [testMotion(185, 8, g: 1.3)]) }
    #expect(found?.code == .actuatorSwapped)
  }

  @Test func `an amplifier that clips is refused`() {
    #expect(refusal { $0.amplifierPeak = 2.5 }?.code == .amplifierClipping)
  }

  @Test func `an amplifier that clips is found without a reference too`() {
    var subject = testSubject()
    subject.hasReference = false
    let found = refusal(subject) {
      $0.amplifierPeak = 2
      $0.hasReference = false
    }
    #expect(found?.code == .amplifierClipping)
  }

  @Test(arguments: [9.0, 1_900])
  func `a resonance outside of the sweep is refused`(frequency: Double) {
    let found = refusal { $0.modes = [testMotion(frequency, 9)] }
    #expect(found?.code == .resonanceOutside)
    let side = frequency < 20 ? "(below" : "(above"
    #expect(found?.description.contains(side) == true, "\(String(describing: found))")
  }

  @Test func `an actuator that reaches nothing within its limits is refused`() {
    #expect(refusal { $0.modes = [testMotion(170, 9, g: 0.06)] }?.code == .actuatorLimit)
  }

  @Test func `a reference that is unplugged in the middle is refused`() {
    #expect(refusal { $0.unplugged = 6 }?.code == .referenceMissing)
  }

  @Test func `a reference of half the voltage is refused`() {
    #expect(refusal { $0.referenceScale = 0.5 }?.code == .referenceScale)
  }

  @Test func `a strong drift is refused`() {
    let found = refusal {
      $0.gainDrift = -0.004
      $0.frequencyDrift = -0.000_3
    }
    #expect([.actuatorDrift, .actuatorSwapped].contains(found?.code))
  }

  @Test func `a slammed door and lost frames repeat their segment`() throws {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    rig.blows = [4: (8, 0.5)]
    rig.losses = [3: 2_000..<2_100]
    let played = try Played(testSubject(), rig, until: .grid)
    #expect(played.repeats.count == 2, "\(played.repeats)")
    let model = try #require(played.procedure.identified)
    #expect(abs(model.modes[0].f0.value / 170 - 1) < 0.003)
  }
}
