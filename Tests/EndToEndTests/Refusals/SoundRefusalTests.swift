// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Sound files that a pattern names and must not have, or that are broken.
struct SoundRefusalTests {
  /// A bench with a sound in the pattern's folder, and another beside that folder.
  private func bench() throws -> Workbench {
    let bench = try Workbench()
    let click = try Data(
      contentsOf: URL(filePath: Workbench.rigs + "/patterns/sounds/click.wav"))
    try bench.write(click, to: "patterns/click.wav")
    try bench.write(click, to: "elsewhere/click.wav")
    return bench
  }

  /// Renders a pattern with one sound, which reads it as a run does.
  private func render(_ bench: Workbench, _ path: String, _ options: String...) throws -> Ending {
    try bench.write(Patterns.sound(path), to: "patterns/sound.ahap")
    return try bench.start(
      haprig: ["render", "patterns/sound.ahap", "--out", "x.wav"] + options
    ).end()
  }

  @Test(arguments: [
    "../../etc/passwd", "../../../../../../../../etc/passwd", "/etc/passwd",
    "../elsewhere/click.wav", "a/../../elsewhere/click.wav",
  ])
  func `a path that leaves the pattern's folder is refused`(path: String) throws {
    let bench = try bench()
    try bench.write(Patterns.sound(path), to: "patterns/sound.ahap")
    let ending = try bench.haprig(
      "run", "patterns/sound.ahap", "--rig", Workbench.rigs + "/simulated-lra.yaml",
      "--archive", "out")
    expectRefusal(
      ending, saying: "patterns/sound.ahap: the sound '\(path)' lies outside",
      "--allow-path DIR", in: bench)
  }

  @Test func `a link that leads out of the pattern's folder is refused`() throws {
    let bench = try bench()
    _ = try bench.tool("ln", "-s", "/etc/passwd", "patterns/link.wav")
    _ = try bench.tool("ln", "-s", "../elsewhere", "patterns/sounds")
    for path in ["link.wav", "sounds/click.wav"] {
      let ending = try render(bench, path)
      expectRefusal(
        ending, saying: "patterns/sound.ahap: the sound '\(path)' lies outside", in: bench)
    }
  }

  @Test func `a folder that is allowed may be read`() throws {
    let bench = try bench()
    _ = try bench.tool("ln", "-s", "../elsewhere/click.wav", "patterns/link.wav")
    for path in ["../elsewhere/click.wav", "link.wav", bench.file("elsewhere/click.wav").path()] {
      let ending = try render(bench, path, "--allow-path", "elsewhere")
      #expect(ending.code == 0, "\(path): \(ending.errors)")
      #expect(ending.errors == "")
      let other = try render(bench, path, "--allow-path", "patterns")
      #expect(other.code == 2, "\(path): \(other.output)")
    }
  }

  @Test func `a sound that was cut is refused`() throws {
    let bench = try bench()
    try bench.write(try bench.bytes("patterns/click.wav").prefix(500), to: "patterns/cut.wav")
    expectRefusal(
      try render(bench, "cut.wav"), saying: "patterns/sound.ahap: the sound 'cut.wav'",
      "the file was cut: the last 2424 of 2924 bytes are missing", in: bench)
    #expect(!bench.names(in: ".").contains("x.wav"))
  }

  @Test func `what is no sound is refused`() throws {
    let bench = try bench()
    try bench.write("something", to: "patterns/text.wav")
    expectRefusal(
      try render(bench, "text.wav"), saying: "patterns/sound.ahap: the sound 'text.wav'",
      in: bench)
  }

  @Test func `a sound that is not there is a warning, or an error where strictness is asked for`()
    throws
  {
    let bench = try bench()
    let lenient = try render(bench, "gone.wav")
    #expect(lenient.code == 0)
    #expect(
      lenient.errors.contains("there is no sound 'gone.wav' in 'patterns': its event is silent"))
    let strict = try render(bench, "gone.wav", "--strict")
    expectRefusal(
      strict, saying: "patterns/sound.ahap: there is no sound 'gone.wav' in 'patterns'",
      "--bundle", in: bench)
  }
}
