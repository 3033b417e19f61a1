import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { reads } from '../src/gate/targets.ts'
import { defineTool } from '../src/tools/tool.ts'
import { folder } from './support/data-dir.ts'
import { failingRows } from './support/failing-rows.ts'
import { type Brain, type Running, standIns, startStandIns } from './support/stand-ins.ts'
import { type Screen, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** Asks a person each time. */
let rung = 0
const ringBell = defineTool({
  name: 'ring_bell',
  title: 'Ring the bell',
  description: 'Rings the bell.',
  tier: 'red',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  timeoutMs: 5_000,
  input: z.strictObject({ times: z.int().min(1).max(9) }),
  async run({ times }) {
    rung += 1
    return { text: `Rang ${times} times.`, summary: 'Rang.' }
  },
})

/** The server that cannot answer in the middle of a run. */
let failing = ''
const looks = {
  calls: [
    { name: 'get_vms', input: {} },
    { name: 'get_storage', input: { node: null } },
  ],
}
const brain: Brain = ({ said, results, isFold }, by) => {
  if (isFold) return { text: 'They spoke of guests.' }
  if (said.startsWith('Which')) return results === 0 ? looks : { text: 'Two are stopped.' }
  if (said.startsWith('Ring'))
    return results === 0 ? { calls: [{ name: 'ring_bell', input: { times: 2 } }] } : { text: 'So it is.' }
  if (said.startsWith('Wait')) return results === 0 ? looks : 'holds'
  if (said.startsWith('Fall')) {
    if (results > 0 && by === failing) return 'fails'
    return results < 3 ? { calls: [{ name: 'get_cluster_status', input: {} }] } : { text: 'All is well.' }
  }
  return { text: 'Noted.' }
}

async function ask(screen: Screen, message: string, more: { sessionId?: string; model?: string } = {}) {
  const { sessionId } = await screen.ask('chat:send', { message, ...more })
  const end = await Promise.race([screen.next('chat:done'), screen.next('chat:error')])
  return { sessionId, end }
}
const entriesOf = async (jarvis: TestJarvis, id: string) =>
  (await (await jarvis.rest(`/api/sessions/${id}/export?format=jsonl`)).text())
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Entry]))

/** A provider's name in ids. */
const providerOf = ({ name }: Running) => `lab-${name}`.toLowerCase().replaceAll(/[^a-z]+/g, '-')
const idOf = (one: Running) => `${providerOf(one)}/${one.model}`

/** Each of these falls back on the next, and the last on the first. */
const groups: Record<string, readonly string[]> = {
  home: ['llama.cpp', 'Ollama', 'LM Studio', 'vLLM', "a server with Claude's API"],
  services: ['Mistral', 'Gemini', 'Groq', 'OpenRouter', 'DeepSeek', 'xAI'],
  clouds: ['Azure', 'Bedrock', 'Vertex', 'Claude on Bedrock', 'OpenAI', 'Anthropic'],
}

test('each server stands in one group', () => {
  expect(Object.values(groups).flat().toSorted()).toEqual(standIns.map(({ name }) => name).toSorted())
})

test.each(Object.keys(groups))(
  'a long conversation with tools, cards, a stop, a fold, a fallback and a restart is taken by every server, and nothing is refused twice: %s',
  async (group) => {
    const servers = await startStandIns(
      brain,
      (groups[group] ?? []).flatMap((name) => standIns.filter((one) => one.name === name)),
    )
    onTestFinished(servers.stop)
    const dataDir = folder()
    const next = (i: number) => servers.all[(i + 1) % servers.all.length] as Running
    writeFileSync(
      join(dataDir, 'models.json'),
      JSON.stringify({
        version: 1,
        providers: servers.all.map((one) => ({
          name: providerOf(one),
          kind: one.kind,
          baseUrl: one.url,
          models: [one.model],
          key: 'sk-stand-in',
        })),
        fallbacks: servers.all.map((one, i) => ({ model: idOf(one), then: [idOf(next(i))] })),
      }),
    )
    const options = {
      dataDir,
      fromFiles: true as const,
      tools: [ringBell],
      clusterStands: true as const,
      env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off', JARVIS_EFFORT: 'medium', CHAT_CONTEXT_TOKENS: '200000' },
    }
    const sessions = new Map<string, string>()
    const jarvis = await startJarvis(options)

    async function converse(one: Running) {
      const screen = await jarvis.connect()
      const model = idOf(one)
      const done = { stopReason: 'end_turn' }
      const { sessionId, end } = await ask(screen, 'Which guests are stopped?', { model })
      sessions.set(one.name, sessionId)
      expect(end).toMatchObject(done)

      for (const confirmed of [true, false]) {
        const before = rung
        await screen.ask('chat:send', { sessionId, model, message: 'Ring the bell.' })
        const { toolUseId } = await screen.next('chat:confirm_needed')
        await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed })
        expect(await Promise.race([screen.next('chat:done'), screen.next('chat:error')])).toMatchObject(done)
        expect(rung - before).toBe(confirmed ? 1 : 0)
      }

      await screen.ask('chat:send', { sessionId, model, message: 'Wait for it.' })
      await expect.poll(servers.held).toBe(1)
      await screen.ask('chat:abort', { sessionId })
      expect(await screen.next('chat:done')).toMatchObject({ stopReason: 'aborted' })
      expect((await ask(screen, 'Then tell me why it is busy.', { sessionId, model })).end).toMatchObject(done)

      failing = one.name
      expect((await ask(screen, 'Fall over.', { sessionId, model })).end).toMatchObject(done)
      failing = ''
      expect(one.failed).toBe(1)
      expect((await ask(screen, 'Which guests are stopped now?', { sessionId, model })).end).toMatchObject(done)

      // The server reads less than was thought, and says so in its own words.
      for (const part of ['first', 'second', 'third'])
        expect(
          (await ask(screen, `The ${part} log: ${`${part} line. `.repeat(2_000)}`, { sessionId, model })).end,
        ).toMatchObject(done)
      expect((await ask(screen, 'Which guests are stopped after all?', { sessionId, model })).end).toMatchObject(done)

      const entries = await entriesOf(jarvis, sessionId)
      const models = entries.flatMap((entry) => (entry.type === 'assistant' && entry.model ? [entry.model] : []))
      expect(new Set(models).size).toBe(2)
      expect(models.at(-1)).toBe(model)
      expect(entries.filter(({ type }) => type === 'compaction').length).toBeGreaterThanOrEqual(1)
      expect(one.tooLongs).toBeGreaterThanOrEqual(1)
      // No refusal twice.
      expect(one.refusals.filter((said, i) => one.refusals.indexOf(said) !== i).join()).toBe('')
    }
    expect(await failingRows(servers.all, converse, ({ name }) => name)).toEqual([])
    await jarvis.stop()

    const paid = servers.all.map(({ refusals }) => refusals.length)
    const again = await startJarvis(options)
    const screen = await again.connect()
    expect(
      await failingRows(
        servers.all,
        async (one) => {
          const sessionId = sessions.get(one.name) ?? ''
          const { end } = await ask(screen, 'Which guests are stopped today?', { sessionId, model: idOf(one) })
          expect(end).toMatchObject({ stopReason: 'end_turn' })
        },
        ({ name }) => name,
      ),
    ).toEqual([])
    expect(servers.all.map(({ refusals }) => refusals.length)).toEqual(paid)
  },
)
