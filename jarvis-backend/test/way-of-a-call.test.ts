import fc from 'fast-check'
import { type Entry, JarvisError, type ToolCall } from 'protocol'
import { callIdOf, settles } from 'protocol/settles'
import { expect, test } from 'vitest'
import { patienceMs, runs } from '../../scripts/property-runs.ts'
import { Changes } from '../src/calls/changes/changes.ts'
import { Cards } from '../src/calls/confirmations/confirmations.ts'
import { Grants } from '../src/calls/confirmations/grants.ts'
import { CallExecutor } from '../src/calls/execute.ts'
import { createEffectsOf, createJudge, createSeeingJudge } from '../src/calls/judge.ts'
import { onlyOwner } from '../src/calls/people.ts'
import type { Claim } from '../src/calls/ports.ts'
import { SeenUnits } from '../src/calls/seen-units.ts'
import { Ways } from '../src/calls/way.ts'
import { createRedactor } from '../src/gate/index.ts'
import { shippedPolicy } from '../src/gate/policy/shipped.ts'
import type { Clock } from '../src/lib/clock.ts'
import { SqliteChangeStore } from '../src/store/sqlite/calls/changes.ts'
import { SqliteConfirmationStore, SqliteExecutionStore } from '../src/store/sqlite/calls/confirmations.ts'
import { SqliteGrantStore } from '../src/store/sqlite/calls/grants.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteKeptJournal } from '../src/store/sqlite/journal/kept.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'
import { createCatalog } from '../src/tools/catalog.ts'
import type { ToolOutput } from '../src/tools/tool.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { overHomelab } from './support/house.ts'
import { createSimulator } from './support/simulator.ts'

const sessionId = 'ses_way'
const runId = 'run_way'
const requestedBy = { kind: 'mcp', name: 'laptop', token: 'laptop' } as const
const images = { keep: () => expect.fail('no pictures here'), get: () => undefined }
const turn = () => new Promise<void>((passed) => setImmediate(passed))
const never = () => new Promise<never>(() => {})

/** The things that outlive a process: database, cluster and time. Each call waits for the one before it. */
function createHouse(calls: readonly ToolCall[]) {
  const clock = createFakeClock(1_700_000_000_000)
  const database = openDatabase(':memory:')
  const faults: unknown[] = []
  const report = (error: unknown) => void faults.push(error)
  const transcript = new SqliteTranscriptStore(database)
  transcript.createSession({ id: sessionId, title: '', source: 'mcp', at: 0 })
  transcript.addRun({ id: runId, sessionId, origin: { kind: 'mcp', client: 'laptop' }, status: 'running', at: 0 })
  const journal = new SqliteKeptJournal(database, { dir: '', now: clock.now, report })
  const lab = createSimulator({ clock, protectedTargets: new Set(), speed: 1_000 })
  const store = new SqliteConfirmationStore(database)
  const entries: Entry[] = []
  const now = { isRehearsal: false, isAskerKnown: true, isAnswerLost: false }
  const starts = new Map<number, number>()
  const asked = { verdicts: 0, effects: 0, looks: 0 }
  const isOpen = ({ toolUseId }: ToolCall) => !entries.some((entry) => settles(entry) && callIdOf(entry) === toolUseId)
  const rows = (kind: string, toolUseId: string) =>
    (database.sql.prepare('SELECT body FROM journal WHERE kind = ?').pluck().all(kind) as string[])
      .map((body) => JSON.parse(body) as Claim & { decision?: string })
      .filter((body) => body.toolUseId === toolUseId)

  /** Runs at the moment of an effect. */
  function mayStart(vmid: number) {
    starts.set(vmid, (starts.get(vmid) ?? 0) + 1)
    const id = `tu_${vmid}`
    expect(starts.get(vmid), `${id} starts once`).toBe(1)
    expect(rows('execution', id), 'its claim is journalled').toHaveLength(1)
    const card = store.ofCall(id)
    expect(card?.resolution?.decision, 'its newest card is approved').toBe('approved')
    expect(rows('decision', card?.card.toolUseId ?? '').map(({ decision }) => decision)).toEqual(['approved'])
    expect(now.isRehearsal).toBe(false)
  }

  /** One process. `kill`: nothing of it happens any more. */
  function start() {
    let isDead = false
    const own: Clock = { ...clock, after: (ms, run) => clock.after(ms, () => isDead || run()) }
    const gates = new Set<() => void>()
    const abort = new AbortController()
    const world = () => ({ cluster: lab.cluster.state(), policy: shippedPolicy, now: clock.now() })
    const tools = overHomelab(lab).map((tool) => ({
      ...tool,
      effects(...args: Parameters<typeof tool.effects>) {
        asked.effects += 1
        return tool.effects(...args)
      },
      async run(...args: Parameters<typeof tool.run>): Promise<ToolOutput> {
        if (tool.name !== 'stop_vm') return tool.run(...args)
        mayStart(Number(args[0].vmid))
        const output = await tool.run(...args)
        await new Promise<void>((open) => gates.add(open))
        if (isDead) return never()
        if (now.isAnswerLost) throw new JarvisError('outcome_unknown', 'The answer was lost.')
        return output
      },
    }))
    const catalog = createCatalog(tools)
    const judging = createJudge(catalog, world)
    const judge: typeof judging = (...call) => {
      asked.verdicts += 1
      return judging(...call)
    }
    const units = new SeenUnits(lab.cluster, own)
    const shared = { journal, transactions: database, clock: own, report }
    const executions = new SqliteExecutionStore(database)
    const redactor = createRedactor([])
    const grants = new Grants({ ...shared, store: new SqliteGrantStore(database), proof: journal.proof, changed() {} })
    const unsigned = () => expect.fail('No rule here wants a signature.')
    const decisions = { challenge: unsigned, check: unsigned, use: unsigned, problem: unsigned, signedBy: unsigned }
    const cards = { store, ttlMs: 60_000, changed() {}, isWatched: () => true, decisions, unsigned }
    const changeStore = new SqliteChangeStore(database)
    const changes = new Changes({ ...shared, store: changeStore, redactor, world, changed() {} })
    const plans = { begin: () => expect.fail('No call here leads to a plan.'), reserve: () => undefined }
    const ways = new Ways({
      ...shared,
      ...cards,
      people: onlyOwner,
      executions,
      images,
      redactor,
      world,
      changes,
      plans,
      note() {},
    })
    // Reading afresh takes a while, in which others decide.
    const lookAgain = turn
    const confirmations = new Cards({
      ...shared,
      ...cards,
      ways,
      judge,
      grants,
      proof: journal.proof,
      people: onlyOwner,
      mayBreakGlass: () => false,
      whyUnknown: () => undefined,
      glassBroken: () => expect.fail('Nobody decides alone here.'),
      arm: (id, afterMs) => changeStore.arm(id, afterMs),
      redactValue: redactor.value,
      lookAgain,
      goneBecause: () => (now.isAskerKnown ? undefined : 'Its token was revoked.'),
      redact: redactor.text,
      isStopping: () => isDead,
    })
    const executor = new CallExecutor({
      ...shared,
      decisions,
      unsigned,
      people: onlyOwner,
      questions: { ask: () => expect.fail('No call here asks a question.') },
      observed: () => expect.fail('No rule here wants to hear of a call.'),
      applied: async () => undefined,
      keepFiles: () => expect.fail('No tool here receives a file.'),
      leftOf: async () => 'It is there.',
      ways,
      judge,
      seeingJudge: createSeeingJudge({ judge, units, previews: { look: () => undefined } }),
      effectsOf: createEffectsOf(catalog, world),
      sightOf: () => undefined,
      goneSince: () => undefined,
      world,
      confirmations,
      grants,
      returns: { reserve: () => undefined },
      changes,
      plans,
      lookAgain,
      executions,
      proof: journal.proof,
      redactor,
      cluster: lab.cluster,
      catalog,
    })
    let before: Promise<unknown> | undefined
    for (const call of calls.filter(isOpen)) {
      before = executor.settle(call, {
        sessionId,
        runId,
        principal: requestedBy,
        signal: abort.signal,
        append(draft) {
          expect(isDead, 'a dead process writes nothing').toBe(false)
          entries.push({ ...draft, seq: entries.length + 1, runId, at: clock.now() } as Entry)
        },
        progress(_, message) {
          if (/became of it/.test(message)) asked.looks += 1
        },
        abortedBy: () => 'anna',
        before,
        kin: () => [runId],
        isRehearsal: () => now.isRehearsal,
        sources: () => ({ results: [], operatorTexts: [] }),
      })
    }
    return {
      confirmations,
      executor,
      /** Resolves once every call has its outcome. */
      idle: async () => before,
      abort: () => abort.abort(),
      answer() {
        for (const open of gates) open()
        gates.clear()
      },
      kill() {
        isDead = true
        confirmations.stop()
        grants.stop()
      },
    }
  }
  return { clock, database, lab, store, entries, now, starts, asked, faults, rows, start }
}

const stop = (vmid: number) =>
  ({ type: 'tool_call', toolUseId: `tu_${vmid}`, toolName: 'stop_vm', toolInput: { vmid } }) as const
const card = fc.nat(1)
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      card,
      votes: fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drift' as const), card }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), isLost: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('expire', 'abort', 'crash', 'crash', 'revoke', 'rehearse', 'check', 'wait'),
    }),
  },
)

/** They reach all that the walk is about, whatever else it does. */
const examples: [Act[]][] = [
  [[{ do: 'decide', card: 0, votes: [true] }, { do: 'crash' }]],
  [
    [
      { do: 'drift', card: 0 },
      { do: 'decide', card: 1, votes: [false] },
    ],
  ],
]

test(
  'whatever happens in whatever order, an approved call starts at most once, and every call ends',
  async () => {
    const seen = { started: 0, lookedFor: 0, denied: 0, decided: 0, drifted: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
        const calls = [stop(103), stop(123)]
        const house = createHouse(calls)
        const { clock, store, lab, now, entries } = house
        let process = house.start()
        await turn()
        const decisions = new Map<string, string>()
        const pending = () => process.confirmations.pending(sessionId)
        const settleDown = async () => {
          await clock.advance(0)
          await clock.advance(0)
          await clock.advance(0)
        }
        for (const one of acts) {
          switch (one.do) {
            case 'decide': {
              const toolUseId = pending()[one.card]?.toolUseId
              if (toolUseId === undefined) break
              const votes = one.votes.map(async (confirmed, index) =>
                process.confirmations.decide({ toolUseId, confirmed, by: ['anna', 'bob'][index] ?? '' }),
              )
              const won = (await Promise.allSettled(votes)).filter(({ status }) => status === 'fulfilled')
              expect(won.length, 'the first decision wins').toBeLessThanOrEqual(1)
              if (!now.isAskerKnown && !one.votes.includes(false))
                expect(won, 'who asked may not ask any more').toEqual([])
              seen.decided += won.length
              break
            }
            case 'drift': {
              const vmid = Number(pending()[one.card]?.toolInput.vmid ?? 103)
              const guest = lab.cluster.state().guests.find((known) => known.vmid === vmid)
              lab.controls.migrateGuest(vmid, guest?.node === 'pve' ? 'agent' : 'pve')
              seen.drifted += 1
              break
            }
            case 'answer':
              now.isAnswerLost = one.isLost
              process.answer()
              break
            case 'expire':
              await clock.advance(61_000)
              break
            case 'abort':
              process.abort()
              break
            case 'crash':
              process.kill()
              process = house.start()
              break
            case 'revoke':
              now.isAskerKnown = false
              break
            case 'rehearse':
              // As a session does: what waits is withdrawn.
              now.isRehearsal = !now.isRehearsal
              for (const { toolUseId } of pending()) process.confirmations.cancel(toolUseId, 'anna', 'Rehearsal began.')
              break
            case 'check': {
              const checking = process.executor.check('tu_103').catch((error: JarvisError) => error.code)
              // A task that goes on is looked at again, for half a minute.
              await clock.advance(31_000)
              const found = await checking
              if (typeof found === 'string') expect(['not_found', 'already_decided']).toContain(found)
              break
            }
            default:
              await clock.advance(1_000)
          }
          await settleDown()
          for (const row of store.list(0)) {
            const known = decisions.get(row.toolUseId)
            if (known !== undefined) expect(row.decision).toBe(known)
            if (row.decision !== undefined) decisions.set(row.toolUseId, row.decision)
          }
        }
        now.isAnswerLost = false
        const outcomes = (id: string) => entries.filter((entry) => settles(entry) && callIdOf(entry) === id)
        for (let round = 0; round < 12 && calls.some(({ toolUseId }) => outcomes(toolUseId).length === 0); round += 1) {
          process.answer()
          await clock.advance(61_000)
        }
        expect(pending()).toEqual([])
        expect(house.faults).toEqual([])
        for (const { toolUseId } of calls) {
          expect(outcomes(toolUseId)).toHaveLength(1)
          const outcome = new SqliteExecutionStore(house.database).get(toolUseId)?.outcome
          const claims = house.rows('execution', toolUseId).length
          expect(claims, 'a claim has an outcome').toBe(outcome === undefined ? 0 : 1)
        }
        seen.started += house.starts.size
        seen.lookedFor += house.asked.looks
        seen.denied += [...decisions.values()].filter((decision) => decision === 'denied').length
        process.kill()
        house.database.close()
        lab.cluster.close()
      }),
      { ...runs(10), endOnFailure: true, examples },
    )
    // The walk reaches what it is about.
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0)
  },
  patienceMs(60_000),
)

test('a read is judged once on its way, and its effects are looked at once', async () => {
  const read = { type: 'tool_call', toolUseId: 'tu_read', toolName: 'get_vms', toolInput: {} } as const
  const { asked, entries, start, database, lab, faults } = createHouse([read])
  // As a run does, which orders the changes of one answer.
  const { executor, idle } = start()
  expect(executor.locksOf(read)).toEqual([])
  await idle()
  expect(entries.map(({ type }) => type)).toEqual(['tool_use', 'tool_result'])
  expect({ asked, faults }).toEqual({ asked: { verdicts: 1, effects: 1, looks: 0 }, faults: [] })
  database.close()
  lab.cluster.close()
})
