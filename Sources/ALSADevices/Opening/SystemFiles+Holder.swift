import Devices
import Paths

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
