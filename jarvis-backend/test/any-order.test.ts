import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Entry, noUsage } from 'protocol'
import { callIdOf, settles } from 'protocol/settles'
import { expect, test } from 'vitest'
import { patienceMs, runs } from '../../scripts/property-runs.ts'
import type { Message, Model } from '../src/agent/model.ts'
import { newId } from '../src/lib/ids.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { createSimulator } from './support/simulator.ts'
import { type Screen, startJarvis } from './support/start-jarvis.ts'

type Act =
  | { do: 'send' | 'abort' | 'drop' | 'restart' | 'expire' }
  | { do: 'drift'; card: number; how: 'move' | 'stop' | 'lock' }
  | { do: 'decide'; card: number; confirmed: boolean; twice: boolean }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Act>({ do: 'send' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      card: fc.nat(3),
      confirmed: fc.boolean(),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('drift' as const),
      card: fc.nat(1),
      how: fc.constantFrom('move' as const, 'stop' as const, 'lock' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ do: 'abort' }, { do: 'drop' }, { do: 'restart' }, { do: 'expire' }) },
)

const guests = [100, 101, 103, 123, 131, 142]

/** Asks for two red calls at each new question, answers at each result, and refuses a history no provider would take. */
function strictModel(complain: (problem: string) => void): Model {
  let asked = 0
  const call = () => {
    asked += 1
    const vmid = guests[asked % guests.length]
    return { type: 'tool_call' as const, toolUseId: newId('tu'), toolName: 'restart_vm', toolInput: { vmid } }
  }
  return {
    id: 'strict/model',
    async generate({ messages }, sink) {
      for (const problem of problemsOf(messages)) complain(problem)
      const last = messages.at(-1)
      const isQuestion = last?.role === 'user' && last.text !== ''
      if (isQuestion) return { content: [call(), call()], stopReason: 'tool_use', usage: noUsage }
      sink.text('So it is.')
      return { content: [{ type: 'text', text: 'So it is.' }], stopReason: 'end_turn', usage: noUsage }
    },
  }
}

function problemsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1]
    if (index === 0 && message.role !== 'user') return ['it does not begin with the user']
    if (message.role === 'user') {
      const ids =
        before?.role === 'assistant'
          ? before.content.flatMap((item) => (item.type === 'tool_call' ? [item.toolUseId] : []))
          : []
      const answered = message.results.map(({ toolUseId }) => toolUseId)
      return [
        ...(before?.role === 'user' ? ['two messages of the user in a row'] : []),
        ...(JSON.stringify(answered) === JSON.stringify(ids) ? [] : [`calls ${ids} are answered as ${answered}`]),
        ...(message.results.some(({ text }) => text === '') ? ['an empty result'] : []),
      ]
    }
    return [
      ...(message.content.length === 0 ? ['an empty turn'] : []),
      ...(before?.role === 'assistant' ? ['two turns in a row'] : []),
    ]
  })
}

/** A card is resolved once, and a call has one outcome, however often its card was replaced. */
function badlySettled(entries: readonly Entry[]): string[] {
  const count = (ids: string[]) => {
    const times = new Map<string, number>()
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
    return times
  }
  const resolved = count(entries.flatMap((entry) => (entry.type === 'confirm_resolved' ? [entry.toolUseId] : [])))
  const settled = count(entries.filter(settles).map(callIdOf))
  const cards = entries.flatMap((entry) => (entry.type === 'confirm_needed' ? [entry.toolUseId] : []))
  const called = entries.flatMap((entry) =>
    entry.type === 'assistant'
      ? entry.content.flatMap((item) => (item.type === 'tool_call' ? [item.toolUseId] : []))
      : [],
  )
  const runs = (...types: Entry['type'][]) =>
    count(entries.flatMap(({ type, runId }) => (types.includes(type) ? [runId] : [])))
  const ended = runs('done')
  return [
    ...[...runs('user').keys()].filter((id) => ended.get(id) !== 1).map((id) => `${id} is done ${ended.get(id)} times`),
    ...cards.filter((id) => resolved.get(id) !== 1).map((id) => `${id} is resolved ${resolved.get(id)} times`),
    ...called.filter((id) => settled.get(id) !== 1).map((id) => `${id} has ${settled.get(id)} outcomes`),
  ]
}

test(
  'whatever happens in whatever order, the history stays valid and an approved call acts at most once',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 14 }), async (acts) => {
        const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-order-'))
        const clock = createFakeClock(Date.UTC(2026, 10, 1))
        const lab = createSimulator({ clock, protectedTargets: new Set(), speed: 1_000 })
        // It outlives the server, as a cluster does.
        const homelab = { ...lab, cluster: { ...lab.cluster, close: () => {} } }
        const problems: string[] = []
        const model = strictModel((problem) => problems.push(problem))
        const approved = new Map<number, number>()
        const start = () => startJarvis({ dataDir, clock, homelab, model, env: { CONFIRM_TTL_SECONDS: '60' } })
        let jarvis = await start()
        let screen: Screen = await jarvis.connect()
        const { sessionId } = await screen.ask('chat:send', { message: 'Begin.' })

        const look = async () => (await screen.ask('chat:attach', { sessionId })).snapshot
        /** Waits until only a person or the clock can move anything. */
        const settle = async () => {
          for (let round = 0; round < 12; round += 1) {
            await clock.advance(20)
            // A round trip: what was under way has gone on.
            await screen.request('chat:unqueue', { sessionId, messageId: 'none' })
          }
          return look()
        }
        const perform = async (next: Act) => {
          const { pending } = await settle()
          switch (next.do) {
            case 'send':
              await screen.ask('chat:send', { sessionId, message: 'And?' })
              return
            case 'abort':
              await screen.ask('chat:abort', { sessionId })
              return
            case 'drop':
              screen.socket.disconnect()
              screen = await jarvis.connect()
              return
            case 'restart':
              await jarvis.stop()
              jarvis = await start()
              screen = await jarvis.connect()
              return
            case 'expire':
              await clock.advance(61_000)
              return
            case 'drift': {
              const card = pending[next.card]
              if (card === undefined) return
              const vmid = Number(card.toolInput.vmid)
              const guest = lab.cluster.state().guests.find((one) => one.vmid === vmid)
              if (next.how === 'move') lab.controls.migrateGuest(vmid, guest?.node === 'pve' ? 'agent' : 'pve')
              else if (next.how === 'stop')
                lab.controls.setStatus(vmid, guest?.status === 'running' ? 'stopped' : 'running')
              else lab.controls.lockGuest(vmid, guest?.lock === undefined ? 'backup' : undefined)
              // The click comes too late: it approves nothing, and shows the card anew.
              const late = { sessionId, toolUseId: card.toolUseId, confirmed: true }
              expect(await screen.request('chat:confirm', late)).toMatchObject({ error: { code: 'expired' } })
              return
            }
            case 'decide': {
              const card = pending[next.card]
              if (card === undefined) return
              const decision = {
                sessionId,
                toolUseId: card.toolUseId,
                confirmed: next.confirmed,
                requestId: newId('req'),
              }
              const replies = await Promise.all(
                (next.twice ? [decision, decision] : [decision]).map((one) => screen.request('chat:confirm', one)),
              )
              const vmid = Number(card.toolInput.vmid)
              if (next.confirmed && replies.some(({ ok }) => ok)) approved.set(vmid, (approved.get(vmid) ?? 0) + 1)
              return
            }
            default:
              next satisfies never
          }
        }
        for (const next of acts) await perform(next)

        // At the end nobody waits any more: what is open expires, what is queued is answered.
        let last = await settle()
        for (let round = 0; round < 40 && (last.runId !== undefined || last.queued.length > 0); round += 1) {
          await clock.advance(61_000)
          last = await settle()
        }
        expect(last.runId).toBeUndefined()
        expect(last.pending).toEqual([])
        expect(problems).toEqual([])
        for (const problem of badlySettled(last.entries)) expect.fail(problem)
        for (const vmid of guests) {
          const effects = lab.controls.effects.filter(({ detail }) => detail === `restart ${vmid}`).length
          expect(effects).toBeLessThanOrEqual(approved.get(vmid) ?? 0)
        }
        await jarvis.stop()
        rmSync(dataDir, { recursive: true, force: true })
      }),
      { ...runs(3), endOnFailure: true },
    )
  },
  patienceMs(60_000),
)
