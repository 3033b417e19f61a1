import type { ClusterState } from 'protocol'
import { isBlind } from 'protocol/facts'
import { oneLine } from './format.ts'

/** A state that was read longer ago than this counts as unknown, ms. */
export const unknownAfterMs = 30_000

const mostLines = 10

/**
 * First lines of a report on incomplete data, beginning with the age of the data; empty if everything is known.
 * @param missing the parts that could not be read, in words
 */
export function leadLines(state: ClusterState, missing: readonly string[] = state.missing): string[] {
  if (missing.length === 0) return []
  const said = missing.slice(0, mostLines).map((line) => oneLine(line.replace(/[<>]/g, '')))
  const more = missing.length > mostLines ? `; and ${missing.length - mostLines} more` : ''
  const [first = '', ...others] = said
  if (state.unreachableSince === undefined && !isBlind(state)) return [`Could not be read: ${said.join('; ')}${more}.`]
  const rest = others.length === 0 ? [] : [`Could not be read before that either: ${others.join('; ')}${more}.`]
  return [`${isBlind(state) ? 'UNKNOWN' : 'NOT UP TO DATE'}: ${first}.`, ...rest]
}

/** The first of `leadLines`, for a summary of one line; undefined if everything is known. */
export function leadSummary(state: ClusterState, missing: readonly string[] = state.missing): string | undefined {
  const [first] = missing
  if (first === undefined) return undefined
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : ''
  if (isBlind(state)) return `unknown: ${oneLine(first)}`
  return state.unreachableSince === undefined ? `not read: ${oneLine(first, 100)}${more}` : oneLine(first)
}

/**
 * Marks everything as unknown that may have changed since the last read. Names, places, sizes and locks stay.
 * @param since the time of the last successful read of the cluster, or if there was none, of the first failed read; Unix ms
 */
export function asUnknown(state: ClusterState, since: number): ClusterState {
  return {
    ...state,
    unreachableSince: state.unreachableSince ?? since,
    isQuorate: null,
    nodes: state.nodes.map(({ name, role, isProtected, lastSeenAt }) => ({
      name,
      status: 'unknown',
      isProtected,
      role,
      lastSeenAt,
    })),
    guests: state.guests.map(({ netInBps: _in, netOutBps: _out, diskBps: _disk, ...guest }) => ({
      ...guest,
      status: 'unknown',
      ...noFigures,
    })),
    storages: state.storages.map((storage) => ({ ...storage, isActive: null, usedBytes: null })),
    tasks: [],
    unread: [...new Set([...(state.unread ?? []), 'tasks' as const])],
  }
}

/** The figures of a guest whose node does not answer: all unknown. */
export const noFigures = { uptimeS: null, cpuRatio: null, ramBytes: null, diskBytes: null }
