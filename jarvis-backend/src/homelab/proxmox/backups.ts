import type { Partial } from 'homelab-ports/ports'
import { byNatural } from 'node-kit/natural'
import type { Backup, ClusterState, Storage } from 'protocol'
import { BackupRow, rowsOf } from '../pve/answers.ts'
import { backupSight, isForbidden, type Rights } from '../pve/rights.ts'
import { eachOf } from './each.ts'
import type { Api } from './transport.ts'

const width = 4
const needs = 'it needs Datastore.AllocateSpace and VM.Backup, or Datastore.Allocate'
/** Time limit per request, ms: network storages may be slow or hang. */
const answerMs = 15_000

/** `seen`: the nodes on which each storage is available. */
type BackupSource = {
  api: Api
  rights: Rights
  seen: ReadonlyMap<string, readonly string[]>
  state: Pick<ClusterState, 'nodes' | 'guests' | 'storages' | 'unread'>
}

/**
 * Reads the backups of each storage that can hold backups, newest first. Shared storages are read once, through an online node. `missing` names the
 * parts that could not be read.
 */
export async function readBackups(
  { api, rights, seen, state }: BackupSource,
  query: { node?: string; storage?: string; vmid?: number },
  signal: AbortSignal,
): Promise<Partial<Backup>> {
  const online = state.nodes.filter(({ status }) => status === 'online').map(({ name }) => name)
  const away = state.nodes.filter(({ name, status }) => status !== 'online' && (query.node ?? name) === name)
  const missing = away.map(({ name, status }) => `${name} is ${status}`)
  if (state.unread?.includes('storages')) missing.push('backups: no storage is visible to this token')
  const guestNodes = new Map(state.guests.map(({ vmid, node }) => [vmid, node]))
  const asked = state.storages.filter(
    ({ name, node, content }) =>
      content.includes('backup') &&
      (query.storage === undefined || name === query.storage) &&
      (node === undefined || query.node === undefined || node === query.node),
  )
  if (query.storage !== undefined && !state.storages.some(({ name }) => name === query.storage)) {
    missing.push(`there is no storage ${JSON.stringify(query.storage)} that this token sees`)
  }

  let storagesRead = 0
  const read = async (storage: Storage): Promise<Backup[]> => {
    const { name, node, isActive } = storage
    const label = node === undefined ? name : `${name} on ${node}`
    const from = node === undefined ? (seen.get(name) ?? online).filter((each) => online.includes(each)) : [node]
    const [first] = from.filter((each) => online.includes(each))
    if (first === undefined) {
      if (node === undefined) missing.push(`${label} is not reachable`)
      return []
    }
    if (isActive === false) {
      missing.push(`${label} is not reachable`)
      return []
    }
    try {
      const filter = { content: 'backup', ...(query.vmid !== undefined && { vmid: String(query.vmid) }) }
      const data = await api.get(['nodes', first, 'storage', name, 'content'], filter, { signal, answerMs })
      const { rows } = rowsOf(BackupRow, data)
      const sight = backupSight(rights, name, query.vmid)
      if (rows.length === 0 && sight !== 'all')
        missing.push(`backups on ${label}: none visible to this token (${needs})`)
      else storagesRead += 1
      if (rows.length > 0 && sight !== 'all') missing.push(`backups on ${label}: as far as this token sees (${needs})`)
      return rows.flatMap((row) => backupOf(row, storage, guestNodes))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      missing.push(
        isForbidden(error)
          ? `backups on ${label}: none visible to this token (${needs})`
          : `backups on ${label} cannot be read: ${error instanceof Error ? error.message.replace(/\.$/, '') : String(error)}`,
      )
      return []
    }
  }
  const found = (await eachOf(asked, width, read)).flat()
  const items = found.filter(
    (backup) =>
      (query.vmid === undefined || backup.vmid === query.vmid) &&
      (query.node === undefined || backup.node === query.node),
  )
  return {
    items: items.sort((a, b) => b.createdAt - a.createdAt || byNatural(a.volumeId, b.volumeId)),
    missing: [...new Set(missing)],
    isUnread: storagesRead === 0 && missing.length > 0,
  }
}

/** @returns an empty list if the file is not a guest's backup or has no time */
function backupOf(
  { volid, vmid, ctime, size, format, notes, owner, verification }: ReturnType<typeof BackupRow.parse>,
  storage: Storage,
  guestNodes: ReadonlyMap<number, string>,
): Backup[] {
  const named = /(?:vzdump-(?:qemu|lxc|openvz)-|backup\/(?:vm|ct)\/)(\d+)/.exec(volid)?.[1]
  const id = vmid ?? (named === undefined ? undefined : Number(named))
  if (id === undefined || ctime === undefined) return []
  const node = storage.node ?? guestNodes.get(id)
  return [
    {
      volumeId: volid,
      vmid: id,
      storage: storage.name,
      node,
      createdAt: ctime * 1000,
      sizeBytes: size ?? 0,
      format: format ?? 'unknown',
      notes,
      owner,
      ...(format?.startsWith('pbs-') && { verification: verificationIn(verification?.state) }),
    },
  ]
}

/** A backup server reports no verification for a backup that it has not verified. */
const verificationIn = (state: string | undefined) => (state === 'ok' ? 'ok' : state === undefined ? 'none' : 'failed')
