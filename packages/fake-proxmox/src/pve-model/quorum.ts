import type { HostGuest } from './host.ts'
import type { Model } from './model.ts'
import { Refusal } from './refusal.ts'

/** Refuses, without a quorum, requests that Proxmox allows only with one: starting a guest, and creating one in any way. @throws Refusal */
export function mustBeQuorate({ host }: Model) {
  if (!host.isQuorate()) throw new Refusal(500, 'cluster not ready - no quorum?')
}

/** Refuses to write a guest's configuration without a quorum, because the cluster's file system is then read-only. @throws Refusal */
export function mustBeWritable({ host }: Model, { node, type, vmid }: Pick<HostGuest, 'node' | 'type' | 'vmid'>) {
  if (host.isQuorate()) return
  const folder = type === 'qemu' ? 'qemu-server' : 'lxc'
  throw new Refusal(
    500,
    `unable to open file '/etc/pve/nodes/${node}/${folder}/${vmid}.conf.tmp.75' - Permission denied`,
  )
}
