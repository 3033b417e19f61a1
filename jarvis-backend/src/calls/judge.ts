import { isDeepStrictEqual } from 'node:util'
import type { Cluster } from 'homelab-ports/ports'
import { readAs, type Tier, type ToolInput, tiers, type Verdict } from 'protocol'
import { rightsOf } from '../agent/principal.ts'
import { type Agent, type Agents, aboveCeiling, agentIdOf, mayUse } from '../agents/agent.ts'
import { onlyMain } from '../agents/registry.ts'
import { noTarget } from '../gate/effect.ts'
import {
  bindingHash,
  type Call,
  decide,
  effectsOf,
  Mistake,
  promptSource,
  repeatsOthers,
  type Source,
  type Sources,
  scopesOf,
  type World,
} from '../gate/index.ts'
import { taintRule } from '../gate/policy/profile.ts'
import { unfitInput } from '../lib/depth.ts'
import { listedIn } from '../lib/listed-in.ts'
import { meantName } from '../lib/meant-name.ts'
import { onceFor } from '../lib/once-for.ts'
import { textsIn } from '../lib/texts-in.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Preview, StandIn, Tool } from '../tools/tool.ts'
import { faithful } from './faithful.ts'
import type { AskedBy, Asker, Effects, Judge, Judgement, Led, SeeingJudge } from './judgement.ts'
import { judgeLed, strictestOf } from './led.ts'
import { onlyOwner, type People } from './people.ts'
import type { Previewed, Previews } from './previews.ts'
import type { Units } from './seen-units.ts'
import { type Bound, boundOf, mistakeBeyond, refusalBy } from './within-role.ts'

export type SeeingParts = {
  judge: Judge
  units: Pick<Units, 'look'>
  previews: Pick<Previews, 'look'>
  /**
   * Reads the cluster again if the known state would make a call invalid, or if the status of the call's guest is unknown. Also reads the guest of a
   * call that asks a person: somebody may have moved it since the last read, and the card would show the old node.
   */
  readAfresh?: Cluster['readAfresh'] | undefined
}

/**
 * Makes a judge that reads from the cluster first if the verdict depends on the cluster's state. Asks no node about a call that is refused anyway: a
 * protected node gets no request.
 */
export function createSeeingJudge({ judge, units, previews, readAfresh }: SeeingParts): SeeingJudge {
  const seeing: SeeingJudge = (...call) => {
    const first = judge(...call)
    const previewing =
      first.kind === 'ready' || first.isPreviewed
        ? previews.look(call[0], call[1], { whose: call[2]?.asker })
        : undefined
    // If the preview could not be read, the judgement contains the reason.
    if (previewing !== undefined) return previewing.catch(() => {}).then(() => judge(...call))
    // Taint refuses a call that would otherwise ask a person. If the node reports that the service is harmless, the call asks after all.
    const isOpen = first.kind === 'ready' || (first.kind === 'blocked' && first.verdict.rule === taintRule)
    const looking = isOpen ? units.look(first.effects ?? []) : undefined
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

/** A principal that wants the verdict on a call without making it. `isReading`: the principal has only read rights and could not ask for a change. */
export type Questioner = Asker & { isReading?: true }

/** Returns the verdict that a call would get if the questioner made it. Runs nothing. */
export type TryingJudge = (toolName: string, input: ToolInput, asker: Questioner) => Promise<Judgement>

/**
 * Judges by the rights of the questioner. If the questioner could not ask for the call, nothing is read: tools do not prepare, nodes are not asked,
 * and previews made for others are not used.
 * @param bare a judge without previews
 */
export function createTryingJudge(seeing: SeeingJudge, bare: Judge, catalog: Pick<Catalog, 'get'>): TryingJudge {
  return async (toolName, input, { isReading, ...asker }) => {
    if (!isReading) return seeing(toolName, input, { asker })
    const judged = bare(toolName, input, { asker })
    if (judged.kind !== 'ready' || catalog.get(toolName)?.prepare === undefined) return judged
    const reason = `${judged.verdict.reason} Nothing was read for this answer, so the call itself may be judged more strictly.`
    return { ...judged, verdict: { ...judged.verdict, reason } }
  }
}

export type JudgeParts = {
  /** Returns the preview that a tool read earlier; absent for a judge without previews. */
  previewed?: Previews['seen'] | undefined
  agents?: Pick<Agents, 'find'> | undefined
  people?: Pick<People, 'find'> | undefined
}

/** Makes the one judge that chat, commands, MCP and REST all use. The judge runs no tool. */
export function createJudge(catalog: Catalog, world: () => World, parts: JudgeParts = {}): Judge {
  const judge = new CallJudge(catalog, world, parts)
  return (toolName, input, by) => judge.judge(toolName, input, by)
}

/** A call whose tool and arguments are known, with the agents and the role that limit it. */
type Asked = {
  tool: Tool
  input: ToolInput
  agents: readonly Agent[]
  bound: Bound
  world: World
  by: AskedBy
}

/** A call and the verdict on the call alone, before the calls that it leads to are judged. */
type OwnVerdict = { call: Call; effects: Effects; verdict: Verdict; preview: Preview | undefined }

class CallJudge {
  readonly #catalog: Catalog
  readonly #world: () => World
  readonly #previewed: Previews['seen'] | undefined
  readonly #agents: Pick<Agents, 'find'>
  readonly #people: Pick<People, 'find'>
  readonly #vocabulary: () => ReadonlySet<string>

  constructor(catalog: Catalog, world: () => World, { previewed, agents, people }: JudgeParts) {
    this.#catalog = catalog
    this.#world = world
    this.#previewed = previewed
    this.#agents = agents ?? onlyMain()
    this.#people = people ?? onlyOwner
    this.#vocabulary = onceFor(() => catalog.list(), vocabularyOf)
  }

  judge(toolName: string, rawInput: ToolInput, by: AskedBy = {}): Judgement {
    const { asker } = by
    const agents = this.#agentsOf(asker)
    if (isJudgement(agents)) return agents
    const tool = this.#toolOf(toolName, rawInput, { agents, asker })
    if (isJudgement(tool)) return tool
    const input = inputOf(tool, rawInput)
    if (isJudgement(input)) return input
    const world = asker === undefined ? this.#world() : { ...this.#world(), sessionId: asker.sessionId ?? '' }
    const bound = boundOf(this.#people, asker, world)
    return this.#judgeEffects({ tool, input: input.value, agents, bound, world, by })
  }

  /** Returns the agents whose rights limit the call. A child run may do only what both agents may, so that no agent gains rights by delegating. */
  #agentsOf(asker: Asker | undefined): readonly Agent[] | Judgement {
    const ids = [...new Set([agentIdOf(asker ?? {}), asker?.for ?? agentIdOf(asker ?? {})])]
    const agents = ids.flatMap((id) => this.#agents.find(id) ?? [])
    return agents.length < ids.length
      ? blocked('agent_gone', `The agent ${ids.join(' or ')} is gone, and nobody else's rights serve its calls.`)
      : agents
  }

  /** Returns the tool of this name, if the asker may use the tool and every tool that it leads to. */
  #toolOf(
    toolName: string,
    rawInput: ToolInput,
    { agents, asker }: { agents: readonly Agent[]; asker: Asker | undefined },
  ): Tool | Judgement {
    const tool = this.#catalog.get(toolName)
    const isLent = asker === undefined || rightsOf(asker).mayUseAttached
    if (tool === undefined || (tool.attached !== undefined && !isLent))
      return blocked(
        'unknown_tool',
        `There is no tool ${JSON.stringify(toolName)}.${this.#meant(toolName, agents, isLent)}`,
      )
    const barring = barredBy(agents, tool)
    if (barring !== undefined) return blocked('agent_tools', `The agent ${barring} may not use ${toolName}.`)
    // Check the tools of a plan already here, because some of them run while the plan is made.
    for (const led of tool.leadsTo?.(rawInput) ?? []) {
      const other = this.#catalog.get(led)
      const agent = other && barredBy(agents, other)
      if (agent !== undefined)
        return blocked('agent_tools', `The agent ${agent} may not use ${led}, which a step of it calls.`)
    }
    return tool
  }

  /** Suggests the tool that was probably meant, among the tools that the asker may use. The message only names the tool; JARVIS does not call it. */
  #meant(toolName: string, agents: readonly Agent[], isLent: boolean): string {
    const usable = this.#catalog
      .list()
      .filter((tool) => (tool.attached === undefined || isLent) && barredBy(agents, tool) === undefined)
    const name = meantName(
      toolName,
      usable.map((tool) => tool.name),
    )
    return name === undefined ? '' : ` Did you mean ${name}? Call it by exactly this name.`
  }

  #judgeEffects(asked: Asked): Judgement {
    const { tool, input, bound, world, by } = asked
    let declared: Effects
    try {
      declared = effectsOf(tool, input, world)
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const hidden = mistakeBeyond(bound, input, world)
      return hidden === undefined
        ? { ...invalid(tool, error.message), isOfState: true }
        : { kind: 'blocked', verdict: hidden }
    }
    const seen = tool.prepare && this.#previewed?.(tool.name, input, by.asker)
    return this.#judgeOwn(
      asked,
      seen !== undefined && 'preview' in seen ? withRead(declared, seen.preview) : declared,
      seen,
    )
  }

  /** Judges the call alone: by the policy, the agents' ceilings and the person's role. */
  #judgeOwn(asked: Asked, effects: Effects, seen: Previewed | undefined): Judgement {
    const { tool, input, agents, bound, world } = asked
    const [{ target } = noEffect] = effects
    const call = this.#callOf(asked)
    const own = decide(call, effects, world)
    const inner = stoodFor(tool, input)
    // The operator's policy for the inner tool applies even if another tool calls it. The taint check looks only at the asker's own words: JARVIS
    // recorded the arguments of the inner call, and a list of its snapshots may well show them.
    const barring = inner && barredBy(agents, inner.tool)
    if (inner !== undefined && barring !== undefined)
      return blocked('agent_tools', `The agent ${barring} may not use ${inner.toolName}, which this comes to.`)
    const innerVerdict = inner && decide(inner, effects, world)
    const judged = innerVerdict === undefined ? own : signedAs(stricter(own, innerVerdict), [own, innerVerdict])
    const verdict = aboveCeilings(agents, judged, strictestBase(tool, inner)) ?? judged
    const refused = refusalBy(bound, { tool, input, effects, judged }, world)
    if (refused !== undefined) return { kind: 'blocked', verdict: refused }
    if (verdict.tier === 'black') return { kind: 'blocked', verdict, effects, target }
    if (seen !== undefined && 'problem' in seen) return { ...invalid(tool, seen.problem), isPreviewed: true }
    return this.#judgeLed(asked, { call, effects, verdict, preview: seen?.preview })
  }

  /** Judges the calls that this call leads to. The strictest of all verdicts counts. */
  #judgeLed(asked: Asked, { call, effects, verdict, preview }: OwnVerdict): Judgement {
    const { tool, input, agents, world, by } = asked
    const toolName = tool.name
    const [{ target } = noEffect] = effects
    const led =
      preview?.leads === undefined ? undefined : judgeLed((...other) => this.judge(...other), preview.leads, by)
    if (led?.kind === 'blocked')
      return { kind: 'blocked', verdict: { ...led.verdict, reason: led.reason }, effects, target, isPreviewed: true }
    if (led?.kind === 'invalid') return { ...invalid(tool, led.message), isPreviewed: true }
    const strictest =
      led === undefined || preview?.leads === undefined ? verdict : strictestOf(verdict, led.calls, preview.leads)
    const whole = signedAs(strictest, [strictest, ...(led?.calls ?? [])])
    const over = aboveCeilings(agents, whole, tool.tier)
    if (over !== undefined) return { kind: 'blocked', verdict: over, effects, target, isPreviewed: true }
    // No scopes in two cases: the calls that a call leads to are judged separately, and the effects of an attached server's tool are not known.
    const grantScopes =
      led === undefined && tool.attached === undefined ? scopesOf(call, { effects, verdict: whole }, world) : []
    let hash: string | undefined
    return {
      grantScopes,
      preview,
      led: led?.calls,
      repeatsOthers: tool.remembers ? () => repeatsOthers(call) : undefined,
      kind: 'ready',
      verdict: whole,
      tool,
      input,
      effects,
      target,
      // The hash is computed when it is first used, because a call that only reads never needs it.
      get hash() {
        hash ??= bindingHash({ toolName, input, target, ...(preview?.basis && { basis: preview.basis }) })
        return hash
      },
    }
  }

  /** Converts the call to the form that the gate judges. */
  #callOf({ tool, input, by: { sources } }: Asked): Call {
    return {
      toolName: tool.name,
      baseTier: tool.tier,
      input,
      ...(tool.attached ? { listed: tool.attached.listed } : { choices: listedIn(inputSchemaOf(tool)) }),
      isCommon: (word: string) => this.#vocabulary().has(word),
      sources: sources && (() => withOrigins(sources(), this.#catalog)),
    }
  }
}

const isJudgement = <T extends object>(found: T | Judgement): found is Judgement => 'verdict' in found

/** Returns the arguments as the tool's schema accepts them, or a verdict if the schema refuses them. */
function inputOf(tool: Tool, rawInput: ToolInput): { value: ToolInput } | Judgement {
  const isLoose = tool.input.def.catchall?._zod.def.type === 'unknown'
  const unknown = Object.keys(rawInput).filter(
    (key) => !Object.hasOwn(tool.input.shape, key) && !(isLoose && key !== '__proto__'),
  )
  if (unknown.length > 0) {
    const keys = unknown.map((key) => JSON.stringify(key)).join(', ')
    return blocked('unknown_argument', `${tool.name} takes no argument ${keys}. It was not run without it either.`)
  }
  const unfit = unfitInput(rawInput)
  if (unfit !== undefined) return invalid(tool, `the arguments are ${unfit}`)
  const read = readAs(tool.input, faithful(tool.input, rawInput))
  return read.ok ? { value: read.value as ToolInput } : invalid(tool, read.problem)
}

/** Returns the id of the first agent that may not use the tool; undefined if all may. */
const barredBy = (agents: readonly Agent[], tool: Parameters<typeof mayUse>[1]): string | undefined =>
  agents.find((agent) => !mayUse(agent, tool))?.id

/** Returns the refusal of a call whose verdict is above the ceiling of one of the agents; undefined if it is not. */
const aboveCeilings = (agents: readonly Agent[], verdict: Verdict, base: Tier): Verdict | undefined =>
  firstOf(agents, (agent) => aboveCeiling(agent, verdict, base))

/** Returns the effects with the marks that the guest will have after the call, as the tool's preview read them. */
const withRead = (effects: Effects, { becomes }: Preview): Effects =>
  becomes === undefined
    ? effects
    : effects.map((effect) => (effect.becomes === undefined ? effect : { ...effect, becomes }))

/**
 * Returns the call that runs in place of this one; undefined if none does. `standsFor` does not fail here: the effects were computed from that call
 * before, so the call exists.
 */
function stoodFor(
  tool: Tool,
  input: ToolInput,
): (Pick<Parameters<typeof decide>[0], 'toolName' | 'baseTier' | 'input'> & { tool: StandIn }) | undefined {
  const inner = tool.standsFor?.(input as never)
  return inner && { toolName: inner.tool.name, baseTier: inner.tool.tier, input: inner.input, tool: inner.tool }
}

/** Makes a red verdict require a signature if any of the calls behind the card requires one. */
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

/** Returns JARVIS's own vocabulary: all words in the names, titles, descriptions and arguments of its own tools. */
function vocabularyOf(tools: readonly Tool[]): ReadonlySet<string> {
  const own = tools.filter(({ attached }) => attached === undefined)
  const texts = own.flatMap((tool) => [tool.name, tool.title, tool.description, ...textsIn(inputSchemaOf(tool))])
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z]+/g) ?? []))
}

/**
 * Adds to each result the properties of its tool that the taint check needs. Leaves out a result that only repeats an earlier one, because the
 * earlier one already counts for the check.
 */
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

/** Returns the effects of a call; empty if they cannot be computed. */
export type EffectsOf = (toolName: string, input: ToolInput) => Effects

/** Makes a function that returns the effects of a call without judging it; empty if they cannot be computed. */
export const createEffectsOf =
  (catalog: Catalog, world: () => World): EffectsOf =>
  (toolName, input) => {
    const tool = catalog.get(toolName)
    try {
      return tool === undefined ? [] : effectsOf(tool, faithful(tool.input, input), world())
    } catch {
      return []
    }
  }

/** The locks that a call needs: calls that share a lock run one after the other. */
export const locksOf = (effects: Effects): string[] =>
  effects.flatMap(({ kind, on, target: { kind: thing, id } }) =>
    kind === 'read' || kind === 'execute' || (thing === 'none' && on !== 'path' && on !== 'container') ? [] : [id],
  )

/** Returns the first result that is not undefined. */
function firstOf<T, R>(all: readonly T[], of: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = of(one)
    if (found !== undefined) return found
  }
  return undefined
}
