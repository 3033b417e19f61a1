import { asFarAsSeen, JarvisError } from 'protocol'
import { z } from 'zod'
import { guestTarget, reads } from '../../gate/targets.ts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { type FirewallRule, readFirewall } from '../../homelab/operations/firewall.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName, readTimeoutMs, Vmid } from '../homelab/inputs.ts'
import { requireNode } from '../homelab/listing.ts'
import { FirewallOutput } from '../outputs.ts'

const mostRules = 80

export const getFirewall = homelabTool({
  ...quoting,
  name: 'get_firewall',
  title: 'Show firewall rules',
  description:
    'Shows the firewall’s options and rules of the cluster, of a node, or of a guest, and whether they are in force.',
  touches: [...quoting.touches, { kind: 'read', on: 'guest' }],
  effects: ({ node, vmid }, world) =>
    vmid === undefined
      ? reads({ node }, world)
      : [{ kind: 'read', on: 'guest', target: guestTarget({ vmid, node }, world) }],
  needs: [rights.quorum, rights.nodes, rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({
    node: NodeName.optional().describe('A node’s own rules.'),
    vmid: Vmid.optional().describe('A guest’s rules. Neither: the cluster’s.'),
  }),
  example: {},
  output: FirewallOutput,
  async run({ node, vmid }, { signal }, { api, cluster }) {
    const state = cluster.state()
    requireNode(state, node)
    const guest = vmid === undefined ? undefined : state.guests.find((candidate) => candidate.vmid === vmid)
    if (vmid !== undefined && guest === undefined)
      throw new JarvisError('not_found', `There is no guest ${vmid}${asFarAsSeen('guests', state)}.`)
    const at = guest?.node ?? node
    const found = await readFirewall(api, at === undefined ? {} : { node: at, guest }, signal)
    const { isEnabled, isClusterEnabled, policyIn, policyOut, rules, openCards } = found
    const who = guest !== undefined ? String(guest.vmid) : node === undefined ? 'the cluster' : plainName(node)
    const left = rules.length - mostRules
    const isInForce = !isEnabled || isClusterEnabled === false ? false : isClusterEnabled
    return {
      text: [
        `Firewall of ${who}: ${isEnabled ? 'on' : 'off'}; in ${policyIn ?? 'default'}, out ${policyOut ?? 'default'}; ${rules.length} rules.`,
        ...(isClusterEnabled === false ? ['The cluster’s firewall is off: no rule anywhere is in force.'] : []),
        ...(isClusterEnabled === null ? ['Whether the cluster’s firewall is on is unknown.'] : []),
        ...(openCards === null ? ['Whether its network cards use the firewall is unknown.'] : []),
        ...(openCards !== undefined && openCards !== null && openCards.length > 0
          ? [`Not behind the firewall: ${openCards.join(', ')} (firewall=1 is not set).`]
          : []),
        ...rules.slice(0, mostRules).map(ruleLine),
        ...(left > 0 ? [`${left} more.`] : []),
      ].join('\n'),
      summary: `${isEnabled ? 'on' : 'off'}${isEnabled && isInForce === false ? ', not in force' : ''}, ${rules.length} rules`,
      data: { ...(at !== undefined && { node: at }), ...(guest && { vmid: guest.vmid }), ...found, isInForce },
    }
  },
})

const ruleLine = ({ position, isEnabled, direction, action, match, comment }: FirewallRule) =>
  `${position} ${isEnabled ? '' : '(off) '}${plainName(direction)} ${plainName(action)} ${oneLine(match === '' ? 'everything' : match, 160)}${comment === undefined ? '' : ` # ${oneLine(comment, 80)}`}`
