import { oneLine } from 'node-kit/words'

/** The words in place of Proxmox's message if JARVIS sent nothing because there is no quorum. */
export const notSent = 'no quorum, so JARVIS sent nothing'

/** Progress after a task's end, which does not prove its effect yet: `Task qmreboot finished: OK. Waiting until 123 is seen running`. */
export function seenAfter(
  { upid, exitStatus }: { upid?: string; exitStatus: string },
  vmid: number,
  goal: 'running' | 'stopped',
): string {
  const type = upid?.split(':')[5]
  const ended = type === undefined || type === '' ? '' : `Task ${type} finished: ${oneLine(exitStatus, 60)}. `
  return `${ended}Waiting until ${vmid} is seen ${goal}`
}
