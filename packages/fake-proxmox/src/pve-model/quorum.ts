import type { HostGuest } from './host.ts'
import type { Model } from './model.ts'
import { Refusal } from './refusal.ts'

/** Proxmox's refusal of requests that ask for a quorum first: a start, and whatever makes a guest. @throws Refusal */
export function mustBeQuorate({ host }: Model) {
  if (!host.isQuorate()) throw new Refusal(500, 'cluster not ready - no quorum?')
}

/** The error of a write of a guest's configuration: without a quorum the cluster's file system is read-only. @throws Refusal */
export function mustBeWritable({ host }: Model, { node, type, vmid }: Pick<HostGuest, 'node' | 'type' | 'vmid'>) {
  if (host.isQuorate()) return
  const folder = type === 'qemu' ? 'qemu-server' : 'lxc'
  throw new Refusal(
    500,
    `unable to open file '/etc/pve/nodes/${node}/${folder}/${vmid}.conf.tmp.75' - Permission denied`,
  )
}
