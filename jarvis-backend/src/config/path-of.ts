import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Makes a path absolute: `~/` is the home folder, other paths are relative to the working directory. */
export const pathOf = (given: string): string =>
  given.startsWith('~/') ? join(homedir(), given.slice(2)) : resolve(given)
