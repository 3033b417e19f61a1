import type { ChannelDirectory } from './open-channels.ts'
import type { Recipient, RecipientStore } from './ports.ts'

/** Says who hears of what. */
export function createHearers(parts: {
  recipients: Pick<RecipientStore, 'list'>
  directory: Pick<ChannelDirectory, 'kind'>
  /** Whether a person may decide cards now. */
  mayDecide(person: string): boolean
  /** Whether a person is told of what another asked for: operators of everything, members of their own. */
  hears(person: string, asker: string | undefined): boolean
}) {
  /** @param asker whose matter it is; undefined: the first owner's, or nobody's */
  const hears = ({ channel, person }: Recipient, asker: string | undefined): boolean =>
    parts.directory.kind(channel)?.capabilities.subscribes === true
      ? parts.hears(person, asker)
      : parts.mayDecide(person)
  return {
    hears,
    /** Everybody who hears of a matter. */
    of: (asker: string | undefined): Recipient[] => parts.recipients.list().filter((one) => hears(one, asker)),
  }
}
export type Hearers = ReturnType<typeof createHearers>
