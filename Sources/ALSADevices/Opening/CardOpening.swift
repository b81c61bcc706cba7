// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Paths
import Synchronization
import Units

struct OpenCards: ~Copyable {
  var pair: ALSAPair
  let setup: DuplexSetup
  let negotiations: [Negotiation]

  consuming func engine(
    drive: consuming DriveSide, capture: consuming CaptureSide
  ) -> DuplexEngine<ALSAPair> {
    DuplexEngine(pcms: pair, setup: setup, drive: drive, capture: capture)
  }
}

struct CardOpening {
  let rig: RigDescription
  let driving: ALSADescription
  let capturing: ALSADescription
  let files: SystemFiles
  /// ALSA's configuration of the virtual card; `nil` for real ones.
  private let configuration: PCMConfiguration?

  init(
    _ rig: RigDescription, driving: ALSADescription, capturing: ALSADescription,
    _ files: SystemFiles
  ) throws(DeviceError) {
    self.rig = rig
    self.driving = try Self.chosen(driving, rig: rig.name, files)
    self.capturing = try Self.chosen(capturing, rig: rig.name, files)
    self.files = files
    guard let simulation = driving.virtualCard else {
      configuration = nil
      return
    }
    guard let rigFile = SystemFiles().resolved(driving.rigFile) else {
      throw rig.error(
        .notFound,
        "the virtual card reads the rig file itself, and '\(driving.rigFile)' is not there"
      )
    }
    configuration = PCMConfiguration(
      text: VirtualCardPlugin.configuration(
        plugin: try VirtualCardPlugin.path(rig: rig.name), rigFile: rigFile,
        clock: simulation.clock, state: Self.freshState()),
      pcm: VirtualCardPlugin.pcmName)
  }

  /// The description with the name of the card that its serial number means.
  static func chosen(
    _ description: ALSADescription, rig: String, _ files: SystemFiles
  ) throws(DeviceError) -> ALSADescription {
    guard let serial = description.serial, let address = PCMAddress(description.pcm) else {
      return description
    }
    let cards = SoundCards.list(files, asks: false).cards.filter { $0.usb != nil }
    let fitting = cards.filter { $0.serials.contains(serial) }
    guard let card = fitting.first, fitting.count == 1 else {
      let list = cards.map { card in
        "\(card.id) (\(card.serials.isEmpty ? "no serial number" : card.serials.joined(separator: ", ")))"
      }
      throw DeviceError(
        fitting.isEmpty ? .notFound : .refused, device: rig,
        message:
          "\(fitting.isEmpty ? "no" : "more than one") sound card on USB has the serial number "
          + "'\(serial)': there is "
          + (list.isEmpty ? "none on USB" : list.joined(separator: ", ")))
    }
    var description = description
    let plugin = description.pcm.prefix { $0 != ":" }
    description.pcm = "\(plugin):CARD=\(card.id),DEV=\(address.device)"
    return description
  }

  func open(wakeUp: WakePipe, stop: StopSignal) throws(DeviceError) -> OpenCards {
    let playback = try open(driving.pcm, .playback)
    let capture = try open(capturing.pcm, .capture)
    let driven = try Negotiator(
      description: driving, rate: rig.drive.rate, channels: rig.drive.channelCount,
      periodFrames: rig.drive.periodFrames, rig: rig.name
    ).agree(playback)
    let captured = try Negotiator(
      description: capturing, rate: rig.drive.rate,
      channels: rig.capture.channels.map(\.input).max() ?? 1,
      periodFrames: driven.negotiation.periodFrames, rig: rig.name
    ).agree(capture)
    let isLockStep = driving.isLockStep
    // Two cards have two clocks: one act would start both, and not keep them together.
    let isOneCard = driven.card >= 0 && driven.card == captured.card
    let isLinked =
      !isLockStep && isOneCard && driving.link == .automatic && playback.kind == "HW"
      && capture.kind == "HW" && link(playback, capture)
    let stamps = driven.stampsRaw && captured.stampsRaw
    let setup = DuplexSetup(
      rate: rig.drive.rate.hertz,
      periodFrames: max(driven.negotiation.periodFrames, captured.negotiation.periodFrames),
      bufferFrames: driven.negotiation.bufferFrames, isLockStep: isLockStep, isLinked: isLinked,
      hasStamps: stamps)
    let frames = max(driven.negotiation.bufferFrames, captured.negotiation.bufferFrames)
    let channels = max(driven.negotiation.channelCount, captured.negotiation.channelCount)
    guard
      let pair = ALSAPair(
        playback: playback, capture: capture, wakeUp: wakeUp.descriptor,
        stop: stop.descriptor, stageBytes: frames * channels * 4,
        playbackIsMapped: driven.isMapped, captureIsMapped: captured.isMapped, isLinked: isLinked,
        hasStamps: stamps && !isLockStep)
    else {
      throw rig.error(
        .refused, "there is no memory for the cards' buffers")
    }
    return OpenCards(
      pair: pair, setup: setup, negotiations: [driven.negotiation, captured.negotiation])
  }

  private func open(_ name: String, _ direction: Direction) throws(DeviceError) -> PCM {
    do throws(OpeningFault) {
      return try PCM(name, direction, configuration: configuration)
    } catch {
      let refusal = OpeningRefusal(error, pcm: name, direction: direction, files: files)
      throw rig.error(
        refusal.code, refusal.sentence, errno: refusal.number)
    }
  }

  /// The rig with the scales that its capture card carries in its product string.
  func resolvedScales(_ rig: RigDescription) throws(DeviceError) -> RigDescription {
    guard rig.capture.channels.contains(where: { $0.productString != nil }) else { return rig }
    let card = SoundCards.list(files, asks: false).card(ofPCM: capturing.pcm)
    guard let text = card?.usb?.productString else {
      throw rig.error(
        .refused,
        "'\(capturing.pcm)' is on no USB device with a product string: write "
          + "'full-scale' and 'sensitivity' from its certificate")
    }
    guard let calibration = CalibrationString(text) else {
      throw rig.error(
        .garbled,
        "the product string '\(text)' of '\(capturing.pcm)' holds no calibration: write "
          + "'full-scale' and 'sensitivity' from its certificate")
    }
    var rig = rig
    for place in rig.capture.channels.indices {
      try calibration.apply(to: &rig.capture.channels[place], rig: rig.name, text: text)
    }
    return rig
  }

  /// A name for the state of a virtual card that nobody else uses.
  private static func freshState() -> String {
    "haprig-\(getpid())-\(opened.add(1, ordering: .relaxed).newValue)"
  }
}

private let opened = Atomic<Int>(0)

extension CalibrationString {
  func apply(
    to channel: inout CaptureChannelDescription, rig: String, text: String
  ) throws(DeviceError) {
    guard let wanted = channel.productString else { return }
    let (ends, kind): ([Double], ProductStringScale) =
      switch scale {
      case .acceleration(let ends): (ends, .sensitivity)
      case .voltage(let ends): (ends, .fullScale)
      }
    guard kind == wanted, ends.indices.contains(channel.input - 1) else {
      let key = kind == .fullScale ? "full-scale" : "sensitivity"
      throw DeviceError(
        .refused, device: rig,
        message:
          "the product string '\(text)' has a '\(key)' for inputs 1 and 2, which is not what "
          + "the capture channel '\(channel.name)' asks for: write '\(key): usb-product-string'")
    }
    channel.fullScaleVolts = ends[channel.input - 1]
    channel.productString = nil
    if kind == .sensitivity {
      // Converter and sensor in one: a volt stands for a metre per second squared, as far as no sensor
      // file knows better.
      channel.sensor = SensorCertificate(
        sensitivity: channel.sensor?.sensitivity ?? 1,
        relativeUncertainty: channel.sensor?.relativeUncertainty,
        date: channel.sensor?.date ?? date, delay: channel.sensor?.delay ?? 0,
        bandwidth: channel.sensor?.bandwidth, source: channel.sensor?.source)
    }
  }
}

extension SystemFiles {
  /// The program that has a PCM's node open, first where ALSA says so, then among all processes.
  func holder(ofPCM node: String) -> String? {
    (owner(ofPCM: node) ?? opener(of: node)).map { caption(ofProcess: $0) }
  }

  /// The `owner_pid` of a substream of `/dev/snd/pcmC0D0p`.
  private func owner(ofPCM node: String) -> Int? {
    let name = FilePath.name(of: node)
    guard name.hasPrefix("pcmC"), let split = name.firstIndex(of: "D") else { return nil }
    let card = name[name.index(name.startIndex, offsetBy: 4)..<split]
    let folder = "/proc/asound/card\(card)/pcm\(name[name.index(after: split)...])"
    for stream in names(folder) where stream.hasPrefix("sub") {
      let status = KeyedLines(text("\(folder)/\(stream)/status") ?? "")
      if let owner = status["owner_pid"].flatMap({ Int($0) }), owner > 0 { return owner }
    }
    return nil
  }
}

/// Where the simulated rig's plug-in for ALSA lies.
package enum VirtualCardPlugin {
  /// The file's name, which ALSA forms of the type's.
  static let fileName = "libasound_module_pcm_haprig.so"
  /// The PCM's name in the configuration that is made here.
  static let pcmName = "haprig_virtual_card"

  /// The places to look at, in order: what a person says, beside the program, where it is installed, ALSA's own folder.
  static func candidates(environment: (String) -> String? = variable) -> [String] {
    var places: [String] = []
    if let named = environment("HAPRIG_ALSA_PLUGIN") { places.append(named) }
    if let program = SystemFiles().resolved("/proc/self/exe") {
      let folder = FilePath.folder(of: program)
      places.append(FilePath.join(folder, fileName))
      places.append(FilePath.join(FilePath.folder(of: folder), "lib/haprig/\(fileName)"))
    }
    if let folder = environment("ALSA_PLUGIN_DIR") { places.append("\(folder)/\(fileName)") }
    for folder in [
      "/usr/lib/x86_64-linux-gnu/alsa-lib", "/usr/lib/aarch64-linux-gnu/alsa-lib",
      "/usr/lib64/alsa-lib", "/usr/lib/alsa-lib",
    ] {
      places.append("\(folder)/\(fileName)")
    }
    return places
  }

  /// The first one that is there.
  package static var installed: String? { first(of: candidates()) }

  private static func first(of places: [String]) -> String? {
    places.lazy.compactMap { SystemFiles().resolved($0) }.first
  }

  static func path(rig: String, places: [String] = candidates()) throws(DeviceError) -> String {
    if let path = first(of: places) { return path }
    throw DeviceError(
      .notFound, device: rig,
      message:
        "the virtual card's plug-in \(fileName) is in none of \(places.joined(separator: ", ")): "
        + "build it with 'swift build --product asound_module_pcm_haprig', or name the file in "
        + "HAPRIG_ALSA_PLUGIN")
  }

  /// ALSA's configuration of one virtual card, which no other program shares.
  static func configuration(
    plugin: String, rigFile: String, clock: SimulationDescription.Clock, state: String
  ) -> String {
    """
    pcm_type.haprig { lib "\(escaped(plugin))" }
    pcm.\(pcmName) {
      type haprig
      rig "\(escaped(rigFile))"
      clock "\(clock.rawValue)"
      state "\(escaped(state))"
    }

    """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
