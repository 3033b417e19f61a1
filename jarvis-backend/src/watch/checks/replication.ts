import { clusterTime } from 'protocol/facts'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { readReplication } from '../../homelab/operations/replication.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, guestName, itemsOf } from '../measure.ts'

const mostFails = 2

/** A replication job that fails repeatedly. */
export const replication: Check = {
  id: 'replication',
  title: 'Replication fails',
  reads: 'GET /nodes/{node}/replication',
  limit: () => `${mostFails} failures in a row.`,
  pace: 'sweep',
  from: ['nodes', 'guests'],
  forMs: 0,
  runbooks: ['replication'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async (node) =>
      itemsOf(await readReplication(ports.api, [node], ports.signal)),
    )
    const measures = items
      .filter(({ isDisabled }) => !isDisabled)
      .map(({ id, vmid, node, target, failCount, syncedAt, error }): Measure => {
        const guest = ports.state.guests.find((one) => one.vmid === vmid)
        const who = guest === undefined ? `guest ${vmid}` : guestName(guest)
        const last =
          syncedAt === null ? 'never worked' : `last worked ${ageOf(syncedAt, clusterTime(ports.now, ports.state))}`
        const why = error === undefined ? '' : `: ${oneLine(error, 120)}`
        const to = target === undefined ? '' : ` to ${plainName(target)}`
        return {
          object: { id: `replication/${id}`, node, vmid, ...(guest !== undefined && { name: guest.name }) },
          level: failCount >= mostFails ? 'failed' : failCount > 0 ? 'between' : 'clear',
          words: failCount === 0 ? last : `${failCount} failures`,
          value: failCount,
          sentence:
            failCount === 0
              ? `The replication of ${who}${to} ${last}.`
              : `The replication of ${who}${to} failed ${failCount} times and ${last}${why}.`,
          inputs: { vmid, job: id, node },
        }
      })
    return { measures, unread }
  },
}
