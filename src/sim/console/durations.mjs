// Lengths of time as `svc` takes them: 250ms, 30s, 5m, 1h, 2d.

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// Milliseconds, or null for anything that is not a length of time. A bare number is milliseconds.
export function parseDuration(text) {
  const match = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text.trim());
  return match ? Number(match[1]) * UNITS[match[2] ?? 'ms'] : null;
}

// 1h 5m, 42s: two units at most.
export function durationText(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  let seconds = Math.floor(ms / 1000);
  const parts = [];
  for (const [unit, size] of [['d', 86400], ['h', 3600], ['m', 60], ['s', 1]]) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}
