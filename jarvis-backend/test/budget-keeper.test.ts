import type { Budgets, Usage } from 'protocol'
import { noUsage } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { Spender } from '../src/agent/budgets.ts'
import type { CostOf } from '../src/agent/spent.ts'
import { usualBudgets } from '../src/budgets/defaults.ts'
import { createKeeper, type OwnLimits } from '../src/budgets/index.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSpendingStore } from '../src/store/sqlite/spending.ts'

const day = 24 * 60 * 60_000

/** One dollar per million tokens read, ten per million written, for models named `dear`. */
const costOf: CostOf = (model, { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }) =>
  model === 'dear' ? (inputTokens + cacheReadTokens * 0.1 + cacheWriteTokens + outputTokens * 10) / 1e6 : undefined

const open = { run: {}, day: {}, jobs: {}, agents: {} }

function keeperWith(budgets: Partial<Budgets>, given: { agent?: Partial<OwnLimits>; job?: Partial<OwnLimits> } = {}) {
  const database = openDatabase(':memory:')
  onTestFinished(() => void database.close())
  const store = new SqliteSpendingStore(database)
  const clock = { at: 10 * day }
  const keeper = createKeeper({
    store,
    costOf,
    now: () => clock.at,
    midnight: () => clock.at - (clock.at % day),
    budgets: () => ({ ...open, ...budgets }),
    agentLimits: () => ({ run: {}, day: {}, ...given.agent }),
    jobLimits: () => ({ run: {}, day: {}, ...given.job }),
  })
  return { keeper, store, clock }
}

const spender = (more: Partial<Spender> = {}): Spender => ({
  runId: 'run_1',
  sessionId: 'ses_1',
  agent: 'main',
  activeMs: 0,
  ...more,
})
const plan = (inputTokens: number, outputTokens: number, model = 'dear') => ({ model, inputTokens, outputTokens })
const used = (inputTokens: number, outputTokens = 0): Usage => ({ ...noUsage, inputTokens, outputTokens })

type Kept = ReturnType<typeof keeperWith>['keeper']
/** Makes a call that uses what it planned. @returns why it was refused */
function spend(keeper: Kept, of: Spender, inputTokens: number, outputTokens = 0, model = 'dear') {
  const asked = keeper.ask(of, plan(inputTokens, outputTokens, model))
  if ('refused' in asked) return asked.refused
  asked.settle(used(inputTokens, outputTokens))
  return undefined
}

test.each<[string, Partial<Budgets>, Partial<Spender>, string]>([
  [
    'a run’s dollars',
    { run: { usd: 1 } },
    {},
    'This run may cost $1.00 and has cost $0.60. The next call could cost up to $0.50.',
  ],
  [
    'a run’s tokens',
    { run: { tokens: 1_300_000 } },
    {},
    'This run may use 1,300,000 tokens and has used 600,000 tokens.',
  ],
  ['a run’s calls', { run: { calls: 1 } }, {}, 'This run may make 1 model call and has made 1 model call.'],
  [
    'a run’s minutes',
    { run: { minutes: 15 } },
    { activeMs: 14 * 60_000 },
    'This run may take 15 min and has taken 14 min.',
  ],
  ['the day’s dollars', { day: { usd: 1 } }, { runId: 'run_2' }, 'All models together may cost $1.00 a day'],
  ['an agent’s dollars', { agents: { main: { usd: 1 } } }, { runId: 'run_2' }, 'Agent main may cost $1.00 a day'],
  ['all jobs’ dollars', { jobs: { usd: 1 } }, { runId: 'run_2', jobId: 'j' }, 'All jobs together may cost $1.00 a day'],
])('%s stop before the call that would pass them', (_what, budgets, more, words) => {
  const { keeper } = keeperWith(budgets)
  expect(spend(keeper, spender({ jobId: 'j' }), 600_000)).toBeUndefined()
  expect(spend(keeper, spender(more), 500_000)).toContain(words)
})

test('an agent’s and a job’s own limits hold besides', () => {
  const { keeper } = keeperWith({}, { job: { day: { tokens: 100 } }, agent: { run: { tokens: 50 } } })
  expect(spend(keeper, spender(), 51)).toContain('This run may use 50 tokens')
  const other = keeperWith({}, { job: { run: { usd: 0.1 }, day: { tokens: 100 } } }).keeper
  expect(spend(other, spender({ jobId: 'j' }), 200_000)).toContain('This run may cost $0.10')
  expect(spend(other, spender({ jobId: 'j' }), 101)).toContain('This job may use 100 tokens a day')
})

test('another day begins at nothing, and a run keeps what it used', () => {
  const { keeper, clock } = keeperWith({ day: { usd: 1 }, run: { usd: 2 } })
  expect(spend(keeper, spender(), 900_000)).toBeUndefined()
  expect(spend(keeper, spender(), 900_000)).toContain('a day')
  clock.at += day
  expect(spend(keeper, spender(), 900_000)).toBeUndefined()
  expect(keeper.stateOf(spender()).spent.usd).toBeCloseTo(1.8)
})

test('where a price is not known tokens decide', () => {
  const { keeper } = keeperWith({ run: { usd: 0.01, tokens: 1_000_000 } })
  expect(spend(keeper, spender(), 400_000, 0, 'own')).toBeUndefined()
  expect(spend(keeper, spender(), 400_000, 0, 'own')).toContain('1,000,000 tokens')
  expect(keeper.stateOf(spender()).spent).toMatchObject({ usd: 0, unpriced: 1 })
})

test('what goes on at once counts with the most that it could use', () => {
  const { keeper } = keeperWith({ day: { usd: 1 } })
  const first = keeper.ask(spender(), plan(100_000, 50_000))
  expect(spend(keeper, spender({ runId: 'run_2' }), 500_000)).toContain('has cost $0.60')
  if ('settle' in first) first.settle(used(100_000, 10))
  expect(spend(keeper, spender({ runId: 'run_2' }), 500_000)).toBeUndefined()
})

test('a call that a crash cut off counts with the most that it could use', () => {
  const { keeper, store } = keeperWith({ run: { usd: 1 } })
  keeper.ask(spender(), plan(100_000, 50_000))
  store.closeAll()
  expect(keeper.stateOf(spender()).spent).toMatchObject({ usd: 0.6, isPartial: true })
})

test('the last answer fits or is not made, and is made once', () => {
  const { keeper } = keeperWith({ run: { usd: 1, calls: 1 } })
  expect(spend(keeper, spender(), 900_000)).toBeUndefined()
  expect(keeper.askLast(spender(), plan(100_000, 1_000))).toBeUndefined()
  const last = keeper.askLast(spender(), plan(50_000, 1_000))
  expect(last).toBeDefined()
  last?.settle(used(10))
  expect(keeper.askLast(spender(), plan(10, 10))).toBeUndefined()
})

test('a person is told once 90 % could be reached, and may allow more', () => {
  const { keeper } = keeperWith({ run: { usd: 1, tokens: 2_000_000 }, day: { usd: 1 } })
  const near = (inputTokens: number) => {
    const asked = keeper.ask(spender(), plan(inputTokens, 0))
    if ('refused' in asked) return asked.refused
    asked.settle(used(inputTokens))
    return asked.near
  }
  expect(near(400_000)).toBeUndefined()
  expect(near(50_000)).toBeUndefined()
  expect(near(500_000)).toBe('$0.55 is left for this run. About 1 more call of this size.')
  expect(near(500_000)).toContain('This run may cost $1.00')
  expect(keeper.raise(spender(), 1)).toBe('run_1')
  expect(near(500_000)).toBeUndefined()
  expect(keeper.stateOf(spender())).toMatchObject({ limits: { usd: 2, tokens: 4_000_000 }, raisedUsd: 1 })
  // The day was raised for that run only.
  expect(spend(keeper, spender({ runId: 'run_2' }), 1_000)).toContain('All models together')
})

test('attempts that failed count, and another one is made only where it fits', () => {
  const { keeper } = keeperWith({ run: { usd: 1 } })
  const asked = keeper.ask(spender(), plan(400_000, 0))
  if ('refused' in asked) throw new Error(asked.refused)
  expect(asked.again(undefined, true)).toBe(true)
  expect(asked.again(undefined, true)).toBe(false)
  asked.settle(used(400_000))
  expect(keeper.stateOf(spender()).spent.usd).toBeCloseTo(1.2)
})

test('a reply that was not counted whole counts at least what was sent and what came', () => {
  const { keeper } = keeperWith({})
  const settle = (usage: Usage, counted: { isPartial?: boolean; said?: number }) => {
    const asked = keeper.ask(spender(), plan(1_000, 500))
    if ('settle' in asked) asked.settle(usage, counted)
    return keeper.stateOf(spender()).spent.tokens
  }
  expect(settle(noUsage, { said: 330 })).toBe(1_100)
  expect(settle(used(900, 5), { isPartial: true, said: 0 })).toBe(1_100 + 1_005)
  expect(settle(used(10, 5), {})).toBe(1_100 + 1_005 + 15)
})

test('a child takes its slice at its start, is bound by it, and gives back what it did not use', () => {
  const { keeper } = keeperWith({ run: { usd: 1, calls: 40, minutes: 15 } })
  const [parent, child, other] = ['p', 'c', 'd'].map((runId) => spender({ runId }))
  if (!parent || !child || !other) throw new Error()
  expect(spend(keeper, parent, 200_000)).toBeUndefined()
  expect(keeper.slices.take(parent, child, 0.5)).toMatchObject({ taken: { calls: 20, usd: 0.4, minutes: 14 } })
  expect(keeper.stateOf(parent).spent).toMatchObject({ usd: 0.6000000000000001, calls: 21 })
  expect(spend(keeper, parent, 500_000)).toContain('has cost $0.60')
  expect(spend(keeper, child, 100_000)).toBeUndefined()
  expect(spend(keeper, child, 400_000)).toContain('This run may cost $0.40 and has cost $0.10')
  expect(keeper.stateOf(parent).spent.usd).toBeCloseTo(0.6)
  keeper.slices.giveBack('c')
  keeper.slices.giveBack('c')
  expect(keeper.stateOf(parent).spent.usd).toBeCloseTo(0.3)
  expect(spend(keeper, parent, 690_000)).toBeUndefined()
  expect(keeper.slices.take(parent, other, 0.5)).toHaveProperty('taken')
  // A child's raise is its parent's.
  expect(keeper.raise(other, 1)).toBe('p')
})

test('three helpers of a dollar each work side by side, where the longest answer of their model costs two', () => {
  const { keeper } = keeperWith({ run: { usd: 4 } })
  const helpers = ['a', 'b', 'c'].map((runId) => spender({ runId }))
  for (const [at, helper] of helpers.entries())
    expect(keeper.slices.take(spender(), helper, 1 / (4 - at))).toMatchObject({ taken: { usd: expect.closeTo(1) } })
  const asked = helpers.map((helper) => keeper.ask(helper, plan(10_000, 200_000)))
  for (const one of asked) expect(one).toMatchObject({ outputTokens: 50_000, near: undefined })
  for (const one of asked) if ('settle' in one) one.settle(used(10_000, 2_000))
  expect(helpers.map((helper) => keeper.stateOf(helper).spent.usd)).toEqual([0.03, 0.03, 0.03])
  // The run itself still asks for its whole answer, and a helper without room for any answer ends.
  expect(keeper.ask(spender(), plan(10_000, 200_000))).toHaveProperty('refused')
  expect(helpers.map((helper) => spend(keeper, helper, 960_000, 200_000))).toEqual(
    Array(3).fill(expect.stringContaining('This run may cost $1.00')),
  )
})

test('a run that has nothing left lends nothing', () => {
  const { keeper } = keeperWith({ run: { calls: 2 } })
  expect(spend(keeper, spender(), 1)).toBeUndefined()
  expect(keeper.slices.take(spender(), { runId: 'c', sessionId: 'ses_1' }, 0.3)).toMatchObject({
    refused: expect.stringContaining('leaves nothing for a helper'),
  })
})

test('a title counts to the day, and is left out where it does not fit', () => {
  const { keeper, store } = keeperWith({ day: { tokens: 100 } })
  keeper.aside('title', plan(50, 10), { agent: 'main' })?.settle(used(50, 10))
  expect(keeper.aside('title', plan(50, 10), { agent: 'main' })).toBeUndefined()
  expect(store.sumsBy('kind', 0)).toMatchObject([{ key: 'title', spent: { tokens: 60 } }])
})

test('the usual limits are those of the documentation', () => {
  expect(usualBudgets).toMatchObject({
    run: { calls: 40, tokens: 500_000, usd: 1, minutes: 15 },
    day: { usd: 5 },
  })
})
