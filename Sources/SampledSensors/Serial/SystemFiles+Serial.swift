public import Devices

extension SystemFiles {
  /// The serial ports of USB devices, by the names that stay where udev gives them, else by the kernel's.
  public func serialPorts() -> [String] {
    let lasting = names("/dev/serial/by-id").map { "/dev/serial/by-id/\($0)" }
    let named = Set(lasting.compactMap(resolved))
    let plain = names("/dev").filter { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }
      .map { "/dev/\($0)" }
    return lasting + plain.filter { !named.contains($0) }
  }
}
