import type { PersonRef } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { ActiveAgents } from '../agents/active.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { People } from '../calls/people.ts'
import type { Gate } from '../calls/room.ts'
import type { Drills } from '../drill/drills.ts'
import type { Foundation } from '../foundation.ts'
import { leaningOn } from '../gate/leaning.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom } from '../house.ts'
import { changeRoutes } from '../http/changes.ts'
import { guestRoutes } from '../http/guests.ts'
import { storageRoutes } from '../http/storages.ts'
import { offboardingOf } from '../offboarding/offboarding.ts'
import type { Watch } from '../watch/watch.ts'
import { agentTools } from './agents/index.ts'
import type { Catalog } from './catalog.ts'
import { changeTools } from './changes/index.ts'
import { homelabTools } from './homelab/index.ts'
import { pbsTools } from './pbs/index.ts'
import { type Tool, withPorts } from './tool.ts'
import { waitTools } from './wait/index.ts'

type ToolsNeeds = {
  foundation: Foundation
  homelab: ComposedHomelab
  drills: Pick<Drills, 'newestOf'>
  watch: Pick<Watch, 'present'>
  gate: Gate
  catalog: Catalog
  transcripts: Pick<TranscriptStore, 'entriesOfRun'>
  agents: Pick<ActiveAgents, 'list'>
  runs: Runs
  people: Pick<People, 'find'>
  apiTokens: Pick<ApiTokens, 'list' | 'revoke'>
  shown(person: PersonRef | undefined): Shown
  /** Further tools, for tests. */
  others: readonly Tool[]
}

/** The tools over the homelab, changes and agents, with the routes of guests and changes. */
export const toolsRoom = defineRoom({
  name: 'tools',
  open(needs: ToolsNeeds) {
    const { foundation, homelab, drills, gate, runs, apiTokens } = needs
    const { database, journal, now } = foundation
    return {
      contributes: {
        tools: toolsOf(needs),
        routes: [
          ...guestRoutes({
            homelab: homelab.homelab,
            leaningOn: (vmid) => leaningOn(vmid, gate.world()),
            proofOf: (vmid) => drills.newestOf(vmid),
          }),
          ...storageRoutes({ homelab: homelab.homelab }),
          ...changeRoutes({ changes: gate.changes, runs, now, shown: needs.shown }),
        ],
        offboarding: offboardingOf({ database, journal, now, tokens: apiTokens, grants: gate.grants }),
      },
    }
  },
})

function toolsOf({
  foundation,
  homelab,
  watch,
  gate,
  catalog,
  transcripts,
  agents,
  runs,
  people,
  shown,
  others,
}: ToolsNeeds) {
  const { now, clock } = foundation
  const { cluster, limits } = homelab
  const { api, pbs } = homelab.homelab
  return [
    ...withPorts(homelabTools, { ...homelab.homelab, limits: limits.current, alerts: watch.present }),
    ...(pbs === undefined ? [] : withPorts(pbsTools, { api, pbs })),
    ...withPorts(waitTools, {
      cluster,
      clock,
      begunAt: ({ runId, toolUseId }: { runId?: string; toolUseId?: string }) =>
        runId === undefined
          ? undefined
          : transcripts.entriesOfRun(runId).find((entry) => entry.type === 'tool_use' && entry.toolUseId === toolUseId)
              ?.at,
    }),
    ...withPorts(changeTools, {
      changeOf: (id) => gate.changes.get(id),
      guests: () => cluster.state().guests,
      toolOf: catalog.get,
      // A call that names no person is JARVIS's own and is made for the first owner.
      list: (query, asker) => gate.changes.list(query).map(shown(people.find(asker?.person)).change),
      now,
    }),
    ...withPorts(agentTools, {
      agents: () => agents.list().map(({ id }) => id),
      toolProblem: (name) => toolProblemOf(catalog, name),
      delegate: (...work) => runs.delegate(...work),
    }),
    ...others,
  ]
}

/** The reason why a child run cannot be given a tool; undefined if it can. */
function toolProblemOf(catalog: Pick<Catalog, 'get'>, name: string): string | undefined {
  const tool = catalog.get(name)
  if (tool === undefined) return `There is no tool ${JSON.stringify(name)}.`
  return tool.startsPlan ? `${name} starts further runs, which another agent's task may not.` : undefined
}
