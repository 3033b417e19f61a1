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
import type { AlertStore, CheckRun, StoredAlert, WindowStore } from './alert.ts'
import { type Board, everyMsOf } from './board.ts'
import type { Check } from './check.ts'
import { type DetailPorts, detailOf } from './detail.ts'
import type { Rounds } from './rounds.ts'
import { type Surroundings, shownAlert, shownAlerts } from './shown.ts'

const dayMs = 24 * 3_600_000
const longestSilenceMs = 30 * dayMs
/** Maximum number of a node's newest ended alerts that are searched for alerts around another alert. */
const mostEnded = 100

export type WatchParts = {
  checks(): readonly Check[]
  /** The reasons why the present `checks.yaml` is not in force. */
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
  /** @param shown limits a change to the words that the reader may see */
  detail(shown: (change: Change) => Change): DetailPorts
}

/** A person's decision about one alert. */
type Decision = {
  id: string
  /** The kind of the journal entry. */
  change: string
  by: string
  to(alert: StoredAlert): StoredAlert
  /** Further members of the journal entry. */
  more?: Record<string, unknown>
}

/** The alerts, checks and windows as people see them, and people's decisions about them. Every decision is journalled. */
export class Watch {
  readonly #parts: WatchParts
  /** The alerts as they are shown, cached until the board changes or a minute has passed, because silences and windows end with time. */
  readonly #current: () => readonly Alert[]

  /**
   * The alerts according to the cluster's present state. Returns the same array until something changes. An arrow function, because rooms pass it
   * on.
   */
  readonly present = (): readonly Alert[] => {
    this.#parts.rounds.refresh()
    return this.#current()
  }

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#current = onceFor(
      () => `${parts.board.version()} ${Math.floor(parts.now() / 60_000)}`,
      () => this.alerts(),
    )
  }

  /** Alerts that have not ended, most severe first. */
  alerts(): Alert[] {
    return shownAlerts(this.#parts.board.open(), this.#parts.around())
  }

  list(): AlertsReply {
    const { rounds, store, now } = this.#parts
    const rows = this.#parts.checks().map(({ id }) => rounds.runOf(id))
    const looked = rows.flatMap(({ lastAt }) => lastAt ?? [])
    return {
      items: this.alerts(),
      now: now(),
      checkedAt: looked.length === 0 ? null : Math.max(...looked),
      checks: {
        on: rows.filter(({ isOff }) => isOff === undefined).length,
        cannotRun: rows.filter(({ isOff, cannotRun }) => isOff === undefined && cannotRun === true).length,
      },
      ended: store.countEnded(now() - 7 * dayMs),
      silences: this.#silences(),
    }
  }

  history({ before, limit, ...query }: AlertHistoryQuery): AlertHistory {
    const [at = '', ...id] = before?.split('.') ?? []
    const cursor = before === undefined ? {} : { before: { at: Number(at), id: id.join('.') } }
    const found = this.#parts.store.ended({ ...query, limit: limit + 1, ...cursor })
    const items = found.slice(0, limit).map((alert) => shownAlert(alert, this.#parts.around()))
    const last = items.at(-1)
    return { items, ...(found.length > limit && last && { next: `${last.resolvedAt}.${last.id}` }) }
  }

  /** Returns the page of one alert. @param shown limits a change to the words that the reader may see @throws JarvisError `not_found` */
  async detail(id: string, shown: (change: Change) => Change): Promise<AlertDetail> {
    const { board, rounds, store, now } = this.#parts
    const stored = board.get(id)
    if (stored === undefined) throw noAlert()
    const around = this.#parts.around()
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
      this.#parts.detail(shown),
    )
  }

  checks(): ChecksReply {
    return { items: this.#parts.checks().map((check) => this.#rowOf(check)), problems: this.#parts.problems() }
  }

  /** Switches a check off or on. @throws JarvisError `not_found` */
  setOff(id: string, isOff: boolean, by: string): CheckRow {
    const { board, rounds, record } = this.#parts
    const check = this.#parts.checks().find((one) => one.id === id)
    if (check === undefined) throw new JarvisError('not_found', 'There is no such check.')
    record({ change: isOff ? 'check_off' : 'check_on', check: id, by }, () => {
      rounds.setOff(id, isOff)
      if (isOff) board.close((alert) => alert.check === id, `${by} switched the check off.`)
    })
    this.#parts.changed()
    return this.#rowOf(check)
  }

  /** Stops messages about an alert until it ends or gets worse. @throws JarvisError `not_found`, `conflict` (it has ended) */
  acknowledge(id: string, { note, untilValue }: z.infer<typeof AcknowledgeBody>, by: string): Alert {
    const at = this.#parts.now()
    const more = { note, untilValue }
    const to = (alert: StoredAlert): StoredAlert => {
      const until = untilValue === undefined ? {} : { until: `${alert.isLowBad ? 'below' : 'above'} ${untilValue}` }
      return { ...alert, acknowledged: { by, at, severity: alert.severity, ...more, ...until } }
    }
    return this.#decide({ id, change: 'acknowledged', by, to, more })
  }

  unacknowledge(id: string, by: string): Alert {
    return this.#decide({ id, change: 'unacknowledged', by, to: ({ acknowledged: _none, ...alert }) => alert })
  }

  /** @throws the errors of `acknowledge`, and `invalid_request` if `until` is not within the next 30 days */
  silence(id: string, { until, note }: z.infer<typeof SilenceBody>, by: string): Alert {
    const now = this.#parts.now()
    if (until !== undefined && (until <= now || until > now + longestSilenceMs))
      throw new JarvisError(
        'invalid_request',
        'until: must be in the future, and at most 30 days ahead. Without it the silence has no end.',
      )
    const given = { note, until }
    const to = (alert: StoredAlert): StoredAlert => ({ ...alert, silence: { by, ...given } })
    return this.#decide({ id, change: 'silenced', by, to, more: given })
  }

  /** Ends a silence, also that of an ended alert. @throws JarvisError `not_found`, `conflict` */
  unsilence(id: string, by: string): Alert {
    const { board, now } = this.#parts
    const silent = board.silent(now()).find((alert) => alert.id === id)
    const to = ({ silence: _none, ...alert }: StoredAlert): StoredAlert => alert
    return this.#decide({ id, change: 'unsilenced', by, to }, silent)
  }

  /** Windows that have not ended, in the order of their beginning. */
  windows(): MaintenanceWindow[] {
    return this.#parts.windows.list(this.#parts.now())
  }

  /** @throws JarvisError `invalid_request` if the window has ended already or is longer than 30 days */
  addWindow(body: z.infer<typeof WindowBody>, by: string): MaintenanceWindow {
    const { windows, now, record } = this.#parts
    if (body.until <= now()) throw new JarvisError('invalid_request', 'until: must be in the future.')
    if (body.until - body.from > longestSilenceMs)
      throw new JarvisError('invalid_request', 'until: must be at most 30 days after from.')
    const window = { id: newId('win'), ...body, by }
    record({ change: 'window_added', window: window.id, ...body, by }, () => windows.add(window))
    this.#parts.changed()
    return window
  }

  /** @throws JarvisError `not_found` */
  removeWindow(id: string, by: string): void {
    const { windows, record } = this.#parts
    record({ change: 'window_removed', window: id, by }, () => {
      if (!windows.remove(id)) throw new JarvisError('not_found', 'There is no such window.')
    })
    this.#parts.changed()
  }

  /** Takes a notification of Proxmox as a hint to look. @param type Proxmox's own: `vzdump`, `replication`, … */
  hint(type: string | undefined): void {
    this.#parts.hint(type)
  }

  /** Runs all checks now. */
  checkNow(): Promise<void> {
    return this.#parts.rounds.all()
  }

  #decide({ id, change, by, to, more = {} }: Decision, before = this.#openAlert(id)): Alert {
    const after = to(before)
    this.#parts.record({ change, alert: id, check: before.check, object: before.object.id, by, ...more }, () => {
      this.#parts.board.change(before, after)
    })
    this.#parts.changed()
    return shownAlert(after, this.#parts.around())
  }

  #openAlert(id: string): StoredAlert {
    const alert = this.#parts.board.get(id)
    if (alert === undefined) throw noAlert()
    if (alert.state === 'resolved') throw new JarvisError('conflict', 'This alert has ended already.')
    return alert
  }

  #rowOf(check: Check): CheckRow {
    const { board, rounds } = this.#parts
    const { id, title, reads } = check
    const run = rounds.runOf(id)
    const firing = board.open().filter((alert) => alert.check === id && alert.firedAt !== undefined).length
    return {
      id,
      title,
      reads,
      limit: check.limit(this.#parts.around().limits),
      state: stateOf(run, firing),
      everyMs: everyMsOf(check),
      firing,
      problem: run.problem,
      lastAt: run.lastAt,
      ...(check.isOwn && { isOwn: true as const }),
    }
  }

  #silences(): AlertsReply['silences'] {
    const { board, now } = this.#parts
    return board.silent(now()).flatMap(({ id, check, object, sentence, state, silence }) => {
      if (silence === undefined) return []
      return [{ alert: id, check, object: object.id, sentence, hasEnded: state === 'resolved', ...silence }]
    })
  }
}

const noAlert = () => new JarvisError('not_found', 'There is no such alert.')

function stateOf({ isOff, cannotRun, lastAt, problem }: CheckRun, firing: number): CheckRow['state'] {
  if (isOff === true) return 'off'
  if (cannotRun === true) return 'cannot_run'
  if (firing > 0) return 'alerts'
  return lastAt === undefined || problem !== undefined ? 'unknown' : 'ok'
}
