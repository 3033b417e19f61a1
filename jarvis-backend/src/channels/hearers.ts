import type { ChannelDirectory } from './open-channels.ts'
import type { ChannelPeople } from './parts.ts'
import type { Recipient, RecipientStore } from './ports.ts'

export type HearersParts = {
  recipients: Pick<RecipientStore, 'list'>
  directory: Pick<ChannelDirectory, 'kind'>
  people: Pick<ChannelPeople, 'mayDecide' | 'hears'>
}

/** Finds the recipients that are notified of a matter. */
export class Hearers {
  readonly #parts: HearersParts

  constructor(parts: HearersParts) {
    this.#parts = parts
  }

  /**
   * Returns true if a recipient is notified of a matter. @param asker the person whose matter it is; undefined: the first owner's matter, or
   * nobody's
   */
  hears({ channel, person }: Recipient, asker: string | undefined): boolean {
    const { directory, people } = this.#parts
    return directory.kind(channel)?.capabilities.subscribes === true
      ? people.hears(person, asker)
      : people.mayDecide(person)
  }

  /** All recipients that are notified of a matter. @param asker as in `hears` */
  of(asker: string | undefined): Recipient[] {
    return this.#parts.recipients.list().filter((one) => this.hears(one, asker))
  }
}
