import { z } from 'zod'
import { serviceEffect } from '../../gate/targets.ts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { ServiceOutput } from '../outputs.ts'
import { homelabTool, rights } from './homelab-tool.ts'
import { NodeName } from './inputs.ts'

/** Types of units that are not services. Restarting one of them has other effects: restarting `reboot.target` reboots the node. */
const otherUnit = /\.(automount|device|mount|path|scope|slice|snapshot|socket|swap|target|timer)$/

const Service = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9@._-]{0,127}$/, 'must be the plain name of a service, as in nginx')
  .refine((name) => !otherUnit.test(name), 'must be a service, no other kind of unit')

export const restartService = homelabTool({
  name: 'restart_service',
  title: 'Restart a service on a node',
  description:
    'Restarts one systemd service of a node and returns whether it is active again. Not for guests, and not for services inside guests.',
  tier: 'yellow',
  touches: [{ kind: 'power', on: 'service', action: 'restart' }],
  effects: (asked, world) => [serviceEffect('restart', asked, world)],
  undo: () => ({ kind: 'none', because: 'The service was away and runs anew.', losesNothing: true }),
  ending: ({ node, service }) => ({
    look: `Proxmox names no task of it, so JARVIS cannot find out. Look on ${node} with "systemctl status ${service}": the time after "since" shows whether it was restarted.`,
  }),
  needs: [rights.nodes, rights.services],
  timeoutMs: 90_000,
  input: z.strictObject({
    node: NodeName.describe('The node’s exact name.'),
    service: Service.describe('The service’s name, as in `pvestatd`.'),
  }),
  example: { node: 'pve', service: 'pvestatd' },
  output: ServiceOutput,
  async run({ node, service }, context, { cluster }) {
    const { ok, message } = await cluster.restartService(node, service, context)
    const where = `${plainName(service)} on ${plainName(node)}`
    const said = oneLine(message, 500)
    if (ok)
      return { text: `${where} was restarted: ${said}`, summary: 'restarted', data: { node, service, ok, message } }
    return {
      text: `${where} was not restarted: ${said} Look at its state with execute_ssh (systemctl status ${plainName(service)}).`,
      summary: `not restarted: ${oneLine(message, 120)}`,
      data: { node, service, ok, message },
      isError: true,
    }
  },
})
