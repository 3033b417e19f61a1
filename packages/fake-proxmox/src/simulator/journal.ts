import { darkNode, gpu, hotGuest } from './demo-lab.ts'
import { kernel } from './facts.ts'
import { journalTime } from './shell-text.ts'
import type { SimNode, World } from './world.ts'

export const journalLines = (world: World, node: SimNode): string[] =>
  journalEntries(world, node).map(({ line }) => line)

/** Returns a node's journal, oldest first: its tasks, its boot and its faults. `at`: Unix ms. */
export function journalEntries(world: World, node: SimNode): { at: number; line: string }[] {
  const rows: { at: number; unit: string; text: string }[] = []
  if (world.clock.now() - node.bootedAt < 86_400_000) {
    rows.push({ at: node.bootedAt, unit: 'kernel', text: `Linux version ${kernel}: booting` })
    const lost = 'File /var/log/journal/system.journal corrupted or uncleanly shut down, renaming and replacing.'
    // A reboot that was asked for shuts the journal down cleanly.
    if (node.bootedAt <= world.startedAt) rows.push({ at: node.bootedAt + 2_000, unit: 'systemd-journald', text: lost })
    rows.push({
      at: node.bootedAt + 6_000,
      unit: 'systemd',
      text: 'Reached target multi-user.target - Multi-User System.',
    })
  }
  // The last line that reached the disk before the power failed.
  if (node.name === darkNode.name)
    rows.push({ at: world.startedAt - darkNode.forMs, unit: 'pmxcfs', text: '[status] notice: received log' })
  const hot = world.guests.get(hotGuest.vmid)
  if (hot !== undefined && hot.node === node.name) {
    const at = world.startedAt - hotGuest.forMs
    const device = `vfio-pci 0000:${gpu.slot}`
    const who = `VM ${hot.vmid} (${hot.name})`
    rows.push({ at, unit: 'kernel', text: `${device}: not ready 65535ms after FLR; giving up` })
    rows.push({ at: at + 900, unit: 'kernel', text: `${device}: device lost by ${who}` })
    if (hot.status === 'running' && hot.startedAt > at)
      rows.push({ at: hot.startedAt, unit: 'kernel', text: `${device}: reset done, attached to ${who}` })
  }
  for (const task of world.tasks.filter((entry) => entry.node === node.name)) {
    rows.push({ at: task.startedAt, unit: 'pvedaemon', text: `<root@pam> starting task ${task.upid}` })
    if (task.endedAt === undefined) continue
    rows.push({ at: task.endedAt, unit: 'pvedaemon', text: `<root@pam> end task ${task.upid} ${task.exitStatus}` })
  }
  return rows
    .sort((a, b) => a.at - b.at)
    .map(({ at, unit, text }) => ({ at, line: `${journalTime(at)} ${node.name} ${unit}[1]: ${text}` }))
}
