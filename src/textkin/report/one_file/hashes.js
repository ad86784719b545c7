"use strict";
// BLAKE2b with eight bytes, and SHAKE-256: unknown words get their vectors from the hashes of their letters.

const WHOLE = (1n << 64n) - 1n;
const BLAKE_START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const BLAKE_ORDER = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const BLAKE_COLUMNS = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];

const turned = (value, bits) => ((value >> bits) | (value << (64n - bits))) & WHOLE;

function blakeBlock(state, block, count, last) {
  const words = new BigUint64Array(block.buffer);
  const v = [...state, ...BLAKE_START];
  v[12] ^= BigInt(count);
  if (last) v[14] ^= WHOLE;
  for (let round = 0; round < 12; round++) {
    const order = BLAKE_ORDER[round % 10];
    BLAKE_COLUMNS.forEach(([a, b, c, d], place) => {
      v[a] = (v[a] + v[b] + words[order[2 * place]]) & WHOLE;
      v[d] = turned(v[d] ^ v[a], 32n);
      v[c] = (v[c] + v[d]) & WHOLE;
      v[b] = turned(v[b] ^ v[c], 24n);
      v[a] = (v[a] + v[b] + words[order[2 * place + 1]]) & WHOLE;
      v[d] = turned(v[d] ^ v[a], 16n);
      v[c] = (v[c] + v[d]) & WHOLE;
      v[b] = turned(v[b] ^ v[c], 63n);
    });
  }
  for (let place = 0; place < 8; place++) state[place] ^= v[place] ^ v[place + 8];
}

// The first 64 bits of BLAKE2b with a digest of eight bytes, as a whole number.
function blake64(bytes) {
  const state = [...BLAKE_START];
  state[0] ^= 0x01010008n;
  for (let start = 0; start === 0 || start < bytes.length; start += 128) {
    const block = new Uint8Array(128);
    block.set(bytes.subarray(start, start + 128));
    const end = Math.min(start + 128, bytes.length);
    blakeBlock(state, block, end, end === bytes.length);
  }
  return state[0];
}

const KECCAK_TURNS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const KECCAK_LANES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];
const KECCAK_CONSTANTS = (() => {
  let register = 1;
  const drawn = () => {
    const bit = register & 1;
    register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    return bit;
  };
  return Array.from({ length: 24 }, () => {
    const halves = [0, 0];
    for (let power = 0; power < 7; power++) {
      const place = (1 << power) - 1;
      if (drawn()) halves[place >> 5] |= 1 << (place & 31);
    }
    return halves;
  });
})();

// Lanes of 64 bits as halves of 32: the low ones in `low`, the high ones in `high`.
function keccak(low, high) {
  const lows = new Int32Array(5), highs = new Int32Array(5);
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 5; x++) {
      lows[x] = low[x] ^ low[x + 5] ^ low[x + 10] ^ low[x + 15] ^ low[x + 20];
      highs[x] = high[x] ^ high[x + 5] ^ high[x + 10] ^ high[x + 15] ^ high[x + 20];
    }
    for (let x = 0; x < 5; x++) {
      const before = (x + 4) % 5, after = (x + 1) % 5;
      const changeLow = lows[before] ^ ((lows[after] << 1) | (highs[after] >>> 31));
      const changeHigh = highs[before] ^ ((highs[after] << 1) | (lows[after] >>> 31));
      for (let lane = x; lane < 25; lane += 5) {
        low[lane] ^= changeLow;
        high[lane] ^= changeHigh;
      }
    }
    let carriedLow = low[1], carriedHigh = high[1];
    for (let step = 0; step < 24; step++) {
      const lane = KECCAK_LANES[step], bits = KECCAK_TURNS[step] & 31;
      const [one, other] = KECCAK_TURNS[step] < 32 ? [carriedLow, carriedHigh] : [carriedHigh, carriedLow];
      carriedLow = low[lane];
      carriedHigh = high[lane];
      low[lane] = bits ? (one << bits) | (other >>> (32 - bits)) : one;
      high[lane] = bits ? (other << bits) | (one >>> (32 - bits)) : other;
    }
    for (let row = 0; row < 25; row += 5) {
      for (let x = 0; x < 5; x++) {
        lows[x] = low[row + x];
        highs[x] = high[row + x];
      }
      for (let x = 0; x < 5; x++) {
        low[row + x] ^= ~lows[(x + 1) % 5] & lows[(x + 2) % 5];
        high[row + x] ^= ~highs[(x + 1) % 5] & highs[(x + 2) % 5];
      }
    }
    low[0] ^= KECCAK_CONSTANTS[round][0];
    high[0] ^= KECCAK_CONSTANTS[round][1];
  }
}

const SHAKE_RATE = 136; // bytes of a block

// The first `count` words of 32 bits of SHAKE-256.
function shake(bytes, count) {
  const low = new Int32Array(25), high = new Int32Array(25);
  const padded = new Uint8Array((Math.floor(bytes.length / SHAKE_RATE) + 1) * SHAKE_RATE);
  padded.set(bytes);
  padded[bytes.length] ^= 0x1f;
  padded[padded.length - 1] ^= 0x80;
  const view = new DataView(padded.buffer);
  for (let start = 0; start < padded.length; start += SHAKE_RATE) {
    for (let lane = 0; lane < SHAKE_RATE / 8; lane++) {
      low[lane] ^= view.getInt32(start + 8 * lane, true);
      high[lane] ^= view.getInt32(start + 8 * lane + 4, true);
    }
    keccak(low, high);
  }
  const found = new Uint32Array(count);
  const each = SHAKE_RATE / 4;
  for (let place = 0; place < count; place++) {
    if (place && place % each === 0) keccak(low, high);
    const word = place % each;
    found[place] = (word % 2 ? high : low)[word >> 1];
  }
  return found;
}
