import JSONText

/// Finds the right names for wrong ones, each question answered once.
struct NameFixer {
  struct Answer {
    var name: String
    /// Nil where several names are as likely, so that no fix can choose.
    var kind: FixKind?
  }

  private var answers: [SpellingQuestion: Answer?] = [:]

  /// Finds what was probably meant; nil where nothing is alike.
  ///
  /// A file of endless different wrong names gets no more answers after the first thousands.
  mutating func answer(for wrong: String, among known: [String]) -> Answer? {
    let question = SpellingQuestion(wrong: wrong, known: known)
    if let answer = answers[question] { return answer }
    guard answers.count < 10_000 else { return nil }
    let answer = Self.find(wrong, among: known)
    answers[question] = .some(answer)
    return answer
  }

  private static func find(_ wrong: String, among known: [String]) -> Answer? {
    guard let name = Spelling.suggestion(for: wrong, among: known) else { return nil }
    if wrong.lowercased() == name.lowercased() { return Answer(name: name, kind: .letterCase) }
    // The first of equals is suggested: from the other end that is another one.
    let isOnly = Spelling.suggestion(for: wrong, among: known.reversed()) == name
    return Answer(name: name, kind: isOnly ? .names : nil)
  }
}

/// The members of an object by the known names; of a key given twice the last one counts.
struct Fields {
  let object: LocatedNode
  let members: [LocatedMember]
  /// The indices of members with other names.
  private(set) var others: [Int] = []
  private var indices: [(name: String, index: Int)] = []
  private var repeated: [String] = []

  init(_ object: LocatedNode, known: [String], in source: SourceText) {
    self.object = object
    members = source.members(of: object)
    for (index, member) in members.enumerated() {
      guard let name = known.first(where: { member.key.matches($0) }) else {
        others.append(index)
        continue
      }
      if let place = indices.firstIndex(where: { $0.name == name }) {
        indices[place].index = index
        repeated.append(name)
      } else {
        indices.append((name, index))
      }
    }
  }

  func index(of name: String) -> Int? { indices.first { $0.name == name }?.index }

  subscript(name: String) -> LocatedNode? { index(of: name).map { members[$0].value } }

  /// Whether removing the member would bring an earlier one of its name to life.
  func isRepeated(_ name: String) -> Bool { repeated.contains(name) }
}
