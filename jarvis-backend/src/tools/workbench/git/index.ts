import { commitFiles } from './commit-files.ts'
import { readGit } from './read-git.ts'
import { switchBranch } from './switch-branch.ts'

/** The tools in the order in which they are offered. Append a new tool at the end. */
export const gitTools = [readGit, commitFiles, switchBranch] as const
