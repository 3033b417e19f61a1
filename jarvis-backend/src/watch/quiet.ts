import { isSilent, type StoredAlert } from './alert.ts'
import { type Surroundings, windowOf } from './shown.ts'

/** The reason why no message about an alert is sent now; undefined if there is none. @param cause the alert that explains it */
export function whyQuiet(
  alert: StoredAlert,
  { now, windows }: Pick<Surroundings, 'now' | 'windows'>,
  cause: StoredAlert | undefined,
): string | undefined {
  const { due, silence, acknowledged, flapping, explainedBy } = alert
  const window = windowOf(alert, windows, now)
  if (window !== undefined) return `nobody: held in the window “${window.name}”`
  if (silence !== undefined && isSilent(alert, now)) return `nobody: silenced by ${silence.by}`
  if (due?.what === 'resolved') return undefined
  if (acknowledged !== undefined) return `nobody: acknowledged by ${acknowledged.by}`
  if (cause !== undefined) return `nobody: ${cause.sentence} explains it`.replace('. explains', ' explains')
  // A single message says that the alert flaps. No other is sent until the alert is quiet.
  const isFlapTold = alert.told.some(({ at }) => at >= (flapping?.since ?? 0))
  if (flapping !== undefined && flapping.until > now && isFlapTold)
    return `nobody: it flaps, ${flapping.changes} changes`
  if (explainedBy !== undefined) return `nobody: ${explainedBy}`
  return undefined
}
