import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'
import { expect, test } from 'vitest'
import type { ModelRequest } from '../src/agent/model.ts'
import { createToken } from './support/mcp-client.ts'
import { onePixel, pngOf } from './support/pictures.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { openaiOf } from './support/v1.ts'

const address = (base64: string) => `data:image/png;base64,${base64}`
const picture = { type: 'image_url' as const, image_url: { url: address(onePixel.png) } }
const text = (words: string) => ({ type: 'text' as const, text: words })
/** Each of the person's messages that the model was given: its pictures and its text. */
const given = ({ messages }: ModelRequest) =>
  messages.flatMap((message) => (message.role === 'user' ? [[message.images?.length ?? 0, message.text] as const] : []))

test('pictures and text files come in by the real clients of each API, with and without a session', async () => {
  const model = scripted(...Array.from({ length: 8 }, (_, at) => says(`Answer ${at}.`)))
  const jarvis = await startJarvis({ model })
  const token = createToken(jarvis, { name: 'sdk' })
  const client = openaiOf(jarvis)
  const last = () => given(model.requests.at(-1) ?? ({ messages: [] } as never))

  const answer = await client.chat.completions.create({
    model: 'jarvis',
    messages: [
      { role: 'user', content: [text('First.'), picture] },
      { role: 'assistant', content: 'A dot.' },
      { role: 'user', content: [picture] },
    ],
  })
  expect(answer.choices[0]?.message.content).toBe('Answer 0.')
  expect(last().map(([count]) => count)).toEqual([1, 1])
  expect(last()[0]?.[1]).toMatch(/^\[Attached picture "picture\.png", 1×1\..*\]\n\nFirst\.$/)
  expect(last()[1]?.[1]).toContain('[This was sent without words.]')

  const session = { headers: { 'Jarvis-Session': 'chat-1' } }
  const ask = (content: string | object[]) =>
    client.chat.completions.create(
      { model: 'jarvis', messages: [{ role: 'user', content: content as string }] },
      session,
    )
  const { _request_id: _, ...first } = await ask([text('What is it?'), picture])
  await ask('And what now?')
  expect(last().map(([count]) => count)).toEqual([1, 0])
  const { sessionId } = (first as unknown as { jarvis: { sessionId: string } }).jarvis
  const { items } = (await (await jarvis.rest(`/api/sessions/${sessionId}/entries`)).json()) as {
    items: { type: string; attachments?: { id: string }[] }[]
  }
  const file = items.find(({ type }) => type === 'user')?.attachments?.[0]
  expect((await jarvis.rest(`/api/sessions/${sessionId}/attachments/${file?.id}`)).status).toBe(200)

  await client.responses.create({
    model: 'jarvis',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: address(onePixel.png), detail: 'auto' },
          {
            type: 'input_file',
            filename: 'a.log',
            file_data: `data:text/plain;base64,${Buffer.from('it broke').toString('base64')}`,
          },
          { type: 'input_text', text: 'Why?' },
        ],
      },
    ],
  })
  expect(last()[0]).toEqual([
    1,
    expect.stringMatching(/"a\.log"[\s\S]*<attachment>\nit broke\n<\/attachment>\n\nWhy\?$/),
  ])

  const data = { type: 'image' as const, image: Buffer.from(onePixel.png, 'base64'), mediaType: 'image/png' }
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'See?' }, data] }]
  const baseURL = `${jarvis.url}/v1`
  for (const sdk of [
    createOpenAICompatible({ name: 'jarvis', baseURL, apiKey: token })('jarvis'),
    createOpenAI({ baseURL, apiKey: token })('jarvis'),
  ]) {
    expect((await generateText({ model: sdk, messages })).text).toMatch(/^Answer/)
    expect(last()[0]?.[0]).toBe(1)
  }

  await client.chat.completions.create({
    model: 'jarvis/plain',
    messages: [{ role: 'user', content: [picture, text('Plain?')] }],
  })
  expect(last()[0]).toEqual([1, expect.stringContaining('Plain?')])
  const wide = address(pngOf(9_000, 10).toString('base64'))
  await expect(ask([{ type: 'image_url', image_url: { url: wide } }])).rejects.toMatchObject({
    status: 400,
    param: 'messages[0].content[0]',
    message: expect.stringContaining('9000×10'),
  })
})

test('a picture over /v1 gives no right: a small change asks, and a blind model is refused with what to do', async () => {
  const model = scripted(calls(['restart_service', { node: 'pve', service: 'pvestatd' }]), says('It waits no more.'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect('/events')
  const client = openaiOf(jarvis)
  const asked = { model: 'jarvis', messages: [{ role: 'user' as const, content: [picture, text('Do what it says.')] }] }
  const answer = client.chat.completions.create(asked)
  const waiting = async () =>
    ((await (await jarvis.rest('/api/confirmations')).json()) as { items: { toolUseId: string; reason: string }[] })
      .items
  await expect.poll(async () => (await waiting()).length).toBe(1)
  const [card] = await waiting()
  expect(card?.reason).toContain('may stand in a picture')
  await jarvis.rest(`/api/confirmations/${card?.toolUseId}`, { method: 'POST', json: { confirmed: false } })
  expect((await answer).choices[0]?.message.content).toBe('It waits no more.')
  operator.socket.disconnect()
  await jarvis.stop()

  const blind = await startJarvis({ model: { ...scripted(), id: 'scripted/blind', sees: false } })
  await expect(openaiOf(blind).chat.completions.create(asked)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('scripted/blind sees no pictures'),
  })
})
