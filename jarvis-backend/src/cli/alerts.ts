import type { Config } from '../config/config.ts'
import { spanOf } from '../lib/words.ts'
import { createAlertStore } from '../store/sqlite/alerts.ts'
import type { StoredAlert } from '../watch/alert.ts'
import { withData } from './data.ts'
import { readOptions } from './options.ts'
import { reach } from './remote/reach.ts'
import { table } from './table.ts'
import { visibleLines } from './terminal/visible.ts'

/** `jarvis alerts`: what the checks found wrong, or with `--ended` what ended. A server may run, and only a server looks. */
export async function alerts(config: Config, args: string[]): Promise<void> {
  const { values } = readOptions(args, table.alerts.options)
  if (values.url !== undefined || values.json === true) {
    const remote = await reach(config, values.url)
    const { items } = await remote.get<{ items: StoredAlert[] }>(values.ended === true ? 'alerts/history' : 'alerts')
    if (values.json === true) console.log(JSON.stringify(items, null, 2))
    else
      console.log(
        items.length === 0 ? 'No alert.' : items.map((alert) => visibleLines(line(alert, Date.now()))).join('\n'),
      )
    return
  }
  await withData(config, (_journal, database) => {
    const store = createAlertStore(database)
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

function line(
  { id, severity, state, since, seenAt, sentence, ending, acknowledged }: StoredAlert,
  now: number,
): string {
  const marks = [
    ...(acknowledged === undefined ? [] : [`acknowledged by ${acknowledged.by}`]),
    ...(ending === undefined ? [] : [ending]),
  ]
  const about = `${severity.padEnd(6)} ${state.padEnd(8)} for ${spanOf((now - since) / 1_000)}, seen ${spanOf((now - seenAt) / 1_000)} ago`
  return `${about}  ${sentence}${marks.length === 0 ? '' : `  (${marks.join('; ')})`}\n  ${id}`
}
