import { ApiError } from 'homelab-ports/failure'
import type { PveApi, PveReader } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { JarvisError } from 'protocol'
import { expect, test } from 'vitest'
import { readHa } from '../src/homelab/operations/ha.ts'
import { leftOf } from '../src/homelab/operations/left-of.ts'
import { restartService } from '../src/homelab/operations/restart-service.ts'
import { readQuorum } from '../src/homelab/quorum.ts'
import { startVm } from '../src/tools/homelab/start-vm.ts'
import { getHaState } from '../src/tools/nodes/get-ha-state.ts'
import { refreshPackageLists } from '../src/tools/nodes/refresh-package-lists.ts'
import { runReplication } from '../src/tools/nodes/run-replication.ts'
import { failingRows } from './support/failing-rows.ts'

const signal = new AbortController().signal
const absent = new ApiError('cluster_refused', 'x', {
  status: 500,
  words: "Configuration file 'nodes/pve1/qemu-server/101.conf' does not exist",
})
const forbidden = new ApiError('cluster_refused', 'x', { status: 403, words: 'Permission check failed' })

/** Answers by path, with what was asked; every other path fails as Proxmox does. */
function reader(answers: Record<string, unknown>): PveReader {
  return {
    async get(path) {
      const place = path.join('/')
      const answer = answers[place]
      if (answer instanceof Error) throw answer
      if (answer === undefined) throw new ApiError('cluster_refused', place, { status: 501, words: `no ${place}` })
      return answer
    },
  }
}

const config = 'nodes/pve1/qemu/101/config'
const away = { [config]: absent, 'cluster/resources': [{ type: 'qemu', vmid: 101, node: 'pve2' }] }
const seesDisks = { 'access/permissions': { '/vms': { 'VM.Config.Disk': 1 } } }
const absentGuest = { [config]: absent, 'cluster/resources': [] }
const gone = { ...absentGuest, ...seesDisks }
const aDisk = { digest: 'a', scsi0: 'thin:vm-101-disk-0,size=8G' }
const itsDisk = { [config]: aDisk, 'nodes/pve1/qemu/101/pending': [] }
const anothersDisk = [{ volid: 'thin:vm-100-disk-0', content: 'images' }]
const disks = 'nodes/pve1/storage'

test('what a failed change left of a guest that is not where it was', async () => {
  const rows: [string, Record<string, unknown>, RegExp][] = [
    [
      'a failed move that left it on the other node, locked',
      { ...away, 'nodes/pve2/qemu/101/config': { digest: 'a', lock: 'migrate' }, 'nodes/pve2/qemu/101/pending': [] },
      /^It is on pve2 now\. Read afterwards of 101: it is there; it is locked \(migrate\)/,
    ],
    ['gone with its disks', { ...gone, [disks]: [] }, /^Read afterwards: there is no guest 101 on pve1\.$/],
    [
      'gone, and the token may not see its disks',
      { ...absentGuest, [disks]: [{ storage: 'thin' }], [`${disks}/thin/content`]: [] },
      /no guest 101 on pve1; whether more disks of it are left is not known, because the token may not see them/,
    ],
    [
      'a disk that is gone',
      { ...itsDisk, ...seesDisks, [`${disks}/thin/content`]: anothersDisk },
      /scsi0 is gone from thin: its data is lost/,
    ],
    [
      'a disk that the token may not see, beside another guest’s that it sees',
      {
        ...itsDisk,
        'access/permissions': { '/vms/100': { 'VM.Config.Disk': 1 } },
        [`${disks}/thin/content`]: anothersDisk,
      },
      /whether scsi0 is still on thin is not known, because the token may not see/,
    ],
    [
      'a copy that failed and left a disk',
      {
        ...gone,
        [disks]: [{ storage: 'thin' }, { storage: 'nas' }],
        [`${disks}/thin/content`]: [
          { volid: 'thin:vm-101-disk-0', content: 'images' },
          { volid: 'thin:backup/x', content: 'backup' },
        ],
        [`${disks}/nas/content`]: forbidden,
      },
      /no guest 101 on pve1; these disks of it are: thin:vm-101-disk-0; what nas holds of it could not be read\.$/,
    ],
    ['nobody can say', { [config]: forbidden }, /^What it left of 101 could not be read: Permission check failed\.$/],
  ]
  const judge = async ([, answers, expected]: (typeof rows)[number]) =>
    expect(await leftOf(reader(answers), { vmid: 101, node: 'pve1', type: 'vm' }, signal)).toMatch(expected)
  expect(await failingRows(rows, judge)).toEqual([])
})

const member = (quorate?: number) => ({
  type: 'cluster',
  id: 'cluster',
  name: 'lab',
  quorate,
})
const ha = (row: object) => [
  { type: 'quorum', id: 'quorum', ...row },
  { type: 'fencing', status: 'standby' },
]
const lost = { status: "No quorum on node 'pve1'!" }

test('one of cluster and HA that says there is no quorum counts, whatever form HA says it in', async () => {
  const rows: [unknown, unknown, boolean | null][] = [
    [[member(1)], ha({ quorate: 1, status: 'OK' }), true],
    [[member(1)], ha({ quorate: 0, ...lost }), false],
    [[member(1)], ha({ quorate: '0', status: 'x' }), false],
    [[member()], ha(lost), false],
    [[member(1)], ha({ quorate: 1, ...lost }), false],
    [[member(0)], ha({ quorate: 1, status: 'OK' }), false],
    [forbidden, ha({ status: 'OK' }), true],
    [[member(1)], forbidden, true],
    [[member(1)], ha({ status: 'something new' }), true],
    [forbidden, ha({ status: 'something new' }), null],
    [forbidden, forbidden, null],
    [[{ type: 'node', name: 'pve1' }], forbidden, true],
  ]
  const judge = async ([status, current, expected]: (typeof rows)[number]) => {
    const api = reader({ 'cluster/status': status, 'cluster/ha/status/current': current })
    expect(await readQuorum(api, signal)).toBe(expected)
  }
  expect(await failingRows(rows, judge)).toEqual([])
  expect(await readHa(reader({ 'cluster/ha/status/current': ha(lost) }), signal)).toMatchObject({ isQuorate: false })
})

const upid = 'UPID:pve1:0000A1B2:00C3D4E5:68E0F1A2:aptupdate::root@pam:'
/** A Proxmox whose every change begins a task that ends with these words. */
const taskApi = (exitStatus: string, answers: Record<string, unknown>, task = upid): PveApi => ({
  ...reader({ [`nodes/pve1/tasks/${task}/status`]: { status: 'stopped', exitstatus: exitStatus }, ...answers }),
  change: async () => task,
  now: () => systemClock.now(),
  wait: async () => {},
})

test('a refresh of package lists that fetched nothing is not called well, though its task ended OK', async () => {
  const log = (...lines: string[]) => ({ [`nodes/pve1/tasks/${upid}/log`]: lines.map((t, n) => ({ n, t })) })
  const rows: [string, Record<string, unknown>, boolean, RegExp][] = [
    ['OK', log('starting apt-get update', 'Hit:1 http://x trixie InRelease', 'TASK OK'), true, /are refreshed: "OK"\./],
    [
      'OK',
      log('Err:1 http://x trixie InRelease', '  Temporary failure', 'W: Failed to fetch http://x', 'TASK OK'),
      false,
      /are refreshed in part: "OK"\. Its log says: Err:1 http:\/\/x trixie InRelease; W: Failed to fetch http:\/\/x\./,
    ],
    [
      "command 'apt-get update' failed: exit code 100",
      log('E: Could not get lock /x'),
      false,
      /not refreshed.*E: Could not get lock/,
    ],
    ['OK', {}, true, /log could not be read, so whether each list came is not known/],
  ]
  const judge = async ([ended, answers, isOk, expected]: (typeof rows)[number]) => {
    const ports = { api: taskApi(ended, answers), cluster: { state: () => ({ nodes: [{ name: 'pve1' }] }) } }
    const said = await refreshPackageLists.run({ node: 'pve1' }, { signal, onProgress() {} } as never, ports as never)
    expect(said).toMatchObject({ text: expect.stringMatching(expected), isError: !isOk, data: { ok: isOk } })
  }
  expect(await failingRows(rows, judge)).toEqual([])
})

test('a start whose task failed says what it left of the guest, and one that began no task reads nothing', async () => {
  const guests = [{ vmid: 101, node: 'pve1', type: 'vm', name: 'web', status: 'stopped' }]
  const tell = async (exitStatus: string, task?: { upid: string }) => {
    const power = async () => ({ ok: false, exitStatus, ...task, observed: 'stopped', durationMs: 1_000 })
    const ports = {
      api: reader({ [config]: { digest: 'a', lock: 'snapshot' }, 'nodes/pve1/qemu/101/pending': [] }),
      cluster: { state: () => ({ guests }), power },
    }
    return startVm.run({ vmid: 101 }, { signal, onProgress() {} } as never, ports as never)
  }
  expect(await tell('VM is locked (snapshot)', { upid })).toMatchObject({
    text: expect.stringMatching(/it is there; it is locked \(snapshot\), and the lock may outlive its task\.$/),
  })
  for (const refusal of ['no quorum, so JARVIS sent nothing', 'VM 101 not running', 'VM is locked (snapshot)'])
    expect((await tell(refusal)).text).not.toContain('Read afterwards')
  const moved = "Configuration file 'nodes/pve1/qemu-server/101.conf' does not exist"
  expect((await tell(moved)).text).toContain('Read afterwards')
})

test('a replication that was refused or lost says how its job stands', async () => {
  const jobs = 'nodes/pve1/replication'
  const job = { id: '101-0', guest: 101, target: 'pve2', last_sync: 1, fail_count: 2, error: 'no route' }
  const rows: [JarvisError, Record<string, unknown>, RegExp][] = [
    [forbidden, { [jobs]: [job] }, /^x Read afterwards of 101-0: it is not running; it last succeeded .*"no route"\.$/],
    [
      new ApiError('outcome_unknown', 'No answer came.'),
      { [jobs]: [{ ...job, pid: 7, error: '', last_sync: 0 }] },
      /^No answer came\. Read afterwards of 101-0: it is running; when it last succeeded is not known\.$/,
    ],
    [
      absent,
      { [jobs]: [], 'access/permissions': { '/': { 'VM.Audit': 1 } } },
      /^x Read afterwards: pve1 has no job 101-0\.$/,
    ],
    // The token may not see the job.
    [absent, { [jobs]: [] }, /^x How 101-0 stands could not be read\.$/],
    [forbidden, { [jobs]: forbidden }, /^x How 101-0 stands could not be read\.$/],
  ]
  const judge = async ([failure, answers, expected]: (typeof rows)[number]) => {
    const api = { ...taskApi('', answers), change: () => Promise.reject(failure) }
    const ports = { api, cluster: { state: () => ({ guests: [{ vmid: 101, node: 'pve1' }] }) } }
    const run = runReplication.run({ job: '101-0' }, { signal, onProgress() {} } as never, ports as never)
    await expect(run).rejects.toMatchObject({ code: failure.code, message: expect.stringMatching(expected) })
  }
  expect(await failingRows(rows, judge)).toEqual([])
})

test('a restart of a service that failed says how the service is', async () => {
  const task = upid.replace('aptupdate', 'srvrestart')
  const state = { 'nodes/pve1/services/cron/state': { state: 'dead', 'active-state': 'failed' } }
  const shell = { run: async () => ({ stdout: 'failed\n', stderr: '', exitCode: 3, truncated: false }) }
  const say = (service: string, answers: Record<string, unknown>) =>
    restartService({ api: taskApi('exit code 1', answers, task), shell }, { node: 'pve1', service }, { signal })
  expect(await say('cron', state)).toEqual({
    ok: false,
    message: 'its task ended: exit code 1. Afterwards: cron.service is failed (dead).',
  })
  expect((await say('cron', {})).message).toMatch(/Afterwards: its state could not be read afterwards\.$/)
  expect((await say('nginx', {})).message).toMatch(/Afterwards: nginx\.service is failed\.$/)
})

test('a list without rows prints no heading', async () => {
  const told = async (...rows: object[]) => {
    const api = { ...reader({ 'cluster/ha/status/current': rows }), now: () => 0 }
    const cluster = { state: () => ({}) }
    return (await getHaState.run({}, { signal } as never, { api, cluster } as never)).text
  }
  const quorum = { id: 'quorum', type: 'quorum', status: 'OK', quorate: 1 }
  const fencing = { id: 'fencing', type: 'fencing', status: 'standby (CRM watchdog standby)' }
  expect(await told(quorum, fencing)).toBe('HA: quorate, 0 managed guests.')
  expect(await told(quorum, { id: 'lrm:pve1', type: 'lrm', node: 'pve1', status: 'idle', timestamp: 0 })).toBe(
    'HA: quorate, 0 managed guests.\nManagers of the nodes:\npve1: idle',
  )
})
