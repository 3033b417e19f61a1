import { contentReason, nameReason } from 'ssh-grammar/secret-paths'
import type { Place } from '../effect.ts'
import type { World } from '../world.ts'
import { absoluteOf, isWithin, sessionRoot } from './roots.ts'

/** Matches hidden names that a project's folder usually has and that contain no secrets. */
const plainHidden =
  /^\.(?:git|github|gitlab-ci\.yml|gitignore|gitattributes|gitmodules|editorconfig|dockerignore|prettierrc(?:\.json)?|prettierignore|eslintrc(?:\.json)?|nvmrc|node-version|tool-versions|yamllint(?:\.yml)?|pre-commit-config\.yaml|vscode|well-known)$/

/** Returns why a place may be neither read nor changed; undefined if it may. Checks only names, and follows no links. */
export function pathReason(place: Place, world: Pick<World, 'policy' | 'ownPaths'>): string | undefined {
  const { root, path } = place
  if (root === undefined) {
    const names = [...world.policy.workbench.roots.map(({ name, path }) => `${name} (${path})`), sessionRoot]
    return `It is outside the roots that policy.yaml names under workbench. Roots: ${names.join(', ')}. Paths are written ROOT/PATH, without "..".`
  }
  const full = absoluteOf(place, world)
  if (root !== sessionRoot && full === undefined) return `policy.yaml names no root ${root} under workbench.`
  if (full !== undefined && (world.ownPaths ?? []).some((own) => isWithin(full, own)))
    return 'It is one of JARVIS’s own files: its data, its policy and its settings are in no root.'
  if (path === '') return full === undefined ? undefined : nameReason(full)
  const plain = path
    .split('/')
    .map((part) => (plainHidden.test(part) ? part.slice(1) : part))
    .join('/')
  // The whole path is checked for secret folders. Hidden folders are checked only below the root: a hidden folder above it is the operator's choice.
  return (full === undefined ? undefined : nameReason(full)) ?? contentReason(`/${plain}`)
}

/** Returns true if the place is in a `.git` folder, whose files control which programs Git runs. */
export const isGitOwn = ({ path }: Place): boolean => path.split('/').some((part) => part.toLowerCase() === '.git')
