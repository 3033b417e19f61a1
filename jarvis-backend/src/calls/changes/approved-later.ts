import { whoseIs } from 'homelab-ports/guest-identity'
import { hashOf } from 'node-kit/canonical'
import type { Principal, Target } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Reservation } from '../confirmations/grants.ts'
import type { Ready } from '../judgement.ts'
import type { JournalProof } from '../ports.ts'
import type { ChangeStore, StoredChange } from './change.ts'

export type LaterParts = {
  store: ChangeStore
  proof: Pick<JournalProof, 'execution'>
  clock: Clock
}

/** Approvals that a card gave in advance for later calls. */
export class ApprovedLater {
  readonly #parts: LaterParts

  constructor(parts: LaterParts) {
    this.#parts = parts
  }

  /**
   * Returns the approval that covers a call: the undo of a change that goes back by itself, or a later call that the card named.
   * @param principal only a command may make a later call, or take a change back before its time; a model may do so unasked only once that time has
   * come
   */
  reserve(
    { tool, input, target }: Pick<Ready, 'tool' | 'input' | 'target'>,
    { kind }: Pick<Principal, 'kind'>,
  ): Reservation | undefined {
    const { store, clock } = this.#parts
    const undone = tool.undoes?.(input)
    const now = clock.now()
    if (undone !== undefined) {
      const change = store.get(undone)
      const isTime = change?.goesBackAt !== undefined && (change.goesBackAt <= now || kind === 'command')
      return change?.state === 'armed' && isTime && this.#isProven(change) && isOfGuest(change, target)
        ? approval(change, () => {})
        : undefined
    }
    if (kind !== 'command') return undefined
    const wanted = hashOf({ toolName: tool.name, input })
    const change = store
      .due()
      .find(
        ({ later }) => later && later.at <= now && hashOf({ toolName: later.toolName, input: later.input }) === wanted,
      )
    return change !== undefined && this.#isProven(change) && isOfGuest(change, target)
      ? approval(change, () => store.endLater(change.id))
      : undefined
  }

  /**
   * Returns true if the journal confirms the stored row. A row alone lets no call run, because anybody with access to the database could have
   * written it.
   */
  #isProven({ id, undo, goesBackAt, later }: StoredChange): boolean {
    const body = this.#parts.proof.execution(id)
    return (
      body !== undefined &&
      hashOf(body.undo ?? null) === hashOf(undo) &&
      hashOf(body.later ?? null) === hashOf(later ?? null) &&
      (goesBackAt === undefined || body.goesBackAt === goesBackAt)
    )
  }
}

const approval = ({ id, approvedBy, at }: StoredChange, take: () => void): Reservation => ({
  grant: { id: `approval:${id}`, by: approvedBy ?? 'jarvis', createdAt: at },
  take() {
    take()
    return true
  },
  release() {},
})

/** Returns true if a call is about the guest that was approved, and not about another guest with the same vmid. */
const isOfGuest = ({ target, at }: StoredChange, { vmid, identity }: Target): boolean =>
  vmid === undefined || whoseIs(identity, { identity: target.identity, at }) === 'own'
