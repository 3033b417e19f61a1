import { createSimulator } from 'fake-proxmox'
import { systemClock } from 'node-kit/clock'

/** Starts a guest of the demo's cluster. @returns the exit status of the task, and the guest's state afterwards */
export async function example(): Promise<string> {
  const { cluster } = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  try {
    const stopped = cluster.state().guests.find(({ status }) => status === 'stopped')
    const { signal } = new AbortController()
    const { exitStatus, observed } = await cluster.power({ vmid: stopped?.vmid ?? 0, action: 'start' }, { signal })
    return `${exitStatus}, ${observed}`
  } finally {
    cluster.close()
  }
}
