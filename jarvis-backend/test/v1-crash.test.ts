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

const { newDir, life: lifeHere, killedLife: lifeToKill } = killedHouse('v1')

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
  const server = createServer((client: Socket) => {
    void listening.promise.then((port) => {
      const behind = connect(port, '127.0.0.1')
      client.pipe(behind).pipe(client)
      client.on('error', () => behind.destroy())
      behind.on('error', () => client.destroy())
      behind.on('close', () => client.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const heard = (url: string) => listening.resolve(Number(new URL(url).port))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async life(dataDir: string) {
      heard((await lifeHere({ dataDir })).url)
    },
    async killedLife(start: Parameters<typeof lifeToKill>[0]) {
      const { ended, kill, url } = await lifeToKill(start)
      heard(url)
      return { ended, kill }
    },
    /** The next life is waited for from now on. */
    isGone() {
      listening = later()
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
    const dataDir = newDir()
    const { url, life, killedLife, isGone } = await address()
    const first = await killedLife({ dataDir, ...(dieAt !== undefined && { dieAt }) })
    const client = new OpenAI({ apiKey: createTokenIn(dataDir), baseURL: `${url}/v1` })
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
    if (dieAt === undefined) {
      await expect.poll(waiting, { timeout: 60_000 }).toHaveLength(1)
      isGone()
      await first.kill()
    } else {
      const dying = first.ended.then(isGone)
      await approve()
      await dying
    }
    if (broken !== undefined) expect(await broken).toBe('broken')
    await life(dataDir)
    const again = isStreamed ? stream() : asked
    if (dieAt === undefined) await approve()
    expect(await again).toContain(answer)
    expect(readFileSync(join(dataDir, 'lines'), 'utf8')).toBe('once\n')
    expect(await rest('journal/verify')).toMatchObject({ ok: true })
  },
  120_000,
)
