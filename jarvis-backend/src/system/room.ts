import type { PersonRef } from 'protocol'
import { profileNames } from 'protocol'
import type { Passkeys } from '../access/passkeys.ts'
import type { SignerKeyStore } from '../access/ports.ts'
import { defaultPersona } from '../agent/persona.ts'
import { letServerRead } from '../agent/unmade.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { Links } from '../auth/links.ts'
import type { People } from '../auth/people.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Gate } from '../calls/room.ts'
import type { WebPush } from '../channels/web-push/room.ts'
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
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom } from '../house.ts'
import { doctorRoutes } from '../http/doctor.ts'
import { activityEventRoutes } from '../http/events.ts'
import { journalRoutes } from '../http/journal.ts'
import { logRoutes } from '../http/logs.ts'
import { ownBackupRoutes } from '../http/own-backups.ts'
import { policyRoutes } from '../http/policy.ts'
import { restartRoutes } from '../http/restart.ts'
import { settingsRoutes } from '../http/settings.ts'
import { settingsInForceRoutes } from '../http/settings-in-force.ts'
import { setupRoutes } from '../http/setup.ts'
import { stateRoutes } from '../http/state.ts'
import { mostKept } from '../log/log-tail.ts'
import type { Workbench } from '../workbench/room.ts'
import { OwnBackups } from './own-backups.ts'
import { PolicyDesk } from './policy-desk.ts'
import { NextStart, type Program } from './program.ts'
import { type StateNeeds, SystemState } from './state.ts'

/** Largest database that is checked page by page, bytes: the check blocks the process. */
const scannedUpToBytes = 16 * 1024 * 1024

/** Everything that the reports of the system need of earlier rooms. */
export type SystemNeeds = Omit<StateNeeds, 'next' | 'homelab' | 'gate' | 'push'> & {
  /** Undefined if JARVIS runs inside another program. */
  program: Program | undefined
  stepUp: StepUp
  homelab: Pick<ComposedHomelab, 'cluster' | 'openable' | 'shownAsProtected'>
  gate: Pick<Gate, 'policy' | 'confirmations' | 'calls' | 'glass' | 'sightOf'>
  push: Pick<WebPush, 'standing' | 'unseen'>
  workbench: Pick<Workbench, 'state'>
  channelDesk: { problems(): Parameters<typeof channelChecks>[0] }
  people: Pick<People, 'list'>
  links: Pick<Links, 'invitations'>
  passkeys: Pick<Passkeys, 'list'>
  signerKeys: Pick<SignerKeyStore, 'list'>
  /** Returns the functions that hide, in an object, the words that a person may not read. */
  shown(person: PersonRef | undefined): Shown
}

/** The reports of JARVIS on itself (health, status, settings, log, journal, doctor), the setup of a cluster, and the restart. */
export const systemRoom = defineRoom({
  name: 'system',
  open(needs: SystemNeeds) {
    const { foundation, config, program, stepUp, homelab, gate, shown } = needs
    const { clock, dataDir, database, journal, redact, hide, isStopping, activity, streams } = foundation
    const next = program && new NextStart(program, { config, dataDir, redact })
    const state = new SystemState({ ...needs, next })
    const { cluster } = homelab
    const restart = program &&
      next && {
        restart: program.restart,
        problem: () => next.problem(),
        isStopping,
        record: (by: string) => database.durably(() => journal.append('setup', { change: 'restarted', by })),
      }
    const backups = new OwnBackups({
      dataDir,
      secretKeys: config.secretKeys,
      databasePath: foundation.databasePath,
      now: () => clock.now(),
      record: (entry) => database.durably(() => journal.append('setup', entry)),
    })
    return {
      state,
      stop: () => backups.stop(),
      contributes: {
        routes: [
          ...stateRoutes({
            status: () => state.status(),
            cluster(person) {
              const whole = cluster.state()
              return gate.sightOf({ person })?.(whole) ?? whole
            },
          }),
          ...settingsRoutes({
            read: () => settingsOf(needs),
            setProfile: (profile, by) => gate.policy.setProfile(profile, by),
            stepUp,
          }),
          ...policyRoutes(
            new PolicyDesk({
              dataDir,
              policy: gate.policy,
              protectedTargets: config.protectedTargets,
              journal,
              people: needs.people,
            }),
          ),
          ...ownBackupRoutes(backups),
          ...settingsInForceRoutes(() => program?.settings?.() ?? []),
          ...journalRoutes({ journal, shown }),
          ...logRoutes(needs.siteLog.tail, mostKept),
          ...activityEventRoutes({ feed: activity, streams, begun: state.startedAt, shown }),
          ...setupRoutes({
            setup: createClusterSetup({ config, clock }),
            journal,
            durably: database.durably,
            hide,
            changed: () => activity.changed({ what: 'settings' }),
          }),
          ...(restart ? restartRoutes(restart) : []),
          ...doctorRoutes((asksModel) => examination(needs, state, asksModel)),
        ],
      },
    }

    function settingsOf({ gate: { policy }, homelab: { shownAsProtected } }: SystemNeeds) {
      const { ssh } = config
      return {
        profile: policy.current().profile,
        profiles: profileNames.map((name) => ({ name, description: profiles[name].description })),
        protectedTargets: [...shownAsProtected],
        unseenTargets: unseenTargets(shownAsProtected, cluster.state()),
        ssh: {
          user: ssh.user,
          keyPath: ssh.keyPath,
          hasAgent: ssh.agentSocket !== undefined,
          knownHostsPath: ssh.knownHostsPath,
        },
        shippedPersona: defaultPersona,
      }
    }
  },
})

/** Runs the doctor's checks inside the server. */
function examination(needs: SystemNeeds, state: SystemState, asksModel: boolean) {
  const { foundation, config, models, memory, workbench, channelDesk, gate, push, siteLog } = needs
  const { people, links, passkeys, signerKeys } = needs
  const { clock, dataDir, journal, redact } = foundation
  const { policy } = gate
  return examine(
    { ...config, model: models.config() },
    {
      clock,
      asksModel,
      seen: () => [
        ...roomChecks(state.failedRooms()),
        ...workbenchChecks(workbench.state()),
        ...channelChecks(channelDesk.problems()),
        ...models.cuts().map(([id, cut]) => cutCheck(id, cut)),
        ...models.written().map(([id, toolNames]) => writtenCheck(id, toolNames, letServerRead)),
        ...models.leftOut().map(([id, left]) => leftOutCheck(id, left)),
        ...policyChecks(policy.status().warnings ?? []),
        ...logChecks(siteLog.standing()),
      ],
      database: async () => [
        ...(await databaseChecks(dataDir, scannedUpToBytes, () => journal.verify())),
        ...peopleChecks({
          people: people.list(),
          invitations: links.invitations(),
          hasSigner: (person) => passkeys.list(person).length + signerKeys.list(person, 'ssh').length > 0,
          unseen: push.unseen(),
          wantsProof: wantsProof(policy.current()),
        }),
      ],
      embeddings: async () => memoryChecks(memory.status()),
      port: async () => [{ area: 'Port', health: 'ok', text: 'JARVIS serves: you are reading this.' }],
      redact,
    },
  )
}
