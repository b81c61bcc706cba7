/// What a sensor file says of one capture channel.
struct ChannelCertificate {
  /// The relative standard uncertainty of the scale.
  let uncertainty: Double
  /// The day of the measurement.
  let date: String
  /// How it was measured.
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

  /// Whether the scale is one of volts.
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
  let rigFile: RigFilePath
  /// Reads a file by its path from the folder.
  let read: (String) throws -> [UInt8]

  /// Reads what the file that a node names says of an axis.
  func certificate(_ node: YAMLNode, axis: String) throws(RigFileError) -> ChannelCertificate {
    let path = try node.text()
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.hasPrefix("/"), !parts.contains(".."), parts.last?.isEmpty == false else {
      throw node.error(
        "\(path.quoted) is not a path to a file below the rig file's folder: put the sensor file "
          + "there and write for example 'sensors/adxl.yaml'")
    }
    let bytes: [UInt8]
    do {
      bytes = try read(path)
    } catch {
      throw node.error("the sensor file cannot be read: \(error)")
    }
    let folder = rigFile.folder
    let file = folder == "." ? path : folder == "/" ? "/\(path)" : "\(folder)/\(path)"
    do {
      return try ChannelCertificate(
        SensorFile(yaml: bytes, file: file), path: path, axis: axis, at: node)
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
