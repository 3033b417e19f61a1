import { quoted } from 'redaction/visible'
import type { Facts, Rule } from '../world.ts'
import { isGitOwn, pathReason } from './path-reason.ts'
import { isProtectedId, isProtectedPlace } from './protected.ts'
import { sessionRoot } from './roots.ts'
import { webRules } from './web-rules.ts'

const paths = [{ on: 'path' }] as const

const reasonOf = ({ effect: { place }, world }: Facts) =>
  place === undefined ? 'It does not say which file it is about.' : pathReason(place, world)

const rootOf = ({ effect: { place }, world }: Facts) =>
  world.policy.workbench.roots.find(({ name }) => name === place?.root)

/** The rules for the workbench: files of this machine, the web, containers. */
export const placeRules: readonly Rule[] = [
  {
    name: 'protected_place',
    when: ({ effect: { kind, place }, target, world }) =>
      kind !== 'read' &&
      target.kind === 'none' &&
      (isProtectedId(target.id, world) || (place !== undefined && isProtectedPlace(place, world))),
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
