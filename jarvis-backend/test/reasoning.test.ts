import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { modelServer, streams } from './contracts/model-server.ts'
import { createToken } from './support/api-tokens.ts'
import { folder } from './support/data-dir.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { post } from './support/v1.ts'

/** A reply over Chat Completions in these pieces. */
const says = (...pieces: string[]) =>
  streams([
    ...pieces.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`),
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
    'data: [DONE]\n\n',
  ])

test('reasoning whose tag the prompt opened is taken back, known over a restart, and never sent to a program as the answer', async () => {
  await using server = await modelServer()
  const dataDir = folder()
  const models = ['seen', 'unseen']
  const provider = { name: 'home', kind: 'openai-chat', baseUrl: server.url, models }
  writeFileSync(join(dataDir, 'models.json'), JSON.stringify({ version: 1, providers: [provider] }))
  const start = (model: string) =>
    startJarvis({
      dataDir,
      fromFiles: true,
      env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off', JARVIS_MODEL: `home/${model}` },
    })
  const asked = async (jarvis: Awaited<ReturnType<typeof start>>) => {
    server.plays.push(says('Two of them, ', 'so:\n</th', 'ink>\n\nTwo ', 'are stopped.'))
    const screen = await jarvis.connect()
    const { sessionId } = await screen.ask('chat:send', { message: 'Which are stopped?' })
    await screen.next('chat:done')
    const { snapshot } = await screen.ask('chat:attach', { sessionId })
    return { turn: snapshot.entries.find(({ type }) => type === 'assistant'), names: screen.names() }
  }
  const kept = {
    content: [
      { type: 'thinking', text: 'Two of them, so:' },
      { type: 'text', text: 'Two are stopped.' },
    ],
  }
  const jarvis = await start('seen')
  const first = await asked(jarvis)
  expect(first.turn).toMatchObject(kept)
  expect(first.names).toContain('chat:taken_back')
  await jarvis.stop()

  const again = await start('seen')
  const second = await asked(again)
  expect(second.turn).toMatchObject(kept)
  expect(second.names).not.toContain('chat:taken_back')
  await again.stop()

  const unknown = await start('unseen')
  server.plays.push(says('Two of them, so:\n', '</think>\n\nTwo are stopped.'))
  const response = await post(unknown, createToken(unknown), {
    model: 'jarvis',
    stream: true,
    messages: [{ role: 'user', content: 'Which are stopped?' }],
  })
  const deltas = (await response.text())
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as { choices: { delta: Record<string, string> }[] })
    .flatMap(({ choices }) => choices.map(({ delta }) => delta))
  expect(deltas.map(({ content = '' }) => content).join('')).toBe('Two are stopped.')
  expect(deltas.map(({ reasoning_content = '' }) => reasoning_content).join('')).toContain('Two of them')
})
