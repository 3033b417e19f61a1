import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import type { ListedSession, SessionList, SessionQuery } from '../../src/agent/sessions/session-list.ts'
import type { ShareStore } from '../../src/agent/sessions/shares.ts'
import type { TranscriptStore } from '../../src/agent/sessions/transcript-store.ts'

type Opened = { list: SessionList; transcripts: TranscriptStore; shares: ShareStore }

const usage = { ...noUsage, inputTokens: 10, outputTokens: 5 }

/**
 * What every list of sessions promises.
 * @param open a list without sessions, the stores it lists, and the person `operator`. A token of the model `priced` costs something; the price of `free` is not known
 */
export function sessionListContract(open: () => Opened) {
  const all = { limit: 10, archived: 'all' } as const
  const ids = (items: readonly ListedSession[]) => items.map(({ id }) => id)
  const found = ({ list }: Opened, query: Partial<SessionQuery>) => ids(list.page({ ...all, ...query }).items)

  /** Sessions `a`, `b`, `c`…, changed at 1, 2, 3…, with what is special about each. */
  function filled(...given: Partial<Parameters<TranscriptStore['createSession']>[0]>[]) {
    const opened = open()
    for (const [at, special] of given.entries()) {
      const id = 'abcdefgh'.charAt(at)
      opened.transcripts.createSession({ id, title: `Session ${id}`, source: 'chat', at: at + 1, ...special })
      opened.list.changed(id)
    }
    return opened
  }
  /** A question and its answer in a session. */
  function say({ list, transcripts }: Opened, sessionId: string, words: string, model = 'priced') {
    const nextSeq = transcripts.session(sessionId)?.nextSeq ?? 0
    const of = { runId: `run_${sessionId}_${nextSeq}`, at: 20 }
    const message = { messageId: `msg_${sessionId}_${nextSeq}`, text: `asked ${words}`, by: 'operator' }
    transcripts.addRun({ id: of.runId, sessionId, status: 'running', origin: { kind: 'chat', ...message }, at: of.at })
    transcripts.append(sessionId, { type: 'user', seq: nextSeq, ...of, ...message })
    const content = [{ type: 'text' as const, text: `answered ${words}` }]
    transcripts.append(sessionId, {
      type: 'assistant',
      seq: nextSeq + 1,
      ...of,
      model,
      content,
      usage,
      stopReason: 'end_turn',
    })
    transcripts.append(sessionId, { type: 'done', seq: nextSeq + 2, ...of, usage, stopReason: 'end_turn' })
    transcripts.setRunStatus(of.runId, 'ended')
    transcripts.reserveSeq(sessionId, nextSeq + 3, of.at)
    list.changed(sessionId)
  }

  test('sessions come newest first, page by page, each once', () => {
    const { list } = filled({}, { at: 9 }, {}, {}, {})
    const seen: string[] = []
    let before: string | undefined
    do {
      const page = list.page({ limit: 2, archived: 'all', ...(before !== undefined && { before }) })
      seen.push(...ids(page.items))
      before = page.next
    } while (before !== undefined)
    expect(seen).toEqual(['b', 'e', 'd', 'c', 'a'])
    expect(list.count({ source: undefined, archived: 'all' })).toBe(5)
  })

  test('sessions of jobs and of other programs are listed only where they are asked for', () => {
    const opened = filled({}, { source: 'job' }, { source: 'v1' }, { source: 'mcp' })
    expect(found(opened, {})).toEqual(['d', 'a'])
    expect(found(opened, { source: 'job' })).toEqual(['b'])
    expect(found(opened, { source: 'v1' })).toEqual(['c'])
    expect(opened.list.count({ source: 'job', archived: 'all' })).toBe(1)
  })

  test('archived sessions are left out, listed alone or among all, as asked', () => {
    const opened = filled({}, {}, {})
    opened.transcripts.archiveSession('b', 30)
    expect(found(opened, { archived: 'no' })).toEqual(['c', 'a'])
    expect(found(opened, { archived: 'only' })).toEqual(['b'])
    expect(found(opened, { archived: 'all' }).sort()).toEqual(['a', 'b', 'c'])
    expect(opened.list.count({ source: undefined, archived: 'only' })).toBe(1)
  })

  test("a person's list holds their own sessions and those shared with them, and nothing else", () => {
    const opened = filled({ person: 'operator' }, { person: 'usr_ben' }, { person: 'usr_ben' })
    opened.shares.set('b', { person: 'operator', may: 'look', by: 'usr_ben', at: 5 })
    expect(found(opened, { person: 'operator' })).toEqual(['b', 'a'])
    expect(found(opened, { person: 'usr_ben' })).toEqual(['c', 'b'])
    expect(opened.list.count({ source: undefined, archived: 'all', person: 'operator' })).toBe(2)
    opened.shares.end('b', 'operator')
    expect(found(opened, { person: 'operator' })).toEqual(['a'])
  })

  test('versions of a session are one row, the newest, with what all of them cost', () => {
    const opened = filled({}, {})
    say(opened, 'a', 'first')
    opened.transcripts.copySession({
      from: 'a',
      id: 'a2',
      title: 'Session a',
      below: 0,
      entry: 0,
      nextSeq: 0,
      versionOf: 'a',
      at: 50,
    })
    say(opened, 'a2', 'second')
    expect(found(opened, {})).toEqual(['a2', 'b'])
    expect(opened.list.page(all).items[0]?.totals?.usage.inputTokens).toBe(20)
  })

  test.each([
    ['the beginning of a word of the title', 'sess', ['c', 'b', 'a']],
    ['a word of the answer, in any case', 'FRIGATE', ['b']],
    ['words that stand in different messages', 'frigate backup', ['b']],
    ['words of which one is missing', 'frigate zigbee', []],
    ['a quoted phrase', '"answered frigate"', ['b']],
    ['a quoted phrase that is only the beginning of words', '"answered frig"', []],
    ['signs that a query language would read', 'frigate" *(', ['b']],
  ])('%s finds its sessions', (_, words, expected) => {
    const opened = filled({}, {}, {})
    say(opened, 'b', 'frigate')
    say(opened, 'b', 'backup')
    expect(found(opened, { words }).sort()).toEqual([...expected].sort())
  })

  test('the message that holds the words is named, unless the title holds them', () => {
    const opened = filled({}, { title: 'About frigate' })
    say(opened, 'a', 'frigate')
    const [a, b] = ['a', 'b'].map((id) =>
      opened.list.page({ ...all, words: 'frigate' }).items.find((item) => item.id === id),
    )
    expect([a?.found, b?.found]).toEqual([{ seq: 1, text: 'answered frigate' }, undefined])
  })

  test('totals sum what the answers used, without a price where one is not known', () => {
    const opened = filled({}, {}, {})
    say(opened, 'a', 'one')
    say(opened, 'a', 'two')
    say(opened, 'b', 'three')
    say(opened, 'b', 'four', 'free')
    expect(opened.list.totals('a')).toEqual({
      usage: { ...usage, inputTokens: 20, outputTokens: 10 },
      costUsd: expect.any(Number) as number,
    })
    expect(opened.list.totals('b')).toEqual({ usage: { ...usage, inputTokens: 20, outputTokens: 10 } })
    expect([opened.list.totals('c')?.usage.inputTokens ?? 0, opened.list.totals('nowhere')]).toEqual([0, undefined])
  })

  test('a deleted session is neither listed nor found, and one made after it has nothing of it', () => {
    const opened = filled({}, {})
    say(opened, 'a', 'frigate')
    expect(found(opened, { words: 'frigate' })).toEqual(['a'])
    opened.transcripts.deleteSession('a')
    opened.list.changed('a')
    opened.transcripts.createSession({ id: 'new', title: 'New', source: 'chat', at: 60 })
    opened.list.changed('new')
    expect([found(opened, {}), found(opened, { words: 'frigate' })]).toEqual([['new', 'b'], []])
  })
}
