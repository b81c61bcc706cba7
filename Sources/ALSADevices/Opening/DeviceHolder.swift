import Glibc

/// The program that holds a device node.
struct DeviceHolder: CustomStringConvertible {
  let process: Int
  let program: String

  var description: String { "\(program) (process \(process))" }

  /// Looks for who has a PCM's node open, first where ALSA says so, then among all processes.
  init?(of node: String, _ files: SystemFiles) {
    guard let process = Self.owner(of: node, files) ?? Self.opener(of: node, files) else {
      return nil
    }
    self.process = process
    program = files.text("/proc/\(process)/comm") ?? "a program"
  }

  /// The `owner_pid` of a substream of `/dev/snd/pcmC0D0p`.
  private static func owner(of node: String, _ files: SystemFiles) -> Int? {
    let name = node.split(separator: "/").last.map(String.init) ?? ""
    guard name.hasPrefix("pcmC"), let split = name.firstIndex(of: "D") else { return nil }
    let card = name[name.index(name.startIndex, offsetBy: 4)..<split]
    let folder = "/proc/asound/card\(card)/pcm\(name[name.index(after: split)...])"
    for stream in files.names(folder) where stream.hasPrefix("sub") {
      let status = KeyedLines(files.text("\(folder)/\(stream)/status") ?? "")
      if let owner = status["owner_pid"].flatMap({ Int($0) }), owner > 0 { return owner }
    }
    return nil
  }

  private static func opener(of node: String, _ files: SystemFiles) -> Int? {
    for process in files.names("/proc").compactMap({ Int($0) }).sorted() {
      for file in files.names("/proc/\(process)/fd")
      where files.link("/proc/\(process)/fd/\(file)") == node {
        return process
      }
    }
    return nil
  }
}
