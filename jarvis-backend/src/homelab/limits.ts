import { Limits, usualLimits } from 'protocol'

const key = 'limits'

/** The operator's limits for hot, full, busy and old. Invalid stored limits are replaced by the defaults. */
export function createLimits(parts: {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  /** Journals the change in its transaction. */
  record(change: { from: Limits; to: Limits; by: string }): void
  durably(work: () => void): void
  changed(): void
}) {
  let current = usualLimits
  try {
    current = Limits.parse(JSON.parse(parts.settings.get(key) ?? 'null'))
  } catch {
    // The defaults stay.
  }
  return {
    current: () => current,
    set(limits: Limits, by: string) {
      parts.durably(() => {
        parts.settings.set(key, JSON.stringify(limits))
        parts.record({ from: current, to: limits, by })
      })
      current = limits
      parts.changed()
    },
  }
}
