import { systemClock } from 'node-kit/clock'
import type { ToolCalls, ToolInfo } from 'protocol'
import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const dayMs = 24 * 60 * 60_000

test('tools say what raises them, and how often each was called in the last seven days', async () => {
  let ahead = 0
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after }
  const model = scripted(
    calls(['get_vms', {}], ['get_vms', {}], ['execute_ssh', { node: 'pve', command: 'rm -rf /' }]),
    says('One.'),
    calls(['get_vms', {}]),
    says('Two.'),
  )
  const jarvis = await startJarvis({ model, clock, env: { JARVIS_EMBEDDINGS: 'none' } })
  const read = async <T>(path: string) => (await (await jarvis.rest(path, { role: 'viewer' })).json()) as T
  const { items } = await read<{ items: ToolInfo[] }>('/api/tools')
  const raises = (name: string) => items.find((tool) => tool.name === name)?.raises
  expect(raises('get_vms')).toBeUndefined()
  expect(raises('execute_ssh')?.map(({ tier, rule }) => `${tier} ${rule}`)).toEqual([
    'black protected_node',
    'black not_read_only',
    'black unresolved_target',
    'red ssh_change',
    'red network_read',
  ])

  // Five days later a heartbeat would be due, and take a turn of the script.
  await jarvis.rest('/api/jobs/stop', { method: 'POST' })

  const counted = () => read<ToolCalls>('/api/tools/calls')
  expect(await counted()).toMatchObject({ calls: {}, refused: 0 })
  const ask = async () => {
    const screen = await jarvis.connect()
    await screen.ask('chat:send', { message: 'Look.' })
    await screen.next('chat:done')
  }
  await ask()
  expect(await counted()).toMatchObject({ calls: { get_vms: 2, execute_ssh: 1 }, refused: 1 })
  ahead += 5 * dayMs
  await ask()
  expect(await counted()).toMatchObject({ calls: { get_vms: 3 } })
  ahead += 3 * dayMs
  expect(await counted()).toMatchObject({ calls: { get_vms: 1 }, refused: 0 })
})
