import { useMemo } from 'react'
import { people } from './people.ts'
import { useRemote } from './remote.ts'

type Names = {
  /** Returns a person's name; returns `id` unchanged if it is not a person's id. Removed people have names too. */
  nameOf: (id: string) => string
  /** True if the server knows more than one person, so that names are worth showing. */
  isMany: boolean
  /** Ids and names of all known people. */
  people: readonly (readonly [string, string])[]
}

export function useNames(): Names {
  const reply = useRemote(people)
  return useMemo(() => {
    const known = reply === undefined ? [] : [...reply.removed, ...reply.items]
    const names = new Map(known.map(({ id, name }) => [id, name]))
    return { nameOf: (id) => names.get(id) ?? id, isMany: names.size > 1, people: [...names] }
  }, [reply])
}
export const useNameOf = () => useNames().nameOf
