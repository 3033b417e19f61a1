import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Runbook, RunbookCheck, RunbookText } from 'protocol'
import { expect, test } from 'vitest'
import { jarvisHere } from './support/command-here.ts'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const lookAtNode = `---
name: Look at a node
inputs:
  node: { type: node }
---
## 1. How warm it is
tool: get_node_temperature
args: { node: $node }
`

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const put = (jarvis: TestJarvis, name: string, body: object) =>
  jarvis.rest(`/api/runbooks/${name}`, { method: 'PUT', json: body })

test('a runbook is saved without a fault alone, and what was saved before stays in force', async () => {
  const jarvis = await startJarvis()
  const saved = await json<RunbookText>(put(jarvis, 'look', { text: lookAtNode }))
  expect(saved).toMatchObject({ name: 'look', title: 'Look at a node', faults: [], isShipped: false })
  const file = join(jarvis.dataDir, 'workspace/runbooks/look.md')
  expect(readFileSync(file, 'utf8')).toBe(lookAtNode)

  const faulty = lookAtNode.replace('get_node_temperature', 'get_node_temprature')
  const refused = await put(jarvis, 'look', { text: faulty, hash: saved.hash })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('line 7: There is no tool get_node_temprature.')
  expect(readFileSync(file, 'utf8')).toBe(lookAtNode)

  const check = { method: 'POST', json: { text: faulty } }
  expect(await json<RunbookCheck>(jarvis.rest('/api/runbooks/check', check))).toMatchObject({
    runbook: { faults: [{ line: 7, nearest: 'get_node_temperature' }] },
  })

  const stale = await put(jarvis, 'look', { text: `${lookAtNode}\n`, hash: 'another' })
  expect([stale.status, (await put(jarvis, '../secret', { text: lookAtNode })).status]).toEqual([409, 404])
  expect((await put(jarvis, 'Look', { text: lookAtNode })).status).toBe(400)

  writeFileSync(file, faulty)
  const { items } = await json<{ items: Runbook[] }>(jarvis.rest('/api/runbooks', { role: 'viewer' }))
  expect(items.find(({ name }) => name === 'look')?.faults).toMatchObject([{ line: 7 }])
  expect((await jarvis.rest('/api/runbooks/look', { method: 'DELETE', role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest('/api/runbooks/look', { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest('/api/runbooks/look')).status).toBe(404)
})

test('a model writes no runbook', async () => {
  const jarvis = await startJarvis({
    model: scripted(calls(['memory_write', { path: 'runbooks/mine.md', text: lookAtNode }]), says('Noted.')),
  })
  mkdirSync(join(jarvis.dataDir, 'workspace/runbooks'), { recursive: true })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Write it.' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: true })
  expect((await jarvis.rest('/api/runbooks/mine')).status).toBe(404)
})

test('the command line names the faults of a file by line, and what there is', async () => {
  const dataDir = folder()
  const text = lookAtNode.replace('$node', '$nod')
  mkdirSync(join(dataDir, 'workspace/runbooks'), { recursive: true })
  writeFileSync(join(dataDir, 'workspace/runbooks/look.md'), lookAtNode)
  const file = join(dataDir, 'faulty.md')
  writeFileSync(file, text)
  expect(await jarvisHere(dataDir, 'runbooks')).toEqual({ code: 0, output: 'look  Look at a node  (node)' })
  expect(await jarvisHere(dataDir, 'runbooks', 'check', file)).toMatchObject({
    code: 1,
    output: expect.stringContaining(`${file}:8:15  $nod is not known here.`),
  })
})
