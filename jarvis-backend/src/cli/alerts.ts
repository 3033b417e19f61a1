import { spanOf } from 'node-kit/words'
import type { Alert, AlertsReply } from 'protocol'
import type { Config } from '../config/config.ts'
import { SqliteAlertStore } from '../store/sqlite/alerts.ts'
import { fingerprintOf, isSilent, type StoredAlert } from '../watch/alert.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import { visibleLines } from './terminal/visible.ts'

/**
 * `jarvis alerts`: lists the present alerts, or with `--ended` the ended ones. Works with or without a running server, but only a server runs the
 * checks.
 */
export async function alerts(
  config: Config,
  { values }: Input<{ url?: string; json?: boolean; ended?: boolean; silenced?: boolean }>,
): Promise<void> {
  if (values.url !== undefined || values.json === true) {
    const remote = await reach(config, values.url)
    if (values.silenced === true)
      return tellSilences((await remote.call('GET /api/alerts')).silences, values.json === true)
    const { items } = await remote.call(values.ended === true ? 'GET /api/alerts/history' : 'GET /api/alerts')
    if (values.json === true) console.log(JSON.stringify(items, null, 2))
    else
      console.log(
        items.length === 0 ? 'No alert.' : items.map((alert) => visibleLines(line(alert, Date.now()))).join('\n'),
      )
    return
  }
  await withData(config, (_journal, database) => {
    const store = new SqliteAlertStore(database)
    if (values.silenced === true) {
      // Keep one alert for each fingerprint: an alert that has not ended, otherwise the one that ended last.
      const newest = store.current(Date.now()).sort((a, b) => endOf(a) - endOf(b))
      const known = [...new Map(newest.map((alert) => [fingerprintOf(alert), alert])).values()]
      return tellSilences(known.filter((alert) => isSilent(alert, Date.now())).flatMap(silenceOf), false)
    }
    const found =
      values.ended === true
        ? store.ended({ limit: 50 })
        : store.current(Number.MAX_SAFE_INTEGER).filter(({ state }) => state !== 'resolved')
    if (found.length === 0) {
      console.log(values.ended === true ? 'No alert has ended.' : 'No alert is kept. Only a running server looks.')
      return
    }
    const now = Date.now()
    for (const alert of found) console.log(line(alert, now))
  })
}

function line(alert: StoredAlert | Alert, now: number): string {
  const { id, severity, state, since, sentence, ending, acknowledged } = alert
  const silenced = 'silence' in alert ? alert.silence : 'silenced' in alert ? alert.silenced : undefined
  const ago = (from: number) => spanOf((now - from) / 1_000)
  const marks = [
    ...(acknowledged === undefined ? [] : [`acknowledged by ${acknowledged.by}`]),
    ...(silenced === undefined ? [] : silenceWords(silenced, now)),
    ...(ending === undefined ? [] : [ending]),
  ]
  return `${severity.padEnd(6)} ${state.padEnd(8)} for ${ago(since)}${seen(alert, ago)}  ${sentence}${marks.length === 0 ? '' : `  (${marks.join('; ')})`}\n  ${id}`
}

/** Tells when the alert was last seen. The server tells that only of an alert that it no longer sees. */
function seen(alert: StoredAlert | Alert, ago: (from: number) => string): string {
  if ('seenAt' in alert) return `, seen ${ago(alert.seenAt)} ago`
  return alert.notSeenSince === undefined ? '' : `, not seen for ${ago(alert.notSeenSince)}`
}

type Silences = AlertsReply['silences']
const endOf = ({ resolvedAt = Number.POSITIVE_INFINITY }: StoredAlert) => resolvedAt
const silenceOf = ({ id, check, object, sentence, state, silence }: StoredAlert): Silences =>
  silence === undefined
    ? []
    : [{ alert: id, check, object: object.id, sentence, hasEnded: state === 'resolved', ...silence }]

function tellSilences(silences: Silences, isJson: boolean): void {
  const lines = silences.map(({ alert, sentence, hasEnded, ...silence }) => {
    const marks = [...silenceWords(silence, Date.now()), ...(hasEnded ? ['ended'] : [])].join('; ')
    return visibleLines(`${sentence}  (${marks})\n  ${alert}`)
  })
  const text = lines.length === 0 ? 'Nothing is silenced.' : lines.join('\n')
  console.log(isJson ? JSON.stringify(silences, null, 2) : text)
}

function silenceWords({ by, until, note }: NonNullable<Alert['silenced']>, now: number): string[] {
  const why = note === undefined ? '' : `: ${note}`
  if (until === undefined) return [`silenced by ${by} without an end${why}`]
  return until > now ? [`silenced by ${by} until ${new Date(until).toISOString()}${why}`] : []
}
