import type { PowerAction, PowerOutcome } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { failingRows } from './support/failing-rows.ts'
import { calm, startProxmox, withGuest } from './support/start-proxmox.ts'

type Row = {
  what: string
  vmid: number
  action: PowerAction
  force?: boolean
  before?: Record<string, unknown>
  outcome: Partial<PowerOutcome>
}

const outcomes: Row[] = [
  {
    what: 'stopping a container that is off is refused at once',
    vmid: 202,
    action: 'stop',
    outcome: { ok: false, exitStatus: 'CT 202 not running', observed: 'stopped' },
  },
  {
    what: 'rebooting a container that is off is refused, and Proxmox calls it a VM',
    vmid: 202,
    action: 'restart',
    outcome: { ok: false, exitStatus: 'VM 202 not running', observed: 'stopped' },
  },
  {
    what: 'a locked container is not stopped',
    vmid: 200,
    action: 'stop',
    before: { lock: 'backup' },
    outcome: { ok: false, exitStatus: 'CT is locked (backup)', observed: 'running' },
  },
  {
    what: 'a reboot of a container ignores its lock',
    vmid: 200,
    action: 'restart',
    before: { lock: 'backup' },
    outcome: { ok: true, exitStatus: 'OK', observed: 'running' },
  },
  {
    what: 'a container that ignores its shutdown still runs',
    vmid: 200,
    action: 'stop',
    before: { isDeaf: true },
    outcome: { ok: false, exitStatus: 'container did not stop', observed: 'running' },
  },
  {
    what: 'a paused VM cannot be shut down, and is seen paused',
    vmid: 104,
    action: 'stop',
    outcome: { ok: false, exitStatus: 'VM is paused - cannot shutdown', observed: 'paused' },
  },
  {
    what: 'a paused VM can be switched off',
    vmid: 104,
    action: 'stop',
    force: true,
    outcome: { ok: true, exitStatus: 'OK', observed: 'stopped' },
  },
  {
    what: 'a forced restart of a VM is a reset',
    vmid: 100,
    action: 'restart',
    force: true,
    outcome: { ok: true, exitStatus: 'OK', observed: 'running' },
  },
  {
    what: 'a forced restart of a container is a stop and a start',
    vmid: 200,
    action: 'restart',
    force: true,
    outcome: { ok: true, exitStatus: 'OK', observed: 'running' },
  },
  {
    what: 'a guest that another task holds is left to it',
    vmid: 100,
    action: 'stop',
    before: { isHeld: true },
    outcome: { ok: false, exitStatus: "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout" },
  },
  {
    what: 'a guest under HA is seen stopped after HA’s own task has long ended',
    vmid: 103,
    action: 'stop',
    outcome: { ok: true, exitStatus: 'OK', observed: 'stopped', upid: expect.stringContaining(':hastop:103:') },
  },
]
test('each change of power ends as Proxmox ends it', async () => {
  const judge = async ({ vmid, action, force = false, before = {}, outcome }: Row) => {
    const { cluster } = await startProxmox({}, withGuest(vmid, before))
    expect(await cluster.power({ vmid, action, isForced: force }, calm())).toMatchObject(outcome)
  }
  expect(await failingRows(outcomes, judge, ({ what }) => what)).toEqual([])
})

const requests: [PowerAction, boolean, number, string[]][] = [
  ['start', false, 102, ['qemu/102/status/start']],
  ['stop', false, 100, ['qemu/100/status/shutdown']],
  ['stop', true, 100, ['qemu/100/status/stop']],
  ['restart', false, 100, ['qemu/100/status/reboot']],
  ['restart', true, 100, ['qemu/100/status/reset']],
  ['start', true, 202, ['lxc/202/status/start']],
  ['stop', false, 200, ['lxc/200/status/shutdown']],
  ['restart', true, 200, ['lxc/200/status/stop', 'lxc/200/status/start']],
]
test('each change of power asks for exactly that', async () => {
  const judge = async ([action, force, vmid, paths]: (typeof requests)[number]) => {
    const { fake, cluster } = await startProxmox()
    expect(await cluster.power({ vmid, action, isForced: force }, calm())).toMatchObject({ ok: true })
    const changes = await fake.control.changes()
    expect(
      changes.map(({ method, path, form }) => ({ method, path: path.replace(/^\/nodes\/[^/]+\//, ''), form })),
    ).toEqual(paths.map((path) => ({ method: 'POST', path, form: {} })))
  }
  expect(await failingRows(requests, judge, (row) => row.join(' '))).toEqual([])
})

test('a VM’s reboot is over when the start that follows has ended', async () => {
  const { fake, cluster } = await startProxmox()
  expect(await cluster.power({ vmid: 100, action: 'restart' }, calm())).toMatchObject({ ok: true, observed: 'running' })
  const { items } = await cluster.tasks({ limit: 5 }, calm())
  expect(items.map(({ type, status }) => [type, status])).toEqual([
    ['qmstart', 'ok'],
    ['qmreboot', 'ok'],
  ])
  await fake.control.changeGuest(101, { failsToStart: 'start failed: QEMU exited with code 1' })
  expect(await cluster.power({ vmid: 101, action: 'restart' }, calm())).toMatchObject({
    ok: false,
    exitStatus: 'start failed: QEMU exited with code 1',
    upid: expect.stringContaining(':qmstart:101:'),
    observed: 'stopped',
  })
})

test('without quorum nothing starts, and nothing runs late', async () => {
  const { fake, cluster, until } = await startProxmox()
  await fake.control.setNode('pve3', false)
  await fake.control.setNode('pve4', false)
  await until(({ isQuorate }) => !isQuorate)
  const outcome = await cluster.power({ vmid: 102, action: 'start' }, calm())
  expect(outcome).toMatchObject({ ok: false, exitStatus: 'no quorum, so JARVIS sent nothing', observed: 'stopped' })
  expect(outcome.upid).toBeUndefined()
})

test('a guest that has moved since the last look is found where it is now', async () => {
  const { fake, cluster, read } = await startProxmox()
  await read()
  await fake.control.changeGuest(100, { node: 'pve2' })
  expect(await cluster.power({ vmid: 100, action: 'restart' }, calm())).toMatchObject({ ok: true, observed: 'running' })
  expect((await fake.control.changes()).map(({ path }) => path)).toEqual(['/nodes/pve2/qemu/100/status/reboot'])
})

test('a token without the right is told which right is missing', async () => {
  const { fake, cluster } = await startProxmox()
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1 } })
  const outcome = await cluster.power({ vmid: 100, action: 'stop' }, calm())
  expect(outcome).toMatchObject({ ok: false, exitStatus: 'Permission check failed (/vms/100, VM.PowerMgmt)' })
  expect(outcome.upid).toBeUndefined()
})

test('the message of Proxmox before 2025 is read from the reason phrase', async () => {
  const { cluster } = await startProxmox({ isOld: true })
  const outcome = await cluster.power({ vmid: 200, action: 'start' }, calm())
  expect(outcome).toMatchObject({ ok: false, exitStatus: 'CT 200 already running' })
})

test('a lost answer is no failure, and the request is not made again', async () => {
  const { fake, cluster } = await startProxmox()
  await fake.control.addFault({ kind: 'lost', match: '/status/shutdown', method: 'POST', times: 9 })
  await expect(cluster.power({ vmid: 100, action: 'stop' }, calm())).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(await fake.control.changes()).toHaveLength(1)
})

const answers = [
  ['does not come', { kind: 'hang' }],
  ['breaks off', { kind: 'half' }],
  ['is no answer of Proxmox', { kind: 'garbage' }],
  ['says that the way to the node broke', { kind: 'status', status: 596, phrase: 'Broken pipe' }],
  ['comes from a web server in between', { kind: 'status', status: 504, phrase: 'Gateway Timeout' }],
] as const
test('where the answer to a change does not come as it should, its outcome is unknown', async () => {
  const judge = async ([, fault]: (typeof answers)[number]) => {
    const { fake, cluster } = await startProxmox()
    await fake.control.addFault({ match: '/status/shutdown', method: 'POST', times: 1, ...fault })
    await expect(cluster.power({ vmid: 100, action: 'stop' }, calm())).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
  }
  expect(await failingRows(answers, judge, ([what]) => what)).toEqual([])
})

test('what certainly did not reach the node has failed', async () => {
  const { fake, cluster } = await startProxmox()
  await fake.control.addFault({
    kind: 'status',
    status: 595,
    phrase: 'No route to host',
    match: '/status/shutdown',
    method: 'POST',
    times: 1,
  })
  await expect(cluster.power({ vmid: 101, action: 'stop' }, calm())).rejects.toMatchObject({
    code: 'cluster_unreachable',
    message: expect.stringContaining('pve2'),
  })
})

test('a node is away in three ways, and no change reaches it', async () => {
  const { fake, cluster } = await startProxmox()
  const shutDown = () =>
    cluster.api
      .change({ method: 'POST', path: ['nodes', 'pve2', 'qemu', 101, 'status', 'shutdown'], form: {} }, calm())
      .then(
        () => 'done',
        (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
      )
  const away = (words: string) =>
    `cluster_unreachable: pve2 cannot be reached by the rest of the cluster (595, ${words}).`
  await fake.control.setNode('pve2', false, 'refuses')
  expect(await shutDown()).toBe(away('Connection refused'))
  await fake.control.setNode('pve2', false, 'silent')
  // The node that was asked waits for the silent address longer than JARVIS waits for an answer.
  expect(await shutDown()).toMatch(/^outcome_unknown: The request was sent/)
  expect(await shutDown()).toBe(away('No route to host'))
  expect(await fake.control.changes()).toEqual([])
})

test('a task on a node that falls silent has an unknown outcome, and a short silence changes nothing', async () => {
  const { fake, cluster } = await startProxmox()
  await fake.control.addFault({ kind: 'status', status: 595, phrase: 'gone', match: '/tasks/UPID', times: 3 })
  expect(await cluster.power({ vmid: 101, action: 'stop' }, calm())).toMatchObject({ ok: true, observed: 'stopped' })
  await fake.control.addFault({ kind: 'status', status: 595, phrase: 'gone', match: '/tasks/UPID', times: 10_000 })
  await expect(cluster.power({ vmid: 101, action: 'start' }, calm())).rejects.toMatchObject({ code: 'outcome_unknown' })
})

test('a service of the API restarts through it, another over SSH, and a name that is no service is refused', async () => {
  const run: string[][] = []
  const { fake, cluster } = await startProxmox({}, () => ({
    shell: {
      async run(node, stages) {
        // Temperatures are read besides.
        if (!stages.flat().some((word) => /sensors|thermal/.test(word))) run.push([node, ...stages.flat()])
        const isKnown = !stages.flat().includes('minecraft.service')
        const stderr = isKnown ? '' : 'Failed to restart minecraft.service: Unit minecraft.service not found.\n'
        return { stdout: isKnown ? 'active\n' : '', stderr, exitCode: isKnown ? 0 : 5, truncated: false }
      },
    },
  }))
  const upids: string[] = []
  const onTask = (upid: string) => upids.push(upid)
  expect(await cluster.restartService('pve2', 'pvestatd.service', { ...calm(), onTask })).toEqual({
    ok: true,
    message: 'pvestatd.service is active (running).',
  })
  expect(upids).toEqual([expect.stringMatching(/^UPID:pve2:.*:srvrestart:pvestatd:/)])
  expect(run).toEqual([])
  expect(await cluster.restartService('pve2', 'nginx', calm())).toEqual({
    ok: true,
    message: 'nginx.service is active.',
  })
  expect(run).toEqual([
    ['pve2', 'systemctl', 'restart', '--', 'nginx.service'],
    ['pve2', 'systemctl', 'is-active', '--', 'nginx.service'],
  ])
  expect(await cluster.restartService('pve2', 'minecraft', calm())).toMatchObject({
    ok: false,
    message: expect.stringContaining('not found'),
  })
  await expect(cluster.restartService('pve2', '--all', calm())).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await fake.control.changes()).toHaveLength(1)
})
