import { firstOwnerId } from 'protocol'
import { isAtLeast } from '../../auth/roles.ts'
import type { People } from '../../calls/people.ts'
import type { ChannelPeople } from '../parts.ts'

/** Returns true if a person may decide cards now. */
export function mayDecide(people: Pick<People, 'find'>, person: string): boolean {
  const found = people.find(person)
  return found?.id === person && isAtLeast(found.role, 'operator')
}

/** The people of JARVIS, for the channels. */
export class HousePeople implements ChannelPeople {
  readonly firstOwner = firstOwnerId
  readonly #people: Pick<People, 'find'>
  readonly #hears: ChannelPeople['hears']

  constructor(people: Pick<People, 'find'>, hears: ChannelPeople['hears']) {
    this.#people = people
    this.#hears = hears
  }

  nameOf(person: string): string {
    return this.#people.find(person)?.name ?? person
  }

  mayDecide(person: string): boolean {
    return mayDecide(this.#people, person)
  }

  hears(person: string, asker: string | undefined): boolean {
    return this.#hears(person, asker)
  }
}
