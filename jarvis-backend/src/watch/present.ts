import type { Alert, ClusterState, Limits } from 'protocol'
import { isUnread } from 'protocol/facts'
import type { StoredAlert } from './alert.ts'
import { everyMsOf } from './board.ts'
import type { Check, CheckPorts, Looked } from './check.ts'
import { shownAlerts } from './shown.ts'
import { step } from './step.ts'

/** The reason why a check cannot look at this state, in words; undefined if it can. */
export function unreadFor({ from }: Check, state: ClusterState): string | undefined {
  const part = from.find((one) => isUnread(state, one))
  return part === undefined ? undefined : (state.missing[0] ?? `the ${part} could not be read`)
}

/** Runs a check on the present state. @returns undefined if the check reads more than the state, or needs a list that is unread @throws CannotRun */
export function seenNow(check: Check, ports: CheckPorts): Looked | undefined {
  if (check.pace !== 'state' || check.asks || unreadFor(check, ports.state) !== undefined) return undefined
  const looked = check.look(ports)
  return looked instanceof Promise ? undefined : looked
}

const never = () => Promise.reject(new Error('Only the state is looked at.'))

/** The alerts that a first look at this state would begin, for programs in which no watch runs. */
export function presentAlerts(checks: readonly Check[], state: ClusterState, limits: Limits): Alert[] {
  const now = state.at
  const ports: CheckPorts = {
    state,
    limits,
    now,
    proofs: new Map(),
    signal: new AbortController().signal,
    api: { get: never },
    shell: { run: never },
    samples: () => [],
    own: () => undefined,
    ask: never,
    pools: { get: () => undefined, keep() {} },
    cluster: { tasks: never, backups: never, nodeDetail: never },
  }
  const alerts = checks.flatMap((check): StoredAlert[] => {
    const forMs = typeof check.forMs === 'number' ? check.forMs : check.forMs(limits)
    return (seenNow(check, ports)?.measures ?? []).flatMap(({ level, ...measure }) => {
      if (level === 'unseen') return []
      const id = `${check.id} ${measure.object.id}`
      return (
        step(undefined, { ...measure, level }, { now, id, check: check.id, forMs, everyMs: everyMsOf(check) }) ?? []
      )
    })
  })
  return shownAlerts(alerts, { now, state, limits, windows: [], checkOf: (id) => checks.find((one) => one.id === id) })
}
