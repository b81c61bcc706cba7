#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// palette.mjs [SEED]: says whether what is played on the palette is what its pattern asks for, and whether the region
// that is drawn is the actuator's.
//
// Known touches have known entries; then 300 made-up ones, whose seed is printed where one fails.
// With --text it prints the file of one of them, for the linter.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

// The page's modules end in .js, which node takes for something else where no package says so.
const folder = mkdtempSync(`${tmpdir()}/haprig-palette-`);
const load = async (name) => {
  copyFileSync(new URL(`../../Sources/Workbench/Pages/${name}.js`, import.meta.url), `${folder}/${name}.mjs`);
  return import(`${folder}/${name}.mjs`);
};
const { Recorder, TOLERANCE, MOST_POINTS, patternOf, reduce, replay, textOf, valueAt } = await load("palette_record");
const { envelopeSeconds, mostAt, reachOf, reachWords, sharpnessLaw } = await load("palette_laws");
rmSync(folder, { recursive: true });

let failures = 0;
const check = (holds, text) => {
  if (holds) return;
  failures += 1;
  console.log(`FAILED ${text}`);
};
const near = (a, b, by = 1e-9) => Math.abs(a - b) <= by;

/** Plays a script of [time, verb, ...] into a recorder. */
function record(script) {
  let now = 0;
  const recorder = new Recorder(() => now);
  for (const [time, verb, ...rest] of script) {
    now = time;
    recorder[verb](...rest);
  }
  return recorder.finish();
}
const frames = (from, to, place) => Array.from({ length: Math.round((to - from) * 60) }, (_, k) => from + (k + 1) / 60)
  .map((time) => [time, "touch", 1, ...place(time)]);
const kinds = (pattern) => pattern.entries.map((one) => one.kind).join(" ");

// A tap is a transient at 0, whenever it was played.
{
  const { entries, difference } = patternOf(record([[3.2, "tap", 0.8, 0.3], [3.4503, "tap", 1, 0.9]]));
  check(JSON.stringify(entries) === JSON.stringify([
    { kind: "transient", time: 0, intensity: 0.8, sharpness: 0.3 }, { kind: "transient", time: 0.25, intensity: 1, sharpness: 0.9 },
  ]), `two taps are ${JSON.stringify(entries)}`);
  check(difference.intensity === 0, "taps differ");
}
// A finger that stays is one event without a curve.
{
  const { entries } = patternOf(record([[1, "touch", 1, 0.6, 0.4, 0.2], [2, "touch", 1, 0.605, 0.4, 0.2], [2.5, "lift", 1]]));
  check(entries.length === 1 && entries[0].kind === "continuous" && entries[0].duration === 1.5 && near(entries[0].intensity, 0.6025)
    && entries[0].attack === 0.2 && entries[0].decay === undefined, `a finger that stays is ${JSON.stringify(entries)}`);
}
// What has a decay is not sustained.
{
  const { entries } = patternOf(record([[1, "touch", 1, 0.6, 0.4, 0, 0.8], [2, "lift", 1]]));
  check(entries.length === 1 && entries[0].decay === 0.8 && entries[0].sustained === false && entries[0].attack === undefined, `a decay is ${JSON.stringify(entries)}`);
}
// A straight swipe is two points of each curve.
{
  const place = (time) => [0.2 + 0.6 * (time - 1), 0.1 + 0.8 * (time - 1)];
  const pattern = patternOf(record([[1, "touch", 1, 0.2, 0.1], ...frames(1, 2, place), [2, "lift", 1]]));
  const curves = pattern.entries.filter((one) => one.kind === "curve");
  check(kinds(pattern) === "curve curve continuous", `a swipe is ${kinds(pattern)}`);
  check(curves.every((one) => one.points.length === 2), `a straight swipe has ${curves.map((one) => one.points.length)} points`);
  const { at } = replay(pattern.entries);
  for (const time of [0, 0.25, 0.5, 0.999]) {
    const [one] = at(time);
    check(near(one.intensity, 0.2 + 0.6 * time, 2e-3) && near(one.sharpness, 0.1 + 0.8 * time, 2e-3), `at ${time} a swipe is ${JSON.stringify(one)}`);
  }
  check(at(1).length === 0, "a swipe sounds after its end");
}
// A finger that lies still before it moves has no slow ramp.
{
  const pattern = patternOf(record([[0, "touch", 1, 0.3, 0.5], [1, "touch", 1, 0.9, 0.5], [1.5, "lift", 1]]));
  const { at } = replay(pattern.entries);
  check(near(at(0.97)[0].intensity, 0.3, 1e-3) && near(at(1.01)[0].intensity, 0.9, 1e-3), "a still finger ramps");
}
// After a curve its controls are neutral again: a later tap is as strong as it was played.
{
  const place = (time) => [0.9 - 0.7 * time, 0.3 + 0.5 * time];
  const pattern = patternOf(record([[0, "touch", 1, 0.9, 0.3], ...frames(0, 1, place), [1, "lift", 1], [1.2, "tap", 0.8, 0.5], [1.3, "touch", 2, 0.5, 0.5], [1.6, "lift", 2]]));
  check(kinds(pattern) === "curve curve continuous parameter parameter transient continuous", `a swipe and a tap are ${kinds(pattern)}`);
  const { at, taps } = replay(pattern.entries);
  check(near(taps[0].intensity, 0.8, 1e-4), `the later tap has ${taps[0].intensity}`);
  check(near(at(1.4)[0].intensity, 0.5, 1e-4) && near(at(1.4)[0].sharpness, 0.5, 1e-4), "the later finger is under the curve of the first");
}
// A strong tap into a weak vibration is as strong as it was played, and so is the vibration after it.
{
  const place = (time) => [0.2 + 0.2 * time, 0.5];
  const pattern = patternOf(record([[0, "touch", 1, 0.2, 0.5], ...frames(0, 1, place), [0.4, "tap", 1, 0.9], ...frames(1, 1.2, place), [1.2, "lift", 1]].sort((a, b) => a[0] - b[0])));
  const { at, taps } = replay(pattern.entries);
  check(near(taps[0].intensity, 1, 0.01) && taps[0].sharpness === 0.9, `a tap into a vibration has ${JSON.stringify(taps)}`);
  for (const time of [0.1, 0.39, 0.41, 0.6, 1.1]) {
    const all = at(time);
    check(all.length === 1 && near(all[0].intensity, 0.2 + 0.2 * time, 0.06), `under a tap at ${time} there is ${JSON.stringify(all)}`);
  }
  check(pattern.difference.intensity <= 0.06, `under a tap the difference is ${pattern.difference.intensity}`);
}
// Two fingers that slide as hands do are near what was played, and no entry asks for more than there is.
{
  const script = [];
  for (let k = 0; k <= 120; k += 1) {
    script.push([k / 60, "touch", 1, 0.5 + 0.4 * Math.sin(k / 30), 0.2 + 0.2 * Math.cos(k / 40)]);
    if (k > 30) script.push([k / 60 + 0.001, "touch", 2, 0.7 - 0.3 * Math.sin(k / 25), 0.9 - 0.2 * Math.cos(k / 35)]);
  }
  const pattern = patternOf(record([...script, [2.1, "lift", 1], [2.3, "lift", 2]])), { at } = replay(pattern.entries);
  check(pattern.difference.intensity <= 0.07 && pattern.difference.sharpness <= 0.07, `two fingers differ by ${JSON.stringify(pattern.difference)}`);
  check(pattern.pieces > 2 && near(pattern.overlap, 2.3), `two fingers are ${pattern.pieces} pieces over ${pattern.overlap} s`);
  check(at(1.5).length === 2 && at(0.2).length === 1 && at(2.2).length === 1, "two fingers are not two");
}
// Points that are kept are within the tolerance, and none is needless on a line.
{
  const line = Array.from({ length: 100 }, (_, k) => [k, 3 - 0.01 * k]);
  check(reduce(line, 0.02).length === 2, "a line has more than two points");
  check(reduce([[0, 0], [1, 1], [2, 0]], 0.02).length === 3, "a peak is lost");
}

// The region is that of the profile: what its verification played in full lies in it, what it could not lies out.
{
  const profile = JSON.parse(readFileSync(new URL("../../rigs/profiles/sim-coin-1.json", import.meta.url), "utf8"));
  const reach = reachOf(profile);
  check(typeof reach === "object" && reach.lawName === "log80-230", "the sample profile has no region");
  for (const one of profile.verification.grid) {
    const most = mostAt(reach, one.sharpness), short = one.targetLevel - one.level;
    check(!one.inside || one.intensity <= most + 0.015, `intensity ${one.intensity} at ${one.sharpness} was reached and lies beyond ${most}`);
    check(short < 0.5 || one.intensity > most - 0.01, `intensity ${one.intensity} at ${one.sharpness} lacks ${short.toFixed(1)} dB and lies within ${most}`);
  }
  check(reachWords(reach).includes("1.00 from sharpness 0.7"), `the region is told as '${reachWords(reach)}'`);
  for (const intensity of ["linear", "sone", "aosp"]) {
    const other = reachOf({ ...profile, laws: { ...profile.laws, intensity } });
    check(mostAt(other, 0.72) === 1 && mostAt(other, 0.5) > 0 && mostAt(other, 0.5) < 1, `by the law ${intensity} the region is ${mostAt(other, 0.5)}`);
  }
  check(typeof reachOf({ ...profile, ceiling: undefined }) === "string" && typeof reachOf({ ...profile, laws: { sharpness: "other" } }) === "string",
    "a region is drawn that is not known");
  const law = sharpnessLaw("log80-230");
  check(near(law(0), 80) && near(law(1), 230) && near(law(0.5), Math.sqrt(80 * 230), 1e-9), "log80-230 is another law");
  check(near(envelopeSeconds(0), 0.001) && near(envelopeSeconds(1), 1), "envelopes have other times");
}

/** Numbers of a seed. */
function numbers(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** A made-up playing: taps, fingers that stay, slide and jump, several at once where `fingers` says so. */
function made(random, fingers) {
  const script = [];
  for (let finger = 1; finger <= fingers; finger += 1) {
    let time = random() * 0.5;
    for (let count = 0; count < 4; count += 1) {
      if (random() < 0.4) script.push([time, "tap", random(), random()]);
      time += 0.05 + random() * 0.3;
      let [i, s, di, ds] = [random(), random(), 0, 0];
      script.push([time, "touch", finger, i, s]);
      for (const end = time + 0.05 + random() * 1.5; time < end;) {
        // A display of 60 pictures a second that sometimes leaves one out.
        time += (1 + (random() < 0.05 ? Math.floor(random() * 20) : 0)) / 60 + (random() - 0.5) * 0.002;
        if (random() < 0.1) [di, ds] = [(random() - 0.5) * 0.08, (random() - 0.5) * 0.08];
        if (random() < 0.02) [i, s] = [random(), random()];
        i = Math.min(1, Math.max(0, i + di));
        s = Math.min(1, Math.max(0, s + ds));
        if (random() < 0.8) script.push([time, "touch", finger, i, s]);
      }
      time += random() * 0.1;
      script.push([time, "lift", finger]);
      time += 0.01 + random() * 0.3;
    }
  }
  return record(script.sort((a, b) => a[0] - b[0]));
}

/** The smallest greatest distance when each of some is paired with one of others. */
function apart(some, others) {
  if (some.length === 0) return 0;
  const [first, ...rest] = some;
  return Math.min(...others.map((one, k) => Math.max(Math.abs(first.intensity - one.intensity), Math.abs(first.sharpness - (one.sharpness ?? first.sharpness)),
    apart(rest, others.filter((_, other) => other !== k)))));
}

const isText = process.argv.includes("--text");
const start = Number(process.argv.slice(2).find((one) => /^\d+$/.test(one)) ?? Date.now() % 1e6);
let worst = 0, worstTogether = 0, points = 0, samples = 0;
for (let seed = start; seed < start + 300; seed += 1) {
  const fingers = seed % 3 === 0 ? 2 : seed % 7 === 0 ? 3 : 1, played = made(numbers(seed), fingers), before = failures;
  const pattern = patternOf(played), { at, taps } = replay(pattern.entries);
  if (isText) {
    process.stdout.write(textOf(pattern.entries, `Made up, seed ${seed}.`));
    process.exit(0);
  }
  for (const one of pattern.entries) {
    check(one.time >= 0 && Number.isInteger(Math.round(one.time * 1e6) / 1000), `seed ${seed}: a time of ${one.time}`);
    if (one.kind === "curve") {
      check(one.points.length >= 2 && one.points.length <= MOST_POINTS, `seed ${seed}: a curve of ${one.points.length} points`);
      check(one.points[0][0] === 0 && one.points.every((point, k) => k === 0 || point[0] - one.points[k - 1][0] > 0.0009), `seed ${seed}: points ${JSON.stringify(one.points)}`);
      const least = one.parameter === "HapticSharpnessControl" ? -1 : 0;
      check(one.points.every((point) => point[1] >= least && point[1] <= 1), `seed ${seed}: a value of a curve out of its range`);
    } else if (one.kind !== "parameter") {
      check([one.intensity, one.sharpness].every((value) => value >= 0 && value <= 1), `seed ${seed}: a value out of its range`);
      check(one.kind === "transient" || (one.duration > 0 && one.duration <= 30), `seed ${seed}: a duration of ${one.duration}`);
    }
  }
  check(pattern.entries.every((one, k) => k === 0 || one.time >= pattern.entries[k - 1].time), `seed ${seed}: entries out of order`);
  check(taps.length === played.taps.length, `seed ${seed}: ${taps.length} taps of ${played.taps.length}`);
  // A vibration alone is within the tolerance at every sample; of several the difference is no greater than what is told.
  const bound = fingers === 1 && pattern.overlap === 0 ? TOLERANCE : Math.max(pattern.difference.intensity, pattern.difference.sharpness, TOLERANCE) + 0.001;
  let most = 0;
  for (const hold of played.holds) {
    for (const [time] of hold.samples.slice(1, -1)) {
      const now = Math.round(time * 1000) / 1000 + 1e-7;
      const wanted = played.holds.filter((one) => Math.round(one.samples[0][0] * 1000) / 1000 <= now && now < Math.round(one.end * 1000) / 1000)
        .map((one) => ({ intensity: valueAt(one.samples.map(([t, i]) => [Math.round(t * 1000) / 1000, i]), now), sharpness: valueAt(one.samples.map(([t, , s]) => [Math.round(t * 1000) / 1000, s]), now) }));
      const heard = at(now);
      // What is silent is left out of a pattern, and has no sharpness.
      while (heard.length < wanted.length) heard.push({ intensity: 0 });
      most = Math.max(most, apart(wanted, heard));
    }
  }
  const under = played.taps.map((tap) => Math.abs(tap.intensity - (taps.find((one) => near(one.time, tap.time, 0.0011) && near(one.sharpness, tap.sharpness, 1e-4))?.intensity ?? 9)));
  most = Math.max(most, ...under);
  check(most <= bound + 1e-9, `seed ${seed}: ${fingers} fingers differ by ${most.toFixed(4)}, may by ${bound.toFixed(4)}`);
  if (pattern.overlap === 0) worst = Math.max(worst, most);
  else worstTogether = Math.max(worstTogether, pattern.difference.intensity, pattern.difference.sharpness);
  points += pattern.points;
  samples += pattern.samples;
  if (failures > before) console.log(`  again: .ci/browser/palette.mjs ${seed}`);
  if (failures > 8) break;
}
console.log(`record: 300 playings from seed ${start}: ${points} points of curves for ${samples} samples; alone at most ${worst.toFixed(4)} apart, together ${worstTogether.toFixed(3)}`);
process.exit(failures ? 1 : 0);
