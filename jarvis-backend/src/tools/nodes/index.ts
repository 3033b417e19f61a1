import { getFirewall } from './get-firewall.ts'
import { getHaState } from './get-ha-state.ts'
import { getNodeJournal } from './get-node-journal.ts'
import { getNodeNetwork } from './get-node-network.ts'
import { getReplication } from './get-replication.ts'
import { getTaskLog } from './get-task-log.ts'
import { getUpdates } from './get-updates.ts'
import { rebootNode } from './reboot-node.ts'
import { refreshPackageLists } from './refresh-package-lists.ts'
import { runReplication } from './run-replication.ts'
import { setNodeNetwork } from './set-node-network.ts'
import { shutdownNode } from './shutdown-node.ts'

/** The tools over nodes of the cluster. */
export const nodeTools = [
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
]
