import { oneLine, plainName } from '../../homelab/format.ts'
import { readPools } from '../../homelab/operations/disks.ts'
import { spanOf } from '../../lib/words.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, itemsOf, over, partObject } from '../measure.ts'

const dayMs = 86_400_000
/** Debian scrubs once a month. */
const mostDays = 40

/** A pool whose last finished scrub is long ago, or unknown. */
export const zfsScrub: Check = {
  id: 'zfs-scrub',
  title: 'ZFS scrub overdue',
  reads: 'GET /nodes/{node}/disks/zfs/{pool}',
  limit: () => `Last finished scrub over ${mostDays} d ago.`,
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async (node) =>
      itemsOf(await readPools(ports.api, [node], ports.signal)),
    )
    const measures = items.map(({ node, name, scan, scrubbedAt, missing }): Measure => {
      const of = { object: partObject('pool', node, name), inputs: { node, pool: name } }
      const who = `ZFS pool ${plainName(name)} on ${plainName(node)}`
      if (missing !== undefined)
        return { ...of, level: 'unseen', words: 'unknown', sentence: `${who}: its last scrub is not known.` }
      if (/in progress/.test(scan ?? ''))
        return { ...of, level: 'clear', words: 'runs now', sentence: `${who} is scrubbed now.` }
      if (scrubbedAt === null)
        return {
          ...of,
          level: 'look',
          words: oneLine(scan ?? 'none', 80),
          sentence: `${who}: no finished scrub is known.`,
        }
      const days = (ports.now - scrubbedAt) / dayMs
      const ago = spanOf((ports.now - scrubbedAt) / 1000)
      return {
        ...of,
        level: over(days, { look: mostDays, clear: mostDays }),
        words: `${ago} ago`,
        value: days,
        sentence: `${who} was last scrubbed ${ago} ago.`,
      }
    })
    return { measures, unread }
  },
}
