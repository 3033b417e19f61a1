import type { Guest } from 'protocol'
import { quoted } from 'redaction/visible'
import type { Effect } from './effect.ts'
import { topologyMarks } from './topology/topology.ts'
import type { Reader, World } from './world.ts'

/** One effect, and the world in which a rule judges it. */
export type View = { effect: Effect; world: World }

/**
 * Returns the effects of a call in the present world. If the call changes marks, also returns its effects in the world after the call. A rule
 * applies to both.
 */
export function viewsOf(effects: readonly Effect[], world: World): View[] {
  const before = effects.map((effect) => ({ effect, world }))
  const changed = effects.filter(({ becomes, target }) => becomes !== undefined && target.vmid !== undefined)
  if (changed.length === 0) return before
  const after = changed.reduce(afterwards, world)
  const vmids = new Set(changed.map(({ target }) => target.vmid))
  return [
    ...before,
    ...effects
      .filter(({ target }) => vmids.has(target.vmid))
      .map((effect): View => {
        const guest = after.cluster.guests.find(({ vmid }) => vmid === effect.target.vmid)
        const { becomes: _, ...rest } = effect
        const { name, node } = guest ?? effect.target
        return { effect: { ...rest, target: { ...effect.target, name, node } }, world: after }
      }),
  ]
}

function afterwards(world: World, { target, becomes = {} }: Effect): World {
  const { guests } = world.cluster
  const { unread: _, had: __, ...marks } = becomes
  const found = guests.find(({ vmid }) => vmid === target.vmid)
  const guest = { ...(found ?? newGuest(target)), ...marks }
  return { ...world, cluster: { ...world.cluster, guests: [...guests.filter((one) => one !== found), guest] } }
}

/** A guest that a call creates: stopped, with all other facts unknown. */
const newGuest = ({ vmid = 0, type = 'vm', name = '', node = '' }: Effect['target']): Guest => ({
  vmid,
  type,
  name,
  node,
  tags: [],
  status: 'stopped',
  isProtected: false,
  isHa: false,
  uptimeS: null,
  cpuRatio: null,
  cpuCount: null,
  ramBytes: null,
  ramTotalBytes: null,
  diskBytes: null,
  diskTotalBytes: null,
})

/** A mark (such as a tag) that a call adds or removes, and that a rule, a role or the topology uses. */
export type MovedMark = { words: string; readers: readonly Reader[] }

/** Returns the marks of the effect's guest that the call changes and that a rule, a role or the topology uses. */
export function movedMarks(effect: Effect, world: World): MovedMark[] {
  const { target, becomes } = effect
  if (becomes === undefined) return []
  const { readers } = world.policy
  const after = afterwards(world, effect)
  const find = ({ cluster }: World) => cluster.guests.find(({ vmid }) => vmid === target.vmid)
  const [seen, is] = [find(world), find(after)]
  const was = seen && { ...seen, tags: [...seen.tags, ...(becomes.had ?? [])] }
  const marks = differing(was === undefined ? [] : policyMarks(was), is === undefined ? [] : policyMarks(is))
  const read = marks.flatMap((mark): MovedMark[] => {
    const found = readers.get(mark)
    return found === undefined ? [] : [{ words: `${quoted(mark)}, which ${wordsOf(found)} reads`, readers: found }]
  })
  const shown = differing(
    was === undefined ? [] : topologyMarks(was, world),
    is === undefined ? [] : topologyMarks(is, after),
  )
  return [
    ...read,
    ...shown.map((words) => ({ words, readers: [] })),
    ...(becomes.unread
      ? [{ words: 'tags and a name that were not read yet', readers: [...readers.values()].flat() }]
      : []),
  ]
}

const policyMarks = ({ tags, pool, node }: Guest): string[] => [
  ...tags.map((tag) => `tag:${tag.toLowerCase()}`),
  ...(pool === undefined ? [] : [`pool:${pool}`]),
  `node/${node.toLowerCase()}`,
]

const differing = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one.filter((mark) => !other.includes(mark)), ...other.filter((mark) => !one.includes(mark))]),
]

const wordsOf = (readers: readonly Reader[]) => {
  const [first, ...more] = [...new Set(readers.map(({ words }) => words))]
  return `${first ?? ''}${more.length === 0 ? '' : ` and ${more.length} more`}`
}
