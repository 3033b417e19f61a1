import { readPeople } from './people.ts'
import { Remote, useRemote } from './remote.ts'

/** People's names by id, including removed people. */
const names = new Remote(async () => {
  const { items, removed } = await readPeople()
  return new Map([...removed, ...items].map(({ id, name }) => [id, name]))
})
addEventListener('jarvis:changed', (event) => {
  if (['people', 'connect'].includes((event as CustomEvent<string>).detail)) names.renew()
})

type Names = {
  /** Returns a person's name; returns `id` unchanged if it is not a person's id. */
  nameOf: (id: string) => string
  /** True if the server knows more than one person, so that names are worth showing. */
  isMany: boolean
  /** Ids and names of all known people. */
  people: readonly (readonly [string, string])[]
}

export function useNames(): Names {
  const known = useRemote(names)
  return { nameOf: (id) => known?.get(id) ?? id, isMany: (known?.size ?? 0) > 1, people: [...(known ?? [])] }
}
export const useNameOf = () => useNames().nameOf
