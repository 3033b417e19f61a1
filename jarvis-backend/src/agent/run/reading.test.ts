import { type EntryOf, noUsage, type ToolCall } from 'protocol'
import { expect, test } from 'vitest'
import type { ChildOrigin, Origin } from '../origin.ts'
import { Run, type RunSession } from '../run.ts'
import type { StoredEntry } from '../sessions/entries.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import type { RunFacts } from './facts.ts'
import { RunReading } from './reading.ts'

/** A generator of pseudo-random numbers. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

type Made = {
  entries: StoredEntry[]
  parentOf: Map<string, string>
  calls: { call: ToolCall; runId: string; seq: number }[]
}

/** A conversation of up to three runs with child runs. Reads, messages and notes come in any order. Each text is unique. */
function conversation(seed: number): Made {
  const below = numbers(seed)
  const made: Made = { entries: [], parentOf: new Map(), calls: [] }
  const add = (runId: string, entry: object) => {
    const seq = made.entries.length
    made.entries.push({ seq, runId, at: seq, ...entry } as StoredEntry)
    return seq
  }
  const call = (runId: string, toolName: string): ToolCall => {
    const toolUseId = `tu_${made.entries.length}`
    const made_: ToolCall = { type: 'tool_call', toolUseId, toolName, toolInput: {} }
    const seq = add(runId, { type: 'assistant', model: 'm', content: [made_], usage: noUsage, stopReason: 'tool_use' })
    made.calls.push({ call: made_, runId, seq })
    return made_
  }
  const read = (runId: string) => {
    const { toolUseId } = call(runId, 'execute_ssh')
    const text = `result${made.entries.length}`
    add(runId, { type: 'tool_result', toolUseId, result: text, summary: text, isError: false, durationMs: 1 })
  }
  for (let at = 0; at < 1 + below(3); at++) {
    const parent = `run_${at}`
    add(parent, { type: 'user', messageId: `msg_${at}`, by: 'operator', text: `message${made.entries.length}` })
    const working = [parent]
    for (let step = 0; step < 12; step++) {
      const runId = working[below(working.length)] ?? parent
      const what = below(5)
      if (what === 0 && working.length < 4) {
        const child = `run_${at}_${working.length}`
        const { toolUseId } = call(parent, 'delegate')
        made.parentOf.set(child, parent)
        working.push(child)
        add(child, { type: 'subrun', change: 'begin', toolUseId, agent: 'a', for: 'main', task: `task${step}` })
      } else if (what === 1) {
        const { toolUseId } = call(runId, 'stop_vm')
        const note = `note${made.entries.length}`
        add(runId, { type: 'confirm_resolved', toolUseId, decision: 'denied', by: 'operator', note })
      } else read(runId)
    }
    for (const child of working.slice(1)) {
      const { toolUseId } = made.entries.find(
        (entry): entry is EntryOf<'subrun'> => entry.type === 'subrun' && entry.runId === child,
      ) as EntryOf<'subrun'>
      const text = `result${made.entries.length}`
      add(parent, { type: 'tool_result', toolUseId, result: text, summary: text, isError: false, durationMs: 1 })
    }
    call(parent, 'stop_vm')
  }
  return made
}

/** The sources of a call that a run of the conversation made. */
function sourcesOfCall({ entries, parentOf }: Made, runId: string, call: ToolCall) {
  const parent = parentOf.get(runId)
  const origin: Origin =
    parent === undefined
      ? { kind: 'chat', messageId: 'msg', text: '', by: 'operator' }
      : ({ kind: 'child', parent, call: '', agent: 'a', for: 'main', task: '', asker: who } satisfies ChildOrigin)
  const row = { id: runId, sessionId: 'ses', origin: origin as never, status: 'running' as const, at: 0, position: 1 }
  const run = new Run({ id: 'ses', agent: 'main' } as RunSession, row, {
    origin,
    taken: entries.filter((entry) => entry.runId === runId),
  })
  const store = {
    childRuns: () => [...parentOf].map(([id, of]) => ({ id, sessionId: 'ses', at: 0, parent: of, isEnded: false })),
    entriesOfTypes: (_: string, types: readonly string[]) => entries.filter(({ type }) => types.includes(type)),
    entriesOfRun: (id: string) => entries.filter((entry) => entry.runId === id),
    session: () => undefined,
  }
  const reading = new RunReading({ store: store as unknown as TranscriptStore }, {
    principalIn: () => who,
    profileOf: () => ({ prompt: '', tools: [] }),
  } as unknown as RunFacts)
  return reading.sourcesFor(run, call)
}
const who = { kind: 'chat', name: 'm' }

test('each call of a run and of its child runs is judged with all that was read before, and no task is a person’s words', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const made = conversation(seed)
    for (const { call, runId, seq } of made.calls) {
      const { results, operatorTexts } = sourcesOfCall(made, runId, call)
      const begun = made.parentOf.has(runId)
        ? (made.entries.find((entry) => entry.runId === runId)?.seq ?? 0)
        : Number.POSITIVE_INFINITY
      // A child has read what was read before it began, and what it read itself.
      const before = made.entries.filter((entry) => entry.seq < seq && (entry.seq < begun || entry.runId === runId))
      const read = before.flatMap((entry) => (entry.type === 'tool_result' ? entry.result : []))
      expect(
        results.map(({ text }) => text),
        `seed ${seed}, call at ${seq}`,
      ).toEqual(read)
      const said = before.flatMap((entry) => {
        if (entry.type === 'user') return entry.text
        return entry.type === 'confirm_resolved' ? (entry.note ?? []) : []
      })
      expect(operatorTexts, `seed ${seed}, call at ${seq}`).toEqual(said)
    }
  }
})
