import { describe, expect, test } from 'vitest'
import { clusterContract } from './contracts/cluster.ts'
import { createFakeClock, type FakeClock } from './support/fake-clock.ts'
import { createSimulator } from './support/simulator.ts'

const noon = Date.UTC(2025, 9, 14, 12)
const calm = () => ({ signal: new AbortController().signal })

function start() {
  const clock = createFakeClock(noon)
  const lab = createSimulator({ clock, protectedTargets: new Set(['node/agent1', 'vm/101', 'ct/104']) })
  return { clock, ...lab, settle: <T>(promise: Promise<T>) => settleOn(clock, promise) }
}

/** Moves time on until the promise settles; a promise that never does fails after ten minutes of it. */
async function settleOn<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isSettled = false
  const mark = () => {
    isSettled = true
  }
  promise.then(mark, mark)
  for (let second = 0; second < 600; second += 1) {
    await clock.advance(second === 0 ? 0 : 1_000)
    if (isSettled) return promise
  }
  throw new Error('did not settle within ten minutes')
}

describe('the demo cluster keeps the contract', () => {
  clusterContract(() => {
    const { clock, cluster, controls, settle } = start()
    return {
      cluster,
      now: clock.now,
      settle,
      node: 'pve',
      lostNode: 'agent',
      runningVm: 123,
      runningCt: 104,
      stoppedVm: 142,
      guestOnLostNode: 140,
      backedUp: 101,
      loseNode: () => controls.setNodeOffline('agent', true),
      lock: controls.lockGuest,
      ignoreNextShutdown: controls.timeoutNextShutdown,
    }
  })
})

test('it starts as a lab with something to find: heat, a full disk, missing backups', async () => {
  const { cluster } = start()
  const { nodes, guests, storages, isQuorate, missing, tasks } = cluster.state()
  expect(nodes.map(({ name, isProtected }) => [name, isProtected])).toEqual([
    ['Home', false],
    ['pve', false],
    ['agent1', true],
    ['agent', false],
  ])
  expect(guests).toHaveLength(21)
  expect(guests.filter(({ status }) => status === 'running')).toHaveLength(19)
  expect(guests.filter(({ isProtected }) => isProtected).map(({ vmid }) => vmid)).toEqual([101, 104])
  expect(nodes.find(({ name }) => name === 'pve')?.temperatureC).toBe(81)
  const fast = storages.find(({ name }) => name === 'nvme-fast')
  expect((fast?.usedBytes ?? 0) / (fast?.totalBytes ?? 1)).toBeCloseTo(0.91, 2)
  const stale = guests.filter(({ backupAt }) => noon - (backupAt ?? noon) > 24 * 3_600_000)
  expect(stale).toHaveLength(9)
  expect(tasks.filter(({ type, status }) => type === 'vzdump' && status === 'failed')).toHaveLength(9)
  expect({ isQuorate, missing }).toEqual({ isQuorate: true, missing: [] })
})

test('the same seed gives the same figures', async () => {
  const [one, two] = [start(), start()]
  for (const { clock } of [one, two]) await clock.advance(20_000)
  expect(one.cluster.state()).toEqual(two.cluster.state())
})

test('figures move every two seconds while somebody watches, and no timer is left when nobody does', async () => {
  const { clock, cluster } = start()
  let changes = 0
  const stop = cluster.watch(() => {
    changes += 1
  })
  const first = cluster.state()
  await clock.advance(10_000)
  expect(changes).toBe(5)
  expect(cluster.state().nodes).not.toEqual(first.nodes)
  stop()
  expect(clock.pending()).toBe(0)
  const before = cluster.state()
  await clock.advance(60_000)
  expect(changes).toBe(5)
  expect(cluster.state().at).toBe(before.at + 60_000)
})

test('restarting the hot guest cools its node', async () => {
  const { clock, cluster, settle } = start()
  await settle(cluster.power({ vmid: 123, action: 'restart' }, calm()))
  for (let minute = 0; minute < 5; minute += 1) {
    await clock.advance(60_000)
    cluster.state()
  }
  const pve = cluster.state().nodes.find(({ name }) => name === 'pve')
  expect(pve?.temperatureC).toBeLessThan(62)
  expect(pve?.cpuRatio).toBeLessThan(0.35)
})

test('a second task on a guest that one works on fails for the lock, and one effect is enough', async () => {
  const { cluster, controls, settle } = start()
  const first = cluster.power({ vmid: 123, action: 'stop' }, calm())
  const second = cluster.power({ vmid: 123, action: 'restart' }, calm())
  expect(await settle(second)).toMatchObject({
    ok: false,
    exitStatus: "can't lock file '/var/lock/qemu-server/lock-123.conf' - got timeout",
  })
  expect(await settle(first)).toMatchObject({ ok: true, observed: 'stopped' })
  expect(controls.effects.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual([
    'power stop 123',
    'power restart 123',
  ])
})

test('a locked container cannot be stopped, yet reboots', async () => {
  const { cluster, controls, settle } = start()
  controls.lockGuest(104, 'backup')
  expect((await settle(cluster.power({ vmid: 104, action: 'stop' }, calm()))).exitStatus).toBe('CT is locked (backup)')
  expect(await settle(cluster.power({ vmid: 104, action: 'restart' }, calm()))).toMatchObject({
    ok: true,
    observed: 'running',
  })
})

test('a guest under HA is done later than its task, and seen done', async () => {
  const { cluster, settle } = start()
  const outcome = await settle(cluster.power({ vmid: 113, action: 'stop' }, calm()))
  expect(outcome).toMatchObject({ ok: true, observed: 'stopped', upid: expect.stringContaining(':hastop:113:') })
  expect((await settle(cluster.power({ vmid: 113, action: 'start' }, calm()))).observed).toBe('running')
})

test('a failure set for the next task changes nothing', async () => {
  const { cluster, controls, settle } = start()
  controls.failNextTask(104, 'command failed: exit code 1')
  const outcome = await settle(cluster.power({ vmid: 104, action: 'restart' }, calm()))
  expect(outcome).toMatchObject({ ok: false, exitStatus: 'command failed: exit code 1', observed: 'running' })
})

test('without quorum nothing starts', async () => {
  const { cluster, controls, settle } = start()
  controls.setNodeOffline('Home', true)
  controls.setNodeOffline('agent1', true)
  expect(cluster.state().isQuorate).toBe(false)
  expect((await settle(cluster.power({ vmid: 142, action: 'start' }, calm()))).exitStatus).toBe(
    'no quorum, so JARVIS sent nothing',
  )
})

test('a power request for a guest of a lost node reaches nothing', async () => {
  const { cluster, controls } = start()
  controls.setNodeOffline('agent', true)
  const before = cluster.state().tasks
  await expect(cluster.power({ vmid: 140, action: 'stop' }, calm())).rejects.toMatchObject({
    code: 'cluster_unreachable',
  })
  expect(controls.effects).toEqual([])
  expect(cluster.state().tasks).toEqual(before)
})

test('guests of a lost node are unknown at once', () => {
  const { cluster, controls } = start()
  controls.setNodeOffline('agent', true)
  expect(cluster.state().guests.find(({ vmid }) => vmid === 140)).toMatchObject({ status: 'unknown', uptimeS: null })
})

test('a task cut off by its node’s end is not a success', async () => {
  const { clock, cluster, controls, settle } = start()
  const stopping = cluster.power({ vmid: 123, action: 'stop' }, calm())
  await clock.advance(2_000)
  controls.setNodeOffline('pve', true)
  await expect(settle(stopping)).rejects.toMatchObject({ code: 'cluster_unreachable' })
  expect(cluster.state().tasks[0]).toMatchObject({ vmid: 123, status: 'failed', exitStatus: 'unexpected status' })
})

test('a sleeping node wakes once, with the guests that start with it', async () => {
  const { cluster, controls, waker, settle } = start()
  controls.setNodeOffline('agent', true)
  const progress: string[] = []
  const woken = waker.wake('agent', { ...calm(), onProgress: (line) => progress.push(line) })
  expect(await settle(woken)).toEqual({ cameOnline: true, wasOnline: false, afterMs: 18_000 })
  expect(progress).toEqual(['Magic packet sent to agent', 'Waiting until agent is seen online'])
  const status = new Map(cluster.state().guests.map((guest) => [guest.vmid, guest.status]))
  expect([status.get(140), status.get(141)]).toEqual(['running', 'stopped'])
  expect(await waker.wake('agent', calm())).toEqual({ cameOnline: true, wasOnline: true, afterMs: 0 })
  expect(controls.effects.filter(({ kind }) => kind === 'wake')).toHaveLength(1)
  await expect(waker.wake('nowhere', calm())).rejects.toMatchObject({ code: 'not_found' })
})

test('backups on the backup server can be read once it runs', async () => {
  const { cluster, settle } = start()
  const before = await cluster.backups({ vmid: 123 }, calm())
  expect(before).toEqual({ items: [], isUnread: false, missing: ['pbs-main is not reachable'] })
  await settle(cluster.power({ vmid: 141, action: 'start' }, calm()))
  const after = await cluster.backups({ vmid: 123 }, calm())
  expect(after.missing).toEqual([])
  expect(after.items[0]).toMatchObject({ vmid: 123, storage: 'pbs-main', format: 'pbs-vm' })
})

test('a slow call waits before it reaches the cluster, and can be given up', async () => {
  const { clock, cluster, controls } = start()
  controls.slowNextCall(5_000)
  const gone = new AbortController()
  const waiting = cluster.power({ vmid: 123, action: 'stop' }, { signal: gone.signal })
  await clock.advance(1_000)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(controls.effects).toEqual([])
})

test('a service restarts, or is not known', async () => {
  const { cluster, settle } = start()
  expect(await settle(cluster.restartService('pve', 'pvestatd.service', calm()))).toEqual({
    ok: true,
    message: 'pvestatd.service is active (running).',
  })
  expect(await cluster.restartService('pve', 'minecraft', calm())).toMatchObject({ ok: false })
})

test.each([
  [['uptime'], /up 63 days.*load average: 24\.\d+/],
  [['df', '-h'], /nvme-fast .*91%/],
  [['free', '-m'], /Mem: +128\d{3} +104\d{3}/],
  [['ps', '-eo', 'pcpu,args', '--sort=-pcpu'], /%CPU +COMMAND\n *38\d\.\d +\/usr\/bin\/kvm -id 123/],
  [['ps', 'aux'], /kvm -id 103 -name truenas/],
  [['cat', '/etc/hostname'], /^pve\n$/],
  [['cat', '/proc/loadavg'], /^24\.\d+ /],
  [['systemctl', 'is-active', 'pveproxy'], /^active\n$/],
  [['qm', 'list'], /103 +truenas +running/],
  [['pct', 'list'], /105 +running +immich/],
  [['pvesm', 'status'], /pbs-main +pbs +inactive/],
  [['zpool', 'list'], /nvme-fast .*91% +ONLINE/],
  [['sensors'], /Tctl: +\+8\d\.\d°C/],
  [['journalctl', '-n', '500'], /device lost by VM 123/],
  [['dmesg'], /giving up/],
  [['grep', '-i', 'version_id', '/etc/os-release'], /^VERSION_ID="13"\n$/],
  [['pveversion'], /pve-manager\/9/],
  [['top', '-bn1'], /%Cpu\(s\): +7\d/],
  [['ls', '/etc'], /os-release/],
  [['ip', 'a'], /inet 10\./],
  [['ss', '-tlnp'], /8006/],
  [['lsblk'], /disk/],
  [['who'], /root/],
  [['date'], /UTC 2025/],
  [['uname', '-a'], /^Linux pve /],
])('over SSH, %j is answered from the state', async (argv, expected) => {
  const { shell } = start()
  const output = await shell.run('pve', [argv], calm())
  expect(output).toMatchObject({ exitCode: 0, stderr: '' })
  expect(output.stdout).toMatch(expected)
})

test('over SSH, what is not there says so as a shell would', async () => {
  const { shell, controls } = start()
  expect(await shell.run('pve', [['nmap', '-sS']], calm())).toMatchObject({
    exitCode: 127,
    stderr: 'bash: line 1: nmap: command not found\n',
  })
  expect((await shell.run('pve', [['constructor']], calm())).exitCode).toBe(127)
  expect((await shell.run('pve', [['cat', '/nowhere']], calm())).stderr).toBe(
    'cat: /nowhere: No such file or directory\n',
  )
  controls.setNodeOffline('pve', true)
  await expect(shell.run('pve', [['uptime']], calm())).rejects.toMatchObject({ code: 'cluster_unreachable' })
  await expect(shell.run('nowhere', [['uptime']], calm())).rejects.toMatchObject({ code: 'not_found' })
  expect(controls.effects).toHaveLength(3)
})
