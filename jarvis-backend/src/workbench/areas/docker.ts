import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { withPorts } from '../../tools/tool.ts'
import { dockerTools } from '../../tools/workbench/docker/index.ts'
import { createEngine, type InspectedContainer } from '../docker/engine.ts'
import type { Area, Bench } from './area.ts'
import { lacking } from './lacking.ts'

/** Docker on the machine that JARVIS runs on, over the socket that policy.yaml names. */
export function composeDocker({ policy, now }: Bench): Area {
  const socket = () => policy().docker ?? ''
  const missing = () =>
    existsSync(socket())
      ? []
      : [
          {
            what: `Docker at ${socket()}`,
            remedy:
              'Install Docker, or name its socket under workbench, docker in policy.yaml. In a container, mount the socket: whoever reaches it is root on the machine.',
          },
        ]
  return {
    name: 'docker',
    tools: lacking(
      withPorts(dockerTools, {
        engine: () => createEngine(socket()),
        isOwn: isOwnContainer,
        now,
      }),
      missing,
    ),
    missing: () => (policy().docker === undefined ? [] : missing()),
  }
}

/** Returns true if JARVIS itself runs in this container. The container's id occurs in the mounts of its files, and is its host name by default. */
function isOwnContainer({ Id, Config }: Pick<InspectedContainer, 'Id' | 'Config'>): boolean {
  if (Config.Hostname !== '' && Config.Hostname === hostname() && Id.startsWith(hostname())) return true
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').includes(`/containers/${Id}/`)
  } catch {
    return false
  }
}
