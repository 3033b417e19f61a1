/** A person who may sign in, with their present name and the name of their role. */
export type KnownPerson = { id: string; name: string; role: string }

/** The people who ask for calls and decide cards. A role is looked up each time, so that a change of role applies at once. */
export interface People {
  /** @param id absent or unknown: the first owner. @returns undefined for a person who was removed or may not sign in */
  find(id: string | undefined): KnownPerson | undefined
  /** Lists all people who may sign in. */
  list(): readonly KnownPerson[]
}

const owner: KnownPerson = { id: 'operator', name: 'operator', role: 'owner' }
/** The people of an installation in which only the owner asks. */
export const onlyOwner: People = { find: () => owner, list: () => [owner] }
