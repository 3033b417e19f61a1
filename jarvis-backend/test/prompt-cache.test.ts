import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { anthropicModel } from '../src/providers/index.ts'
import { startClaudeServer } from './support/claude-server.ts'
import { startJarvis } from './support/start-jarvis.ts'

async function conversation(
  options: Parameters<typeof startClaudeServer>[0],
  questions: number,
  parts: { env?: Record<string, string>; before?(question: number, dataDir: string): void; foldAt?: number } = {},
) {
  const claude = await startClaudeServer(options)
  onTestFinished(claude.stop)
  const model = anthropicModel({ baseUrl: claude.url, apiKey: 'sk-test', model: 'claude-sonnet-5-5', maxTokens: 4_096 })
  const jarvis = await startJarvis({ model, ...(parts.env && { env: parts.env }) })
  const operator = await jarvis.connect()
  let sessionId: string | undefined
  for (let question = 0; question < questions; question++) {
    parts.before?.(question, jarvis.dataDir)
    const message = question === parts.foldAt ? '/fold' : `Is all well? ${question}`
    ;({ sessionId } = await operator.ask('chat:send', { message, ...(sessionId && { sessionId }) }))
    expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
  }
  return claude
}

test.each([
  ['one call at a time', { rounds: 2 }],
  ['more calls at once than the cache looks back', { rounds: 2, callsAtOnce: 12 }],
])('ten questions to a model that thinks, %s, pay for each token once', async (_, options) => {
  const claude = await conversation(options, 10)
  expect(claude.counted).toHaveLength(30)
  expect(claude.refusals).toEqual([])
  expect(claude.paidInFull()).toBeLessThanOrEqual(1.1)
})

test('a conversation with thinking and tools that is folded in its middle pays for each token 1.15 times at most', async () => {
  const claude = await conversation({ rounds: 2 }, 11, { foldAt: 5 })
  // Ten questions of three turns, and the words of the fold.
  expect(claude.counted).toHaveLength(31)
  expect(claude.refusals).toEqual([])
  const folded = claude.bodies.filter(({ messages }) => JSON.stringify(messages[0]).includes('<earlier>'))
  expect(folded).toHaveLength(15)
  expect(claude.paidOverall()).toBeLessThanOrEqual(1.15)
})

/** The thinking of each answer, without requests for a fold. */
const thinkingIn = ({ bodies }: Awaited<ReturnType<typeof startClaudeServer>>) =>
  bodies
    .filter(({ tools }) => tools !== undefined)
    .map(({ messages }) => messages.flatMap(({ content }) => content.filter(({ type }) => type === 'thinking')).length)

test('thinking is left out where the history is cut, and kept again from there on', async () => {
  const claude = await conversation({ rounds: 0 }, 7, { env: { CHAT_HISTORY_LIMIT: '4' } })
  expect(claude.refusals).toEqual([])
  expect(thinkingIn(claude)).toEqual([0, 1, 2, 3, 0, 1, 0])
})

test('thinking is left out where the instructions changed', async () => {
  const before = (question: number, dataDir: string) => {
    if (question === 2) appendFileSync(join(dataDir, 'workspace', 'SOUL.md'), 'Be brief.')
  }
  const claude = await conversation({ rounds: 0 }, 4, { before })
  expect(claude.refusals).toEqual([])
  expect(thinkingIn(claude)).toEqual([0, 1, 0, 1])
})

test('a request that the provider refuses because of its thinking is sent again without it', async () => {
  const claude = await conversation({ rounds: 1, takesThinkingBack: false }, 2)
  expect(claude.counted).toHaveLength(4)
  expect(claude.refusals).toHaveLength(3)
  expect(thinkingIn(claude)).toEqual([0, 0, 0, 0])
})
