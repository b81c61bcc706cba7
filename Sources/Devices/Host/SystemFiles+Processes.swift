extension SystemFiles {
  /// The first process that has a device's node open; `nil` where none is seen.
  ///
  /// Looks through all processes: those of other users show nothing but to root.
  ///
  /// - Parameters:
  ///   - node: The node's own path, without links in it.
  ///   - own: A process that is passed over.
  /// - Returns: The process's number.
  public func opener(of node: String, besides own: Int? = nil) -> Int? {
    names("/proc").compactMap { Int($0) }.sorted().first { process in
      process != own
        && names("/proc/\(process)/fd").contains { link("/proc/\(process)/fd/\($0)") == node }
    }
  }

  /// What a process is called in a message: `aplay (process 812)`.
  public func caption(ofProcess process: Int) -> String {
    "\(text("/proc/\(process)/comm") ?? "a program") (process \(process))"
  }
}
