import { JarvisError } from 'protocol'
import { newId } from '../lib/ids.ts'
import type { ChannelKind, Group, Incoming } from './channel.ts'
import type { ChannelDirectory } from './open-channels.ts'
import type { Content, Recipient, RecipientStore } from './ports.ts'
import type { Putting } from './putting.ts'
import type { Say } from './spoken.ts'

const mostNoticed = 10
const mostName = 60
const patienceMs = 15_000
const toldForMs = 10 * 60_000

export type Groups = ReturnType<typeof createGroups>

/** Group chats that an owner chose to be told. Nothing that is written or pressed in one is heard. */
export function createGroups(parts: {
  recipients: RecipientStore
  directory: Pick<ChannelDirectory, 'kind' | 'channel'>
  putting: Pick<Putting, 'add'>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  atomically<T>(work: () => T): T
  durably<T>(work: () => T): T
  record(body: Record<string, unknown>): void
  announce(text: string, level: 'info' | 'warning'): void
  say: Say
  look(): void
  changed(): void
  now(): number
}) {
  const { recipients, settings, say } = parts
  const keyOf = (channel: string, account: string) => `channel_groups_${channel}_${account}`
  const nameOf = (name: string) => say(name.trim() === '' ? 'a group without a name' : name, mostName)
  function noticedIn(channel: string, account: string): Group[] {
    return JSON.parse(settings.get(keyOf(channel, account)) ?? '[]') as Group[]
  }
  const toldIn = (channel: string, id: string) =>
    recipients.list(channel).find(({ isGroup, chat }) => isGroup && chat === id)

  /** @throws JarvisError `not_found`, `conflict` */
  function opened(channel: string) {
    const kind = parts.directory.kind(channel)
    if (kind === undefined) throw new JarvisError('not_found', 'There is no such channel.')
    if (kind.capabilities.groups !== true) throw new JarvisError('conflict', `${kind.name} tells no groups.`)
    const open = parts.directory.channel(channel)
    if (open === undefined) throw new JarvisError('conflict', `Set ${kind.name} up first.`)
    return { kind, open }
  }
  async function asked<T>(kind: ChannelKind, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await work(AbortSignal.timeout(patienceMs))
    } catch (error) {
      throw new JarvisError('conflict', `${kind.name}: ${error instanceof Error ? error.message : 'it failed'}.`)
    }
  }

  return {
    /** Somebody took us into a group or out of it. Only a paired person's groups are offered to the owner. */
    noticed(
      kind: ChannelKind,
      account: string,
      { by, group, isIn }: Extract<Incoming, { kind: 'group' }>,
      advance: () => void,
    ): undefined {
      const isTheirs = recipients
        .list(kind.id)
        .some((one) => !one.isGroup && one.account === account && one.user === by)
      const told = toldIn(kind.id, group.id)
      parts.atomically(() => {
        advance()
        const others = noticedIn(kind.id, account).filter(({ id }) => id !== group.id)
        if (isIn && !isTheirs) return
        const named = { id: group.id, name: nameOf(group.name) }
        const now = isIn ? [named, ...others].slice(0, mostNoticed) : others
        settings.set(keyOf(kind.id, account), JSON.stringify(now))
        if (told === undefined) return
        recipients.trouble(told.id, isIn ? undefined : 'JARVIS was taken out of this group')
      })
      if (told !== undefined && !isIn)
        parts.announce(`${kind.name} took JARVIS out of a group that it told.`, 'warning')
      parts.changed()
      return undefined
    },
    /** Groups that could be told. @throws JarvisError `not_found`, `conflict` */
    async list(channel: string): Promise<Group[]> {
      const { kind, open } = opened(channel)
      const listed = await asked(kind, async (signal) => (await open.channel.groups?.(signal)) ?? [])
      const found = [...noticedIn(channel, open.account), ...listed.map(({ id, name }) => ({ id, name: nameOf(name) }))]
      return found.filter(({ id }) => toldIn(channel, id) === undefined)
    },
    /** Has a group told from now on. @param id the service's, as the owner read it @throws JarvisError `not_found`, `conflict` */
    async bind(channel: string, id: string, person: string): Promise<Recipient> {
      const { kind, open } = opened(channel)
      const group = await asked(kind, async (signal) => {
        if (open.channel.group === undefined) throw new Error('it tells no groups')
        return open.channel.group(id, signal)
      })
      const recipient: Recipient = {
        id: newId('rcp'),
        channel,
        account: open.account,
        person,
        user: group.id,
        chat: group.id,
        name: nameOf(group.name),
        isGroup: true,
        createdAt: parts.now(),
        // Not everybody in a group may know what there is, or decide anything.
        ...({ decides: 'none', hidesNames: true, talks: false } as const),
      }
      parts.durably(() => {
        if (parts.directory.channel(channel)?.account !== open.account || !recipients.add(recipient))
          throw new JarvisError('conflict', 'This group is told already.')
        parts.record({ change: 'group_told', channel, by: person, recipient: recipient.id, group: group.id })
        const title = say('JARVIS tells this group of alerts and jobs. It reads nothing that is written here.')
        const content: Content = { kind: 'pairing', level: 'info', title, lines: [], path: '/' }
        parts.putting.add(recipient, `paired:${recipient.id}`, content, toldForMs)
      })
      parts.changed()
      parts.look()
      return recipient
    },
    /** The service itself gave a group another id, as Telegram does where a group becomes a supergroup. */
    moved({ id, channel, isGroup, chat: before }: Recipient, chat: string): void {
      if (!isGroup) return
      parts.durably(() => {
        if (recipients.move(id, chat))
          parts.record({ change: 'group_moved', channel, recipient: id, before, now: chat })
      })
      parts.changed()
    },
  }
}
