import JSONText

extension ReachableCeiling.Point {
  var json: JSONValue {
    .object(present: [
      "frequency": .finite(frequency),
      "acceleration": .finite(acceleration),
      "distortion": distortion.map(JSONValue.finite),
      "binding": .string(binding.rawValue),
    ])
  }
}

extension ReachableCeiling {
  init(_ field: ProfileField) throws(ProfileError) {
    var points: [Point] = []
    for element in try field.elements() {
      let point = try element.object("frequency", "acceleration", "distortion", "binding")
      let frequency = try point["frequency"]
      guard try frequency.frequency() > points.last?.frequency ?? 0 else {
        throw frequency.error("\(frequency.path) must be above the one before it")
      }
      points.append(
        Point(
          frequency: try frequency.number(),
          acceleration: try point["acceleration"].positive(upTo: 1e6, "m/s2"),
          distortion: try point.member("distortion")?.number(in: 0...10),
          binding: try point["binding"].word(Binding.self)))
    }
    self.init(points: points)
  }
}
