import { bindingHash, decide, resolveAttached, resolveTarget, type World } from '../gate/index.ts'
import { taintRule } from '../gate/policy/profile.ts'
import type { Sources } from '../gate/taint/taint.ts'
import { type Requester, readAs, type Target, type ToolInput, type Verdict } from '../protocol/index.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'
import type { Units } from './seen-units.ts'

/** What one call comes to before anything runs. Only `ready` calls can ever reach `tool.run`. */
export type Judgement =
  | { kind: 'ready'; verdict: Verdict; tool: Tool; input: ToolInput; target: Target; hash: string }
  /** Never: `verdict.tier` is black. Without a target where it was not looked for. */
  | { kind: 'blocked'; verdict: Verdict; target?: Target }
  /** A mistake of the caller's that it can mend; `message` names the field. `verdict.tier` is the tool's base tier. */
  | { kind: 'invalid'; verdict: Verdict; message: string }

/**
 * @param sources what the one who asks had read; asked for only where the call would change something
 * @param asker whoever asks through MCP has no attached tools: JARVIS lends nobody its way to other servers
 */
export type Judge = (
  toolName: string,
  input: ToolInput,
  sources?: () => Sources,
  asker?: Requester['kind'],
) => Judgement

/** As a judge, with the word of the node on the service that a call would change. */
export type SeeingJudge = (...call: Parameters<Judge>) => Judgement | Promise<Judgement>

/** Asks no node about a call that is refused whatever the node says: a protected one is left alone. */
export function createSeeingJudge(judge: Judge, look: Units['look']): SeeingJudge {
  return (...call) => {
    const first = judge(...call)
    // Taint refuses what asks, and allows to ask for what is known to be harmless.
    const isOpen = first.kind === 'ready' || (first.kind === 'blocked' && first.verdict.rule === taintRule)
    const looking = isOpen ? look(call[0], call[1]) : undefined
    return looking === undefined ? first : looking.then(() => judge(...call))
  }
}

/** The one place where a verdict is made: for chat, commands, MCP and REST alike. Runs nothing. */
export function createJudge(catalog: Catalog, world: () => World): Judge {
  return (toolName, rawInput, sources, asker) => {
    const tool = catalog.get(toolName)
    const { attached } = tool ?? {}
    if (tool === undefined || (attached !== undefined && asker === 'mcp'))
      return blocked('unknown_tool', `There is no tool ${JSON.stringify(toolName)}.`)
    const isLoose = tool.input.def.catchall?._zod.def.type === 'unknown'
    const unknown = Object.keys(rawInput).filter(
      (key) => !Object.hasOwn(tool.input.shape, key) && !(isLoose && key !== '__proto__'),
    )
    if (unknown.length > 0) {
      const keys = unknown.map((key) => JSON.stringify(key)).join(', ')
      return blocked('unknown_argument', `${toolName} takes no argument ${keys}. It was not run without it either.`)
    }
    const read = readAs(tool.input, rawInput)
    if (!read.ok) return invalid(tool, read.problem)
    const input = read.value as ToolInput
    const now = world()
    const resolved = attached === undefined ? resolveTarget(toolName, input, now) : resolveAttached(toolName, attached)
    if (!resolved.ok) return invalid(tool, resolved.message)
    const { target } = resolved
    const call = { toolName, baseTier: tool.tier, input, ...(attached && { listed: attached.listed }) }
    const verdict = decide({ ...call, ...(sources && { sources }) }, target, now)
    if (verdict.tier === 'black') return { kind: 'blocked', verdict, target }
    let hash: string | undefined
    return {
      kind: 'ready',
      verdict,
      tool,
      input,
      target,
      // Of a read nobody asks for it.
      get hash() {
        hash ??= bindingHash({ toolName, input, target })
        return hash
      },
    }
  }
}

const blocked = (rule: string, reason: string): Judgement => ({
  kind: 'blocked',
  verdict: { tier: 'black', rule, reason },
})

const invalid = (tool: Tool, message: string): Judgement => ({
  kind: 'invalid',
  verdict: { tier: tool.tier, rule: 'invalid_arguments', reason: message },
  message,
})
