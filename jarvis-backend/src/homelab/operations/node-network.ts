import { ApiError } from 'homelab-ports/failure'
import type { PveReader } from 'homelab-ports/ports'
import { z } from 'zod'
import { hiddenWhy, readRights } from '../pve/rights.ts'

/** One interface as it is configured, including staged changes. `values`: the values by Proxmox's keys, without keys that Proxmox only reports. */
export type NodeInterface = { name: string; type: string; isActive: boolean | null; values: Record<string, string> }

/**
 * `staged`: changes that wait for a reload, as a diff; undefined if there are none. `hidden`: why Proxmox may have left bridges out; undefined if
 * the token's rights show all bridges.
 */
export type NodeNetwork = { interfaces: NodeInterface[]; staged: string | undefined; hidden: string | undefined }

/** Keys that a node reports for an interface but does not accept in a request, or accepts only in another form. */
const reported = new Set([
  ...['iface', 'type', 'method', 'method6', 'families', 'active', 'exists', 'priority', 'altnames', 'link-type'],
  ...['address', 'netmask', 'address6', 'netmask6', 'options', 'options6', 'bridge_stp', 'bridge_fd'],
])
const Row = z.looseObject({ iface: z.string(), type: z.string() })
const Answer = z.object({ data: z.array(Row), changes: z.string().nullish() })

/** Reads a node's interfaces. @throws ApiError */
export async function readNetwork(api: PveReader, node: string, signal: AbortSignal): Promise<NodeNetwork> {
  const [answer, rights] = await Promise.all([
    api.get(['nodes', node, 'network'], {}, { signal, isWhole: true }),
    readRights(api, signal),
  ])
  const read = Answer.safeParse(answer)
  if (!read.success)
    throw new ApiError('cluster_refused', `${node} described its network in a way that JARVIS does not understand.`)
  const { data, changes } = read.data
  const staged = changes === '' || changes === null ? undefined : changes
  return {
    interfaces: data.map(interfaceOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
    staged,
    hidden: hiddenWhy(rights, 'bridges'),
  }
}

function interfaceOf({ iface, type, active, ...row }: z.output<typeof Row>): NodeInterface {
  const values = Object.entries(row).flatMap(([key, value]) =>
    reported.has(key) || (typeof value !== 'string' && typeof value !== 'number')
      ? []
      : [[key, String(value).trim()] as const],
  )
  return {
    name: iface,
    type,
    values: Object.fromEntries(values),
    isActive: active === undefined ? null : Number(active) === 1,
  }
}
