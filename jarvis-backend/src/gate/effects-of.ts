import type { Target, Tier } from 'protocol'
import { quoted } from 'redaction/visible'
import { type Effect, Mistake, matches, noTarget, type Thing, type Touch } from './effect.ts'
import { namesStorage, storagesIn } from './storages.ts'
import type { World } from './world.ts'

/** A tool's declarations about its calls, from which the gate gets the effects. */
export type Declaring = {
  tier: Tier
  touches: readonly Touch[]
  /** Computes the effects. A tool that reads the present state through ports throws if they are missing; its call then asks a person. */
  effects(input: never, world: World, ...ports: never[]): readonly Effect[]
  attached?: unknown
}

/**
 * Returns the effects of a call. Adds an effect of the kind `unknown`, which makes the call ask a person, if the tool declares no effect or cannot
 * compute it, or if an effect is not in the tool's `touches`. Also adds one for each guest, node and protected storage that the arguments name
 * without an effect on it, so that changes of a protected object stay refused.
 * @throws Mistake for arguments that the caller can correct
 */
export function effectsOf(tool: Declaring, input: Record<string, unknown>, world: World): readonly Effect[] {
  const { effects, fault } = checked(tool, declaredOf(tool, input, world))
  if (fault === undefined && (tool.attached !== undefined || tool.tier === 'green')) return effects
  const named = namedIn(
    tool.attached === undefined ? { vmid: input.vmid, node: input.node, storage: input.storage } : input,
    world,
  )
  const missed = named.filter((thing) => !effects.some(({ target }) => reaches(target, thing)))
  return [
    ...effects,
    ...(fault === undefined ? [] : [fault]),
    ...missed.map((target) => unknown(target, `It names ${target.id} and does not say what it does to it.`)),
  ]
}

const reaches = (target: Target, { kind, name, vmid, node }: Target) =>
  kind === 'storage'
    ? namesStorage([`storage/${name}`], target)
    : vmid === undefined
      ? target.node === node
      : target.vmid === vmid

/**
 * Checks the effects against the tool's declarations. `fault`: an effect of the kind `unknown`, which makes the call ask a person. It is set if the
 * effects are missing or empty, contradict the tool's tier, or are not in `touches`.
 */
function checked(
  tool: Declaring,
  effects: readonly Effect[] | undefined,
): { effects: readonly Effect[]; fault?: Effect } {
  if (effects === undefined) return { effects: [], fault: unknown(noTarget, 'What this call does could not be told.') }
  if (effects.length === 0) return { effects, fault: unknown(noTarget, 'The tool does not say what this call does.') }
  if (effects.some(({ kind }) => kind !== 'read') !== (tool.tier !== 'green'))
    return {
      effects,
      fault: unknown(effects[0]?.target, 'What the tool says of this call is not what its tier says.'),
    }
  const stray = effects.find((effect) => !tool.touches.some(({ kind, on }) => matches(effect, { kind, on })))
  if (stray === undefined) return { effects }
  return { effects, fault: unknown(stray.target, 'This call does more than its tool has declared.') }
}

function declaredOf(tool: Declaring, input: Record<string, unknown>, world: World): readonly Effect[] | undefined {
  try {
    const effects = (tool as { effects?: Declaring['effects'] }).effects?.(input as never, world) ?? []
    return Array.isArray(effects) ? effects : undefined
  } catch (error) {
    if (error instanceof Mistake) throw error
    return undefined
  }
}

const unknown = (target: Target | undefined, sentence: string): Effect => ({
  kind: 'unknown',
  on: thingOf(target),
  target: target ?? noTarget,
  sentence,
})

const thingOf = (target: Target | undefined): Thing =>
  target === undefined || target.kind === 'none' ? 'site' : target.kind

/**
 * Returns the effects of an attached server's tool. Only that server knows what the tool does. The target is the tool's definition, so that a card,
 * a grant or a denial applies only to this definition. Each guest, node or protected storage that the arguments name counts as affected.
 */
export function remoteEffects(
  { toolName, server, hash, tier }: { toolName: string; server: string; hash: string; tier: Tier },
  input: Record<string, unknown>,
  world: World,
): Effect[] {
  const target: Target = { kind: 'none', id: `tool/${toolName}@${hash.slice(0, 16)}`, name: server }
  if (tier === 'green') return [{ kind: 'read', on: 'tool', target }]
  const reached = namedIn(input, world).map((named): Effect => {
    const sentence = `It names ${quoted(named.name ?? '')} (${named.id}), and what the attached server does to it is not known.`
    // A red call asks in any case and needs no second reason.
    return { kind: tier === 'yellow' ? 'unknown' : 'remote', on: thingOf(named), target: named, sentence }
  })
  return [{ kind: 'remote', on: 'tool', target }, ...reached]
}

/** The touches that every attached tool has. */
export const remoteTouches: readonly Touch[] = (['tool', 'guest', 'node', 'storage'] as const).flatMap((on) =>
  (['read', 'remote', 'unknown'] as const).map((kind) => ({ kind, on })),
)

/** Matches names of arguments that are amounts and not ids. */
const quantity =
  /(?:^|[_.-]|(?<=[a-z]))(?:limit|count|lines?|size|page|per_?page|offset|skip|top|max|min|depth|width|height|days?|hours?|minutes?|seconds?|secs?|ms|timeout|since|until|interval|duration|percent|ratio|retries|quality|priority|level|tail|head|amount|temperature|seed)(?:$|[\][\d]|[_-](?:ms|s|seconds|bytes|mb|gb))/i
export const isQuantity = (argument: string): boolean => quantity.test(argument)

/**
 * Returns the guests and nodes of the cluster, and the protected storages, that arguments name by number, name or id, alone or as a word in a text.
 * Other storages do not count, because their names are common words such as `local`.
 */
function namedIn(input: unknown, { cluster, policy }: World): Target[] {
  const found = new Map<string, Target>()
  const nodes = new Map(cluster.nodes.map((node) => [node.name.toLowerCase(), node]))
  const guests = new Map(
    cluster.guests.flatMap((guest) => [String(guest.vmid), guest.name.toLowerCase()].map((key) => [key, guest])),
  )
  const storages = storagesIn(policy.protectedTargets)
  const add = (word: string) => {
    const storage = storages.get(word)
    if (storage !== undefined) found.set(storage.id, storage)
    const node = nodes.get(word)
    if (node !== undefined)
      found.set(node.name, { kind: 'node', id: `node/${node.name}`, name: node.name, node: node.name })
    const guest = guests.get(word)
    if (guest === undefined) return
    const { vmid, type, name, node: place } = guest
    found.set(`${vmid}`, { kind: 'guest', id: `${type}/${vmid}`, name, node: place, vmid, type })
  }
  const walk = (value: unknown, name: string) => {
    if (typeof value === 'number' || typeof value === 'bigint') {
      if (!isQuantity(name)) add(String(value))
    } else if (typeof value === 'string') {
      const text = value.normalize('NFKC').toLowerCase()
      for (const word of [text.trim(), ...(text.match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu) ?? [])])
        add(word.replace(/(?<!\.)\.+$/, ''))
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) walk(member, key)
    }
  }
  walk(input, '')
  return [...found.values()]
}
