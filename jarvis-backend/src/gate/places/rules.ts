import { isIP } from 'node:net'
import { isPublicAddress } from '../../lib/public-address.ts'
import { quoted } from '../../redaction/visible.ts'
import type { Facts, Rule } from '../rule.ts'
import { isGitOwn, pathReason } from './path-reason.ts'
import { sessionRoot } from './roots.ts'

const paths = [{ on: 'path' }] as const
const web = [{ on: 'web' }] as const

const reasonOf = ({ effect: { place }, world }: Facts) =>
  place === undefined ? 'It does not say which file it is about.' : pathReason(place, world)

const rootOf = ({ effect: { place }, world }: Facts) =>
  world.policy.workbench.roots.find(({ name }) => name === place?.root)

/** `host:port` of an address, in lower case; undefined where it has none. */
function siteOf({ effect: { url } }: Facts): { host: string; site: string } | undefined {
  if (url === undefined) return undefined
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  return { host, site: `${host}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}` }
}

/** Names that no public resolver knows. Whether an address is public is judged again where it is connected to. */
const isOwnName = (host: string) =>
  !host.includes('.') || /\.(?:local|localhost|lan|home|internal|intranet|private|corp|home\.arpa)$/.test(host)

const isPrivate = (facts: Facts): boolean => {
  const { host = '' } = siteOf(facts) ?? {}
  return isIP(host) === 0 ? isOwnName(host) : !isPublicAddress(host)
}
const isListed = (facts: Facts) => facts.world.policy.workbench.web.private.has(siteOf(facts)?.site ?? '')

/** Whether the operator, or a result, gave exactly this address. Without sources a person typed the call. */
function isGiven({ effect: { url = '' }, sources, input }: Facts): boolean {
  if (sources === undefined) return true
  const { operatorTexts, results } = sources()
  const forms = [url, url.replace(/\/$/, ''), ...(typeof input.url === 'string' ? [input.url] : [])]
  return [...operatorTexts, ...results.map(({ text }) => text)].some((text) =>
    forms.some((form) => text.includes(form)),
  )
}

/** The parts of a target's id from the outside in: `path/compose`, `path/compose/jellyfin.yml`. */
const above = (id: string): string[] => {
  const parts = id.toLowerCase().split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** The rules about what the workbench reaches: files of this machine, the web, containers. */
export const placeRules: readonly Rule[] = [
  {
    name: 'protected_place',
    when: ({ effect, target, world }) =>
      effect.kind !== 'read' &&
      target.kind === 'none' &&
      above(target.id).some((id) => world.policy.protectedTargets.has(id)),
    tier: 'black',
    because: ({ target }) => `${quoted(target.id)} is protected: nothing may change it.`,
  },
  {
    name: 'refused_path',
    effects: paths,
    when: (facts) => reasonOf(facts) !== undefined,
    tier: 'black',
    because: (facts) => reasonOf(facts) ?? '',
  },
  {
    name: 'read_only_root',
    effects: paths,
    when: (facts) => {
      const { kind, place } = facts.effect
      return kind !== 'read' && place?.root !== sessionRoot && rootOf(facts)?.write !== true
    },
    tier: 'black',
    because: ({ effect: { place } }) =>
      `The root ${quoted(place?.root ?? '')} is only read: policy.yaml does not say write: true for it.`,
  },
  {
    name: 'own_files_of_git',
    effects: paths,
    when: ({ effect: { kind, place } }) => kind !== 'read' && place !== undefined && isGitOwn(place),
    tier: 'black',
    because: 'What is in .git says what Git runs: nothing but Git changes it.',
  },
  {
    name: 'change_in_root',
    effects: paths,
    when: ({ effect: { kind, place } }) => kind !== 'read' && place?.root !== sessionRoot,
    tier: 'red',
    because: ({ effect: { place } }) => `It changes files in ${quoted(place?.root ?? '')}, which are yours.`,
  },
  {
    name: 'private_address',
    effects: web,
    when: (facts) => isPrivate(facts) && !isListed(facts),
    tier: 'black',
    because: (facts) =>
      `${quoted(siteOf(facts)?.site ?? 'It')} is an address of this network, and policy.yaml does not list it under workbench: web: private.`,
  },
  {
    name: 'listed_private_address',
    effects: web,
    when: (facts) => isPrivate(facts) && !isGiven(facts),
    tier: 'red',
    because: (facts) => `Nobody wrote this address of this network down: ${quoted(facts.effect.url ?? '', 200)}.`,
  },
  {
    name: 'composed_address',
    effects: web,
    when: (facts) => !isGiven(facts),
    tier: 'yellow',
    because: 'The address was composed: neither the operator nor a result gave it.',
  },
]
