import { ApiError } from 'protocol/client'
import { useEffect, useReducer, useRef, useState } from 'react'

const againAfterMs = 5_000

/** Data of a page. `data`: the newest good answer. `isOld`: true if `data` is the answer for an earlier `key`. */
export type Load<T> = {
  data: T | undefined
  isOld: boolean
  problem: ApiError | undefined
  again: () => void
  put: (data: T) => void
}

/**
 * Reads when the component mounts, when `key` changes, and when the server reports a change named in `on`. While the server is unreachable, reads
 * every 5 s.
 */
export function useLoad<T>(key: string, read: () => Promise<T>, on: readonly string[] = []): Load<T> {
  const [state, setState] = useState<{ key?: string; data?: T; problem?: ApiError }>({})
  const [tries, again] = useReducer((count: number) => count + 1, 0)
  const reader = useRef(read)
  reader.current = read
  const watched = on.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try reads the same again
  useEffect(() => {
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    reader.current().then(
      (data) => !isGone && setState({ key, data }),
      (error: unknown) => {
        if (isGone) return
        const problem = error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.')
        setState((before) => ({ ...before, problem }))
        if (problem.code === 'unreachable') timer = setTimeout(again, againAfterMs)
      },
    )
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [key, tries])
  useEffect(() => {
    const listen = (event: Event) => {
      if (watched.split(' ').includes((event as CustomEvent<string>).detail)) again()
    }
    addEventListener('jarvis:changed', listen)
    return () => removeEventListener('jarvis:changed', listen)
  }, [watched])
  return {
    data: state.data,
    isOld: state.key !== key,
    problem: state.problem,
    again,
    put: (data) => setState({ key, data }),
  }
}
