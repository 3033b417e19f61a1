import { spanOf } from 'node-kit/words'
import { z } from 'zod'
import { guestTarget, nodeTarget } from '../../gate/targets.ts'
import type { World } from '../../gate/world.ts'
import { plainName } from '../../homelab/format.ts'
import { nodePower } from '../../homelab/operations/node-power.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { requireNode } from '../homelab/listing.ts'
import { NodePowerOutput } from '../outputs.ts'
import type { Undo } from '../tool.ts'

/** Time for a node to wait for its guests and then to boot, ms. */
const timeoutMs = 1_260_000

/** Makes `reboot_node` or `shutdown_node`, whose effects are on the node and on each guest that runs on it. */
export function nodePowerTool(
  command: 'reboot' | 'shutdown',
  told: { title: string; description: string; undo(node: string): Undo },
) {
  const action = command === 'reboot' ? 'restart' : 'stop'
  return homelabTool({
    name: `${command}_node`,
    title: told.title,
    description: told.description,
    tier: 'red',
    touches: [
      { kind: 'power', on: 'node', action },
      { kind: 'power', on: 'guest', action },
    ],
    effects: ({ node }, world) => [
      {
        kind: 'power',
        on: 'node',
        action,
        target: nodeTarget(node, world),
        deed: command === 'reboot' ? `reboot ${node}` : `shut ${node} down`,
      },
      ...guestsOn(node, world).map(({ vmid, type }) => ({
        kind: 'power' as const,
        on: 'guest' as const,
        action: action as 'restart' | 'stop',
        type,
        target: guestTarget({ vmid }, world),
      })),
    ],
    undo: ({ node }) => told.undo(node),
    ending: ({ node }) => ({ look: `Look with get_node_status how long ${node} has been up.` }),
    isComposed: true,
    needs: [rights.nodes, rights.nodePower],
    timeoutMs,
    input: z.strictObject({ node: NodeName.describe('Exact name.') }),
    example: { node: 'agent' },
    output: NodePowerOutput,
    async run({ node }, context, { api, cluster }) {
      requireNode(cluster.state(), node)
      const { isDown, isBack, afterMs } = await nodePower({ api, cluster }, { node, command }, context)
      const after = spanOf(afterMs / 1000)
      const data = { node, command, isDown, isBack, afterMs }
      const who = plainName(node)
      if (!isDown) {
        const text = `${who} took the request, and is not seen off after ${after}: a guest may not shut down. Look at get_recent_tasks.`
        return { text, summary: `not seen off after ${after}`, data, isError: true }
      }
      if (command === 'shutdown') return { text: `${who} is off, after ${after}.`, summary: `off after ${after}`, data }
      if (isBack) return { text: `${who} is back, after ${after}.`, summary: `back after ${after}`, data }
      const text = `${who} went off, and is not seen back after ${after}. Someone may have to look at it.`
      return { text, summary: `not seen back after ${after}`, data, isError: true }
    },
  })
}

/** The guests of a node, except stopped ones. A guest of unknown state counts as running. */
const guestsOn = (node: string, { cluster }: World) =>
  cluster.guests.filter((guest) => guest.node === node && guest.status !== 'stopped' && !guest.isTemplate)
