import type { Cluster } from 'homelab-ports/ports'
import type { Guest, Task, ToolInput } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { reconcile } from '../src/calls/reconcile.ts'
import { SqliteChangeStore } from '../src/store/sqlite/calls/changes.ts'
import { SqliteExecutionStore } from '../src/store/sqlite/calls/confirmations.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { houseTools } from '../src/tools/house.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { createSimulator } from './support/simulator.ts'

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

/** A VM's reboot and the start that follows. */
const reboot = (start: Partial<Task>) => [
  task('qmreboot'),
  task('qmstart', { startedAt: claimedAt + 2_000, endedAt: claimedAt + 4_000, ...start }),
]

type Case = {
  toolName?: string
  toolInput?: ToolInput
  tasks: Task[]
  seen?: Guest['status']
  upid?: string
  others?: { upids: ReadonlySet<string>; open: number }
  /** How far the cluster's clock is ahead, ms; null: no answer told. */
  aheadMs?: number | null
}

const endingOf = ({ toolName, toolInput }: { toolName: string; toolInput: object }) =>
  houseTools.find(({ name }) => name === toolName)?.ending?.(toolInput as Record<string, unknown>)

function reconciled({
  toolName = 'stop_container',
  toolInput = { vmid: 104 },
  tasks,
  seen = 'stopped',
  upid,
  others,
  aheadMs,
}: Case) {
  const clock = createFakeClock(claimedAt)
  const lab = createSimulator({ clock, protectedTargets: new Set() })
  lab.controls.setStatus(104, seen === 'unknown' ? 'stopped' : seen)
  const timeThere = (at: number) => (aheadMs === null ? undefined : at + (aheadMs ?? 0))
  const cluster: Cluster = {
    ...lab.cluster,
    tasks: async () => ({ items: tasks, missing: [] }),
    ...(aheadMs !== undefined && { timeThere }),
  }
  const call = { toolName, toolInput }
  const claimed = {
    ...call,
    sessionId: 'ses_1',
    runId: 'run_1',
    startedAt: claimedAt,
    ...(upid !== undefined && { upid }),
  }
  const alone = { upids: new Set<string>(), open: 0 }
  const unsettled = { ending: endingOf(call), claimed, others: others ?? alone }
  return reconcile(unsettled, { cluster, clock }, new AbortController().signal)
}
/** A stop that began so long after the claim, by the cluster's clock. */
const stopAt = (ms: number) => ({ tasks: [task('vzstop', { startedAt: claimedAt + ms })] })
const outcomeOf = async (given: Case) => (await reconciled(given)).outcome

test('a backup that failed is told with the reason that its log gives', async () => {
  const reason = 'Backup of VM 104 failed - no space left on device'
  const failed = task('vzdump', { status: 'failed', exitStatus: 'job errors', reason })
  const { outcome, text } = await reconciled({ tasks: [failed], upid: failed.upid })
  expect([outcome, text]).toEqual(['failed', expect.stringContaining(`ended: job errors: ${reason}.`)])
})

test.each<[string, Case, string]>([
  ['its only task ended well', { tasks: [task('vzshutdown')] }, 'done'],
  ['its only task failed', { tasks: [task('vzshutdown', { status: 'failed', exitStatus: 'got timeout' })] }, 'failed'],
  ['its own task is known among others', { tasks: [task('vzstop'), task('vzshutdown')], upid: 'UPID:vzstop' }, 'done'],
  ['no task is seen', { tasks: [] }, 'unknown'],
  ['two tasks could be it', { tasks: [task('vzstop'), task('vzshutdown')] }, 'unknown'],
  ['the task is from before', { tasks: [task('vzshutdown', { startedAt: claimedAt - 5_000 })] }, 'unknown'],
  ['it is from before, and the cluster’s clock ahead', { ...stopAt(25_000), aheadMs: 30_000 }, 'unknown'],
  ['it is its own, and the cluster’s clock ahead', { ...stopAt(30_000), aheadMs: 30_000 }, 'done'],
  ['it is its own, and the cluster’s clock behind', { ...stopAt(-30_000), aheadMs: -30_000 }, 'done'],
  ['the cluster’s time is not known', { ...stopAt(0), aheadMs: null }, 'unknown'],
  [
    'its own task is known, and the cluster’s time is not',
    { ...stopAt(0), upid: 'UPID:vzstop', aheadMs: null },
    'done',
  ],
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
  ['a reboot runs and its start too', { toolName: 'restart_vm', tasks: reboot({}) }, 'done'],
  ['a reboot ended and its start failed', { toolName: 'restart_vm', tasks: reboot({ status: 'failed' }) }, 'failed'],
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
  const unsettled = { ending: endingOf(call), claimed, others: { upids: new Set<string>(), open: 0 } }
  const found = await reconcile(unsettled, { cluster, clock }, signal)
  expect(found).toEqual({ outcome: 'unknown', text })
})

const types: [string, ToolInput, string[]][] = [
  ['take_snapshot', { vmid: 104, name: 'a' }, ['qmsnapshot', 'vzsnapshot']],
  ['delete_snapshot', { vmid: 104, name: 'a' }, ['qmdelsnapshot', 'vzdelsnapshot']],
  ['rollback_snapshot', { vmid: 104, name: 'a' }, ['qmrollback', 'vzrollback']],
  ['resize_disk', { vmid: 104, disk: 'scsi0', addGib: 1 }, ['resize']],
  ['back_up_guest', { vmid: 104, storage: 'nas' }, ['vzdump']],
  // The task of a clone is its source's.
  ['clone_guest', { vmid: 104, newId: 900, name: 'a' }, ['qmclone', 'vzclone']],
  ['create_guest', { newId: 104 }, ['qmcreate', 'vzcreate']],
  ['restore_guest', { newId: 104 }, ['qmrestore', 'vzrestore']],
  ['migrate_guest', { vmid: 104, target: 'agent1' }, ['qmigrate', 'vzmigrate']],
  ['destroy_guest', { vmid: 104, name: 'a' }, ['qmdestroy', 'vzdestroy']],
]
test.each(types)('a lost %s is found by its own task alone', async (toolName, toolInput, own) => {
  const of = (tasks: Task[]) => outcomeOf({ toolName, toolInput, tasks })
  for (const type of own) {
    expect(await of([task(type)]), type).toBe('done')
    expect(await of([task(type, { status: 'failed', exitStatus: 'got timeout' })]), type).toBe('failed')
    expect(await of([task(type, { vmid: 105 })]), type).toBe('unknown')
  }
  // Tasks beside the call's own prove nothing: the snapshot before it, and the start after it.
  const others = types.flatMap(([, , more]) => more).filter((type) => !own.includes(type))
  for (const type of [...others, 'qmstart', 'vzstart']) expect(await of([task(type)]), type).toBe('unknown')
})

test('a rollback that started its guest again is found beside that start', async () => {
  const call = { toolName: 'rollback_snapshot', toolInput: { vmid: 104, name: 'a' } }
  expect(await outcomeOf({ ...call, tasks: [task('qmstart'), task('qmrollback')], seen: 'running' })).toBe('done')
  const failed = { status: 'failed', exitStatus: 'start failed' } as const
  expect(await outcomeOf({ ...call, tasks: [task('qmstart', failed), task('qmrollback')] })).toBe('done')
})

test('the task of an undo, which names no guest, is taken for no other call’s', () => {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const executions = new SqliteExecutionStore(database)
  const changes = new SqliteChangeStore(database)
  const begin = (toolUseId: string, toolInput: ToolInput, id: string) => {
    const call = { toolName: 'any', toolInput, sessionId: 'ses_1' }
    const claim = { ...call, toolUseId, runId: 'run_1', tier: 'red', bindingHash: '', at: claimedAt } as const
    executions.claim(claim)
    const undo = { kind: 'none', because: 'Nothing does.' } as const
    const who = { requestedBy: { kind: 'model', name: 'operator' } as const, sentence: 'It stops.' }
    changes.begin({ ...call, ...who, id: toolUseId, target: { kind: 'guest', id }, at: claimedAt, undo })
  }
  begin('lost', { vmid: 104 }, 'ct/104')
  begin('undo', { change: 'another' }, 'ct/104')
  begin('elsewhere', { change: 'another' }, 'ct/105')
  executions.noteTask('undo', 'UPID:1')
  expect(executions.others('lost')).toEqual({ upids: new Set(['UPID:1']), open: 0 })
  expect(executions.others('undo')).toEqual({ upids: new Set(), open: 1 })
  expect(executions.others('elsewhere')).toEqual({ upids: new Set(), open: 0 })
})
