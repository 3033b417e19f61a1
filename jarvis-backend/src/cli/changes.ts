import { utimesSync } from 'node:fs'
import { type Change, JarvisError } from 'protocol'
import { isFinal } from 'protocol/facts'
import { shownChange } from '../calls/changes/change.ts'
import { keepChange } from '../calls/changes/keep.ts'
import type { Config } from '../config/config.ts'
import { SqliteChangeStore } from '../store/sqlite/calls/changes.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'

/** `jarvis changes`: lists the changes that JARVIS made, or keeps a change that would go back by itself. Works with or without a running server. */
export async function changes(config: Config, { values, positionals }: Input<{ target?: string }>): Promise<void> {
  const [action = 'list', id = ''] = positionals
  if (action !== 'list' && action !== 'keep')
    throw new JarvisError('invalid_request', 'Use changes [--target vm/101], or changes keep ID.')
  await withData(config, (journal, database) => {
    const store = new SqliteChangeStore(database)
    if (action === 'keep') {
      mustKeepHere(store.get(id), id)
      keepChange({ store, journal, transactions: database }, id, { by: 'cli', at: Date.now() })
      // A running server watches the data dir, so touching the folder makes it update its screens at once.
      const now = new Date()
      utimesSync(config.dataDir, now, now)
      console.log('Kept.')
      return
    }
    const { target } = values
    const found = store.list({ limit: 50, target }).map(shownChange)
    console.log(found.length === 0 ? 'JARVIS has changed nothing.' : found.map(line).join('\n'))
  })
}

/** @throws JarvisError `conflict` for a change that its node takes back by a timer, because only the server can ask nodes */
function mustKeepHere(change: Pick<Change, 'state' | 'timerOn'> | undefined, id: string) {
  if (change?.state !== 'armed' || change.timerOn === undefined) return
  const unit = `jarvis-undo-${id}`
  throw new JarvisError(
    'conflict',
    `${change.timerOn} takes it back by a timer of its own. Press Keep in the dashboard; or, where JARVIS is down, run on ${change.timerOn}: mv -T /run/${unit} /run/${unit}.kept`,
  )
}

const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const line = ({ id, at, sentence, state, undo, goesBackAt, problem }: Change): string =>
  [
    `${time(at)}  ${id}  ${state}${state === 'armed' && goesBackAt !== undefined ? ` (goes back at ${time(goesBackAt)})` : ''}  ${sentence}`,
    `  ${isFinal(undo) ? 'Cannot be undone' : 'Undo'}: ${undo.sentence}`,
    ...(problem === undefined ? [] : [`  ${problem}`]),
  ].join('\n')
