import { named } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, Mistake } from '../../../gate/effect.ts'
import type { EffectKind } from '../../../gate/effect-kinds.ts'
import { containerTarget } from '../../../gate/places/targets.ts'
import { oneLine } from '../../../homelab/format.ts'
import { ContainerName, type Engine, type InspectedContainer } from '../../../workbench/docker/engine.ts'
import { type Preview, toolOver } from '../../tool.ts'

/** `isOwn`: the container is the one that JARVIS runs in. `now`: Unix ms. */
export type DockerPorts = {
  engine(): Engine
  isOwn(container: Pick<InspectedContainer, 'Id' | 'Config'>): boolean
  now(): number
}

/** A tool over Docker's socket. */
export const dockerTool = toolOver<DockerPorts>()

export const containerOf = ContainerName.describe('Its name or id, as list_docker_containers has it.')
export const changedContainer = ContainerName.describe('Its name, as list_docker_containers has it.')

/** An effect on one container. */
export const containerEffect = (
  kind: EffectKind,
  container: string,
  more: Partial<Omit<Effect, 'kind' | 'on' | 'target'>> = {},
): Effect => ({ kind, on: 'container', target: containerTarget(container), ...more })

/**
 * Refuses a change of a container that is named by its id. Protected containers and the operator's rules use names, and a person reads names.
 * @throws Mistake
 */
export function requireName(container: string, { Name }: InspectedContainer): void {
  const name = Name.replace(/^\//, '')
  if (name !== container)
    throw new Mistake(
      `container: change it by its name, ${named(name)}, and not by its id, which policy.yaml does not know.`,
    )
}

/** The id of the container that the preview showed, so that a container recreated under the same name is not changed. */
export const shownId = (container: string, preview: Preview | undefined): string =>
  preview?.basis?.container ?? container

/** The state of a container in words: `running (healthy), image jellyfin/jellyfin:10.11, restarted 2 times`. Docker's values are untrusted text. */
export function stateWords({ State, Config, RestartCount }: InspectedContainer): string {
  const { Status, Health, ExitCode, OOMKilled } = State
  const health = Health == null || Health.Status === 'none' ? '' : ` (${oneLine(Health.Status, 20)})`
  const ended = Status === 'exited' ? ` with ${ExitCode}${OOMKilled ? ', out of memory' : ''}` : ''
  const restarts = RestartCount === 0 ? '' : `, restarted ${RestartCount} times`
  return `${oneLine(Status, 20)}${health}${ended}, image ${oneLine(Config.Image, 120)}${restarts}`
}

export const ContainerOutput = z.object({
  id: z.string(),
  name: z.string(),
  image: z.string(),
  state: z.string(),
})
