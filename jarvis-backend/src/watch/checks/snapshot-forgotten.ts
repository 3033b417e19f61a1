import { spanOf } from 'node-kit/words'
import { clusterTime } from 'protocol/facts'
import { plainName } from '../../homelab/format.ts'
import { readSnapshots } from '../../homelab/operations/snapshots.ts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, when } from '../measure.ts'

const mostDays = 30
const dayMs = 86_400_000

/** A snapshot that was not deleted. It keeps every block that its guest overwrites. */
export const snapshotForgotten: Check = {
  id: 'snapshot-forgotten',
  title: 'Snapshot forgotten',
  reads: 'GET /nodes/{node}/{type}/{vmid}/snapshot',
  limit: () => `Older than ${mostDays} d, or one of JARVIS past its date.`,
  pace: 'sweep',
  from: ['nodes', 'guests'],
  forMs: 0,
  runbooks: ['snapshot-forgotten'],
  async look({ state, api, own, now, signal }) {
    const measures: Measure[] = []
    const there = clusterTime(now, state)
    const online = new Set(state.nodes.filter(({ status }) => status === 'online').map(({ name }) => name))
    for (const guest of state.guests) {
      if (guest.isTemplate || !online.has(guest.node)) continue
      const of = { object: guestObject(guest), inputs: { vmid: guest.vmid } }
      const who = guestName(guest)
      try {
        const { items } = await readSnapshots(api, guest, { signal })
        const late = items.filter(({ name, takenAt }) => {
          const until = own(guest.vmid, name)?.until
          if (until !== undefined) return until < now
          return takenAt !== undefined && takenAt + mostDays * dayMs < there
        })
        const [oldest] = late
        const age = oldest?.takenAt === undefined ? 'an unknown time' : spanOf((there - oldest.takenAt) / 1000)
        const more = late.length > 1 ? ` and ${late.length - 1} more` : ''
        measures.push({
          ...of,
          level: when(oldest !== undefined, 'look'),
          words: oldest === undefined ? 'none old' : `${plainName(oldest.name)}${more}, ${age}`,
          sentence:
            oldest === undefined
              ? `${who} has no old snapshot.`
              : `${who} has kept the snapshot ${plainName(oldest.name)} for ${age}${more}.`,
          ...(oldest !== undefined && { inputs: { vmid: guest.vmid, snapshot: oldest.name } }),
        })
      } catch (error) {
        signal.throwIfAborted()
        const why = error instanceof Error ? error.message : String(error)
        measures.push({
          ...of,
          level: 'unseen',
          words: 'unknown',
          sentence: `The snapshots of ${who} could not be read: ${why}`,
        })
      }
    }
    const away = state.nodes.filter(({ name }) => !online.has(name))
    return { measures, unread: new Map(away.map(({ name, status }) => [name, `${name} is ${status}`])) }
  },
}
