import type { StoredAlert } from './alert.ts'

const mostSentences = 6
/** The outcome of a message that was being sent when the process ended. */
export const lost = 'unknown whether it was told: JARVIS ended meanwhile'

/** One message about alerts. `hidden`: the body without names. */
export type AlertMessage = {
  title: string
  body: string
  hidden: string
  tag: string
  path: string
  /** The level of the worst firing alert; `info` if all alerts have ended. */
  level: 'failed' | 'warning' | 'info'
}

const levels = { failed: 'failed', look: 'warning', info: 'info' } as const
const gravity = { failed: 0, look: 1, info: 2 } as const

/** One message for all alerts that are reported together. @param hides the number of alerts that an alert hides */
export function messageOf(alerts: readonly StoredAlert[], hides: (alert: StoredAlert) => number): AlertMessage {
  const worst = [...alerts].sort((a, b) => gravity[a.severity] - gravity[b.severity])
  const fired = worst.filter(({ due }) => due?.what === 'fired')
  const resolved = worst.filter(({ due }) => due?.what === 'resolved')
  const [first] = [...fired, ...resolved]
  const counted = [
    ...(fired.length === 0 ? [] : [`${fired.length} ${fired.length === 1 ? 'alert' : 'alerts'}`]),
    ...(resolved.length === 0 ? [] : [`${resolved.length} resolved`]),
  ].join(', ')
  const lines = [
    ...fired.map((alert) => `${alert.sentence}${flapWords(alert)}${hiddenWords(hides(alert))}`),
    ...resolved.map(({ sentence, ending }) => `Resolved: ${sentence}${ending === undefined ? '' : ` ${ending}`}`),
  ]
  const more = lines.length > mostSentences ? ` And ${lines.length - mostSentences} more.` : ''
  return {
    title: fired.length === 0 ? 'Resolved' : alerts.length === 1 ? 'Alert' : counted,
    body: `${lines.slice(0, mostSentences).join(' ')}${more}`,
    hidden: `${counted}.`,
    level: levels[fired[0]?.severity ?? 'info'],
    // The message about an alert's end replaces the message about its beginning.
    tag: `alert-${first?.id ?? ''}`,
    path: alerts.length === 1 && first !== undefined ? `/alerts?alert=${encodeURIComponent(first.id)}` : '/alerts',
  }
}

const flapWords = ({ flapping }: StoredAlert) =>
  flapping === undefined
    ? ''
    : ` It comes and goes: ${flapping.changes} changes lately. You are not told again until it has been steady for an hour.`

const hiddenWords = (count: number) =>
  count === 0 ? '' : ` It explains ${count} other ${count === 1 ? 'alert' : 'alerts'}.`
