import { commitFiles } from './commit-files.ts'
import { readGit } from './read-git.ts'
import { switchBranch } from './switch-branch.ts'

/** In the order in which they are offered; a new one is appended. */
export const gitTools = [readGit, commitFiles, switchBranch] as const
