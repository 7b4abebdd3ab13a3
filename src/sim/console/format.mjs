// Amounts as decimal texts, exactly, and how the page writes them. A decimal is a text such as "-0.0125"; arithmetic
// is done on BigInt, so no amount ever becomes a float. Only coordinates on the screen are numbers (`coordinate`).

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

// The most digits behind the point that a decimal may have; more is not an amount of this exchange.
const MAX_PLACES = 40;

// {units, places}: the value is units / 10^places. Throws for anything that is not a decimal.
function parse(text) {
  const match = DECIMAL.exec(text);
  if (!match) throw new RangeError(`'${text}' is not a decimal number`);
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  let units = BigInt(whole + fraction);
  let places = fraction.length - Number(exponent);
  if (places < 0) {
    units *= 10n ** BigInt(-places);
    places = 0;
  }
  if (places > MAX_PLACES) throw new RangeError(`'${text}' has more than ${MAX_PLACES} decimal places`);
  return { units: sign ? -units : units, places };
}

function print(units, places) {
  const negative = units < 0n;
  const digits = String(negative ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places);
  return `${negative ? '-' : ''}${whole}${places > 0 ? `.${fraction}` : ''}`;
}

// Both on the finer of the two scales.
function aligned(a, b) {
  const x = parse(a);
  const y = parse(b);
  const places = Math.max(x.places, y.places);
  return {
    x: x.units * 10n ** BigInt(places - x.places),
    y: y.units * 10n ** BigInt(places - y.places),
    places,
  };
}

// Rounds half away from zero, as amounts are usually shown.
function quotient(numerator, denominator) {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const rounded = (2n * n + d) / (2n * d);
  return negative ? -rounded : rounded;
}

// Without zeros at the end: "1.500" is "1.5".
export function trimmed(text) {
  const { units, places } = parse(text);
  const plain = print(units, places);
  return places > 0 ? plain.replace(/\.?0+$/, '') : plain;
}

// As somebody types it: without an exponent, which the exchange refuses.
export function isDecimal(text) {
  return typeof text === 'string' && DECIMAL.test(text) && !/e/i.test(text) && text.length <= MAX_PLACES;
}

export function add(a, b) {
  const { x, y, places } = aligned(a, b);
  return trimmed(print(x + y, places));
}

export function subtract(a, b) {
  const { x, y, places } = aligned(a, b);
  return trimmed(print(x - y, places));
}

export function multiply(a, b) {
  const x = parse(a);
  const y = parse(b);
  return trimmed(print(x.units * y.units, x.places + y.places));
}

// a / b to so many places, rounded half away from zero.
export function divide(a, b, places) {
  const { x, y } = aligned(a, b);
  if (y === 0n) throw new RangeError('division by zero');
  return print(quotient(x * 10n ** BigInt(places), y), places);
}

// -1, 0 or 1
export function compare(a, b) {
  const { x, y } = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

export function sign(text) {
  const { units } = parse(text);
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}

export function negate(text) {
  const { units, places } = parse(text);
  return print(-units, places);
}

export function magnitude(text) {
  return text.startsWith('-') ? text.slice(1) : text;
}

// Exactly so many places, rounded half away from zero.
export function fixed(text, places) {
  const value = parse(text);
  if (value.places <= places) return print(value.units * 10n ** BigInt(places - value.places), places);
  return print(quotient(value.units, 10n ** BigInt(value.places - places)), places);
}

// How many places a step such as a tick has: "0.5" has 1.
export function placesOf(step) {
  const text = trimmed(step);
  return text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
}

export function isMultiple(text, step) {
  const { x, y } = aligned(text, step);
  return x % y === 0n;
}

// The multiple of the step that is nearest to the text; on `side` 'down' or 'up' the nearest on that side.
export function onStep(text, step, side = 'near') {
  const { x, y, places } = aligned(text, step);
  const rest = ((x % y) + y) % y;
  const down = x - rest;
  const up = side === 'up' ? rest > 0n : side === 'near' && 2n * rest >= y;
  return fixed(print(up ? down + y : down, places), placesOf(step));
}

// How many whole steps fit, rounded down or up. A place in a list, not an amount.
export function stepCount(text, step, side = 'down') {
  const { x, y } = aligned(text, step);
  const rest = ((x % y) + y) % y;
  return Number((x - rest) / y) + (side === 'up' && rest > 0n ? 1 : 0);
}

// So many steps further; `count` is a whole number and may be negative.
export function steps(text, step, count) {
  return fixed(add(text, multiply(step, String(count))), placesOf(step));
}

// For pixels and charts only: never an amount again.
export function coordinate(text) {
  return Number(text);
}

// 60132.50 -> 60,132.50
export function grouped(text, places = null) {
  const plain = places === null ? text : fixed(text, places);
  const [whole, fraction] = plain.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? separated : `${separated}.${fraction}`;
}

// USDX, two places; what is not zero is never shown as zero.
export function money(text) {
  const shown = grouped(text, 2);
  if (sign(text) !== 0 && /^-?0\.00$/.test(shown)) return grouped(trimmed(text));
  return /^-0\.00$/.test(shown) ? '0.00' : shown;
}

// As money(), and rounded down: never more than there is.
export function moneyAtMost(text) {
  return compare(magnitude(text), '0.01') < 0 ? money(text) : money(onStep(text, '0.01', 'down'));
}

// A shown amount with its sign, also when positive: +0.17, +0.17 %. The minus is a true one, as wide as the plus.
export function signed(text) {
  if (text.startsWith('-')) return `−${text.slice(1)}`;
  return /[1-9]/.test(text) ? `+${text}` : text;
}

// 0.000125 -> 0.0125 %
export function percent(fraction, places = 2) {
  return `${fixed(multiply(fraction, '100'), places)} %`;
}

// A funding rate, with all its digits: 0.0000125 -> 0.00125 %
export function ratePercent(fraction) {
  return percent(fraction, Math.max(4, placesOf(multiply(fraction, '100'))));
}

// 393574.593 -> 393.6k
export function short(text) {
  const size = magnitude(text);
  for (const [unit, letter] of [
    ['1000000000', 'b'],
    ['1000000', 'm'],
    ['1000', 'k'],
  ]) {
    if (compare(size, unit) >= 0) return `${divide(text, unit, 1)}${letter}`;
  }
  return fixed(text, 1);
}

export function shortAddress(address) {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

// The instant on the sandbox's clock, UTC: 19:48:57
export function time(ms) {
  return new Date(Number(ms)).toISOString().slice(11, 19);
}

// 2026-11-23 19:48:57
export function dateTime(ms) {
  return new Date(Number(ms)).toISOString().slice(0, 19).replace('T', ' ');
}

// Of the reader's own watch, for what happens to the page and not in the sandbox.
export function watchTime(ms) {
  return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}
