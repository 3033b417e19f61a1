import { oneLine } from '../format.ts'

/** The outcome of a backup task for each guest, by vmid: undefined for success, otherwise the reason of the failure in the log's own words. */
export type BackupJob = {
  guests: ReadonlyMap<number, string | undefined>
  /** Why the job as a whole failed; absent if it did not. */
  problem?: string
}

const longest = 160

/**
 * Reads from the log of a vzdump task how the backup of each guest ended. Proxmox runs a job as one task per node, whose exit status says only that
 * some guest failed. If the log has a guest's start and not its end, the guest failed together with the job. Takes linear time in the number of
 * lines.
 */
export function readBackupJob(lines: readonly string[]): BackupJob {
  const guests = new Map<number, string | undefined>()
  let begun: number | undefined
  let problem: string | undefined
  for (const line of lines) {
    const started = numberIn(/^INFO: Starting Backup of VM (\d+)\b/.exec(line))
    const finished = numberIn(/^INFO: Finished Backup of VM (\d+)\b/.exec(line))
    const [, failed, why = ''] = /^ERROR: Backup of VM (\d+) failed(?: - (.*))?$/.exec(line) ?? []
    if (started !== undefined) begun = started
    if (finished !== undefined) guests.set(finished, undefined)
    if (failed !== undefined)
      guests.set(Number(failed), oneLine(why === '' ? 'it failed without a reason' : why, longest))
    const [, ended] = /^(?:TASK ERROR|ERROR: Backup job failed -): ?(.*)$/.exec(line) ?? []
    if (ended !== undefined) problem = oneLine(ended, longest)
  }
  if (begun !== undefined && problem !== undefined && !guests.has(begun)) guests.set(begun, problem)
  return { guests, problem }
}

const numberIn = (found: RegExpExecArray | null) => (found === null ? undefined : Number(found[1]))
