import { hashOf } from 'node-kit/canonical'
import { askerOf, missing, type Ready, type Walk } from '../call.ts'
import { replacing, standingOf } from '../confirmations/drift.ts'
import type { Judgement } from '../judge.ts'
import type { Step } from '../states.ts'
import { notBegun, type StepParts } from './parts.ts'

/** A verdict younger than this counts as current for a change that waited for nothing. */
const justJudgedMs = 250

/**
 * @param follow the step that a verdict leads to
 * @returns a function that waits for a call's turn, and then compares the call with what was judged or approved
 */
export function createTurn(parts: StepParts, follow: (walk: Walk, judgement: Judgement) => Step) {
  const { ways, judge, lookAgain, proof } = parts
  const judgeNow = ({ call, context }: Walk) => judge(call.toolName, call.toolInput, context.sources, askerOf(context))

  /**
   * Waits for the earlier changes to the same guest, and then reads the cluster again.
   * @returns why the call must not run; undefined where it may
   */
  async function comesItsTurn(walk: Walk): Promise<string | undefined> {
    const { call, context, state, asked, ready } = walk
    const { target } = (state === 'approved' ? asked?.card : ready) ?? missing()
    if (context.before !== undefined) await context.before
    const looking = context.signal.aborted
      ? undefined
      : lookAgain(call, target, context.before === undefined ? justJudgedMs : 0, askerOf(context))
    try {
      await looking
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `What is so now could not be read, so nothing was run. ${why}`
    }
    walk.isLater = context.before !== undefined || looking !== undefined
    return context.signal.aborted ? notBegun : undefined
  }

  /** A call that needs no person runs by its verdict, or is judged again. */
  function dueTurn(walk: Walk): Step {
    const { ready = missing(), context, isLater } = walk
    const current = isLater ? judgeNow(walk) : ready
    if (context.isRehearsal() || !isSame(ready, current)) return follow(walk, current)
    const step = ways.tryTake(walk, { type: 'same' })
    walk.reservation?.release()
    // The grant has ended since.
    return step ?? follow(walk, ready)
  }

  /** An approved call runs, or gets a new card when it differs from the one shown. */
  function approvedTurn(walk: Walk): Step {
    const { asked = missing(), context, isTakenUp } = walk
    const standing = standingOf(asked.card, judgeNow(walk))
    const hash = isTakenUp ? proof.approvedHash(asked.card.toolUseId) : undefined
    const isProven = !isTakenUp || (standing.kind === 'stands' && hash === standing.ready.hash)
    const unsigned =
      standing.kind === 'stands' && standing.ready.verdict.proof !== undefined
        ? parts.decisions.problem(asked.card.toolUseId, standing.ready.hash, asked.card.approvals?.needed)
        : undefined
    const unproven = !isProven
      ? replacing('The journal has no approval of this card, so it does not count.')
      : unsigned === undefined
        ? undefined
        : replacing(`This must be signed. ${unsigned}`)
    const isShort = unproven === undefined && !parts.confirmations.isWhole(asked)
    const again = isShort ? replacing('Somebody who approved it may not do so any more.') : unproven
    return ways.take(walk, { type: 'turn', standing, unproven: again, isRehearsal: context.isRehearsal() })
  }

  return async (walk: Walk): Promise<Step> => {
    const message = await comesItsTurn(walk)
    if (message !== undefined) return ways.take(walk, { type: 'held', message })
    return walk.state === 'approved' ? approvedTurn(walk) : dueTurn(walk)
  }
}

const askedOf = ({ verdict: { approve, proof } }: Pick<Ready, 'verdict'>) => ({ approve, proof })

/** Whether the call's verdict and target are the same after it waited for its turn. */
const isSame = (ready: Ready, current: Judgement) =>
  current === ready ||
  (current.kind === 'ready' &&
    current.hash === ready.hash &&
    current.target.name === ready.target.name &&
    current.target.madeAt === ready.target.madeAt &&
    current.target.identity?.id === ready.target.identity?.id &&
    current.verdict.tier === ready.verdict.tier &&
    current.verdict.rule === ready.verdict.rule &&
    // policy.yaml may want several people or a signature since.
    hashOf(askedOf(current)) === hashOf(askedOf(ready)) &&
    // A root that policy.yaml moved meanwhile is another folder.
    current.grantScopes[0]?.at === ready.grantScopes[0]?.at)
