// Reproducible chance: splitmix64. The same seed gives the same inputs on every machine.
const mask = (1n << 64n) - 1n;

export class Random {
  #state;

  constructor(seed) {
    this.#state = BigInt(seed) & mask;
  }

  next() {
    this.#state = (this.#state + 0x9e3779b97f4a7c15n) & mask;
    let z = this.#state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  }

  below(bound) {
    return Number(this.next() % BigInt(bound));
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(oneIn) {
    return this.below(oneIn) === 0;
  }

  bytes(size) {
    return Buffer.from(Array.from({ length: size }, () => this.below(256)));
  }

  hex(size) {
    return '0x' + this.bytes(size).toString('hex');
  }

  address() {
    return this.pick([this.hex(20), this.hex(20), this.hex(20), '0x' + '00'.repeat(20), '0x' + 'ff'.repeat(20)]);
  }

  // Edges as often as anything else.
  uint(bits) {
    const max = (1n << BigInt(bits)) - 1n;
    return this.pick([0n, 1n, max, max - 1n, max >> 1n, BigInt(this.hex(32)) & max, BigInt(this.hex(32)) & max, BigInt(this.hex(4)) & max]);
  }

  int(bits) {
    const min = -(1n << BigInt(bits - 1));
    return this.pick([min, -min - 1n, -1n, 0n, this.uint(bits - 1), -this.uint(bits - 1)]);
  }

  // Any text but the empty one: plain, escaped, accented, of other scripts, beyond the BMP.
  text() {
    const pieces = ['a', 'Z', '0', ' ', '"', '\\', '\n', '\u0000', '\u007f', 'é', 'e\u0301', 'ß', '✓', '漢字', 'עברית', '😀', '👩‍👩‍👧', '\ud7ff', '\ufffd', '/', '%'];
    return Array.from({ length: 1 + this.below(this.pick([3, 12, 60])) }, () => this.pick(pieces)).join('');
  }

  textOrNone() {
    return this.chance(4) ? '' : this.text();
  }

  decimal() {
    return this.pick(['0', '0.1', '50000', '50000.00', '0.000001', '999999999999.999999', `${this.below(100000)}.${this.below(1000)}`]);
  }
}
