import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import type { ModelsReply, ModelTestReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { listModels, tryModel } from '../src/providers/index.ts'
import { folder } from './support/data-dir.ts'
import { goOutWith, startForwardProxy } from './support/forward-proxy.ts'
import { startModelServer } from './support/model-server.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const signal = new AbortController().signal
const asking = { now: Date.now, signal }

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const id = `AKIA${'B2'.repeat(8)}`
const secret = 'wJalr/XUtnFEMI+K7MDENG'

/** Bedrock behind a proxy: it computes each signature anew from what arrived. */
async function startBedrock() {
  const reasons: string[] = []
  const port = await listen(
    createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      const { authorization = '', host = '', 'x-amz-date': datetime } = request.headers
      const signed = await new AwsV4Signer({
        method: request.method ?? '',
        url: `http://${host}${request.url}`,
        ...(body.length > 0 && { body }),
        service: 'bedrock',
        region: 'eu-central-1',
        datetime: String(datetime),
        accessKeyId: id,
        secretAccessKey: secret,
      }).sign()
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (authorization !== signed.headers.get('authorization')) {
        reasons.push(`${request.url}: ${authorization}`)
        json(403, { message: 'The request signature we calculated does not match the signature you provided.' })
      } else if (request.method === 'GET') json(200, { data: [{ id: 'openai.gpt-oss-120b-1:0' }] })
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const delta = { role: 'assistant', content: 'ready' }
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] })}\n\n`)
        response.end('data: [DONE]\n\n')
      }
    }),
  )
  await goOutWith({ HTTP_PROXY: (await startForwardProxy({ port })).host })
  return reasons
}

test('an access key of AWS signs what is asked of Bedrock, and is not sent', async () => {
  const reasons = await startBedrock()
  const baseUrl = 'http://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1'
  const server = { provider: 'aws', kind: 'openai-chat', baseUrl, apiKey: `${id}:${secret}` } as const
  const model = 'openai.gpt-oss-120b-1:0'
  expect(await listModels(server, asking)).toMatchObject({ models: [model] })
  expect(await tryModel({ ...server, model }, asking)).toMatchObject({ verdict: 'works' })
  expect(reasons).toEqual([])
  const wrong = await tryModel({ ...server, apiKey: `${id}:wrong`, model }, asking)
  expect(wrong.verdict).toBe('key_refused')
  expect(reasons[0]).not.toContain('wrong')
})

/** A key that is filled in. */
const byVariable = `$\{GPU_KEY}`

async function start() {
  const dataDir = folder()
  const jarvis = await startJarvis({
    dataDir,
    model: scripted(says('I am the first.')),
    env: { JARVIS_EMBEDDINGS: 'none' },
    fromFiles: true,
  })
  const call = async (method: string, path: string, json?: unknown) => {
    const response = await jarvis.rest(`/api/models${path}`, { method, ...(json !== undefined && { json }) })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text) as ModelsReply & ModelTestReply }
  }
  return { dataDir, jarvis, call }
}

test('the key file of a service account answers by a token, and none of its secret parts comes back', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const token = 'ya29.c.0123456789-0123456789-0123'
  const port = await listen(
    createServer((request, response) => {
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: token, expires_in: 3_600, token_type: 'Bearer' }))
    }),
  )
  const server = await startModelServer({ key: token, model: 'google/gemini-2.5-pro', says: 'I am Gemini.' })
  const account = {
    type: 'service_account',
    client_email: 'jarvis@lab.iam.gserviceaccount.com',
    private_key: privateKey,
    token_uri: `http://127.0.0.1:${port}/token`,
  }
  const { jarvis, dataDir, call } = await start()
  const given = {
    kind: 'openai-chat',
    baseUrl: server.url,
    models: ['google/gemini-2.5-pro'],
    apiKey: JSON.stringify(account, undefined, 2),
  }
  const { models, ...tried } = given
  expect((await call('POST', '/vertex/test', { ...tried, model: models[0] })).body).toMatchObject({ verdict: 'works' })
  const saved = await call('PUT', '/vertex', given)
  expect(saved.body.providers.at(-1)).toMatchObject({
    provider: 'vertex',
    keyEnd: '',
    keyName: 'jarvis@lab.iam.gserviceaccount.com',
  })
  await call('POST', '/use', { model: 'vertex/google/gemini-2.5-pro' })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Who are you?' })
  await screen.next('chat:done')
  expect(JSON.stringify(screen.received)).toContain('I am Gemini.')
  const journal = await (await jarvis.rest('/api/journal')).text()
  for (const text of [saved.text, journal, readFileSync(join(dataDir, 'models.json'), 'utf8')])
    expect(text).not.toContain('PRIVATE KEY')
  const cut = await call('PUT', '/vertex', { ...given, apiKey: given.apiKey.slice(0, 300) })
  expect([cut.status, cut.text]).toEqual([400, expect.stringContaining('service account')])
})

test('a key by its variable is filled in when it is used, and is never written', async () => {
  const key = 'sk-gpu-0123456789-wxyz'
  const server = await startModelServer({ key, model: 'qwen3:14b', says: 'I am the GPU.' })
  const { dataDir, call } = await start()
  const given = { kind: 'openai-chat', baseUrl: server.url, apiKey: byVariable, models: ['qwen3:14b'] }
  const saved = await call('PUT', '/gpu', given)
  expect(saved.body.providers.at(-1)).toMatchObject({ keyEnd: '', keyName: byVariable })
  const { models: _, ...tried } = { ...given, model: 'qwen3:14b' }
  const missing = (await call('POST', '/gpu/test', tried)).body
  expect([missing.verdict, missing.text]).toEqual(['refused', expect.stringContaining('GPU_KEY has no value')])
  const kept = (await call('POST', '/gpu/test', { model: 'qwen3:14b' })).body
  expect(kept.text).toContain('GPU_KEY has no value')
  expect(server.asked).toEqual([])
  appendFileSync(join(dataDir, 'settings.env'), `GPU_KEY=${key}\n`)
  expect((await call('POST', '/gpu/test', tried)).body).toMatchObject({ verdict: 'works' })
  // Saved again without a key: the variable stays, and not its value.
  const { apiKey: _key, ...more } = { ...given, models: ['qwen3:14b', 'qwen3:32b'] }
  expect((await call('PUT', '/gpu', more)).body.providers.at(-1)).toMatchObject({ keyName: byVariable })
  const mixed = await call('PUT', '/gpu', { ...given, apiKey: `sk-planted-0123456789${byVariable}` })
  expect(mixed.text).not.toContain('planted')
  const tested = await call('POST', '/openai/test', { model: 'gpt-5.4', apiKey: byVariable })
  expect([tested.status, tested.text]).toEqual([400, expect.stringContaining('name of its own')])
  const own = await call('POST', '/gpu/test', { ...tried, apiKey: `$\{JWT_SECRET}` })
  expect(own.body.text).toContain('is a setting of JARVIS’s own')
  const variable = await call('PUT', '/openai', { model: 'gpt-5.4', apiKey: byVariable })
  expect([variable.status, variable.text]).toEqual([400, expect.stringContaining('name of its own')])
})

test('a variable with a new value is used for the next message', async () => {
  const server = await startModelServer({ key: 'sk-new-0123456789', model: 'qwen3:14b', says: 'I am the GPU.' })
  const dataDir = folder()
  const gpu = { name: 'gpu', kind: 'openai-chat', baseUrl: server.url, models: ['qwen3:14b'], key: byVariable }
  writeFileSync(join(dataDir, 'models.json'), JSON.stringify({ version: 1, providers: [gpu] }))
  const jarvis = await startJarvis({ dataDir, env: { JARVIS_EMBEDDINGS: 'none' }, fromFiles: true })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Who are you?' })
  expect(await screen.next('chat:error')).toMatchObject({ error: expect.stringContaining('GPU_KEY has no value') })
  writeFileSync(join(dataDir, 'settings.env'), 'GPU_KEY=sk-new-0123456789\n')
  const ask = async () => {
    const next = await jarvis.connect()
    await next.ask('chat:send', { message: 'Who are you?' })
    await expect
      .poll(() => next.received.map(({ event }) => event))
      .toContainEqual(expect.stringMatching(/^chat:(?:done|error)$/))
    return next.received.map(({ event }) => event)
  }
  await expect.poll(ask, { timeout: 10_000 }).toContain('chat:done')
  expect(readFileSync(join(dataDir, 'models.json'), 'utf8')).toContain(byVariable)
})
