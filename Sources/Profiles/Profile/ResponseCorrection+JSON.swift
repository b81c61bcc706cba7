import JSONText

extension ResponseCorrection {
  var json: JSONValue {
    [
      "frequencies": .numbers(frequencies),
      "levels": .numbers(levels),
      "decibels": .array(decibels.map(JSONValue.numbers)),
    ]
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("frequencies", "levels", "decibels")
    let frequencies = try field["frequencies"].risingNumbers()
    guard frequencies.first ?? 1 > 0 else {
      throw try field["frequencies"].error("correction.frequencies must be above 0")
    }
    let levels = try field["levels"].risingNumbers()
    let table = try field["decibels"]
    var decibels: [[Double]] = []
    for row in try table.elements() {
      var numbers: [Double] = []
      for element in try row.elements() { numbers.append(try element.number()) }
      guard numbers.count == levels.count else {
        throw row.error(
          "\(row.path) has \(numbers.count) numbers, but there are \(levels.count) levels")
      }
      for index in numbers.indices.dropLast()
      where numbers[index + 1] - numbers[index] <= levels[index] - levels[index + 1] {
        throw row.error(
          "\(row.path) falls by a dB a dB or faster from level \(levels[index]) dB, so that a "
            + "stronger target would get the weaker command")
      }
      decibels.append(numbers)
    }
    guard decibels.count == frequencies.count else {
      throw table.error(
        "\(table.path) has \(decibels.count) rows, but there are \(frequencies.count) frequencies")
    }
    self.init(frequencies: frequencies, levels: levels, decibels: decibels)
  }
}
