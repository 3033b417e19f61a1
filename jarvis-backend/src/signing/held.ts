/** How long a browser has for one answer, ms. */
export const heldForMs = 5 * 60_000
const mostHeld = 2_000

/** Values in memory that are taken once, within five minutes, by a key that cannot be guessed. A flood drops the oldest. */
export function createHeld<T>(now: () => number) {
  const held = new Map<string, { value: T; until: number }>()
  return {
    hold(key: string, value: T) {
      held.set(key, { value, until: now() + heldForMs })
      for (const oldest of held.keys()) {
        if (held.size <= mostHeld) break
        held.delete(oldest)
      }
    },
    /** @returns undefined where it was taken before, or its time is over */
    take(key: string): T | undefined {
      const found = held.get(key)
      held.delete(key)
      return found !== undefined && found.until > now() ? found.value : undefined
    },
  }
}
