import { spanOf } from 'node-kit/words'
import { clusterTime } from 'protocol/facts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { type Pool, readPools, type Scan, scanOf } from '../../homelab/operations/disks.ts'
import type { Check, Measure, SeenPool } from '../check.ts'
import { fromNodes, itemsOf, over, partObject } from '../measure.ts'

const dayMs = 86_400_000
/** Days without a scrub that are too many. Debian scrubs once a month. */
const mostDays = 40

/** A pool whose last finished scrub is long ago, or that was not scrubbed since it was first seen. */
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
    const measures = items.map((pool): Measure => {
      const { node, name, scan: words, missing } = pool
      const object = partObject('pool', node, name)
      const of = { object, inputs: { node, pool: name } }
      const who = `ZFS pool ${plainName(name)} on ${plainName(node)}`
      if (missing !== undefined)
        return { ...of, level: 'unseen', words: 'unknown', sentence: `${who}: its last scrub is not known.` }
      const scan = scanOf(words)
      const before = ports.pools.get(object.id)
      const seen = seenPool(before, { scan, scrubbedAt: pool.scrubbedAt, now: ports.now })
      if (JSON.stringify(seen) !== JSON.stringify(before)) ports.pools.keep(object.id, seen)
      if (scan === 'scrub runs')
        return { ...of, level: 'clear', words: 'runs now', sentence: `${who} is scrubbed now.` }
      const { since, scrubbedAt } = seen
      // ZFS dates a scrub by the node's clock.
      const agoMs = scrubbedAt === undefined ? ports.now - since : clusterTime(ports.now, ports.state) - scrubbedAt
      const days = Math.max(0, agoMs) / dayMs
      const ago = spanOf(days * 86_400)
      const beside = wordsFor[scan] ?? ''
      return {
        ...of,
        level: over(days, { look: mostDays, clear: mostDays }),
        words: scrubbedAt === undefined ? oneLine(words ?? 'none', 80) : `${ago} ago`,
        value: days,
        sentence:
          scrubbedAt === undefined
            ? `${who}: no finished scrub is known since JARVIS first saw it ${ago} ago.${beside}`
            : `${who} was last scrubbed ${ago} ago.${beside}`,
      }
    })
    return { measures, unread }
  },
}

/** A sentence about the present scan, if that is not the last finished scrub. */
const wordsFor: Partial<Record<Scan, string>> = {
  'scrub paused': ' A scrub of it is paused.',
  'scrub canceled': ' A scrub of it was canceled.',
  'resilver runs': ' It is resilvered now, which is no scrub.',
  'resilver paused': ' A resilver of it is paused.',
  'resilver finished': ' It was resilvered since, which is no scrub.',
  'resilver canceled': ' A resilver of it was canceled.',
}

function seenPool(
  before: SeenPool | undefined,
  { scan, scrubbedAt, now }: { scan: Scan; scrubbedAt: Pool['scrubbedAt']; now: number },
): SeenPool {
  if (before === undefined || (scan === 'none' && before.isWalked))
    return { since: now, ...walked(scan), scrubbedAt: scrubbedAt ?? undefined }
  return {
    since: Math.min(before.since, now),
    ...(before.isWalked ? { isWalked: true } : walked(scan)),
    scrubbedAt: scrubbedAt ?? before.scrubbedAt,
  }
}

const walked = (scan: Scan) => (scan === 'none' || scan === 'other' ? {} : { isWalked: true as const })
