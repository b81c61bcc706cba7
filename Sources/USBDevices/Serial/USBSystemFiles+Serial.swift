import Glibc

extension USBSystemFiles {
  /// The program that has a device's node open, whatever link leads to it; `nil` where none is seen.
  func holder(ofNode path: String) -> String? {
    let node = resolved(path) ?? path
    let own = Int(getpid())
    for process in names("/proc").compactMap({ Int($0) }).sorted() where process != own {
      for file in names("/proc/\(process)/fd") where link("/proc/\(process)/fd/\(file)") == node {
        return "\(text("/proc/\(process)/comm") ?? "a program") (process \(process))"
      }
    }
    return nil
  }

  /// The serial ports of USB devices, by the names that stay where udev gives them, else by the kernel's.
  public func serialPorts() -> [String] {
    let lasting = names("/dev/serial/by-id").map { "/dev/serial/by-id/\($0)" }
    let named = Set(lasting.compactMap(resolved))
    let plain = names("/dev").filter { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }
      .map { "/dev/\($0)" }
    return lasting + plain.filter { !named.contains($0) }
  }

  /// A path without links in it, below the root; `nil` where there is nothing.
  private func resolved(_ path: String) -> String? {
    guard let real = realpath(root + path, nil) else { return nil }
    defer { free(real) }
    guard let top = realpath(root.isEmpty ? "/" : root, nil) else { return nil }
    defer { free(top) }
    let text = String(cString: real)
    let prefix = String(cString: top)
    if prefix == "/" { return text }
    return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }
}
