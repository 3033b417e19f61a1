import { type Change, JarvisError } from 'protocol'
import type { Journal, Transactions } from '../ports.ts'
import type { ChangeStore } from './change.ts'

/**
 * Keeps a change that would otherwise go back by itself. If keeping and going back happen at the same time, the first wins.
 * @param decision `at`: Unix ms
 * @throws JarvisError `not_found`; `conflict` if the change no longer goes back by itself
 */
export function keepChange(
  {
    store,
    journal,
    transactions,
  }: { store: ChangeStore; journal: Journal; transactions: Pick<Transactions, 'durably'> },
  id: string,
  { by, at }: { by: string; at: number },
) {
  transactions.durably(() => {
    const change = store.get(id)
    if (change === undefined) throw new JarvisError('not_found', 'There is no such change.')
    if (
      !store.move(id, ['armed'], {
        state: 'made',
        decidedBy: by,
        decidedAt: at,
        goesBackAt: undefined,
        timerOn: undefined,
      })
    )
      throw new JarvisError('conflict', why[change.state] ?? 'This change does not go back by itself.')
    journal.append('change', { change: 'kept', toolUseId: id, target: change.target, by })
  })
}

const why: Partial<Record<Change['state'], string>> = {
  running: 'It is still being made.',
  undoing: 'It is being taken back.',
  undone: 'It was taken back before.',
}
