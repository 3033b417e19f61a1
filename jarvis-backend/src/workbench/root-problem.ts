import { statSync } from 'node:fs'

/** Returns the reason why a root cannot be used now, with the remedy; undefined if it can. */
export function rootProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : `${path} is no folder: name one in policy.yaml.`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? `${path} is not there: make the folder, or in a container mount it.`
      : `${path} cannot be read (${code}): give JARVIS’s user access.`
  }
}
