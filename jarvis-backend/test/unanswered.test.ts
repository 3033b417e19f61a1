import type { DoctorReply } from 'protocol'
import { expect, test } from 'vitest'
import { outcomeOf } from '../src/agent/run-trace.ts'
import type { StoredEntry } from '../src/agent/sessions/transcript-store.ts'
import { textOf } from '../src/channels/talk/messages.ts'
import { folder } from './support/data-dir.ts'
import { createToken } from './support/mcp-client.ts'
import { calls, ends, says, scripted, stalls } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'
import { openaiOf, post } from './support/v1.ts'

const jarvis = useJarvis()

const mute = ends({})
const thinks = ends({ content: [{ type: 'thinking', text: 'Two are stopped.' }] })
const written = '<tool_call>\n{"name":"stop_vm","arguments":{"vmid":103}}\n</tool_call>'
const unmade = 'Nothing was run: the model wrote a call of stop_vm as text instead of making it.'

async function ask(message: string) {
  const screen = await jarvis.connect()
  const { sessionId, runId } = await screen.ask('chat:send', { message })
  const end = await screen.next('chat:done')
  const { snapshot } = await screen.ask('chat:attach', { sessionId })
  const entries = snapshot.entries.filter((entry) => entry.runId === runId) as StoredEntry[]
  const turns = entries.flatMap((entry) => (entry.type === 'assistant' ? [entry] : []))
  const texts = turns.map(({ content }) => content.flatMap((item) => (item.type === 'text' ? item.text : [])).join(''))
  return { end, entries, turns, texts, screen, sessionId }
}

test('a reply without a word is asked for once more as it was, after tools too', async () => {
  for (const silent of [mute, thinks, says(' \n')]) {
    const model = jarvis.plays(calls(['get_vms', {}]), silent, says('Two are stopped.'))
    const { end, texts } = await ask('Which are stopped?')
    expect([end.stopReason, texts]).toEqual(['end_turn', ['', '', 'Two are stopped.']])
    expect(model.requests.at(-1)?.messages).toEqual(model.requests.at(-2)?.messages)
  }
})

test('a run without an answer says so in words, is not done, and the next message is answered', async () => {
  const model = jarvis.plays(calls(['get_vms', {}]), thinks, mute, says('Here.'))
  const { end, entries, texts, screen, sessionId } = await ask('Which are stopped?')
  const words = expect.stringMatching(/^There is no answer: scripted\/model ended its reply without a word/)
  expect(end.stopReason).toBe('unanswered')
  expect(texts).toEqual(['', '', '', words])
  // A job's slot fails with these words.
  expect(outcomeOf(entries)).toMatchObject({ state: 'failed', summary: words })
  const shown = entries.flatMap((entry) => textOf(entry, { isTyped: false }) ?? [])
  expect(shown).toEqual([words])
  await screen.ask('chat:send', { sessionId, message: 'And now?' })
  await screen.next('chat:done')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('There is no answer')
})

test('an answer that its limit cuts before the first word says so', async () => {
  jarvis.plays(ends({ content: [{ type: 'thinking', text: 'Hm.' }], stopReason: 'max_tokens' }))
  const { end, texts } = await ask('Why?')
  expect([end.stopReason, texts]).toEqual(['max_tokens', ['', expect.stringContaining('limit of tokens')]])
})

test('programs are told in words, over both APIs and as a stream', async () => {
  jarvis.plays(...Array.from({ length: 6 }, () => mute))
  const client = openaiOf(jarvis)
  const whole = await client.chat.completions.create({ model: 'jarvis', messages: [{ role: 'user', content: 'Hi' }] })
  expect(whole.choices).toMatchObject([
    { finish_reason: 'stop', message: { content: expect.stringContaining('There is no answer') } },
  ])
  const streamed = await post(jarvis, createToken(jarvis, { name: 'streams' }), {
    model: 'jarvis',
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  expect(await streamed.text()).toContain('There is no answer')
  const response = await client.responses.create({ model: 'jarvis', input: 'Hi' })
  expect(response.output_text).toContain('There is no answer')
  jarvis.plays(mute, says('Yes.'), mute, mute)
  const plain = () =>
    client.chat.completions.create({ model: 'jarvis/plain', messages: [{ role: 'user', content: 'Hi' }] })
  expect((await plain()).choices[0]?.message.content).toBe('Yes.')
  await expect(plain()).rejects.toMatchObject({ status: 502, message: expect.stringContaining('without a word') })
})

test('a call that is written as text runs nothing, says so, and may be made properly by the model that is told', async () => {
  const model = jarvis.plays(says(`I stop it.\n${written}`), calls(['stop_vm', { vmid: 103 }]), says('Denied.'))
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const { snapshot } = await screen.ask('chat:attach', { sessionId })
  expect(snapshot.entries.filter(({ type }) => type === 'assistant')).toMatchObject([
    {
      content: [{ text: `I stop it.\n${written}` }, { text: `\n\n${unmade}` }],
      unmade: { why: 'text', toolNames: ['stop_vm'] },
    },
    { stopReason: 'tool_use' },
  ])
  const streamed = screen.received.flatMap(({ event, payload }) => (event === 'chat:token' ? [payload.text] : []))
  expect(streamed.join('')).toBe(`I stop it.\n${written}\n\n${unmade}`)
  expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: [{ text: `I stop it.\n${written}` }] },
    { role: 'user', text: expect.stringContaining('nothing is ever run from text') },
  ])
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await screen.next('chat:done')
  expect(jarvis.guest(103)?.status).toBe('running')
})

test('a model that goes on writing its calls as text is told once; the person learns what to set, and the run is not done', async () => {
  const model = jarvis.plays(says(written), says(written))
  const { end, entries, texts } = await ask('Stop 103.')
  expect(model.requests).toHaveLength(2)
  expect(end.stopReason).toBe('unanswered')
  expect(texts).toEqual([`${written}\n\n${unmade}`, expect.stringContaining('--tool-call-parser')])
  expect(outcomeOf(entries)).toMatchObject({ state: 'failed' })
  expect(jarvis.guest(103)?.status).toBe('running')
  const { checks } = (await (await jarvis.rest('/api/doctor')).json()) as DoctorReply
  expect(checks).toContainEqual(
    expect.objectContaining({ text: 'scripted/model wrote a call of stop_vm as text, so nothing was run.' }),
  )
})

test('an answer that only explains a call is an answer', async () => {
  jarvis.plays(says(`Qwen writes:\n\`\`\`\n${written}\n\`\`\`\nand so on.`))
  const { end, turns } = await ask('How does Qwen call stop_vm?')
  expect(end.stopReason).toBe('end_turn')
  expect(turns).toHaveLength(1)
  expect(turns[0]).not.toHaveProperty('unmade')
})

test('a call that the limit of tokens cuts is not run, and the answer says so', async () => {
  const cut = [{ type: 'tool_call' as const, toolUseId: 'tu_1', toolName: 'stop_vm', toolInput: { vmid: 103 } }]
  jarvis.plays(ends({ stopReason: 'max_tokens', cutCall: 'stop_vm' }), ends({ stopReason: 'max_tokens', content: cut }))
  for (let times = 0; times < 2; times += 1) {
    const { end, texts } = await ask('Stop 103.')
    const words = expect.stringMatching(/^Nothing was run: the answer was cut .* call of stop_vm/)
    expect([end.stopReason, texts]).toEqual(['max_tokens', [words]])
  }
  expect(jarvis.guest(103)?.status).toBe('running')
})

test('a name with leftovers of a template is refused with the name that was meant', async () => {
  const model = jarvis.plays(calls(['default_api:stop_vm', { vmid: 103 }]), says('Sorry.'))
  await ask('Stop 103.')
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('Did you mean stop_vm?')
  expect(jarvis.guest(103)?.status).toBe('running')
})

test.each([
  ['a reply without a word', mute, 'Stop 103.', mute, 'unanswered'],
  ['a call as text', says(written), 'nothing is ever run from text', says(written), 'unanswered'],
])('%s is known after a restart', async (_what, first, told, second, stopReason) => {
  const dataDir = folder()
  const before = await startJarvis({ dataDir, model: scripted(first, stalls()) })
  const screen = await before.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  await screen.next('chat:assistant')
  await before.stop()
  const model = scripted(second)
  const after = await startJarvis({ dataDir, model })
  const again = await after.connect()
  await expect
    .poll(async () => (await again.ask('chat:attach', { sessionId })).snapshot.entries.at(-1))
    .toMatchObject({ type: 'done', stopReason })
  expect(JSON.stringify(model.requests[0]?.messages)).toContain(told)
})
