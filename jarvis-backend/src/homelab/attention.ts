import { firstOf } from 'node-kit/words'
import type { Alert } from 'protocol'
import { ageOf, plainName } from './format.ts'

const mostIds = 20
/** The largest number of alerts of one check that get a line each; more are combined in one line. */
const mostAlike = 3

/**
 * Returns the problems that a person should know first, one plain line each, the gravest first: alerts that nobody has acknowledged or silenced and
 * that no other alert explains. An empty list does not mean that all is well: unknown parts are in the state's `missing`.
 * @param alerts the alerts that have not ended, gravest first
 */
export function attention(alerts: readonly Alert[], now: number): string[] {
  // The check backup-old names the guests without a fresh backup, so it is shown even if another alert explains it.
  const shown = alerts.filter(({ hiddenBy, check }) => hiddenBy === undefined || check === 'backup-old')
  const news = shown.filter(({ acknowledged, silenced }) => acknowledged === undefined && silenced === undefined)
  const byCheck = new Map<string, Alert[]>()
  for (const alert of news) {
    const others = byCheck.get(alert.check)
    if (others === undefined) byCheck.set(alert.check, [alert])
    else others.push(alert)
  }
  const lines = [...byCheck.values()].flatMap((alike) => linesOf(alike, now))
  const muted = shown.length - news.length
  return muted === 0 ? lines : [...lines, `${muted} more ${muted === 1 ? 'is' : 'are'} acknowledged or silenced.`]
}

function linesOf(alerts: readonly Alert[], now: number): string[] {
  const [first] = alerts
  if (first?.check === 'guest-cpu') return [`At the limit of their CPU: ${namesOf(alerts)}.`]
  if (first?.check === 'backup-old') return [`Without a fresh backup (${newestOf(alerts)}): ${namesOf(alerts)}.`]
  const lines = alerts.slice(0, mostAlike).map(({ sentence, notSeenSince }) => {
    const held = notSeenSince === undefined ? '' : ` It was last seen so ${ageOf(notSeenSince, now)}.`
    return `${sentence}${held}`
  })
  const rest = alerts.slice(mostAlike)
  return rest.length === 0 ? lines : [...lines, `The same (${first?.check}): ${namesOf(rest)}.`]
}

/** The names of the alerts' objects: guests by vmid, other objects by name. */
const namesOf = (alerts: readonly Alert[]): string =>
  firstOf(
    alerts
      .map(({ object }) => object.vmid ?? plainName(object.name ?? object.id))
      .sort((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : 0)),
    mostIds,
  )

const newestOf = (alerts: readonly Alert[]): string => {
  const values = new Set(alerts.map(({ value }) => value ?? 'unknown'))
  return values.size === 1 ? `newest ${[...values][0]} ago` : `${[...values].slice(0, 3).join(', ')} old`
}

/** Joins ids: `100, 103 and 7 more`. */
export const idList = (guests: readonly { vmid: number }[]): string =>
  firstOf(
    guests.map(({ vmid }) => vmid).sort((a, b) => a - b),
    mostIds,
  )
