// SPDX-License-Identifier: Apache-2.0

import ALSADevices
import ArgumentParser
import Devices
import Reporting
import RigDevices
import RigFiles
import RunArchive
import USBTransport
import Workflows

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: """
      Check permissions, limits, devices, disk and database, and say what to type to fix each \
      problem.
      """,
    discussion: """
      Plays nothing and changes nothing. Shows which haprig.toml holds here and what it says. Reads the rig file, and \
      checks the place of the runs, which may be a database server.

      Ends with 1 if something that you named cannot work.

      EXAMPLES
        haprig doctor
        haprig doctor --rig my-rig.yaml --archive postgres://rig@db.lab/haptics --json
      """)

  @Option(
    help: "A rig: its file or name; may be given several times (default: haprig.toml's).",
    completion: .yaml)
  var rig: [String] = []

  @OptionGroup var archive: ArchiveOptions

  @Flag(help: "Print the findings as JSON.")
  var json = false

  func run() throws {
    let report = DoctorReport(
      program: "haprig \(Version.text), \(Program.path)",
      HostExamination().diagnoses() + [cards(), plugin()] + usb()
        + [StorageExamination.runtimeFolder(), configuration()]
        // What a configuration does not say, because it cannot be read, is not looked at.
        + ((try? Configured.found).map { [storage()] + rigs($0).map(description) } ?? []))
    Console.out(report, asJSON: json)
    if report.isBroken { throw ExitStatus.failed }
  }

  private func cards() -> Diagnosis {
    let found = SoundCards.list(asks: false)
    guard !found.cards.isEmpty else {
      return Diagnosis(
        "sound cards", .attention, found.emptyReason ?? "ALSA lists no card",
        remedy: "plug one in, or try the virtual card: rigs/virtual-card.yaml")
    }
    return Diagnosis(
      "sound cards", .fine, found.cards.map { "\($0.id) (\($0.name))" }.joined(separator: ", "))
  }

  private func plugin() -> Diagnosis {
    if let path = VirtualCardPlugin.installed { return Diagnosis("virtual card", .fine, path) }
    return Diagnosis(
      "virtual card", .attention, "its plug-in for ALSA is not installed",
      remedy: "swift build -c release --product asound_module_pcm_haprig, or install the package")
  }

  /// A line for USB as a whole where nothing is wrong, else one for each device that is closed to this user.
  private func usb() -> [Diagnosis] {
    let inventory = USBInventory.list()
    let closed = inventory.entries.filter { entry in
      switch entry.permission {
      case .missing, .waiting: entry.rule != nil
      case .granted, .unknown: false
      }
    }
    guard !closed.isEmpty else {
      let usable = inventory.entries.count { $0.driver != nil }
      return [
        Diagnosis(
          "USB devices", .fine,
          "\(inventory.entries.count) plugged in, \(usable) of them for 'device: usb'")
      ]
    }
    return closed.map { entry in
      let isWaiting = if case .waiting = entry.permission { true } else { false }
      return Diagnosis(
        "USB devices", .broken, "\(entry.record.summary) is closed to this user",
        remedy: isWaiting
          ? "plug it in again, or sudo usermod -aG \(SystemFiles.deviceGroup) "
            + "\(HostExamination.Limits.current.user) and log in again"
          : "make install-udev, or install the package; then plug it in again")
    }
  }

  private func configuration() -> Diagnosis {
    do {
      let found = try Configured.found
      guard let file = found.file else {
        return Diagnosis(
          "configuration", .fine, "no \(Configuration.fileName) here or above: defaults hold")
      }
      let says = found.values.entries.map { key, value in
        "\(key) \(key == "archive" ? ArchiveLocation.withoutPassword(value) : value)"
      }
      return Diagnosis(
        "configuration", .fine,
        "\(file): \(says.isEmpty ? "says nothing" : says.joined(separator: ", "))")
    } catch {
      return Diagnosis("configuration", .broken, "\(error)", remedy: "mend the line that is named")
    }
  }

  private func rigs(_ found: FoundConfiguration) -> [String] {
    rig.isEmpty ? found.values.rig.map { [$0] } ?? [] : rig
  }

  private func storage() -> Diagnosis {
    do {
      let location = try archive.location()
      guard location.server != nil else { return StorageExamination.diagnosis(of: location.folder) }
      let count = try archive.open(isQuiet: true).runs().count
      return Diagnosis("database", .fine, "\(location) answers and has \(Count.of(count, "run"))")
    } catch {
      return Diagnosis(
        "database", .broken, "\(error)",
        remedy: "check the address, and the password in ~/.pgpass")
    }
  }

  private func description(_ rig: String) -> Diagnosis {
    do {
      let file = try Configured.rigFile(rig)
      let description = try RigChoice(file: file).read()
      return Diagnosis("rig file", .fine, "\(file) describes '\(description.name)'")
    } catch {
      return Diagnosis("rig file", .broken, "\(error)", remedy: "mend the line that is named")
    }
  }
}
