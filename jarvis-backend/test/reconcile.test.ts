import { expect, test } from 'vitest'
import { reconcile } from '../src/calls/reconcile.ts'
import type { Cluster } from '../src/homelab/ports.ts'
import { createSimulator } from '../src/homelab/simulator/index.ts'
import type { Guest, Task } from '../src/protocol/index.ts'
import { houseTools } from '../src/tools/house.ts'
import { createFakeClock } from './support/fake-clock.ts'

const claimedAt = Date.UTC(2026, 10, 1)
const task = (type: string, more: Partial<Task> = {}): Task => ({
  upid: `UPID:${type}`,
  node: 'pve',
  type,
  vmid: 104,
  user: 'root@pam',
  startedAt: claimedAt,
  endedAt: claimedAt + 1_000,
  status: 'ok',
  exitStatus: 'OK',
  ...more,
})

type Case = {
  toolName?: string
  tasks: Task[]
  seen?: Guest['status']
  upid?: string
  others?: { upids: ReadonlySet<string>; open: number }
}

const endingOf = ({ toolName, toolInput }: { toolName: string; toolInput: object }) =>
  houseTools.find(({ name }) => name === toolName)?.ending?.(toolInput as Record<string, unknown>)

async function outcomeOf({ toolName = 'stop_container', tasks, seen = 'stopped', upid, others }: Case) {
  const clock = createFakeClock(claimedAt)
  const lab = createSimulator({ clock, protectedTargets: new Set() })
  lab.controls.setStatus(104, seen === 'unknown' ? 'stopped' : seen)
  const cluster: Cluster = { ...lab.cluster, tasks: async () => ({ items: tasks, missing: [] }) }
  const call = { toolName, toolInput: { vmid: 104 } }
  const claimed = {
    ...call,
    sessionId: 'ses_1',
    runId: 'run_1',
    startedAt: claimedAt,
    ...(upid !== undefined && { upid }),
  }
  const alone = { upids: new Set<string>(), open: 0 }
  const { outcome } = await reconcile(
    endingOf(call),
    claimed,
    others ?? alone,
    cluster,
    clock,
    new AbortController().signal,
  )
  return outcome
}

test.each<[string, Case, string]>([
  ['its only task ended well', { tasks: [task('vzshutdown')] }, 'done'],
  ['its only task failed', { tasks: [task('vzshutdown', { status: 'failed', exitStatus: 'got timeout' })] }, 'failed'],
  ['its own task is known among others', { tasks: [task('vzstop'), task('vzshutdown')], upid: 'UPID:vzstop' }, 'done'],
  ['no task is seen', { tasks: [] }, 'unknown'],
  ['two tasks could be it', { tasks: [task('vzstop'), task('vzshutdown')] }, 'unknown'],
  ['the task is from before', { tasks: [task('vzshutdown', { startedAt: claimedAt - 5_000 })] }, 'unknown'],
  ['the task does something else', { tasks: [task('vzstart')] }, 'unknown'],
  ['the task is of another guest', { tasks: [task('vzshutdown', { vmid: 105 })] }, 'unknown'],
  [
    "the task is another call's",
    { tasks: [task('vzstop')], others: { upids: new Set(['UPID:vzstop']), open: 0 } },
    'unknown',
  ],
  [
    'another call may have been the cause',
    { tasks: [task('vzstop')], others: { upids: new Set(), open: 1 } },
    'unknown',
  ],
  ['a restart shows its stop alone', { toolName: 'restart_container', tasks: [task('vzstop')] }, 'unknown'],
  ['HA took the request, and the guest still runs', { tasks: [task('hastop')], seen: 'running' }, 'unknown'],
  ['HA took the request, and the guest is off', { tasks: [task('hastop')] }, 'done'],
])('where %s, the outcome is so', async (_what, given, expected) => {
  expect(await outcomeOf(given)).toBe(expected)
})

test.each([
  [
    'execute_ssh',
    { node: 'pve', command: 'df' },
    'The command only reads: it has changed nothing, and can be asked for again.',
  ],
  [
    'execute_ssh',
    { node: 'pve', command: 'systemctl restart nginx' },
    'Proxmox keeps no record of SSH commands, so JARVIS cannot find out. Look on pve at what the command should have changed, and with ps whether it still runs.',
  ],
  [
    'restart_service',
    { node: 'pve', service: 'nginx' },
    'Proxmox names no task of it, so JARVIS cannot find out. Look on pve with "systemctl status nginx": the time after "since" shows whether it was restarted.',
  ],
  ['wake_node', { node: 'pve' }, 'Look with get_cluster_status whether pve is online.'],
  ['memory_write', {}, 'JARVIS keeps no record of what this tool changed. Look at what it should have changed.'],
])('of a lost %s it is said what to look at', async (toolName, toolInput, text) => {
  const clock = createFakeClock(claimedAt)
  const { cluster } = createSimulator({ clock, protectedTargets: new Set() })
  const call = { toolName, toolInput }
  const claimed = { ...call, sessionId: 'ses_1', runId: 'run_1', startedAt: claimedAt }
  const { signal } = new AbortController()
  const found = await reconcile(endingOf(call), claimed, { upids: new Set(), open: 0 }, cluster, clock, signal)
  expect(found).toEqual({ outcome: 'unknown', text })
})
