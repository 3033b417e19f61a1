import { type Countersignature, countersignatureProblem, type Enrolled } from './enrolment.ts'
import { type Receipt, receiptProblem, statementIn } from './receipt.ts'

type SignerBody = Enrolled & { type: string; change: string; signedBy?: Countersignature }
type DecisionBody = { toolUseId: string; decision: string; by: string; bindingHash: string; receipt?: Receipt }

/** Follows a journal and checks what was signed in it: enrolments by older passkeys, and approvals by enrolled keys. */
export function createSignatureCheck() {
  const signers = new Map<string, SignerBody>()

  function signerProblem(body: SignerBody): string | undefined {
    const name = `${body.type} ${body.id}`
    if (body.change === 'removed') signers.delete(name)
    if (body.change !== 'added') return undefined
    const { signedBy } = body
    if (signedBy === undefined) {
      const isSecond = [...signers.values()].some(({ type, person }) => type === body.type && person === body.person)
      if (isSecond) return 'A passkey was enrolled without the signature of an older one.'
    } else {
      const older = signers.get(`${body.type} ${signedBy.id}`)
      const why = older === undefined ? 'It is not enrolled.' : countersignatureProblem(body, signedBy, older)
      if (why !== undefined) return `A passkey was enrolled by an older one’s signature that does not count. ${why}`
    }
    signers.set(name, body)
    return undefined
  }

  function decisionProblem({ decision, receipt, toolUseId, by, bindingHash }: DecisionBody, at: number) {
    if (decision !== 'approved' || receipt === undefined) return undefined
    const key = signers.get(`${receipt.type} ${receipt.id}`)
    const isOurs = key?.person === by && key.key === receipt.key
    const isItsPlace = receipt.rpId === key?.rpId
    const why = !isOurs
      ? 'Its key is not enrolled for its person.'
      : !isItsPlace
        ? 'It was made for another RP ID.'
        : (statementIn(receipt.statement)?.expiresAt ?? 0) < at
          ? 'It came too late.'
          : receiptProblem(receipt, { toolUseId, person: by, bindingHash })
    return why && `The signature on ${toolUseId} does not count. ${why}`
  }

  /** Takes the next entry. @returns what is wrong in it */
  return ({ kind, at, body }: { kind: string; at: number; body: string }): string | undefined => {
    if (kind !== 'signer' && !(kind === 'decision' && body.includes('"receipt"'))) return undefined
    try {
      const read = JSON.parse(body) as unknown
      return kind === 'signer' ? signerProblem(read as SignerBody) : decisionProblem(read as DecisionBody, at)
    } catch {
      return 'What was signed in it cannot be read.'
    }
  }
}
