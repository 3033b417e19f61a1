import { z } from 'zod'
import { oneLine, plainName } from '../../../homelab/format.ts'
import { ContainerOutput, containerEffect, dockerTool } from './docker-tool.ts'

export const listDockerContainers = dockerTool({
  name: 'list_docker_containers',
  title: 'List Docker containers',
  description:
    'Lists the Docker containers of the machine that JARVIS runs on: name, image, state, published ports. Not LXC: get_containers has those.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'container' }],
  effects: () => [containerEffect('read', '*')],
  timeoutMs: 30_000,
  input: z.strictObject({}),
  output: z.object({ containers: z.array(ContainerOutput.extend({ status: z.string(), ports: z.array(z.string()) })) }),
  async run(_input, { signal }, { engine }) {
    const found = await engine().list(signal)
    const containers = found.map(({ Id, Names, Image, State, Status, Ports }) => ({
      id: Id.slice(0, 12),
      name: plainName(Names[0]?.replace(/^\//, '') ?? ''),
      image: oneLine(Image, 120),
      state: oneLine(State, 20),
      status: oneLine(Status, 60),
      ports: (Ports ?? []).flatMap(({ IP = '', PublicPort, PrivatePort, Type }) =>
        PublicPort === undefined ? [] : [oneLine(`${IP}:${PublicPort}→${PrivatePort}/${Type}`, 60)],
      ),
    }))
    const running = containers.filter(({ state }) => state === 'running').length
    return {
      text: [
        `${containers.length} Docker containers, ${running} running.`,
        ...containers.map(({ name, image, status, ports }) =>
          [name, image, status, ports.join(' ')].filter((part) => part !== '').join(' · '),
        ),
      ].join('\n'),
      summary: `${containers.length} containers, ${running} running`,
      data: { containers },
    }
  },
})
