import { promptFiles } from 'protocol'
import { plainWord, quoted } from 'redaction/visible'
import { unnamedHost } from 'ssh-grammar/contacts'
import { judgeCommand } from 'ssh-grammar/judge-command'
import { guestOfUnit, isNoService, plainService } from 'ssh-grammar/services'
import { isLost } from './effect.ts'
import { movedMarks } from './marks.ts'
import { placeRules } from './places/rules.ts'
import { alwaysAsks, markRule, noteRule } from './policy/profile.ts'
import { namesStorage } from './storages.ts'
import { repeatsOthers } from './taint/sources.ts'
import { topologyRules } from './topology/rules.ts'
import { guestOf, lockWords, serviceRisk } from './topology/topology.ts'
import { restartDoubt, serviceNames } from './topology/units.ts'
import type { Facts, Rule } from './world.ts'

const power = [{ kind: 'power', on: 'guest' }] as const
// Commands on a node only. A command in a guest has a rule of its own, and never counts as a command that only reads.
const commands = [{ kind: 'execute', on: 'node' }] as const
const services = [{ kind: 'power', on: 'service' }] as const
const instructions = new Set(promptFiles.map((file) => file.toLowerCase()))
/** True if the effect is on a file that is part of every prompt. Names are compared in lower case, because some file systems ignore case. */
const isInstructions = ({ effect }: Facts) => instructions.has(effect.file?.toLowerCase() ?? '')
/** The verdict on the effect's command. */
const judged = ({ effect }: Facts) => judgeCommand(effect.executes?.text ?? '')
const changeOf = (facts: Facts) => {
  const verdict = judged(facts)
  return verdict.verdict === 'change' ? verdict : undefined
}
const serviceOf = ({ effect }: Facts) => effect.service ?? ''

/** Returns the outside host that a read would contact; undefined if there is none, or if the operator typed the command or named the host. */
function strangerOf(facts: Facts): string | undefined {
  const verdict = judged(facts)
  if (verdict.verdict !== 'read_only' || facts.sources === undefined) return undefined
  const { cluster, policy } = facts.world
  const ours = [...cluster.nodes, ...cluster.guests].map(({ name }) => name.toLowerCase())
  const strangerTo = (said: readonly string[]) => unnamedHost(verdict.stages, new Set([...ours, ...policy.hosts]), said)
  return strangerTo([]) === undefined ? undefined : strangerTo(facts.sources().operatorTexts)
}

/** Returns true if the operator protected one of `ids`. Case is ignored, because protecting too much is harmless. */
const isListed = ({ world, effect }: Facts, ...ids: string[]): boolean =>
  effect.kind !== 'read' && ids.some((id) => world.policy.protectedTargets.has(id.toLowerCase()))

/** Returns all names of the service, so that an alias does not get around protection. */
const namesOf = (facts: Facts) => serviceNames(serviceOf(facts), facts.target)

const isServiceListed = (facts: Facts): boolean =>
  namesOf(facts)
    .flatMap((name) => [name, plainService(name), `${plainService(name)}.service`])
    .some((name) => isListed(facts, `service/${name}`))

const riskOf = (facts: Facts) =>
  namesOf(facts)
    .map((name) => serviceRisk(name, facts.target.node ?? '', facts.world))
    .find((risk) => risk !== undefined)

/** The shipped rules. If several rules give the strictest tier, the verdict names the first of them. */
export const rules: readonly Rule[] = [
  {
    name: 'refused_arguments',
    when: ({ effect }) => effect.atLeast?.tier === 'black',
    tier: 'black',
    because: ({ effect }) => effect.atLeast?.because ?? '',
  },
  {
    name: alwaysAsks,
    when: ({ effect }) => effect.atLeast?.isAlways === true,
    tier: 'red',
    because: ({ effect }) => effect.atLeast?.because ?? '',
  },
  {
    name: markRule,
    when: ({ effect, world }) => movedMarks(effect, world).length > 0,
    tier: 'red',
    because({ effect, target, world }) {
      const [first, ...more] = movedMarks(effect, world)
      const others =
        more.length === 0 ? '' : ` ${more.length} more such ${more.length === 1 ? 'fact' : 'facts'} change.`
      return `Later calls about ${target.vmid ?? 'it'} are judged otherwise, because it changes ${first?.words ?? ''}.${others}`
    },
  },
  {
    name: 'risky_arguments',
    when: ({ effect }) => effect.atLeast !== undefined,
    tier: 'red',
    because: ({ effect }) => effect.atLeast?.because ?? '',
  },
  {
    name: 'unknown_effect',
    effects: [{ kind: 'unknown' }],
    when: () => true,
    tier: 'red',
    because: ({ effect }) => effect.sentence ?? 'Nobody has said what this call does.',
  },
  {
    name: 'protected_guest',
    // A vmid is unique in the cluster, so the guest is protected even if the list names the wrong type.
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
    // The protection of a node does not cover its guests.
    when: (facts) =>
      ['node', 'service', 'storage'].includes(facts.target.kind) && isListed(facts, `node/${facts.target.node}`),
    tier: 'black',
    because: ({ target, effect }) =>
      effect.kind === 'execute'
        ? `node/${target.node} is protected: no command runs there, not even to read. The get_* tools tell about it.`
        : `node/${target.node} is protected: nothing may change it.`,
  },
  {
    name: 'protected_service',
    when: isServiceListed,
    tier: 'black',
    because: (facts) => `service/${plainService(serviceOf(facts))} is protected: nothing may change it.`,
  },
  {
    name: 'protected_storage',
    when: ({ effect, target, world }) => effect.kind !== 'read' && namesStorage(world.policy.protectedTargets, target),
    tier: 'black',
    because: ({ target }) => `${target.id} is protected: nothing may change it.`,
  },
  {
    name: 'unresolved_target',
    when: ({ effect }) => isLost(effect),
    tier: 'black',
    because: 'It is not known what this would act upon.',
  },
  {
    name: 'not_read_only',
    effects: commands,
    when: (facts) => judged(facts).verdict === 'refused',
    tier: 'black',
    because(facts) {
      const verdict = judged(facts)
      return verdict.verdict === 'refused' ? verdict.reason : 'The command reads only.'
    },
  },
  {
    name: 'ssh_change',
    effects: commands,
    when: (facts) => changeOf(facts) !== undefined,
    tier: 'red',
    because: (facts) => changeOf(facts)?.does ?? '',
  },
  {
    name: 'network_read',
    effects: commands,
    when: (facts) => strangerOf(facts) !== undefined,
    tier: 'red',
    because: (facts) =>
      `It reaches out to ${quoted(strangerOf(facts) ?? '', 120)}, which nobody has named: a name or an address that is asked about can carry out what was read before.`,
  },
  {
    name: 'not_a_service',
    effects: services,
    when: (facts) => [serviceOf(facts), facts.target.unit?.id ?? ''].some((name) => name !== '' && isNoService(name)),
    tier: 'black',
    because: (facts) => `${serviceOf(facts)} is not a service that can be restarted.`,
  },
  {
    name: 'vital_service',
    effects: services,
    when: (facts) => riskOf(facts) !== undefined,
    tier: 'red',
    because: (facts) => riskOf(facts) ?? '',
  },
  {
    name: 'unproven_service',
    effects: services,
    // `vital_service` covers services whose risk is known.
    when: (facts) => riskOf(facts) === undefined && restartDoubt(serviceOf(facts), facts.target) !== undefined,
    tier: 'red',
    because: (facts) => restartDoubt(serviceOf(facts), facts.target) ?? '',
  },
  {
    name: noteRule,
    effects: [{ kind: 'data', on: 'file' }],
    when: (facts) => (facts.effect.isRewrite === true || isInstructions(facts)) && repeatsOthers(facts),
    tier: 'red',
    because: 'Texts of others were read before, and what it writes counts as your own words from then on.',
  },
  {
    name: 'own_instructions',
    effects: [{ kind: 'data', on: 'file' }],
    when: isInstructions,
    tier: 'red',
    because: ({ effect }) =>
      `${quoted(effect.file ?? '')} stands in every prompt: what it says, JARVIS follows from then on.`,
  },
  {
    name: 'forced',
    effects: power,
    when: ({ effect }) => effect.isForced === true && effect.action !== 'start',
    tier: 'red',
    because: 'force: true is the power plug: what is not saved is lost.',
  },
  {
    name: 'locked',
    effects: power,
    when: (facts) => guestOf(facts)?.lock !== undefined,
    tier: 'red',
    because(facts) {
      const guest = guestOf(facts)
      const { vmid, lock = '' } = guest ?? {}
      return guest === undefined ? '' : `${vmid} is locked (${plainWord(lock)}): ${lockWords(guest, facts.world)}.`
    },
  },
  ...placeRules,
  ...topologyRules,
]
