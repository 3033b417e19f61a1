import { promptFiles } from '../protocol/index.ts'
import { plainWord, quoted } from '../redaction/visible.ts'
import { unnamedHost } from '../ssh-grammar/contacts.ts'
import { judgeCommand } from '../ssh-grammar/judge-command.ts'
import { guestOfUnit, isNoService, plainService } from '../ssh-grammar/services.ts'
import type { Facts, Rule } from './rule.ts'
import { powerOf } from './target.ts'
import { topologyRules } from './topology/rules.ts'
import { guestOf, lockWords, serviceRisk } from './topology/topology.ts'
import { restartDoubt, serviceNames } from './topology/units.ts'

const power = ['start_vm', 'stop_vm', 'restart_vm', 'start_container', 'stop_container', 'restart_container']
const onNodes = ['execute_ssh', 'restart_service', 'wake_node']
const instructions = new Set(promptFiles.map((file) => file.toLowerCase()))
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
/** What a command comes to, and the service it would change if it does. */
const judged = ({ input }: Facts) => judgeCommand(textOf(input.command))
const changeOf = (facts: Facts) => {
  const verdict = judged(facts)
  return verdict.verdict === 'change' ? verdict : undefined
}
const serviceOf = (facts: Facts) =>
  facts.toolName === 'execute_ssh' ? (changeOf(facts)?.service ?? '') : textOf(facts.input.service)

/** The host outside that a read would ask, where the operator has neither typed the command nor named the host. */
function strangerOf(facts: Facts): string | undefined {
  const verdict = judged(facts)
  if (verdict.verdict !== 'read_only' || facts.sources === undefined) return undefined
  const { cluster, policy } = facts.world
  const ours = [...cluster.nodes, ...cluster.guests].map(({ name }) => name.toLowerCase())
  const strangerTo = (said: readonly string[]) => unnamedHost(verdict.stages, new Set([...ours, ...policy.hosts]), said)
  return strangerTo([]) === undefined ? undefined : strangerTo(facts.sources().operatorTexts)
}

/** What the operator protected, whatever the case of its letters; nothing is lost by protecting too much. */
const isListed = ({ world, baseTier }: Facts, ...ids: string[]): boolean =>
  baseTier !== 'green' && ids.some((id) => world.policy.protectedTargets.has(id.toLowerCase()))

/** Under any of its names: an alias must not open what is protected, vital, or a guest. */
const namesOf = (facts: Facts) => serviceNames(serviceOf(facts), facts.target)

const isServiceListed = (facts: Facts): boolean =>
  namesOf(facts)
    .flatMap((name) => [name, plainService(name), `${plainService(name)}.service`])
    .some((name) => isListed(facts, `service/${name}`))

const riskOf = (facts: Facts) =>
  namesOf(facts)
    .map((name) => serviceRisk(name, facts.target.node ?? '', facts.world))
    .find((risk) => risk !== undefined)

/** Where several rules give the strictest tier, the first of them is the one that is named. */
export const rules: readonly Rule[] = [
  {
    name: 'protected_guest',
    tools: 'all',
    // An id is unique in the cluster, so it protects the guest even where the list has its type wrong.
    when(facts) {
      const vmids = [facts.target.vmid, ...namesOf(facts).map(guestOfUnit)]
      return vmids.some((vmid) => vmid !== undefined && isListed(facts, `vm/${vmid}`, `ct/${vmid}`))
    },
    tier: 'black',
    because: ({ target }) =>
      `${target.kind === 'guest' ? target.id : 'The guest'} is protected: nothing may change it.`,
  },
  {
    name: 'protected_node',
    tools: 'all',
    // A protected node does not protect its guests.
    when: (facts) =>
      (facts.target.kind === 'node' || facts.target.kind === 'service') && isListed(facts, `node/${facts.target.node}`),
    tier: 'black',
    because: ({ target, toolName }) =>
      toolName === 'execute_ssh'
        ? `node/${target.node} is protected: no command runs there, not even to read. The get_* tools tell about it.`
        : `node/${target.node} is protected: nothing may change it.`,
  },
  {
    name: 'protected_service',
    tools: ['restart_service', 'execute_ssh'],
    when: isServiceListed,
    tier: 'black',
    because: (facts) => `service/${plainService(serviceOf(facts))} is protected: nothing may change it.`,
  },
  {
    name: 'unresolved_target',
    tools: [...power, ...onNodes],
    when: ({ target }) => target.kind === 'none',
    tier: 'black',
    because: 'It is not known what this would act upon.',
  },
  {
    name: 'not_read_only',
    tools: ['execute_ssh'],
    when: (facts) => judged(facts).verdict === 'refused',
    tier: 'black',
    because(facts) {
      const verdict = judged(facts)
      return verdict.verdict === 'refused' ? verdict.reason : 'The command reads only.'
    },
  },
  {
    name: 'ssh_change',
    tools: ['execute_ssh'],
    when: (facts) => changeOf(facts) !== undefined,
    tier: 'red',
    because: (facts) => changeOf(facts)?.does ?? '',
  },
  {
    name: 'network_read',
    tools: ['execute_ssh'],
    when: (facts) => strangerOf(facts) !== undefined,
    tier: 'red',
    because: (facts) =>
      `It reaches out to ${quoted(strangerOf(facts) ?? '', 120)}, which nobody has named: a name or an address that is asked about can carry out what was read before.`,
  },
  {
    name: 'not_a_service',
    tools: ['restart_service'],
    when: (facts) => [serviceOf(facts), facts.target.unit?.id ?? ''].some((name) => name !== '' && isNoService(name)),
    tier: 'black',
    because: (facts) => `${serviceOf(facts)} is not a service that can be restarted.`,
  },
  {
    name: 'vital_service',
    tools: ['restart_service'],
    when: (facts) => riskOf(facts) !== undefined,
    tier: 'red',
    because: (facts) => riskOf(facts) ?? '',
  },
  {
    name: 'unproven_service',
    tools: ['restart_service'],
    // Where the risk is known, nothing need be guessed.
    when: (facts) => riskOf(facts) === undefined && restartDoubt(serviceOf(facts), facts.target) !== undefined,
    tier: 'red',
    because: (facts) => restartDoubt(serviceOf(facts), facts.target) ?? '',
  },
  {
    name: 'own_instructions',
    tools: ['memory_write'],
    // Some file systems know no case.
    when: ({ input }) => instructions.has(textOf(input.path).toLowerCase()),
    tier: 'red',
    because: ({ input }) =>
      `${quoted(textOf(input.path))} stands in every prompt: what it says, JARVIS follows from then on.`,
  },
  {
    name: 'forced',
    tools: power,
    when: ({ toolName, input }) => input.force === true && powerOf(toolName)?.action !== 'start',
    tier: 'red',
    because: 'force: true is the power plug: what is not saved is lost.',
  },
  {
    name: 'locked',
    tools: power,
    when: (facts) => guestOf(facts)?.lock !== undefined,
    tier: 'red',
    because(facts) {
      const { lock = '' } = guestOf(facts) ?? {}
      return `${facts.target.vmid} is locked (${plainWord(lock)}): ${lockWords(lock)}.`
    },
  },
  ...topologyRules,
]
