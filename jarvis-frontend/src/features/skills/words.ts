import type { Skill, SkillFile } from 'protocol'

/** The state of a skill as a mark and in words. */
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

/** True if a person must have seen a file before the tree can be approved. */
export const mustBeRead = ({ change }: SkillFile): boolean => change !== 'same'

/** A hash in groups of four, its first sixteen letters. */
export const shortHash = (hash: string): string => hash.slice(0, 16).replace(/(.{4})(?=.)/g, '$1 ')

/** A script is text as any other. */
export const isScript = (path: string): boolean => /\.(?:sh|py|js|mjs|ts|rb|pl|ps1|bat)$|^scripts\//i.test(path)
