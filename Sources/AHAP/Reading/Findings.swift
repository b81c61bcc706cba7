/// The findings of one reading, by byte offset until the reading is over.
struct Findings {
  struct Finding {
    var code: DiagnosticCode
    var offset: Int
    var message: String
    var used: String?
    var fix: String?
  }

  private(set) var items: [Finding] = []
  private(set) var omitted = 0
  private var counts: [DiagnosticCode: Int] = [:]
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts a finding; false if there are enough of its code.
  mutating func admits(_ code: DiagnosticCode) -> Bool {
    let count = counts[code, default: 0]
    counts[code] = count + 1
    guard count < limit else {
      omitted += 1
      return false
    }
    return true
  }

  mutating func append(_ finding: Finding) {
    items.append(finding)
  }
}
