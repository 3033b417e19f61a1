import { readPeople } from './people.ts'
import { Remote, useRemote } from './remote.ts'

/** People's names by id, also of those who were removed. */
const names = new Remote(async () => {
  const { items, removed } = await readPeople()
  return new Map([...removed, ...items].map(({ id, name }) => [id, name]))
})
addEventListener('jarvis:changed', (event) => {
  if (['people', 'connect'].includes((event as CustomEvent<string>).detail)) names.renew()
})

type Names = {
  /** A person's name by id; what is no person's id stays as it is. */
  nameOf: (id: string) => string
  /** True if several people have been here, so that a name says something. */
  isMany: boolean
}

export function useNames(): Names {
  const known = useRemote(names)
  return { nameOf: (id) => known?.get(id) ?? id, isMany: (known?.size ?? 0) > 1 }
}
export const useNameOf = () => useNames().nameOf
