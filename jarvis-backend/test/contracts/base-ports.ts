import { expect, test } from 'vitest'
import type { Settings } from '../../src/auth/password.ts'
import type { Journal, Transactions } from '../../src/calls/ports.ts'
import type { ApplyJournal } from '../../src/workbench/files/applier.ts'

/** The contract of every store of settings. */
export function settingsContract(open: () => Settings) {
  test('a setting that was never set is absent, the newest value counts, and an empty one is a value', () => {
    const settings = open()
    expect(settings.get('a')).toBeUndefined()
    settings.set('a', '1')
    settings.set('a', '2')
    settings.set('b', '')
    expect([settings.get('a'), settings.get('b'), settings.get('constructor')]).toEqual(['2', '', undefined])
  })
}

/** @param open a journal, and what sets its time, Unix ms */
export function applyJournalContract(open: () => { journal: ApplyJournal; setTime(at: number): void }) {
  const changes = [
    { root: 'compose', path: 'a.yml', old: { kind: 'none' }, new: { kind: 'file', hash: 'h1', mode: 0o644 } },
  ] satisfies Parameters<ApplyJournal['begin']>[1]

  test('lists that were begun and have not ended are open, oldest first', () => {
    const { journal, setTime } = open()
    for (const [at, id] of ['second', 'first'].entries()) {
      setTime(10 - at)
      journal.begin(id, changes)
    }
    expect(journal.open()).toEqual([
      { callId: 'first', changes },
      { callId: 'second', changes },
    ])
    expect(journal.get('first')).toEqual({ state: 'begun', text: '' })
    journal.end('first', 'mixed', 'One of two.')
    expect(journal.open().map(({ callId }) => callId)).toEqual(['second'])
    expect([journal.get('first'), journal.get('third')]).toEqual([{ state: 'mixed', text: 'One of two.' }, undefined])
  })

  test('only lists that have ended are forgotten with time', () => {
    const { journal, setTime } = open()
    setTime(10)
    for (const id of ['open', 'ended', 'later']) journal.begin(id, changes)
    journal.end('ended', 'done', 'All.')
    setTime(20)
    journal.end('later', 'failed', 'None.')
    journal.prune(20)
    expect(['open', 'ended', 'later'].map((id) => journal.get(id)?.state)).toEqual(['begun', undefined, 'failed'])
  })
}

/** @param open a journal, its transactions, and what it holds, oldest first */
export function journalContract(
  open: () => { journal: Journal; transactions: Transactions; held(): { kind: string; body: unknown }[] },
) {
  test('entries stand in the order in which they were appended, with their bodies', () => {
    const { journal, held } = open()
    journal.append('call', { toolUseId: 'tu_1', nested: { text: 'ä' } })
    journal.append('decision', { toolUseId: 'tu_1' })
    expect(held()).toEqual([
      { kind: 'call', body: { toolUseId: 'tu_1', nested: { text: 'ä' } } },
      { kind: 'decision', body: { toolUseId: 'tu_1' } },
    ])
  })

  test('an entry of a transaction that fails was never written, and the next one follows the last that was', () => {
    const { journal, transactions, held } = open()
    journal.append('call', { at: 1 })
    const fail = () =>
      transactions.durably(() => {
        journal.append('decision', { at: 2 })
        throw new Error('the disk is full')
      })
    expect(fail).toThrow('the disk is full')
    journal.append('result', { at: 3 })
    expect(held().map(({ kind }) => kind)).toEqual(['call', 'result'])
  })
}

/** @param open transactions, and settings that they cover */
export function transactionsContract(open: () => { transactions: Transactions; settings: Settings }) {
  test.each(['atomically', 'durably'] as const)('%s: all of it or nothing, and its result comes back', (how) => {
    const { transactions, settings } = open()
    const done = transactions[how](() => {
      settings.set('a', '1')
      return 'done'
    })
    expect(done).toBe('done')
    const fail = () =>
      transactions[how](() => {
        settings.set('a', '2')
        settings.set('b', '2')
        throw new Error('no')
      })
    expect(fail).toThrow('no')
    expect([settings.get('a'), settings.get('b')]).toEqual(['1', undefined])
  })

  test('afterCommit runs once the outermost transaction is committed, in order, and never for one that fails', () => {
    const { transactions, settings } = open()
    const told: string[] = []
    const tell = (what: string) => transactions.afterCommit(() => told.push(`${what} ${settings.get('a')}`))
    tell('at once')
    transactions.durably(() => {
      transactions.atomically(() => {
        settings.set('a', '1')
        tell('inner')
      })
      tell('outer')
      expect(told).toEqual(['at once undefined'])
    })
    const fail = () =>
      transactions.atomically(() => {
        tell('never')
        throw new Error('no')
      })
    expect(fail).toThrow('no')
    expect(told).toEqual(['at once undefined', 'inner 1', 'outer 1'])
  })

  test('together: each gets its own result, after it is committed', async () => {
    const { transactions, settings } = open()
    const told: string[] = []
    const one = transactions.together(() => {
      settings.set('a', '1')
      transactions.afterCommit(() => told.push('one'))
      return 1
    })
    const two = transactions.together(() => settings.get('a'))
    expect(await Promise.all([one, two])).toEqual([1, '1'])
    expect(told).toEqual(['one'])
  })

  test('together: work that fails rejects alone', async () => {
    const { transactions, settings } = open()
    const good = transactions.together(() => settings.set('a', '1'))
    const bad = transactions.together(() => {
      settings.set('b', '1')
      throw new Error('no')
    })
    await expect(bad).rejects.toThrow('no')
    await good
    expect([settings.get('a'), settings.get('b')]).toEqual(['1', undefined])
  })
}
