import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import type { StoredEntry, TranscriptStore } from '../../src/agent/sessions/transcript-store.ts'

const run = (id: string, at = 20) => ({
  id,
  sessionId: 'ses_1',
  status: 'queued' as const,
  at,
  origin: { kind: 'chat' as const, messageId: `msg_${id}`, text: 'How is pve?', by: 'operator' },
})
const user = (seq: number, runId: string): StoredEntry => ({
  type: 'user',
  seq,
  runId,
  at: 20,
  messageId: `msg_${runId}`,
  text: 'How is pve?',
  by: 'operator',
  context: '4 nodes',
})
const done = (seq: number, runId: string): StoredEntry => ({
  type: 'done',
  seq,
  runId,
  at: 21,
  usage: noUsage,
  stopReason: 'end_turn',
})
const seqs = (entries: readonly StoredEntry[]) => entries.map(({ seq }) => seq)

/** @param open knows the sessions `ses_1` and `ses_2`, made at 10, and nothing else. */
export function transcriptStoreContract(open: () => TranscriptStore) {
  /** Three runs of two entries each: 0 and 1, 2 and 3, 4 and 5. The second of each ends its run. */
  const filled = () => {
    const store = open()
    for (const [index, id] of ['run_1', 'run_2', 'run_3'].entries()) {
      store.addRun(run(id))
      store.append('ses_1', user(2 * index, id))
      store.append('ses_1', done(2 * index + 1, id))
    }
    store.reserveSeq('ses_1', 6, 30)
    return store
  }

  test('settings of a session are read back, and are deleted with it', () => {
    const store = filled()
    store.renameSession('ses_1', 'Heat')
    store.setModel('ses_1', 'a/b')
    store.setRehearsal('ses_1', true)
    store.archiveSession('ses_1', 40)
    expect(store.session('ses_1')).toMatchObject({ title: 'Heat', model: 'a/b', nextSeq: 6, updatedAt: 30 })
    store.setModel('ses_1', undefined)
    expect(store.session('ses_1')?.model).toBeUndefined()
    expect(store.session('ses_2')).toMatchObject({ nextSeq: 0 })
    store.deleteSession('ses_1')
    expect([store.session('ses_1'), store.entriesOfRun('run_1'), store.unfinishedRuns()]).toEqual([undefined, [], []])
  })

  test('runs keep their order and their text until they end', () => {
    const store = open()
    expect([store.addRun(run('run_1')), store.addRun(run('run_2'))]).toEqual([0, 1])
    store.setRunStatus('run_1', 'running')
    store.savePartial('run_1', 'It is')
    expect(store.unfinishedRuns('ses_1')).toEqual([
      { ...run('run_1'), status: 'running', position: 0, partial: 'It is' },
      { ...run('run_2'), position: 1, partial: '' },
    ])
    expect([store.removeQueued('run_1'), store.removeQueued('run_2'), store.removeQueued('run_2')]).toEqual([
      false,
      true,
      false,
    ])
    store.setRunStatus('run_1', 'ended')
    expect(store.unfinishedRuns()).toEqual([])
  })

  test('entries come back as they were appended, each place once', () => {
    const store = filled()
    expect(store.entry('ses_1', 0)).toEqual(user(0, 'run_1'))
    expect([store.entry('ses_1', 6), store.entry('ses_2', 0)]).toEqual([undefined, undefined])
    expect(() => store.append('ses_1', user(0, 'run_1'))).toThrow()
    expect(seqs(store.entriesOfRun('run_2'))).toEqual([2, 3])
    expect(seqs(store.entriesFrom('ses_1', 2, 3))).toEqual([2, 3, 4])
    expect(seqs(store.newestRuns('ses_1', 2))).toEqual([2, 3, 4, 5])
    expect(seqs(store.newestRuns('ses_1', 2, ['user']))).toEqual([2, 4])
    const page = store.pageBefore('ses_1', 5, 2)
    expect([seqs(page.items), page.hasEarlier]).toEqual([[3, 4], true])
    const cut = store.entriesBefore('ses_1', 6, 3)
    expect([seqs(cut.items), cut.hasEarlier]).toEqual([[2, 3, 4, 5], true])
    expect(store.entriesBefore('ses_1', 6, 100).hasEarlier).toBe(false)
  })

  test('the newest list of a session is found, and of no other session', () => {
    const store = filled()
    expect(store.newestTodo('ses_1')).toBeUndefined()
    const list = (seq: number, text: string) => ({
      type: 'plan' as const,
      seq,
      runId: 'run_2',
      at: 1,
      toolUseId: 'tu_1',
      items: [{ text, state: 'open' as const }],
    })
    store.append('ses_1', list(6, 'first'))
    store.append('ses_1', list(7, 'then'))
    expect(store.newestTodo('ses_1')).toEqual(list(7, 'then'))
    expect(store.newestTodo('ses_2')).toBeUndefined()
  })

  test('the first reply to a request is kept until it is forgotten', () => {
    const store = open()
    store.rememberReply({ kind: 'chat:send', by: 'operator', requestId: 'req_1' }, { ok: true }, 20)
    expect(store.replyTo('chat:send', 'operator', 'req_1')).toEqual({ ok: true })
    expect(store.replyTo('chat:send', 'other', 'req_1')).toBeUndefined()
    store.forgetReplies(21)
    expect(store.replyTo('chat:send', 'operator', 'req_1')).toBeUndefined()
  })

  test('a transaction that fails leaves nothing behind, and is counted', () => {
    const store = open()
    const before = store.undone()
    const work = () => {
      expect(store.isInTransaction()).toBe(true)
      store.addRun(run('run_1'))
      throw new Error('no')
    }
    expect(() => store.atomically(work)).toThrow('no')
    expect([store.unfinishedRuns(), store.isInTransaction(), store.undone() > before]).toEqual([[], false, true])
  })

  test('work queued in one moment is committed together, and each has its own result', async () => {
    const store = open()
    const fails = store.together(() => {
      store.addRun(run('run_1'))
      throw new Error('no')
    })
    const works = store.together(() => store.addRun(run('run_2')))
    await expect(fails).rejects.toThrow('no')
    expect(await works).toBe(0)
    expect(store.unfinishedRuns().map(({ id }) => id)).toEqual(['run_2'])
  })

  test('a copy has the entries before its place, and belongs to the same family where it is a version', () => {
    const store = filled()
    for (const id of ['run_1', 'run_2', 'run_3']) store.setRunStatus(id, 'ended')
    const copy = {
      from: 'ses_1',
      id: 'ses_3',
      title: 'Copy',
      below: 4,
      entry: 4,
      nextSeq: 4,
      versionOf: 'ses_1',
      at: 50,
    }
    store.copySession(copy)
    expect(seqs(store.entriesFrom('ses_3', 0, 10))).toEqual([0, 1, 2, 3])
    expect(store.session('ses_3')).toMatchObject({ title: 'Copy', nextSeq: 4 })
    expect(
      store
        .family('ses_1')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['ses_1', 'ses_3'])
    expect(store.family('ses_9')).toEqual([])
  })
}
