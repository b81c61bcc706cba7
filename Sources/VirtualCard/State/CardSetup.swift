// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Paths
import RigFiles
import Units

/// What a card is, read from its rig file: formats, scales, the script of what goes wrong.
struct CardSetup: Sendable {
  /// A fault that ends or breaks the streams, by the card frame it strikes at.
  struct Break: Sendable {
    let frame: Int
    let frames: Int
    let isUnplug: Bool
  }

  /// The rig with a simulated drive in virtual time, and without the faults that the card does
  /// itself.
  let rig: RigDescription
  let simulation: SimulationDescription
  let clock: SimulationDescription.Clock
  /// True frames a second of the real clock.
  let realRate: Double
  /// True where virtual time also waits for a side that nobody has opened yet.
  let isMeeting: Bool
  let rate: Int
  let driveChannels: Int
  let captureChannels: Int
  /// In the order of the breaks' frames.
  let breaks: [Break]
  /// How many capture frames there are to a drive frame.
  let captureRatio: Double
  let fingerprint: UInt64

  init(_ configuration: CardConfiguration) throws(CardError) {
    let bytes = try Self.content(configuration.rig)
    let rig: RigDescription
    var certificates: [UInt8] = []
    do {
      rig = try RigDescription(yaml: bytes, file: configuration.rig) { path in
        let certificate = try Self.content(path, below: configuration.rig)
        certificates += certificate
        return certificate
      }
    } catch {
      throw CardError(EINVAL, error.description)
    }
    var simulation = try Self.simulation(of: rig)
    clock = configuration.clock ?? simulation.clock
    isMeeting = configuration.isMeeting
    rate = Int(rig.drive.rate.hertz)
    realRate = rig.drive.rate.hertz * (1 + configuration.driftPPM * 1e-6)
    let wired = simulation.wiring
    driveChannels = wired?.outputs.values.map(abs).max() ?? rig.drive.channelCount
    captureChannels =
      (rig.capture.channels.map(\.input) + (wired?.inputs.values.map(abs) ?? [])).max() ?? 1
    captureRatio = (1 + simulation.capture.clockOffset) / (1 + simulation.drive.clockOffset)
    let hertz = rig.drive.rate.hertz
    breaks = simulation.faults.filter(\.kind.breaksStreams)
      .map { fault in
        Break(
          frame: Int((fault.time * hertz).rounded()),
          frames: Int(((fault.duration ?? 0) * hertz).rounded()),
          isUnplug: fault.kind == .unplug)
      }
      .sorted { $0.frame < $1.frame }
    simulation.faults.removeAll(where: \.kind.breaksStreams)
    simulation.clock = .virtual
    self.simulation = simulation
    self.rig = rig
    var print = Fingerprint()
    print.add(bytes)
    print.add(certificates)
    print.add(Array("\(clock.rawValue) \(configuration.driftPPM) \(isMeeting)".utf8))
    fingerprint = print.value
  }

  /// The rig as the simulation takes it, `frames` of card time after its opening.
  func simulatedRig(after frames: Int) -> RigDescription {
    var simulation = simulation
    for index in simulation.faults.indices {
      simulation.faults[index].time -= Double(frames) / rig.drive.rate.hertz
    }
    var rig = rig
    rig.drive.device = .simulated(simulation)
    rig.capture.kind = .simulated
    guard let wiring = simulation.wiring else { return rig }
    // From here on the rig is as it is wired, whatever its file says.
    rig.drive.channels = wiring.outputs.mapValues(abs)
    return rig
  }

  private static func simulation(
    of rig: RigDescription
  ) throws(CardError) -> SimulationDescription {
    switch rig.drive.device {
    case .simulated(let simulation): return simulation
    case .alsa(let card):
      if let simulation = card.virtualCard { return simulation }
      fallthrough
    default:
      throw CardError(
        EINVAL,
        "the rig '\(rig.name)' is not simulated: the virtual card needs 'device: simulated' or "
          + "'pcm: \(ALSADescription.virtualCardName)', and 'simulation'")
    }
  }

  /// The content of a sensor file, which has to lie below the rig file's folder, links followed.
  private static func content(_ path: String, below rig: String) throws(CardError) -> [UInt8] {
    let folder = FilePath.folder(of: rig)
    let named = FilePath.join(folder, path)
    guard let root = SystemFiles().resolved(folder), let file = SystemFiles().resolved(named) else {
      throw .system("open the sensor file", named)
    }
    guard root == "/" || file.hasPrefix(root + "/") else {
      throw CardError(EACCES, "the sensor file leads out of the rig file's folder")
    }
    return try content(file)
  }

  private static func content(_ path: String) throws(CardError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open the rig file", path) }
    defer { close(descriptor) }
    // One byte more than a rig file may have, so that a longer one is refused by its reader.
    var bytes = [UInt8](repeating: 0, count: (1 << 20) + 1)
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes { room in
        Glibc.read(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw .system("read the rig file", path) }
      guard read > 0 else { break }
      count += read
    }
    return Array(bytes[..<count])
  }
}

extension SimulationDescription.Fault.Kind {
  /// True for what a sound card shows as a broken stream, not as samples.
  fileprivate var breaksStreams: Bool { self == .xrun || self == .unplug }
}

/// Why a card cannot be opened, as libasound reports it: an error number and a sentence.
struct CardError: Error, CustomStringConvertible {
  /// The value of `errno` that stands for it, positive.
  let number: Int32
  let message: String

  var description: String { message }

  init(_ number: Int32, _ message: String) {
    self.number = number
    self.message = message
  }

  /// What the system said of a call on a file.
  static func system(_ action: String, _ path: String) -> CardError {
    let number = errno
    return CardError(number, "cannot \(action) \(path): \(String(cString: strerror(number)))")
  }
}
