import { named } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { plainName } from '../../../homelab/format.ts'
import { containerActs } from '../../../workbench/docker/engine.ts'
import type { Undo } from '../../tool.ts'
import {
  ContainerOutput,
  changedContainer,
  containerEffect,
  dockerTool,
  requireName,
  shownId,
  stateWords,
} from './docker-tool.ts'

const name = 'control_docker_container'
const then = { start: 'it starts', stop: 'it stops, and stays stopped', restart: 'it stops and starts again' }
const isSo = { start: 'running', stop: 'exited', restart: undefined }

export const controlDockerContainer = dockerTool({
  name,
  title: 'Start, stop or restart a Docker container',
  description:
    'Starts, stops or restarts one Docker container of the machine that JARVIS runs on. A person decides. Not LXC: start_container and its like have those.',
  tier: 'red',
  touches: containerActs.map((action) => ({ kind: 'power', on: 'container', action })),
  effects: ({ container, act }) => [
    containerEffect('power', container, {
      action: act,
      sentence: `The Docker container ${named(container)} ${act === 'restart' ? 'restarts' : `${act}s`}: ${then[act]}.`,
      deed: `${act} the container ${container}`.slice(0, 60),
    }),
  ],
  async prepare({ container, act }, { signal }, ports) {
    const found = await ports.engine().inspect(container, signal)
    requireName(container, found)
    if (ports.isOwn(found) && act !== 'start')
      throw new Mistake(`container: JARVIS itself runs in ${named(container)}, and cannot ${act} what it runs in.`)
    return {
      now: stateWords(found),
      then: found.State.Status === isSo[act] ? `it is ${found.State.Status} already: nothing changes` : then[act],
      undo: undoOf(container, act, found.State.Status),
      // A container that was recreated under the same name is a different container.
      basis: { container: found.Id, state: found.State.Status },
    }
  },
  ending: ({ container }) => ({
    look: `Look at the container ${named(container)}: docker ps -a, or inspect_docker_container.`,
  }),
  timeoutMs: 120_000,
  input: z.strictObject({ container: changedContainer, act: z.enum(containerActs) }),
  output: ContainerOutput.extend({ changed: z.boolean() }),
  async run({ container, act }, { signal, preview }, ports) {
    const engine = ports.engine()
    const id = shownId(container, preview)
    const changed = await engine.act(id, act, signal)
    const found = await engine.inspect(id, signal)
    const words = stateWords(found)
    return {
      text: changed ? `Done. ${container} is ${words}.` : `It was so already: ${container} is ${words}.`,
      summary: words,
      data: {
        id: found.Id.slice(0, 12),
        name: plainName(found.Name.replace(/^\//, '')),
        image: found.Config.Image,
        state: found.State.Status,
        changed,
      },
    }
  },
})

function undoOf(container: string, act: 'start' | 'stop' | 'restart', state: string): Undo {
  const back =
    act === 'start' && state !== 'running' ? 'stop' : act === 'stop' && state === 'running' ? 'start' : undefined
  return back === undefined
    ? {
        kind: 'none',
        because: act === 'restart' ? 'What ran was interrupted, and runs anew.' : 'Nothing changes.',
        losesNothing: true,
      }
    : {
        kind: 'call',
        toolName: name,
        input: { container, act: back },
        sentence: `The container ${named(container)} ${back}s again.`,
      }
}
