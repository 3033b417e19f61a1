import { isDeepStrictEqual } from 'node:util'
import { type Principal, readAs, type Target, type Tier, type ToolInput, tiers, type Verdict } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import { type Agents, aboveCeiling, agentIdOf, mayUse } from '../agents/agent.ts'
import { onlyMain } from '../agents/registry.ts'
import { noTarget } from '../gate/effect.ts'
import {
  bindingHash,
  decide,
  type Effect,
  effectsOf,
  Mistake,
  promptSource,
  repeatsOthers,
  type Scope,
  type Source,
  type Sources,
  scopesOf,
  type World,
} from '../gate/index.ts'
import { taintRule } from '../gate/policy/profile.ts'
import type { Cluster } from '../homelab/ports.ts'
import { unfitInput } from '../lib/depth.ts'
import { listedIn } from '../lib/listed-in.ts'
import { meantName } from '../lib/meant-name.ts'
import { onceFor } from '../lib/once-for.ts'
import { textsIn } from '../lib/texts-in.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Preview, StandIn, Tool } from '../tools/tool.ts'
import { faithful } from './faithful.ts'
import { judgeLed, strictestOf } from './led.ts'
import { onlyOwner, type People } from './people.ts'
import type { Previews } from './previews.ts'
import type { Units } from './seen-units.ts'
import { boundOf, mistakeBeyond, refusalBy } from './within-role.ts'

/** `target`: of the first, which a card shows. */
type Effects = readonly Effect[]

/** What one call comes to before anything runs. Only `ready` calls can ever reach `tool.run`. */
export type Judgement =
  | {
      kind: 'ready'
      verdict: Verdict
      tool: Tool
      input: ToolInput
      effects: Effects
      target: Target
      hash: string
      /** What was read of it before; absent where its tool reads nothing, or it was not read yet. */
      preview?: Preview
      /** The calls that it leads to, in their order. */
      led?: readonly Led[]
      /** Of a tool that remembers: whether it would keep words that may be strangers'. */
      repeatsOthers?(): boolean
      /** The folders or the site for which a person may have allowed such calls, the narrowest first. */
      grantScopes: readonly Scope[]
    }
  /**
   * Never: `verdict.tier` is black. Without effects and a target where they were not looked for. `isPreviewed`: one of the calls
   * that it leads to is refused.
   */
  | { kind: 'blocked'; verdict: Verdict; effects?: Effects; target?: Target; isPreviewed?: true }
  /**
   * A mistake of the caller's that it can mend; `message` names the field. `verdict.tier` is the tool's base tier.
   * `isPreviewed`: it was found in what was read of the cluster, and may be mended there. `isOfState`: in the known state of the
   * cluster, which may be some seconds old.
   */
  | { kind: 'invalid'; verdict: Verdict; message: string; isPreviewed?: true; isOfState?: true }

/** A call that another one leads to, judged as if whoever asks made it by itself. */
export type Led = Extract<Judgement, { kind: 'ready' }> & { number: number }

/** Whose rights a call is judged by. */
export type Asker = Pick<Principal, 'kind' | 'token' | 'agent' | 'for' | 'person'> & {
  /** A role in place of that person's own, to try out what would happen. */
  asRole?: string
  /** The session that the call belongs to. */
  sessionId?: string
}

/**
 * @param sources what the one who asks had read; asked for only where the call would change something
 * @param asker absent: whoever may call all tools
 */
export type Judge = (toolName: string, input: ToolInput, sources?: () => Sources, asker?: Asker) => Judgement

/** As a judge, with the word of the node on the service that a call would change, and what the call would change. */
export type SeeingJudge = (...call: Parameters<Judge>) => Judgement | Promise<Judgement>

/**
 * Asks no node about a call that is refused whatever the node says: a protected one is left alone.
 * @param readAfresh reads the cluster again where the known state speaks against a call or does not know its guest's status, and the guest of a
 * call that asks: somebody may have moved it since the last read, and the card would show the old node
 */
export function createSeeingJudge(
  judge: Judge,
  look: Units['look'],
  preview: Previews['look'],
  readAfresh?: Cluster['readAfresh'],
): SeeingJudge {
  const seeing: SeeingJudge = (...call) => {
    const first = judge(...call)
    const previewing = first.kind === 'ready' || first.isPreviewed ? preview(call[0], call[1], 0, call[3]) : undefined
    // Why it could not be read stands in the judgement.
    if (previewing !== undefined) return previewing.catch(() => {}).then(() => judge(...call))
    // Taint refuses what asks, and allows to ask for what is known to be harmless.
    const isOpen = first.kind === 'ready' || (first.kind === 'blocked' && first.verdict.rule === taintRule)
    const looking = isOpen ? look(first.effects ?? []) : undefined
    return looking === undefined ? first : looking.then(() => judge(...call))
  }
  if (readAfresh === undefined) return seeing
  return (...call) => {
    const again = (judged: Judgement) => {
      const vmid = judged.kind === 'ready' ? judged.target.vmid : call[1].vmid
      const isAsked = judged.kind === 'ready' && judged.verdict.tier === 'red' && vmid !== undefined
      const doubt = isDoubtful(judged)
      if (!doubt && !isAsked) return judged
      const isSame = () => {
        const now = judge(...call)
        return now.kind === 'ready' && judged.kind === 'ready' && isDeepStrictEqual(now.target, judged.target)
      }
      return readAfresh(typeof vmid === 'number' ? vmid : undefined).then(
        () => (!doubt && isSame() ? judged : seeing(...call)),
        () => judged,
      )
    }
    const first = seeing(...call)
    return first instanceof Promise ? first.then(again) : again(first)
  }
}

const isDoubtful = (judged: Judgement): boolean =>
  judged.kind === 'invalid'
    ? judged.isOfState === true || judged.isPreviewed === true
    : judged.kind === 'ready' && judged.verdict.tier !== 'green' && judged.target.status === 'unknown'

/** Who asks for a verdict without making the call. `isReading`: they could not ask for any change. */
export type Questioner = Asker & { isReading?: true }

/** Tells which verdict a call would get if who asks made it. Runs nothing. */
export type TryingJudge = (toolName: string, input: ToolInput, asker: Questioner) => Promise<Judgement>

/**
 * Judges by the rights of who asks. Nothing is read for somebody who could not ask for the call: no tool prepares, no node is asked, and what was read for
 * others is not looked at.
 * @param bare knows no previews
 */
export function createTryingJudge(seeing: SeeingJudge, bare: Judge, catalog: Pick<Catalog, 'get'>): TryingJudge {
  return async (toolName, input, { isReading, ...asker }) => {
    if (!isReading) return seeing(toolName, input, undefined, asker)
    const judged = bare(toolName, input, undefined, asker)
    if (judged.kind !== 'ready' || catalog.get(toolName)?.prepare === undefined) return judged
    const reason = `${judged.verdict.reason} Nothing was read for this answer, so the call itself may be judged more strictly.`
    return { ...judged, verdict: { ...judged.verdict, reason } }
  }
}

/** The one place where a verdict is made: for chat, commands, MCP and REST alike. Runs nothing. */
export function createJudge(
  catalog: Catalog,
  world: () => World,
  previewed?: Previews['seen'],
  agents: Pick<Agents, 'find'> = onlyMain(),
  people: Pick<People, 'find'> = onlyOwner,
): Judge {
  const vocabulary = onceFor(() => catalog.list(), vocabularyOf)
  const judge: Judge = (toolName, rawInput, sources, asker) => {
    // A child run may do what both agents may: nobody gains rights by asking another agent.
    const ids = [...new Set([agentIdOf(asker ?? {}), asker?.for ?? agentIdOf(asker ?? {})])]
    const bound = ids.flatMap((id) => agents.find(id) ?? [])
    if (bound.length < ids.length)
      return blocked('agent_gone', `The agent ${ids.join(' or ')} is gone, and nobody else's rights serve its calls.`)
    const barred = (used: Parameters<typeof mayUse>[1]) => bound.find((agent) => !mayUse(agent, used))?.id
    const above = (verdict: Verdict, base: Tier) => firstOf(bound, (agent) => aboveCeiling(agent, verdict, base))
    const tool = catalog.get(toolName)
    const { attached } = tool ?? {}
    const isLent = asker === undefined || rightsOf(asker).mayUseAttached
    if (tool === undefined || (attached !== undefined && !isLent))
      return blocked('unknown_tool', `There is no tool ${JSON.stringify(toolName)}.${meant(toolName, barred, isLent)}`)
    const barring = barred(tool)
    if (barring !== undefined) return blocked('agent_tools', `The agent ${barring} may not use ${toolName}.`)
    const beyond = beyondAgents(tool, rawInput, barred)
    if (beyond !== undefined)
      return blocked(
        'agent_tools',
        `The agent ${beyond.agent} may not use ${beyond.toolName}, which a step of it calls.`,
      )
    const isLoose = tool.input.def.catchall?._zod.def.type === 'unknown'
    const unknown = Object.keys(rawInput).filter(
      (key) => !Object.hasOwn(tool.input.shape, key) && !(isLoose && key !== '__proto__'),
    )
    if (unknown.length > 0) {
      const keys = unknown.map((key) => JSON.stringify(key)).join(', ')
      return blocked('unknown_argument', `${toolName} takes no argument ${keys}. It was not run without it either.`)
    }
    const unfit = unfitInput(rawInput)
    if (unfit !== undefined) return invalid(tool, `the arguments are ${unfit}`)
    const read = readAs(tool.input, faithful(tool.input, rawInput))
    if (!read.ok) return invalid(tool, read.problem)
    const input = read.value as ToolInput
    const now = asker === undefined ? world() : { ...world(), sessionId: asker.sessionId ?? '' }
    const scopes = boundOf(people, asker, now)
    let effects: Effects
    try {
      effects = effectsOf(tool, input, now)
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const hidden = mistakeBeyond(scopes, input, now)
      return hidden === undefined
        ? { ...invalid(tool, error.message), isOfState: true }
        : { kind: 'blocked', verdict: hidden }
    }
    const seen = tool.prepare && previewed?.(toolName, input, asker)
    if (seen !== undefined && 'preview' in seen) effects = withRead(effects, seen.preview)
    const [{ target } = noEffect] = effects
    const call = {
      toolName,
      baseTier: tool.tier,
      input,
      ...(attached ? { listed: attached.listed } : { choices: listedIn(inputSchemaOf(tool)) }),
      isCommon: (word: string) => vocabulary().has(word),
      ...(sources && { sources: () => withOrigins(sources(), catalog) }),
    }
    const own = decide(call, effects, now)
    const inner = stoodFor(tool, input)
    // What the operator's policy says of that tool holds however it is called. Taint looks at what the asker wrote: the
    // arguments of the other call were recorded by JARVIS, and may well be what a list of its snapshots shows.
    const barringInner = inner && barred(inner.tool)
    if (inner !== undefined && barringInner !== undefined)
      return blocked('agent_tools', `The agent ${barringInner} may not use ${inner.toolName}, which this comes to.`)
    const innerVerdict = inner && decide(inner, effects, now)
    const judged = innerVerdict === undefined ? own : signedAs(stricter(own, innerVerdict), [own, innerVerdict])
    const verdict = above(judged, strictestBase(tool, inner)) ?? judged
    const refused = refusalBy(scopes, tool, input, effects, judged, now)
    if (refused !== undefined) return { kind: 'blocked', verdict: refused }
    if (verdict.tier === 'black') return { kind: 'blocked', verdict, effects, target }
    if (seen !== undefined && 'problem' in seen) return { ...invalid(tool, seen.problem), isPreviewed: true }
    const { preview } = seen ?? {}
    const led = preview?.leads === undefined ? undefined : judgeLed(judge, preview.leads, sources, asker)
    if (led?.kind === 'blocked')
      return { kind: 'blocked', verdict: { ...led.verdict, reason: led.reason }, effects, target, isPreviewed: true }
    if (led?.kind === 'invalid') return { ...invalid(tool, led.message), isPreviewed: true }
    const strictest =
      led === undefined || preview?.leads === undefined ? verdict : strictestOf(verdict, led.calls, preview.leads)
    const whole = signedAs(strictest, [strictest, ...(led?.calls ?? [])])
    const over = above(whole, tool.tier)
    if (over !== undefined) return { kind: 'blocked', verdict: over, effects, target, isPreviewed: true }
    // What a call leads to is judged by itself, and what an attached server does is not known.
    const grantScopes = led === undefined && attached === undefined ? scopesOf(call, effects, now, whole) : []
    let hash: string | undefined
    return {
      grantScopes,
      ...(preview && { preview }),
      ...(led && { led: led.calls }),
      ...(tool.remembers && { repeatsOthers: () => repeatsOthers(call) }),
      kind: 'ready',
      verdict: whole,
      tool,
      input,
      effects,
      target,
      // Of a read nobody asks for it.
      get hash() {
        hash ??= bindingHash({ toolName, input, target, ...(preview?.basis && { basis: preview.basis }) })
        return hash
      },
    }
  }
  return judge

  /** The tool that was probably meant, among those that the asker may use. It is named, and never called instead. */
  function meant(toolName: string, barred: (tool: Tool) => string | undefined, isLent: boolean): string {
    const usable = catalog
      .list()
      .filter((tool) => (tool.attached === undefined || isLent) && barred(tool) === undefined)
    const name = meantName(
      toolName,
      usable.map((tool) => tool.name),
    )
    return name === undefined ? '' : ` Did you mean ${name}? Call it by exactly this name.`
  }

  /** A tool that a plan's step or check would call, and an agent may not use; some of those run while the plan is made. */
  function beyondAgents({ leadsTo }: Tool, input: ToolInput, barred: (tool: Tool) => string | undefined) {
    for (const toolName of leadsTo?.(input) ?? []) {
      const other = catalog.get(toolName)
      const agent = other && barred(other)
      if (agent !== undefined) return { agent, toolName }
    }
    return undefined
  }
}

/** The effects with what was read of the marks that the guest gets. */
const withRead = (effects: Effects, { becomes }: Preview): Effects =>
  becomes === undefined
    ? effects
    : effects.map((effect) => (effect.becomes === undefined ? effect : { ...effect, becomes }))

/** The call that is run in place of this one; it has been found already, when the effects were. */
function stoodFor(
  tool: Tool,
  input: ToolInput,
): (Pick<Parameters<typeof decide>[0], 'toolName' | 'baseTier' | 'input'> & { tool: StandIn }) | undefined {
  const inner = tool.standsFor?.(input as never)
  return inner && { toolName: inner.tool.name, baseTier: inner.tool.tier, input: inner.input, tool: inner.tool }
}

/** A card is signed where any of the calls that it stands for is. */
const signedAs = (verdict: Verdict, all: readonly (Verdict | Led)[]): Verdict =>
  verdict.tier === 'red' && all.some((one) => ('verdict' in one ? one.verdict : one).proof !== undefined)
    ? { ...verdict, proof: 'passkey' }
    : verdict

const strictestBase = (tool: Tool, inner: { baseTier: Tier } | undefined): Tier =>
  inner !== undefined && tiers.indexOf(inner.baseTier) > tiers.indexOf(tool.tier) ? inner.baseTier : tool.tier

const stricter = (own: Verdict, inner: Verdict): Verdict =>
  tiers.indexOf(inner.tier) > tiers.indexOf(own.tier) ? inner : own

const blocked = (rule: string, reason: string): Judgement => ({
  kind: 'blocked',
  verdict: { tier: 'black', rule, reason },
})

const invalid = (tool: Tool, message: string): Extract<Judgement, { kind: 'invalid' }> => ({
  kind: 'invalid',
  verdict: { tier: tool.tier, rule: 'invalid_arguments', reason: message },
  message,
})

const noEffect = { target: noTarget }

/** The words in which JARVIS itself speaks of what it does: those of its tools' names, descriptions and arguments. */
function vocabularyOf(tools: readonly Tool[]): ReadonlySet<string> {
  const own = tools.filter(({ attached }) => attached === undefined)
  const texts = own.flatMap((tool) => [tool.name, tool.title, tool.description, ...textsIn(inputSchemaOf(tool))])
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z]+/g) ?? []))
}

/** What a result is made of says its tool. What repeats another result taints as that one does, so it is left out. */
function withOrigins({ results, prompt, ...rest }: Sources, catalog: Catalog): Sources {
  const known = new Set(results.map(({ toolUseId }) => toolUseId))
  const first = results.filter(({ toolName, asked = {} }) => {
    const original = catalog.get(toolName)?.rereads?.(asked as never)
    return original === undefined || !known.has(original)
  })
  const approved: Source[] = []
  const told = first.flatMap(({ saidIfRecalled, listed, ...result }) => {
    const tool = catalog.get(result.toolName)
    if (tool?.isApprovedText) {
      approved.push({ ...result, toolName: promptSource })
      return []
    }
    return {
      ...result,
      ...(tool?.isComposed && { isComposed: true }),
      ...(tool?.namesNoChange && { namesNoChange: true }),
      ...(tool?.lists && listed && { listed }),
      ...(tool?.givesAddresses && { givesAddresses: true }),
      ...(tool?.recalls && saidIfRecalled !== undefined && { said: saidIfRecalled }),
    }
  })
  return { results: told, ...rest, ...(prompt && { prompt: [...prompt, ...approved] }) }
}

/** What a call does, for those who judge nothing; empty where that cannot be told. */
export const createEffectsOf =
  (catalog: Catalog, world: () => World) =>
  (toolName: string, input: ToolInput): Effects => {
    const tool = catalog.get(toolName)
    try {
      return tool === undefined ? [] : effectsOf(tool, faithful(tool.input, input), world())
    } catch {
      return []
    }
  }

/** What only one call at a time may change, of those that this one changes. */
export const locksOf = (effects: Effects): string[] =>
  effects.flatMap(({ kind, on, target: { kind: thing, id } }) =>
    kind === 'read' || kind === 'execute' || (thing === 'none' && on !== 'path' && on !== 'container') ? [] : [id],
  )

/** What the first of them comes to that comes to anything. */
function firstOf<T, R>(all: readonly T[], of: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = of(one)
    if (found !== undefined) return found
  }
  return undefined
}
