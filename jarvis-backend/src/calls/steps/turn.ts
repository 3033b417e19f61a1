import { hashOf } from 'node-kit/canonical'
import { askedBy, askerOf, missing, type Walk } from '../call.ts'
import { replacing, standingOf } from '../confirmations/drift.ts'
import type { Judgement, Ready } from '../judgement.ts'
import type { Step } from '../states.ts'
import type { Judging } from './judge.ts'
import { notBegun, type StepParts } from './parts.ts'

/** Age up to which a verdict counts as current for a change that waited for nothing, ms. */
const justJudgedMs = 250

/** Waits for a call's turn, and then compares the call with the verdict or card that allows it. */
export class Turn {
  readonly #parts: StepParts
  readonly #judging: Pick<Judging, 'follow'>

  constructor(parts: StepParts, judging: Pick<Judging, 'follow'>) {
    this.#parts = parts
    this.#judging = judging
  }

  async take(walk: Walk): Promise<Step> {
    const message = await this.#wait(walk)
    if (message !== undefined) return this.#parts.ways.take(walk, { type: 'held', message })
    return walk.state === 'approved' ? this.#approved(walk) : this.#due(walk)
  }

  /**
   * Waits for the earlier changes to the same guest, and then reads the cluster again.
   * @returns why the call must not run; undefined if it may
   */
  async #wait(walk: Walk): Promise<string | undefined> {
    const { call, context, state, asked, ready } = walk
    const { target } = (state === 'approved' ? asked?.card : ready) ?? missing()
    if (context.before !== undefined) await context.before
    const looking = context.signal.aborted
      ? undefined
      : this.#parts.lookAgain(call, target, {
          maxAgeMs: context.before === undefined ? justJudgedMs : 0,
          whose: askerOf(context),
        })
    try {
      await looking
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `What is so now could not be read, so nothing was run. ${why}`
    }
    walk.isLater = context.before !== undefined || looking !== undefined
    return context.signal.aborted ? notBegun : undefined
  }

  /** Runs a call that needs no person, if its verdict is unchanged. Otherwise the call is judged again. */
  #due(walk: Walk): Step {
    const { ready = missing(), context, isLater } = walk
    const current = isLater ? this.#judgeNow(walk) : ready
    if (context.isRehearsal() || !isSame(ready, current)) return this.#judging.follow(walk, current)
    const step = this.#parts.ways.tryTake(walk, { type: 'same' })
    walk.reservation?.release()
    // `step` is undefined if the grant has ended since.
    return step ?? this.#judging.follow(walk, ready)
  }

  /** Runs an approved call. If the call differs from its card, it gets a new card. */
  #approved(walk: Walk): Step {
    const { proof, decisions, confirmations, ways } = this.#parts
    const { asked = missing(), context, isTakenUp } = walk
    const standing = standingOf(asked.card, this.#judgeNow(walk))
    const hash = isTakenUp ? proof.approvedHash(asked.card.toolUseId) : undefined
    const isProven = !isTakenUp || (standing.kind === 'stands' && hash === standing.ready.hash)
    const unsigned =
      standing.kind === 'stands' && standing.ready.verdict.proof !== undefined
        ? decisions.problem(asked.card.toolUseId, standing.ready.hash, asked.card.approvals?.needed)
        : undefined
    const unproven = !isProven
      ? replacing('The journal has no approval of this card, so it does not count.')
      : unsigned === undefined
        ? undefined
        : replacing(`This must be signed. ${unsigned}`)
    const isShort = unproven === undefined && !confirmations.isWhole(asked)
    const again = isShort ? replacing('Somebody who approved it may not do so any more.') : unproven
    return ways.take(walk, { type: 'turn', standing, unproven: again, isRehearsal: context.isRehearsal() })
  }

  #judgeNow({ call, context }: Walk): Judgement {
    return this.#parts.judge(call.toolName, call.toolInput, askedBy(context))
  }
}

const askedOf = ({ verdict: { approve, proof } }: Pick<Ready, 'verdict'>) => ({ approve, proof })

/** Returns true if the call's verdict and target have not changed while it waited for its turn. */
const isSame = (ready: Ready, current: Judgement) =>
  current === ready ||
  (current.kind === 'ready' &&
    current.hash === ready.hash &&
    current.target.name === ready.target.name &&
    current.target.madeAt === ready.target.madeAt &&
    current.target.identity?.id === ready.target.identity?.id &&
    current.verdict.tier === ready.verdict.tier &&
    current.verdict.rule === ready.verdict.rule &&
    // policy.yaml may meanwhile require several people or a signature.
    hashOf(askedOf(current)) === hashOf(askedOf(ready)) &&
    // If policy.yaml moved a root meanwhile, the same name means another folder.
    current.grantScopes[0]?.at === ready.grantScopes[0]?.at)
