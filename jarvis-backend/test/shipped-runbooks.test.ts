import type { PlanRun, Runbook, RunbookCheck, RunbookRunReply, RunbookText } from 'protocol'
import { expect, test } from 'vitest'
import { shippedRunbooks } from '../src/runbooks/shipped/index.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const post = (jarvis: TestJarvis, path: string, body: object) => jarvis.rest(path, { method: 'POST', json: body })

/** Inputs for each runbook on the demo cluster. `problem`: the reason why no plan can be made there. */
const tried: Record<string, { inputs: Record<string, unknown>; problem?: RegExp }> = {
  'backup-failed': { inputs: { vmid: 131 } },
  certificate: { inputs: { node: 'pve' } },
  'disk-failing': { inputs: { node: 'pve', disk: '/dev/sda' } },
  'guest-busy': { inputs: { vmid: 104, node: 'pve' } },
  'guest-unresponsive': { inputs: { vmid: 104 } },
  'node-hot': { inputs: { node: 'pve', vmid: 104 } },
  quorum: { inputs: { node: 'agent' } },
  replication: { inputs: { job: '104-0' } },
  'restore-drill': { inputs: { vmid: 131 } },
  'snapshot-forgotten': { inputs: { vmid: 104 } },
  'storage-filling': { inputs: { storage: 'nvme-fast' } },
  'update-node': { inputs: { node: 'agent', target: 'pve' } },
  'ups-shutdown': { inputs: { node: 'pve' }, problem: /step 2 .*node\/agent1 is protected/ },
  'zfs-degraded': { inputs: { node: 'agent1' } },
}

test('each shipped runbook makes a plan on the demo cluster, or says why none', async () => {
  const jarvis = await startJarvis()
  const { items } = await json<{ items: Runbook[] }>(jarvis.rest('/api/runbooks'))
  expect(items.map(({ name, isShipped, faults }) => ({ name, isShipped, faults }))).toEqual(
    [...shippedRunbooks.keys()].map((name) => ({ name, isShipped: true, faults: [] })),
  )
  expect(Object.keys(tried).sort()).toEqual([...shippedRunbooks.keys()].sort())
  for (const [name, { inputs, problem }] of Object.entries(tried)) {
    const text = shippedRunbooks.get(name) ?? ''
    const { plan } = await json<RunbookCheck>(post(jarvis, '/api/runbooks/check', { text, inputs }))
    expect.soft(plan?.problem?.message ?? '', name).toMatch(problem ?? /^$/)
  }
})

test.each([
  ['guest-unresponsive', { vmid: 104 }, ['done', 'done', 'done', 'skipped', 'done']],
  ['certificate', { node: 'pve' }, ['done', 'done', 'done']],
  ['restore-drill', { vmid: 131 }, ['done', 'done', 'skipped']],
  ['backup-failed', { vmid: 131 }, ['done', 'done', 'skipped', 'done', 'skipped']],
])('%s runs to its end after approval', async (name, inputs, states) => {
  const jarvis = await startJarvis()
  const screen = await jarvis.connect()
  const { sessionId } = await json<RunbookRunReply>(post(jarvis, `/api/runbooks/${name}/run`, { inputs }))
  const attached = async () => (await screen.ask('chat:attach', { sessionId })).snapshot
  const plans = async () => (await json<{ items: PlanRun[] }>(jarvis.rest('/api/plans'))).items
  await expect.poll(async () => (await attached()).pending.length + (await plans()).length).toBeGreaterThan(0)
  for (const { toolUseId } of (await attached()).pending)
    await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
  await expect.poll(async () => (await plans())[0]?.state).not.toMatch('running')
  const [plan] = await plans()
  expect(plan).toMatchObject({ runbook: name, state: 'done', steps: states.map((state) => ({ state })) })
  const [runbook] = (await json<{ items: Runbook[] }>(jarvis.rest('/api/runbooks'))).items.filter(
    (one) => one.name === name,
  )
  expect(runbook?.lastRun).toMatchObject({ state: 'done' })
})

test('what a person wrote or removed stays so at the next start', async () => {
  const first = await startJarvis()
  const text = shippedRunbooks.get('node-hot')?.replace('name: Hot node', 'name: Mine') ?? ''
  const { hash } = await json<RunbookText>(first.rest('/api/runbooks/node-hot'))
  await first.rest('/api/runbooks/node-hot', { method: 'PUT', json: { text, hash } })
  await first.rest('/api/runbooks/quorum', { method: 'DELETE' })
  await first.stop()
  const second = await startJarvis({ dataDir: first.dataDir })
  const { items } = await json<{ items: Runbook[] }>(second.rest('/api/runbooks'))
  expect(items.find(({ name }) => name === 'node-hot')).toMatchObject({ title: 'Mine', isShipped: false })
  expect(items.find(({ name }) => name === 'quorum')).toBeUndefined()
})
