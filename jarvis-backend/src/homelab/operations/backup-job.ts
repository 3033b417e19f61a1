import { oneLine } from '../format.ts'

/** How a backup task ended for each guest: undefined for well, else why it failed, in the log's own words. */
export type BackupJob = {
  guests: ReadonlyMap<number, string | undefined>
  /** Why the job itself ended, where it failed. */
  problem?: string
}

const longest = 160

/**
 * Reads how each guest fared from the log of a vzdump task: Proxmox runs a job as one task a node, whose exit status says only that some guest
 * failed. A guest that was begun and whose end is not told has failed with the job. Linear in the lines.
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
  return { guests, ...(problem !== undefined && { problem }) }
}

const numberIn = (found: RegExpExecArray | null) => (found === null ? undefined : Number(found[1]))
