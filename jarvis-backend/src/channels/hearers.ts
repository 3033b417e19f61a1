import type { ChannelDirectory } from './open-channels.ts'
import type { Recipient, RecipientStore } from './ports.ts'

/** Finds the recipients who hear of a matter. */
export function createHearers(parts: {
  recipients: Pick<RecipientStore, 'list'>
  directory: Pick<ChannelDirectory, 'kind'>
  /** Returns true if a person may decide cards now. */
  mayDecide(person: string): boolean
  /** Returns true if a person is told of another person's matter: operators of all, members of their own. */
  hears(person: string, asker: string | undefined): boolean
}) {
  /** @param asker the person whose matter it is; undefined: the first owner's matter, or nobody's */
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
