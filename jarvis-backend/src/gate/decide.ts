import { type Approve, attachedServerOf, type Tier, type Verdict } from 'protocol'
import { type Effect, matches } from './effect.ts'
import { movedMarks, viewsOf } from './marks.ts'
import { sessionRoot } from './places/roots.ts'
import { isOfSite, saidBy } from './places/web-words.ts'
import { taintRule, underProfile } from './policy/profile.ts'
import { isSignedBy } from './proof.ts'
import { both } from './roles/approve.ts'
import { orderedBy, orderedVerdict } from './taint/ordered.ts'
import type { Source, Sources } from './taint/source.ts'
import { withPrompt } from './taint/sources.ts'
import { repeatedFrom, type Taint, taintedVerdict, taintOf } from './taint/taint.ts'
import { rank } from './tiers.ts'
import { guestOf } from './topology/topology.ts'
import type { Call, Facts, Policy, Rule, World } from './world.ts'

/** Reasons for attached tools, by tier. A red call of such a tool has the rule `attached`, so only the loosest profile lets it run without asking. */
const attachedSentences: Record<Tier, (server: string) => string> = {
  green: (server) => `The operator has said that this tool of the attached server ${server} only reads.`,
  yellow: (server) => `The operator lets this tool of the attached server ${server} run without asking.`,
  red: (server) => `It is a tool of the attached server ${server}, and what it does is not known to JARVIS.`,
  black: () => 'It is never run.',
}
const byTier: Record<Tier, string> = {
  green: 'It reads only.',
  yellow: 'It makes a bounded change that can be undone.',
  red: 'It makes a change that a person must want.',
  black: 'It is never run.',
}

/** Descriptions of the guest that is stopped or restarted, by its last known status. */
const whichGuest = {
  running: 'a running guest.',
  paused: 'a paused guest.',
  stopped: 'a guest that is stopped already.',
  unknown: 'a guest of which it is not known whether it runs.',
}

/** Returns the reason for a call that no rule raised: a description of its effect. */
function reasonOf({ kind, on, action, target }: Effect, tier: Tier, world: World): string {
  if (kind === 'execute' && on === 'sandbox') return 'Only its sandbox feels what the command does.'
  if (kind === 'execute') return 'It runs a command that is proven to read only.'
  if (kind !== 'power') return byTier[tier]
  if (on === 'guest') {
    const state = guestOf({ target, world })?.status ?? 'unknown'
    return action === 'start' ? 'It starts a guest.' : `It ${action}s ${whichGuest[state]}`
  }
  if (on === 'service') return 'It restarts one service that is known to be harmless; it is away for some seconds.'
  return on === 'node' && action === 'start' ? 'It sends a magic packet to one node.' : byTier[tier]
}

/**
 * Returns the gate's verdict on one call, which has at least one effect. Rules only raise a tier. The strictest rule wins and is named; among
 * equally strict ones, the first. After the rules, the operator's `allow` and then the profile may lower the tier. Pure, and never throws.
 */
export function decide(call: Call, effects: readonly Effect[], world: World): Verdict {
  const { policy } = world
  const judged = tainted(raised(call, effects, world), call, { effects, world })
  const verdict = underProfile(allowed(judged, call, { effects, policy }), policy.profile)
  const approve = judged.tier === 'red' ? approvalOf(call, effects, world) : undefined
  // Use the tier before the profile here: several people must decide under every profile.
  const isSigned =
    judged.tier === 'red' &&
    (rulesAbout(call, effects, world).some(({ proof }) => proof === 'passkey') ||
      (approve !== undefined && isSignedBy(policy.proof, effects)))
  if ((approve !== undefined || isSigned) && verdict.tier !== 'black')
    return { ...judged, ...(approve && { approve }), ...(isSigned && { proof: 'passkey' }) }
  // Neither `allow` nor a profile lets a call run without asking if a tool result ordered the call.
  const asked = judged.tier === 'red' && verdict.tier === 'yellow' ? (ordered(call, effects) ?? verdict) : verdict
  return asked.tier === 'red' && isSignedBy(policy.proof, effects) ? { ...asked, proof: 'passkey' } : asked
}

/** Returns the tier of a tool's calls if no rule raises them, as lists of tools show it. */
export function usualTier(tool: Pick<Call, 'toolName' | 'baseTier'>, policy: Policy): Tier {
  return underProfile(ownVerdict(tool, policy), policy.profile).tier
}

function ownVerdict(
  { toolName, baseTier }: Pick<Call, 'toolName' | 'baseTier'>,
  policy: Policy,
  reason?: (tier: Tier) => string,
): Verdict {
  const tier = policy.tiers.get(toolName) ?? baseTier
  if (rank(tier) > rank(baseTier)) return { tier, rule: 'tiers', reason: `policy.yaml makes ${toolName} ${tier}.` }
  const server = attachedServerOf(toolName)
  if (server !== undefined) {
    const rule = baseTier === 'red' ? 'attached' : 'base'
    return { tier: baseTier, rule, reason: attachedSentences[baseTier](server) }
  }
  return { tier: baseTier, rule: 'base', reason: reason?.(baseTier) ?? byTier[baseTier] }
}

export const concerns = ({ tools, effects }: Rule, toolName: string, effect: Effect): boolean =>
  (tools === undefined || tools.includes(toolName)) &&
  (effects === undefined || effects.some((wanted) => matches(effect, wanted)))

/** Returns the verdict after all rules. A rule that throws counts as black. */
function raised(call: Call, effects: readonly Effect[], world: World): Verdict {
  const [first] = effects
  const own = ownVerdict(call, world.policy, first && ((tier) => reasonOf(first, tier, world)))
  let verdict = own
  let reasons: string[] = []
  const views = viewsOf(effects, world)
  for (const rule of world.policy.rules) {
    for (const { effect, world: seen } of views) {
      // A rule of the same tier as the call is named too, because its reason says more than the tool's. After a first black rule, further black ones
      // add nothing.
      const isSilent = rank(rule.tier) < rank(verdict.tier) || (verdict !== own && verdict.tier === 'black')
      if (isSilent || !concerns(rule, call.toolName, effect)) continue
      const facts: Facts = { ...call, effect, target: effect.target, world: seen }
      try {
        if (!rule.when(facts)) continue
        const reason = typeof rule.because === 'string' ? rule.because : rule.because(facts)
        if (verdict !== own && rule.tier === verdict.tier) {
          if (!reasons.includes(reason)) reasons.push(reason)
          continue
        }
        verdict = { tier: rule.tier, rule: rule.name, reason }
        reasons = [reason]
      } catch {
        return { tier: 'black', rule: rule.name, reason: `The rule ${rule.name} could not judge this call.` }
      }
    }
  }
  return verdict.tier === 'red' && reasons.length > 1 ? { ...verdict, reasons } : verdict
}

/** Returns the people who must approve, by all rules about the call. If a rule throws, the call is black already. */
function approvalOf(call: Call, effects: readonly Effect[], world: World): Approve | undefined {
  let approve: Approve | undefined
  for (const { approve: wanted } of rulesAbout(call, effects, world))
    if (wanted !== undefined) approve = approve === undefined ? wanted : both(approve, wanted)
  return approve
}

/**
 * Returns the red rules about the call that require several people or a signature. If the call changes marks of the guest, also returns such rules
 * about later calls: the people who must approve those calls must also approve this change.
 */
const rulesAbout = (call: Call, effects: readonly Effect[], world: World): Rule[] => {
  const moved = effects.flatMap((effect) => movedMarks(effect, world)).flatMap(({ readers }) => readers)
  const views = viewsOf(effects, world)
  return world.policy.rules.filter(
    (rule) =>
      (rule.approve !== undefined || rule.proof !== undefined) &&
      rule.tier === 'red' &&
      (moved.some((reader) => reader.rule === rule.name) ||
        views.some(
          ({ effect, world: seen }) =>
            concerns(rule, call.toolName, effect) && rule.when({ ...call, effect, target: effect.target, world: seen }),
        )),
  )
}

/** Raises a call by one tier if its words came from a tool result, or if a result orders the call by name. `allow` does not lower such a call. */
function tainted(
  verdict: Verdict,
  call: Call,
  { effects, world }: { effects: readonly Effect[]; world: World },
): Verdict {
  const { toolName, sources } = call
  if (sources === undefined || (verdict.tier !== 'yellow' && verdict.tier !== 'red')) return verdict
  if (isContained(effects)) return verdict
  try {
    const taint = taintIn(call, effects, world)
    if (taint === undefined) return (verdict.tier === 'yellow' && ordered(call, effects)) || verdict
    const raised = taintedVerdict(verdict, toolName, taint)
    if (raised.tier === 'black' && effects.every(({ kind, isShownWhole }) => kind === 'read' || isShownWhole))
      return { ...verdict, rule: taintRule, reason: `${verdict.reason} ${repeatedFrom(taint)}` }
    // The command only reads. So it stays red, and a person decides if the named host may be contacted.
    return verdict.rule === 'network_read'
      ? { ...verdict, rule: taintRule, reason: `${verdict.reason} A result named it.` }
      : raised
  } catch {
    return { tier: 'black', rule: taintRule, reason: 'It could not be told where the words of this call came from.' }
  }
}

/** Finds words of the call that came from a tool result; undefined if there are none. May throw. */
export function taintIn(
  { input, sources, listed, choices, isCommon }: Call,
  effects: readonly Effect[],
  world: World,
): Taint | undefined {
  if (sources === undefined || isContained(effects) || isNoted(effects)) return undefined
  const addresses = effects.flatMap(({ url }) => url ?? [])
  const named: Call['input'] = { ...input, ...Object.assign({}, ...addresses.map((url) => saidBy(url))) }
  const words = listed === undefined ? named : withoutListed(named, listed)
  const commands = effects.flatMap(({ executes }) => executes?.argument ?? [])
  const heard = withoutOwn(addresses.length > 0 ? withPrompt(sources()) : sources(), input, effects)
  const services = effects.flatMap(({ service }) => service ?? [])
  const acted = new Set(
    [...services, ...effects.flatMap(({ target }) => target.name ?? [])].map((name) => name.toLowerCase()),
  )
  const taint = taintOf({ input: words as Call['input'], isCommand: (name) => commands.includes(name) }, heard, {
    world,
    isCommon: (word) => isCommon?.(word) === true && !acted.has(word),
    isChoice: (word) => choices?.has(word) === true,
    isLeaving: addresses.length > 0,
    hasService: services.length > 0,
    refers: effects.flatMap(({ refers }) => refers?.argument ?? []),
  })
  const id = effects.find(({ refers }) => taint !== undefined && refers?.argument === taint.argument)?.refers
  return taint && { ...taint, ...(id && { because: id.because }) }
}

/**
 * Leaves out results whose text the call only sends back to its origin. The text of a file may be written back into that file. Addresses from a
 * website may be read on that website.
 */
function withoutOwn(sources: Sources, { path }: Call['input'], effects: readonly Effect[]): Sources {
  const isOwn = ({ kind, on, url }: Effect, source: Source) =>
    on === 'path'
      ? typeof path === 'string' && source.asked?.path === path && attachedServerOf(source.toolName) === undefined
      : kind === 'read' && on === 'web' && url !== undefined && isOfSite(source, url)
  const isEvery = (source: Source) => effects.length > 0 && effects.every((effect) => isOwn(effect, source))
  return { ...sources, results: sources.results.filter((source) => !isEvery(source)) }
}

/**
 * Returns true if the call can affect only a sandbox without a network, and the conversation's own folder. A stranger's words do no harm there, and
 * a sandbox exists to work on texts that were read.
 */
const isContained = (effects: readonly Effect[]): boolean =>
  effects.some(({ on }) => on === 'sandbox') &&
  effects.every(
    (effect) => effect.kind === 'read' || (effect.kind === 'execute' && effect.on === 'sandbox') || isOwnFile(effect),
  )

const isOwnFile = ({ on, place }: Effect): boolean => on === 'path' && place?.root === sessionRoot

/**
 * Returns true if a call changes only files in the conversation's own folder. Texts that were read may be written there, unless a result orders the
 * call. When they are read from there again, they count as a result's words.
 */
const isNoted = (effects: readonly Effect[]): boolean =>
  effects.some(isOwnFile) && effects.every((effect) => effect.kind === 'read' || isOwnFile(effect))

/** Returns the tool whose result orders the call; undefined if there is none. May throw. */
export function orderIn({ toolName, input, sources }: Call, effects: readonly Effect[]): string | undefined {
  const names = effects.flatMap(({ target }) => target.name ?? [])
  return sources && orderedBy({ toolName, input, names }, sources())
}

/** Returns the verdict on a change that would run without asking although a result orders it; undefined if no result orders it. */
function ordered(call: Call, effects: readonly Effect[]): Verdict | undefined {
  try {
    const from = orderIn(call, effects)
    return from === undefined ? undefined : orderedVerdict(call.toolName, from)
  } catch {
    return { tier: 'black', rule: taintRule, reason: 'It could not be told where the words of this call came from.' }
  }
}

/** Replaces listed texts in a value by empty ones. @param value pure JSON, at most as deep as a call's arguments may be */
function withoutListed(value: unknown, listed: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return listed.has(value) ? '' : value
  if (Array.isArray(value)) return value.map((item) => withoutListed(item, listed))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutListed(member, listed)]))
}

/** Lowers a red verdict that is only the tool's own base tier. A red verdict of a rule still asks. */
function allowed(
  verdict: Verdict,
  { toolName }: Call,
  { effects, policy }: { effects: readonly Effect[]; policy: Policy },
): Verdict {
  if (verdict.tier !== 'red' || verdict.rule !== 'base') return verdict
  const entry = policy.allow.find(
    ({ tool, target }) => tool === toolName && effects.every((effect) => effect.target.id === target),
  )
  return entry === undefined ? verdict : { tier: 'yellow', rule: 'allow', reason: entry.because }
}
