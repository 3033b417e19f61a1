import { spanOf } from 'node-kit/words'
import { plainName } from '../../homelab/format.ts'
import { readHa } from '../../homelab/operations/ha.ts'
import { isForbidden } from '../../homelab/pve/rights.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { guestName, guestObject, nodeObject, seen } from '../measure.ts'

const oldMs = 120_000
const bad: Readonly<Record<string, 'look' | 'failed'>> = {
  error: 'failed',
  fence: 'failed',
  recovery: 'failed',
  disabled: 'look',
}

/**
 * The HA manager's report about its guests, and whether each node still reports to the manager. The times in the report are compared with each other,
 * because JARVIS's clock may differ. If none of them changes between two looks, no node reports any more.
 */
export function haStateCheck(): Check {
  let last: { newest: number; at: number } | undefined
  return {
    id: 'ha-state',
    title: 'High availability',
    reads: 'GET /cluster/ha/status/current',
    limit: () => 'A guest in error, fence or recovery; a node that says nothing for 2 min.',
    pace: 'sweep',
    from: ['guests'],
    forMs: 0,
    async look({ api, state, now, signal }) {
      const ha = await readHa(api, signal).catch((error: unknown) => {
        throw isForbidden(error) ? new CannotRun('The token needs Sys.Audit on /.') : error
      })
      const services = ha.services.flatMap(({ vmid, state: is, node }): Measure[] => {
        const guest = state.guests.find((one) => one.vmid === vmid)
        const object = guest === undefined ? { id: `guest/${vmid}`, vmid, node } : guestObject(guest)
        const who = guest === undefined ? `Guest ${vmid}` : guestName(guest)
        const level = bad[is] ?? 'clear'
        return [
          {
            object,
            level,
            words: plainName(is),
            sentence: `HA has ${who} in state ${plainName(is)}.`,
            inputs: { vmid },
          },
        ]
      })
      // If HA manages no guest, its nodes need not report.
      const nodes = ha.services.length === 0 ? [] : ha.nodes
      const newest = Math.max(...[...nodes, ...(ha.master ? [ha.master] : [])].flatMap(({ seenAt }) => seenAt ?? []))
      const stoodFor = last !== undefined && last.newest === newest ? now - last.at : 0
      if (stoodFor === 0) last = { newest, at: now }
      const managers = nodes.map(({ node, seenAt }): Measure => {
        const object = nodeObject(node)
        if (seenAt === undefined)
          return {
            object,
            level: 'unseen',
            words: 'unknown',
            sentence: `When HA last heard of ${plainName(node)} is not known.`,
          }
        const silentMs = newest - seenAt + stoodFor
        const ago = silentMs > oldMs ? `${spanOf(silentMs / 1000)} ago` : 'just now'
        return {
          object,
          level: silentMs > oldMs ? 'look' : 'clear',
          words: ago,
          sentence: `HA last heard of ${plainName(node)} ${ago}.`,
        }
      })
      return seen([...services, ...managers])
    },
  }
}
