import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClusterState, NodeRolesReply } from 'protocol'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const put = (jarvis: TestJarvis, json: unknown, role: 'operator' | 'viewer' = 'operator') =>
  jarvis.rest('/api/node-roles', { method: 'PUT', json, role })
const rolesIn = ({ nodes }: Pick<ClusterState, 'nodes'>) =>
  Object.fromEntries(nodes.map(({ name, role }) => [name, role]))
const seen = async (jarvis: TestJarvis) => rolesIn((await (await jarvis.rest('/api/cluster')).json()) as ClusterState)

test('what nodes are for is named by an operator, kept, journalled, pushed and told to the model; policy.yaml counts first', async () => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), 'topology: {roles: {pve: photos}}')
  const jarvis = await startJarvis({ dataDir })
  const before = await seen(jarvis)
  expect(before).toMatchObject({ pve: 'photos' })
  const cluster = await jarvis.connect('/cluster')

  expect((await put(jarvis, { roles: { agent: 'backups' } }, 'viewer')).status).toBe(403)
  for (const roles of [{ agent: '' }, { agent: '<b>' }, { agent: 'x'.repeat(41) }, 7])
    expect((await put(jarvis, { roles })).status).toBe(400)
  const reply = (await (await put(jarvis, { roles: { agent: 'backups', pve: 'main' } })).json()) as NodeRolesReply
  expect(reply).toEqual({ roles: { agent: 'backups', pve: 'main' }, policy: { pve: 'photos' } })
  const after = { ...before, agent: 'backups' }
  expect(await seen(jarvis)).toEqual(after)
  const pushed = () => cluster.received.flatMap(({ payload }) => (payload.nodes as ClusterState['nodes']) ?? [])
  await expect.poll(() => pushed().some(({ role }) => role === 'backups')).toBe(true)
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/get_cluster_status' })
  expect((await screen.next('chat:tool_result')).result).toMatch(/agent \(backups\)/)
  const journal = (await (await jarvis.rest('/api/journal?kind=settings')).json()) as { items: unknown[] }
  expect(journal.items).toMatchObject([{ body: { change: 'node_roles', by: 'operator', to: { agent: 'backups' } } }])
  await jarvis.stop()

  writeFileSync(join(dataDir, 'policy.yaml'), '')
  expect(await seen(await startJarvis({ dataDir }))).toEqual({ ...after, pve: 'main' })
})
