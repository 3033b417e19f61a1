/** A person who may sign in, as they stand now. `role`: its name. */
export type KnownPerson = { id: string; name: string; role: string }

/** The people in whose names calls are asked for and decided. A role is looked up each time, so that a change counts at once. */
export interface People {
  /** @param id absent, or no person's: the first owner. @returns undefined for somebody who was removed or may not sign in */
  find(id: string | undefined): KnownPerson | undefined
  /** All who may sign in. */
  list(): readonly KnownPerson[]
}

const owner: KnownPerson = { id: 'operator', name: 'operator', role: 'owner' }
/** Where there are no other people, whoever asks is the owner. */
export const onlyOwner: People = { find: () => owner, list: () => [owner] }
