import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JarvisError } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from './support/fake-clock.ts'
import { watchedMcp } from './support/mcp-client.ts'
import { createSimulator } from './support/simulator.ts'
import { type Screen, startJarvis } from './support/start-jarvis.ts'

const pauseMs = 5 * 60_000

/** A node whose sensors cannot be reached until told otherwise; counts how often they are asked. */
async function withDeadSensors() {
  const clock = createFakeClock(Date.UTC(2026, 10, 1))
  const lab = createSimulator({ clock, protectedTargets: new Set(), speed: 1_000 })
  const sensors = { isDead: true, asked: 0 }
  const temperature: typeof lab.cluster.temperature = async (node) => {
    sensors.asked += 1
    if (sensors.isDead && node === 'pve') throw new JarvisError('cluster_unreachable', 'The sensors do not answer.')
    return { celsius: 40, sensor: 'CPU', all: [] }
  }
  const jarvis = await startJarvis({ clock, homelab: { ...lab, cluster: { ...lab.cluster, temperature } } })
  const operator = await jarvis.connect()
  return { clock, jarvis, sensors, read: readerOf(operator) }
}

const readerOf =
  (operator: Screen) =>
  async (node = 'pve') => {
    await operator.ask('chat:send', { message: `/get_node_temperature node=${node}` })
    await operator.next('chat:done')
    return operator.next('chat:tool_result')
  }

test('a tool that keeps failing on a node is left alone there, and tried again by one call after a pause', async () => {
  const { clock, sensors, read } = await withDeadSensors()
  for (let call = 0; call < 5; call += 1) expect((await read()).result).toContain('do not answer')
  const refused = await read()
  expect(refused).toMatchObject({ isError: true, durationMs: 0 })
  expect(refused.result).toContain('get_node_temperature on pve failed 5 times in a row')
  expect(refused.result).toContain('tried again in 300 s. Nothing was run.')
  expect(sensors.asked).toBe(5)
  expect((await read('agent')).isError).toBe(false)

  await clock.advance(pauseMs)
  expect((await read()).result).toContain('do not answer')
  expect((await read()).result).toContain('left alone')
  expect(sensors.asked).toBe(7)

  await clock.advance(pauseMs)
  sensors.isDead = false
  for (let call = 0; call < 2; call += 1) expect((await read()).isError).toBe(false)
})

test('what the cluster refuses, and mistakes, are answers: they leave no tool alone', async () => {
  const jarvis = await startJarvis()
  const operator = await jarvis.connect()
  for (let round = 0; round < 7; round += 1) {
    const { sessionId } = await operator.ask('chat:send', { message: '/start_container vmid=104' })
    const { toolUseId } = await operator.next('chat:confirm_needed')
    await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
    expect((await operator.next('chat:tool_result')).result).toContain('already running')
    await operator.next('chat:done')
    await operator.ask('chat:send', { message: '/start_container vmid=999' })
    expect((await operator.next('chat:tool_result')).result).toContain('no guest 999')
    await operator.next('chat:done')
  }
})

test('a tool’s rate holds for each token, and in each session of a person, and says when it may be called again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-rates-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'policy.yaml'), 'limits: {rates: {get_vms: 3/min}}\n')
  const clock = createFakeClock(Date.UTC(2026, 10, 1))
  const jarvis = await startJarvis({ dataDir, clock })
  const { client } = await watchedMcp(jarvis, 'laptop')
  const read = async (of = client) => JSON.stringify((await of.callTool({ name: 'get_vms', arguments: {} })).content)
  for (let call = 0; call < 3; call += 1) expect(await read()).not.toContain('may be called')
  expect(await read()).toContain('get_vms may be called 3 times in 60 s here, and was. Call it again in 60 s.')
  expect(JSON.stringify(await client.callTool({ name: 'get_containers', arguments: {} }))).not.toContain(
    'may be called',
  )
  const other = await watchedMcp(jarvis, 'desktop')
  expect(await read(other.client)).not.toContain('may be called')
  // The operator in the client's own session is somebody else, and the client stays who it is in a new one.
  const operator = await jarvis.connect()
  const { items } = (await (await jarvis.rest('/api/sessions')).json()) as { items: { id: string; title: string }[] }
  const sessionId = items.find(({ title }) => title === 'MCP: laptop')?.id ?? ''
  await operator.ask('chat:send', { sessionId, message: '/get_vms' })
  expect((await operator.next('chat:tool_result')).isError).toBe(false)
  await operator.next('chat:done')
  expect((await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(204)
  expect(await read()).toContain('may be called')
  await clock.advance(60_000)
  expect(await read()).not.toContain('may be called')
})
