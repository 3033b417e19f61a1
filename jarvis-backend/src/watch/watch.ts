import type {
  AcknowledgeBody,
  Alert,
  AlertDetail,
  AlertHistory,
  AlertHistoryQuery,
  AlertsReply,
  Change,
  CheckRow,
  ChecksReply,
  MaintenanceWindow,
  SilenceBody,
  WindowBody,
} from 'protocol'
import { JarvisError } from 'protocol/errors'
import type { z } from 'zod'
import { newId } from '../lib/ids.ts'
import { onceFor } from '../lib/once-for.ts'
import type { AlertStore, StoredAlert, WindowStore } from './alert.ts'
import { type Board, everyMsOf } from './board.ts'
import type { Check } from './check.ts'
import { type DetailPorts, detailOf } from './detail.ts'
import type { Rounds } from './rounds.ts'
import { type Surroundings, shownAlert, shownAlerts } from './shown.ts'

const dayMs = 24 * 3_600_000
const longestSilenceMs = 30 * dayMs
/** Newest ended alerts of a node that are looked through for those around another. */
const mostEnded = 100

export type Watch = ReturnType<typeof createWatch>

/** What people ask of the watch and decide about it. Every decision is journalled. */
export function createWatch(parts: {
  checks(): readonly Check[]
  /** Why the present `checks.yaml` is not in force. */
  problems(): string[]
  board: Board
  rounds: Rounds
  store: AlertStore
  windows: WindowStore
  around(): Surroundings
  now(): number
  hint(type: string | undefined): void
  /** Runs `work` and journals it in one transaction. */
  record(body: Record<string, unknown>, work: () => void): void
  changed(): void
  /** @param shown a change as whoever asks is shown it */
  detail(shown: (change: Change) => Change): DetailPorts
}) {
  const { board, rounds, store, now } = parts

  const openOne = (id: string): StoredAlert => {
    const alert = board.get(id)
    if (alert === undefined) throw new JarvisError('not_found', 'There is no such alert.')
    if (alert.state === 'resolved') throw new JarvisError('conflict', 'This alert has ended already.')
    return alert
  }
  const silentOne = (id: string) => board.silent(now()).find((alert) => alert.id === id) ?? openOne(id)
  function decide(
    id: string,
    change: string,
    by: string,
    to: (alert: StoredAlert) => StoredAlert,
    more = {},
    find = openOne,
  ): Alert {
    const before = find(id)
    const after = to(before)
    parts.record({ change, alert: id, check: before.check, object: before.object.id, by, ...more }, () => {
      board.change(before, after)
    })
    parts.changed()
    return shownAlert(after, parts.around())
  }

  function rowOf(check: Check, firing: number): CheckRow {
    const { id, title, reads } = check
    const { isOff, lastAt, problem, cannotRun } = rounds.runOf(id)
    const state =
      isOff === true
        ? 'off'
        : cannotRun === true
          ? 'cannot_run'
          : firing > 0
            ? 'alerts'
            : lastAt === undefined || problem !== undefined
              ? 'unknown'
              : 'ok'
    return {
      id,
      title,
      reads,
      limit: check.limit(parts.around().limits),
      state,
      everyMs: everyMsOf(check),
      firing,
      ...(problem !== undefined && { problem }),
      lastAt,
      ...(check.isOwn && { isOwn: true as const }),
    }
  }

  function checkOf(id: string): Check {
    const check = parts.checks().find((one) => one.id === id)
    if (check === undefined) throw new JarvisError('not_found', 'There is no such check.')
    return check
  }
  const firingOf = (id: string) =>
    board.open().filter(({ check, firedAt }) => check === id && firedAt !== undefined).length

  const silences = (): AlertsReply['silences'] =>
    board.silent(now()).flatMap(({ id, check, object, sentence, state, silence }) => {
      if (silence === undefined) return []
      return [{ alert: id, check, object: object.id, sentence, hasEnded: state === 'resolved', ...silence }]
    })

  const current = onceFor(
    // Silences and windows end with time.
    () => `${board.version()} ${Math.floor(now() / 60_000)}`,
    () => shownAlerts(board.open(), parts.around()),
  )

  return {
    /** Alerts that have not ended, gravest first. */
    alerts: (): Alert[] => shownAlerts(board.open(), parts.around()),
    /** The same by the present state of the cluster; the same array until something is different. */
    present(): readonly Alert[] {
      rounds.refresh()
      return current()
    },
    list(): AlertsReply {
      const rows = parts.checks().map(({ id }) => rounds.runOf(id))
      const looked = rows.flatMap(({ lastAt }) => lastAt ?? [])
      return {
        items: shownAlerts(board.open(), parts.around()),
        now: now(),
        checkedAt: looked.length === 0 ? null : Math.max(...looked),
        checks: {
          on: rows.filter(({ isOff }) => isOff === undefined).length,
          cannotRun: rows.filter(({ isOff, cannotRun }) => isOff === undefined && cannotRun === true).length,
        },
        ended: store.countEnded(now() - 7 * dayMs),
        silences: silences(),
      }
    },
    history({ before, limit, ...query }: AlertHistoryQuery): AlertHistory {
      const [at = '', ...id] = before?.split('.') ?? []
      const cursor = before === undefined ? {} : { before: { at: Number(at), id: id.join('.') } }
      const found = store.ended({ ...query, limit: limit + 1, ...cursor })
      const items = found.slice(0, limit).map((alert) => shownAlert(alert, parts.around()))
      const last = items.at(-1)
      return { items, ...(found.length > limit && last && { next: `${last.resolvedAt}.${last.id}` }) }
    },
    /** @param shown a change as whoever asks is shown it @throws JarvisError `not_found` */
    async detail(id: string, shown: (change: Change) => Change): Promise<AlertDetail> {
      const stored = board.get(id)
      if (stored === undefined) throw new JarvisError('not_found', 'There is no such alert.')
      const around = parts.around()
      const open = shownAlerts(board.open(), around)
      const { node } = stored.object
      const ended = node === undefined ? [] : store.ended({ node, limit: mostEnded })
      return detailOf(
        stored,
        {
          open,
          store,
          now: now(),
          check: around.checkOf(stored.check),

          durationMs: rounds.runOf(stored.check).durationMs,
          ended: ended.map((alert) => shownAlert(alert, around)),
          shown: open.find((alert) => alert.id === id) ?? shownAlert(stored, around),
        },
        parts.detail(shown),
      )
    },
    checks: (): ChecksReply => ({
      items: parts.checks().map((check) => rowOf(check, firingOf(check.id))),
      problems: parts.problems(),
    }),
    /** @throws JarvisError `not_found` */
    setOff(id: string, isOff: boolean, by: string): CheckRow {
      const check = checkOf(id)
      parts.record({ change: isOff ? 'check_off' : 'check_on', check: id, by }, () => {
        rounds.setOff(id, isOff)
        if (isOff) board.close((alert) => alert.check === id, `${by} switched the check off.`)
      })
      parts.changed()
      return rowOf(check, firingOf(id))
    },
    /** Nobody is told of the alert until it ends or gets worse. @throws JarvisError `not_found`, `conflict` (it has ended) */
    acknowledge(id: string, { note, untilValue }: z.infer<typeof AcknowledgeBody>, by: string): Alert {
      const more = { ...(note !== undefined && { note }), ...(untilValue !== undefined && { untilValue }) }
      return decide(
        id,
        'acknowledged',
        by,
        (alert) => ({
          ...alert,
          acknowledged: {
            by,
            at: now(),
            severity: alert.severity,
            ...more,
            ...(untilValue !== undefined && { until: `${alert.isLowBad ? 'below' : 'above'} ${untilValue}` }),
          },
        }),
        more,
      )
    },
    unacknowledge: (id: string, by: string): Alert =>
      decide(id, 'unacknowledged', by, ({ acknowledged: _none, ...alert }) => alert),
    /** @throws as `acknowledge`, and `invalid_request` where `until` is given and not within 30 days */
    silence(id: string, { until, note }: z.infer<typeof SilenceBody>, by: string): Alert {
      if (until !== undefined && (until <= now() || until > now() + longestSilenceMs))
        throw new JarvisError(
          'invalid_request',
          'until: must be in the future, and at most 30 days ahead. Without it the silence has no end.',
        )
      const given = { note, ...(until !== undefined && { until }) }
      return decide(id, 'silenced', by, (alert) => ({ ...alert, silence: { by, ...given } }), given)
    },
    /** Of an ended alert too, while its silence holds. @throws JarvisError `not_found`, `conflict` */
    unsilence: (id: string, by: string): Alert =>
      decide(id, 'unsilenced', by, ({ silence: _none, ...alert }) => alert, {}, silentOne),
    /** Windows that have not ended, soonest to begin first. */
    windows: (): MaintenanceWindow[] => parts.windows.list(now()),
    /** @throws JarvisError `invalid_request` where it has ended already, or is longer than 30 days */
    addWindow(body: z.infer<typeof WindowBody>, by: string): MaintenanceWindow {
      if (body.until <= now()) throw new JarvisError('invalid_request', 'until: must be in the future.')
      if (body.until - body.from > longestSilenceMs)
        throw new JarvisError('invalid_request', 'until: must be at most 30 days after from.')
      const window = { id: newId('win'), ...body, by }
      parts.record({ change: 'window_added', window: window.id, ...body, by }, () => parts.windows.add(window))
      parts.changed()
      return window
    },
    /** @throws JarvisError `not_found` */
    removeWindow(id: string, by: string) {
      parts.record({ change: 'window_removed', window: id, by }, () => {
        if (!parts.windows.remove(id)) throw new JarvisError('not_found', 'There is no such window.')
      })
      parts.changed()
    },
    /** A notification of Proxmox came: a hint to look. @param type Proxmox's own: `vzdump`, `replication`, … */
    hint: parts.hint,
    /** Lets all checks look now. */
    checkNow: rounds.all,
  }
}
