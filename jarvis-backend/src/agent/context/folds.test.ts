import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import { isNight } from '../../../../scripts/property-runs.ts'
import { toMessages } from '../conversation.ts'
import { openCalls } from '../next-step.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'
import { sourcesOf, sourceTypes } from '../sources.ts'
import { cutsIn } from './cuts.ts'
import { entryFacts, factsAfter } from './facts/index.ts'

/** The same numbers for the same seed. */
function numbersFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((state / 4_294_967_296) * below)
  }
}

const at = 1_700_000_000_000
type Draft = StoredEntry extends infer E ? (E extends StoredEntry ? Omit<E, 'seq' | 'runId' | 'at'> : never) : never

/** A random conversation: parallel calls, cards, denials, drifted cards, unknown outcomes, restarts, pauses, errors and late looks. */
function transcript(seed: number): StoredEntry[] {
  const pick = numbersFrom(seed)
  const entries: StoredEntry[] = []
  const unknown: { id: string; runId: string }[] = []
  let id = 0
  const runs = 2 + pick(6)
  for (let run = 0; run < runs; run++) {
    const runId = `run_${run}`
    const put = (draft: Draft) =>
      entries.push({ ...draft, seq: 3 * entries.length, runId, at: at + entries.length } as StoredEntry)
    put({
      type: 'user',
      messageId: `msg_${run}`,
      text: `message ${run} of the operator${pick(3) === 0 ? ', never again' : ''}`,
      by: 'operator',
      context: 'cluster',
    })
    if (pick(3) === 0)
      put({
        type: 'recalled',
        items: [
          {
            kind: 'file',
            name: 'MEMORY.md',
            title: '',
            firstLine: 1,
            lastLine: 2,
            changedAt: at,
            isFromTools: true,
            text: `memory ${run}`,
          },
        ],
      })
    const turns = pick(4)
    for (let turn = 0; turn < turns; turn++) {
      if (pick(8) === 0)
        put({
          type: 'assistant',
          model: 'a/b',
          content: [{ type: 'text', text: 'Broken o' }],
          usage: noUsage,
          stopReason: 'interrupted',
        })
      const ids = Array.from({ length: 1 + pick(3) }, () => `tu_${id++}`)
      const thinking = pick(2) === 0 ? [{ type: 'thinking' as const, text: 'Hm.', signature: 's', after: 'x' }] : []
      put({
        type: 'assistant',
        model: 'a/b',
        content: [
          ...thinking,
          ...ids.map((toolUseId) => ({
            type: 'tool_call' as const,
            toolUseId,
            toolName: `tool_${pick(3)}`,
            toolInput: { vmid: 100 + pick(5) },
          })),
        ],
        usage: noUsage,
        stopReason: 'tool_use',
      })
      for (const toolUseId of ids.sort(() => pick(3) - 1)) {
        const of = { toolUseId, toolName: 'stop_vm', toolInput: { vmid: 100 + pick(3) } }
        const way = pick(6)
        if (way === 0) put({ type: 'blocked', ...of, reason: 'Never.', rule: 'r', tier: 'black' })
        else if (way === 1) {
          put({ type: 'confirm_needed', ...of, tier: 'red', reason: 'r' } as never)
          put({ type: 'confirm_resolved', toolUseId, decision: 'denied', by: 'operator', note: `no ${toolUseId}` })
        } else {
          put({ type: 'tool_use', ...of, tier: way < 4 ? 'green' : 'red' })
          if (pick(4) === 0)
            put({ type: 'plan', toolUseId, items: pick(4) === 0 ? [] : [{ text: `item ${id}`, state: 'open' }] })
          const isUnknown = way === 5
          if (isUnknown) unknown.push({ id: toolUseId, runId })
          put({
            type: 'tool_result',
            toolUseId,
            result: `result of ${toolUseId} `.repeat(1 + pick(900)),
            isError: isUnknown,
            summary: `s ${toolUseId}`,
            durationMs: 1,
            ...(isUnknown && { isUnknown: true as const }),
          })
        }
      }
    }
    const isLast = run === runs - 1
    if (isLast && pick(2) === 0) break
    put({
      type: 'assistant',
      model: 'a/b',
      content: [{ type: 'text', text: `answer ${run}` }],
      usage: noUsage,
      stopReason: 'end_turn',
    })
    if (pick(6) === 0) put({ type: 'error', error: 'e', code: 'internal' })
    else put({ type: 'done', usage: noUsage, stopReason: 'end_turn' })
    const lost = unknown.shift()
    if (lost !== undefined)
      entries.push({
        type: 'reconciled',
        toolUseId: lost.id,
        toolName: 'stop_vm',
        outcome: 'done',
        text: 'It is done.',
        seq: 3 * entries.length,
        runId: lost.runId,
        at,
      })
  }
  return entries
}

/** The rules of every provider: a person speaks first, and each call is answered exactly once, in the message right after it. */
function isAccepted(entries: readonly StoredEntry[]) {
  const messages = toMessages(entries)
  expect(messages[0]?.role).toBe('user')
  const isFolded = entries.some((entry) => entry.type === 'compaction' && entry.what === 'turns')
  expect(messages[0]?.role === 'user' && messages[0].context?.startsWith('<earlier>') === true).toBe(isFolded)
  const answered = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') {
      const before = messages[index - 1]
      const wanted =
        before?.role === 'assistant'
          ? before.content.flatMap((item) => (item.type === 'tool_call' ? item.toolUseId : []))
          : []
      expect(message.results.map(({ toolUseId }) => toolUseId)).toEqual(wanted)
      for (const id of wanted) {
        expect(answered.has(id)).toBe(false)
        answered.add(id)
      }
    } else expect(messages[index + 1]?.role ?? 'user').toBe('user')
  }
  expect(messages.at(-1)?.role).toBe('user')
}

const folded = (
  entries: readonly StoredEntry[],
  upTo: number,
  what: 'turns' | 'results',
  runId: string,
): StoredEntry => ({
  type: 'compaction',
  what,
  why: 'window',
  upTo,
  count: 1,
  text: 'words of a model',
  tokensBefore: 2,
  tokensAfter: 1,
  at,
  runId,
  seq: (entries.at(-1)?.seq ?? 0) + 1,
  facts:
    what === 'results'
      ? []
      : factsAfter(entryFacts, { before: [], entries: entries.filter(({ seq }) => seq <= upTo), sessionId: 'ses_1' }),
})

const seeds = Array.from({ length: isNight ? 500 : 50 }, (_, seed) => seed + 1)

test('wherever a random conversation may be folded, once or twice, every provider takes what is left', () => {
  let inside = 0
  for (const seed of seeds) {
    const entries = transcript(seed)
    const current = entries.at(-1)?.runId ?? ''
    const isOver = entries.some((entry) => entry.runId === current && (entry.type === 'done' || entry.type === 'error'))
    // The next message of a session at rest, or the run that goes on.
    const next = isOver ? 'run_next' : current
    const asked: StoredEntry = {
      type: 'user',
      messageId: 'm',
      text: 'Next.',
      by: 'operator',
      seq: (entries.at(-1)?.seq ?? 0) + 1,
      runId: next,
      at,
    }
    const now = isOver ? [...entries, asked] : entries
    if (openCalls(now.filter(({ runId }) => runId === next)).length > 0) continue
    const cuts = cutsIn(now, next)
    for (const [index, cut] of cuts.entries()) {
      inside += cut.isInside ? 1 : 0
      const once = [...now, folded(now, cut.seq, 'turns', next)]
      if (toMessages(once).at(-1)?.role === 'user') isAccepted(once)
      const later = cuts[index + 1]
      if (later !== undefined) {
        const twice = [...once, { ...folded(once, later.seq, 'turns', next), seq: (once.at(-1)?.seq ?? 0) + 1 }]
        if (toMessages(twice).at(-1)?.role === 'user') isAccepted(twice)
      }
      const away = [...now, folded(now, cut.seq, 'results', next)]
      if (toMessages(away).at(-1)?.role === 'user') isAccepted(away)
    }
  }
  expect(inside).toBeGreaterThan(10)
})

test('no cut lies between a call and its outcome, or inside a run that goes on beside it', () => {
  for (const seed of seeds) {
    const entries = transcript(seed)
    const current = entries.at(-1)?.runId ?? ''
    for (const { seq } of cutsIn(entries, current)) {
      const below = entries.filter((entry) => entry.seq <= seq && entry.runId === current)
      expect(openCalls(below)).toEqual([])
    }
  }
  const user = (runId: string, seq: number): StoredEntry => ({
    type: 'user',
    messageId: runId,
    text: 'x',
    by: 'o',
    seq,
    runId,
    at,
  })
  const done = (runId: string, seq: number): StoredEntry => ({
    type: 'done',
    usage: noUsage,
    stopReason: 'end_turn',
    seq,
    runId,
    at,
  })
  // The run of a plan goes on beside the chat.
  const beside = [user('a', 0), done('a', 1), user('plan', 2), user('b', 3), done('b', 4), user('now', 5)]
  expect(cutsIn(beside, 'now').map(({ seq }) => seq)).toEqual([1])
  expect(cutsIn([...beside.slice(0, 5), done('plan', 5), user('now', 6)], 'now').map(({ seq }) => seq)).toEqual([1, 5])
})

test('the ids of all facts survive each further fold, also where it is made in two pieces', () => {
  for (const seed of seeds) {
    const entries = transcript(seed)
    const whole = factsAfter(entryFacts, { before: [], entries, sessionId: 'ses_1' })
    const cuts = cutsIn(entries, 'none')
    for (const { seq } of cuts) {
      const first = factsAfter(entryFacts, {
        before: [],
        entries: entries.filter((entry) => entry.seq <= seq),
        sessionId: 'ses_1',
      })
      const second = factsAfter(entryFacts, {
        before: first,
        entries: entries.filter((entry) => entry.seq > seq),
        sessionId: 'ses_1',
      })
      expect(second).toEqual(whole)
    }
    const unknown = whole.filter(({ kind }) => kind === 'unknown').map(({ id }) => id)
    const lost = entries.flatMap((entry) => (entry.type === 'tool_result' && entry.isUnknown ? entry.toolUseId : []))
    const found = entries.flatMap((entry) => (entry.type === 'reconciled' ? entry.toolUseId : []))
    expect(unknown.sort()).toEqual(lost.filter((id) => !found.includes(id)).sort())
  }
})

test('the sources of taint are the same with and without folds, and need no other entries than they say', () => {
  for (const seed of seeds) {
    const entries = transcript(seed)
    const last = entries.at(-1)
    const made: StoredEntry = {
      type: 'assistant',
      model: 'a/b',
      content: [{ type: 'tool_call', toolUseId: 'tu_now', toolName: 'stop_vm', toolInput: {} }],
      usage: noUsage,
      stopReason: 'tool_use',
      seq: (last?.seq ?? 0) + 2,
      runId: 'now',
      at,
    }
    const judged = { toolUseId: 'tu_now', isClients: false, tellingEntries: () => [] }
    const plain = JSON.stringify(sourcesOf([...entries, made], judged))
    for (const { seq } of cutsIn(entries, 'none')) {
      const withFold = [...entries, folded(entries, seq, 'turns', 'now'), made]
      expect(JSON.stringify(sourcesOf(withFold, judged))).toBe(plain)
      const read = withFold.filter(({ type }) => (sourceTypes as readonly string[]).includes(type))
      expect(JSON.stringify(sourcesOf(read, judged))).toBe(plain)
    }
  }
})
