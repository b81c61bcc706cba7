// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reporting
import Workflows

/// The other demo: many nights in place of one run.
struct DemoNightsOptions: ParsableArguments {
  static let discussion = """
    If the same program has played the same demo before, the result of that run is shown at once; --again plays.

    With --nights an archive of many simulated nights is made instead, in a folder of its own \
    (--archive, default: \(standardFolder)), and the page of its history. Three things happen in \
    these nights: the sound comes later, the actuator grows weaker, and the capture's delay changes, \
    which is the rig's. The usual statistics have to find them (docs/NIGHTLY.md). If the command is \
    stopped, it goes on where it was when it is run again.

    EXAMPLES
      haprig demo
      haprig demo --nights 60
      haprig demo --nights 120 --seed 7 --archive nights-7
    """

  private static let standardFolder = "demo-nights"

  @Option(
    help: """
      Make an archive of so many simulated nights (24 to 366) with three changes to find, and its history page.
      """)
  var nights: Int?

  @Option(help: "The seed of the nights (default: 1).")
  var seed: UInt64?

  func validate() throws {
    try Usage.require("--nights", nights, in: DemoNights.counts)
    try Usage.require(nights != nil || seed == nil, "--seed goes with --nights")
  }

  /// Makes the nights and tells what they say; the last line names the page.
  func play(
    _ nights: Int, rigs: String, in archive: String?, explaining: Bool, by user: RigOperator
  ) async throws {
    let folder = archive ?? Self.standardFolder
    let outcome = try await DemoNights(
      nights, seed: seed ?? 1, rigs: rigs, in: folder, by: user
    ).execute()
    let old = nights - outcome.played
    if old > 0 { Console.error("\(Count.of(old, "night")) were there already: \(folder)") }
    Console.out(
      HistoryText.summary(
        outcome.report, color: Console.hasColour, archive: folder, explaining: explaining))
    Console.out("\nhistory: \(outcome.page)\n")
  }
}
