import { createHash, randomBytes } from 'node:crypto'
import { type ChannelPairing, JarvisError } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { ChannelKind, Incoming } from './channel.ts'
import type { ChannelDirectory } from './open-channels.ts'
import type { Pairing, PairingStore, Recipient, RecipientStore } from './ports.ts'
import type { Say, Spoken } from './spoken.ts'

const goodForMs = 10 * 60_000
const mostOpen = 3
const mostName = 60

const hashOf = (code: string) => createHash('sha256').update(code).digest('base64url')
const unknown = () => new JarvisError('not_found', 'This pairing is over. Begin another one.')

/** Pairs people with a channel: begun in the dashboard, opened on a phone, confirmed in the dashboard. */
export function createPairings(parts: {
  pairings: PairingStore
  recipients: RecipientStore
  directory: Pick<ChannelDirectory, 'kind' | 'channel'>
  durably<T>(work: () => T): T
  record(body: Record<string, unknown>): void
  /** Told, in the transaction, whom the channel reaches now, and who was replaced. */
  paired(recipient: Recipient, replaced: Recipient | undefined): void
  changed(): void
  say: Say
  now(): number
}) {
  const { pairings, recipients, say, now } = parts

  const shown = ({ id, channel, expiresAt, opened }: Pairing): ChannelPairing => ({
    id,
    channel,
    expiresAt,
    ...(opened && { opened: { user: opened.user, name: opened.name, at: opened.at } }),
  })
  function own(id: string, person: string): Pairing {
    const found = pairings.get(id)
    if (found === undefined || found.person !== person || found.expiresAt <= now()) throw unknown()
    return found
  }

  return {
    /** @throws JarvisError `not_found`, `conflict` */
    begin(channel: string, person: string) {
      const kind = parts.directory.kind(channel)
      const open = parts.directory.channel(channel)
      if (kind === undefined) throw new JarvisError('not_found', 'There is no such channel.')
      if (kind.capabilities.subscribes === true)
        throw new JarvisError('conflict', `${kind.name} is turned on in each browser: Settings → Notifications.`)
      if (!kind.capabilities.pairs) throw new JarvisError('conflict', `${kind.name} has one address and pairs nobody.`)
      if (open === undefined) throw new JarvisError('conflict', `Set ${kind.name} up first.`)
      const at = now()
      const code = randomBytes(16).toString('base64url')
      const pairing: Pairing = {
        id: newId('par'),
        hash: hashOf(code),
        channel,
        account: open.account,
        person,
        createdAt: at,
        expiresAt: at + goodForMs,
      }
      parts.durably(() => {
        pairings.prune(at)
        if (pairings.list(at).filter((one) => one.person === person).length >= mostOpen)
          throw new JarvisError('conflict', `${mostOpen} pairings of yours wait already. They end after ten minutes.`)
        pairings.add(pairing)
        parts.record({ change: 'pairing_begun', channel, by: person, pairing: pairing.id })
      })
      parts.changed()
      const link = open.channel.pairingLink?.(code)
      return { ...shown(pairing), code, ...(link !== undefined && { link }) }
    },
    /** Somebody used a code. @returns what they are told; undefined: silence */
    opened(
      kind: ChannelKind,
      account: string,
      { from, code }: Extract<Incoming, { kind: 'pair' }>,
      advance: () => void,
    ): Spoken | undefined {
      const at = now()
      const answer = parts.durably(() => {
        advance()
        const found = pairings.byHash(hashOf(code))
        const isGood = found?.channel === kind.id && found.account === account && found.expiresAt > at && from.isPrivate
        if (!isGood) return undefined
        const name = say(from.name, mostName)
        if (!pairings.open(found.id, { user: from.user, chat: from.chat, name, at })) return undefined
        return say(`Now confirm the number ${from.user} in the dashboard.`)
      })
      if (answer !== undefined) parts.changed()
      return answer
    },
    list: (person: string): ChannelPairing[] =>
      pairings
        .list(now())
        .filter((one) => one.person === person)
        .map(shown),
    /** @param user the number that the person read in the dashboard @throws JarvisError `not_found`, `conflict` */
    confirm(id: string, user: string, person: string): Recipient {
      const { opened, channel, account } = own(id, person)
      if (opened === undefined) throw new JarvisError('conflict', 'Nobody has used the code yet.')
      if (opened.user !== user) throw new JarvisError('conflict', 'Another number used the code. Nothing was paired.')
      const kind = parts.directory.kind(channel)
      if (kind === undefined || parts.directory.channel(channel)?.account !== account) throw unknown()
      const recipient: Recipient = {
        id: newId('rcp'),
        channel,
        account,
        person,
        user,
        chat: opened.chat,
        name: opened.name,
        isGroup: false,
        decides: 'deny',
        hidesNames: kind.capabilities.hidesNames,
        createdAt: now(),
        talks: kind.capabilities.talks !== undefined,
      }
      parts.durably(() => {
        if (!pairings.remove(id)) throw unknown()
        const before = recipients.list(channel).find((one) => one.user === user)
        if (before !== undefined) recipients.remove(before.id)
        recipients.add(recipient)
        const about = { channel, by: person, recipient: recipient.id, user, decides: recipient.decides }
        parts.record({ change: 'paired', ...about })
        parts.paired(recipient, before)
      })
      parts.changed()
      return recipient
    },
    /** @throws JarvisError `not_found` */
    cancel(id: string, person: string): void {
      own(id, person)
      parts.durably(() => {
        pairings.remove(id)
        parts.record({ change: 'pairing_ended', by: person, pairing: id })
      })
      parts.changed()
    },
  }
}
export type Pairings = ReturnType<typeof createPairings>
