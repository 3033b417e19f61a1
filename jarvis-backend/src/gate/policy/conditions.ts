import type { Target } from 'protocol'
import { commandTexts } from 'ssh-grammar/command-words'
import { plainService } from 'ssh-grammar/services'
import { namesStorage } from '../storages.ts'
import { guestOf } from '../topology/topology.ts'
import { serviceNames } from '../topology/units.ts'
import type { Facts } from '../world.ts'
import { days } from './forms.ts'
import type { ArgumentCondition, PolicyFile, When } from './schema.ts'

type Condition = (facts: Facts) => boolean

/** Compiles the conditions to one test of a call. All conditions must hold. A condition with a list of values holds if one of the values matches. */
export function conditionOf(when: When | undefined, timezone: PolicyFile['timezone']): Condition {
  if (when === undefined) return () => true
  const { target, node, args = {}, hours, days: on, profile } = when
  const conditions: Condition[] = []
  if (target !== undefined) conditions.push(targetIs(target))
  if (node !== undefined) {
    const names = new Set(node.map((name) => name.toLowerCase()))
    conditions.push(({ target: { node: at } }) => at !== undefined && names.has(at.toLowerCase()))
  }
  if (profile !== undefined) conditions.push(({ world }) => profile.includes(world.policy.profile))
  for (const [name, condition] of Object.entries(args)) conditions.push(argumentIs(name, condition))
  if (hours !== undefined || on !== undefined) {
    const timeOf = localTime(timezone)
    conditions.push(({ world: { now } }) => {
      const { day, minute } = timeOf(now)
      if (on !== undefined && !on.includes(day)) return false
      if (hours === undefined) return true
      const { from, to } = hours
      return from < to ? from <= minute && minute < to : from <= minute || minute < to
    })
  }
  return (facts) => conditions.every((holds) => holds(facts))
}

/** Returns the guests' marks that the conditions use: `tag:NAME` and `node/NAME` in lower case, `pool:NAME`. */
export const marksIn = ({ target = [], node = [] }: Pick<When, 'target' | 'node'> = {}): string[] => [
  ...target.flatMap((id) => (id.startsWith('tag:') ? [id.toLowerCase()] : id.startsWith('pool:') ? [id] : [])),
  ...node.map((name) => `node/${name.toLowerCase()}`),
]

/** Compiles a condition on the target. Case is ignored, except in a pool's name. A guest is matched by its vmid alone, as for protected targets. */
function targetIs(wanted: readonly string[]): Condition {
  const vmids = new Set<number>()
  const others = new Set<string>()
  for (const id of wanted) {
    const [, vmid] = /^(?:vm|ct)\/(\d+)$/.exec(id) ?? []
    if (vmid !== undefined) vmids.add(Number(vmid))
    else
      others.add(id.startsWith('service/') ? `service/${plainService(id.slice('service/'.length))}` : id.toLowerCase())
  }
  const isService = (name: string, target: Target) =>
    serviceNames(name, target).some((each) => others.has(`service/${plainService(each)}`))
  return (facts) => {
    const { kind, vmid, node, name = '' } = facts.target
    switch (kind) {
      case 'guest': {
        const { tags = [], pool } = guestOf(facts) ?? {}
        return (
          (vmid !== undefined && vmids.has(vmid)) ||
          tags.some((tag) => others.has(`tag:${tag.toLowerCase()}`)) ||
          (pool !== undefined && wanted.includes(`pool:${pool}`))
        )
      }
      case 'service':
        return isService(name, facts.target) || others.has(`node/${node?.toLowerCase()}`)
      case 'storage':
        return namesStorage(others, facts.target) || others.has(`node/${node?.toLowerCase()}`)
      case 'node':
        return others.has(`node/${node?.toLowerCase()}`) || isService(facts.effect.service ?? '', facts.target)
      default:
        return false
    }
  }
}

function argumentIs(name: string, condition: ArgumentCondition): Condition {
  if (Array.isArray(condition)) {
    const wanted = new Set(condition.map(folded))
    // A boolean argument that is absent counts as false.
    return ({ input }) =>
      variants(name, input[name] ?? (wanted.has(false) ? false : undefined)).some((is) => wanted.has(is))
  }
  if ('equals' in condition) return argumentIs(name, condition.equals)
  const [parts, test] =
    'startsWith' in condition
      ? [condition.startsWith, (is: string, part: string) => is.startsWith(part)]
      : [condition.contains, (is: string, part: string) => is.includes(part)]
  const wanted = parts.map((part) => part.toLowerCase().replace(/\s+/g, ' '))
  return ({ input }) =>
    variants(name, input[name]).some((is) => typeof is === 'string' && wanted.some((part) => test(is, part)))
}

const folded = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)

/** Returns all spellings of one argument, so that quotes, spaces and suffixes cannot hide it from a rule. */
function variants(name: string, value: unknown): readonly unknown[] {
  if (name === 'command' && typeof value === 'string') return commandTexts(value)
  const plain = folded(value)
  return name === 'service' && typeof plain === 'string' ? [plain, plainService(plain)] : [plain]
}

/** A local time. `minute`: the minute of the day, from 0. */
type LocalTime = { day: (typeof days)[number]; minute: number }

/** Makes a function that converts Unix ms to local time. @param timezone absent: the machine's own zone */
function localTime(timezone: string | undefined): (at: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timezone !== undefined && { timeZone: timezone }),
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  let known: { minuteAt: number; time: LocalTime } | undefined
  return (at) => {
    const minuteAt = Math.floor(at / 60_000)
    if (known?.minuteAt !== minuteAt) {
      const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
      const day = days.find((name) => name === parts.get('weekday')?.toLowerCase()) ?? 'sun'
      known = { minuteAt, time: { day, minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')) } }
    }
    return known.time
  }
}
