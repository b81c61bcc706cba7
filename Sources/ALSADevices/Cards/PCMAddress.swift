/// The card and device that a `hw` or `plughw` name means.
struct PCMAddress: Equatable {
  /// The kernel's name of the card, or its number.
  let card: String
  let device: Int

  /// Reads `hw:CARD=Controller,DEV=0`, `hw:Controller,0`, `hw:1`; `nil` for names of other kinds.
  init?(_ name: String) {
    guard let colon = name.firstIndex(of: ":"), ["hw", "plughw"].contains(name[..<colon]) else {
      return nil
    }
    var (card, device) = ("", 0)
    let parts = name[name.index(after: colon)...].split(
      separator: ",", omittingEmptySubsequences: false)
    for (place, part) in parts.enumerated() {
      let pair = part.split(separator: "=", maxSplits: 1)
      let key = pair.count == 2 ? String(pair[0]) : ["CARD", "DEV"][place < 2 ? place : 1]
      let value = String(pair.last ?? "")
      if key == "CARD" { card = value }
      if key == "DEV", let number = Int(value) { device = number }
      if place > 1, pair.count != 2 { break }
    }
    guard !card.isEmpty else { return nil }
    (self.card, self.device) = (card, device)
  }
}
