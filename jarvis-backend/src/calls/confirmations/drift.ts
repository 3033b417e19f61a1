import { type Approvals, type Approve, type Card, firstOwnerId, type Principal, type Target } from 'protocol'
import { quoted } from 'redaction/visible'
import { newId } from '../../lib/ids.ts'
import type { Judgement, Ready } from '../judgement.ts'
import { neededBy } from './approvals.ts'

/** `note`: why a card no longer counts. `replacedBy`: the id of its replacement, which is another card or the call's own result. */
export type Replacing = { note: string; replacedBy: string }

/** The result of comparing a card with its call's present verdict. */
export type Standing =
  /** The call may run as in `ready`: either as the card shows it, or under a tier that no longer asks a person. */
  | { kind: 'stands'; ready: Ready }
  /** The call differs from its card, so a person must decide on a new card. */
  | ({ kind: 'changed'; ready: Ready } & Replacing)
  /** The call cannot or must not run now. */
  | ({ kind: 'over'; judgement: Exclude<Judgement, { kind: 'ready' }> } & Replacing)

/** The facts of a call that its card showed when a person approved it. */
type Shown = Pick<Card, 'toolUseId' | 'callId' | 'target' | 'basis' | 'rule' | 'isAfterAnother'> & {
  approvals?: Pick<Approvals, 'needed' | 'roles' | 'notAsker'> | undefined
  requestedBy?: Pick<Principal, 'person' | 'causedBy'>
}

/** Compares a card with its call's present verdict. */
export function standingOf(card: Shown, current: Judgement): Standing {
  if (current.kind !== 'ready') {
    const note =
      current.kind === 'invalid'
        ? `The target has changed since: ${current.message}`
        : `The rules refuse it now: ${current.verdict.reason}`
    return { kind: 'over', judgement: current, note, replacedBy: card.callId ?? card.toolUseId }
  }
  if (isOthersText(card, current)) {
    const reason = 'The text that it follows was changed since by somebody else. Ask for it again.'
    const judgement = { kind: 'blocked', verdict: { tier: 'black', rule: 'text_changed', reason } } as const
    return { kind: 'over', judgement, note: reason, replacedBy: card.callId ?? card.toolUseId }
  }
  const { verdict, target } = current
  if (verdict.tier !== 'red') return { kind: 'stands', ready: current }
  const differences = targetDifferences(card, target)
  differences.push(...basisDifferences(card.basis, current.preview?.basis))
  if (!isSameQuorum(card.approvals, verdict.approve && neededBy(verdict.approve, card.requestedBy)))
    differences.push('Others must approve it now, or another number of people.')
  if (verdict.rule !== card.rule) differences.push(`It asks for another reason now: ${verdict.reason}`)
  return differences.length === 0
    ? { kind: 'stands', ready: current }
    : { kind: 'changed', ready: current, ...replacing(differences.join(' ')) }
}

/**
 * Returns true if the text that a call follows has changed, and its author is not the asker. A new card would then show another person's text in the
 * asker's name.
 */
function isOthersText({ basis, requestedBy }: Shown, { preview }: Ready): boolean {
  const [then, now] = [basis?.text, preview?.leads?.text]
  if (requestedBy === undefined || then === undefined || now === undefined || now.hash === then) return false
  return now.writtenBy !== (requestedBy.person ?? firstOwnerId)
}

const isSameQuorum = (shown: Shown['approvals'], now: Approve | undefined): boolean =>
  shown === undefined || now === undefined
    ? (shown === undefined) === (now === undefined)
    : shown.needed === now.count && (shown.notAsker ?? false) === now.notAsker && shown.roles.join() === now.by.join()

/** Returns a sentence for each changed part of the state on which the approval rests. */
const basisDifferences = (before: Card['basis'] = {}, now: Card['basis'] = {}): string[] =>
  Object.keys({ ...before, ...now }).flatMap((what) =>
    before[what] === now[what] ? [] : `Its ${what} has changed since the card was shown.`,
  )

/** Makes the reference from a card to a new card that replaces it. */
export const replacing = (note: string): Replacing => ({ note, replacedBy: newId('tu') })

/** Returns a sentence if another guest has the vmid now. Such a guest may have the same name and be on the same node. */
function identityDifferences({ vmid, identity: then }: Target, { identity }: Target): string[] {
  if (then === undefined || then.id === identity?.id) return []
  return [
    identity === undefined || identity.isDoubtful === true
      ? `Whether ${vmid} is still the guest that it was cannot be told.`
      : `Another guest has the number ${vmid} since.`,
  ]
}

function targetDifferences({ target: before, isAfterAnother }: Shown, now: Target): string[] {
  const differences: string[] = []
  if (now.id !== before.id) {
    const isDefinition = now.kind === 'none' && before.kind === 'none'
    differences.push(
      isDefinition
        ? 'What its server says that the tool is, or what the server is started by, is not what it was.'
        : `It is ${now.id} now, not ${before.id}.`,
    )
  }
  if (now.name !== before.name)
    differences.push(`Its name is ${quoted(now.name ?? '')} now, not ${quoted(before.name ?? '')}.`)
  if (now.node !== before.node) differences.push(`It is on ${now.node} now, not on ${before.node}.`)
  const [unitThen, unitNow] = [before.unit?.activeState, now.unit?.activeState]
  if (unitThen !== undefined && unitNow !== undefined && unitNow !== unitThen)
    differences.push(`The service is ${unitNow} now, not ${unitThen}.`)
  // Proxmox deletes old tasks, so a missing `madeAt` proves nothing.
  if (now.madeAt !== undefined && now.madeAt !== before.madeAt)
    differences.push('It was made, restored or rolled back since the card was shown.')
  if (before.vmid !== undefined) differences.push(...identityDifferences(before, now))
  // After an earlier call of the same turn, a changed state was expected.
  if (isAfterAnother === undefined) {
    if (now.status !== before.status) differences.push(`It is ${now.status} now, not ${before.status}.`)
    if (now.lock !== before.lock) {
      differences.push(
        now.lock === undefined ? `Its lock (${before.lock}) is gone.` : `It is locked now (${now.lock}).`,
      )
    }
  }
  if (now.haState !== before.haState) {
    differences.push(`HA says ${now.haState ?? 'nothing'} of it now, not ${before.haState ?? 'nothing'}.`)
  }
  return differences
}
