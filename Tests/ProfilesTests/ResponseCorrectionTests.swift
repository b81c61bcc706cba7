// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
import SeededRandom
import Testing

struct ResponseCorrectionTests {
  private func table(_ random: inout SeededRandom, bend: Double) -> ResponseCorrection {
    let levels = (0..<random.integer(2...9)).map { 10 + 3 * Double($0) }
    let frequencies = (0..<random.integer(3...60)).map { 70 * pow(1.02, Double($0)) }
    return ResponseCorrection(
      frequencies: frequencies, levels: levels,
      decibels: frequencies.map { _ in levels.map { _ in random.uniform(-bend...bend) } })
  }

  private func reads(_ table: ResponseCorrection) throws -> Bool {
    var profile = try SampleProfiles.lra()
    profile.correction = table
    return (try? CalibrationProfile(parsing: Array(profile.text.utf8))) != nil
  }

  @Test func `whatever a fit asks for, a table that is held is one that a reader takes`() throws {
    for seed in 0..<60 {
      var random = SeededRandom(seed: 0x42_0000 + UInt64(seed))
      var table = table(&random, bend: random.uniform(1...12))
      let wasRead = try reads(table)
      let asked = table
      let held = table.hold()
      #expect(try reads(table), "SeededRandom(seed: 0x42_0000 + \(seed))")
      guard let held else {
        #expect(wasRead && table == asked, "SeededRandom(seed: 0x42_0000 + \(seed))")
        continue
      }
      let moves = zip(table.decibels.joined(), asked.decibels.joined()).map { abs($0 - $1) }
      #expect(abs(held.decibels) == moves.max(), "SeededRandom(seed: 0x42_0000 + \(seed))")
    }
  }

  @Test func `a table within its bounds stays as it is`() {
    var table = ResponseCorrection(
      frequencies: [100, 110, 121], levels: [10, 20], decibels: [[0, 2], [2.9, 2], [0, 2]])
    let asked = table
    #expect(table.hold() == nil && table == asked)
    table.decibels[1][0] = 5
    let held = table.hold()
    #expect(held?.frequency == 110 && abs((held?.decibels ?? 0) + 2) < 1e-3, "\(table)")
  }

  @Test func `rises that are held bend nothing, and nothing is beyond what a reader takes`() throws
  {
    var steep = ResponseCorrection(
      frequencies: [100, 110, 121], levels: [10, 11], decibels: [[0, 36], [-3, -36], [0, -36]])
    #expect(steep.hold() != nil)
    #expect(try reads(steep), "\(steep)")
    var large = ResponseCorrection(
      frequencies: [100, 110], levels: [10, 20], decibels: [[50, 50], [50, 50]])
    #expect(large.hold()?.decibels == -10)
    #expect(try reads(large), "\(large)")
  }
}
