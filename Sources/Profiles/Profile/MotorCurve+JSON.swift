import JSONText

extension MotorCurve {
  var json: JSONValue {
    [
      "startVolts": .finite(startVolts),
      "spinUpTime": spinUpTime.json,
      "points": .array(
        points.map {
          [
            "volts": .finite($0.volts), "frequency": .finite($0.frequency),
            "acceleration": .finite($0.acceleration),
          ]
        }),
    ]
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("startVolts", "spinUpTime", "points")
    let list = try field["points"]
    var points: [Point] = []
    for element in try list.elements() {
      let element = try element.object("volts", "frequency", "acceleration")
      let point = Point(
        volts: try element["volts"].positive(), frequency: try element["frequency"].positive(),
        acceleration: try element["acceleration"].positive())
      if let last = points.last,
        point.volts <= last.volts || point.frequency <= last.frequency
          || point.acceleration <= last.acceleration
      {
        throw element.error(
          "\(element.path) does not rise in volts, frequency and acceleration over the one before "
            + "it: a motor that is driven harder turns faster")
      }
      points.append(point)
    }
    guard points.count > 1 else {
      throw list.error("\(list.path) has \(points.count) points, but a curve needs two or more")
    }
    let spinUp = try field["spinUpTime"]
    let time = try MeasuredQuantity(spinUp, .second)
    guard time.value > 0 else {
      throw spinUp.error("\(spinUp.path).value is \(time.value), but must be above 0")
    }
    self.init(points: points, startVolts: try field["startVolts"].notNegative(), spinUpTime: time)
  }
}
