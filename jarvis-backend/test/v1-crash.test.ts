import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { createTokenIn } from './support/api-tokens.ts'
import { killedHouse } from './support/killed-house.ts'
import { tokenFor } from './support/start-jarvis.ts'
import { asks } from './support/v1-model.ts'

const { newDir, life } = killedHouse('v1')

function later<T>() {
  let resolve = (_value: T) => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** An address that stays while the servers behind it die: a connection waits until the next one listens, as behind a proxy that restarts it. */
async function address() {
  let listening = later<number>()
  const open = new Set<Socket>()
  const server = createServer((client: Socket) => {
    open.add(client)
    client.once('close', () => open.delete(client))
    void listening.promise.then((port) => {
      const behind = connect(port, '127.0.0.1')
      client.pipe(behind).pipe(client)
      client.on('error', () => behind.destroy())
      behind.on('error', () => client.destroy())
      behind.on('close', () => client.destroy())
      client.on('close', () => behind.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadsTo: ({ url }: { url: string }) => listening.resolve(Number(new URL(url).port)),
    /** The server behind it is dead: its connections end, and new ones wait for the next one. */
    dies() {
      listening = later()
      for (const client of open) client.destroy()
    },
  }
}

type Api = 'chat' | 'responses'
test.each<[api: Api, when: string, isStreamed: boolean, dieAt: string | undefined, answer: string]>([
  ['chat', 'while the card waits', false, undefined, 'It came to this: Written.'],
  ['chat', 'while the card waits and the answer streams', true, undefined, 'It came to this: Written.'],
  ['chat', 'when the call is done and before its result is stored', true, 'effect done', 'It may have run or not'],
  ['chat', 'when the result is stored', false, 'insert entries tool_result committed', 'It came to this: Written.'],
  ['responses', 'while the card waits', false, undefined, 'It came to this: Written.'],
  ['responses', 'when the call is done and before its result is stored', true, 'effect done', 'It may have run or not'],
])(
  '%s, killed %s: the SDK’s own retry, or asking again, gets the end of the one execution',
  async (api, _when, isStreamed, dieAt, answer) => {
    const start = { dataDir: newDir() }
    const { url, leadsTo, dies } = await address()
    const died = later<void>()
    const token = createTokenIn(start.dataDir)
    const first = await life(start, {
      points: dieAt === undefined ? [] : [dieAt],
      keep() {
        dies()
        died.resolve()
        return () => {}
      },
    })
    leadsTo(first)
    const client = new OpenAI({ apiKey: token, baseURL: `${url}/v1` })
    const rest = async (path: string, body?: object) => {
      const response = await fetch(`${url}/api/${path}`, {
        headers: {
          authorization: `Bearer ${tokenFor('operator')}`,
          'content-type': 'application/json',
          connection: 'close',
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      return (await response.json()) as { items: { toolUseId: string; decision?: string }[] }
    }
    const waiting = async () => (await rest('confirmations')).items.filter(({ decision }) => decision === undefined)
    const approve = async () => {
      await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(1)
      const [card] = await waiting()
      await rest(`confirmations/${card?.toolUseId}`, { confirmed: true }).catch(() => {})
    }
    const question = asks('call note_down {"line":"once"}')
    const toRespond = { model: 'jarvis', input: question.messages[0]?.content ?? '' }
    const stream = async () => {
      let said = ''
      if (api === 'responses') {
        for await (const event of await client.responses.create({ ...toRespond, stream: true }))
          if (event.type === 'response.output_text.delta') said += event.delta
        return said
      }
      for await (const { choices } of await client.chat.completions.create({ ...question, stream: true }))
        said += choices[0]?.delta.content ?? ''
      return said
    }
    const whole = async () =>
      api === 'responses'
        ? (await client.responses.create(toRespond)).output_text
        : (await client.chat.completions.create(question)).choices[0]?.message.content
    const asked = isStreamed ? stream() : whole()
    const broken = isStreamed
      ? asked.then(
          () => 'whole',
          () => 'broken',
        )
      : undefined
    if (dieAt === undefined) await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(1)
    else await Promise.all([approve(), died.promise])
    const { dataDir } = dieAt === undefined ? first.now() : first.at(dieAt)
    if (broken !== undefined) expect(await broken).toBe('broken')
    await first.stop()
    leadsTo(await life({ dataDir }))
    const again = isStreamed ? stream() : asked
    if (dieAt === undefined) await approve()
    expect(await again).toContain(answer)
    expect(readFileSync(join(dataDir, 'lines'), 'utf8')).toBe('once\n')
    expect(await rest('journal/verify')).toMatchObject({ ok: true })
  },
  120_000,
)
