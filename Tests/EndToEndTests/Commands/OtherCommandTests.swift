// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import JSONText
import Testing

/// The commands beside `run`.
struct OtherCommandTests {
  @Test func `play measures nothing and writes nothing`() throws {
    let bench = try Workbench()
    try bench.write(Plants.mirror, to: "mirror.py")
    try bench.commandRig("mirror.py")
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig("play", "tap.ahap", "--rig", "rig.yaml")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output == "played tap, 0.022 s\n")
    #expect(bench.names(in: ".") == ["mirror.py", "rig.yaml", "tap.ahap"])
  }

  @Test func `rendering twice gives the same sound file`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    let first = try bench.haprig("render", "tap.ahap", "--out", "one.wav")
    let second = try bench.haprig(
      "render", "tap.ahap", "--out", "two.wav",
      changing: ["LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"])
    #expect(first.code == 0, "\(first.errors)")
    #expect(second.code == 0, "\(second.errors)")
    let file = [UInt8](try bench.bytes("one.wav"))
    #expect(file == [UInt8](try bench.bytes("two.wav")))
    func number(_ place: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) }
    }
    #expect(String(decoding: file[0..<4], as: UTF8.self) == "RIFF")
    #expect(number(4, 4) == file.count - 8)
    #expect(String(decoding: file[8..<16], as: UTF8.self) == "WAVEfmt ")
    #expect(number(20, 2) == 3, "samples are floating point")
    #expect(number(22, 2) == 3, "a drive and two channels of sound")
    #expect(number(24, 4) == 48_000)
    #expect(number(34, 2) == 32)
    #expect(first.output.hasPrefix("one.wav: 3 channels, "))
  }

  @Test func `rendering for a rig or a rate takes them`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    let plain = try bench.haprig("render", "tap.ahap", "--out", "plain.wav", "--rate", "96000")
    #expect(plain.code == 0, "\(plain.errors)")
    #expect(plain.output == "plain.wav: 1 channel, 2112 frames at 96000 Hz, 0.022 s\n")
    let erm = try bench.haprig(
      "render", "tap.ahap", "--out", "erm.wav", "--rig", Workbench.rigs + "/simulated-erm.yaml")
    #expect(erm.code == 0, "\(erm.errors)")
    #expect(try bench.bytes("erm.wav") != bench.bytes("plain.wav"))
  }

  @Test func `lint tells findings with their places`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.transient(at: 0, intensity: 7), to: "loud.ahap")
    let ending = try bench.haprig("lint", "loud.ahap")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("loud.ahap:5:"), "\(ending.output)")
    #expect(ending.output.contains("^"))
    #expect(ending.output.contains("1 file, 1 finding\n"), "\(ending.output)")
    let strict = try bench.haprig("lint", "--strict", "loud.ahap")
    #expect(strict.code == 1, "\(strict.errors)")
  }

  @Test func `the doctor ends with 1 where something that was asked for cannot work`() throws {
    let bench = try Workbench()
    let rig = Workbench.rigs + "/simulated-lra.yaml"
    let sound = try bench.haprig("doctor", "--rig", rig)
    #expect(sound.output.contains("describes 'simulated-lra'"), "\(sound.output)")
    #expect(sound.output.contains("has room for"))
    try bench.write("name: 1\n", to: "bad.yaml")
    let broken = try bench.haprig("doctor", "--rig", "bad.yaml", "--json")
    #expect(broken.code == 1, "\(broken.errors)")
    #expect(broken.output.contains("haprig.doctor/1") && broken.output.contains("bad.yaml:"))
    let server = try bench.haprig("doctor", "--archive", "postgres://rig@127.0.0.1:1/none")
    #expect(server.code == 1 && server.output.contains("BROKEN  database"), "\(server.output)")
  }

  @Test func `lint explains every code, and refuses others with the nearest`() throws {
    let bench = try Workbench()
    for code in DiagnosticCode.allCases {
      let ending = try bench.haprig("lint", "--explain", code.rawValue.lowercased())
      #expect(ending.code == 0 && ending.output.hasPrefix("\(code.rawValue)  \(code.title)\n"))
      #expect(ending.output.contains(code.meaning) && ending.output.contains("severity: "))
    }
    #expect(try bench.haprig("lint", "--explain", "X9").code == 2)
    #expect(try bench.haprig("lint").code == 2)
    let all = try bench.haprig("lint", "--explain")
    #expect(all.code == 0, "\(all.errors)")
    let lines = all.output.split(separator: "\n")
    #expect(lines.count == DiagnosticCode.allCases.count)
    for (line, code) in zip(lines, DiagnosticCode.allCases) {
      #expect(line.hasPrefix(code.rawValue + "  ") && line.hasSuffix("  " + code.title), "\(line)")
    }
  }

  @Test func `lint counts what it could not read by itself`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.transient(at: 0, intensity: 7), to: "loud.ahap")
    try bench.write("{", to: "broken.ahap")
    let ending = try bench.haprig("lint", "loud.ahap", "broken.ahap")
    #expect(ending.code == 2)
    #expect(
      ending.output.contains("\n1 file, 1 finding; 1 file could not be read\n"),
      "\(ending.output)")
    let none = try bench.haprig("lint", "broken.ahap")
    #expect(none.output == "1 file could not be read: nothing was checked\n", "\(none.output)")
  }

  @Test(
    arguments: [
      (["runn", "x"], "haprig has no command 'runn' (did you mean 'run'?): haprig --help lists"),
      (["nosuch", "--help"], "haprig has no command 'nosuch': haprig --help lists them"),
      (["archive", "lst"], "haprig archive has no command 'lst' (did you mean 'list'?)"),
      (["fleet", "stats", "--json"], "haprig fleet has no command 'stats' (did you mean 'status'"),
    ])
  func `a mistyped command is refused with the one that was meant`(
    words: [String], sentence: String
  ) throws {
    let ending = try Workbench().haprig(words)
    #expect(ending.code == 2)
    #expect(ending.errors.hasPrefix("haprig: " + sentence), "\(ending.errors)")
    #expect(ending.output.isEmpty, "\(ending.output)")
  }

  @Test func `the help lists every command once, in groups`() throws {
    let help = try Workbench().haprig("--help").output
    let titles = help.matches(of: /(?m)^([A-Z ]+) SUBCOMMANDS:$/).map { String($0.1) }
    #expect(
      titles == [
        "PLAY AND MEASURE", "CALIBRATE", "PATTERNS", "ARCHIVE AND NIGHTS", "RIGS AND WORKBENCH",
      ])
    let commands = help.matches(of: /(?m)^  ([a-z]+)  +[A-Z]/).map { String($0.1) }
    #expect(commands.count == 32 && Set(commands).count == 32, "\(commands)")
  }

  @Test func `lint as JSON holds every finding`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.transient(at: 0, intensity: 7), to: "a.ahap")
    try bench.write(Patterns.tap, to: "b.ahap")
    let ending = try bench.haprig("lint", "--json", ".")
    #expect(ending.code == 0, "\(ending.errors)")
    let list = try JSONValue(parsing: [UInt8](ending.output.utf8))
    let files = try #require(list["files"]?.elements)
    #expect(files.map { $0["diagnostics"]?.elements?.count } == [1, 0])
    #expect(files.map { $0["events"]?.integer } == [1, 1])
    let finding = try #require(files[0]["diagnostics"]?.elements?.first)
    #expect(finding["line"]?.integer == 5)
    #expect(finding["code"]?.string?.hasPrefix("AHAP") == true)
  }

  @Test func `lint mends what it can, tells the rest, and says what would mend more`() throws {
    let bench = try Workbench()
    try bench.write(
      """
      {"Version": 1.0, "Pattern": [
        {"Event": {"Time": 0, "EventTyp": "HapticTransient"}},
        {"Event": {"Time": -1, "EventType": "HapticTransient"}},
        {"Parameter": {"ParameterID": "HapticIntensityContrl", "ParameterValue": 1}}]}
      """, to: "a.ahap")
    let before = try bench.haprig("lint", "a.ahap")
    #expect(before.code == 1 && before.output.contains("1 file, 3 findings"), "\(before)")
    let after = try bench.haprig("lint", "--fix", "a.ahap")
    #expect(after.code == 1 && after.errors.contains("mended: write 'EventType' for 'EventTyp'"))
    #expect(after.output.contains("1 file, 2 findings\n--fix=names repairs what it can of this\n"))
    let text = try String(contentsOf: bench.file("a.ahap"), encoding: .utf8)
    #expect(text.contains("\"EventType\": \"HapticTransient\"") && text.contains("-1"))
    #expect(try bench.haprig("lint", "--explain", "AHAP010").code == 2)
  }

  @Test func `lint reads the others where one file cannot be read`() throws {
    let bench = try Workbench()
    try bench.write("{", to: "a.ahap")
    try bench.write(Patterns.tap, to: "b.ahap")
    let ending = try bench.haprig("lint", "--json", ".")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("a.ahap:1:2: "), "\(ending.errors)")
    let list = try JSONValue(parsing: [UInt8](ending.output.utf8))
    let files = try #require(list["files"]?.elements)
    #expect(files.count == 2)
    #expect(files[0]["unreadable"]?.string?.contains("a.ahap:1:2: ") == true)
    #expect(files[1]["events"]?.integer == 1)
  }

  @Test func `devices lists every kind and every plant`() throws {
    let bench = try Workbench()
    let text = try bench.haprig("devices")
    let ending = try bench.haprig("devices", "--json")
    #expect(text.code == 0 && ending.code == 0)
    let list = try JSONValue(parsing: [UInt8](ending.output.utf8))
    let kinds = list["devices"]?.elements?.compactMap { $0["device"]?.string }
    #expect(kinds == ["simulated", "command", "file", "alsa", "usb", "serial", "iio"])
    let plants = list["plants"]?.elements?.compactMap { $0["plant"]?.string } ?? []
    #expect(Set(plants).isSuperset(of: ["coinZ-170", "linX-170", "vcm-65", "erm-200"]))
    for name in plants + (kinds ?? []) { #expect(text.output.contains(name + " ")) }
  }

  @Test func `the version is one line`() throws {
    let ending = try Workbench().haprig("--version")
    #expect(ending.code == 0)
    #expect(ending.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil, "\(ending.output)")
  }

  @Test func `without arguments haprig says what it can do`() throws {
    let ending = try Workbench().haprig()
    #expect(ending.code == 0)
    for word in ["EXAMPLES", "EXIT CODES", "USAGE: haprig"] {
      #expect(ending.output.contains(word), "\(ending.output)")
    }
  }

  @Test(arguments: ["run", "play", "render", "lint", "devices", "demo"])
  func `every command has help`(command: String) throws {
    let bench = try Workbench()
    let ending = try bench.haprig(command, "--help")
    #expect(ending.code == 0)
    #expect(ending.output.contains("USAGE: haprig \(command)"), "\(ending.output)")
    #expect(try bench.haprig("--help").output.contains("  \(command) "))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completion scripts name the commands`(shell: String) throws {
    let ending = try Workbench().haprig("--generate-completion-script", shell)
    #expect(ending.code == 0)
    for command in ["run", "play", "render", "lint", "devices", "demo"] {
      #expect(ending.output.contains(command))
    }
  }

  @Test(arguments: [
    ["--nope"], ["run", "--nope"],
    ["run", "tap.ahap", "--rig", "rig.yaml", "--repeats", "0"],
    ["run", "tap.ahap", "--rig", "rig.yaml", "--repeats", "many"],
    ["run", "tap.ahap", "--rig", "rig.yaml", "--sharpness-law", "magic"],
    ["run", "tap.ahap", "--rig", "rig.yaml", "--reference-level", "500"],
    ["render", "tap.ahap"], ["render", "tap.ahap", "--out", "x.wav", "--rate", "12"], ["lint"],
    ["devices", "all"], ["--generate-completion-script", "tcsh"],
  ])
  func `wrong usage is exit code 2 and says how`(arguments: [String]) throws {
    let bench = try Workbench()
    let ending = try bench.start(haprig: arguments).end()
    #expect(ending.code == 2, "\(ending.errors)")
    #expect(ending.output == "")
    #expect(ending.errors.hasPrefix("Error: "), "\(ending.errors)")
    #expect(ending.errors.contains("Usage: haprig"), "\(ending.errors)")
    #expect(bench.names(in: ".") == [])
  }
}
