import type { ApiError } from 'protocol/client'
import { useEffect, useMemo, useRef } from 'react'
import { useValue } from '../lib/use-value.ts'
import { forgetUnused, remoteOf } from './remote.ts'

/** Data of a page. `data`: the newest good answer. `isOld`: true if `data` is not the answer for this `key`. */
export type Load<T> = {
  data: T | undefined
  isOld: boolean
  problem: ApiError | undefined
  again: () => void
  put: (data: T) => void
}

/**
 * Reads when a component mounts, when `key` changes, and when the server reports a change named in `on`. Components with the same key share one
 * read. A component that mounts again shows the last answer meanwhile. While the server is unreachable, reads every 5 s.
 * @param key names the request and its arguments: `settings`, `agent ${id}`
 * @param read undefined: nothing is read
 */
export function useLoad<T>(key: string, read: (() => Promise<T>) | undefined, on: readonly string[] = []): Load<T> {
  const reader = useRef(read)
  // Another component may still show the data when this one no longer reads it.
  if (read !== undefined) reader.current = read
  const { remote, newest } = useMemo(() => {
    const newest = () => (reader.current as () => Promise<T>)()
    return { newest, remote: remoteOf<T>(key, newest) }
  }, [key])
  const data = useValue(remote.value)
  const problem = useValue(remote.problem)
  const isRead = read !== undefined
  const watched = on.join(' ')
  useEffect(() => (isRead ? remote.use(newest, watched.split(' ')) : undefined), [remote, newest, isRead, watched])
  /** The data that is shown until this key has its own. */
  const shown = useRef(remote)
  if (data !== undefined) shown.current = remote
  return {
    data: isRead ? shown.current.value.get() : undefined,
    isOld: data === undefined,
    problem,
    again: remote.renew,
    put: remote.put,
  }
}

/** As `useLoad`, for data that a person edits: an editor must not begin with an answer from before it was opened. */
export function useNewest<T>(...asked: Parameters<typeof useLoad<T>>): Load<T> {
  const [key] = asked
  useMemo(() => forgetUnused(key), [key])
  return useLoad(...asked)
}
