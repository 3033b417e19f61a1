import type { PveValues } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { type GuestRole, type Place, type PveFixture, pathTo, speaking } from './pve-api.ts'

const gib = 1024 ** 3
const isOff = 'link_down=1'
type Row = { storage: string; used: number; volid: string; ctime: number; protected?: number }

/** The contract of Proxmox for whole guests: backups, copies, moves and ends. Each test ends what it made. */
export function pveGuestsContract(fixture: () => PveFixture) {
  const at = (guest: Place, vmid: number, ...rest: string[]) => pathTo({ ...guest, vmid }, ...rest)
  const used = async ({ node }: Place, storage: string) => {
    const rows = await speaking(fixture()).get<Row[]>(['nodes', node, 'storage'], { storage })
    return rows[0]?.used ?? Number.NaN
  }
  /** @returns the new backup's volume */
  async function backUp(guest: Place, more: PveValues = {}): Promise<string> {
    const { get, task } = speaking(fixture())
    const { backups: storage } = fixture()
    expect(
      await task('POST', ['nodes', guest.node, 'vzdump'], { vmid: `${guest.vmid}`, storage, remove: '0', ...more }),
    ).toBe('OK')
    const rows = await get<Row[]>(['nodes', guest.node, 'storage', storage, 'content'], {
      content: 'backup',
      vmid: `${guest.vmid}`,
    })
    return rows.sort((a, b) => b.ctime - a.ctime)[0]?.volid ?? ''
  }
  const dropBackup = async ({ node }: Place, volid: string) =>
    expect(
      await speaking(fixture()).task('DELETE', ['nodes', node, 'storage', fixture().backups, 'content', volid]),
    ).toBe('OK')
  const destroy = async (guest: Place, vmid: number) =>
    expect(await speaking(fixture()).task('DELETE', at(guest, vmid), { purge: '1' })).toBe('OK')

  test('a VM is restored to a new id with its cards down, told from others, and destroyed', async () => {
    const { get, change, task, refusal } = speaking(fixture())
    const guest = fixture().zfsVm
    const archive = await backUp(guest)
    const text = await get<string>(['nodes', guest.node, 'vzdump', 'extractconfig'], { volume: archive })
    const [, card = ''] = /^net0: (.+)$/m.exec(String(text)) ?? []
    expect(card).not.toBe('')
    expect(await get(['cluster', 'nextid'], { vmid: '990' })).toBe('990')
    expect(await refusal(get(['cluster', 'nextid'], { vmid: `${guest.vmid}` }))).toContain('already exists')
    const before = await used(guest, 'local-zfs')
    const form = {
      vmid: '990',
      archive,
      storage: 'local-zfs',
      pool: 'jarvis-drill',
      unique: '1',
      onboot: '0',
      name: 'drill-990',
      description: 'run 1',
      net0: `${card},${isOff}`,
    }
    expect(await task('POST', ['nodes', guest.node, 'qemu'], form)).toBe('OK')
    const config = await get(at(guest, 990, 'config'))
    expect(config).toMatchObject({
      name: 'drill-990',
      description: 'run 1',
      onboot: 0,
      net0: expect.stringContaining(isOff),
    })
    expect((await get<{ members: unknown[] }>(['pools', 'jarvis-drill'])).members).toMatchObject([{ vmid: 990 }])
    expect(await used(guest, 'local-zfs')).toBeGreaterThanOrEqual(before + gib)
    expect(await refusal(change('POST', ['nodes', guest.node, 'qemu'], form))).toContain('already exists on node')

    expect(await task('POST', at(guest, 990, 'status', 'start'))).toBe('OK')
    expect(await refusal(change('DELETE', at(guest, 990)))).toContain('is running')
    await expect
      .poll(() => refusal(change('POST', at(guest, 990, 'agent', 'ping'))), { interval: 20 })
      .toBe('not refused')
    expect(await get(at(guest, 990, 'agent', 'get-osinfo'))).toMatchObject({ result: { id: 'debian' } })
    expect(await get(at(guest, 990, 'agent', 'get-fsinfo'))).toMatchObject({ result: [{ mountpoint: '/' }] })
    const { pid } = (await change('POST', at(guest, 990, 'agent', 'exec'), { command: ['echo', 'it', 'works'] })) as {
      pid: number
    }
    expect(await get(at(guest, 990, 'agent', 'exec-status'), { pid: `${pid}` })).toMatchObject({
      exited: 1,
      exitcode: 0,
      'out-data': 'it works\n',
    })
    await fixture().silenceAgent(990, true)
    expect(await refusal(change('POST', at(guest, 990, 'agent', 'ping')))).toBe('QEMU guest agent is not running')
    await fixture().silenceAgent(990, false)
    expect(await get(at(guest, 990, 'status', 'current'))).toMatchObject({ agent: 1, diskread: expect.any(Number) })

    expect(await task('POST', at(guest, 990, 'status', 'stop'))).toBe('OK')
    await destroy(guest, 990)
    expect(await used(guest, 'local-zfs')).toBe(before)
    expect((await get<{ members: unknown[] }>(['pools', 'jarvis-drill'])).members).toEqual([])
    expect(await get(['cluster', 'nextid'], { vmid: '990' })).toBe('990')
    await dropBackup(guest, archive)
  })

  test.each([
    ['1', false],
    ['0', true],
  ])('a container restored with unique=%s keeps the card that was asked for: %s', async (unique, isKept) => {
    const { get, task } = speaking(fixture())
    const guest = fixture().zfsCt
    const archive = await backUp(guest)
    const net0 = 'name=eth0,bridge=vmbr0,ip=dhcp,type=veth,link_down=1'
    const form = {
      vmid: '991',
      ostemplate: archive,
      restore: '1',
      storage: 'local-zfs',
      unique,
      net0,
      pool: 'jarvis-drill',
    }
    expect(await task('POST', ['nodes', guest.node, 'lxc'], form)).toBe('OK')
    const config = await get(at(guest, 991, 'config'))
    expect(String(config.net0).includes(isOff)).toBe(isKept)
    expect(config.net0).toMatch(/hwaddr=BC:24:11/)
    await destroy(guest, 991)
    await dropBackup(guest, archive)
  })

  test('a restore that breaks off leaves a VM with its volumes, without pool and description', async () => {
    const { get, task } = speaking(fixture())
    const guest = fixture().zfsVm
    const archive = await backUp(guest)
    const before = await used(guest, 'local-zfs')
    await fixture().breakNextRestore(992)
    const form = { vmid: '992', archive, storage: 'local-zfs', pool: 'jarvis-drill', description: 'run 2' }
    expect(await task('POST', ['nodes', guest.node, 'qemu'], form)).toContain('failed')
    const config = await get(at(guest, 992, 'config'))
    expect([config.description, config.lock]).toEqual([undefined, undefined])
    expect((await get<{ members: unknown[] }>(['pools', 'jarvis-drill'])).members).toEqual([])
    expect(await used(guest, 'local-zfs')).toBeGreaterThan(before)
    await destroy(guest, 992)
    expect(await used(guest, 'local-zfs')).toBe(before)
    await dropBackup(guest, archive)
  })

  test('a backup holds the guest locked, prunes only where it may, and keeps what is protected', async () => {
    const { get, change, task, refusal } = speaking(fixture())
    const guest = fixture().zfsCt
    const list = () =>
      get<Row[]>(['nodes', guest.node, 'storage', fixture().backups, 'content'], {
        content: 'backup',
        vmid: `${guest.vmid}`,
      })
    const kept = await backUp(guest, { protected: '1', 'notes-template': 'before the upgrade' })
    expect((await list()).find(({ volid }) => volid === kept)).toMatchObject({
      protected: 1,
      notes: 'before the upgrade',
    })
    const content = ['nodes', guest.node, 'storage', fixture().backups, 'content', kept]
    expect(await task('DELETE', content)).toContain('cannot remove protected volume')
    await change('PUT', content, { protected: '0' })
    expect(await task('DELETE', content)).toBe('OK')
    // It lasts 40 ms: another one where it ended before the next request.
    const changed = async () => {
      await change('POST', ['nodes', guest.node, 'vzdump'], { vmid: `${guest.vmid}`, storage: fixture().backups })
      return refusal(change('PUT', pathTo(guest, 'config'), { description: 'x' }))
    }
    await expect.poll(changed).toBe('CT is locked (backup)')
    await expect.poll(async () => (await get(pathTo(guest, 'config'))).lock, { interval: 20 }).toBe(undefined)
    expect((await list()).length).toBeLessThanOrEqual(3)
    expect(
      await task('POST', ['nodes', guest.node, 'vzdump'], { vmid: `${guest.vmid}`, storage: 'local-zfs' }),
    ).toContain('wrong content type')
  })

  test.each([
    ['zfsVm', 'POST', ['clone'], { newid: '993', full: '0' }, 'Linked clone feature is not supported'],
    ['zfsCt', 'POST', ['clone'], { newid: '993', hostname: 'x' }, 'running container without snapshots'],
    ['zfsVm', 'PUT', ['resize'], { disk: 'scsi0', size: '1G' }, 'shrinking disks is not supported'],
    ['zfsVm', 'PUT', ['resize'], { disk: 'scsi0', size: '+1G', digest: '0'.repeat(40) }, 'checksum mismatch'],
    ['zfsVm', 'PUT', ['resize'], { disk: 'scsi7', size: '+1G' }, "disk 'scsi7' does not exist"],
    ['zfsVm', 'POST', ['migrate'], { target: 'nowhere' }, 'no such cluster node'],
    ['zfsCt', 'DELETE', [], {}, 'container is running'],
    ['zfsVm', 'POST', ['agent', 'ping'], { extra: '1' }, 'property is not defined in schema'],
    ['rawVm', 'POST', ['agent', 'ping'], {}, 'is not running'],
  ] as [GuestRole, 'POST' | 'PUT' | 'DELETE', string[], PveValues, string][])(
    '%s refuses %s %j with %j',
    async (role, method, rest, form, words) => {
      const { change, refusal } = speaking(fixture())
      expect(await refusal(change(method, pathTo(fixture()[role], ...rest), form))).toContain(words)
    },
  )

  test('a VM is copied whole, grows, and is not copied where there is no space', async () => {
    const { get, task } = speaking(fixture())
    const guest = fixture().zfsVm
    const before = await used(guest, 'local-zfs')
    expect(await task('POST', pathTo(guest, 'clone'), { newid: '994', name: 'copy', full: '1' })).toBe('OK')
    const copy = await get(at(guest, 994, 'config'))
    expect(copy).toMatchObject({ name: 'copy', scsi0: expect.stringContaining('vm-994-disk-0') })
    expect(copy.net0).not.toBe((await get(pathTo(guest, 'config'))).net0)
    expect(
      await task('PUT', at(guest, 994, 'resize'), { disk: 'scsi0', size: '+2G', digest: String(copy.digest) }),
    ).toBe('OK')
    expect(await task('PUT', at(guest, 994, 'resize'), { disk: 'scsi0', size: '+900T' })).toContain('out of space')
    await fixture().failNextTask(994, 'got signal 15')
    expect(await task('DELETE', at(guest, 994))).toBe('got signal 15')
    await destroy(guest, 994)
    expect(await used(guest, 'local-zfs')).toBe(before)
  })

  test('a VM is made from an image, and none from what there is not', async () => {
    const { get, task, refusal, change } = speaking(fixture())
    const guest = fixture().zfsVm
    const form = {
      vmid: '995',
      name: 'new',
      memory: '2048',
      cores: '2',
      scsi0: 'local-zfs:8',
      ide2: `${fixture().iso},media=cdrom`,
      net0: 'virtio,bridge=vmbr0',
    }
    const path = ['nodes', guest.node, 'qemu']
    expect(await refusal(change('POST', path, { ...form, ide2: 'local:iso/none.iso,media=cdrom' }))).toContain(
      'does not exist',
    )
    expect(await refusal(change('POST', path, { ...form, scsi0: 'nothing:8' }))).toContain(
      "storage 'nothing' does not exist",
    )
    expect(await task('POST', path, { ...form, scsi0: 'local-zfs:999999' })).toContain('out of space')
    expect(await get(['cluster', 'nextid'], { vmid: '995' })).toBe('995')
    expect(await task('POST', path, form)).toBe('OK')
    expect(await get(at(guest, 995, 'config'))).toMatchObject({
      scsi0: 'local-zfs:vm-995-disk-0,size=8G',
      net0: expect.stringMatching(/^virtio=BC:24:11/),
    })
    await change('PUT', at(guest, 995, 'config'), { protection: '1' })
    expect(await refusal(change('DELETE', at(guest, 995)))).toContain('protection mode enabled')
    await change('PUT', at(guest, 995, 'config'), { delete: 'protection' })
    await destroy(guest, 995)
  })

  test('a stopped VM on a shared storage moves and comes back', async () => {
    const { get, task } = speaking(fixture())
    const guest = fixture().rawVm
    const { allowed_nodes } = await get<{ allowed_nodes: string[] }>(pathTo(guest, 'migrate'))
    const [target = ''] = allowed_nodes
    expect(await task('POST', pathTo(guest, 'migrate'), { target })).toBe('OK')
    expect(await task('POST', pathTo({ ...guest, node: target }, 'migrate'), { target: guest.node })).toBe('OK')
    expect(await get(pathTo(guest, 'status', 'current'))).toMatchObject({ status: 'stopped' })
  })
}
