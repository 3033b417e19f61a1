import type { Skill, SkillFile } from 'protocol'

/** Returns a mark and words for the state of a skill. */
export function stateWords({ state, isInCatalogue }: Skill): {
  mark: 'ok' | 'warn' | 'bad' | 'unknown'
  words: string
} {
  switch (state) {
    case 'approved':
      return isInCatalogue
        ? { mark: 'ok', words: 'approved' }
        : { mark: 'bad', words: 'approved, and the catalogue has no room for it' }
    case 'changed':
      return { mark: 'warn', words: 'off: changed since approval' }
    case 'off':
      return { mark: 'unknown', words: 'off' }
    case 'new':
      return { mark: 'unknown', words: 'new: not approved' }
    case 'faulty':
      return { mark: 'bad', words: 'cannot be approved' }
    default:
      return state satisfies never
  }
}

/** True if a person must open the file before the skill can be approved: the file differs from the approved version. */
export const mustBeRead = ({ change }: SkillFile): boolean => change !== 'same'

/** The first sixteen hex digits of a hash, in groups of four. */
export const shortHash = (hash: string): string => hash.slice(0, 16).replace(/(.{4})(?=.)/g, '$1 ')

/** True if the path is that of a script. A script is shown as text, like any other file. */
export const isScript = (path: string): boolean => /\.(?:sh|py|js|mjs|ts|rb|pl|ps1|bat)$|^scripts\//i.test(path)
