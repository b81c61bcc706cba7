// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Programs that are a rig, in Python without any package, and what they share.
enum Plants {
  /// A resonator, solved by the bilinear transform, and a seeded noise.
  ///
  /// Acceleration a = b0 s^2 / (s^2 + s w / Q + w^2) of the drive, 170 Hz, Q 9, 30 m/s2 at resonance.
  static let physics = """
    import json, math, struct, sys

    RATE, F0, Q, GAIN = 48000.0, 170.0, 9.0, 30.0

    class Resonator:
        def __init__(self):
            w, k = 2 * math.pi * F0, 2 * RATE
            a0 = k * k + k * w / Q + w * w
            self.a1, self.a2 = (2 * w * w - 2 * k * k) / a0, (k * k - k * w / Q + w * w) / a0
            self.b = k * k / a0 * GAIN / Q
            self.z1 = self.z2 = 0.0
        def step(self, u):
            y = self.b * u + self.z1
            self.z1 = -2 * self.b * u - self.a1 * y + self.z2
            self.z2 = self.b * u - self.a2 * y
            return y

    class Noise:
        def __init__(self):
            self.state = 12345
        def step(self):
            self.state = (self.state * 1103515245 + 12345) & 0x7fffffff
            return (self.state / 0x7fffffff - 0.5) * 1e-3


    """

  /// What every such program begins with: it reads haprig's line and answers with its own.
  static let greeting = """
    import json, struct, sys
    hello = json.loads(sys.stdin.buffer.readline())
    UNITS = {"z": "m/s2", "audio": "V", "reference": "V"}
    channels = [{"name": name, "unit": UNITS[name]} for name in hello["capture"]]
    size = hello["block"] * len(hello["drive"]) * 4
    print(json.dumps({"haprig": 1, "channels": channels}), flush=True)
    def answer(data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


    """

  /// Sends back what it gets: every channel without delay.
  static let mirror =
    greeting + """
      while True:
          data = sys.stdin.buffer.read(size)
          if len(data) < size:
              break
          answer(data)

      """

  /// A resonator behind known delays: the frames of acceleration, sound and reference are arguments.
  static let resonator =
    physics + greeting + """
      delays = dict(zip(("z", "audio", "reference"), map(int, sys.argv[1:4])))
      wires = {"z": "haptic", "audio": "audio", "reference": "reference"}
      lines = {name: [0.0] * delays[name] for name in hello["capture"]}
      body, noise = Resonator(), Noise()
      while True:
          data = sys.stdin.buffer.read(size)
          if len(data) < size:
              break
          drive = struct.unpack("<%df" % (size // 4), data)
          columns = []
          for name, line in lines.items():
              column = drive[hello["drive"].index(wires[name])::len(hello["drive"])]
              line += [body.step(value) for value in column] if name == "z" else column
              columns.append(line[:hello["block"]])
              del line[:hello["block"]]
          frames = [value + noise.step() for frame in zip(*columns) for value in frame]
          answer(struct.pack("<%df" % len(frames), *frames))

      """

  /// Turns a stimulus into a recording: `respond.py STIMULUS RESPONSE DELAY LEAD [CHANNELS [FRAMES]]`.
  ///
  /// Delay in frames on the reference, 19 more on the acceleration, 72 more on the sound; the recorder
  /// runs LEAD frames before the player.
  static let respond =
    physics + """
      def read(path):
          data, at = open(path, "rb").read(), 12
          while True:
              tag, size = data[at:at + 4], struct.unpack("<I", data[at + 4:at + 8])[0]
              if tag == b"fmt ":
                  channels = struct.unpack("<H", data[at + 10:at + 12])[0]
              if tag == b"data":
                  return channels, struct.unpack("<%df" % (size // 4), data[at + 8:at + 8 + size])
              at += 8 + size + size % 2

      def write(path, columns):
          count = len(columns)
          body = b"".join(struct.pack("<%df" % count, *frame) for frame in zip(*columns))
          form = struct.pack("<IHHIIHH", 16, 3, count, 48000, 192000 * count, 4 * count, 32)
          with open(path, "wb") as file:
              file.write(b"RIFF" + struct.pack("<I", 36 + len(body)) + b"WAVEfmt " + form
                         + b"data" + struct.pack("<I", len(body)) + body)

      channels, drive = read(sys.argv[1])
      delay, lead = int(sys.argv[3]), int(sys.argv[4])
      body, noise = Resonator(), Noise()
      haptic, audio, reference = (list(drive[place::channels]) for place in range(3))
      total = lead + len(haptic) + 12000
      columns = []
      for column, extra in (([body.step(v) for v in haptic], 19), (audio, 72), (reference, 0)):
          line = [0.0] * (lead + delay + extra) + column + [0.0] * 12000
          columns.append([value + noise.step() for value in line[:total]])
      keep = int(sys.argv[5]) if len(sys.argv) > 5 else 3
      frames = int(sys.argv[6]) if len(sys.argv) > 6 else total
      write(sys.argv[2], [column[:frames] for column in columns[:keep]])

      """
}
