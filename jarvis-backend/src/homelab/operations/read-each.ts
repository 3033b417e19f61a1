import { setMaxListeners } from 'node:events'
import type { Partial } from 'homelab-ports/ports'
import type { Node } from 'protocol'
import { eachOf } from '../proxmox/each.ts'
import { isForbidden } from '../pve/rights.ts'

const width = 4

/**
 * Reads something from each node that is not offline. `missing` names each node that could not be read, with the reason.
 * @param of `what`: the thing that is read, for a person; `needs`: the right that the read needs. @throws only the signal's reason
 */
export async function readEach<T>(
  nodes: readonly Pick<Node, 'name' | 'status'>[],
  { what, needs, signal }: { what: string; needs: string; signal: AbortSignal },
  read: (node: string) => Promise<readonly T[]>,
): Promise<Partial<T>> {
  // Turn off Node's warning about many listeners: each running request adds one.
  setMaxListeners(0, signal)
  const missing: string[] = []
  let nodesRead = 0
  const found = await eachOf(nodes, width, async ({ name, status }) => {
    if (status === 'offline') {
      missing.push(`${name} is offline`)
      return []
    }
    try {
      const items = await read(name)
      nodesRead += 1
      return items
    } catch (error) {
      if (signal.aborted) throw signal.reason
      missing.push(`${what} of ${name} ${whyUnread(error, needs)}`)
      return []
    }
  })
  return { items: found.flat(), missing, isUnread: nodesRead === 0 && missing.length > 0 }
}

/** Returns why something could not be read, as the rest of a sentence that begins with its name. @param needs the right that the read needs */
export function whyUnread(error: unknown, needs: string): string {
  if (isForbidden(error)) return `not visible to this token (it needs ${needs})`
  return `cannot be read: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, '')}`
}
