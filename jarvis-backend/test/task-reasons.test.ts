import type { Homelab } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { Task } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { reasonOf } from '../src/homelab/operations/left-of.ts'
import { runTask } from '../src/homelab/operations/run-task.ts'
import { createTaskReasons } from '../src/homelab/operations/task-reasons.ts'
import { overHomelab } from './support/house.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

const nobody = () => Promise.reject(new Error('not here'))

type Lab = {
  homelab: Pick<Homelab, 'api' | 'cluster' | 'shell' | 'waker'>
  node: string
  vmid: number
  storage: string
  fail(words: string): unknown
}
const labs: Record<string, () => Promise<Lab>> = {
  async 'the demo'() {
    const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 200 })
    onTestFinished(() => homelab.cluster.close())
    const fail = (words: string) => homelab.controls.pve.failNextTask(101, words)
    return { homelab, node: 'Home', vmid: 101, storage: 'tank-nfs', fail }
  },
  async 'a Proxmox over HTTPS'() {
    const { fake, cluster, read } = await startProxmox({ speed: 200 })
    await read()
    const homelab = { cluster, api: cluster.api, shell: { run: nobody }, waker: { wake: nobody } }
    return { homelab, node: 'pve1', vmid: 100, storage: 'nas', fail: (words) => fake.control.failNextTask(100, words) }
  },
}

test.each(Object.entries(labs))(
  'on %s the recent tasks say why a backup failed, and its log is read once',
  async (_name, start) => {
    const { homelab, node, vmid, storage, fail } = await start()
    await fail('no space left on device')
    const request = {
      method: 'POST',
      path: ['nodes', node, 'vzdump'],
      form: { vmid: String(vmid), storage },
      what: 'a backup',
    } as const
    const { upid } = await runTask(homelab.api, request, calm())
    const tool = overHomelab(homelab).find(({ name }) => name === 'get_recent_tasks')
    const output = await tool?.run(tool.input.parse({ node }), { ...calm(), onProgress() {}, onTask() {} })
    expect(output?.text).toMatch(/vzdump.*: failed: Backup of VM \d+ failed - .*no space left on device/)
    const { items } = await homelab.cluster.tasks({ limit: 200 }, calm())
    expect(items.find((task) => task.upid === upid)).toMatchObject({
      exitStatus: 'job errors',
      reason: expect.stringContaining('no space left on device'),
    })
  },
)

const job: Task = {
  upid: 'UPID:pve1:00000001:00000001:00000001:vzdump::root@pam:',
  node: 'pve1',
  type: 'vzdump',
  user: 'root@pam',
  startedAt: 1,
  endedAt: 2,
  status: 'failed',
  exitStatus: 'job errors',
}

test('a job of several guests says each of the first that failed; a log is read once, and one that cannot be read gives no reason', async () => {
  const asked: string[] = []
  const lines = ['INFO: starting', ...[102, 103, 104, 105].map((vmid) => `ERROR: Backup of VM ${vmid} failed - full`)]
  let isReadable = false
  const api = {
    async get(path: readonly (string | number)[]) {
      asked.push(path.join('/'))
      if (!isReadable) throw new Error('no right')
      return lines.map((t, n) => ({ n, t }))
    },
  }
  const tell = createTaskReasons(api)
  const reasonNow = async () => (await tell({ items: [job], missing: [] }, calm().signal)).items[0]?.reason
  expect(await reasonNow()).toBeUndefined()
  isReadable = true
  const reason =
    'Backup of VM 102 failed - full; Backup of VM 103 failed - full; Backup of VM 104 failed - full; and 1 more'
  expect(await reasonNow()).toBe(reason)
  expect(await reasonNow()).toBe(reason)
  expect(asked).toHaveLength(2)
  expect(await reasonOf(api, { upid: job.upid, exitStatus: 'OK' }, calm().signal)).toBe('OK')
})

test('the activity tells a failed backup with the reason from its log', async () => {
  const backsUp = calls(['back_up_guest', { vmid: 101, storage: 'tank-nfs' }])
  const jarvis = await startJarvis({ model: scripted(backsUp, says('It failed.')) })
  jarvis.controls.pve.failNextTask(101, 'no space left on device')
  const events = await jarvis.connect('/events')
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Back 101 up.' })
  const lines = () =>
    events.received.flatMap(({ payload: { text } }) => (String(text).startsWith('vzdump 101') ? [text] : []))
  await expect
    .poll(lines, { timeout: 15_000 })
    .toEqual([expect.stringMatching(/^vzdump 101 on Home: Backup of VM 101 failed - .*no space left on device/)])
})
