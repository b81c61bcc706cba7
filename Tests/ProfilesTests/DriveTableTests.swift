// SPDX-License-Identifier: Apache-2.0

import Actuators
import AllocationCounter
import Glibc
import Profiles
import SeededRandom
import Testing

struct DriveTableTests {
  @Test func `a table is the map within a fraction of what is noticed`() throws {
    for profile in [
      try SampleProfiles.lra(),
      try SampleProfiles.erm(),
    ] {
      let map = DriveMap(profile: profile, fullScaleVolts: 10)
      let table = DriveTable(map, rate: 48_000)
      // The nearest state of a motor bends where its measured curve does.
      let share = profile.motorCurve == nil ? 0.04 : 0.25
      let lookup = DriveTableLookup(table)
      var random = SeededRandom(seed: 0x600)
      for _ in 0..<500 {
        let (i, s) = (Float(random.uniform(0.001...1)), Float(random.uniform()))
        let command = map.command(intensity: Double(i), sharpness: Double(s))
        let found = lookup.value(intensity: i, sharpness: s)
        let decibels = 20 * log10(Double(found.amplitude) / command.command)
        let octaves = log2(Double(found.turns) * 48_000 / command.frequency)
        #expect(abs(decibels) < share * 2.2, "\(decibels) dB at \(i), \(s), \(profile.actuator.id)")
        #expect(
          abs(octaves) < share * log2(1.18),
          "\(octaves) octaves at \(i), \(s), \(profile.actuator.id)")
      }
    }
  }

  @Test(.enabled(if: allocationCounterIsAvailable() == 1, "a sanitizer's heap is not counted"))
  func `a lookup allocates nothing`() throws {
    let map = DriveMap(profile: try SampleProfiles.lra(), fullScaleVolts: 10)
    let lookup = DriveTableLookup(DriveTable(map, rate: 48_000))
    var sum: Float = 0
    allocationCounterStart()
    for step in 0..<1000 {
      sum += lookup.value(intensity: Float(step) / 1000, sharpness: 0.3).amplitude
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0 && counts.releases == 0 && sum > 0)
  }

  @Test func `outside of 0 to 1 a table holds its ends and 0 is silence`() throws {
    let map = DriveMap(profile: try SampleProfiles.lra(), fullScaleVolts: 10)
    let table = DriveTable(map, rate: 48_000)
    #expect(table.value(intensity: 0, sharpness: 0.5).amplitude == 0)
    #expect(table.value(intensity: -1, sharpness: 0.5).amplitude == 0)
    #expect(table.value(intensity: 9, sharpness: 9) == table.value(intensity: 1, sharpness: 1))
    #expect(
      table.value(intensity: 0.5, sharpness: -3) == table.value(intensity: 0.5, sharpness: 0))
    #expect(table.value(intensity: .nan, sharpness: .nan).amplitude == 0)
  }

  @Test func `the least intensity is the floor and not silence`() throws {
    let map = DriveMap(profile: try SampleProfiles.lra(), fullScaleVolts: 10)
    let table = DriveTable(map, rate: 48_000)
    let floor = map.command(intensity: 1e-9, sharpness: 0.5).command
    let found = Double(table.value(intensity: 1e-6, sharpness: 0.5).amplitude)
    #expect(abs(found / floor - 1) < 1e-3)
  }
}
