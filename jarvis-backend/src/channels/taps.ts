import { createHash, randomBytes } from 'node:crypto'
import { JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { Pages } from './addresses.ts'
import { isLight, pathOf, untilOf } from './cards.ts'
import type { Answered, Button, ChannelKind } from './channel.ts'
import type { ChannelPeople, Matters, Notes, Transactions } from './parts.ts'
import type { Nonce, NonceStore, OutboxItem, ReceivedOf, Recipient, RecipientStore } from './ports.ts'
import type { Say, Spoken } from './spoken.ts'

/** Time for which a button is remembered after its message has expired, ms: a service may deliver a tap that late. */
const keptAfterMs = 24 * 60 * 60_000

/** A button sends 27 bytes: `j1.`, 128 random bits, and a letter for the button's decision. */
const form = /^j1\.[\w-]{22}\.([adl])$/
const suffixes: Record<Nonce['decision'], string> = { approve: 'a', deny: 'd', look: 'l' }
/** Names one attempt of an item. Each attempt makes buttons of its own, and a message belongs to one attempt. */
export const attemptOf = ({ id, attempts }: Pick<OutboxItem, 'id' | 'attempts'>): string => `${id}.${attempts}`
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

const wasDecided = 'the card was decided before'
const mayNotThere = 'they may not decide so there'
const mayNothing = 'the person may decide nothing'

export type TapsParts = {
  nonces: NonceStore
  recipients: Pick<RecipientStore, 'list'>
  matters: Pick<Matters, 'card' | 'decide' | 'seen'>
  people: Pick<ChannelPeople, 'mayDecide'>
  pages: Pages
  database: Pick<Transactions, 'durably'>
  notes: Pick<Notes, 'record'>
  say: Say
  clock: Pick<Clock, 'now'>
}

/** Makes the buttons of cards, and handles their taps. */
export class Taps {
  /** The answer to a button that decides nothing. */
  readonly over: Spoken
  readonly #parts: TapsParts
  /** The answers that explain a refused tap to the person who got the message. Everybody else is told that the card is over. */
  readonly #reasons: Partial<Record<string, Spoken>>

  constructor(parts: TapsParts) {
    const { say } = parts
    this.#parts = parts
    this.over = say('This is not open any more.')
    this.#reasons = {
      [wasDecided]: say('This was decided elsewhere.'),
      [mayNotThere]: say('Nothing was decided: this may not be decided here any more. Decide it in the dashboard.'),
      [mayNothing]: say('Nothing was decided: you may not decide any more.'),
    }
  }

  /** The button with this token; undefined if there is none. */
  button(token: string): Nonce | undefined {
    return form.test(token) ? this.#parts.nonces.get(hashOf(token)) : undefined
  }

  /**
   * Makes the buttons of one attempt, each usable once, and stores the hashes of their tokens. Call it in a transaction. Buttons of a channel that
   * `subscribes` have no token.
   */
  buttonsFor(
    item: OutboxItem,
    recipient: Recipient,
    { looks, subscribes }: Pick<ChannelKind['capabilities'], 'looks' | 'subscribes'>,
  ): Button[] {
    const { card } = item.content
    if (card === undefined) return []
    const labels = {
      deny: recipient.decides === 'none' ? undefined : card.deny,
      approve: recipient.decides === 'approve' ? card.approve : undefined,
      look: looks === true ? this.#parts.say('Look…') : undefined,
    }
    return (['deny', 'approve', 'look'] as const).flatMap((does): Button[] => {
      const label = labels[does]
      if (label === undefined) return []
      if (subscribes === true) return [{ label, token: '', does }]
      const token = `j1.${randomBytes(16).toString('base64url')}.${suffixes[does]}`
      this.#parts.nonces.add({
        hash: hashOf(token),
        recipient: recipient.id,
        item: attemptOf(item),
        decision: does,
        toolUseId: card.toolUseId,
        bindingHash: card.bindingHash,
        expiresAt: item.expiresAt + keptAfterMs,
      })
      return [{ label, token, does }]
    })
  }

  /**
   * Decides a card by a tap, or shows a card's state. One transaction stores the decision, marks the button as used, and calls `advance`.
   * @returns the answer to the person; undefined: no answer @throws JarvisError `shutting_down`: the service delivers the update again later
   */
  async tap(received: ReceivedOf<'tap'>): Promise<Answered | undefined> {
    const { nonces, matters, people, database } = this.#parts
    const { kind, incoming: tap, advance } = received
    const nonce = this.button(tap.token)
    const recipient = this.#recipientOf(received, nonce)
    if (recipient === undefined) {
      database.durably(advance)
      return undefined
    }
    const judged = this.#judge(received, nonce, recipient)
    // A message that was sent may not have been read. The first tap of its own recipient shows that it was.
    const isOwn = nonce?.recipient === recipient.id && kind.capabilities.pairs && (nonce.ref ?? tap.ref) === tap.ref
    if (nonce !== undefined && isOwn && people.mayDecide(recipient.person)) matters.seen(nonce.toolUseId)
    if (typeof judged === 'string') {
      this.#refuse(received, { nonce, recipient, isOwn, because: judged })
      const isTheirs = isOwn || (nonce !== undefined && !kind.capabilities.pairs)
      return { answer: (isTheirs ? this.#reasons[judged] : undefined) ?? this.over }
    }
    if (judged.decision === 'look') {
      database.durably(() => {
        advance()
        if (tap.ref !== undefined) nonces.bind(judged.item, tap.ref)
      })
      return this.#shownOf(judged.toolUseId)
    }
    return this.#decide(received, judged, recipient)
  }

  /** The recipient who tapped; undefined for other people, whose taps are ignored. */
  #recipientOf({ kind, account, incoming: { from } }: ReceivedOf<'tap'>, nonce: Nonce | undefined) {
    const known = this.#parts.recipients.list(kind.id).filter((one) => one.account === account)
    if (kind.capabilities.pairs)
      return from?.isPrivate === true
        ? known.find(({ user, chat, isGroup }) => !isGroup && user === from.user && chat === from.chat)
        : undefined
    // Nothing proves who pressed the button, so the tap counts as one by the message's recipient.
    return known.find(({ id }) => id === nonce?.recipient)
  }

  /** Returns the button if the tap may decide or look; otherwise the reason why it may not. */
  #judge({ kind, incoming: tap }: ReceivedOf<'tap'>, nonce: Nonce | undefined, recipient: Recipient): string | Nonce {
    const { people, matters } = this.#parts
    const [, suffix] = form.exec(tap.token) ?? []
    if (nonce === undefined) return 'its button is not known'
    if (nonce.recipient !== recipient.id) return 'its button was sent to somebody else'
    if (suffixes[nonce.decision] !== suffix) return 'its button was changed'
    if (nonce.usedAt !== undefined) return 'its button was used before'
    if (kind.capabilities.pairs && nonce.ref !== undefined && nonce.ref !== tap.ref)
      return 'it came from another message'
    const isApproval = nonce.decision === 'approve'
    const isLook = nonce.decision === 'look'
    if (!isLook && (recipient.decides === 'none' || (isApproval && recipient.decides !== 'approve'))) return mayNotThere
    if (isApproval && kind.capabilities.decidesAtMost !== 'approve') return 'the channel cannot approve'
    if (!people.mayDecide(recipient.person)) return mayNothing
    const known = matters.card(nonce.toolUseId)
    if (known === undefined || known.bindingHash !== nonce.bindingHash) return 'the card is another one'
    if (known.isDecided) return wasDecided
    if (isApproval && !isLight(known.card)) return 'the card is too heavy for a tap'
    return nonce
  }

  #refuse(
    { kind, incoming: tap, advance }: ReceivedOf<'tap'>,
    {
      nonce,
      recipient,
      isOwn,
      because,
    }: { nonce: Nonce | undefined; recipient: Recipient; isOwn: boolean; because: string },
  ): void {
    const { nonces, database, notes } = this.#parts
    database.durably(() => {
      advance()
      // The tap comes from a copy that was sent but not recorded. Its id is stored, so that the copy can be marked as over.
      if (isOwn && nonce?.ref === undefined && nonce !== undefined && tap.ref !== undefined && because === wasDecided)
        nonces.bind(nonce.item, tap.ref)
      const about = nonce === undefined ? {} : { toolUseId: nonce.toolUseId }
      const { id, person } = recipient
      notes.record({ change: 'tap_refused', channel: kind.id, recipient: id, person, ...about, because })
    })
  }

  async #decide(
    { kind, incoming: tap, advance }: ReceivedOf<'tap'>,
    { hash, toolUseId, decision, item }: Nonce,
    { person }: Recipient,
  ): Promise<Answered> {
    const { nonces, matters, database, say, clock } = this.#parts
    let isDecided = false
    try {
      await matters.decide({
        toolUseId,
        confirmed: decision === 'approve',
        by: person,
        via: kind.id,
        remember() {
          if (!nonces.use(hash, clock.now())) throw new JarvisError('already_decided', 'Its button was used before.')
          // If a crash came between sending the message and recording it, the message's id is stored now.
          if (tap.ref !== undefined) nonces.bind(item, tap.ref)
          advance()
          isDecided = true
        },
      })
      if (!isDecided) {
        database.durably(advance)
        return { answer: this.over }
      }
      return { answer: say(decision === 'approve' ? 'Approved.' : 'Denied.') }
    } catch (error) {
      if (!(error instanceof JarvisError) || error.code === 'shutting_down') throw error
      database.durably(advance)
      const still = 'The cluster cannot be reached, so nothing was decided. The card still waits.'
      return { answer: error.code === 'cluster_unreachable' ? say(still) : this.over }
    }
  }

  /** The answer to a button that shows a card's state. The card's waiting time has begun by then. */
  #shownOf(toolUseId: string): Answered {
    const { matters, pages, say } = this.#parts
    const card = matters.card(toolUseId)?.card
    const until = card === undefined ? '' : untilOf(card)
    const link = pages.linkTo(pathOf(toolUseId))
    const where = link === undefined ? ' Look at it in the dashboard.' : ''
    return { answer: say(`${until}${where}`), link }
  }
}
