// SPDX-License-Identifier: Apache-2.0

import Devices
import Paths
import Units

extension CaptureChannelDescription {
  fileprivate enum Key: String, FileKey {
    case role, unit, input
    case fullScale = "full-scale"
    case sensitivity, uncertainty, date, certificate, delay, bandwidth, axis
  }

  private enum Axis: String, CaseIterable {
    case x, y, z
  }

  /// What stands for a scale that the measuring device carries in its own name.
  fileprivate static let productStringWord = "usb-product-string"

  /// Reads one capture channel of a device; `position` is its place in the file, from 1.
  init(
    _ entry: YAMLNode.Entry, kind: DeviceKind, position: Int, certificates: CertificateFolder,
    isVirtual: Bool = false
  ) throws(RigFileError) {
    let name = try entry.key.identifier()
    let map = try MapReader<Key>(entry.value, "the capture channel '\(name)'")
    let role = try map.require(.role, example: "acceleration")
      .choice(CaptureRole.self, "a role of a capture channel")
    if role != .acceleration {
      try map.refuse(
        [.sensitivity, .uncertainty, .date, .certificate, .delay, .bandwidth, .axis],
        because: "it belongs to an acceleration channel, and this is \(role.rawValue)")
    }
    if kind == .serial || kind == .iio, role != .acceleration {
      throw try map.require(.role, example: "acceleration").error(
        "\(kind.sensorInWords) has axes of acceleration alone, and this is \(role.rawValue)")
    }
    let unit = try Self.unit(map, role, kind)
    let axis = try map[.axis]?.choice(Axis.self, "an axis").rawValue
    let certificate = try Self.certificate(map, axis: axis ?? name, certificates)
    let scale = try Scale(
      map, role, kind, unit: unit, name: entry.key, isVirtual: isVirtual, certificate: certificate)
    self.init(
      name: name, role: role, unit: (unit ?? role.units[0]).base,
      input: try map[.input]?.integer(1...64) ?? position, fullScaleVolts: scale.fullScale,
      sensor: try Self.sensor(map, sensitivity: scale.sensitivity, certificate), axis: axis,
      productString: scale.productString)
  }

  /// The sensor file's account of the channel, where the channel names one.
  private static func certificate(
    _ map: MapReader<Key>, axis: String, _ folder: CertificateFolder
  ) throws(RigFileError) -> ChannelCertificate? {
    guard let node = map[.certificate] else { return nil }
    // Where the device carries a scale of its own, that is no second certificate.
    let isOwnScale = try map[.sensitivity]?.text() == productStringWord
    try map.refuse(
      [.uncertainty, .date] + (isOwnScale ? [] : [.sensitivity]),
      because: "the file that 'certificate' names says it: keep one of the two")
    return try folder.certificate(node, axis: axis)
  }

  private static func unit(
    _ map: MapReader<Key>, _ role: CaptureRole, _ kind: DeviceKind
  ) throws(RigFileError) -> MeasurementUnit? {
    guard let node = map[.unit] else {
      guard kind == .command else { return nil }
      // The program names its units; the file says which are expected.
      _ = try map.require(.unit, example: role.units[0].rawValue)
      return nil
    }
    let text = try node.text()
    // A program may answer in g, which is converted; a converter's or a file's scale cannot.
    let units = role.units.filter { kind == .command || $0 == $0.base }
    guard let unit = units.first(where: { $0.rawValue == text }) else {
      throw node.error(
        "\(text.quoted) is not a unit of the role \(role.rawValue) on a \(kind.rawValue) device: "
          + "use \(units.map(\.rawValue).joined(separator: ", "))")
    }
    return unit
  }

  /// The certificate, also where the device delivers m/s2: then a volt stands for one of them.
  private static func sensor(
    _ map: MapReader<Key>, sensitivity: Double?, _ certificate: ChannelCertificate?
  ) throws(RigFileError) -> SensorCertificate? {
    // Only one of the two is there.
    let written = try map[.uncertainty]?.quantity(.ratio, .from(0, upTo: 0.5))
    let day = try map[.date]?.text()
    let (uncertainty, date) = (certificate?.uncertainty ?? written, certificate?.date ?? day)
    let delay = try map[.delay]?.quantity(.time, .from(0, upTo: 1))
    let bandwidth = try map[.bandwidth]?.quantity(.frequency, .above(0, upTo: 1e6))
    let saysMore = uncertainty != nil || date != nil || delay != nil || bandwidth != nil
    guard sensitivity != nil || saysMore else { return nil }
    // A comparison measured all of the sensor's delay, that of its low-pass too.
    let isCompared = certificate?.method == .comparison
    let compared = delay == nil && bandwidth == nil && isCompared ? certificate?.delay : nil
    return SensorCertificate(
      sensitivity: sensitivity ?? 1, relativeUncertainty: uncertainty, date: date,
      delay: delay ?? compared?.value ?? 0, bandwidth: bandwidth,
      source: certificate.map {
        SensorCertificate.Source(
          file: $0.file, method: $0.method.rawValue, holdsFlatness: isCompared,
          delayUncertainty: compared?.uncertainty)
      })
  }
}

/// How a channel's samples become its unit: by a converter and a sensor, or not at all.
private struct Scale {
  var fullScale: Double?
  var sensitivity: Double?
  var productString: ProductStringScale?

  init(
    _ map: MapReader<CaptureChannelDescription.Key>, _ role: CaptureRole, _ kind: DeviceKind,
    unit: MeasurementUnit?, name: YAMLNode, isVirtual: Bool, certificate: ChannelCertificate?
  ) throws(RigFileError) {
    let ownUnits: (because: String, device: String)? =
      switch kind {
      case .command:
        ("a program answers in the channel's 'unit' itself", "a program answers in units")
      case .serial:
        ("the capture's 'scale' makes m/s2 of the numbers", "the breakout delivers m/s2")
      case .iio: ("the kernel knows the sensor's scale in m/s2", "the kernel delivers m/s2")
      case .simulated, .file, .alsa, .usb: nil
      }
    if let ownUnits {
      try map.refuse([.sensitivity, .fullScale], because: ownUnits.because)
      sensitivity = try certificate?.sensitivity(of: ownUnits.device)
      return
    }
    productString = try Self.productString(map, kind, isVirtual: isVirtual)
    if productString == .sensitivity {
      try map.refuse(
        [.fullScale], because: "the product string scales converter and sensor as one")
      sensitivity = try certificate?.sensitivity(of: "the product string makes it m/s2")
      return
    }
    sensitivity = try map[.sensitivity]?
      .quantity(.accelerationSensitivity, .above(0, upTo: 1000))
    // For an accelerometer the converter's volts; otherwise the end of the scale in the unit.
    let dimension = role == .acceleration ? .voltage : (unit ?? role.units[0]).dimension
    if productString == nil {
      fullScale = try map[.fullScale]?.quantity(dimension, .above(0, upTo: 1e6))
    }
    let isInUnits = kind == .file && unit != nil && sensitivity == nil && fullScale == nil
    guard !isInUnits || certificate?.isInVolts == true else {
      sensitivity = try certificate?.sensitivity(of: "the file holds units")
      return
    }
    // A board says itself what its acceleration's full scale is, unless an analog sensor is on it.
    let isOwnScale = kind == .usb && role == .acceleration && sensitivity == nil && fullScale == nil
    guard !isOwnScale || certificate?.isInVolts == true else {
      sensitivity = try certificate?.sensitivity(of: "the board delivers m/s2")
      return
    }
    if let certificate { sensitivity = try certificate.sensitivity(of: nil) }
    let orUnit = kind == .file ? ", or 'unit: \(role.units[0].rawValue)' for a file in units" : ""
    if role == .acceleration, sensitivity == nil {
      var error = name.error(
        "the acceleration channel \(try name.text().quoted) has no sensor scale: write "
          + "'sensitivity: 10.2 mV/g' from its certificate and 'full-scale: 5 V' of the "
          + "converter\(orUnit)")
      error.missing = RigFileError.Missing(
        key: "sensitivity", example: "10.2 mV/g", map: map.node.position)
      throw error
    }
    if fullScale == nil, productString == nil {
      let example = "5 \(dimension.base.rawValue)"
      var error = name.error(
        "the capture channel \(try name.text().quoted) has no converter scale: write "
          + "'full-scale: \(example)', the peak at the converter's end\(orUnit)")
      error.missing = RigFileError.Missing(
        key: "full-scale", example: example, map: map.node.position)
      throw error
    }
  }
}

extension Scale {
  /// Which part of the scale stands in the device's own name, if any.
  fileprivate static func productString(
    _ map: MapReader<CaptureChannelDescription.Key>, _ kind: DeviceKind, isVirtual: Bool
  ) throws(RigFileError) -> ProductStringScale? {
    for (key, scale) in [
      (CaptureChannelDescription.Key.sensitivity, ProductStringScale.sensitivity),
      (.fullScale, .fullScale),
    ] {
      guard let node = map[key],
        try node.text() == CaptureChannelDescription.productStringWord
      else { continue }
      try node.check(
        kind == .alsa && !isVirtual,
        "only a sound card on USB has a product string: write the scale itself")
      return scale
    }
    return nil
  }
}

extension DeviceKind {
  /// What captures alone, as the beginning of a sentence.
  var sensorInWords: String {
    self == .iio ? "an accelerometer of the kernel" : "a breakout on a serial port"
  }
}

extension CaptureRole {
  /// The units that a channel of this role can have; the first is the usual one.
  fileprivate var units: [MeasurementUnit] {
    switch self {
    case .acceleration: [.metrePerSecondSquared, .standardGravity]
    case .audio: [.volt, .pascal]
    case .reference, .voltage: [.volt]
    case .current: [.ampere]
    }
  }
}

/// What a sensor file says of one capture channel.
struct ChannelCertificate {
  /// Relative, of the scale.
  let uncertainty: Double
  let date: String
  let method: SensorFile.Method
  /// How much later than the reference the axis tells; nil for a flip.
  let delay: SensorFile.Measured?
  /// The file, as the rig file names it.
  let file: String

  private let scale: SensorFile.Scale
  /// Where the rig file names the sensor file.
  private let node: YAMLNode

  fileprivate init(
    _ file: SensorFile, path: String, axis: String, at node: YAMLNode
  ) throws(RigFileError) {
    guard let found = file.axes.first(where: { $0.name == axis }) else {
      throw node.error(
        "\(node.textForMessage) has no axis '\(axis)': it has "
          + file.axes.map(\.name).joined(separator: ", ")
          + "; the channel's 'axis', or its name where it has none, has to be one of them")
    }
    (uncertainty, date, scale) = (found.uncertainty, file.date, found.scale)
    (method, delay, self.file) = (file.method, found.delay, path)
    self.node = node
  }

  var isInVolts: Bool { if case .sensitivity = scale { true } else { false } }

  /// What the channel shows for one m/s2: volts, or m/s2 of a device that answers in units itself.
  ///
  /// `device` is why the device has no volts, or `nil` where it has.
  func sensitivity(of device: String?) throws(RigFileError) -> Double {
    switch (scale, device) {
    case (.sensitivity(let value), nil): return value
    case (.factor(let value), _?): return 1 / value
    case (.sensitivity, let device?):
      throw node.error(
        "\(node.textForMessage) says how many volts the sensor gives, but \(device): name a file "
          + "with a 'factor', which 'haprig sensor' writes for such a rig")
    case (.factor, nil):
      throw node.error(
        "\(node.textForMessage) has a 'factor' on what a device tells in m/s2, but this channel "
          + "measures volts: name a file with a 'sensitivity', which 'haprig sensor' writes for such "
          + "a rig")
    }
  }
}

/// The sensor files that a rig file may name: those below its own folder.
struct CertificateFolder {
  let path: String
  let read: (String) throws -> [UInt8]

  /// Reads what the file that a node names says of an axis.
  func certificate(_ node: YAMLNode, axis: String) throws(RigFileError) -> ChannelCertificate {
    let path = try node.text()
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    try node.check(
      !path.hasPrefix("/") && !parts.contains("..") && parts.last?.isEmpty == false,
      "\(path.quoted) is not a path to a file below the rig file's folder: put the sensor file "
        + "there and write for example 'sensors/adxl.yaml'")
    let bytes: [UInt8]
    do {
      bytes = try read(path)
    } catch {
      throw node.error("the sensor file cannot be read: \(error)")
    }
    do {
      return try ChannelCertificate(
        SensorFile(yaml: bytes, file: FilePath.join(self.path, path)), path: path, axis: axis,
        at: node)
    } catch {
      throw error.file == node.source.file ? error : error.named(at: node)
    }
  }
}

extension RigFileError {
  /// The same error, with the place of the rig file that led there.
  fileprivate func named(at node: YAMLNode) -> RigFileError {
    RigFileError(
      file: file, line: line, column: column,
      message: message + " (named in \(node.source.file):\(node.position.line):"
        + "\(node.position.column))", snippet: snippet)
  }
}

extension YAMLNode {
  fileprivate var textForMessage: String {
    if case .scalar(let text) = content { text.quoted } else { label }
  }
}
