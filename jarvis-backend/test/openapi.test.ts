import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ApiError } from 'protocol/client'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type OpenApi, operationsOf, routesOf } from '../../scripts/api-client.ts'
import { withReference, withSocketRequests, withStepUp } from '../../scripts/api-reference.ts'
import { untypedMark } from '../src/http/route.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const root = resolve(import.meta.dirname, '../..')
const src = join(root, 'jarvis-backend/src')

const documentOf = async (jarvis: TestJarvis) => (await (await jarvis.rest('/api/openapi.json')).json()) as OpenApi

test('the document of all routes keeps the rules of OpenAPI 3.1', async () => {
  const document = await documentOf(await startJarvis())
  expect(document.openapi).toMatch(/^3\.1\.\d$/)

  const text = JSON.stringify(document)
  const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref)
  const names = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`))
  expect(refs.filter((ref) => !names.has(ref))).toEqual([])
  expect([...names].filter((name) => !refs.includes(name))).toEqual([])
  expect(Object.keys(document.components.schemas).filter((name) => !/^[\w.-]+$/.test(name))).toEqual([])
  expect(text).not.toMatch(/"\$(?:schema|id)"/)

  const operations = operationsOf(document)
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const schemes = Object.keys(document.components.securitySchemes)
  for (const { request, operation } of operations) {
    const inPath = operation.parameters.flatMap((one) => (one.in === 'path' ? [one.name] : []))
    expect([request, inPath]).toEqual([request, [...request.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)])
    expect(operation.parameters.filter((one) => one.in === 'path' && !one.required)).toEqual([])
    if (request.startsWith('GET')) expect(operation).not.toHaveProperty('requestBody')
    expect(operation.summary).toMatch(/^\S.*\.$/)
    expect(Object.keys(operation.responses).filter((status) => !/^(2\d\d|303|default)$/.test(status))).toEqual([])
    expect(operation.security.flatMap((one) => Object.keys(one)).filter((name) => !schemes.includes(name))).toEqual([])
  }
})

/** Replies without a schema. This list may only become shorter. */
const untyped = ['GET /api/openapi.json']

test('only the replies of this list have no schema', async () => {
  const operations = operationsOf(await documentOf(await startJarvis()))
  const found = operations.filter(({ operation }) => JSON.stringify(operation.responses).includes(untypedMark))
  expect(found.map(({ request }) => request).sort()).toEqual(untyped)
})

/** Files that answer requests which are not REST, by their own protocols. */
const others: Record<string, string> = {
  'http/route.ts': 'serves the table',
  'http/app.ts': '/health, /metrics, /mcp and /v1',
  'http/dashboard.ts': 'the files of the dashboard',
  'http/oauth.ts': 'OAuth 2.1',
  'v1/': '/v1, OpenAI’s API',
}

test('express serves nothing below /api that is not a route of the table', () => {
  const files = (readdirSync(src, { recursive: true }) as string[]).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const serving = files.filter((name) =>
    / from 'express'/.test(readFileSync(join(src, name), 'utf8').replace(/^import type .*$/gm, '')),
  )
  const named = (name: string) => Object.keys(others).some((other) => name.startsWith(other))
  expect(serving.filter((name) => !named(name))).toEqual([])
  const app = readFileSync(join(src, 'http/app.ts'), 'utf8')
  const paths = [...app.matchAll(/\b(?:app|api)\.(?:get|post|put|patch|delete|all)\(\s*([^,]+),/g)]
  expect(paths.map(([, path]) => path)).toEqual(["'/health'", "'/metrics'", "'/mcp'"])
})

test('the reference and the types of the routes are made from the present routes and socket requests', async () => {
  const jarvis = await startJarvis()
  const document = await documentOf(jarvis)
  const summaries = new Map(
    jarvis.routes.map(({ method, path, summary }) => [
      `${method.toUpperCase()} /api${path.replace(/[:*](\w+)/g, '{$1}')}`,
      summary,
    ]),
  )
  const keys = jarvis.routes.map(({ method, path }) => `${method.toUpperCase()} /api${path}`)
  const page = readFileSync(join(root, 'docs/api.md'), 'utf8')
  const requests = jarvis.requests.map(({ input, ...request }) => ({
    ...request,
    input: z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }),
  }))
  const reference = withSocketRequests(withReference(page, document, summaries), requests)
  await expect(reference).toMatchFileSnapshot('../../docs/api.md')
  const signIn = readFileSync(join(root, 'docs/sign-in.md'), 'utf8')
  await expect(withStepUp(signIn, jarvis.routes, requests)).toMatchFileSnapshot('../../docs/sign-in.md')
  await expect(routesOf(document, keys)).toMatchFileSnapshot('../../packages/protocol/src/routes.ts')
})

test('the typed client asks, waits for a card, decides it and reads what came of it', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]), says('Stopped.'))
  const jarvis = await startJarvis({ model })
  const { call, open } = jarvis.as('operator')

  const { id } = await call('POST /api/sessions', { body: { title: 'By a program' } })
  const screen = await jarvis.connect()
  await screen.ask('chat:attach', { sessionId: id })
  await call('POST /api/sessions/:id/messages', { params: { id }, body: { message: 'Stop 103.' } })
  await screen.next('chat:confirm_needed')

  const { items } = await call('GET /api/confirmations')
  expect(items.map(({ toolName, target }) => [toolName, target.id])).toEqual([['stop_vm', 'vm/103']])
  const [{ toolUseId = '' } = {}] = items
  await call('POST /api/confirmations/:id', { params: { id: toolUseId }, body: { confirmed: true } })
  await screen.next('chat:done')
  expect(jarvis.guest(103)?.status).toBe('stopped')

  const entries = await call('GET /api/sessions/:id/entries', { params: { id }, query: { limit: 200 } })
  expect(entries.items.flatMap((entry) => (entry.type === 'confirm_resolved' ? [entry.decision] : []))).toEqual([
    'approved',
  ])
  const file = await open('GET /api/sessions/:id/export', { params: { id }, query: { format: 'jsonl' } })
  expect((await file.text()).trim().split('\n')).toHaveLength(entries.items.length)
  expect(await call('DELETE /api/sessions/:id', { params: { id } })).toBeUndefined()
  const gone = await call('GET /api/sessions/:id', { params: { id } }).catch((error: unknown) => error)
  expect(gone).toBeInstanceOf(ApiError)
  expect(gone).toMatchObject({ code: 'unknown_session', status: 404 })
})

test('a file’s path keeps its slashes, and its text comes back', async () => {
  const jarvis = await startJarvis()
  const { call } = jarvis.as('operator')
  const params = { path: 'memory/deep/a b.md' }
  const { checksum } = await call('PUT /api/memory/files/*path', { params, body: { text: 'Seen.' } })
  expect(await call('GET /api/memory/files/*path', { params })).toMatchObject({ ...params, text: 'Seen.', checksum })
})
