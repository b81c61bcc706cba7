import Actuators
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
        volts: try element["volts"].positive(upTo: DriveLimits.highestVolts, "V"),
        frequency: try element["frequency"].frequency(),
        acceleration: try element["acceleration"].positive(upTo: 1e6, "m/s2"))
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
    let highest = points[points.count - 1].volts
    self.init(
      points: points, startVolts: try field["startVolts"].number(in: 0...highest, "V"),
      spinUpTime: try MeasuredQuantity(positive: try field["spinUpTime"], .second, upTo: 100))
  }
}
