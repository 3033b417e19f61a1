import type { Principal, Target, ToolInput, Verdict } from 'protocol'
import type { Effect, Scope, Sources } from '../gate/index.ts'
import type { Preview, Tool } from '../tools/tool.ts'

/** The effects of a call. A card shows the target of the first. */
export type Effects = readonly Effect[]

/** The result of judging a call. Only `ready` calls can ever reach `tool.run`. */
export type Judgement =
  | {
      kind: 'ready'
      verdict: Verdict
      tool: Tool
      input: ToolInput
      effects: Effects
      target: Target
      hash: string
      /** The state that the tool read for this call; absent when its tool reads nothing, or has not read it yet. */
      preview?: Preview | undefined
      /** The calls that this call leads to, in their order. */
      led?: readonly Led[] | undefined
      /** Returns whether the tool would keep words that may be strangers'; absent for a tool that does not remember. */
      repeatsOthers?(): boolean
      /** The folders or the site for which a person may have allowed such calls, the narrowest first. */
      grantScopes: readonly Scope[]
    }
  /**
   * The call never runs: `verdict.tier` is black. `effects` and `target` are absent when they were not computed. `isPreviewed`: one of the
   * calls that it leads to is refused.
   */
  | { kind: 'blocked'; verdict: Verdict; effects?: Effects; target?: Target; isPreviewed?: true }
  /**
   * A mistake that the caller can correct; `message` names the field. `verdict.tier` is the tool's base tier.
   * `isPreviewed`: the mistake was found in a fresh read of the cluster, and may be corrected there. `isOfState`: it was found in the known
   * state of the cluster, which may be some seconds old.
   */
  | { kind: 'invalid'; verdict: Verdict; message: string; isPreviewed?: true; isOfState?: true }

/** A call that the gate lets through, at once or after a decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>

/** A call that another call leads to, judged as if the principal made it alone. */
export type Led = Ready & { number: number }

/** The principal by whose rights a call is judged. */
export type Asker = Pick<Principal, 'kind' | 'token' | 'agent' | 'for' | 'person'> & {
  /** A role in place of the person's own, to try out what would happen. */
  asRole?: string
  /** The session that the call belongs to. */
  sessionId?: string
}

/**
 * Judges a call.
 * @param sources returns the texts that the asker had read; called only if the call would change something
 * @param asker absent: may call all tools
 */
export type Judge = (toolName: string, input: ToolInput, sources?: () => Sources, asker?: Asker) => Judgement

/** Judges a call, and reads from the cluster first if the verdict depends on it. */
export type SeeingJudge = (...call: Parameters<Judge>) => Judgement | Promise<Judgement>
