import type { PveApi, PveMethod, PveValues } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { runTask } from '../../src/homelab/operations/run-task.ts'

export type Place = { node: string; type: 'qemu' | 'lxc'; vmid: number }

/** One cluster, all tests of which leave it as they found it; what each guest's disks lie on, and whether it runs. */
export type PveFixture = {
  api: PveApi
  /** Runs, on ZFS, with a silent agent never. */
  zfsVm: Place
  /** Runs, on ZFS. */
  zfsCt: Place
  /** Runs, on LVM-thin. */
  thinVm: Place
  /** Stopped, a raw file on a directory. */
  rawVm: Place
  /** Has a bind mount. */
  bindCt: Place
  /** A storage for backups, and an image to install from. */
  backups: string
  iso: string
  /** Its next task ends with these words, and changes nothing. */
  failNextTask(vmid: number, words: string): void | Promise<void>
  /** Somebody else writes into its file. */
  changeBehind(vmid: number, key: string, value: string): void | Promise<void>
  silenceAgent(vmid: number, isSilent: boolean): void | Promise<void>
  breakNextRestore(vmid: number): void | Promise<void>
}
export type GuestRole = 'zfsVm' | 'zfsCt' | 'thinVm' | 'rawVm' | 'bindCt'

const signal = new AbortController().signal
export const pathTo = ({ node, type, vmid }: Place, ...rest: string[]) => ['nodes', node, type, vmid, ...rest]

/** Short forms of requests to a fixture's cluster. */
export function speaking({ api }: PveFixture) {
  return {
    get: <T = Record<string, unknown>>(path: readonly (string | number)[], query: PveValues = {}) =>
      api.get(path, query, { signal }) as Promise<T>,
    change: (method: PveMethod, path: readonly (string | number)[], form: PveValues = {}) =>
      api.change({ method, path, form }, { signal }),
    /** @returns how the task ended, or the words of the refusal. */
    async task(method: PveMethod, path: readonly (string | number)[], form: PveValues = {}, upids: string[] = []) {
      const onTask = (upid: string) => void upids.push(upid)
      const { exitStatus } = await runTask(api, { method, path, form, what: 'the request' }, { signal, onTask })
      return exitStatus
    },
    /** @returns the words of the refusal. */
    refusal: (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'not refused',
        (error: { words?: string; message: string }) => error.words ?? error.message,
      ),
  }
}

/** The contract of Proxmox for guests' files and snapshots. */
export function pveFilesContract(fixture: () => PveFixture) {
  const stale = { qemu: 'checksum mismatch', lxc: 'detected modified configuration' }

  test.each(['zfsVm', 'zfsCt'] as const)(
    'the digest of %s is of its file, and keeps off a change by another',
    async (role) => {
      const { get, change, refusal } = speaking(fixture())
      const guest = fixture()[role]
      const path = pathTo(guest, 'config')
      const before = await get(path)
      const digest = String(before.digest)
      expect(digest).toMatch(/^[0-9a-f]{40}$/)
      await change('PUT', path, { description: 'ours', digest })
      const after = await get(path)
      expect(after).toEqual({ ...before, description: 'ours', digest: expect.not.stringContaining(digest) })
      await fixture().changeBehind(guest.vmid, 'description', 'theirs')
      expect(await refusal(change('PUT', path, { description: 'ours again', digest: String(after.digest) }))).toContain(
        stale[guest.type],
      )
      const old: Record<string, string> =
        before.description === undefined ? { delete: 'description' } : { description: String(before.description) }
      await change('PUT', path, { ...old, digest: String((await get(path)).digest) })
      expect(await get(path)).toEqual(before)
    },
  )

  test.each([
    ['zfsVm', { args: '-no-acpi' }, "only root can set 'args' config"],
    ['zfsVm', { hookscript: 'local:snippets/x.sh' }, "only root can set 'hookscript' config"],
    ['zfsVm', { delete: 'hookscript' }, "only root can set 'hookscript' config"],
    ['zfsCt', { hookscript: 'local:snippets/x.sh' }, 'only allowed for root@pam'],
    ['zfsCt', { mp9: '/etc,mp=/etc' }, 'mount point type bind is only allowed for root@pam'],
    ['zfsVm', { colour: 'red' }, 'colour: property is not defined in schema'],
    ['zfsVm', { onboot: 'true' }, "onboot: value 'true'"],
    ['zfsVm', { hostname: 'web' }, 'hostname: property is not defined in schema'],
    ['zfsVm', { delete: 'colour' }, "unknown option 'colour'"],
    ['zfsCt', { memory: '512', delete: 'memory' }, 'at the same time'],
  ] as [GuestRole, PveValues, string][])('%s refuses %j', async (role, form, words) => {
    const { get, change, refusal } = speaking(fixture())
    const path = pathTo(fixture()[role], 'config')
    const before = await get(path)
    expect(await refusal(change('PUT', path, form))).toContain(words)
    expect(await get(path)).toEqual(before)
  })

  test('a running VM takes a description at once and memory when it is started anew', async () => {
    const { get, change } = speaking(fixture())
    const guest = fixture().zfsVm
    const before = await get(pathTo(guest, 'config'))
    const changed = { memory: '3072', description: 'more' }
    await change('PUT', pathTo(guest, 'config'), changed)
    expect(await get(pathTo(guest, 'config'))).toMatchObject(changed)
    expect(await get(pathTo(guest, 'config'), { current: '1' })).toMatchObject({ memory: before.memory })
    const pending = await get<{ key: string }[]>(pathTo(guest, 'pending'))
    expect(pending.find(({ key }) => key === 'memory')).toEqual({
      key: 'memory',
      value: before.memory,
      pending: '3072',
    })
    const old: Record<string, string> =
      before.description === undefined ? { delete: 'description' } : { description: String(before.description) }
    await change('PUT', pathTo(guest, 'config'), { memory: String(before.memory), ...old })
    expect(await get(pathTo(guest, 'config'))).toEqual(before)
  })

  test.each([
    ['zfsVm', 1],
    ['zfsCt', 1],
    ['thinVm', 1],
    ['rawVm', 0],
    ['bindCt', 0],
  ] as [GuestRole, number][])('whether %s can be snapshotted is said before it is asked for', async (role, has) => {
    const { get, task } = speaking(fixture())
    const guest = fixture()[role]
    expect(await get(pathTo(guest, 'feature'), { feature: 'snapshot' })).toMatchObject({ hasFeature: has })
    const took = await task('POST', pathTo(guest, 'snapshot'), { snapname: 'one' })
    expect(took).toBe(has === 1 ? 'OK' : 'snapshot feature is not available')
    if (has === 1) expect(await task('DELETE', pathTo(guest, 'snapshot', 'one'))).toBe('OK')
  })

  test.each([
    ['zfsVm', "can't rollback, 'one' is not most recent snapshot on"],
    ['zfsCt', "can't rollback, 'one' is not most recent snapshot on"],
    ['thinVm', 'OK'],
  ] as [GuestRole, string][])('%s goes back as its storage allows, and is cut off by it', async (role, older) => {
    const { get, change, task } = speaking(fixture())
    const guest = fixture()[role]
    const status = async () => (await get(pathTo(guest, 'status', 'current'))).status
    const before = await get(pathTo(guest, 'config'))
    expect(await task('POST', pathTo(guest, 'snapshot'), { snapname: 'one', description: 'first' })).toBe('OK')
    expect(await task('POST', pathTo(guest, 'snapshot'), { snapname: 'one' })).toBe("snapshot name 'one' already used")
    expect(await task('POST', pathTo(guest, 'snapshot'), { snapname: 'current' })).toContain('reserved name')
    await change('PUT', pathTo(guest, 'config'), { description: 'between' })
    expect(await task('POST', pathTo(guest, 'snapshot'), { snapname: 'two' })).toBe('OK')
    const rows = await get<{ name: string; parent?: string }[]>(pathTo(guest, 'snapshot'))
    expect(rows.map(({ name, parent }) => [name, parent]).slice(-3)).toEqual([
      ['one', rows.at(-3)?.parent],
      ['two', 'one'],
      ['current', 'two'],
    ])
    expect(await task('POST', pathTo(guest, 'snapshot', 'one', 'rollback'), {})).toContain(older)
    expect(await task('POST', pathTo(guest, 'snapshot', 'none', 'rollback'), {})).toBe("snapshot 'none' does not exist")
    expect(await task('DELETE', pathTo(guest, 'snapshot', 'two'))).toBe('OK')
    expect(await task('POST', pathTo(guest, 'snapshot', 'one', 'rollback'), {})).toBe('OK')
    expect(await status()).toBe('stopped')
    expect((await get(pathTo(guest, 'config'))).description).toBe(before.description)
    expect(await task('POST', pathTo(guest, 'snapshot', 'one', 'rollback'), { start: '1' })).toBe('OK')
    expect(await status()).toBe('running')
    expect(await task('DELETE', pathTo(guest, 'snapshot', 'one'))).toBe('OK')
    expect(await get(pathTo(guest, 'config'))).toEqual(before)
  })
}
