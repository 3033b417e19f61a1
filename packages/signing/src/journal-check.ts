import { type Countersignature, countersignatureProblem, type Enrolled } from './enrolment.ts'
import { type Receipt, receiptProblem, statementIn } from './receipt.ts'

type SignerBody = Enrolled & { change: string; signedBy?: Countersignature }
type DecisionBody = { toolUseId: string; decision: string; by: string; bindingHash: string; receipt?: Receipt }

/** Kinds of journal entries that contain a receipt. An `approval` is one of several that a card needs. */
const withReceipts = ['decision', 'approval']

/**
 * Returns a function that reads a journal entry by entry. It checks the signatures in it: of enrolments by older keys, and of decisions by enrolled
 * keys.
 */
export function createSignatureCheck() {
  const signers = new Map<string, SignerBody>()

  /**
   * True if an older key must have signed the enrolment. This applies to a further passkey, and to an SSH key if the person has a passkey or an SSH
   * key. A device needs no other key's signature.
   */
  const mustBeVouchedFor = ({ type = 'passkey', person }: SignerBody) =>
    type !== 'device' &&
    [...signers.values()].some(
      (known) => known.person === person && (known.type === type || (type === 'ssh' && known.type === 'passkey')),
    )

  function signerProblem(body: SignerBody): string | undefined {
    const name = `${body.type} ${body.id}`
    if (body.change === 'removed') signers.delete(name)
    if (body.change !== 'added') return undefined
    const { signedBy } = body
    if (signedBy === undefined) {
      if (mustBeVouchedFor(body)) return 'A key was enrolled without the signature of an older one.'
    } else {
      const older = signers.get(`${signedBy.type ?? 'passkey'} ${signedBy.id}`)
      const why = older === undefined ? 'It is not enrolled.' : countersignatureProblem(body, signedBy, older)
      if (why !== undefined) return `A key was enrolled by an older one’s signature that does not count. ${why}`
    }
    signers.set(name, body)
    return undefined
  }

  function decisionProblem({ decision, receipt, toolUseId, by, bindingHash }: DecisionBody, at: number) {
    if (receipt === undefined) return undefined
    const key = signers.get(`${receipt.type} ${receipt.id}`)
    const isOurs = key?.person === by && key.key === receipt.key
    const isItsPlace = receipt.type !== 'passkey' || receipt.rpId === key?.rpId
    const isKnown = decision === 'approved' || (decision === 'denied' && receipt.type === 'device')
    const why = !isKnown
      ? 'It signs no such decision.'
      : !isOurs
        ? 'Its key is not enrolled for its person.'
        : !isItsPlace
          ? 'It was made for another RP ID.'
          : (statementIn(receipt.statement)?.expiresAt ?? 0) < at
            ? 'It came too late.'
            : receiptProblem(receipt, { toolUseId, person: by, bindingHash, decision })
    return why && `The signature on ${toolUseId} does not count. ${why}`
  }

  /** Checks the next entry. @returns the fault in it; undefined if there is none */
  return ({ kind, at, body }: { kind: string; at: number; body: string }): string | undefined => {
    if (kind !== 'signer' && !(withReceipts.includes(kind) && body.includes('"receipt"'))) return undefined
    try {
      const read = JSON.parse(body) as unknown
      if (kind === 'signer') return signerProblem(read as SignerBody)
      const decided = read as DecisionBody
      return decisionProblem(kind === 'approval' ? { ...decided, decision: 'approved' } : decided, at)
    } catch {
      return 'What was signed in it cannot be read.'
    }
  }
}
