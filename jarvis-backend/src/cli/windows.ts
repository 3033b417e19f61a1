import { JarvisError, type MaintenanceWindow, readAs, WindowBody } from 'protocol'
import type { Config } from '../config/config.ts'
import { newId } from '../lib/ids.ts'
import { SqliteWindowStore } from '../store/sqlite/alerts.ts'
import { withData } from './data.ts'
import { durationMs, type Input } from './options.ts'

const usage = 'Use windows, windows add NAME --objects node/pve,vm/101 --for 2h, or windows remove ID.'

/** `jarvis windows`: lists, adds and removes maintenance windows. A running server applies them from its next look. */
export async function windows(
  config: Config,
  { values, positionals }: Input<{ objects?: string; for?: string }>,
): Promise<void> {
  const [action = 'list', about = ''] = positionals
  await withData(config, (journal, database) => {
    const store = new SqliteWindowStore(database)
    const now = Date.now()
    const record = (body: Record<string, unknown>, work: () => void) =>
      database.durably(() => {
        work()
        journal.append('alert', { ...body, by: 'cli' })
      })
    if (action === 'list') {
      const found = store.list(now)
      console.log(found.length === 0 ? 'There is no maintenance window.' : found.map(line).join('\n'))
    } else if (action === 'add' && values.objects !== undefined && values.for !== undefined) {
      const until = now + durationMs('--for', values.for)
      const body = readAs(WindowBody, { name: about, objects: values.objects.split(','), from: now, until })
      if (!body.ok) throw new JarvisError('invalid_request', body.problem)
      const window = { id: newId('win'), ...body.value, by: 'cli' }
      record({ change: 'window_added', window: window.id, ...body.value }, () => store.add(window))
      console.log(line(window))
    } else if (action === 'remove' && about !== '') {
      record({ change: 'window_removed', window: about }, () => {
        if (!store.remove(about)) throw new JarvisError('not_found', 'There is no such window.')
      })
      console.log('Removed.')
    } else throw new JarvisError('invalid_request', usage)
  })
}

const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
const line = ({ id, name, objects, from, until, by }: MaintenanceWindow) =>
  `${time(from)} to ${time(until)}  ${name}: ${objects.join(', ')}, by ${by}\n  ${id}`
