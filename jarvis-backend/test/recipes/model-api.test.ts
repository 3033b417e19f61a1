import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { ModelTestReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { startJarvis as StartJarvis } from '../support/start-jarvis.ts'

const backend = fileURLToPath(new URL('../../', import.meta.url))
const packages = readdirSync(new URL('../../../packages', import.meta.url))
const docs = readFileSync(new URL('../../../docs/extending.md', import.meta.url), 'utf8')
const [, section = ''] = /^## A model API\n(.*?)(?=^## )/ms.exec(docs) ?? []
/** The code blocks of the recipe: the new file, the line of the protocol and the line of the table. */
const [file = '', title = '', row = ''] = [...section.matchAll(/^ *```ts\n(.*?)^ *```/gms)].map(([, code = '']) =>
  code.replace(/^ {3}/gm, ''),
)

test('the recipe shows the file beside this test', () => {
  const beside = readFileSync(new URL('ollama-api.ts', import.meta.url), 'utf8')
  expect(file).toBe(beside.replaceAll("'../../src/providers/", "'./").replaceAll("'../../src/", "'../"))
})

/** The sources as they are once somebody has followed the recipe. */
const followed: Plugin = {
  name: 'recipe',
  setup(builder) {
    // Only the workspace's own packages are TypeScript; the others are imported at run time.
    builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || packages.includes(path.split('/')[0] ?? '') ? undefined : { path, external: true },
    )
    const path = join(backend, 'src/providers/ollama-api.ts')
    builder.onResolve({ filter: /\/ollama-api\.ts$/ }, () => ({ path }))
    builder.onLoad({ filter: /\/ollama-api\.ts$/ }, () => ({ contents: file, loader: 'ts' }))
    const adds = (filter: RegExp, before: string, line: string, top = '') =>
      builder.onLoad({ filter }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        expect(text.split(before)).toHaveLength(2)
        return { contents: top + text.replace(before, before + line), loader: 'ts' }
      })
    adds(/protocol\/src\/model-apis\.ts$/, 'modelApiTitles = {\n', title)
    const [imported = '', registered = ''] = row.split('\n\n')
    adds(/providers\/model-apis\.ts$/, 'Readonly<Record<ModelKind, ModelApi>> = {\n', registered, `${imported}\n`)
  },
}

/** JARVIS built from these sources. */
async function followRecipe(): Promise<typeof StartJarvis> {
  // Vitest leaves the modules below `node_modules` as they are.
  mkdirSync(join(backend, 'node_modules'), { recursive: true })
  const outdir = mkdtempSync(join(backend, 'node_modules/.recipe-'))
  onTestFinished(() => rmSync(outdir, { recursive: true }))
  await build({
    entryPoints: [join(backend, 'test/support/start-jarvis.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    plugins: [followed],
  })
  const { startJarvis } = (await import(pathToFileURL(join(outdir, 'start-jarvis.mjs')).href)) as {
    startJarvis: typeof StartJarvis
  }
  return startJarvis
}

/** A server that has one model, and plays one reply for each message. */
async function startOllama(replies: object[][]) {
  const asked: { path: string; key: string | undefined; body: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const { url: path = '', headers } = request
    asked.push({ path, key: headers.authorization, body })
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (headers.authorization !== `Bearer ${key}`) return json(401, { error: 'unauthorized' })
    if (path === '/api/tags') return json(200, { models: [{ name: 'qwen3:14b' }] })
    if (body.model !== 'qwen3:14b') return json(404, { error: `model '${body.model}' not found` })
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const line of replies.shift() ?? []) response.write(`${JSON.stringify(line)}\n`)
    return response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const key = 'sk-test-0123456789-wxyz'
const says = (content: string) => [{ message: { role: 'assistant', content }, done: false }]
const done = { done: true, done_reason: 'stop', prompt_eval_count: 100, eval_count: 12 }
const calls = (name: string, input: object) => [
  { message: { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: input } }] }, done: false },
]

test('a JARVIS that follows the recipe saves a provider with the new API, tests it and answers with it', async () => {
  const startJarvis = await followRecipe()
  const server = await startOllama([
    [...says('ready'), done],
    [...calls('get_cluster_status', {}), done],
    [...says('All is '), ...says('well.'), done],
  ])
  const jarvis = await startJarvis({ env: { JARVIS_EMBEDDINGS: 'none' }, atEnd: onTestFinished })
  const ask = async (method: string, path: string, json: object) =>
    (await jarvis.rest(`/api/models${path}`, { method, json })).json()
  const given = { kind: 'ollama', baseUrl: server.baseUrl, apiKey: key }
  const tries = async (more: object) =>
    ((await ask('POST', '/home/test', { ...given, ...more })) as ModelTestReply).verdict
  expect(await tries({ model: 'qwen3:14b', apiKey: 'sk-wrong-0123456789' })).toBe('key_refused')
  expect(await tries({ model: 'qwen9' })).toBe('unknown_model')
  expect(await tries({ model: 'qwen3:14b', baseUrl: 'http://127.0.0.1:1' })).toBe('unreachable')
  expect(await tries({ model: 'qwen3:14b' })).toBe('works')
  expect(await ask('PUT', '/home', { ...given, models: ['qwen3:14b'] })).toMatchObject({
    providers: expect.arrayContaining([expect.objectContaining({ provider: 'home', kind: 'ollama', keyEnd: 'wxyz' })]),
  })
  expect(await ask('POST', '/use', { model: 'home/qwen3:14b' })).toMatchObject({ inUse: 'home/qwen3:14b' })

  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Is all well?' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false })
  await screen.next('chat:done')
  const tokens = screen.received.flatMap(({ event, payload }) => (event === 'chat:token' ? [payload.text] : []))
  expect(tokens.join('')).toBe('All is well.')
  const [, , answered] = server.asked.filter(({ path, body }) => path === '/api/chat' && 'tools' in body).slice(-3)
  expect(answered?.body.messages).toContainEqual(
    expect.objectContaining({ role: 'tool', tool_name: 'get_cluster_status', content: expect.any(String) }),
  )
}, 60_000)
