// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import RigDevices
import ScratchFolder
import Testing

/// Thermometers that tell, and all the ways in which they do not.
struct ThermometerTests {
  private func read(_ source: ThermometerDescription.Source, scale: Double = 1) -> Result<
    Double, ThermometerFault
  > {
    Result { () throws(ThermometerFault) in
      try Thermometer(ThermometerDescription(source, scale: scale)).read()
    }
  }

  private func file(_ text: String, in folder: ScratchFolder) -> ThermometerDescription.Source {
    let path = folder.file("temp1_input")
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = Array(text.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    return .file(path)
  }

  @Test func `a file and a program tell a number at their beginning`() throws {
    let folder = try ScratchFolder()
    #expect(try read(file("23500\n", in: folder), scale: 0.001).get() == 23.5)
    #expect(try read(file("  -4.25 C, or so", in: folder)).get() == -4.25)
    #expect(try read(.command(["echo", "21.5"])).get() == 21.5)
    #expect(try read(.command(["printf", "2.15e1"])).get() == 21.5)
    // A shell would make of it what it is not.
    #expect(throws: ThermometerFault.self) { try read(.command(["echo", "$((20 + 1))"])).get() }
  }

  @Test(arguments: [
    ("", "says '', which is no number"), ("warm", "says 'warm', which is no number"),
    ("nan", "is no number"), ("0x17", "is no number"), ("1e999", "is no number"),
    ("23,5", "says '23,5'"), ("\u{1B}[31m", "says '\u{FFFD}[31m'"),
    ("-273.15", "which is -273.15 degC: a sensor's fault, or another 'scale'"),
    ("23500", "which is 23500.0 degC"), ("150.1", "a sensor's fault"),
  ]) func `what is no temperature is a fault`(text: String, sentence: String) throws {
    let folder = try ScratchFolder()
    let answer = read(file(text, in: folder))
    #expect(throws: ThermometerFault.self) { try answer.get() }
    if case .failure(let fault) = answer {
      #expect(fault.description.contains(sentence), "\(fault)")
    }
  }

  @Test func `what cannot be read is a fault, and nothing is waited for`() throws {
    let folder = try ScratchFolder()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let cases: [(ThermometerDescription.Source, String)] = [
      (.file(folder.file("none")), "cannot be read: No such file"),
      (.file(folder.path), "is no regular file"), (.file(pipe), "is no regular file"),
      (.file("/dev/zero"), "is no regular file"),
      (.command(["false"]), "ended and printed nothing"),
      (.command(["/no/such/program"]), "cannot be started: No such file"),
      (.command(["cat", "/dev/zero"]), "is no number"),
      (.command(["sleep", "600"]), "did not answer within 2.0 s"),
    ]
    for (source, sentence) in cases {
      guard case .failure(let fault) = read(source) else {
        Issue.record("\(source) told a temperature")
        continue
      }
      #expect(fault.description.contains(sentence), "\(fault)")
    }
  }
}
