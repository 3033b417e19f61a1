import type { ClusterState, Guest, Node, Storage, Task } from 'protocol'
import { expect, test } from 'vitest'
import { Notices, taskWords } from './notices.ts'

const start = Date.UTC(2026, 10, 1, 12)
const hourMs = 3_600_000
const guest = (more: Partial<Guest> = {}): Guest => ({
  vmid: 101,
  name: 'db',
  type: 'vm',
  node: 'pve',
  status: 'running',
  isProtected: false,
  uptimeS: 9e5,
  isHa: false,
  cpuRatio: 0,
  cpuCount: 1,
  ramBytes: 0,
  ramTotalBytes: 1,
  diskBytes: 0,
  diskTotalBytes: 1,
  tags: [],
  ...more,
})
const node = (more: Partial<Node> = {}): Node => ({
  name: 'pve',
  status: 'online',
  isProtected: false,
  uptimeS: 1e6,
  ...more,
})
const storage = (usedBytes: number, more: Partial<Storage> = {}): Storage => ({
  name: 'tank',
  type: 'zfspool',
  content: [],
  isActive: true,
  usedBytes,
  totalBytes: 100,
  ...more,
})
const task = (more: Partial<Task> = {}): Task => ({
  upid: 'UPID:1',
  node: 'pve',
  type: 'qmshutdown',
  vmid: 101,
  user: 'root@pam',
  startedAt: start,
  endedAt: start,
  status: 'ok',
  exitStatus: 'OK',
  ...more,
})

/** The lines of each state in turn; a number lets so many seconds pass before the next. */
function told(...steps: (Partial<ClusterState> | number)[]): string[][] {
  const notices = new Notices()
  let at = start
  let state: ClusterState = {
    name: 'lab',
    isDemo: false,
    at,
    nodes: [node()],
    guests: [guest()],
    storages: [],
    tasks: [],
    isQuorate: true,
    missing: [],
  }
  return steps.flatMap((step) => {
    if (typeof step === 'number') {
      at += step * 1000
      return []
    }
    state = { ...state, ...step, at }
    return [notices.of(state).map(({ level, text }) => `${level}: ${text}`)]
  })
}
const stopped = { guests: [guest({ status: 'stopped' })] }
const surprise = 'error: 101 db stopped unexpectedly: no task did it'
const seenStopped = 'info: 101 db is stopped, was running'

test('what is wrong at first sight is said once', () => {
  const bad = {
    nodes: [node(), node({ name: 'old', status: 'offline' })],
    storages: [storage(95)],
    guests: [
      guest({ backupAt: start - 27 * hourMs }),
      guest({ vmid: 102, name: 'web', backupAt: start - 90 * hourMs }),
    ],
    tasks: [task({ status: 'failed', exitStatus: 'boom' })],
  }
  expect(told(bad, 5, bad)).toEqual([
    [
      'error: old is offline',
      'warning: Storage tank is 95 % full',
      'warning: No backup for more than 26 h: 101 db, 102 web',
    ],
    [],
  ])
})

test('a node, the quorum, a storage: each change once', () => {
  const down = { nodes: [node({ status: 'offline' })], isQuorate: false, storages: [storage(1, { isActive: false })] }
  expect(
    told({ storages: [storage(1)] }, 5, down, 5, down, 5, { nodes: [node()], isQuorate: true, storages: [storage(1)] }),
  ).toEqual([
    [],
    [
      'error: pve is offline',
      'error: The cluster has lost its quorum: no guest can start',
      'error: Storage tank is not reachable',
    ],
    [],
    ['info: pve is online', 'info: The cluster has its quorum again', 'info: Storage tank is reachable again'],
  ])
})

test('a lost node’s own storages are no news besides', () => {
  const local = (isActive: boolean) => [storage(1, { node: 'pve', isActive })]
  expect(
    told({ storages: local(true) }, 5, { nodes: [node({ status: 'offline' })], storages: local(false) })[1],
  ).toEqual(['error: pve is offline'])
})

test('a storage that stays about its limit is said once, and again once it had room', () => {
  expect(told(...[84, 86, 84, 86, 75, 85].map((used) => ({ storages: [storage(used)] })))).toEqual([
    [],
    ['warning: Storage tank is 86 % full'],
    [],
    [],
    [],
    ['warning: Storage tank is 85 % full'],
  ])
})

test('a backup that grows old is said once, and again after a new one', () => {
  const backedUp = (hoursAgo: number) => ({ guests: [guest({ backupAt: start - hoursAgo * hourMs })] })
  expect(
    told(backedUp(25), 7_200, backedUp(25), 60, backedUp(25), 60, { guests: [guest({ backupAt: start + 7_000_000 })] }),
  ).toEqual([[], ['warning: No backup for more than 26 h: 101 db'], [], []])
})

test.each<[string, (Partial<ClusterState> | number)[], string[]]>([
  ['no task did it', [5, stopped, 12, stopped], [seenStopped, surprise]],
  [
    'its task is seen',
    [5, { ...stopped, tasks: [task()] }, 12, stopped],
    [seenStopped, 'info: qmshutdown 101 on pve: OK'],
  ],
  [
    'its task is seen a moment later',
    [5, stopped, 5, { ...stopped, tasks: [task({ endedAt: start + 5_000 })] }, 12, stopped],
    [seenStopped, 'info: qmshutdown 101 on pve: OK'],
  ],
  ['a task of it still runs', [5, { ...stopped, tasks: [task({ status: 'running' })] }, 30, stopped], [seenStopped]],
  [
    'all guests of its node are being stopped',
    [
      5,
      { ...stopped, tasks: [{ ...task({ status: 'running', type: 'stopall' }), vmid: undefined } as unknown as Task] },
      30,
      stopped,
    ],
    [seenStopped],
  ],
  [
    'another guest’s task ended',
    [5, { ...stopped, tasks: [task({ vmid: 102 })] }, 12, stopped],
    [seenStopped, 'info: qmshutdown 102 on pve: OK', surprise],
  ],
  [
    'its task was a start',
    [5, { ...stopped, tasks: [task({ type: 'qmstart' })] }, 12, stopped],
    [seenStopped, 'info: qmstart 101 on pve: OK', surprise],
  ],
  [
    'its shutdown was an hour ago',
    [{ tasks: [task({ upid: 'UPID:2', vmid: 102 }), task({ endedAt: start - hourMs })] }, 5, stopped, 12, stopped],
    ['info: qmshutdown 102 on pve: OK', seenStopped, surprise],
  ],
  [
    'it runs again at once',
    [5, stopped, 5, { guests: [guest()] }, 12, {}],
    [seenStopped, 'info: 101 db is running, was stopped'],
  ],
  ['its node has just been restarted', [5, { ...stopped, nodes: [node({ uptimeS: 60 })] }, 12, {}], [seenStopped]],
  [
    'HA moves it',
    [5, { guests: [guest({ status: 'stopped', isHa: true, haState: 'relocate' })] }, 12, {}],
    [seenStopped],
  ],
  ['it is locked for a backup', [5, { guests: [guest({ status: 'stopped', lock: 'backup' })] }, 12, {}], [seenStopped]],
])('a guest that stops: %s', (_what, steps, lines) => {
  expect(told({}, ...steps).flat()).toEqual(lines)
})

/** Proxmox's task types that begin like these: what `pvesh get /cluster/tasks` names them. */
const explains: Record<string, boolean> = {
  qmigrate: true,
  vzmigrate: true,
  hamigrate: true,
  qmpause: true,
  qmsuspend: true,
  vzsuspend: true,
  qmstop: true,
  qmshutdown: true,
  qmreboot: true,
  qmreset: true,
  vzstop: true,
  vzshutdown: true,
  vzreboot: true,
  qmdestroy: true,
  vzdestroy: true,
  qmrollback: true,
  vzrollback: true,
  qmrestore: true,
  vzrestore: true,
  qmtemplate: true,
  vztemplate: true,
  hastop: true,
  hashutdown: true,
  // It starts again what it stopped.
  vzdump: false,
  qmstart: false,
  vzstart: false,
  hastart: false,
  qmresume: false,
  qmsnapshot: false,
  qmconfig: false,
  qmclone: false,
  imgcopy: false,
  vncproxy: false,
  qmmove: false,
  move_volume: false,
  resize: false,
  // No task of Proxmox is called that.
  qmmigrate: false,
}
test.each(Object.entries(explains))('a task %s explains that its guest stopped: %s', (type, isSo) => {
  const told12 = told({}, 5, { ...stopped, tasks: [task({ type })] }, 12, stopped).flat()
  expect(told12.includes(surprise)).toBe(!isSo)
})

test('a surprise is told once', () => {
  expect(told({}, 5, stopped, 12, stopped, 12, stopped, 12, stopped).flat()).toEqual([seenStopped, surprise])
})

test('a task is told once, and those of long ago not at all when their node comes back with its list', () => {
  const old = task({ upid: 'UPID:old', endedAt: start - hourMs })
  const fresh = task({
    upid: 'UPID:new',
    type: 'vzdump',
    endedAt: start + 4_000,
    status: 'warnings',
    exitStatus: 'WARNINGS: 2',
  })
  expect(told({}, 5, { tasks: [fresh, old] }, 5, { tasks: [] }, 5, { tasks: [fresh, old] })).toEqual([
    [],
    ['warning: vzdump 101 on pve: WARNINGS: 2'],
    [],
    [],
  ])
})

test('a cluster that is away is said once, nothing else meanwhile, and what changed once it is back', () => {
  const away = { unreachableSince: start + 5_000, missing: ['pve:8006 refuses connections; last seen 5 s ago'] }
  const noticesOf = told({}, 5, away, 5, { missing: ['… last seen 10 s ago'] }, 5, {
    ...({ unreachableSince: undefined } as object),
    missing: [],
    nodes: [node({ status: 'offline' })],
  })
  expect(noticesOf).toEqual([
    [],
    ['error: The cluster cannot be reached: pve:8006 refuses connections; last seen 5 s ago'],
    [],
    ['info: The cluster can be reached again', 'error: pve is offline'],
  ])
})

test('a cluster that is away from the first look on is said, and then read as for the first time', () => {
  const away = { unreachableSince: start, missing: ['no way in'], nodes: [], guests: [] }
  const back = { ...({ unreachableSince: undefined } as object), missing: [], nodes: [node()], guests: [guest()] }
  expect(told(away, 5, away, 5, back)).toEqual([
    ['error: The cluster cannot be reached: no way in'],
    [],
    ['info: The cluster can be reached again'],
  ])
})

test('names of others stand in a line without controls', () => {
  const named = (status: Guest['status']) => ({ guests: [guest({ name: 'db\n\u202eerror: all is lost', status })] })
  expect(told(named('running'), 5, named('paused'))[1]).toEqual([
    'info: 101 db error: all is lost is paused, was running',
  ])
})

test('a task whose reason only its log knows comes with its line', () => {
  const notices = new Notices()
  const state: ClusterState = {
    name: 'lab',
    isDemo: false,
    at: start,
    nodes: [node()],
    guests: [],
    storages: [],
    tasks: [],
    isQuorate: true,
    missing: [],
  }
  notices.of(state)
  const { vmid: _, ...job } = task({ type: 'vzdump', status: 'failed', exitStatus: 'job errors' })
  const plain = task({ upid: 'UPID:2', status: 'failed', exitStatus: 'got timeout' })
  expect(notices.of({ ...state, tasks: [job, plain] }).map(({ text, task: of }) => [text, of?.upid])).toEqual([
    ['qmshutdown 101 on pve: got timeout', undefined],
    ['vzdump on pve: job errors', 'UPID:1'],
  ])
  const reason = `Backup of VM 102 failed - ${'x'.repeat(400)}`
  expect(taskWords({ ...job, reason })).toMatch(/^vzdump on pve: Backup of VM 102 failed - x+…$/)
})
