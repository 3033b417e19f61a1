import { guestTools } from '../guests/index.ts'
import { nodeTools } from '../nodes/index.ts'
import { storageTools } from '../storage/index.ts'
import { executeSsh } from './execute-ssh.ts'
import { getBackups } from './get-backups.ts'
import { getClusterResources } from './get-cluster-resources.ts'
import { getClusterStatus } from './get-cluster-status.ts'
import { getContainers } from './get-containers.ts'
import { getNodeStatus } from './get-node-status.ts'
import { getNodeTemperature } from './get-node-temperature.ts'
import { getRecentTasks } from './get-recent-tasks.ts'
import { getStorage } from './get-storage.ts'
import { getVms } from './get-vms.ts'
import { restartContainer } from './restart-container.ts'
import { restartService } from './restart-service.ts'
import { restartVm } from './restart-vm.ts'
import { startContainer } from './start-container.ts'
import { startVm } from './start-vm.ts'
import { stopContainer } from './stop-container.ts'
import { stopVm } from './stop-vm.ts'
import { wakeNode } from './wake-node.ts'

/** The tools over the homelab: the cluster and power first, then storages, nodes and guests. */
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
  ...storageTools,
  ...nodeTools,
  ...guestTools,
]
