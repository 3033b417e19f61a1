import { randomBytes } from 'node:crypto'
import { JarvisError, type PushButtons, type PushDecideBody } from 'protocol'
import { cardAsSigned, cardHash, challengeOf, type Statement, statementText } from 'signing/decision'
import { isDeviceKey } from 'signing/device-signature'
import { type Receipt, receiptProblem } from 'signing/receipt'
import type { Signers } from 'signing/signers'
import type { ChallengeStore, SignerKeyStore } from '../../access/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import { isLight } from '../cards.ts'
import type { Decides } from '../channel.ts'
import type { Matters, Transactions } from '../parts.ts'

/** A change of a device's key, as the journal records it. */
export type DeviceKeyChange = { person: string; id: string; name: string } & (
  | { change: 'added'; key: string; origin: string }
  | { change: 'removed' }
)
export type SignedButtonsParts = {
  keys: SignerKeyStore
  signers: Signers
  challenges: ChallengeStore
  matters: Pick<Matters, 'card'>
  /** The greatest right of a button on a device. */
  decidesOn(device: string): Decides
  mayDecide(person: string): boolean
  decide(request: { toolUseId: string; confirmed: boolean; by: string; receipt: Receipt }): void | Promise<void>
  database: Pick<Transactions, 'durably'>
  /** Writes to the journal, in the transaction of the change. */
  record(change: DeviceKeyChange): void
  /** The dashboard's origin, which is part of the signed statement. */
  origin: string
  /** The newest entry of the journal. */
  head(): { seq: number; hash: string }
  clock: Pick<Clock, 'now'>
}

/** Lets the buttons of a notification decide light cards. The device signs each decision with its key. */
export class SignedButtons {
  readonly #parts: SignedButtonsParts

  constructor(parts: SignedButtonsParts) {
    this.#parts = parts
  }

  /**
   * Stores the key of a person's device, and replaces an earlier one. @param key undefined: the device has no key @throws JarvisError
   * `invalid_request`
   */
  keep({ id, person, label: name }: { id: string; person: string; label: string }, key: string | undefined): void {
    const { keys, database, record, origin, clock } = this.#parts
    if (this.#keyOf(id)?.key === key) return
    if (key !== undefined && !isDeviceKey(key)) throw new JarvisError('invalid_request', 'key: it is no key on P-256.')
    database.durably(() => {
      this.forget(id)
      if (key === undefined) return
      keys.add({ type: 'device', id, person, name, key, createdAt: clock.now() })
      record({ change: 'added', person, id, name, key, origin })
    })
  }

  forget(device: string): void {
    const { keys, database, record } = this.#parts
    database.durably(() => {
      const known = this.#keyOf(device)
      if (known === undefined) return
      keys.remove(device)
      record({ change: 'removed', person: known.person, id: device, name: known.name })
    })
  }

  /** Returns the data with which a device can decide a card once; undefined: the notification only opens the page. */
  of(toolUseId: string, device: string): PushButtons | undefined {
    const { challenges, matters, mayDecide, origin, head } = this.#parts
    const key = this.#keyOf(device)
    const known = matters.card(toolUseId)
    if (key === undefined || known === undefined || !isLight(known.card) || !mayDecide(key.person)) return undefined
    const { card } = known
    const { expiresAt } = card
    const statement: Statement = {
      toolUseId,
      bindingHash: known.bindingHash,
      cardHash: cardHash(card),
      decision: 'approved',
      person: key.person,
      origin,
      nonce: randomBytes(32).toString('base64url'),
      head: head(),
      expiresAt,
    }
    const text = statementText(statement)
    const id = challengeOf(text)
    challenges.add({ id, toolUseId, person: key.person, statement: text, expiresAt })
    const [before = '', after = ''] = text.split(approved)
    return { device, challenge: id, before, after }
  }

  /** Decides a card as the pressed button says. @throws JarvisError `proof_refused`, or an error of the decision itself */
  async press({ device, challenge, decision, signature }: PushDecideBody): Promise<void> {
    const { challenges, matters, mayDecide, decide, clock } = this.#parts
    const key = this.#keyOf(device)
    const row = challenges.get(challenge)
    if (key === undefined || row?.person !== key.person) throw refused('This device decides nothing.')
    if (row.usedAt !== undefined) throw refused('It was used before.')
    if (row.expiresAt <= clock.now()) throw refused('It came too late.')
    const { person } = key
    const decides = this.#parts.decidesOn(device)
    if (decides === 'none' || (decides === 'deny' && decision === 'approved'))
      throw refused('This device may not decide so.')
    const known = matters.card(row.toolUseId)
    if (known === undefined || known.isDecided) throw refused('The card was decided before.')
    const { card } = known
    if (!isLight(card)) throw refused('The card is too heavy for a button: open it.')
    if (!mayDecide(person)) throw refused('You may decide nothing.')
    const receipt: Receipt = {
      type: 'device',
      id: device,
      key: key.key,
      statement: row.statement.replace(approved, JSON.stringify(decision)),
      card: cardAsSigned(card),
      signature,
    }
    const why =
      (this.#parts.signers.find('device', device, person)?.key === key.key ? undefined : 'Its key is not enrolled.') ??
      (challengeOf(row.statement) === challenge ? undefined : 'The stored challenge was changed.') ??
      receiptProblem(receipt, {
        toolUseId: card.toolUseId,
        bindingHash: known.bindingHash,
        cardHash: cardHash(card),
        person,
        decision,
      })
    if (why !== undefined) throw refused(why)
    await decide({ toolUseId: card.toolUseId, confirmed: decision === 'approved', by: person, receipt })
  }

  #keyOf(device: string) {
    const key = this.#parts.keys.get(device)
    return key?.type === 'device' ? key : undefined
  }
}

/** The decision as it stands in the canonical JSON of a statement. No other part of a statement has this text. */
const approved = '"approved"'
const refused = (why: string) =>
  new JarvisError('proof_refused', `The button decided nothing. ${why} Open JARVIS to decide.`)
