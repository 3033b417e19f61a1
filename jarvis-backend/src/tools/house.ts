import { z } from 'zod'
import type { ArgumentType, Tools } from '../gate/index.ts'
import { delegate } from './agents/delegate.ts'
import { changeTools } from './changes/index.ts'
import { drillRestore } from './drills/drill-restore.ts'
import { listRestoreProofs } from './drills/list-restore-proofs.ts'
import { backUpGuest } from './guests/back-up-guest.ts'
import { cloneGuest } from './guests/clone-guest.ts'
import { createGuest } from './guests/create-guest.ts'
import { deleteSnapshot } from './guests/delete-snapshot.ts'
import { destroyGuest } from './guests/destroy-guest.ts'
import { getGuestConfig } from './guests/get-guest-config.ts'
import { listSnapshots } from './guests/list-snapshots.ts'
import { migrateGuest } from './guests/migrate-guest.ts'
import { resizeDisk } from './guests/resize-disk.ts'
import { restoreGuest } from './guests/restore-guest.ts'
import { rollbackSnapshot } from './guests/rollback-snapshot.ts'
import { runInGuest } from './guests/run-in-guest.ts'
import { setGuestConfig } from './guests/set-guest-config.ts'
import { takeSnapshot } from './guests/take-snapshot.ts'
import { executeSsh } from './homelab/execute-ssh.ts'
import { getBackups } from './homelab/get-backups.ts'
import { getClusterResources } from './homelab/get-cluster-resources.ts'
import { getClusterStatus } from './homelab/get-cluster-status.ts'
import { getContainers } from './homelab/get-containers.ts'
import { getNodeStatus } from './homelab/get-node-status.ts'
import { getNodeTemperature } from './homelab/get-node-temperature.ts'
import { getRecentTasks } from './homelab/get-recent-tasks.ts'
import { getStorage } from './homelab/get-storage.ts'
import { getVms } from './homelab/get-vms.ts'
import { restartContainer } from './homelab/restart-container.ts'
import { restartService } from './homelab/restart-service.ts'
import { restartVm } from './homelab/restart-vm.ts'
import { startContainer } from './homelab/start-container.ts'
import { startVm } from './homelab/start-vm.ts'
import { stopContainer } from './homelab/stop-container.ts'
import { stopVm } from './homelab/stop-vm.ts'
import { wakeNode } from './homelab/wake-node.ts'
import { jobTools } from './jobs/index.ts'
import { memoryGet } from './memory/memory-get.ts'
import { memorySearch } from './memory/memory-search.ts'
import { memoryWrite } from './memory/memory-write.ts'
import { getFirewall } from './nodes/get-firewall.ts'
import { getHaState } from './nodes/get-ha-state.ts'
import { getNodeJournal } from './nodes/get-node-journal.ts'
import { getNodeNetwork } from './nodes/get-node-network.ts'
import { getReplication } from './nodes/get-replication.ts'
import { getTaskLog } from './nodes/get-task-log.ts'
import { getUpdates } from './nodes/get-updates.ts'
import { rebootNode } from './nodes/reboot-node.ts'
import { refreshPackageLists } from './nodes/refresh-package-lists.ts'
import { runReplication } from './nodes/run-replication.ts'
import { setNodeNetwork } from './nodes/set-node-network.ts'
import { shutdownNode } from './nodes/shutdown-node.ts'
import { getPbsSnapshots } from './pbs/get-pbs-snapshots.ts'
import { getPbsStatus } from './pbs/get-pbs-status.ts'
import { proposePlan } from './plans/propose-plan.ts'
import { undoPlan } from './plans/undo-plan.ts'
import { updatePlan } from './plans/update-plan.ts'
import { askOperator } from './questions/ask-operator.ts'
import { listRunbooks } from './runbooks/list-runbooks.ts'
import { runRunbook } from './runbooks/run-runbook.ts'
import { readResult } from './sessions/read-result.ts'
import { useSkill } from './skills/use-skill.ts'
import { getStorageHealth } from './storage/get-storage-health.ts'
import { getUncoveredGuests } from './storage/get-uncovered-guests.ts'
import type { Declaration } from './tool.ts'
import { waitFor } from './wait/wait-for.ts'
import { listAlerts } from './watch/list-alerts.ts'
import { browserTools } from './workbench/browser/index.ts'
import { commandTools } from './workbench/commands.ts'
import { dockerTools } from './workbench/docker/index.ts'
import { editFile } from './workbench/edit-file.ts'
import { gitTools } from './workbench/git/index.ts'
import { globFiles } from './workbench/glob-files.ts'
import { grepFiles } from './workbench/grep-files.ts'
import { readFile } from './workbench/read-file.ts'
import { restoreFiles } from './workbench/restore-files.ts'
import { webFetch } from './workbench/web-fetch.ts'
import { webSearch } from './workbench/web-search.ts'
import { writeFile } from './workbench/write-file.ts'

/** The tools over a homelab. Their order is fixed: it is part of what a provider caches. */
export const homelabTools = [
  getClusterStatus,
  getNodeStatus,
  getVms,
  getContainers,
  getStorage,
  getClusterResources,
  getNodeTemperature,
  getRecentTasks,
  getBackups,
  executeSsh,
  restartService,
  wakeNode,
  startVm,
  stopVm,
  restartVm,
  startContainer,
  stopContainer,
  restartContainer,
  getStorageHealth,
  getUncoveredGuests,
  getTaskLog,
  getNodeJournal,
  getUpdates,
  getHaState,
  getFirewall,
  getNodeNetwork,
  getReplication,
  runReplication,
  refreshPackageLists,
  setNodeNetwork,
  rebootNode,
  shutdownNode,
  listSnapshots,
  takeSnapshot,
  deleteSnapshot,
  rollbackSnapshot,
  getGuestConfig,
  setGuestConfig,
  resizeDisk,
  backUpGuest,
  cloneGuest,
  createGuest,
  restoreGuest,
  migrateGuest,
  destroyGuest,
  runInGuest,
]
/** The tools over a backup server; offered only where one is configured. */
export const pbsTools = [getPbsStatus, getPbsSnapshots]
/** The tools over restore drills. */
export const drillTools = [drillRestore, listRestoreProofs]
/** The tools over the runbooks of the workspace. */
export const runbookTools = [listRunbooks, runRunbook]
/** The tools over questions to a person. */
export const questionTools = [askOperator]
/** The tools over plans: of calls that a model proposes, and its own list. */
export const planTools = [updatePlan, proposePlan, undoPlan]
/** The tools that wait for the cluster. */
export const waitTools = [waitFor]
/** The tools over what JARVIS watches. */
export const watchTools = [listAlerts]
/** The tools over agents. */
export const agentTools = [delegate]
/** The tools over what was said and done in a conversation. */
export const sessionTools = [readResult]
/** The tools over files of the host. */
export const fileTools = [readFile, globFiles, grepFiles, writeFile, editFile, restoreFiles]
/** The tools over the web. */
export const webTools = [webSearch, webFetch]
/** The tools over what JARVIS remembers. */
export const memoryTools = [memorySearch, memoryGet, memoryWrite]

/** The tools over what JARVIS changed and over jobs, as a policy names them: they know of no change and no job. */
const changeFacts = changeTools({
  changeOf: () => undefined,
  toolOf: () => undefined,
  guests: () => [],
  list: () => [],
  now: () => 0,
})
const none = () => {
  throw new Error('There are no jobs here.')
}
const jobFacts = jobTools({
  list: none,
  preview: none,
  make: none,
  zone: 'UTC',
  find: () => undefined,
  problemOf: () => undefined,
  pause: () => false,
})

/** Of a tool of the workbench, in a list that knows no policy: the workbench is off unless policy.yaml turns it on. */
const unasked = { name: 'workbench', isServed: () => false }
/** The tools over commands, as a policy names them: they know of no sandbox and no command. */
const commandFacts = commandTools({
  verdict: () => ({ level: 'none', abi: 0, at: 0, said: '', because: 'it was not tried', remedy: '' }),
  get: () => undefined,
})

/** The declarations of all shipped tools. */
export const houseTools: readonly Declaration[] = [
  ...homelabTools,
  ...pbsTools,
  ...drillTools,
  ...waitTools,
  ...memoryTools,
  ...changeFacts,
  ...runbookTools,
  ...questionTools,
  ...jobFacts,
  ...watchTools,
  ...agentTools,
  ...sessionTools,
  ...planTools,
  useSkill([]),
  ...fileTools.map((tool) => ({ ...tool, group: unasked })),
  ...dockerTools.map((tool) => ({ ...tool, group: unasked })),
  ...commandFacts.map((tool) => ({ ...tool, group: unasked })),
  ...gitTools.map((tool) => ({ ...tool, group: unasked })),
  ...browserTools.map((tool) => ({ ...tool, group: unasked })),
  ...webTools.map((tool) => ({ ...tool, group: unasked })),
]

const places = new Map(houseTools.map(({ name }, place) => [name, place]))
/** Sorts tools as `houseTools` lists them, other tools last. Providers cache the list, so its order must not follow the order of rooms. */
export const inFixedOrder = <T extends { name: string }>(tools: readonly T[]): T[] =>
  tools.toSorted((a, b) => (places.get(a.name) ?? places.size) - (places.get(b.name) ?? places.size))

/** What the policy's checks know of them. Few policies name arguments, and to read the types of all takes a fifteenth of a start. */
export const houseFacts: Tools = new Map(
  houseTools.map(({ name, tier, touches, input, isOptIn }) => {
    let args: Record<string, ArgumentType> | undefined
    const facts = {
      tier,
      touches,
      get args() {
        args ??= argumentsOf(input)
        return args
      },
      ...(isOptIn && { isOptIn }),
    }
    return [name, facts]
  }),
)

function argumentsOf({ shape }: z.ZodObject): Record<string, ArgumentType> {
  const typed = Object.entries(shape).flatMap(([name, of]) => {
    const { type } = z.toJSONSchema(of as z.ZodType, { io: 'input' })
    const known = type === 'integer' ? 'number' : type
    return known === 'string' || known === 'number' || known === 'boolean' ? [[name, known] as const] : []
  })
  return Object.fromEntries(typed)
}
