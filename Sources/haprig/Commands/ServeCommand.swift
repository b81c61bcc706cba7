// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Devices
private import Glibc
import Paths
import RigFiles
import RunArchive
import Workbench
import Workflows

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the workbench: rigs, running work and the archive in a browser, and an API.",
    discussion: """
      Listens on this machine only. Prints the address with the key that opens it, and a second one that lets \
      whoever has it look and change nothing. A run or calibration \
      that you start from a page is a process of its own and goes on when the workbench ends. docs/WORKBENCH.md \
      describes the API, and how to see a rig from another machine.

      EXAMPLES
        haprig serve
        haprig serve --rig rigs/bench-1.yaml --rig rigs/bench-2.yaml --archive /srv/haprig
        haprig serve --fleet fleet.yaml
        haprig serve --listen unix:/run/user/1000/haprig/web --host rig.lab.example
        ssh -L 8017:127.0.0.1:8017 rig.lab.example
      """)

  @Option(
    help: "A rig: its file or name; may be given several times (default: haprig.toml's).",
    completion: .yaml)
  var rig: [String] = []

  @OptionGroup var archive: ArchiveOptions

  @Option(
    help: """
      The folder of plans (default: that of haprig.toml's plan, else rigs/plans). The patterns are \
      in 'patterns' beside it.
      """,
    completion: .directory)
  var plans: String?

  @Option(
    help: "The folder of the patterns to edit, if it is not 'patterns' beside the plans.",
    completion: .directory)
  var patterns: String?

  @Option(
    help: "The folder of profiles (default: haprig.toml's, else calibration).",
    completion: .directory)
  var profiles: String?

  @Option(
    help: "The file of the fleet to show and control (default: fleet.yaml, if it exists).",
    completion: .yaml)
  var fleet: String?

  @Option(help: "Where to listen: 127.0.0.1, ::1 or unix:PATH.")
  var listen = "127.0.0.1"

  @Option(help: "The port (default: 8017, or the next free one up to 8036).")
  var port: Int?

  @Option(
    help: ArgumentHelp(
      "Another host name that the workbench accepts, such as that of a proxy in front of it; may be given several times.",
      valueName: "name"))
  var host: [String] = []

  @Option(
    help: "Serve the pages from this folder instead of those that are built in.",
    completion: .directory)
  var assets: String?

  @Flag(inversion: .prefixedNo, help: "Open the address in a browser, if there is one.")
  var open: Bool?

  func validate() throws {
    try Usage.require("--port", port, in: 1...65_535)
  }

  func run() throws {
    let options = try self.options()
    let server: WorkbenchServer
    do {
      server = try WorkbenchServer(options)
    } catch let fault as ServerFault {
      throw ExitStatus(.wrongInput, "\(fault)")
    }
    Interruption.listen()
    server.start()
    let address = server.address(of: options, key: server.key)
    Console.out(address + "\n")
    Console.out("to look only: \(server.address(of: options, key: server.lookingKey))\n")
    // Kept while the server runs: a browser reads the page that leads here when it is ready.
    let wantsBrowser = open ?? (isatty(STDOUT_FILENO) == 1)
    let browser = wantsBrowser ? Browser(showing: address) : nil
    if open == true, browser == nil {
      Console.error("haprig: there is no browser to open here: open the address above in one")
    }
    let stop = Interruption.signal
    while stop.requested == nil {
      var waiting = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, stop.descriptor < 0 ? 100 : 60_000)
    }
    server.stop()
    _ = consume browser
  }

  private func options() throws -> WorkbenchOptions {
    let location = try archive.location()
    try Folder.make(location.folder)
    var options = WorkbenchOptions(
      version: Version.text, program: Program.path, archive: location)
    let found = try Configured.found
    let named = try rig.isEmpty ? found.values.rig.map { [$0] } ?? [] : rig.map(Configured.rigFile)
    let rigs = try SuppliedRigs.folder(orNone: !named.isEmpty)
    options.rigs = named.isEmpty ? rigs.map { [$0 + "/simulated-lra.yaml"] } ?? [] : named
    for file in options.rigs where access(file, R_OK) != 0 {
      throw ExitStatus(.wrongInput, "\(file): there is no such rig file: check --rig")
    }
    if let plans {
      try Self.requireFolder("--plans", plans)
      options.plans = plans
    } else if access(found.planFolder, R_OK) == 0 {
      options.plans = found.planFolder
    } else {
      options.plans = rigs.map { $0 + "/plans" }
    }
    if let patterns {
      try Self.requireFolder("--patterns", patterns)
      options.patterns = patterns
    }
    if let assets {
      try Self.requireFolder("--assets", assets)
      options.assets = assets
    }
    options.calibration = try Configured.profiles(profiles)
    if let fleet {
      _ = try FleetOrders.fleet(in: fleet)
      options.fleet = fleet
    } else if access("fleet.yaml", R_OK) == 0 {
      options.fleet = "fleet.yaml"
    }
    do throws(ServerFault) {
      options.address = try ListenAddress(listen)
    } catch {
      throw ExitStatus(.wrongInput, "\(error)")
    }
    options.port = port
    options.hosts = host
    return options
  }

  private static func requireFolder(_ option: String, _ folder: String) throws {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw ExitStatus(.wrongInput, "\(option) \(folder): there is no such folder")
    }
  }
}
