import { hashOf } from 'node-kit/canonical'
import type { Principal, Target } from 'protocol'
import { whoseIs } from '../../homelab/guest-identity.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Ready } from '../call.ts'
import type { Reservation } from '../confirmations/grants.ts'
import type { JournalProof } from '../ports.ts'
import type { ChangeStore, StoredChange } from './change.ts'

/** The approvals that a card gave for later calls. */
export type ApprovedLater = ReturnType<typeof createApprovedLater>

export function createApprovedLater(parts: {
  store: ChangeStore
  proof: Pick<JournalProof, 'execution'>
  clock: Clock
}) {
  const { store, clock } = parts

  /** Whether the journal confirms the row. A row alone could be anybody's and lets no call run. */
  function isProven({ id, undo, goesBackAt, later }: StoredChange): boolean {
    const body = parts.proof.execution(id)
    return (
      body !== undefined &&
      hashOf(body.undo ?? null) === hashOf(undo) &&
      hashOf(body.later ?? null) === hashOf(later ?? null) &&
      (goesBackAt === undefined || body.goesBackAt === goesBackAt)
    )
  }

  const approval = ({ id, approvedBy, at }: StoredChange, take: () => void): Reservation => ({
    grant: { id: `approval:${id}`, by: approvedBy ?? 'jarvis', createdAt: at },
    take() {
      take()
      return true
    },
    release() {},
  })

  return {
    /**
     * The approval that covers a call: the undo of a change that goes back by itself, or a later call that the card named.
     * @param principal a model takes nothing back unasked before its time
     */
    reserve(
      { tool, input, target }: Pick<Ready, 'tool' | 'input' | 'target'>,
      { kind }: Pick<Principal, 'kind'>,
    ): Reservation | undefined {
      const undone = tool.undoes?.(input)
      const now = clock.now()
      if (undone !== undefined) {
        const change = store.get(undone)
        const isTime = change?.goesBackAt !== undefined && (change.goesBackAt <= now || kind === 'command')
        return change?.state === 'armed' && isTime && isProven(change) && isOfGuest(change, target)
          ? approval(change, () => {})
          : undefined
      }
      if (kind !== 'command') return undefined
      const wanted = hashOf({ toolName: tool.name, input })
      const change = store
        .due()
        .find(
          ({ later }) =>
            later && later.at <= now && hashOf({ toolName: later.toolName, input: later.input }) === wanted,
        )
      return change !== undefined && isProven(change) && isOfGuest(change, target)
        ? approval(change, () => store.endLater(change.id))
        : undefined
    },
  }
}

/** Whether a call means the guest that was approved, and not another guest with its number. */
const isOfGuest = ({ target, at }: StoredChange, { vmid, identity }: Target): boolean =>
  vmid === undefined || whoseIs(identity, { identity: target.identity, at }) === 'own'
