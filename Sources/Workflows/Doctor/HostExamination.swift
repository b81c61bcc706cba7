// SPDX-License-Identifier: Apache-2.0

package import Devices
import Glibc
import Paths
import Reporting

/// What the operating system grants this user and what it lacks for measurements, as far as files and limits tell.
package struct HostExamination {
  /// What a process of this user may ask for.
  package struct Limits: Sendable {
    /// The highest priority of SCHED_FIFO; 0 for none.
    package var realtimePriority: Int
    /// How many bytes may be locked; `nil` for any number.
    package var lockedBytes: UInt64?
    package var user: String

    package init(realtimePriority: Int, lockedBytes: UInt64?, user: String) {
      self.realtimePriority = realtimePriority
      self.lockedBytes = lockedBytes
      self.user = user
    }

    /// Those of this process.
    package static var current: Limits {
      var priority = rlimit()
      getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &priority)
      var memory = rlimit()
      getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &memory)
      let isRoot = geteuid() == 0
      return Limits(
        realtimePriority: isRoot ? 99 : Int(min(priority.rlim_cur, 99)),
        lockedBytes: isRoot || memory.rlim_cur == rlim_t.max ? nil : UInt64(memory.rlim_cur),
        user: getpwuid(geteuid())?.pointee.pw_name.map { String(cString: $0) } ?? "USER")
    }
  }

  private let files: SystemFiles
  private let limits: Limits

  package init(files: SystemFiles = SystemFiles(), limits: Limits = .current) {
    self.files = files
    self.limits = limits
  }

  package func diagnoses() -> [Diagnosis] {
    [scheduling, memory, kernel, clock, governor] + soundRights + optionalPrograms
  }

  /// How a user comes by the limits that the package installs a file for.
  private var grant: String {
    files.exists("/etc/security/limits.d/haprig.conf")
      ? "sudo usermod -aG audio \(limits.user), then log in again"
      : "put '@audio - rtprio 80' and '@audio - memlock unlimited' into "
        + "/etc/security/limits.d/haprig.conf, sudo usermod -aG audio \(limits.user), log in again"
  }

  private var scheduling: Diagnosis {
    let subject = "real-time priority"
    guard limits.realtimePriority < Scheduling.renderPriority else {
      return Diagnosis(subject, .fine, "SCHED_FIFO up to \(limits.realtimePriority)")
    }
    return Diagnosis(
      subject, .attention,
      (limits.realtimePriority == 0
        ? "none is granted" : "SCHED_FIFO up to \(limits.realtimePriority) alone")
        + ": sound cards are served at \(Scheduling.renderPriority), and lose frames on a busy machine without",
      remedy: grant)
  }

  private var memory: Diagnosis {
    guard let bytes = limits.lockedBytes else {
      return Diagnosis("locked memory", .fine, "as much as is asked for")
    }
    return Diagnosis(
      "locked memory", .attention,
      "\(bytes / 1024) kB, which is too little: the render thread may wait for a disk",
      remedy: grant)
  }

  private var kernel: Diagnosis {
    let release = files.text("/proc/sys/kernel/osrelease") ?? "of an unknown version"
    let isRealtime = files.text("/sys/kernel/realtime") == "1"
    return Diagnosis(
      "kernel", .fine,
      "Linux \(release)" + (isRealtime ? " with PREEMPT_RT" : ", without PREEMPT_RT"))
  }

  private var clock: Diagnosis {
    let file = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    let source = files.text(file) ?? "unknown"
    guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(source) else {
      return Diagnosis("clock", .fine, "the time comes from \(source)")
    }
    return Diagnosis(
      "clock", .attention,
      "the time comes from \(source), which takes a microsecond and more to ask",
      remedy: "start the kernel with clocksource=tsc tsc=reliable, if this machine's TSC is steady")
  }

  private var governor: Diagnosis {
    guard let governor = files.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") else {
      return Diagnosis("processor", .fine, "its frequency is not changed by this system")
    }
    guard governor != "performance" else {
      return Diagnosis("processor", .fine, "governor \(governor)")
    }
    return Diagnosis(
      "processor", .attention, "governor \(governor): waking up takes longer after a rest",
      remedy: "sudo cpupower frequency-set -g performance")
  }

  /// Whether this user may open sound cards; nothing where the kernel has none.
  private var soundRights: [Diagnosis] {
    guard files.exists("/dev/snd") else { return [] }
    let closed = files.names("/dev/snd").filter { $0.hasPrefix("pcm") }
      .filter { access(files.root + "/dev/snd/" + $0, R_OK | W_OK) != 0 }
    guard !closed.isEmpty else {
      return [Diagnosis("sound rights", .fine, "the devices in /dev/snd are open to this user")]
    }
    return [
      Diagnosis(
        "sound rights", .broken, "\(closed.count) devices in /dev/snd are closed to this user",
        remedy: "sudo usermod -aG audio \(limits.user), then log in again")
    ]
  }

  /// What haprig does with programs and files of other packages, where they are there.
  private var optionalPrograms: [Diagnosis] {
    // Sounds are decoded by the first that PATH has.
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    let ffmpeg = folders.split(separator: ":").contains { files.exists("\($0)/ffmpeg") }
    let wanted: [(String, Bool, String, String)] = [
      ("ffmpeg", ffmpeg, "AAC, M4A and films are no sounds to haprig without it", "ffmpeg"),
      (
        "dygraphs", files.exists(ChartLibrary.installedPath),
        "reports' charts do not zoom without it", "libjs-dygraphs"
      ),
      (
        "CodeMirror", files.exists("/usr/share/javascript/codemirror/lib/codemirror.js"),
        "the editor shows a pattern's text without colours", "libjs-codemirror"
      ),
    ]
    return wanted.map { name, isThere, lack, package in
      isThere
        ? Diagnosis(name, .fine, "installed")
        : Diagnosis(
          name, .attention, "not installed: \(lack)", remedy: "sudo apt-get install \(package)")
    }
  }
}

/// Whether runs have a place to go.
package enum StorageExamination {
  /// Below this a run with recordings may not end: it is a night of the shipped plan, and some.
  static let enough = 1e9

  /// Looks at the folder, or at the nearest one above it that is there.
  package static func diagnosis(of folder: String) -> Diagnosis {
    var place = folder.hasPrefix("/") ? folder : "./" + folder
    while access(place, F_OK) != 0, place.contains("/"), place != "/" {
      place = FilePath.folder(of: place)
    }
    var kind = stat()
    guard stat(place, &kind) == 0, kind.st_mode & S_IFMT == S_IFDIR, access(place, W_OK) == 0,
      let free = DiskSpace.free(in: place)
    else {
      return Diagnosis(
        "disk", .broken,
        "runs cannot be written to '\(folder)': '\(place)' is no folder of this user",
        remedy: "name another folder with --archive, or make this one yours")
    }
    let room = "'\(folder)' has room for \(Int(free / 1e6)) MB"
    return free >= enough
      ? Diagnosis("disk", .fine, room)
      : Diagnosis(
        "disk", .attention, "\(room): a long plan with recordings takes 0.4 GB",
        remedy: "haprig archive prune --keep-recordings 7, or make room")
  }

  /// Whether processes of this user find one another: locks of rigs, work that is watched.
  package static func runtimeFolder() -> Diagnosis {
    let path = RuntimeFolder.path
    return RuntimeFolder.make(path)
      ? Diagnosis("runtime folder", .fine, path)
      : Diagnosis(
        "runtime folder", .broken, "'\(path)' is not this user's alone: no rig can be locked",
        remedy: "export XDG_RUNTIME_DIR=/run/user/$(id -u), or remove that folder")
  }
}
