import type { House } from 'house'
import type { Health, PartStatus, Status } from 'protocol'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { Gate } from '../calls/room.ts'
import type { WebPush } from '../channels/web-push/room.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { diskOf } from '../http/disk.ts'
import { metricsText } from '../http/metrics.ts'
import { statusParts } from '../http/status-parts.ts'
import type { SiteLog } from '../log/site-log.ts'
import type { ComposedMemory } from '../memory/room.ts'
import type { ComposedModels } from '../providers/choice/models.ts'
import type { Realtime } from '../realtime/server.ts'
import { journalHead } from '../store/sqlite/journal/journal.ts'
import type { Timekeeper } from '../time/timekeeper.ts'
import type { Watch } from '../watch/watch.ts'
import type { NextStart } from './program.ts'

/** The parts that the state of the server is read from. */
export type StateNeeds = {
  foundation: Foundation
  config: Config
  version: string
  rooms(): ReturnType<House<never, never>['rooms']>
  siteLog: SiteLog
  time: Timekeeper
  homelab: Pick<ComposedHomelab, 'cluster' | 'openable'>
  models: ComposedModels
  memory: Pick<ComposedMemory, 'status'>
  gate: Pick<Gate, 'policy' | 'confirmations' | 'calls' | 'glass'>
  apiTokens: Pick<ApiTokens, 'list'>
  push: Pick<WebPush, 'standing'>
  watch: Pick<Watch, 'alerts' | 'checks'>
  realtime: Pick<Realtime, 'io' | 'names'>
  /** The comparison with the configuration of the next start. Undefined if another program contains JARVIS, so that JARVIS cannot restart itself. */
  next: NextStart | undefined
}

/** The state that JARVIS reports of itself: health, status and metrics. Asks no other server. */
export class SystemState {
  /** Unix ms. */
  readonly startedAt = Date.now()
  readonly #parts: StateNeeds
  readonly #lastEntry: () => { seq: number }
  readonly #sqliteVersion: string

  constructor(parts: StateNeeds) {
    this.#parts = parts
    const { database } = parts.foundation
    this.#lastEntry = journalHead(database)
    this.#sqliteVersion = String(database.sql.prepare('SELECT sqlite_version()').pluck().get())
  }

  health(): Health {
    const { foundation, version } = this.#parts
    return {
      status: foundation.isStopping() ? 'shutting_down' : 'ok',
      version,
      uptime: this.#uptimeS(),
      ...(foundation.database.isHeld() && { database: 'busy' as const }),
    }
  }

  status(): Status {
    const { config, version, next, models, homelab, gate } = this.#parts
    const { policy, glass } = gate
    return {
      ...next?.saved(),
      version,
      uptimeS: this.#uptimeS(),
      model: models.model().id,
      models: models.choice.ids(),
      isDemoModel: models.config().kind === 'demo',
      isDemoCluster: homelab.cluster.state().isDemo,
      hasTerminal: homelab.openable !== undefined,
      ...(config.transcriptions !== undefined && { hasSpeech: true as const }),
      policy: policy.status(),
      ...(glass.recent().length > 0 && { glassBroken: glass.recent() }),
      parts: this.#partsNow(),
    }
  }

  /** In Prometheus' text format. */
  async metrics(): Promise<string> {
    const { foundation, version, models, homelab, gate, watch } = this.#parts
    return metricsText({
      version,
      model: models.model().id,
      startedAt: this.startedAt,
      parts: this.#partsNow(),
      cluster: homelab.cluster.state(),
      calls: await gate.calls(),
      waiting: [...gate.confirmations.pendingCounts().values()].reduce((sum, count) => sum + count, 0),
      journalEntries: this.#lastEntry().seq,
      commits: foundation.database.commits(),
      models: models.tallies(),
      alerts: watch.alerts(),
      checks: watch.checks().items,
      sockets: this.#sockets(),
    })
  }

  /** The rooms that did not start, with redacted problems. */
  failedRooms() {
    const { rooms, foundation } = this.#parts
    return rooms()
      .filter(({ state }) => state === 'failed')
      .map((room) => ({ ...room, problem: room.problem && foundation.redact(room.problem) }))
  }

  #uptimeS(): number {
    return Math.round((Date.now() - this.startedAt) / 1000)
  }

  #sockets(): Record<string, number> {
    const { realtime } = this.#parts
    return Object.fromEntries(
      realtime
        .names()
        .filter((name) => name !== '/')
        .map((name) => [name.slice(1), realtime.io.of(name).sockets.size]),
    )
  }

  #partsNow(): PartStatus[] {
    const { foundation, config, models, homelab, memory, gate, apiTokens, push, siteLog, time } = this.#parts
    return statusParts({
      now: foundation.now(),
      model: models.seen(),
      cluster: homelab.cluster.state(),
      hasSsh: config.ssh.keyPath !== undefined || config.ssh.agentSocket !== undefined,
      memory: memory.status(),
      journalEntries: this.#lastEntry().seq,
      journal: foundation.journal.standing(),
      apiTokens: apiTokens.list(),
      disk: diskOf(foundation.dataDir),
      policyProblems: gate.policy.status().problems ?? [],
      sockets: this.#sockets(),
      push: push.standing(),
      sqliteVersion: this.#sqliteVersion,
      log: siteLog.standing(),
      leapt: time.leapt(),
      isHeld: foundation.database.isHeld(),
      failedRooms: this.failedRooms(),
    })
  }
}
