import { spanOf } from 'node-kit/words'
import { z } from 'zod'
import { nodeTarget } from '../../gate/targets.ts'
import { plainName } from '../../homelab/format.ts'
import { WakeOutput } from '../outputs.ts'
import { homelabTool } from './homelab-tool.ts'
import { NodeName } from './inputs.ts'

export const wakeNode = homelabTool({
  name: 'wake_node',
  title: 'Wake a node',
  description:
    'Sends a magic packet (Wake-on-LAN) to a node that is offline and waits, up to some minutes, until it is seen online. Guests that start with the node start by themselves; others need start_vm or start_container.',
  tier: 'yellow',
  touches: [{ kind: 'power', on: 'node', action: 'start' }],
  effects: ({ node }, world) => [{ kind: 'power', on: 'node', action: 'start', target: nodeTarget(node, world) }],
  undo: () => ({
    kind: 'none',
    because: 'A node that runs serves its guests: only shutdown_node, which asks, ends that.',
    losesNothing: true,
  }),
  ending: ({ node }) => ({ look: `Look with get_cluster_status whether ${node} is online.` }),
  isComposed: true,
  timeoutMs: 240_000,
  input: z.strictObject({ node: NodeName.describe('The node’s exact name.') }),
  example: { node: 'agent' },
  output: WakeOutput,
  async run({ node }, context, { waker }) {
    const { cameOnline, wasOnline, afterMs } = await waker.wake(node, context)
    const name = plainName(node)
    const data = { node, cameOnline, wasOnline, afterMs }
    const after = spanOf(afterMs / 1000)
    if (wasOnline) return { text: `${name} is online already; no packet was sent.`, summary: 'was online', data }
    if (cameOnline)
      return { text: `${name} is online, ${after} after the magic packet.`, summary: `online after ${after}`, data }
    return {
      text: `The magic packet was sent, but ${name} was not seen online within ${after}. It may have no power, Wake-on-LAN may be off in its firmware, or its MAC address may be wrong. Someone may have to look at it.`,
      summary: `not seen online after ${after}`,
      data,
      isError: true,
    }
  },
})
