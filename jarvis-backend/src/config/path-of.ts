import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** A path as people write it: `~/` is the home folder, the rest counts from the working directory. */
export const pathOf = (given: string): string =>
  given.startsWith('~/') ? join(homedir(), given.slice(2)) : resolve(given)
