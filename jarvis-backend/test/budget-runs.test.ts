import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Budgets, BudgetsReply, Entry } from 'protocol'
import { noUsage } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { ModelError } from '../src/agent/model.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { family } from './support/family-model.ts'
import { breaks, calls, pauses, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** A data dir with these limits, and a price for the scripted model: a dollar for a million tokens read, ten for as many written. */
function dataDirWith(budgets: Partial<Budgets>, price = true) {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-budget-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  const all = { run: {}, day: {}, jobs: {}, agents: {}, ...budgets }
  new SqliteSettings(database).set('budgets', JSON.stringify(all))
  database.close()
  if (price) writeFileSync(join(dataDir, 'prices.json'), JSON.stringify({ 'scripted/model': { input: 1, output: 10 } }))
  return dataDir
}

const look = calls(['get_cluster_status', {}])
const used = (inputTokens: number, outputTokens = 0) => ({ usage: { ...noUsage, inputTokens, outputTokens } })
const dear =
  (inputTokens: number) =>
  async (...given: Parameters<typeof look>) => ({
    ...(await look(...given)),
    ...used(inputTokens),
  })
const textsOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'assistant' ? entry.content.flatMap((item) => (item.type === 'text' ? item.text : [])) : [],
  )

async function asking(given: Parameters<typeof startJarvis>[0]) {
  const jarvis = await startJarvis({ env: { JARVIS_TITLES: 'off', JARVIS_EMBEDDINGS: 'none' }, ...given })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How is the cluster?' })
  const done = await operator.next('chat:done')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  return { jarvis, operator, sessionId, done, entries: snapshot.entries }
}

test('a run stops before the call that would pass its dollars, answers once without tools, and says why', async () => {
  const model = scripted(dear(100_000), says('Two nodes are up; the third I did not see.', used(100_100, 20)))
  const { done, entries } = await asking({ model, dataDir: dataDirWith({ run: { usd: 0.25 } }) })
  expect(done).toMatchObject({ stopReason: 'budget' })
  expect(model.requests.map(({ mayCallTools }) => mayCallTools)).toEqual([true, false])
  expect(model.requests[1]?.maxOutputTokens).toBeGreaterThan(0)
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Answer now, in words and without tools')
  expect(textsOf(entries)).toEqual([
    'Two nodes are up; the third I did not see.',
    expect.stringMatching(
      /^I stopped at a limit: this run may cost \$0.25 and has cost \$0.10. The next call could cost up to/,
    ),
  ])
})

test('a last answer that does not fit is not made, and JARVIS says why in its own words', async () => {
  const model = scripted(dear(240_000))
  const { done, entries } = await asking({ model, dataDir: dataDirWith({ run: { usd: 0.25 } }) })
  expect(done).toMatchObject({ stopReason: 'budget' })
  expect(textsOf(entries)).toEqual([expect.stringContaining('has cost $0.24')])
})

test('a last answer that fails leaves JARVIS’s own words', async () => {
  const broken = new ModelError('model_overloaded', 'It is overloaded.', { isRetryable: false })
  const model = scripted(dear(100_000), breaks(broken))
  const { done, entries } = await asking({ model, dataDir: dataDirWith({ run: { usd: 0.25 } }) })
  expect(done).toMatchObject({ stopReason: 'budget' })
  expect(textsOf(entries)).toHaveLength(1)
})

test('where the price is not known tokens decide, and that is said', async () => {
  const model = scripted(dear(100_000))
  const dataDir = dataDirWith({ run: { usd: 0.01, tokens: 150_000 } }, false)
  const { entries } = await asking({ model, dataDir })
  expect(textsOf(entries)).toEqual([expect.stringMatching(/may use 150,000 tokens.* Not every price is known/)])
})

test('the day’s limit stops the chat before its first call, and says what to do', async () => {
  const dataDir = dataDirWith({ day: { usd: 0.0001 } })
  const { done, entries } = await asking({ model: scripted(), dataDir })
  expect(done).toMatchObject({ stopReason: 'budget' })
  expect(textsOf(entries)).toEqual([
    expect.stringMatching(/all models together may cost .* a day .* Settings, Budgets/),
  ])
})

test('an agent’s limits for a run hold in each of its runs, and in no other agent’s', async () => {
  const dataDir = dataDirWith({})
  writeFileSync(join(dataDir, 'agents.yaml'), 'agents:\n  tiny:\n    budget: { usd: 9, run: { calls: 1 } }\n')
  const model = scripted(look, says('One look.'), look, says('Another.'), look, says('All well.'))
  const jarvis = await startJarvis({ model, dataDir, env: { JARVIS_TITLES: 'off', JARVIS_EMBEDDINGS: 'none' } })
  const operator = await jarvis.connect()
  const reasons: string[] = []
  let sessionId: string | undefined
  for (const message of ['@tiny How is it?', 'And now?']) {
    const sent = await operator.ask('chat:send', { message, ...(sessionId !== undefined && { sessionId }) })
    sessionId = sent.sessionId
    reasons.push((await operator.next('chat:done')).stopReason)
    expect(await operator.next('chat:budget')).toMatchObject({ text: expect.stringContaining('1 model call') })
  }
  await operator.ask('chat:send', { message: 'How is it?' })
  reasons.push((await operator.next('chat:done')).stopReason)
  expect(reasons).toEqual(['budget', 'budget', 'end_turn'])
})

test('time before a person’s card does not count', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1, 12))
  const stop = calls(['stop_vm', { vmid: 103 }])
  const model = scripted(stop, says('It stays.'))
  const jarvis = await startJarvis({ model, clock, clusterStands: true, dataDir: dataDirWith({ run: { minutes: 5 } }) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await clock.advance(4 * 60_000)
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
})

/** Streams one sentence again and again until it is aborted. */
const goesRound: Parameters<typeof scripted>[0] = async (_request, sink, signal) => {
  for (let round = 0; round < 200_000; round += 1) {
    sink.text('I will look at the node now. ')
    if (round % 50 === 0) await new Promise(setImmediate)
    signal.throwIfAborted()
  }
  throw new Error('it was not stopped')
}

test('a model that says the same without end is stopped, the run is not done, and one round is kept', async () => {
  const jarvis = await startJarvis({ model: scripted(goesRound) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How is the cluster?' })
  const { code, error } = await operator.next('chat:error')
  expect([code, error]).toEqual(['model_stream_broken', expect.stringContaining('again and again')])
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(textsOf(snapshot.entries)).toEqual(['I will look at the node now. '])
  expect(snapshot.entries.some(({ type }) => type === 'done')).toBe(false)
})

test('a call whose arguments have no end is stopped, and is not run', async () => {
  const jarvis = await startJarvis({
    model: scripted(async (_request, sink, signal) => {
      for (let round = 0; round < 200_000; round += 1) {
        sink.call?.('{"a":')
        if (round % 50 === 0) await new Promise(setImmediate)
        signal.throwIfAborted()
      }
      throw new Error('it was not stopped')
    }),
  })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'How is the cluster?' })
  expect(await operator.next('chat:error')).toMatchObject({ error: expect.stringContaining('The call was not run.') })
})

test('the minutes of a run count while its model streams', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1, 12))
  const streams: Parameters<typeof scripted>[0] = async (_request, sink, signal) => {
    sink.text('The first node is up. ')
    await clock.advance(10 * 60_000)
    signal.throwIfAborted()
    throw new Error('it was not stopped')
  }
  const model = scripted(streams, says('I saw one node.'))
  const { done, entries } = await asking({
    model,
    clock,
    clusterStands: true,
    dataDir: dataDirWith({ run: { minutes: 5 } }),
  })
  expect(done).toMatchObject({ stopReason: 'budget' })
  expect(textsOf(entries)[0]).toBe('The first node is up. ')
})

test('a helper gets the minutes that its run has left, without the time that another helper waited for a person', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1, 12))
  const ask = (word: string) => calls(['delegate', { agent: 'main', task: `Look at ${word}.` }])
  const looks = pauses('Looking ', 'done.')
  const model = family([ask('guests'), ask('disks'), says('All well.')], {
    guests: [calls(['stop_vm', { vmid: 103 }]), says('It stays.')],
    disks: [looks],
  })
  const jarvis = await startJarvis({
    model,
    clock,
    clusterStands: true,
    dataDir: dataDirWith({ run: { minutes: 15 } }),
  })
  const operator = await jarvis.connect()
  const { sessionId, runId } = await operator.ask('chat:send', { message: 'Ask the others.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await clock.advance(4 * 60_000)
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  const limits = async () => {
    const { running } = (await (await jarvis.rest('/api/budgets')).json()) as BudgetsReply
    return running.find((run) => run.runId !== runId)?.limits.minutes
  }
  // A minute is kept for the last answer.
  await expect.poll(limits).toBeCloseTo(14, 1)
  looks.release()
})
