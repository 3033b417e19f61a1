const units: Record<string, number> = { s: 1, sec: 1, min: 60, h: 3_600, d: 86_400 }

/** Parses `30 s`, `10 min`, `2 h` or `1 d` to ms; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,5})\s*(s|sec|min|h|d)$/.exec(text.trim()) ?? []
  const seconds = units[unit]
  return seconds === undefined ? undefined : Number(amount) * seconds * 1000
}
