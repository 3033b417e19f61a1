import type { Change } from 'protocol'
import { ApiError } from 'protocol/client'
import { useRef, useState } from 'react'
import { readChanges } from '../../api/change.ts'
import { useLoad } from '../../api/use-load.ts'

const pageSize = 60

/**
 * Loads the changes that JARVIS made to an object, newest first. The newest are read again after each change, earlier ones on request. @param targets
 * such as `vm/101`, `node/pve`
 */
export function useChanges(targets: readonly string[]) {
  const newest = useLoad(`changes of ${targets.join()}`, () => pageOf(targets), ['connect', 'changes'])
  const [older, setOlder] = useState<Change[]>([])
  const [problem, setProblem] = useState<ApiError>()
  const [hasEnded, setEnded] = useState(false)
  const isReading = useRef(false)
  const read = newest.data ?? []
  const known = new Set(read.map(({ id }) => id))
  const list = [...read, ...older.filter(({ id }) => !known.has(id))]
  async function more() {
    const last = list.at(-1)
    if (last === undefined || isReading.current) return
    isReading.current = true
    try {
      const page = await pageOf(targets, last.at)
      setOlder((before) => [...before, ...page])
      setEnded(page.length < pageSize)
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.'))
    }
    isReading.current = false
  }
  return {
    list,
    isRead: newest.data !== undefined,
    problem: newest.problem ?? problem,
    again: newest.again,
    onMore: read.length < pageSize || hasEnded ? undefined : () => void more(),
  }
}

async function pageOf(targets: readonly string[], before?: number): Promise<Change[]> {
  const found = await Promise.all(targets.map((target) => readChanges(target, pageSize, before)))
  return found
    .flatMap(({ items }) => items)
    .sort((a, b) => b.at - a.at)
    .slice(0, pageSize)
}
