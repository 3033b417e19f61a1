import type { Decision } from 'protocol'
import type { Replacing, Standing } from './confirmations/drift.ts'
import type { Judgement, Ready } from './judgement.ts'
import type { Outcome, Resolution } from './ports.ts'
import type { Came } from './run-tool.ts'

/**
 * The states of a call. `due`: no person must decide, or a grant covers the call; it is claimed in its turn. `asked`: a card waits for a decision.
 * `approved`: a person approved the call; it is claimed in its turn. `reading`: a call that only reads runs. `running`: claimed. `lost`: claimed,
 * and no answer came. `ends`: the final states. The outcome of an `unknown` call can still be found out.
 */
export const states = ['new', 'due', 'asked', 'approved', 'reading', 'running', 'lost'] as const
export const ends = ['settled', 'unknown', 'denied', 'withdrawn', 'expired'] as const
export type State = (typeof states)[number] | (typeof ends)[number]

type Decided = { resolution: Resolution; besides?(): void }
type Drifted = Exclude<Standing, { kind: 'stands' }>
type Finding = { sessionId: string; runId: string; outcome: Outcome; text: string }

export type Event =
  /** The gate has judged the call. `denied`: an operator denied the same call before. `isGranted`: a use of a grant is reserved. */
  | { type: 'judged'; judgement: Judgement; isRehearsal: boolean; denied?: string | undefined; isGranted?: boolean }
  /** The call must not run: somebody stopped it, a limit holds it back, or its target could not be read. */
  | { type: 'held'; message: string; judged?: Judgement }
  /** A due call has its turn, and its verdict is still the same. */
  | { type: 'same' }
  /**
   * A person approved the card. `standing` undefined: no call waits for the card, so the card was not compared with a verdict. `isNext`: no other
   * call must run first.
   */
  | ({ type: 'approve'; standing?: Standing | undefined; isNext: boolean } & Decided)
  | ({ type: 'drift'; standing: Drifted } & Decided)
  | ({ type: 'deny' | 'expire' | 'withdraw' } & Decided)
  /** An approved call has its turn. `unproven`: its approval does not count, for example because the journal lacks it, so a new card asks. */
  | { type: 'turn'; standing: Standing; unproven?: Replacing | undefined; isRehearsal: boolean }
  | { type: 'answered' | 'found'; done: Came }
  /** A change was requested, and no answer came. */
  | { type: 'lost' }
  /** The run is resumed from the stores after a restart. */
  | { type: 'resumed' }
  /** A person asked about a call with unknown outcome, and the cluster was searched for it. */
  | { type: 'checked'; finding: Finding }

/** A write that belongs to a step. `told`: adds to the transcript a decision that was made while no run waited. */
export type Write =
  | ({ write: 'decision' } & Decided)
  | { write: 'told' | 'claim' | 'rehearsal' }
  | { write: 'card'; replacing?: Replacing | undefined }
  | { write: 'refusal'; judged?: Judgement | undefined; message?: string; rule?: string }
  | { write: 'result'; done: Came }
  | { write: 'finding'; finding: Finding }

/** The step to a new state. `writes`: done in this order, in one transaction. `then`: the work after the commit, whose result is the next event. */
export type Step = {
  state: State
  writes: readonly Write[]
  then?: 'wait' | 'turn' | 'read' | 'run' | 'look'
  /** The verdict with which the call continues. */
  ready?: Ready
}

type Table = { [S in State]: { [E in Event['type']]?: (event: Extract<Event, { type: E }>) => Step } }

const settled = (...writes: Write[]): Step => ({ state: 'settled', writes })
const asked = (ready: Ready, replacing?: Replacing, ...writes: Write[]): Step => ({
  state: 'asked',
  writes: [...writes, { write: 'card', replacing }],
  then: 'wait',
  ready,
})
const reading = (ready: Ready): Step => ({ state: 'reading', writes: [], then: 'read', ready })
const rehearsed = (ready: Ready): Step => ({ ...settled({ write: 'rehearsal' }), ready })
const running = (ready?: Ready, ...writes: Write[]): Step => ({
  state: 'running',
  writes: [...writes, { write: 'claim' }],
  then: 'run',
  ready,
})
const decision = ({ resolution, besides }: Decided): Write => ({
  write: 'decision',
  resolution,
  besides,
})
const decided =
  (state: 'denied' | 'expired' | 'withdrawn') =>
  (event: Decided): Step => ({ state, writes: [decision(event)] })
const held = ({ message, judged }: Extract<Event, { type: 'held' }>) => settled({ write: 'refusal', message, judged })
const lost = (): Step => ({ state: 'lost', writes: [], then: 'look' })
const ended = ({ done }: { done: Came }): Step => ({
  state: done.outcome === 'unknown' ? 'unknown' : 'settled',
  writes: [{ write: 'result', done }],
})
const told = (state: State) => ({ resumed: (): Step => ({ state, writes: [{ write: 'told' }] }) })

function judged({ judgement, isRehearsal, denied, isGranted }: Extract<Event, { type: 'judged' }>): Step {
  if (judgement.kind !== 'ready') return settled({ write: 'refusal', judged: judgement })
  const { tier } = judgement.verdict
  if (tier === 'green') return reading(judgement)
  if (isRehearsal) return rehearsed(judgement)
  if (denied !== undefined)
    return settled({ write: 'refusal', judged: judgement, message: denied, rule: 'denied_before' })
  return tier === 'yellow' || isGranted
    ? { state: 'due', writes: [], then: 'turn', ready: judgement }
    : asked(judgement)
}

/** If the call has changed, a new card replaces its card; otherwise the call is refused. */
const drifted = (standing: Drifted, ...writes: Write[]): Step =>
  standing.kind === 'changed'
    ? asked(standing.ready, standing, ...writes)
    : settled(...writes, { write: 'refusal', judged: standing.judgement })

const table: Table = {
  new: { judged, held },
  due: { same: () => running(), judged, held },
  asked: {
    resumed: () => ({ state: 'asked', writes: [], then: 'wait' }),
    approve({ standing, isNext, ...event }) {
      if (standing !== undefined && standing.kind !== 'stands') return drifted(standing, decision(event))
      const isClaimed = standing !== undefined && isNext && standing.ready.verdict.tier !== 'green'
      if (isClaimed) return running(standing.ready, decision(event))
      return { state: 'approved', writes: [decision(event)], then: 'turn' }
    },
    drift: ({ standing, ...event }) => drifted(standing, decision(event)),
    deny: decided('denied'),
    expire: decided('expired'),
    withdraw: decided('withdrawn'),
  },
  approved: {
    resumed: () => ({ state: 'approved', writes: [], then: 'turn' }),
    turn({ standing, unproven, isRehearsal }) {
      if (standing.kind !== 'stands') return drifted(standing)
      const { ready } = standing
      const { tier } = ready.verdict
      if (unproven !== undefined && tier === 'red') return asked(ready, unproven)
      if (tier === 'green') return reading(ready)
      return isRehearsal ? rehearsed(ready) : running(ready)
    },
    held,
  },
  reading: { answered: ended },
  running: { answered: ended, lost, resumed: lost },
  lost: { found: ended },
  unknown: {
    checked: ({ finding }) =>
      finding.outcome === 'unknown' ? { state: 'unknown', writes: [] } : settled({ write: 'finding', finding }),
  },
  settled: {},
  denied: told('denied'),
  withdrawn: told('withdrawn'),
  expired: told('expired'),
}

/**
 * Returns the step to which an event leads from a state: the new state, the writes, and the work after them. Pure.
 * @returns undefined if the event comes too late or too early; then nothing must be written or done
 */
export function next(state: State, event: Event): Step | undefined {
  const cell = table[state][event.type] as ((event: Event) => Step) | undefined
  return cell?.(event)
}

/** Returns the state of a call by the decision on its newest card; undefined: not decided yet. */
export const stateOf = (decision: Decision | undefined): State =>
  decision === undefined ? 'asked' : decision === 'cancelled' ? 'withdrawn' : decision
