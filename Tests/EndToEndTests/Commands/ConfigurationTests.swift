// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `haprig.toml`, rigs and plans by name, and options that have another name.
struct ConfigurationTests {
  /// A bench whose configuration lies above the folders `below/far`, with a rig and a plan of other names than their
  /// files.
  private func bench(_ more: String = "") throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig()
    let rig = try String(decoding: bench.bytes("rig.yaml"), as: UTF8.self)
    try bench.write(rig, to: "benches/one.yaml")
    try bench.write(rig.replacing("name: simulated-lra", with: "name: two"), to: "benches/2.yaml")
    try bench.write(Plans.quick(), to: "benches/plans/p.yaml")
    try bench.write(Patterns.transient(at: 0), to: "benches/plans/tap.ahap")
    try bench.write(
      "rig = \"benches/one.yaml\"\nplan = \"benches/plans/p.yaml\"\narchive = \"nights\"\n" + more,
      to: "haprig.toml")
    try bench.write("", to: "below/far/empty.txt")
    return bench
  }

  @Test func `a configuration above says rig, plan, archive and profiles`() throws {
    let bench = try bench("profiles = \"felt\"\n")
    let ending = try bench.haprig(["run", "-q"], in: bench.file("below/far"))
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("report: ../../nights/"), "\(ending.output)")
    #expect(bench.names(in: "below/far") == ["empty.txt"])
    let list = try bench.haprig(["archive", "list"], in: bench.file("below"))
    #expect(list.output.contains("simulated-lra"), "\(list.output)\(list.errors)")
    let history = try bench.haprig(["history"], in: bench.file("below"))
    #expect(
      history.output.hasPrefix("quick on simulated-lra"), "\(history.output)\(history.errors)")
    let check = try bench.haprig(["check"], in: bench.file("below"))
    #expect(check.code == 2 && check.errors.contains("../felt/"), "\(check.errors)")
    let doctor = try bench.haprig(["doctor"], in: bench.file("below"))
    #expect(
      doctor.output.contains(
        "../haprig.toml: rig ../benches/one.yaml, plan ../benches/plans/p.yaml, archive ../nights, "
          + "profiles ../felt"), "\(doctor.output)")
    #expect(doctor.output.contains("../benches/one.yaml describes 'simulated-lra'"))
  }

  @Test func `options come before the configuration, and names before files are typed`() throws {
    let bench = try bench()
    let ending = try bench.haprig("run", "quick", "--rig", "two", "--archive", "other", "-q")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("report: other/"), "\(ending.output)")
    for words in [["--rig", "two"], ["--rig", "benches/2.yaml"], ["--rig", "t*"]] {
      let history = try bench.haprig(
        ["history", "--archive", "other", "--plan", "benches/plans/p.yaml"] + words)
      #expect(history.output.hasPrefix("quick on two"), "\(history.output)\(history.errors)")
    }
  }

  @Test(arguments: [
    (["run", "--rig", "tow"], "there is no rig 'tow' in benches, "),
    (["run", "qiuck"], "there is no plan 'qiuck' in benches/plans, "),
    (
      ["run", "--rig", "twin"], "is in benches/3.yaml and in benches/4.yaml: give one of the files"
    ),
    (["run", "--rig", "bad"], "benches/bad.yaml:1:"),
    (["run", "--out", "x"], "Unknown option '--out': runs are kept in the archive: --archive DIR"),
    (["calibrate", "--fleet", "x"], "'--fleet': write --common-level --profiles DIR"),
    (["play", "--profile", "x"], "'--profile': profiles are named by --profiles"),
    (["calibrate", "--out", "x"], "--out goes with --common-level"),
  ])
  func `what cannot be meant is told in a sentence`(words: [String], sentence: String) throws {
    let bench = try bench()
    let rig = try String(decoding: bench.bytes("rig.yaml"), as: UTF8.self)
    for file in ["benches/3.yaml", "benches/4.yaml"] {
      try bench.write(rig.replacing("name: simulated-lra", with: "name: twin"), to: file)
    }
    try bench.write("nothing: 1\n", to: "benches/bad.yaml")
    let ending = try bench.haprig(words)
    #expect(ending.code == 2 && ending.errors.contains(sentence), "\(ending.errors)")
    #expect(bench.names(in: "nights").isEmpty)
  }

  @Test func `a configuration that is wrong is told by every command, and by the doctor`() throws {
    let bench = try bench("plans = \"x\"\n")
    let ending = try bench.haprig("history")
    #expect(ending.code == 2, "\(ending.output)")
    #expect(
      ending.errors.contains(
        "haprig.toml:4:1: 'plans' is not a key of a configuration (did you mean 'plan'?)"),
      "\(ending.errors)")
    let doctor = try bench.haprig("doctor")
    #expect(doctor.code == 1 && doctor.output.contains("BROKEN  configuration"), "\(doctor.output)")
    // Who names everything is not asked for it.
    #expect(
      try bench.haprig("archive", "list", "--archive", "benches", "--profiles", "none-yet").code
        == 0)
  }

  @Test func `without a configuration runs go to reports, and the home folder says nothing`() throws
  {
    let bench = try bench()
    try FileManager.default.removeItem(at: bench.file("haprig.toml"))
    try bench.write("rig = \"nowhere.yaml\"\n", to: "home/haprig.toml")
    let ending = try bench.haprig(
      "run", "benches/plans/p.yaml", "--rig", "benches/one.yaml", "-q",
      changing: ["HOME": bench.file("home").path()])
    #expect(ending.code == 0 && ending.output.contains("report: reports/"), "\(ending.errors)")
    let none = try bench.haprig("run", "benches/plans/p.yaml")
    #expect(none.code == 2 && none.errors.contains("no rig is named: give --rig FILE"))
  }

  @Test func `a profile of the configured folder drives what is played, unless none is wished`()
    throws
  {
    let bench = try bench("profiles = \"felt\"\n")
    // A profile that cannot be read shows that it is the one that is taken.
    try bench.write("{", to: "felt/sim-coin-1.json")
    let taken = try bench.haprig("run", "-q")
    #expect(taken.code == 2 && taken.errors.contains("felt/sim-coin-1.json"), "\(taken.errors)")
    #expect(try bench.haprig("run", "-q", "--profiles", "none").code == 0)
  }
}
