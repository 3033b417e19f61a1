import fc from 'fast-check'
import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import { patienceMs, runs } from '../../scripts/property-runs.ts'
import type { Reservation, Spender } from '../src/agent/budgets.ts'
import type { CostOf } from '../src/agent/spent.ts'
import { createKeeper } from '../src/budgets/index.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSpendingStore } from '../src/store/sqlite/spending.ts'

/** One dollar per million tokens read, ten per million written. */
const costOf: CostOf = (_model, { inputTokens, outputTokens }) => (inputTokens + outputTokens * 10) / 1e6
const limits = { run: { calls: 12, tokens: 60_000, usd: 0.2 }, day: { tokens: 150_000, usd: 0.5 } }
const jobs = { tokens: 70_000 }
const ofAgent = { run: { tokens: 50_000 }, day: { tokens: 90_000 } }

type Call = { of: number; input: number; output: number /** What it uses of its estimate, 0..1.5. */; used: number }
type Act =
  | ({ do: 'begin' | 'last' | 'fold' } & Call)
  | { do: 'end'; call: number }
  | { do: 'fails'; call: number; isLost: boolean }
  | { do: 'unsent'; call: number }
  | { do: 'lend'; of: number }
  | { do: 'give back'; child: number }
  | { do: 'crash' }

const call = {
  of: fc.nat(9),
  input: fc.integer({ min: 1, max: 20_000 }),
  output: fc.integer({ min: 1, max: 4_000 }),
  used: fc.constantFrom(0, 0.1, 0.5, 1, 1, 1.5),
}
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('begin' as const), ...call }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('last' as const, 'fold' as const), ...call }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('end' as const), call: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fails' as const), call: fc.nat(5), isLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unsent' as const), call: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lend' as const), of: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give back' as const), child: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.constant<Act>({ do: 'crash' }) },
)

const kinds = { begin: 'turn', last: 'wrap_up', fold: 'compaction' } as const

/** Spenders of the runs that exist from the start: two of a chat, one of a job. */
const starts: Spender[] = [
  { runId: 'one', sessionId: 's', agent: 'main', activeMs: 0 },
  { runId: 'two', sessionId: 's', agent: 'media', activeMs: 0 },
  { runId: 'three', sessionId: 's', agent: 'main', jobId: 'j', activeMs: 0 },
]
/** `lent`: tokens that a child took from its parent. */
type Run = Spender & { parent?: string; lent: number; isOpen: boolean }
/** A call as it should stand in the ledger. `over`: tokens and dollars beyond its estimate. */
type Row = { run: Run; kind: string; tokens: number; usd: number; over: { tokens: number; usd: number } }

function play(acts: readonly Act[]) {
  const database = openDatabase(':memory:')
  try {
    const store = new SqliteSpendingStore(database)
    const keeper = createKeeper({
      store,
      costOf,
      now: () => 1_000,
      midnight: () => 0,
      budgets: () => ({ ...limits, jobs, agents: {} }),
      agentLimits: (agent) => (agent === 'media' ? ofAgent : { run: {}, day: {} }),
      jobLimits: () => ({ run: {}, day: {} }),
    })
    const runs: Run[] = starts.map((run) => ({ ...run, lent: 0, isOpen: true }))
    const rows = new Set<Row>()
    let open: { row: Row; call: Call; reservation: Reservation; lost: number }[] = []
    let lasts = 0
    const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)]

    function begin({ of, input, output, used }: Call, kind: 'turn' | 'wrap_up' | 'compaction') {
      const run = pick(
        runs.filter(({ isOpen }) => isOpen),
        of,
      )
      if (run === undefined) return
      const plan = { model: 'm', inputTokens: input, outputTokens: output }
      const asked =
        kind === 'turn'
          ? keeper.ask(run, plan)
          : kind === 'wrap_up'
            ? keeper.askLast(run, plan)
            : keeper.aside(kind, plan, run)
      if (asked === undefined || 'refused' in asked) return
      if (kind === 'wrap_up') lasts += 1
      const row = {
        run,
        kind,
        tokens: input + output,
        usd: (input + output * 10) / 1e6,
        over: { tokens: 0, usd: 0 },
      }
      rows.add(row)
      open.push({ row, call: { of, input, output, used }, reservation: asked, lost: 0 })
    }

    for (const one of acts) {
      if ('input' in one) begin(one, kinds[one.do])
      else if (one.do === 'lend') {
        const parent = pick(runs.slice(0, 3), one.of)
        const runId = `child ${runs.length}`
        if (parent === undefined || runs.length > 12) continue
        const slice = keeper.slices.take(parent, { runId, sessionId: 's' })
        if ('refused' in slice) continue
        runs.push({ ...parent, runId, parent: parent.runId, lent: slice.taken.tokens ?? 0 })
      } else if (one.do === 'give back') {
        const child = pick(
          runs.filter(({ parent, isOpen }) => parent !== undefined && isOpen),
          one.child,
        )
        // A child ends after its calls.
        if (child === undefined || open.some(({ row }) => row.run === child)) continue
        keeper.slices.giveBack(child.runId)
        child.isOpen = false
      } else if (one.do === 'crash') {
        // The calls that went on count from now on with the most that they could use.
        store.closeAll()
        open = []
      } else {
        const going = pick(open, one.call)
        if (going === undefined) continue
        const { row, call: made, reservation } = going
        const [input, output] = [Math.round(made.input * made.used), Math.round(made.output * made.used)]
        if (one.do === 'fails') {
          if (one.isLost) going.lost += made.input
          const fits = reservation.again(undefined, one.isLost)
          row.tokens = going.lost + made.input + made.output
          row.usd = (going.lost + made.input + made.output * 10) / 1e6
          row.over = { tokens: going.lost, usd: going.lost / 1e6 }
          if (fits) continue
          reservation.settle(noUsage, { said: 0 })
          row.tokens = going.lost + made.input
          row.usd = row.tokens / 1e6
        } else if (one.do === 'unsent') {
          reservation.release()
          rows.delete(row)
        } else {
          reservation.settle({ ...noUsage, inputTokens: input, outputTokens: output })
          // A reply that nobody counted counts as its request was sent.
          const counted = input + output === 0 ? made.input : input
          row.tokens = counted + output + going.lost
          row.usd = (counted + output * 10 + going.lost) / 1e6
          row.over = {
            tokens: Math.max(0, row.tokens - made.input - made.output),
            usd: Math.max(0, row.usd - (made.input + made.output * 10) / 1e6),
          }
        }
        open = open.filter((other) => other !== going)
      }
      agree()
    }
    // All ends: nothing is lent any more, and each run counts what it and its children used.
    for (const { reservation, row } of open) {
      reservation.release()
      rows.delete(row)
    }
    for (const { runId, parent } of runs) if (parent !== undefined) keeper.slices.giveBack(runId)
    for (const run of runs.slice(0, 3)) {
      const { spent } = keeper.stateOf(run)
      expect(spent.tokens).toBe(tokensOf(({ run: { runId, parent } }) => runId === run.runId || parent === run.runId))
    }

    function tokensOf(isMeant: (row: Row) => boolean, unit: 'tokens' | 'usd' = 'tokens', over = false) {
      return [...rows].filter(isMeant).reduce((sum, row) => sum + (over ? row.over[unit] : row[unit]), 0)
    }

    function agree() {
      const day = store.sum({ since: 0 })
      expect(day.tokens).toBe(tokensOf(() => true))
      expect(day.usd).toBeCloseTo(
        tokensOf(() => true, 'usd'),
        6,
      )
      for (const field of ['agent', 'kind'] as const) {
        const sums = store.sumsBy(field, 0)
        expect(sums.reduce((sum, { spent }) => sum + spent.tokens, 0)).toBe(day.tokens)
        for (const { key, spent } of sums)
          expect(spent.tokens).toBe(tokensOf(({ run, kind }) => key === (field === 'agent' ? run.agent : kind)))
      }
      const within = (spent: number, most: number, isMeant: (row: Row) => boolean, unit: 'tokens' | 'usd' = 'tokens') =>
        expect(spent).toBeLessThanOrEqual(most + tokensOf(isMeant, unit, true) + 1e-9)
      within(day.tokens, limits.day.tokens, () => true)
      within(day.usd, limits.day.usd, () => true, 'usd')
      within(store.sum({ since: 0, isJob: true }).tokens, jobs.tokens, ({ run }) => run.jobId !== undefined)
      within(store.sum({ since: 0, agent: 'media' }).tokens, ofAgent.day.tokens, ({ run }) => run.agent === 'media')
      for (const run of runs) {
        const { spent, limits: own } = keeper.stateOf(run)
        const isOwn = ({ run: { runId, parent } }: Row) => runId === run.runId || parent === run.runId
        within(spent.tokens, own.tokens ?? Number.POSITIVE_INFINITY, isOwn)
        within(spent.usd, own.usd ?? Number.POSITIVE_INFINITY, isOwn, 'usd')
        // The parent does not use a lent amount too.
        const lent = runs.reduce((sum, { runId, parent, lent, isOpen }) => {
          const left = lent - tokensOf((row) => row.run.runId === runId)
          return parent === run.runId && isOpen ? sum + Math.max(0, left) : sum
        }, 0)
        within(tokensOf(isOwn) + lent, own.tokens ?? Number.POSITIVE_INFINITY, isOwn)
        // A last answer may be one call more.
        expect(spent.calls).toBeLessThanOrEqual((own.calls ?? Number.POSITIVE_INFINITY) + lasts)
      }
    }
  } finally {
    database.close()
  }
}

test(
  'no limit is passed by more than calls used beyond their estimates, what is lent comes back, and all sums agree',
  () => {
    fc.assert(fc.property(fc.array(act, { minLength: 20, maxLength: 80 }), play), runs(10))
  },
  patienceMs(20_000),
)
