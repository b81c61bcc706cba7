// SPDX-License-Identifier: Apache-2.0
// The newest waves of a live run, by bins that stay where they are once they came.

/**
 * Per channel a ring of minima and maxima. Its bins are its own, so that what was drawn once stays where it is, whatever
 * bins the blocks have that come.
 */
export class WaveBuffer {
  /** @param {number} capacity bins that are kept */
  constructor(capacity = 8192) {
    this.capacity = capacity;
    /** Frames of a bin; 0 before anything came. */
    this.framesPerBin = 0;
    this.wanted = 1;
    this.rate = 48000;
    /** @type {Float32Array[]} */
    this.low = [];
    /** @type {Float32Array[]} */
    this.high = [];
    /**
     * The first bin that a channel has not got, by channel.
     *
     * @type {number[]}
     */
    this.heads = [];
    this.first = 0;
    /** Frames up to which anything is known. */
    this.head = 0;
    this.generation = 0;
    /** When the last block with something new came. */
    this.at = -Infinity;
    /**
     * The channels in the order of the data.
     *
     * @type {(number | string)[]}
     */
    this.channels = [];
  }

  /**
   * Forgets what it has, and takes bins of another size from now on.
   *
   * @param {number} frames
   */
  clear(frames) {
    this.wanted = Math.max(1, Math.round(frames));
    this.framesPerBin = 0;
  }

  /** @param {API.Waves} waves */
  add(waves) {
    const { header, bins, data } = waves, step = header.framesPerBin;
    if (!(step > 0) || bins === 0) return;
    const names = header.channels.map((channel) => typeof channel === "object" ? channel.name : channel);
    if (this.framesPerBin === 0 || data.length !== this.low.length || names.some((name, index) => name !== this.channels[index])) {
      this.framesPerBin = this.wanted;
      this.rate = header.rate;
      this.channels = names;
      this.low = data.map(() => new Float32Array(this.capacity).fill(NaN));
      this.high = data.map(() => new Float32Array(this.capacity).fill(NaN));
      this.first = Math.max(0, Math.floor(header.from / this.framesPerBin));
      this.heads = data.map(() => this.first);
      this.head = 0;
      this.generation += 1;
    }
    const own = this.framesPerBin;
    const start = Math.max(0, Math.floor(header.from / own)), end = Math.ceil(Math.min(header.to, header.from + bins * step) / own);
    if (end < this.first) return;
    let isNew = false;
    for (let channel = 0; channel < data.length; channel += 1) {
      const pairs = data[channel], low = this.low[channel], high = this.high[channel];
      const head = this.heads[channel];
      // What lies between is not known: the ring must not show what stood there a turn ago.
      for (let bin = Math.max(head, start - this.capacity); bin < start; bin += 1) {
        low[bin % this.capacity] = high[bin % this.capacity] = NaN;
      }
      let last = head;
      // The newest bin of before may have been a part of one.
      for (let bin = Math.max(start, head - 1, end - this.capacity); bin < end; bin += 1) {
        const from = Math.max(0, Math.floor((bin * own - header.from) / step + 1e-6));
        const to = Math.min(bins, Math.max(from + 1, Math.ceil(((bin + 1) * own - header.from) / step - 1e-6)));
        let least = Infinity, most = -Infinity;
        for (let k = from; k < to; k += 1) {
          if (pairs[2 * k] < least) least = pairs[2 * k];
          if (pairs[2 * k + 1] > most) most = pairs[2 * k + 1];
        }
        const place = bin % this.capacity, isKnown = most !== -Infinity;
        low[place] = isKnown ? least : NaN;
        high[place] = isKnown ? most : NaN;
        if (isKnown) last = bin + 1;
      }
      if (last > head) {
        this.heads[channel] = last;
        isNew = true;
      }
    }
    const newest = Math.max(...this.heads);
    this.first = Math.max(this.first, newest - this.capacity + 1);
    this.head = Math.max(this.head, Math.min(header.to, newest * own));
    if (isNew) this.at = performance.now();
  }

  /**
   * Minimum and maximum of a channel over frames, into `into`; NaN where nothing is known.
   *
   * @param {number} channel
   * @param {number} from
   * @param {number} to
   * @param {[number, number]} into
   */
  range(channel, from, to, into) {
    let low = Infinity, high = -Infinity;
    const bins = this.framesPerBin;
    const first = Math.max(this.first, Math.floor(from / bins)), head = this.heads[channel];
    const end = Math.min(head, Math.max(first + 1, Math.ceil(to / bins)));
    const lows = this.low[channel], highs = this.high[channel];
    for (let bin = first; bin < end; bin += 1) {
      const place = bin % this.capacity;
      if (lows[place] < low) low = lows[place];
      if (highs[place] > high) high = highs[place];
    }
    into[0] = low === Infinity ? NaN : low;
    into[1] = high === -Infinity ? NaN : high;
  }

  /**
   * The lowest, the highest and the middle of a channel over the newest seconds.
   *
   * @param {number} channel
   * @param {number} seconds
   * @param {[number, number, number]} into
   */
  extent(channel, seconds, into) {
    const head = this.heads[channel] ?? 0;
    const from = Math.max(this.first, head - Math.max(1, Math.round(seconds * this.rate / this.framesPerBin)));
    let low = Infinity, high = -Infinity, sum = 0, count = 0;
    const lows = this.low[channel], highs = this.high[channel];
    for (let bin = from; bin < head; bin += 1) {
      const place = bin % this.capacity;
      if (lows[place] < low) low = lows[place];
      if (highs[place] > high) high = highs[place];
      if (highs[place] === highs[place]) {
        sum += lows[place] + highs[place];
        count += 2;
      }
    }
    into[0] = count ? low : 0;
    into[1] = count ? high : 0;
    into[2] = count ? sum / count : 0;
  }
}

/**
 * How channels are told apart: by place, name, and the colour of their kind. What comes back has the first choice.
 *
 * @param {API.Channel[]} channels
 * @returns {string[]} names of palette colours
 */
export function channelColours(channels) {
  const more = ["sharpness", "intensity", "onset", "ink"];
  /** @type {Set<string>} */
  const used = new Set();
  const found = channels.map(() => "ink");
  const order = channels.map((_, index) => index).sort((a, b) => Number(isSent(channels[a])) - Number(isSent(channels[b])));
  for (const index of order) {
    const { kind } = channels[index];
    const own = kind === "drive" ? "drive" : kind === "response" ? "response" : kind === "sound" ? "sound"
      : kind === "reference" ? "muted" : "ink";
    found[index] = used.has(own) ? more.find((one) => !used.has(one)) ?? own : own;
    used.add(found[index]);
  }
  return found;
}

/** @param {API.Channel} channel */
const isSent = (channel) => channel.side === "drive" && channel.kind !== "drive";

/**
 * The channels that are shown before anybody chooses: what drives, what answers, what sounds.
 *
 * @param {API.Channel[]} channels
 */
export function firstChannels(channels) {
  const chosen = channels.map((_, index) => index).filter((index) =>
    channels[index].kind !== "reference" && !isSent(channels[index]));
  return chosen.length > 0 ? chosen : channels.map((_, index) => index);
}

/**
 * A channel's name, with its side where another has the same.
 *
 * @param {API.Channel} channel
 * @param {API.Channel[]} channels
 */
export const channelName = (channel, channels) =>
  channels.filter((one) => one.name === channel.name).length > 1 ? `${channel.name} ${channel.side === "drive" ? "sent" : "captured"}`
    : channel.name;

/**
 * What a channel stands at: an accelerometer shows gravity all the time, and what is felt lies about it. Below a
 * twelfth of what moves it is nothing.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} middle
 */
export const restOf = (low, high, middle) =>
  Math.abs(middle) > 0.08 * Math.max(high - middle, middle - low) && Math.abs(middle) > 1e-9 ? middle : 0;
