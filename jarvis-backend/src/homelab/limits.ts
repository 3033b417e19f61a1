import { Limits, usualLimits } from 'protocol'

const key = 'limits'

/** The operator's limits: from which values on something counts as hot, full, busy or old. Invalid stored limits are replaced by the defaults. */
export function createLimits(parts: {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  /** Writes the change to the journal, in the same transaction as the setting. */
  record(change: { from: Limits; to: Limits; by: string }): void
  durably(work: () => void): void
  changed(): void
}) {
  let current = usualLimits
  try {
    current = Limits.parse(JSON.parse(parts.settings.get(key) ?? 'null'))
  } catch {
    // The stored limits are invalid, so the defaults stay.
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
