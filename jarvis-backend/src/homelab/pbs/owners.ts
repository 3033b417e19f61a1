import type { PbsApi } from 'homelab-ports/ports'
import type { Backup } from 'protocol'
import { readSnapshots } from './read.ts'

/** Adds the owners of backups on a backup server, which Proxmox does not report. An owner stays unknown if the server does not tell it. */
export async function withOwners(
  api: PbsApi,
  backups: readonly Backup[],
  { signal }: { signal: AbortSignal },
): Promise<readonly Backup[]> {
  const kept = backups.filter(({ format, owner }) => format.startsWith('pbs-') && owner === undefined)
  const [first] = kept
  if (first === undefined) return backups
  const keyOf = (type: string, id: string | number, at: number) => `${type}/${id}/${at}`
  const owners = new Map<string, Set<string>>()
  try {
    for (const { type, id, at, owner } of (await readSnapshots(api, { id: String(first.vmid) }, { signal })).items) {
      const key = keyOf(type, id, at)
      if (owner !== undefined) owners.set(key, (owners.get(key) ?? new Set()).add(owner))
    }
  } catch {
    signal.throwIfAborted()
  }
  return backups.map((backup) => {
    const found = owners.get(keyOf(backup.format.replace('pbs-', ''), backup.vmid, backup.createdAt))
    // Two namespaces can each have a snapshot of the same second. Then the owner is unknown.
    const [owner] = found?.size === 1 ? found : []
    return owner === undefined || backup.owner !== undefined ? backup : { ...backup, owner }
  })
}
