// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation
import JSONText
import ScratchFolder
import Testing
import Workflows

/// The machine is a tree of files, and what a user may do is given.
struct HostExaminationTests {
  private let tree: ScratchFolder

  init() throws { tree = try ScratchFolder() }

  private func write(_ text: String, _ path: String) throws {
    let file = URL(filePath: tree.path + path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func found(_ subject: String, priority: Int = 99, locked: UInt64? = nil) -> [Diagnosis] {
    let limits = HostExamination.Limits(
      realtimePriority: priority, lockedBytes: locked, user: "ada")
    return HostExamination(files: SystemFiles(root: tree.path), limits: limits).diagnoses()
      .filter { $0.subject == subject }
  }

  @Test func `a user without real-time rights is told which group to join`() throws {
    #expect(found("real-time priority").map(\.state) == [.fine])
    for priority in [0, 74] {
      let refused = try #require(found("real-time priority", priority: priority).first)
      #expect(refused.state == .attention)
      #expect(refused.remedy?.contains("limits.d/haprig.conf") == true)
    }
    #expect(found("real-time priority", priority: 75).map(\.state) == [.fine])
    try write("@audio - rtprio 80\n", "/etc/security/limits.d/haprig.conf")
    #expect(
      found("real-time priority", priority: 0).first?.remedy
        == "sudo usermod -aG audio ada, then log in again")
    let memory = try #require(found("locked memory", locked: 8_388_608).first)
    #expect(memory.state == .attention && memory.finding.hasPrefix("8192 kB"))
  }

  @Test(arguments: [("tsc", true), ("kvm-clock", true), ("hpet", false), ("acpi_pm", false)])
  func `a slow clock source is named`(source: String, isFine: Bool) throws {
    try write(source + "\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
    let clock = try #require(found("clock").first)
    #expect((clock.state == .fine) == isFine && clock.finding.contains(source))
    #expect((clock.remedy == nil) == isFine)
  }

  @Test func `a sound device that is closed to the user is broken, and says what to type`() throws {
    #expect(found("sound rights").isEmpty)
    try write("", "/dev/snd/pcmC0D0p")
    #expect(found("sound rights").map(\.state) == [.fine])
    // Root may open everything: a link that leads nowhere cannot be opened by anybody.
    symlink("/nowhere/at/all", tree.path + "/dev/snd/pcmC0D0c")
    let rights = try #require(found("sound rights").first)
    #expect(rights.state == .broken && rights.finding.hasPrefix("1 devices"))
    #expect(rights.remedy == "sudo usermod -aG audio ada, then log in again")
  }

  @Test func `what other packages bring is told with its package`() throws {
    #expect(found("dygraphs").first?.remedy == "sudo apt-get install libjs-dygraphs")
    try write("", "/usr/share/javascript/dygraphs/dygraph.min.js")
    #expect(found("dygraphs").map(\.state) == [.fine])
  }

  @Test func `a folder that is not there yet is looked at by the one above it`() throws {
    #expect(StorageExamination.diagnosis(of: tree.path + "/not/yet").state != .broken)
    try write("", "/file")
    #expect(StorageExamination.diagnosis(of: tree.path + "/file/inside").state == .broken)
  }

  @Test func `a report counts what it found, and is broken where one thing is`() {
    let all = [
      Diagnosis("a", .fine, "well"), Diagnosis("bb", .attention, "slow", remedy: "type this"),
      Diagnosis("c", .broken, "shut", remedy: "type that"),
    ]
    let report = DoctorReport(program: "haprig 1", all)
    #expect(report.isBroken && !DoctorReport(program: "haprig 1", Array(all[..<2])).isBroken)
    #expect(
      report.text == """
        haprig 1

        ok      a   well
        look    bb  slow
                    -> type this
        BROKEN  c   shut
                    -> type that

        3 checks: 1 to look at, 1 broken

        """)
    let json = report.json.text(indent: nil, sortedKeys: true)
    #expect(json.contains(#""remedy":"type that","state":"broken","subject":"c""#), "\(json)")
  }
}
