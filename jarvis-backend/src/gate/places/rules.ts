import { quoted } from '../../redaction/visible.ts'
import type { Facts, Rule } from '../rule.ts'
import { isGitOwn, pathReason } from './path-reason.ts'
import { absoluteOf, isWithin, sessionRoot } from './roots.ts'
import { webRules } from './web-rules.ts'

const paths = [{ on: 'path' }] as const

const reasonOf = ({ effect: { place }, world }: Facts) =>
  place === undefined ? 'It does not say which file it is about.' : pathReason(place, world)

const rootOf = ({ effect: { place }, world }: Facts) =>
  world.policy.workbench.roots.find(({ name }) => name === place?.root)

/** The parts of a target's id from the outside in: `path/compose`, `path/compose/jellyfin.yml`. */
const above = (id: string): string[] => {
  const parts = id.toLowerCase().split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Whether a file lies in what is protected by another root's name. Case does not count, as in all that is protected. */
function isProtectedPath({ effect: { place }, world }: Facts): boolean {
  const full = place && absoluteOf(place, world)?.toLowerCase()
  if (full === undefined) return false
  return [...world.policy.protectedTargets].some((id) => {
    const [of, root, ...path] = id.split('/')
    const folder = of === 'path' && absoluteOf({ root, path: path.join('/') }, world)?.toLowerCase()
    return folder !== undefined && folder !== false && isWithin(full, folder)
  })
}

/** The rules about what the workbench reaches: files of this machine, the web, containers. */
export const placeRules: readonly Rule[] = [
  {
    name: 'protected_place',
    when: (facts) => {
      const { effect, target, world } = facts
      if (effect.kind === 'read' || target.kind !== 'none') return false
      return above(target.id).some((id) => world.policy.protectedTargets.has(id)) || isProtectedPath(facts)
    },
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
  ...webRules,
]
