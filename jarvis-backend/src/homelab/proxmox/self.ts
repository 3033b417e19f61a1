import { existsSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import type { ClusterState, Guest } from 'protocol'
import { GuestConfig } from '../pve/answers.ts'
import { guestPath } from '../pve/guest.ts'
import { eachOf } from './each.ts'
import type { Api } from './transport.ts'

/** Facts about the machine on which JARVIS runs. */
export type Host = { name: string; macs: ReadonlySet<string>; isProxmox: boolean }

export function thisHost(): Host {
  const cards = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const macs = cards.filter(({ internal }) => !internal).map(({ mac }) => mac.toLowerCase())
  return {
    name: hostname().split('.')[0] ?? '',
    macs: new Set(macs.filter((mac) => mac !== '00:00:00:00:00:00')),
    isProxmox: existsSync('/etc/pve'),
  }
}

const width = 4
/** Maximum number of guests that are checked. In a larger cluster only guests with the host's name are checked. */
const mostGuests = 200

/**
 * Finds the node or guest on which JARVIS runs. A node is found by its name, if Proxmox is installed here; a guest by the MAC address of a network
 * card, first among guests with the host's name. @returns undefined if neither is found
 */
export async function findSelf(
  api: Api,
  { nodes, guests }: Pick<ClusterState, 'nodes' | 'guests'>,
  { host, signal }: { host: Host; signal: AbortSignal },
): Promise<{ node?: string; vmid?: number } | undefined> {
  if (host.isProxmox && nodes.some(({ name }) => name === host.name)) return { node: host.name }
  if (host.macs.size === 0) return undefined
  const running = guests.filter(({ status }) => status === 'running')
  const named = running.filter(({ name }) => name.split('.')[0]?.toLowerCase() === host.name.toLowerCase())
  const found = await amongst(named)
  if (found !== undefined) return { vmid: found.vmid, node: found.node }
  const others = running.length > mostGuests ? [] : running.filter((guest) => !named.includes(guest))
  const other = await amongst(others)
  return other && { vmid: other.vmid, node: other.node }

  async function amongst(candidates: readonly Guest[]): Promise<Guest | undefined> {
    let match: Guest | undefined
    await eachOf(candidates, width, async (guest) => {
      if (match !== undefined) return
      try {
        const config = GuestConfig.parse(await api.get([...guestPath(guest), 'config'], {}, { signal }))
        if (macsIn(config).some((mac) => host.macs.has(mac))) match = guest
      } catch {
        if (signal.aborted) throw signal.reason
      }
    })
    return match
  }
}

/** Returns the MAC addresses in values such as `net0: virtio=BC:24:11:…,bridge=vmbr0` or a container's `hwaddr=…`. */
function macsIn(config: Record<string, unknown>): string[] {
  const cards = Object.entries(config).filter(([key, value]) => /^net\d+$/.test(key) && typeof value === 'string')
  return cards.flatMap(([, value]) => (String(value).match(/\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/gi) ?? []).map(lower))
}
const lower = (text: string) => text.toLowerCase()
