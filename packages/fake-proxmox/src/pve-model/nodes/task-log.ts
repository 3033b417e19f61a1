import type { HostTask } from '../host.ts'

/**
 * Returns the log of a task as Proxmox writes it, with the last line. @param error the log line with the reason why a backup failed, if it is known
 */
export function taskLog(task: HostTask, error?: string): string[] {
  const end = task.exitStatus === undefined ? [] : [endLine(task.exitStatus)]
  return [...work(task, error), ...end]
}

function endLine(exitStatus: string): string {
  if (exitStatus === 'OK') return 'TASK OK'
  return exitStatus.startsWith('WARNINGS: ') ? `TASK ${exitStatus}` : `TASK ERROR: ${exitStatus}`
}

function work({ type, id, exitStatus }: HostTask, error: string | undefined): string[] {
  if (type === 'vzdump') {
    const head = [`INFO: starting new backup job: vzdump ${id} --mode snapshot --quiet 1`]
    if (exitStatus?.startsWith('could not activate storage')) return head
    const start = [
      ...head,
      `INFO: Starting Backup of VM ${id} (qemu)`,
      'INFO: status = running',
      'INFO: backup mode: snapshot',
    ]
    if (exitStatus === undefined) return start
    return exitStatus === 'OK'
      ? [...start, `INFO: Finished Backup of VM ${id} (00:00:46)`, 'INFO: Backup job finished successfully']
      : [...start, error ?? `ERROR: Backup of VM ${id} failed - ${exitStatus}`, 'INFO: Backup job finished with errors']
  }
  if (type === 'aptupdate')
    return [
      'starting apt-get update',
      'Hit:1 http://deb.debian.org/debian trixie InRelease',
      'Reading package lists...',
    ]
  return []
}
