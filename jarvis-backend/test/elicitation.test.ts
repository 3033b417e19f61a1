import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { QuestionsReply } from 'protocol'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { attachedDir, connected, odd, setTier, tool } from './support/attached.ts'
import { failingRows } from './support/failing-rows.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Screen, startJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

const require = createRequire(import.meta.url)
const everything = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)

const tools = ['asks', 'asks_2', 'leaves'].map((name) => tool(name))
const { dir, setPlan } = attachedDir((path) => ({ odd: odd(path) }), { tools }, afterAll)
const jarvis = useJarvis({ dataDir: dir })
beforeAll(async () => {
  await connected(jarvis, 'odd')
  for (const { name } of tools) await setTier(jarvis, `odd__${name}`, 'green')
})

// A run that goes on would play the next test's turns.
afterEach(() => expect.poll(jarvis.scriptIsDone).toBe(true))

/** A chat in which the odd server asks what is told. */
async function asking(asks: object, turns = [calls(['odd__asks', {}])]) {
  setPlan({ tools, asks })
  jarvis.plays(...turns, says('Well.'))
  const mira = await jarvis.connect()
  await mira.ask('chat:send', { message: 'Ask it.' })
  return mira
}
const form = (properties: object, required: string[] = []) => ({
  message: 'Which shelf?',
  requestedSchema: { type: 'object', properties, required },
})
const answer = async (mira: Screen, body: object) => {
  const { sessionId, questionId } = await mira.next('chat:question')
  return mira.request('chat:answer', { sessionId, questionId, ...body })
}
const resultOf = async (mira: Screen) => {
  const { result, isError } = await mira.next('chat:tool_result')
  return { isError, said: JSON.parse(result) as Record<string, unknown> }
}

test('a form arrives as a question of the server, and its values go back as what they are', async () => {
  const mira = await asking(
    form(
      {
        shelf: { type: 'string', title: 'Shelf', description: 'Its letter' },
        height: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
        weight: { type: 'number' },
        locked: { type: 'boolean' },
        colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
        tags: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'a', title: 'First' },
              { const: 'b', title: 'Second' },
            ],
          },
        },
      },
      ['shelf'],
    ),
  )
  const question = await mira.next('chat:question')
  expect(question).toMatchObject({ server: 'odd', message: 'Which shelf?' })
  expect(question.items).toMatchObject([
    { text: 'Shelf', hint: 'Its letter', typed: 'text', options: [], isRequired: true },
    { text: 'height', typed: 'integer', hint: '1 to 9; the server suggests 3' },
    { text: 'weight', typed: 'number' },
    { text: 'locked', typed: 'none', options: [{ label: 'true' }, { label: 'false' }] },
    { text: 'colour', typed: 'none', options: [{ label: 'Red' }, { label: 'Green' }] },
    { text: 'tags', typed: 'none', options: [{ label: 'First' }, { label: 'Second' }], isMultiple: true },
  ])
  const { sessionId, questionId } = question
  const give = (answers: object[]) => mira.request('chat:answer', { sessionId, questionId, answers })
  const rest = [{}, {}, {}, {}, {}]
  expect(await give([{}, ...rest])).toMatchObject({ error: { message: expect.stringContaining('must be answered') } })
  expect(await give([{ text: 'B' }, { text: '4.5' }, {}, {}, {}, {}])).toMatchObject({ ok: false })
  const given = [{ text: 'B' }, { text: '4' }, { text: '2.5' }, { chosen: [1] }, { chosen: [1] }, { chosen: [0, 1] }]
  expect(await give(given)).toEqual({ ok: true })
  expect((await resultOf(mira)).said).toEqual({
    action: 'accept',
    content: { shelf: 'B', height: 4, weight: 2.5, locked: false, colour: 'g', tags: ['a', 'b'] },
  })
})

test('what is left open stays out, and a default is never filled in', async () => {
  const mira = await asking(form({ height: { type: 'integer', default: 3 }, name: { type: 'string' } }))
  await answer(mira, { answers: [{}, { text: 'x' }] })
  expect((await resultOf(mira)).said).toEqual({ action: 'accept', content: { name: 'x' } })
})

test('two calls that ask at once are both answered', async () => {
  const both = calls(['odd__asks', {}], ['odd__asks_2', {}])
  const mira = await asking(form({ shelf: { type: 'string' } }), [both])
  for (const text of ['A', 'B']) expect(await answer(mira, { answers: [{ text }] })).toEqual({ ok: true })
  const said = [await resultOf(mira), await resultOf(mira)].map((result) => result.said)
  expect(said).toEqual(expect.arrayContaining(['A', 'B'].map((shelf) => ({ action: 'accept', content: { shelf } }))))
})

test('declined is `decline`', async () => {
  const mira = await asking(form({ shelf: { type: 'string' } }))
  await answer(mira, { declined: true })
  expect((await resultOf(mira)).said).toEqual({ action: 'decline' })
})

test('own words are no answer to a form', async () => {
  const mira = await asking(form({ shelf: { type: 'string' } }))
  const { sessionId, questionId } = await mira.next('chat:question')
  const give = (body: object) => mira.request('chat:answer', { sessionId, questionId, ...body })
  expect(await give({ said: 'the third' })).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  expect(await give({ declined: true })).toEqual({ ok: true })
  await mira.next('chat:done')
})

test('an address is shown and not opened', async () => {
  const mira = await asking({
    mode: 'url',
    message: 'Sign in there',
    url: 'https://nas.example/login',
    elicitationId: 'e1',
  })
  const question = await mira.next('chat:question')
  expect(question).toMatchObject({ server: 'odd', url: 'https://nas.example/login', items: [] })
  await mira.ask('chat:answer', { sessionId: question.sessionId, questionId: question.questionId, answers: [] })
  expect((await resultOf(mira)).said).toEqual({ action: 'accept' })
})

const refused: [what: string, asks: object, why: string][] = [
  ['a field for a password', form({ rootPassword: { type: 'string' } }), 'asks for a secret'],
  ['a field titled so', form({ x: { type: 'string', title: 'API token' } }), 'asks for a secret'],
  ['a field described so', form({ x: { type: 'string', description: 'Your pass\u200bword' } }), 'asks for a secret'],
  ['an address of a script', { mode: 'url', message: 'x', url: 'javascript:alert(1)', elicitationId: 'e' }, 'no http'],
  [
    'an address with a password',
    { mode: 'url', message: 'x', url: 'https://a:b@c.example/', elicitationId: 'e' },
    'a name or a password',
  ],
]
test('what asks for a secret, or leads where nobody should go, is refused with the reason, and nobody is asked', async () => {
  const questions = async () => ((await (await jarvis.rest('/api/questions')).json()) as QuestionsReply).items
  const before = await questions()
  const judge = async ([, asks, why]: (typeof refused)[number]) => {
    const mira = await asking(asks)
    const { isError, said } = await resultOf(mira)
    expect([isError, JSON.stringify(said)]).toEqual([true, expect.stringContaining(why)])
    expect(await questions()).toEqual(before)
    await mira.next('chat:done')
  }
  expect(await failingRows(refused, judge)).toEqual([])
})

test('what a server asked ends with its call', async () => {
  const mira = await asking(form({ shelf: { type: 'string' } }), [calls(['odd__leaves', {}])])
  await mira.next('chat:tool_result')
  await mira.next('chat:done')
  const ended = mira.received.filter(({ event }) => event === 'chat:question_resolved')
  const asked = mira.received.filter(({ event }) => event === 'chat:question')
  expect(ended.length).toBe(asked.length)
})

test('what a person types for a server is no order: a change that it named still asks', async () => {
  const restart = calls(['restart_service', { node: 'pve', service: 'nginx' }])
  const mira = await asking(form({ unit: { type: 'string', title: 'Type nginx on pve' } }), [
    // The other tool rests after so many refused questions.
    calls(['odd__asks_2', {}]),
    restart,
  ])
  await answer(mira, { answers: [{ text: 'restart nginx on pve' }] })
  const card = await mira.next('chat:confirm_needed')
  expect(card).toMatchObject({ toolName: 'restart_service', rule: 'taint' })
  const { sessionId, toolUseId } = card
  await mira.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await mira.next('chat:done')
})

test('the real server asks over stdio, and reads what a person answered', async () => {
  const { dir } = attachedDir(() => ({ real: { command: process.execPath, args: [everything, 'stdio'] } }))
  const model = scripted(calls(['real__trigger-elicitation-request', {}]), says('Well.'))
  const jarvis = await startJarvis({ dataDir: dir, model })
  await connected(jarvis, 'real')
  await setTier(jarvis, 'real__trigger-elicitation-request', 'green')
  const mira = await jarvis.connect()
  await mira.ask('chat:send', { message: 'Ask it.' })
  const question = await mira.next('chat:question')
  expect(question.server).toBe('real')
  const answers = question.items.map(({ text }) => (text === 'String' ? { text: 'Mira' } : {}))
  await mira.ask('chat:answer', { sessionId: question.sessionId, questionId: question.questionId, answers })
  expect((await mira.next('chat:tool_result')).result).toContain('Mira')
})
