import type { PveApi, PveMethod, PveValues } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { failingRows } from '../support/failing-rows.ts'
import { type PveFixture, pathTo, speaking } from './pve-api.ts'

type Ask = [method: 'GET' | PveMethod, path: readonly (string | number)[], form?: PveValues]

/** Answers of Proxmox VE 9.2 word for word; every implementation gives the same. */
export function pveAnswersContract(fixture: () => PveFixture) {
  const ask = (api: PveApi, [method, path, form = {}]: Ask) =>
    method === 'GET'
      ? api.get(path, form, { signal: new AbortController().signal })
      : api.change({ method, path, form }, { signal: new AbortController().signal })

  test('refusals have the status and the words of Proxmox', async () => {
    const { api, zfsVm, zfsCt, rawVm, backups } = fixture()
    const { node } = zfsVm
    const config = pathTo(zfsVm, 'config')
    const rows: [Ask, number, string][] = [
      [['GET', ['nosuch']], 501, "Method 'GET /nosuch' not implemented"],
      [
        ['GET', ['nodes', 'nosuch', 'status']],
        500,
        "hostname lookup 'nosuch' failed - failed to get address info for: nosuch: ",
      ],
      [
        ['GET', pathTo({ node, type: 'qemu', vmid: 998 }, 'config')],
        500,
        `Configuration file 'nodes/${node}/qemu-server/998.conf' does not exist`,
      ],
      [
        ['GET', pathTo({ node, type: 'lxc', vmid: 998 }, 'config')],
        500,
        `Configuration file 'nodes/${node}/lxc/998.conf' does not exist`,
      ],
      [['GET', ['nodes', node, 'storage', 'nosuch', 'content']], 500, "storage 'nosuch' does not exist"],
      [
        ['GET', ['nodes', node, 'storage', 'nosuch', 'status']],
        400,
        'Parameter verification failed. storage: No such storage.',
      ],
      [
        ['GET', ['nodes', node, 'tasks', 'UPID:x:0', 'status']],
        400,
        'Parameter verification failed. upid: no such task',
      ],
      [
        ['GET', ['cluster', 'nextid'], { vmid: String(zfsVm.vmid) }],
        400,
        `Parameter verification failed. vmid: VM ${zfsVm.vmid} already exists`,
      ],
      [
        ['PUT', config, { description: 'x', digest: 'f'.repeat(40) }],
        500,
        'checksum mismatch (file change by other user?)',
      ],
      [['PUT', config, { delete: 'nope' }], 400, "Parameter verification failed. delete: unknown option 'nope'"],
      [['PUT', config, { memory: 'abc' }], 400, "memory.current: type check ('integer') failed - got 'abc'"],
      [['PUT', config, { args: '-x' }], 500, "only root can set 'args' config"],
      [
        ['POST', pathTo(zfsVm, 'clone'), { newid: String(rawVm.vmid), full: '1' }],
        500,
        `unable to create VM ${rawVm.vmid}: config file already exists`,
      ],
      [['DELETE', pathTo(zfsVm)], 500, `VM ${zfsVm.vmid} is running - destroy failed`],
      [['POST', pathTo(zfsCt, 'status', 'start')], 500, `CT ${zfsCt.vmid} already running`],
      [
        ['POST', ['nodes', node, 'vzdump'], { vmid: String(zfsVm.vmid), storage: backups, bogus: '1' }],
        400,
        'bogus: property is not defined',
      ],
    ]
    const judge = async ([asked, status, words]: (typeof rows)[number]) => {
      const error = await ask(api, asked).then(
        () => ({ status: 200, words: 'not refused' }),
        (refusal: { status?: number; words?: string }) => refusal,
      )
      expect([error.status, error.words]).toEqual([status, expect.stringContaining(words)])
    }
    expect(await failingRows(rows, judge, ([asked]) => JSON.stringify(asked))).toEqual([])
  })

  test('a task that begins may fail, in the words of Proxmox', async () => {
    const { zfsVm, rawVm, backups, failNextTask } = fixture()
    const { task } = speaking(fixture())
    const disk = 'scsi0'
    const rows: [Ask, string][] = [
      [['POST', pathTo(zfsVm, 'snapshot', 'nope', 'rollback')], "snapshot 'nope' does not exist"],
      [['DELETE', pathTo(zfsVm, 'snapshot', 'nope')], "snapshot 'nope' does not exist"],
      [['PUT', pathTo(zfsVm, 'resize'), { disk, size: '1G' }], 'shrinking disks is not supported'],
      [['POST', pathTo(zfsVm, 'status', 'start')], `VM ${zfsVm.vmid} already running`],
      [['POST', pathTo(rawVm, 'status', 'shutdown')], 'OK'],
    ]
    const judge = async ([[method, path, form = {}], end]: (typeof rows)[number]) =>
      expect(await task(method as PveMethod, path, form)).toBe(end)
    expect(await failingRows(rows, judge, ([asked]) => JSON.stringify(asked))).toEqual([])
    await failNextTask(zfsVm.vmid, 'no space left on device')
    const upids: string[] = []
    expect(
      await task('POST', ['nodes', zfsVm.node, 'vzdump'], { vmid: String(zfsVm.vmid), storage: backups }, upids),
    ).toBe('job errors')
    const { get } = speaking(fixture())
    const log = await get<{ t: string }[]>(['nodes', zfsVm.node, 'tasks', upids[0] ?? '', 'log'], { limit: '500' })
    expect(log.map(({ t }) => t)).toContainEqual(
      expect.stringMatching(new RegExp(`^ERROR: Backup of VM ${zfsVm.vmid} failed - .*no space left on device`)),
    )
  })

  test('values have the kinds that Proxmox gives them', async () => {
    const { zfsVm, rawVm } = fixture()
    const { get, refusal } = speaking(fixture())
    expect(await get(['cluster', 'nextid'])).toEqual(expect.stringMatching(/^\d+$/))
    const config = await get(pathTo(zfsVm, 'config'))
    expect(config).toMatchObject({ memory: expect.any(String), agent: expect.any(String), cores: expect.any(Number) })
    expect(config).toMatchObject({ digest: expect.any(String), meta: expect.any(String), vmgenid: expect.any(String) })
    expect(await get(pathTo(rawVm, 'snapshot'))).toEqual([
      expect.objectContaining({
        name: 'current',
        description: 'You are here!',
        digest: expect.any(String),
        running: 0,
      }),
    ])
    expect(await get(pathTo(zfsVm, 'status', 'current'))).toMatchObject({
      qmpstatus: 'running',
      ha: { managed: 0 },
      agent: 1,
      pid: expect.any(Number),
    })
    expect(await refusal(get(pathTo(rawVm, 'agent', 'get-osinfo')))).toMatch(
      /^No QEMU guest agent configured|is not running$/,
    )
    expect(await get(pathTo(zfsVm, 'agent', 'get-osinfo'))).toMatchObject({ result: expect.any(Object) })
    const ha = await get<{ type: string; status: string }[]>(['cluster', 'ha', 'status', 'current'])
    expect(ha[0]).toMatchObject({ id: 'quorum', type: 'quorum', status: 'OK' })
    expect(ha).toContainEqual(
      expect.objectContaining({ id: 'fencing', type: 'fencing', 'armed-state': expect.any(String) }),
    )
    expect(await get(['cluster', 'backup-info', 'not-backed-up'])).toContainEqual({
      vmid: expect.any(Number),
      name: expect.any(String),
      type: expect.stringMatching(/^(?:qemu|lxc)$/),
    })
  })
}
