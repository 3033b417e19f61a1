import { percent } from 'node-kit/words'
import { z } from 'zod'
import { memoryOf, oneLine, plainName } from '../../../homelab/format.ts'
import { ContainerOutput, containerEffect, containerOf, dockerTool, stateWords } from './docker-tool.ts'

export const inspectDockerContainer = dockerTool({
  name: 'inspect_docker_container',
  title: 'Look at a Docker container',
  description:
    'State, image, restarts, mounts, network mode, and what it uses now, of one Docker container. Its environment and labels are never read: passwords stand there.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'container' }],
  effects: ({ container }) => [containerEffect('read', container)],
  timeoutMs: 40_000,
  input: z.strictObject({ container: containerOf }),
  output: ContainerOutput.extend({
    startedAt: z.string().nullable().describe('null: it never started.'),
    restarts: z.int(),
    privileged: z.boolean(),
    network: z.string(),
    restartPolicy: z.string(),
    mounts: z.array(z.string()),
    cpuRatio: z.number().nullable().describe('1 is one core; null: Docker does not say.'),
    ramBytes: z.number().nullable(),
    ramLimitBytes: z.number().nullable(),
  }),
  async run({ container }, { signal }, ports) {
    const engine = ports.engine()
    const found = await engine.inspect(container, signal)
    // For a running container, Docker waits a second to take its second sample.
    const use = found.State.Status === 'running' ? await engine.use(container, signal) : {}
    const { cpuRatio = null, ramBytes = null, ramLimitBytes = null } = use
    const name = plainName(found.Name.replace(/^\//, ''))
    const mounts = found.Mounts.map(({ Source, Destination, RW }) =>
      oneLine(`${Source} → ${Destination}${RW ? '' : ' (read-only)'}`, 200),
    )
    const data = {
      id: found.Id.slice(0, 12),
      name,
      image: oneLine(found.Config.Image, 120),
      state: oneLine(found.State.Status, 20),

      startedAt: startOf(found.State.StartedAt),
      restarts: found.RestartCount,
      privileged: found.HostConfig.Privileged,

      network: oneLine(found.HostConfig.NetworkMode, 60),
      restartPolicy: oneLine(found.HostConfig.RestartPolicy?.Name ?? '', 30),
      mounts,
      cpuRatio,
      ramBytes,
      ramLimitBytes,
    }
    const uses =
      data.state !== 'running'
        ? []
        : [
            cpuRatio === null ? 'CPU unknown' : `CPU ${percent(cpuRatio)} of a core`,
            ramBytes === null || ramLimitBytes === null ? 'memory unknown' : memoryOf(ramBytes, ramLimitBytes),
          ]
    return {
      text: [
        `${name} (${data.id}): ${stateWords(found)}${ports.isOwn(found) ? '. JARVIS runs in it' : ''}.`,
        ...(uses.length === 0 ? [] : [`${uses.join(', ')}.`]),
        `${data.startedAt === null ? 'Never started' : `Started ${data.startedAt}`}, restart policy ${data.restartPolicy || 'none'}, network ${data.network}${data.privileged ? ', PRIVILEGED' : ''}.`,
        ...(found.State.Error === '' ? [] : [`Docker says: ${oneLine(found.State.Error, 300)}`]),
        ...mounts.map((mount) => `mount ${mount}`),
      ].join('\n'),
      summary: stateWords(found),
      data,
    }
  },
})

/** Docker writes its zero time for "never": the year 1, or 1970. */
const startOf = (said: string): string | null => (/^(?:0001|1970)-|^$/.test(said) ? null : oneLine(said, 40))
