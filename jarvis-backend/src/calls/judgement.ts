import type { Principal, Target, ToolInput, Verdict } from 'protocol'
import type { Effect, Scope, Sources } from '../gate/index.ts'
import type { Preview, Tool } from '../tools/tool.ts'

/** The effects of a call. A card shows the target of the first effect. */
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
      /** The state that the tool read for this call; absent if the tool reads none, or has not read it yet. */
      preview?: Preview | undefined
      /** The calls that this call leads to, in their order. */
      led?: readonly Led[] | undefined
      /** Returns true if the tool would store words that may come from strangers; absent for a tool that does not store memories. */
      repeatsOthers?: (() => boolean) | undefined
      /** The folders or the website for which a person may have granted such calls, the narrowest first. */
      grantScopes: readonly Scope[]
    }
  /**
   * The call never runs: `verdict.tier` is black. `effects` and `target` are absent if they were not computed. `isPreviewed`: one of the calls that
   * this call leads to is refused.
   */
  | { kind: 'blocked'; verdict: Verdict; effects?: Effects; target?: Target; isPreviewed?: true }
  /**
   * The call has a mistake that the caller can correct; `message` names the field. `verdict.tier` is the tool's base tier. `isPreviewed`: the
   * mistake was found in a fresh read of the cluster; a change in the cluster may remove it. `isOfState`: the mistake was found in the known state
   * of the cluster, which may be some seconds old.
   */
  | { kind: 'invalid'; verdict: Verdict; message: string; isPreviewed?: true; isOfState?: true }

/** A call that the gate allows, at once or after a person's decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>

/** A call that another call leads to, judged as if the principal made it alone. `number`: its step. */
export type Led = Ready & { number: number }

/** The principal whose rights limit a call. */
export type Asker = Pick<Principal, 'kind' | 'token' | 'agent' | 'for' | 'person'> & {
  /** A role that replaces the person's own, to try out its effect. */
  asRole?: string
  /** The session that the call belongs to. */
  sessionId?: string
}

/** The asker of a call, and the texts that the asker had read. */
export type AskedBy = {
  /** Absent: all tools are allowed. */
  asker?: Asker | undefined
  /** Called only if the call would change something. Absent: nothing was read. */
  sources?: (() => Sources) | undefined
}

/** Judges a call. */
export type Judge = (toolName: string, input: ToolInput, by?: AskedBy) => Judgement

/** Judges a call, and reads from the cluster first if the verdict depends on it. */
export type SeeingJudge = (...call: Parameters<Judge>) => Judgement | Promise<Judgement>
