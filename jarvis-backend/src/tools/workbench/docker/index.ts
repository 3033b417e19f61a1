import { controlDockerContainer } from './control-docker-container.ts'
import { getDockerLogs } from './get-docker-logs.ts'
import { inspectDockerContainer } from './inspect-docker-container.ts'
import { listDockerContainers } from './list-docker-containers.ts'
import { runInDockerContainer } from './run-in-docker-container.ts'

/** The tools in the order in which they are offered. Append a new tool at the end. */
export const dockerTools = [
  listDockerContainers,
  inspectDockerContainer,
  getDockerLogs,
  controlDockerContainer,
  runInDockerContainer,
] as const
