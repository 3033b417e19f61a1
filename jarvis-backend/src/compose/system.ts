import { type Health, profileNames, type Status } from 'protocol'
import { defaultPersona } from '../agent/persona.ts'
import { letServerRead } from '../agent/unmade.ts'
import type { StepUp } from '../auth/step-up.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { nextStart } from '../config/next-start.ts'
import { policyPath, requirePolicy } from '../config/policy-file.ts'
import { channelChecks } from '../doctor/channel-checks.ts'
import { createClusterSetup } from '../doctor/cluster-setup.ts'
import { cutCheck, writtenCheck } from '../doctor/context-checks.ts'
import { databaseChecks, logChecks } from '../doctor/data-checks.ts'
import { examine } from '../doctor/doctor.ts'
import { leftOutCheck } from '../doctor/left-out.ts'
import { memoryChecks } from '../doctor/model-checks.ts'
import { peopleChecks, wantsProof } from '../doctor/people-checks.ts'
import { policyChecks } from '../doctor/policy-checks.ts'
import { roomChecks } from '../doctor/room-checks.ts'
import { workbenchChecks } from '../doctor/workbench-checks.ts'
import { profiles, unseenTargets } from '../gate/index.ts'
import { diskOf } from '../http/disk.ts'
import { doctorRoutes } from '../http/doctor.ts'
import { activityEventRoutes } from '../http/events.ts'
import { journalRoutes } from '../http/journal.ts'
import { logRoutes } from '../http/logs.ts'
import { metricsText } from '../http/metrics.ts'
import { restartRoutes } from '../http/restart.ts'
import { settingsRoutes } from '../http/settings.ts'
import { setupRoutes } from '../http/setup.ts'
import { statusParts } from '../http/status-parts.ts'
import { mostKept } from '../log/log-tail.ts'
import type { Realtime } from '../realtime/server.ts'
import type { Site } from '../site.ts'
import { journalHead } from '../store/sqlite/journal/journal.ts'

/** Implemented by the program that starts JARVIS. */
export type Program = {
  /** Reads the configuration as the next start would. @throws ConfigError */
  nextConfig(): Config
  /** Stops JARVIS and starts it with the new configuration, in the same process. */
  restart(): void
}

/** Largest database that is checked page by page, bytes: the check blocks the process. */
const scannedUpToBytes = 16 * 1024 * 1024

/** Wires what JARVIS reports of itself (health, settings, log, journal, doctor) and the setup of a cluster. */
export function composeSystem(
  site: Site,
  parts: {
    config: Config
    version: string
    stepUp: StepUp
    realtime: Pick<Realtime, 'io'>
    /** Undefined where JARVIS runs inside another program. */
    program: Program | undefined
  },
) {
  const { clock, now, dataDir, database, journal, redact, hide, isStopping } = site
  const { memory, models, apiTokens, push } = site
  const { config, version, stepUp, realtime, program } = parts
  const { policy, confirmations, calls, glass } = site.gate
  const { cluster, shownAsProtected, openable } = site.homelab
  const lastEntry = journalHead(database)
  const sqliteVersion = String(database.sql.prepare('SELECT sqlite_version()').pluck().get())
  const startedAt = Date.now()
  const uptimeS = () => Math.round((Date.now() - startedAt) / 1000)
  const { ssh } = config
  const problemOf = (error: unknown) => {
    if (error instanceof ConfigError) return redact(error.message).replace(/\n\s*/g, ' ')
    throw error
  }
  const savedForNext = () => {
    try {
      const saved = program && nextStart(config, program.nextConfig())
      return saved && { nextStart: saved }
    } catch (error) {
      return { cannotStart: problemOf(error) }
    }
  }
  /** Why a start now would fail; undefined when it would succeed. */
  const startProblem = ({ nextConfig }: Program) => {
    try {
      const next = nextConfig()
      requirePolicy(policyPath(dataDir))
      const moved = (['host', 'port', 'dataDir'] as const).some((name) => next[name] !== config[name])
      return moved
        ? 'HOST, PORT or JARVIS_DATA_DIR have changed: end JARVIS where it runs, and start it again.'
        : undefined
    } catch (error) {
      return problemOf(error)
    }
  }

  const sockets = () =>
    Object.fromEntries(
      ['chat', 'cluster', 'events', 'terminal'].map((name) => [name, realtime.io.of(`/${name}`).sockets.size]),
    )
  const failedRooms = () =>
    site.house
      .rooms()
      .filter(({ state }) => state === 'failed')
      .map((room) => ({ ...room, problem: room.problem && redact(room.problem) }))
  const partsNow = () =>
    statusParts({
      now: now(),
      model: models.seen(),
      cluster: cluster.state(),
      hasSsh: ssh.keyPath !== undefined || ssh.agentSocket !== undefined,
      memory: memory.status(),
      journalEntries: lastEntry().seq,
      journal: journal.standing(),
      apiTokens: apiTokens.list(),
      disk: diskOf(dataDir),
      policyProblems: policy.status().problems ?? [],
      sockets: sockets(),
      push: push.standing(),
      sqliteVersion,
      log: site.logStanding(),
      leapt: site.leapt(),
      isHeld: database.isHeld(),
      failedRooms: failedRooms(),
    })

  return {
    health: (): Health => ({
      status: isStopping() ? 'shutting_down' : 'ok',
      version,
      uptime: uptimeS(),
      ...(database.isHeld() && { database: 'busy' as const }),
    }),
    status: (): Status => ({
      ...savedForNext(),
      version,
      uptimeS: uptimeS(),
      model: models.model().id,
      models: models.choice.ids(),
      isDemoModel: models.config().kind === 'demo',
      isDemoCluster: cluster.state().isDemo,
      hasTerminal: openable !== undefined,
      ...(config.transcriptions !== undefined && { hasSpeech: true as const }),
      policy: policy.status(),
      ...(glass.recent().length > 0 && { glassBroken: glass.recent() }),
      parts: partsNow(),
    }),
    metrics: async () =>
      metricsText({
        version,
        model: models.model().id,
        startedAt,
        parts: partsNow(),
        cluster: cluster.state(),
        calls: await calls(),
        waiting: [...confirmations.pendingCounts().values()].reduce((sum, count) => sum + count, 0),
        journalEntries: lastEntry().seq,
        models: models.tallies(),
        alerts: site.watch.alerts(),
        checks: site.watch.checks().items,
        sockets: sockets(),
      }),
    routes: {
      settings: settingsRoutes({
        read: () => ({
          profile: policy.current().profile,
          profiles: profileNames.map((name) => ({ name, description: profiles[name].description })),
          protectedTargets: [...shownAsProtected],
          unseenTargets: unseenTargets(shownAsProtected, cluster.state()),
          ssh: {
            user: ssh.user,
            ...(ssh.keyPath !== undefined && { keyPath: ssh.keyPath }),
            hasAgent: ssh.agentSocket !== undefined,
            knownHostsPath: ssh.knownHostsPath,
          },
          shippedPersona: defaultPersona,
        }),
        setProfile: (profile, by) => policy.setProfile(profile, by),
        stepUp,
      }),
      journal: journalRoutes({ ...journal, shown: site.shown }),
      logs: logRoutes(site.logTail, mostKept),
      events: activityEventRoutes(site.activity, site.streams, startedAt, site.shown),
      setup: setupRoutes({
        setup: createClusterSetup({ config, clock }),
        journal,
        durably: database.durably,
        hide,
        changed: () => site.activity.changed({ what: 'settings' }),
      }),
      ...(program && {
        restart: restartRoutes({
          restart: program.restart,
          problem: () => startProblem(program),
          isStopping,
          record: (by) => database.durably(() => journal.append('setup', { change: 'restarted', by })),
        }),
      }),
      doctor: doctorRoutes((asksModel) =>
        examine(
          { ...config, model: models.config() },
          {
            clock,
            asksModel,
            seen: () => [
              ...roomChecks(failedRooms()),
              ...workbenchChecks(site.workbench.state()),
              ...channelChecks(site.channelDesk.problems()),
              ...models.cuts().map(([id, cut]) => cutCheck(id, cut)),
              ...models.written().map(([id, toolNames]) => writtenCheck(id, toolNames, letServerRead)),
              ...models.leftOut().map(([id, left]) => leftOutCheck(id, left)),
              ...policyChecks(policy.status().warnings ?? []),
              ...logChecks(site.logStanding()),
            ],
            database: async () => [
              ...(await databaseChecks(dataDir, scannedUpToBytes, journal.verify)),
              ...peopleChecks({
                people: site.people.list(),
                invitations: site.links.invitations(),
                hasSigner: (person) =>
                  site.passkeys.list(person).length + site.signerKeys.list(person, 'ssh').length > 0,
                unseen: site.push.unseen(),
                wantsProof: wantsProof(policy.current()),
              }),
            ],
            embeddings: async () => memoryChecks(memory.status()),
            port: async () => [{ area: 'Port', health: 'ok', text: 'JARVIS serves: you are reading this.' }],
            redact,
          },
        ),
      ),
    },
  }
}
