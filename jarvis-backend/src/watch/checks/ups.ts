import { oneLine, plainName } from '../../homelab/format.ts'
import { CannotRun, type Check, type CheckPorts, type Measure } from '../check.ts'
import { printed } from '../command.ts'
import { fromNodes } from '../measure.ts'

/** Time for which a node that watches no power supply is not asked again, ms. */
const restMs = 3_600_000

/** `OB`: on battery. `LB`: the battery is low. `FSD`: it orders a shutdown. `RB`: replace the battery. `OL`: on mains. */
function judge(status: string): { level: Measure['level']; words: string } {
  const flags = status.split(/\s+/)
  if (flags.includes('LB') || flags.includes('FSD')) return { level: 'failed', words: 'battery low' }
  if (flags.includes('OB')) return { level: 'look', words: 'on battery' }
  if (flags.includes('RB')) return { level: 'look', words: 'battery worn out' }
  if (flags.includes('OL')) return { level: 'clear', words: 'on mains' }
  return { level: 'unseen', words: `says ${oneLine(status, 40)}` }
}

/** An uninterruptible power supply that a node watches by NUT. A node with a supply is asked each minute. */
export function upsCheck(): Check {
  /** Nodes without a power supply: when they reported that, and in which words. */
  const without = new Map<string, { at: number; why: string }>()
  const having = new Set<string>()

  async function namesAt(node: string, { shell, signal, now }: CheckPorts): Promise<string[]> {
    const known = without.get(node)
    if (known !== undefined && now - known.at < restMs) return []
    try {
      const listed = await printed(shell, { node, stage: ['upsc', '-l'] }, signal)
      return listed.split('\n').filter((line) => /^[\w.-]{1,64}$/.test(line))
    } catch (error) {
      signal.throwIfAborted()
      // A node that had a power supply before has lost contact with it.
      if (having.has(node)) throw error
      without.set(node, { at: now, why: error instanceof Error ? error.message : String(error) })
      return []
    }
  }

  return {
    id: 'ups',
    title: 'Power supply on battery',
    reads: 'upsc over SSH',
    limit: () => 'On battery for 1 min; failed when the battery is low.',
    pace: 'state',
    from: ['nodes'],
    forMs: 60_000,
    asks: true,
    runbooks: ['ups-shutdown'],
    async look(ports) {
      const { items, unread } = await fromNodes(ports, async ({ name: node }) => {
        const found = []
        for (const name of await namesAt(node, ports)) {
          const status = await printed(ports.shell, { node, stage: ['upsc', name, 'ups.status'] }, ports.signal)
          found.push({ node, name, ...judge(status.trim()) })
        }
        if (found.length > 0) having.add(node)
        return found
      })
      const [none] = without.values()
      if (having.size === 0)
        throw new CannotRun(`No node watches a power supply by NUT.${none === undefined ? '' : ` ${none.why}`}`)
      const measures = items.map(({ node, name, level, words }): Measure => {
        const sentence = `Power supply ${plainName(name)} at ${plainName(node)}: ${words}.`
        return { object: { id: `ups/${node}/${name}`, name, node }, level, words, sentence, inputs: { node } }
      })
      return { measures, unread }
    },
  }
}
