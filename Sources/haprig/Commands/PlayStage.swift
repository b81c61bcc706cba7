// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bench
import CoreHaptics
import Devices
private import Glibc
import JSONText
import Units
import Workflows

/// What `play` does on a rig that stays open.
struct StageOptions: ParsableArguments {
  @Flag(
    help: """
      Play commands that come as lines of JSON on standard input. Beats (a '.') must hold the \
      drive, as with --held.
      """)
  var commands = false

  @Option(help: "Play this file, and play it again whenever it is saved.", completion: .ahap)
  var watch: String?

  @Flag(help: "With --watch: play it in a loop.")
  var loop = false

  @Option(help: "The actuator's id (default: the rig's first one).")
  var actuator: String?

  /// How often a file is looked at, and how often news are told, in seconds.
  private static let fileInterval = 0.05
  private static let newsInterval = 0.01
  /// How long a stream runs before it is known how far it goes ahead of its device, in seconds.
  private static let settling = 0.1

  var isAsked: Bool { commands || watch != nil }

  func check(_ paths: [String], isHeld: Bool) throws {
    let ways = [!paths.isEmpty, commands, watch != nil].filter { $0 }.count
    try Usage.require(ways > 0, "Name what to play: patterns, --watch FILE or --commands")
    try Usage.require(ways == 1, "Patterns, --watch and --commands exclude each other: give one")
    try Usage.require(!commands || !isHeld, "--commands is held by beats already: leave out --held")
    try Usage.require(!loop || watch != nil, "--loop goes with --watch")
  }

  func focused(_ choice: RigChoice) throws -> RigDescription {
    try choice.readToPlay(actuator: actuator)
  }

  func run(_ play: PlayCommand, by user: RigOperator) throws {
    let builder = try play.calibration.builder(
      for: focused(play.rig.choice), play.laws.requested, by: user)
    if let watch {
      try follow(watch, builder, play.patterns.reading, play, by: user)
    } else {
      try obey(builder, play.patterns.reading, by: user)
    }
  }

  private func obey(
    _ builder: TakeBuilder, _ reading: PatternReading, by user: RigOperator
  ) throws {
    let stage = try StageWorkflow.open(builder, title: "stage", by: user)
    var director = StageDirector(stage, builder: builder, reading: reading)
    try Self.settle(stage)
    Self.tell([director.opening])
    let reader = StageReader(user.stop)
    do throws(DeviceError) {
      while try !stage.isOver() {
        reader.wait(Self.newsInterval)
        for event in reader.take() { director.take(event) }
        Self.tell(director.look(at: MonotonicClock.seconds))
      }
    } catch {
      let lacked = stage.rate.seconds(Double(stage.underrunFrames))
      Self.tell([
        ["state": "ended", "said": .string("\(error)"), "underrun": .number(lacked)]
      ])
      throw error
    }
  }

  private func follow(
    _ path: String, _ builder: TakeBuilder, _ reading: PatternReading, _ play: PlayCommand,
    by user: RigOperator
  ) throws {
    let loader = PatternLoader(rate: builder.rig.drive.rate, reading: reading)
    let entry = PatternSet.Entry(path: path, name: path)
    var file = SavedFile(path: path, limit: loader.byteLimit) { bytes throws(InputError) in
      let pattern = try loader.load(bytes, as: entry)
      try builder.checkLimits(of: [pattern])
      return pattern
    }
    // What cannot be read at all is no file to wait for.
    let first = try loader.load(entry)
    try builder.checkLimits(of: [first])
    let stage = try StageWorkflow.open(builder, title: "watch", patterns: [first.name], by: user)
    var director = StageDirector(stage, builder: builder, reading: reading)
    try Self.settle(stage)
    var isFirst = true
    while try !stage.isOver() {
      let now = MonotonicClock.seconds
      switch file.look(at: now, wall: Self.wallClock) {
      case .saved(let pattern, let age):
        do {
          let seconds = try director.follow(
            pattern, savedAt: isFirst ? nil : now - age, isLooping: loop)
          if play.json {
            Self.tell([["playing": .string(path), "seconds": .number(seconds)]])
          } else if !play.quiet {
            Console.out("playing \(path), \((seconds * 1000).rounded() / 1000) s\n")
          }
          isFirst = false
        } catch {
          Console.error("haprig: \(error)")
        }
      case .broken(let error): Console.error("haprig: \(error)\n\(path): the last good one stays")
      case nil: break
      }
      for line in director.look(at: now) {
        guard let delay = line["delay"]?.number else { continue }
        if play.json {
          Self.tell([["delay": .number(delay)]])
        } else if !play.quiet {
          Console.out("\(Int((delay * 1000).rounded())) ms from its save to the drive\n")
        }
      }
      usleep(UInt32(Self.fileInterval * 1e6))
    }
  }

  private static func settle(_ stage: RigStage) throws(DeviceError) {
    let end = MonotonicClock.seconds + settling
    while MonotonicClock.seconds < end, try !stage.isOver() { usleep(5_000) }
  }

  private static func tell(_ lines: [JSONValue]) {
    for line in lines { Console.out(line.text(indent: nil) + "\n") }
  }

  private static var wallClock: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }
}
