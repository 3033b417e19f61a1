import { createHash, randomBytes } from 'node:crypto'
import { type Card, JarvisError } from 'protocol'
import { isLight, pathOf, untilOf } from './cards.ts'
import type { Answered, Button, ChannelKind, Incoming } from './channel.ts'
import type { Nonce, NonceStore, OutboxItem, Recipient, RecipientStore } from './ports.ts'
import type { Say, Spoken } from './spoken.ts'

/** A tap is refused for 24 h after its card's time at the latest, ms: a service may hand it over so late. */
const keptAfterMs = 24 * 60 * 60_000

/** A button sends 27 bytes: `j1.`, 128 random bits, and a letter for its deed. */
const form = /^j1\.[\w-]{22}\.([adl])$/
const suffixes: Record<Nonce['decision'], string> = { approve: 'a', deny: 'd', look: 'l' }
/** One attempt of an item: each makes buttons of its own, and a message belongs to one attempt. */
export const attemptOf = ({ id, attempts }: Pick<OutboxItem, 'id' | 'attempts'>): string => `${id}.${attempts}`
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

const wasDecided = 'the card was decided before'
const mayNotThere = 'they may not decide so there'
const mayNothing = 'the person may decide nothing'

type Tap = Extract<Incoming, { kind: 'tap' }>
/** A card as it is stored, and whether it was decided. */
export type KnownCard = { card: Card; bindingHash: string; isDecided: boolean }

/** Decides a card; `remember` runs in the transaction of the decision. @throws JarvisError as `Confirmations.decide` */
export type DecideByTap = (request: {
  toolUseId: string
  confirmed: boolean
  by: string
  via: string
  remember(): void
}) => void | Promise<void>

/** Makes the buttons of cards, and decides by them. */
export function createTaps(parts: {
  nonces: NonceStore
  recipients: Pick<RecipientStore, 'list'>
  cardOf(toolUseId: string): KnownCard | undefined
  decide: DecideByTap
  /** A person has a card before them: its time begins. */
  seen(toolUseId: string): void
  /** Returns true if a person may decide cards now. */
  mayDecide(person: string): boolean
  /** A page of the dashboard; undefined: its address is not known. */
  linkTo(path: string): string | undefined
  /** On disk before it returns. */
  durably<T>(work: () => T): T
  record(body: Record<string, unknown>): void
  say: Say
  now(): number
}) {
  const { nonces, say } = parts
  const over = say('This is not open any more.')
  /** Said to whoever the message was sent to; everybody else hears that it is over. */
  const reasons: Partial<Record<string, Spoken>> = {
    [wasDecided]: say('This was decided elsewhere.'),
    [mayNotThere]: say('Nothing was decided: this may not be decided here any more. Decide it in the dashboard.'),
    [mayNothing]: say('Nothing was decided: you may not decide any more.'),
  }

  /** The recipient who tapped. Taps of other people are ignored. */
  function recipientOf(
    kind: ChannelKind,
    account: string,
    { from }: Tap,
    nonce: Nonce | undefined,
  ): Recipient | undefined {
    const known = parts.recipients.list(kind.id).filter((one) => one.account === account)
    if (kind.capabilities.pairs)
      return from?.isPrivate === true
        ? known.find(({ user, chat, isGroup }) => !isGroup && user === from.user && chat === from.chat)
        : undefined
    // Nothing proves who pressed, so whoever holds the message is its recipient.
    return known.find(({ id }) => id === nonce?.recipient)
  }

  /** Why the tap decides nothing; otherwise what it decides. */
  function judge(kind: ChannelKind, tap: Tap, nonce: Nonce | undefined, recipient: Recipient): string | Nonce {
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
    if (!parts.mayDecide(recipient.person)) return mayNothing
    const known = parts.cardOf(nonce.toolUseId)
    if (known === undefined || known.bindingHash !== nonce.bindingHash) return 'the card is another one'
    if (known.isDecided) return wasDecided
    if (isApproval && !isLight(known.card)) return 'the card is too heavy for a tap'
    return nonce
  }

  /** The answer to a look at a card, whose time runs by now. */
  function shownOf(toolUseId: string): Answered {
    const card = parts.cardOf(toolUseId)?.card
    const until = card === undefined ? '' : untilOf(card)
    const link = parts.linkTo(pathOf(toolUseId))
    const where = link === undefined ? ' Look at it in the dashboard.' : ''
    return { answer: say(`${until}${where}`), link }
  }

  return {
    /** The answer to a button that decides nothing. */
    over,
    /** The button that a tap pressed. */
    button: (token: string): Nonce | undefined => (form.test(token) ? nonces.get(hashOf(token)) : undefined),
    /** Makes the buttons of one attempt, good once, and keeps their hashes. Call it in a transaction. Where the channel `subscribes`, they need none. */
    buttonsFor(
      item: OutboxItem,
      recipient: Recipient,
      { looks, subscribes }: Pick<ChannelKind['capabilities'], 'looks' | 'subscribes'>,
    ): Button[] {
      const { card } = item.content
      if (card === undefined) return []
      const make = (does: Button['does'], label: Spoken | undefined): Button[] => {
        if (label === undefined) return []
        if (subscribes === true) return [{ label, token: '', does }]
        const token = `j1.${randomBytes(16).toString('base64url')}.${suffixes[does]}`
        nonces.add({
          hash: hashOf(token),
          recipient: recipient.id,
          item: attemptOf(item),
          decision: does,
          toolUseId: card.toolUseId,
          bindingHash: card.bindingHash,
          expiresAt: item.expiresAt + keptAfterMs,
        })
        return [{ label, token, does }]
      }
      const mayDeny = recipient.decides !== 'none'
      const mayApprove = recipient.decides === 'approve'
      return [
        ...make('deny', mayDeny ? card.deny : undefined),
        ...make('approve', mayApprove ? card.approve : undefined),
        ...make('look', looks === true ? say('Look…') : undefined),
      ]
    },
    /**
     * Decides by a tap, or shows a card. The decision, the end of the button and `advance` are one transaction. @param advance notes that the update was taken
     * @returns what the person is told; undefined: silence @throws JarvisError `shutting_down`, and the update comes again
     */
    async tap(kind: ChannelKind, account: string, tap: Tap, advance: () => void): Promise<Answered | undefined> {
      const hash = hashOf(tap.token)
      const nonce = form.test(tap.token) ? nonces.get(hash) : undefined
      const recipient = recipientOf(kind, account, tap, nonce)
      if (recipient === undefined) {
        parts.durably(advance)
        return undefined
      }
      const { id, person } = recipient
      const judged = judge(kind, tap, nonce, recipient)
      // A message that was sent need not have been read; its own person's first tap says that it was.
      const isOwn = nonce?.recipient === id && kind.capabilities.pairs && (nonce.ref ?? tap.ref) === tap.ref
      if (nonce !== undefined && isOwn && parts.mayDecide(person)) parts.seen(nonce.toolUseId)
      if (typeof judged === 'string') {
        parts.durably(() => {
          advance()
          // A copy that was sent unrecorded is learned, so that it can say that the card is over.
          if (isOwn && nonce?.ref === undefined && tap.ref !== undefined && judged === wasDecided)
            nonces.bind(nonce.item, tap.ref)
          const about = nonce === undefined ? {} : { toolUseId: nonce.toolUseId }
          parts.record({ change: 'tap_refused', channel: kind.id, recipient: id, person, ...about, because: judged })
        })
        const isTheirs = isOwn || (nonce !== undefined && !kind.capabilities.pairs)
        return { answer: (isTheirs ? reasons[judged] : undefined) ?? over }
      }
      const { toolUseId, decision, item } = judged
      if (decision === 'look') {
        parts.durably(() => {
          advance()
          if (tap.ref !== undefined) nonces.bind(item, tap.ref)
        })
        return shownOf(toolUseId)
      }
      let isDecided = false
      try {
        await parts.decide({
          toolUseId,
          confirmed: decision === 'approve',
          by: person,
          via: kind.id,
          remember() {
            if (!nonces.use(hash, parts.now())) throw new JarvisError('already_decided', 'Its button was used before.')
            // Where a crash came between sending and its record, the message is learned here.
            if (tap.ref !== undefined) nonces.bind(item, tap.ref)
            advance()
            isDecided = true
          },
        })
        if (!isDecided) {
          parts.durably(advance)
          return { answer: over }
        }
        return { answer: say(decision === 'approve' ? 'Approved.' : 'Denied.') }
      } catch (error) {
        if (!(error instanceof JarvisError) || error.code === 'shutting_down') throw error
        parts.durably(advance)
        const isUnreachable = error.code === 'cluster_unreachable'
        const still = 'The cluster cannot be reached, so nothing was decided. The card still waits.'
        return { answer: isUnreachable ? say(still) : over }
      }
    },
  }
}
export type Taps = ReturnType<typeof createTaps>
